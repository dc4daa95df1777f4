/* SPDX-License-Identifier: MIT */
/*
 * The definitions stand in report.h; the formulas of a single interval in lib/load.h.
 */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"

/* The samples of a stretch, [first, end) by seq. */
struct stretch {
	uint64_t first;
	uint64_t end;
};

struct load_baseline report_baseline(const struct calibration_cpu *baseline)
{
	return (struct load_baseline){
		.pass_ns = baseline->pass_ns,
		.idle_floor_ratio =
			isnan(baseline->idle_floor_ratio) ? 0 : baseline->idle_floor_ratio,
	};
}

static struct load_ratios cpu_ratios(const struct cpu_sample *cpu,
				     const struct calibration_cpu *baseline)
{
	struct load_counts counts = cpu_sample_counts(cpu);
	struct load_baseline against = report_baseline(baseline);

	return load_compute(&counts, &against);
}

/* Sums of ratios with a count for each, as one may be missing where the others are not. */
struct mean {
	double sum;
	size_t n;
};

static void mean_add(struct mean *mean, double value)
{
	if (isnan(value))
		return;
	mean->sum += value;
	mean->n++;
}

static double mean_value(const struct mean *mean)
{
	return mean->n ? mean->sum / (double)mean->n : NAN;
}

struct load_ratios report_sample_ratios(const struct cpu_sample *cpus,
					const struct calibration_cpu *baselines, size_t n_cpus,
					const bool *selected)
{
	struct mean taken = {0}, slowed = {0}, lost = {0}, load = {0};

	for (size_t i = 0; i < n_cpus; i++) {
		struct load_ratios ratios;

		if (cpus[i].flags || (selected && !selected[i]))
			continue;
		ratios = cpu_ratios(&cpus[i], &baselines[i]);
		mean_add(&taken, ratios.taken);
		mean_add(&slowed, ratios.slowed);
		mean_add(&lost, ratios.lost);
		mean_add(&load, ratios.load);
	}
	return (struct load_ratios){mean_value(&taken), mean_value(&slowed), mean_value(&lost),
				    mean_value(&load)};
}

static bool begins_at_or_after(const struct sample *sample, uint64_t when_ns)
{
	return sample->monotonic_ns - sample->elapsed_ns >= when_ns;
}

static bool ends_after(const struct sample *sample, uint64_t when_ns)
{
	return sample->monotonic_ns > when_ns;
}

/*
 * Return: the seq of the first sample that @is_past holds for, newest + 1 when there is none.
 *
 * Samples follow each other in time, so a report costs what its stretch holds, not the history.
 */
static uint64_t find_first(const struct history *history,
			   bool (*is_past)(const struct sample *, uint64_t), uint64_t when_ns)
{
	uint64_t first = history_oldest(history), end = history->newest + 1;
	const struct cpu_sample *cpus;

	while (first < end) {
		uint64_t middle = first + (end - first) / 2;

		if (is_past(history_get(history, middle, &cpus), when_ns))
			end = middle;
		else
			first = middle + 1;
	}
	return first;
}

static struct stretch find_stretch(const struct history *history,
				   const struct report_request *request, bool *ret_lost)
{
	struct stretch stretch = {
		.first = find_first(history, begins_at_or_after, request->begin_ns),
		.end = find_first(history, ends_after, request->end_ns),
	};
	const struct cpu_sample *cpus;
	uint64_t oldest = history_oldest(history);

	if (stretch.end < stretch.first)
		stretch.end = stretch.first;
	/* The oldest kept sample is inside: were those before it, too? */
	*ret_lost = oldest > 1 && stretch.first == oldest && stretch.end > stretch.first &&
		    history_get(history, oldest, &cpus)->monotonic_ns -
				    history_get(history, oldest, &cpus)->elapsed_ns >
			    request->begin_ns;
	return stretch;
}

