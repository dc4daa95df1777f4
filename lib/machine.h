/* SPDX-License-Identifier: MIT */
/*
 * What machine this is: the facts that a calibration and a result are only valid with.
 *
 * A fact that the machine does not tell is a word ("unknown", "none"), not an error: there is
 * always an answer that can be stored and compared.
 */
#pragma once

#include <stdbool.h>

#define MACHINE_TEXT 128

/* The texts are in place: there is nothing to be freed. */
struct machine {
	char cpu_model[MACHINE_TEXT]; /* "unknown" if not told, as the next three */
	char microcode[MACHINE_TEXT];
	char kernel[MACHINE_TEXT]; /* the release, as `uname -r` */
	char boot_id[MACHINE_TEXT];
	char governor[MACHINE_TEXT];	/* of cpufreq; "none" without */
	char driver[MACHINE_TEXT];	/* of cpufreq; "none" without */
	char clocksource[MACHINE_TEXT]; /* the kernel's present one; "unknown" if not told */
	bool hypervisor;		/* the CPU says that it is a virtual one */
	bool constant_tsc;		/* the TSC keeps its rate at all frequencies */
	bool nonstop_tsc;		/* and in all idle states */
	bool tsc_available;		/* and the kernel has not found it unstable */
};

/*
 * Read what machine this is.
 *
 * @root: "" or a fixture
 * @cpu: whose frequency driver and governor are meant: the first one measured
 *
 * Return: 0 or -ENOMEM; @ret is untouched on failure.
 */
int machine_read(const char *root, int cpu, struct machine *ret);

/* Return: whether the TSC can serve as a clock: constant, nonstop, and trusted by the kernel. */
bool machine_has_steady_tsc(const struct machine *machine);
