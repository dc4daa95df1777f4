/* SPDX-License-Identifier: MIT */
/*
 * How much of a CPU the soakers take from a workload: measured, not inferred.
 *
 * A busy thread of normal priority in a new session (so in a scheduling group that is not the
 * soakers') runs beside every soaker for a fraction of a second. What the soakers get of the time
 * that the two share is the intrusion.
 */
#pragma once

#include "soaker.h"

/* More than this ruins what is measured: soakd refuses to start. */
#define INTRUSION_LIMIT_RATIO 0.02

/*
 * Measure the intrusion of running soakers; blocks for @milliseconds and a little.
 *
 * One busy thread on each soaked CPU at once: the weight of a group is shared out over the CPUs
 * it runs on, so that a single one would see too little of a large machine's group.
 *
 * @ret_ratio: the soakers' share of what soakers and busy threads had together, 0..1; NaN when no
 *             busy thread could run
 *
 * Return: 0; a negative errno of fork(2) and the like.
 */
int intrusion_measure(const struct soaker *soaker, double tick_ns, int milliseconds,
		      double *ret_ratio);
