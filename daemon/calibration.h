/* SPDX-License-Identifier: MIT */
/*
 * What an undisturbed CPU does: the length of a pass and the idle floor, per CPU, found on a
 * machine that need not be idle.
 *
 * The soakers keep short windows, each a whole number of timer ticks long, and the kernel tells
 * them whether another thread ran (slot.h). A window in which none did is quiet: what was taken
 * in it are the tick, timers and the hypervisor. Pure arithmetic on windows: it knows no slot, no
 * clock and no file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load.h"

/* One short stretch of one CPU. */
struct calibration_window {
	struct load_counts counts;
	bool switched; /* another thread ran in it */
};

/* The baseline of one CPU. What could not be found is NaN. */
struct calibration_cpu {
	int cpu;
	double pass_ns;	   /* the 10 % quantile of the windows' mean passes */
	double pass_sd_ns; /* their standard deviation */
	double idle_floor_ratio;
	double idle_floor_uncertainty_ratio; /* half width of a 95 % interval */
	size_t n_windows;
	size_t n_quiet; /* windows that the floor was taken from */
	bool quiet;	/* there were enough of them */
};

/* With fewer quiet windows the floor is not to be relied on. */
#define CALIBRATION_LEAST_QUIET 50

/*
 * Compute the baseline of one CPU from windows[n], oldest first.
 *
 * @has_switches: whether `switched` means anything. If not, windows count as quiet up to three
 *                times the level of the quietest tenth: a machine that is never idle for a tenth
 *                of the time cannot be told from a bad floor then.
 * @ret: `cpu` is left alone, the rest is set
 *
 * The floor is the mean of what was taken in the quiet windows, without those beyond Tukey's outer
 * fence (third quartile + 3 interquartile ranges: Tukey 1977): a hypervisor that takes a CPU for
 * milliseconds is rare, would make two calibrations of one machine differ, and is steal. Its
 * uncertainty comes from the means of ten batches, as neighbouring windows are alike.
 *
 * Return: 0 or -ENOMEM. No windows at all: pass_ns and floor are NaN, quiet is false.
 */
int calibration_compute(const struct calibration_window *windows, size_t n, bool has_switches,
			struct calibration_cpu *ret);