/* One CPU's valid loads in the stretch. Return: how many. */
static size_t collect_cpu(const struct history *history, const struct stretch *stretch,
			  size_t index, const struct calibration_cpu *baseline, double *loads)
{
	size_t n = 0;

	for (uint64_t seq = stretch->first; seq < stretch->end; seq++) {
		const struct cpu_sample *cpus;
		double load;

		(void)history_get(history, seq, &cpus);
		if (cpus[index].flags)
			continue;
		load = cpu_ratios(&cpus[index], baseline).load;
		if (!isnan(load))
			loads[n++] = load;
	}
	return n;
}

static size_t collect_all(const struct history *history, const struct stretch *stretch,
			  const struct calibration_cpu *baselines, const bool *selected,
			  double *loads)
{
	size_t n = 0;

	for (uint64_t seq = stretch->first; seq < stretch->end; seq++) {
		const struct cpu_sample *cpus;
		double load;

		(void)history_get(history, seq, &cpus);
		load = report_sample_ratios(cpus, baselines, history->n_cpus, selected).load;
		if (!isnan(load))
			loads[n++] = load;
	}
	return n;
}

/* What the CPU counted in the stretch, and its longest gap. */
static struct load_counts sum_cpu(const struct history *history, const struct stretch *stretch,
				  size_t index, uint64_t *ret_longest_ns)
{
	struct load_counts sum = {0};

	*ret_longest_ns = 0;
	for (uint64_t seq = stretch->first; seq < stretch->end; seq++) {
		const struct cpu_sample *cpus;
		struct load_counts counts;

		(void)history_get(history, seq, &cpus);
		if (cpus[index].flags)
			continue;
		counts = cpu_sample_counts(&cpus[index]);
		load_counts_add(&sum, &counts);
		if (cpus[index].longest_gap_ns > *ret_longest_ns)
			*ret_longest_ns = cpus[index].longest_gap_ns;
	}
	return sum;
}

static void fill_figures(const struct load_counts *counts, const struct calibration_cpu *baseline,
			 uint64_t longest_ns, struct report_figures *ret)
{
	struct load_baseline against = report_baseline(baseline);
	struct load_ratios ratios = load_compute(counts, &against);

	ret->untrimmed_load_ratio = ratios.load;
	ret->taken_ratio = ratios.taken;
	ret->slowed_ratio = ratios.slowed;
	ret->lost_ratio = ratios.lost;
	ret->interruptions_per_second =
		counts->elapsed_ns ? (double)counts->gaps / ((double)counts->elapsed_ns / 1e9)
				   : NAN;
	ret->mean_interruption_seconds = load_mean_gap_ns(counts) / 1e9;
	ret->longest_interruption_seconds = longest_ns ? (double)longest_ns / 1e9 : NAN;
}

static int report_one_cpu(const struct sampler *sampler, const struct calibration_cpu *baseline,
			  const struct report_request *request, const struct stretch *stretch,
			  size_t index, double *scratch, struct report_cpu *ret)
{
	uint64_t longest_ns;
	struct load_counts counts = sum_cpu(&sampler->history, stretch, index, &longest_ns);
	size_t n = collect_cpu(&sampler->history, stretch, index, baseline, scratch);
	double trimmed;
	int r;

	if (request->exact)
		counts = request->exact[index];
	ret->cpu = sampler->cpus[index].cpu;
	ret->idle_floor_ratio = baseline->idle_floor_ratio;
	fill_figures(&counts, baseline, longest_ns, &ret->figures);
	r = load_trimmed(scratch, n, &request->trim, &trimmed);
	if (r < 0)
		return r;
	ret->figures.load_ratio = isnan(trimmed) ? ret->figures.untrimmed_load_ratio : trimmed;
	return 0;
}

/* Which members of the figures are averaged over the CPUs, and where they stand. */
static const size_t averaged[] = {
	offsetof(struct report_figures, untrimmed_load_ratio),
	offsetof(struct report_figures, taken_ratio),
	offsetof(struct report_figures, slowed_ratio),
	offsetof(struct report_figures, lost_ratio),
	offsetof(struct report_figures, interruptions_per_second),
};

