/* SPDX-License-Identifier: MIT */
/*
 * The soakers as the rest of the daemon sees them: one a CPU of the list, whatever becomes of the
 * process that holds them.
 *
 * It starts the soaker process in its isolation, starts another when that ends or when the set of
 * CPUs that can be soaked changes, and tells the sampler of each. It knows no event loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calibration.h"
#include "cpulist.h"
#include "isolation.h"
#include "sampler.h"
#include "soaker.h"

struct soaking_cpu {
	size_t slot; /* position among the process's slots; SIZE_MAX: not soaked */
	int error;   /* why not: negative errno of the thread; 0: offline or not allowed */
	uint64_t carried_histogram[SLOT_BUCKETS]; /* of the processes before */
};

struct soaking {
	const char *root;	     /* "" */
	struct soaker_config config; /* cpus: of the process that runs now */
	int *soaked_cpus;	     /* [cpus.n], the first config.n_cpus are soaked */
	struct cpulist cpus;	     /* all that may ever be soaked */
	struct soaking_cpu *states;  /* [cpus.n] */
	struct soaker soaker;
	struct isolation isolation;
	bool isolated;
	bool paused;
	uint64_t n_restarts;
	uint64_t carried_charged_ns;
	struct sampler *sampler; /* borrowed; told of what begins and ends */
};

/*
 * Prepare. Nothing runs yet.
 *
 * @cpus: consumed
 * @sampler: borrowed; must be initialised for the same CPUs, with soaking_source() as its source,
 *           before soaking_start()
 */
int soaking_init(struct soaking *soaking, const char *root, struct cpulist *cpus,
		 const struct loop_body *body, enum loop_clock clock, double tick_ns,
		 uint64_t window_ns, struct sampler *sampler);

/* End the soakers and take their isolation down. */
void soaking_fini(struct soaking *soaking);

/* Return: the sampler's source of readings. */
struct sampler_source soaking_source(struct soaking *soaking);

/*
 * Start the soaker process on those of the CPUs that are among @available. Blocks until they soak.
 *
 * Return: 0; -ENXIO when none is available; the errors of soaker_spawn() and soaker_go().
 */
int soaking_start(struct soaking *soaking, const struct cpulist *available);

/*
 * The soaker process has ended, or is to be: take note and put it away. soaking_start() may follow.
 *
 * @flags: how to mark the interval going on
 */
void soaking_stop(struct soaking *soaking, uint32_t flags);

/*
 * Stop the soakers where they are, or let them go on; the interval going on is marked. A process
 * that is started meanwhile is stopped, too.
 *
 * Return: 0; a negative errno of pidfd_send_signal(2), with nothing changed.
 */
int soaking_pause(struct soaking *soaking, bool paused);

/* Return: whether other CPUs than those that are soaked could be now. */
bool soaking_differs(const struct soaking *soaking, const struct cpulist *available);

/* Add the gap histogram of the CPU at @index, in ticks, to counts[SLOT_BUCKETS]. */
void soaking_add_histogram(const struct soaking *soaking, size_t index, uint64_t *counts);

/* Return: the CPU time that the kernel charged to soakers, as /proc/stat counts it. */
uint64_t soaking_charged_ns(const struct soaking *soaking);

/* Return: how many windows the soaker at @index ever finished; 0 when there is none. */
uint64_t soaking_n_windows(const struct soaking *soaking, size_t index);

/* Return: whether the soaker at @index is told of switches. */
bool soaking_has_switches(const struct soaking *soaking, size_t index);

/*
 * Copy the windows from the @first-th on, as many as are kept, into windows[SLOT_WINDOWS].
 *
 * Return: how many.
 */
size_t soaking_windows(const struct soaking *soaking, size_t index, uint64_t first,
		       struct calibration_window *windows);
