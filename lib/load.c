/* SPDX-License-Identifier: MIT */
/*
 * The formulas of load.h. The source of each is the definition there; hand-computed cases stand in
 * tests/unit/test-load.c.
 */
#include "load.h"

#include <math.h>

static double mean_pass_ns(const struct load_counts *counts)
{
	if (counts->passes == 0 || counts->gap_ns > counts->elapsed_ns)
		return NAN;
	return (double)(counts->elapsed_ns - counts->gap_ns) / (double)counts->passes;
}

/* Gap time without the pass of work that each gap holds. */
static double interrupted_ns(const struct load_counts *counts)
{
	double pass_ns = mean_pass_ns(counts);

	if (isnan(pass_ns))
		return (double)counts->gap_ns;
	return (double)counts->gap_ns - (double)counts->gaps * pass_ns;
}

double load_relative(double taken_ratio, double idle_floor_ratio)
{
	if (!(idle_floor_ratio < 1))
		return NAN;
	return 1 - (1 - taken_ratio) / (1 - idle_floor_ratio);
}

struct load_ratios load_compute(const struct load_counts *counts,
				const struct load_baseline *baseline)
{
	struct load_ratios ratios = {NAN, NAN, NAN, NAN};

	if (counts->elapsed_ns == 0)
		return ratios;
	ratios.taken = interrupted_ns(counts) / (double)counts->elapsed_ns;
	ratios.slowed = 1 - baseline->pass_ns / mean_pass_ns(counts);
	ratios.lost = 1 - (1 - ratios.taken) * (1 - ratios.slowed);
	ratios.load = load_relative(ratios.taken, baseline->idle_floor_ratio);
	return ratios;
}

double load_cpu_seconds(double load_ratio, uint64_t elapsed_ns, unsigned int n_cpus)
{
	return load_ratio * (double)elapsed_ns / 1e9 * n_cpus;
}

double load_mean_gap_ns(const struct load_counts *counts)
{
	if (counts->gaps == 0)
		return NAN;
	return interrupted_ns(counts) / (double)counts->gaps;
}

void load_counts_add(struct load_counts *sum, const struct load_counts *more)
{
	sum->elapsed_ns += more->elapsed_ns;
	sum->gap_ns += more->gap_ns;
	sum->passes += more->passes;
	sum->gaps += more->gaps;
}

int load_trimmed(const double *loads, size_t n, const struct trim *trim, double *ret)
{
	size_t k = trim_cut(trim, n);

	*ret = (double)NAN;
	if (k > n || n - k < k + LOAD_LEAST_KEPT)
		return 0;
	return stats_trimmed_mean(loads, n, k, ret);
}
