/* SPDX-License-Identifier: MIT */
/*
 * See report-json.h. Every measured number goes through json_number(), as json_pack() makes nothing
 * at all of a NaN.
 */
#include "report-json.h"

#include "clock.h"
#include "json.h"
#include "notes.h"
#include "timestamp.h"

static const struct {
	enum sample_flag flag;
	const char *name;
} flag_names[] = {
	{SAMPLE_RESTARTED, "soaker-restarted"},
	{SAMPLE_MIGRATED, "soaker-migrated"},
	{SAMPLE_OFFLINE, "offline"},
	{SAMPLE_SUSPENDED, "suspended"},
	{SAMPLE_PAUSED, "paused"},
};

static json_t *flags_to_json(uint32_t flags)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (flags & flag_names[i].flag)
			(void)json_array_append_new(list, json_string(flag_names[i].name));
	return list;
}

static json_t *cpu_sample_to_json(int cpu, const struct cpu_sample *sample,
				  const struct calibration_cpu *baseline)
{
	struct load_counts counts = cpu_sample_counts(sample);
	struct load_baseline against = report_baseline(baseline);
	struct load_ratios ratios = load_compute(&counts, &against);

	return json_pack("{s:i, s:f, s:I, s:o, s:o, s:o, s:o, s:I, s:f, s:b, s:o}", "cpu", cpu,
			 "elapsed_seconds", (double)sample->elapsed_ns / 1e9, "passes",
			 (json_int_t)sample->passes, "taken_ratio", json_number(ratios.taken),
			 "load_ratio", json_number(ratios.load), "slowed_ratio",
			 json_number(ratios.slowed), "lost_ratio", json_number(ratios.lost),
			 "interruptions", (json_int_t)sample->gaps, "longest_seconds",
			 (double)sample->longest_gap_ns / 1e9, "valid", sample->flags == 0, "flags",
			 flags_to_json(sample->flags));
}

static double interruptions_per_second(const struct cpu_sample *cpus, size_t n,
				       const bool *selected)
{
	struct load_counts sum = {0};

	for (size_t i = 0; i < n; i++) {
		struct load_counts counts = cpu_sample_counts(&cpus[i]);

		if (cpus[i].flags == 0 && (!selected || selected[i]))
			load_counts_add(&sum, &counts);
	}
	return (double)sum.gaps / ((double)sum.elapsed_ns / 1e9);
}

json_t *sample_to_json(const struct daemon *daemon, const struct sample *sample,
		       const struct cpu_sample *cpus, const bool *selected)
{
	const struct sampler *sampler = &daemon->sampler;
	struct load_ratios ratios =
		report_sample_ratios(cpus, daemon->calibration.cpus, sampler->n_cpus, selected);
	char time[TIMESTAMP_SIZE];
	json_t *list = json_array();

	for (size_t i = 0; i < sampler->n_cpus; i++)
		if ((!selected || selected[i]) && !(cpus[i].flags & SAMPLE_OFFLINE))
			(void)json_array_append_new(
				list, cpu_sample_to_json(sampler->cpus[i].cpu, &cpus[i],
							 &daemon->calibration.cpus[i]));
	timestamp_format(sample->wall_ns, time);
	return json_pack("{s:I, s:s, s:f, s:f, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "seq",
			 (json_int_t)sample->seq, "time", time, "monotonic_seconds",
			 (double)sample->monotonic_ns / 1e9, "elapsed_seconds",
			 (double)sample->elapsed_ns / 1e9, "late_seconds",
			 (double)sample->late_ns / 1e9, "missed_ticks",
			 (json_int_t)sample->missed_ticks, "load_ratio", json_number(ratios.load),
			 "taken_ratio", json_number(ratios.taken), "slowed_ratio",
			 json_number(ratios.slowed), "lost_ratio", json_number(ratios.lost),
			 "interruptions_per_second",
			 json_number(interruptions_per_second(cpus, sampler->n_cpus, selected)),
			 "cpus", list);
}

static json_t *figures_to_json(const struct report_figures *figures)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "load_ratio",
		json_number(figures->load_ratio), "untrimmed_load_ratio",
		json_number(figures->untrimmed_load_ratio), "taken_ratio",
		json_number(figures->taken_ratio), "slowed_ratio",
		json_number(figures->slowed_ratio), "lost_ratio", json_number(figures->lost_ratio),
		"interruptions_per_second", json_number(figures->interruptions_per_second),
		"mean_interruption_seconds", json_number(figures->mean_interruption_seconds),
		"longest_interruption_seconds", json_number(figures->longest_interruption_seconds));
}

static json_t *report_cpus_to_json(const struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->n_cpus; i++) {
		json_t *cpu = figures_to_json(&report->cpus[i].figures);

		(void)json_object_set_new(cpu, "cpu", json_integer(report->cpus[i].cpu));
		(void)json_object_set_new(cpu, "idle_floor_ratio",
					  json_number(report->cpus[i].idle_floor_ratio));
		(void)json_array_append_new(list, cpu);
	}
	return list;
}

/* The wall clock's time at a moment of CLOCK_MONOTONIC, by the present difference of the two. */
static void format_moment(uint64_t monotonic_ns, char ret[TIMESTAMP_SIZE])
{
	int64_t ago_ns = (int64_t)(clock_now_ns(CLOCK_MONOTONIC) - monotonic_ns);

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME) - ago_ns, ret);
}

json_t *report_to_json(const struct daemon *daemon, const struct report *report,
		       const struct trim *trim)
{
	char begin[TIMESTAMP_SIZE], end[TIMESTAMP_SIZE];
	json_t *object = figures_to_json(&report->figures), *rest;

	format_moment(report->begin_ns, begin);
	format_moment(report->end_ns, end);
	rest = json_pack(
		"{s:s, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:b, s:b, s:o, s:I, s:I, s:o, s:o}",
		"start", begin, "end", end, "elapsed_seconds", (double)report->elapsed_ns / 1e9,
		"interval_seconds", (double)daemon->config.interval_ns / 1e9, "samples",
		(json_int_t)report->n_samples, "samples_kept", (json_int_t)report->n_kept,
		"samples_cut", (json_int_t)report->n_cut, "samples_invalid",
		(json_int_t)report->n_invalid, "short", report->is_short, "samples_lost",
		report->samples_lost, "idle_floor_ratio", json_number(report->idle_floor_ratio),
		"missed_ticks", (json_int_t)report->n_missed, "late_ticks",
		(json_int_t)daemon->sampler.late_ticks, "cpus", report_cpus_to_json(report),
		"notes", notes_new(daemon));
	if (!rest || json_object_update(object, rest) == -1 || json_set_trim(object, trim) == -1) {
		json_decref(object);
		object = NULL;
	}
	json_decref(rest);
	return object;
}
