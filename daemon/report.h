/* SPDX-License-Identifier: MIT */
/*
 * From samples to an answer: what the CPUs lost over a stretch of time.
 *
 * Pure arithmetic on the history: no clock, no JSON. What there is no number for is NaN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calibration.h"
#include "sampler.h"
#include "stats.h"

struct report_figures {
	double load_ratio;	     /* trimmed, unless the report is short */
	double untrimmed_load_ratio; /* over all the time, as are the following */
	double taken_ratio;
	double slowed_ratio;
	double lost_ratio;
	double interruptions_per_second;
	double mean_interruption_seconds;
	double longest_interruption_seconds;
};

struct report_cpu {
	int cpu;
	double idle_floor_ratio;
	struct report_figures figures;
};

struct report {
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	uint64_t end_ns;
	uint64_t elapsed_ns;
	size_t n_samples; /* wholly inside */
	size_t n_invalid; /* of them, without one valid CPU */
	size_t n_kept;
	size_t n_cut;	   /* by trimming, both ends together */
	uint64_t n_missed; /* due times without a sample */
	bool is_short;
	bool samples_lost; /* the history no longer reached back to the beginning */
	double idle_floor_ratio;
	struct report_figures figures; /* means over the CPUs; interruptions: of one CPU */
	size_t n_cpus;
	struct report_cpu *cpus; /* [n_cpus], those that were asked for */
};

/* What to report on. */
struct report_request {
	const bool *selected; /* [sampler->n_cpus]; which CPUs */
	uint64_t begin_ns;    /* CLOCK_MONOTONIC; samples wholly inside count */
	uint64_t end_ns;
	struct trim trim;
	/*
	 * What was counted between begin_ns and end_ns exactly, [sampler->n_cpus], for the
	 * untrimmed figures. NULL: they are summed from the samples.
	 */
	const struct load_counts *exact;
};

/*
 * Compute a report.
 *
 * A sample's load is the mean over its valid CPUs; the trimmed mean is taken over those. With
 * fewer than LOAD_LEAST_KEPT samples left, load_ratio is the untrimmed load.
 *
 * @baselines: [sampler->n_cpus]
 * @ret: report_fini() it
 *
 * Return: 0; -ENOMEM; -ENODATA when the history has no sample in the stretch and no exact counts
 * were given.
 */
int report_compute(const struct sampler *sampler, const struct calibration_cpu *baselines,
		   const struct report_request *request, struct report *ret);
void report_fini(struct report *report);

/*
 * Return: the mean over the selected and valid CPUs of one sample's ratios; NaN where there is
 * none. @selected may be NULL: all.
 */
struct load_ratios report_sample_ratios(const struct cpu_sample *cpus,
					const struct calibration_cpu *baselines, size_t n_cpus,
					const bool *selected);

/* Return: the baseline that load.h wants. An unknown floor counts as none. */
struct load_baseline report_baseline(const struct calibration_cpu *baseline);
