/* SPDX-License-Identifier: MIT */
/*
 * See observer.h.
 */
#include "observer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "facts.h"
#include "json.h"
#include "number.h"
#include "side.h"
#include "stats.h"

#define LABEL 19

static json_t *paused_runs_of(json_t *side)
{
	json_t *observer = json_object_get(side, "observer");

	if (!observer) {
		observer = json_pack("{s:[]}", "paused_runs");
		if (json_object_set_new(side, "observer", observer) == -1)
			return NULL;
	}
	return json_object_get(observer, "paused_runs");
}

static int add(json_t *side, const struct run_record *record)
{
	double elapsed = json_get_number(record->report, "elapsed_seconds");
	const struct timeval *user = &record->usage.ru_utime, *system = &record->usage.ru_stime;
	double cpu = (double)(user->tv_sec + system->tv_sec) +
		     (double)(user->tv_usec + system->tv_usec) / 1e6;

	return json_array_append_new(paused_runs_of(side),
				     json_pack("{s:o, s:o, s:b}", "elapsed_seconds",
					       json_number(elapsed), "command_cpu_seconds",
					       json_number(cpu), "failed",
					       !run_record_is_good(record))) == -1
		       ? -ENOMEM
		       : 0;
}

int observer_run(struct series *series, uint64_t index, uint64_t n)
{
	return series_run_unwatched(series, index, n, add);
}

/* Return: elapsed time of run @index of @runs; NaN when it failed or is missing. */
static double elapsed_of(const json_t *runs, size_t index)
{
	const json_t *run = json_array_get(runs, index);

	return json_is_false(json_object_get(run, "failed"))
		       ? json_get_number(run, "elapsed_seconds")
		       : (double)NAN;
}

int observer_finish(json_t *side)
{
	json_t *observer = json_object_get(side, "observer");
	const json_t *runs = json_object_get(side, "runs");
	const json_t *paused = json_object_get(observer, "paused_runs");
	cleanup(freep) double *logs = calloc(json_array_size(paused) + 1, sizeof(*logs));
	struct stats_summary summary;
	size_t n = 0;

	if (!observer)
		return 0;
	if (!logs)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(paused); i++) {
		logs[n] = log(elapsed_of(runs, i) / elapsed_of(paused, i));
		n += isfinite(logs[n]) ? 1 : 0;
	}
	summary = stats_summarise(logs, n, SIDE_CONFIDENCE);
	return json_object_set_new(
		       observer, "elapsed_ratio",
		       json_pack("{s:o, s:o, s:o, s:I}", "mean", json_number(exp(summary.mean)),
				 "ci_low", json_number(exp(summary.ci_low)), "ci_high",
				 json_number(exp(summary.ci_high)), "n", (json_int_t)n)) == -1
		       ? -ENOMEM
		       : 0;
}

void observer_print(FILE *file, const json_t *side)
{
	const json_t *ratio = json_object_get(json_object_get(side, "observer"), "elapsed_ratio");
	int64_t n = json_get_integer(ratio, "n", 0);

	if (!ratio)
		return;
	if (n == 0)
		facts_print_fact(file, 2, LABEL, "observer", "-  no run has a twin");
	else if (n == 1)
		facts_print_fact(file, 2, LABEL, "observer",
				 "%s times as long with soakers as without  one pair: no interval",
				 number_format(json_get_number(ratio, "mean"), 3).text);
	else
		facts_print_fact(file, 2, LABEL, "observer",
				 "%s times as long with soakers as without  [%s, %s], %lld pairs",
				 number_format(json_get_number(ratio, "mean"), 3).text,
				 number_format(json_get_number(ratio, "ci_low"), 3).text,
				 number_format(json_get_number(ratio, "ci_high"), 3).text,
				 (long long)n);
}