static void average_cpus(struct report *report)
{
	struct mean floor = {0};
	double length = 0, longest = NAN, rate = 0;

	for (size_t m = 0; m < sizeof(averaged) / sizeof(averaged[0]); m++) {
		struct mean mean = {0};

		for (size_t i = 0; i < report->n_cpus; i++)
			mean_add(&mean,
				 *(double *)((char *)&report->cpus[i].figures + averaged[m]));
		*(double *)((char *)&report->figures + averaged[m]) = mean_value(&mean);
	}
	for (size_t i = 0; i < report->n_cpus; i++) {
		const struct report_figures *figures = &report->cpus[i].figures;

		mean_add(&floor, report->cpus[i].idle_floor_ratio);
		longest = fmax(longest, figures->longest_interruption_seconds);
		if (isnan(figures->mean_interruption_seconds))
			continue;
		length += figures->mean_interruption_seconds * figures->interruptions_per_second;
		rate += figures->interruptions_per_second;
	}
	report->idle_floor_ratio = mean_value(&floor);
	report->figures.mean_interruption_seconds = rate > 0 ? length / rate : NAN;
	report->figures.longest_interruption_seconds = longest;
}

static int trim_report(struct report *report, const struct sampler *sampler,
		       const struct calibration_cpu *baselines,
		       const struct report_request *request, const struct stretch *stretch,
		       double *scratch)
{
	size_t n = collect_all(&sampler->history, stretch, baselines, request->selected, scratch);
	double trimmed;
	int r = load_trimmed(scratch, n, &request->trim, &trimmed);

	if (r < 0)
		return r;
	report->n_invalid = report->n_samples - n;
	report->is_short = isnan(trimmed);
	report->n_cut = report->is_short ? 0 : 2 * trim_cut(&request->trim, n);
	report->n_kept = n - report->n_cut;
	report->figures.load_ratio =
		report->is_short ? report->figures.untrimmed_load_ratio : trimmed;
	return 0;
}

/* What the samples themselves, not their CPUs, sum up to. */
static void sum_samples(const struct history *history, const struct stretch *stretch,
			struct report *report)
{
	const struct cpu_sample *cpus;

	for (uint64_t seq = stretch->first; seq < stretch->end; seq++) {
		const struct sample *sample = history_get(history, seq, &cpus);

		report->elapsed_ns += sample->elapsed_ns;
		report->n_missed += sample->missed_ticks;
	}
}

int report_compute(const struct sampler *sampler, const struct calibration_cpu *baselines,
		   const struct report_request *request, struct report *ret)
{
	struct report report = {.begin_ns = request->begin_ns, .end_ns = request->end_ns};
	struct stretch stretch = find_stretch(&sampler->history, request, &report.samples_lost);
	cleanup(freep) double *scratch = NULL;
	int r = 0;

	report.n_samples = (size_t)(stretch.end - stretch.first);
	if (report.n_samples == 0 && !request->exact)
		return -ENODATA;
	scratch = calloc(report.n_samples + 1, sizeof(*scratch));
	report.cpus = calloc(sampler->n_cpus, sizeof(*report.cpus));
	if (!scratch || !report.cpus) {
		report_fini(&report);
		return -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < sampler->n_cpus; i++)
		if (request->selected[i])
			r = report_one_cpu(sampler, &baselines[i], request, &stretch, i, scratch,
					   &report.cpus[report.n_cpus++]);
	average_cpus(&report);
	if (r == 0)
		r = trim_report(&report, sampler, baselines, request, &stretch, scratch);
	if (r < 0) {
		report_fini(&report);
		return r;
	}
	sum_samples(&sampler->history, &stretch, &report);
	if (request->exact)
		report.elapsed_ns = request->end_ns - request->begin_ns;
	*ret = report;
	return 0;
}

void report_fini(struct report *report)
{
	free(report->cpus);
	report->cpus = NULL;
	report->n_cpus = 0;
}
