/* SPDX-License-Identifier: MIT */
/*
 * What two sides can be compared by: figures that soakctl measures, and numbers of the command's
 * own or of an imported log.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum metric_better {
	METRIC_BETTER_UNKNOWN,
	METRIC_BETTER_LOWER,
	METRIC_BETTER_HIGHER,
};

struct metric {
	const char *name;  /* "load"; what --metric takes */
	const char *title; /* for people: "CPU load" */
	const char *unit;  /* "ratio" (0..1, shown in percent), "s", "us", "" */
	enum metric_better better;
	const char *member; /* of a run; NULL: `name` in the run's "metrics" */
	int decimals;	    /* as many as its values have behind the point, as shown */
};

/* The names that --metric always knows, for help. */
extern const char *const metric_names;

/*
 * Find a metric by its name: soakctl's, or the sides' own where no run has soakctl's.
 *
 * @sides: [n_sides], borrowed: @ret points into them
 *
 * Return: 0; -ENOENT when none has it.
 */
int metric_find(const char *name, json_t *const *sides, size_t n_sides, struct metric *ret);

/*
 * The metrics to compare when none was asked for: load, hidden, us_per_mib, us_per_work and
 * elapsed so far as all good runs of the sides have them, then all of the sides' own.
 *
 * @ret_metrics: [*ret_n], free() it; they point into the sides
 *
 * Return: 0 or -ENOMEM.
 */
int metric_defaults(json_t *const *sides, size_t n_sides, struct metric **ret_metrics,
		    size_t *ret_n);

/* Return: whether the metric is a ratio, shown in percent and compared in percentage points. */
bool metric_is_ratio(const struct metric *metric);

/* Return: by what a value is multiplied where a person reads it. */
double metric_scale(const struct metric *metric);

/* Return: the value of a run; NaN when the run failed or has none. */
double metric_of_run(const struct metric *metric, const json_t *run);

/*
 * Collect the values of a side's good runs, in order.
 *
 * @ret_values: [*ret_n], free() it
 *
 * Return: 0 or -ENOMEM.
 */
int metric_values(const struct metric *metric, const json_t *side, double **ret_values,
		  size_t *ret_n);
