/* SPDX-License-Identifier: MIT */
/*
 * From windows to a baseline. The definitions stand in calibration.h.
 */
#include "calibration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "stats.h"

#define PASS_QUANTILE  0.10
#define LEVEL_QUANTILE 0.10
#define LEVEL_FACTOR   3.0
#define FENCE_RANGES   3.0
#define N_BATCHES      10
#define CONFIDENCE     0.95

static double window_pass_ns(const struct calibration_window *window)
{
	const struct load_counts *counts = &window->counts;

	return (double)(counts->elapsed_ns - counts->gap_ns) / (double)counts->passes;
}

static double window_taken_ratio(const struct calibration_window *window)
{
	static const struct load_baseline none = {NAN, NAN};

	return load_compute(&window->counts, &none).taken;
}

static void compute_pass(const struct calibration_window *windows, size_t n, double *scratch,
			 struct calibration_cpu *ret)
{
	size_t n_values = 0;

	for (size_t i = 0; i < n; i++)
		if (windows[i].counts.passes > 0)
			scratch[n_values++] = window_pass_ns(&windows[i]);
	ret->pass_ns = stats_quantile(scratch, n_values, PASS_QUANTILE);
	ret->pass_sd_ns = stats_sd(scratch, n_values);
}

/* Collect what was taken in windows where no other thread ran. Return: how many. */
static size_t collect_quiet(const struct calibration_window *windows, size_t n, double *ratios)
{
	size_t n_quiet = 0;

	for (size_t i = 0; i < n; i++)
		if (!windows[i].switched && windows[i].counts.elapsed_ns > 0)
			ratios[n_quiet++] = window_taken_ratio(&windows[i]);
	return n_quiet;
}

/* Keep what is at most @limit, in order. Return: how many. */
static size_t keep_up_to(double *ratios, size_t n, double limit)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < n; i++)
		if (ratios[i] <= limit)
			ratios[n_kept++] = ratios[i];
	return n_kept;
}

static double outer_fence(const double *ratios, size_t n)
{
	double lower = stats_quantile(ratios, n, 0.25), upper = stats_quantile(ratios, n, 0.75);

	return upper + FENCE_RANGES * (upper - lower);
}

/* Return: half width of the interval of the mean, by batch means; NaN with too few values. */
static double mean_uncertainty(const double *ratios, size_t n)
{
	double means[N_BATCHES];
	size_t each = n / N_BATCHES;
	struct stats_summary summary;

	if (each == 0)
		return NAN;
	for (size_t b = 0; b < N_BATCHES; b++)
		means[b] = stats_mean(&ratios[b * each], each);
	summary = stats_summarise(means, N_BATCHES, CONFIDENCE);
	return (summary.ci_high - summary.ci_low) / 2;
}

int calibration_compute(const struct calibration_window *windows, size_t n, bool has_switches,
			struct calibration_cpu *ret)
{
	cleanup(freep) double *ratios = calloc(n ? n : 1, sizeof(*ratios));
	size_t n_quiet;

	if (!ratios)
		return -ENOMEM;
	compute_pass(windows, n, ratios, ret);

	n_quiet = collect_quiet(windows, n, ratios);
	if (n_quiet > 0 && !has_switches)
		n_quiet =
			keep_up_to(ratios, n_quiet,
				   LEVEL_FACTOR * stats_quantile(ratios, n_quiet, LEVEL_QUANTILE));
	if (n_quiet > 0)
		n_quiet = keep_up_to(ratios, n_quiet, outer_fence(ratios, n_quiet));

	ret->idle_floor_ratio = stats_mean(ratios, n_quiet);
	ret->idle_floor_uncertainty_ratio = mean_uncertainty(ratios, n_quiet);
	ret->n_windows = n;
	ret->n_quiet = n_quiet;
	ret->quiet = n_quiet >= CALIBRATION_LEAST_QUIET;
	return 0;
}
