/* SPDX-License-Identifier: MIT */
/*
 * See side.h.
 */
#include "side.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "json.h"

/* Trimmed and untrimmed loads that differ by less than these say nothing of bursts. */
#define LEAST_TRIM_GAP_RATIO 0.0005
#define TRIM_GAP_SDS	     3
#define TRIM_GAP_SHARE	     0.05

/* The figures of a run that a side has a mean of. */
static const char *const figures[] = {
	"load_ratio",
	"untrimmed_load_ratio",
	"taken_ratio",
	"slowed_ratio",
	"lost_ratio",
	"accounted_ratio",
	"unaccounted_ratio",
	"background_ratio",
	"background_before_ratio",
	"background_after_ratio",
	"steal_ratio",
	"taken_cpu_seconds",
	"command_cpu_seconds",
	"hidden_cpu_seconds",
	"cpu_microseconds_per_mib",
	"cpu_microseconds_per_work",
	"read_bytes",
	"written_bytes",
	"interruptions_per_second",
	"mean_interruption_seconds",
	"elapsed_seconds",
	"idle_floor_ratio",
};

/* Collect the number @name of every good run: its member, or a member of its member @inside. */
static int collect(const json_t *runs, const char *inside, const char *name, double **ret_values,
		   size_t *ret_n)
{
	double *values = calloc(json_array_size(runs) + 1, sizeof(*values));
	const json_t *run;
	size_t index, n = 0;

	if (!values)
		return -ENOMEM;
	json_array_foreach (runs, index, run) {
		const json_t *object = inside ? json_object_get(run, inside) : run;
		double value = json_get_number(object, name);

		if (json_is_false(json_object_get(run, "failed")) && !isnan(value))
			values[n++] = value;
	}
	*ret_values = values;
	*ret_n = n;
	return 0;
}

int side_values(const json_t *runs, const char *name, double **ret_values, size_t *ret_n)
{
	return collect(runs, NULL, name, ret_values, ret_n);
}

static struct stats_summary summarise(const json_t *runs, const char *inside, const char *name)
{
	cleanup(freep) double *values = NULL;
	size_t n = 0;

	if (collect(runs, inside, name, &values, &n) < 0)
		return stats_summarise(NULL, 0, SIDE_CONFIDENCE);
	return stats_summarise(values, n, SIDE_CONFIDENCE);
}

struct stats_summary side_summarise(const json_t *runs, const char *name)
{
	return summarise(runs, NULL, name);
}

struct stats_summary side_summarise_metric(const json_t *runs, const char *name)
{
	return summarise(runs, "metrics", name);
}

double side_detectable(const struct stats_summary *summary, size_t n)
{
	if (n < 2 || !(summary->sd > 0))
		return (double)NAN;
	return stats_detectable_effect(n, SIDE_POWER, SIDE_ALPHA) * summary->sd;
}

double side_trim_gap(const json_t *runs)
{
	struct stats_summary load = side_summarise(runs, "load_ratio");
	double gap = side_summarise(runs, "untrimmed_load_ratio").mean - load.mean;
	double noise = fmax(LEAST_TRIM_GAP_RATIO, TRIM_GAP_SHARE * fabs(load.mean));

	if (load.n >= 2)
		noise = fmax(noise, TRIM_GAP_SDS * load.sd);
	return isfinite(gap) && fabs(gap) > noise ? gap : 0;
}

static json_t *summary_to_json(const struct stats_summary *summary)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "mean", json_number(summary->mean), "sd",
			 json_number(summary->sd), "ci_low", json_number(summary->ci_low),
			 "ci_high", json_number(summary->ci_high), "n", (json_int_t)summary->n);
}

/* The first run names them: all runs of a side have the same. */
static json_t *metrics_summary_new(const json_t *runs)
{
	json_t *object = json_object(), *value;
	const char *name;
	int r = 0;

	json_object_foreach (json_object_get(json_array_get(runs, 0), "metrics"), name, value) {
		struct stats_summary summary = side_summarise_metric(runs, name);

		r |= json_object_set_new(object, name, summary_to_json(&summary));
	}
	if (r != 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *side_summary_new(const json_t *runs)
{
	struct stats_summary load = side_summarise(runs, "load_ratio");
	json_t *object = json_object();
	int r = 0;

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		struct stats_summary summary = side_summarise(runs, figures[i]);

		r |= json_object_set_new(object, figures[i], summary_to_json(&summary));
	}
	r |= json_object_set_new(object, "metrics", metrics_summary_new(runs));
	r |= json_object_set_new(object, "detectable_load_ratio",
				 json_number(side_detectable(&load, load.n)));
	if (r != 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}
