/* SPDX-License-Identifier: MIT */
/*
 * From what a soaker counted to what a CPU lost: the formulas of the project, all of them.
 *
 * Pure arithmetic, ratios 0..1 and nothing clamped: a slightly negative load is what an idle CPU
 * reads half of the time, and a value outside 0..1 is a calibration that no longer fits. What
 * cannot be computed is NaN.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stats.h"

/* What one soaker counted between two readings of its slot. */
struct load_counts {
	uint64_t elapsed_ns; /* between the readings */
	uint64_t gap_ns;     /* in gaps, each with the pass that it cut short */
	uint64_t passes;     /* undisturbed ones */
	uint64_t gaps;	     /* that ended between the readings */
};

/* What an undisturbed CPU does, from its calibration. */
struct load_baseline {
	double pass_ns;		 /* NaN: unknown */
	double idle_floor_ratio; /* taken on an idle CPU */
};

/* The ratios of one CPU over one interval. */
struct load_ratios {
	double taken;  /* share of the interval in which the soaker did not have the CPU */
	double slowed; /* share by which passes were slower than calibrated */
	double lost;   /* both: 1 - (1 - taken)(1 - slowed), what classic cycle soakers report */
	double load;   /* taken, relative to an idle CPU */
};

/*
 * Compute the ratios of @counts against @baseline.
 *
 *   pass   = (elapsed - gap) / passes                     mean length of a pass
 *   taken  = (gap - gaps * pass) / elapsed                as each gap holds one pass of work
 *   slowed = 1 - pass_ns / pass
 *   lost   = 1 - (1 - taken)(1 - slowed)
 *   load   = 1 - (1 - taken) / (1 - idle_floor)
 *
 * Without a single pass, taken is gap / elapsed, slowed and lost are NaN. No time elapsed: all NaN.
 */
struct load_ratios load_compute(const struct load_counts *counts,
				const struct load_baseline *baseline);

/* Return: taken relative to an idle CPU, 1 - (1 - taken) / (1 - floor); NaN when floor is >= 1. */
double load_relative(double taken_ratio, double idle_floor_ratio);

/*
 * Return: CPU-seconds taken from @n_cpus CPUs in @elapsed_ns at @load_ratio (their mean).
 */
double load_cpu_seconds(double load_ratio, uint64_t elapsed_ns, unsigned int n_cpus);

/*
 * Return: mean length of an interruption in ns: gap time without the passes that it cut, by the
 * number of gaps; NaN without gaps.
 */
double load_mean_gap_ns(const struct load_counts *counts);

/* Add @more to @sum, member by member. */
void load_counts_add(struct load_counts *sum, const struct load_counts *more);

/* With fewer samples left after trimming, a load is the untrimmed one ("short"). */
#define LOAD_LEAST_KEPT 5

/*
 * Compute the trimmed mean of the loads of samples.
 *
 * @loads: [n], in any order, no NaN among them
 * @ret: NaN when fewer than LOAD_LEAST_KEPT would be left
 *
 * Return: 0 or -ENOMEM.
 */
int load_trimmed(const double *loads, size_t n, const struct trim *trim, double *ret);
