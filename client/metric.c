/* SPDX-License-Identifier: MIT */
/*
 * See metric.h.
 */
#include "metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "json.h"

#define RATIO "ratio"

/* In the order in which they are compared when none is asked for. */
static const struct {
	struct metric metric;
	bool by_default;
} known[] = {
	{{"load", "CPU load", RATIO, METRIC_BETTER_LOWER, "load_ratio", 4}, true},
	{{"untrimmed", "untrimmed CPU load", RATIO, METRIC_BETTER_LOWER, "untrimmed_load_ratio", 4},
	 false},
	{{"hidden", "hidden CPU time a run", "s", METRIC_BETTER_LOWER, "hidden_cpu_seconds", 6},
	 true},
	{{"unaccounted", "load that is not in /proc/stat", RATIO, METRIC_BETTER_UNKNOWN,
	  "unaccounted_ratio", 4},
	 false},
	{{"slowed", "slowed", RATIO, METRIC_BETTER_LOWER, "slowed_ratio", 4}, false},
	{{"us_per_mib", "CPU time for each MiB of I/O", "us", METRIC_BETTER_LOWER,
	  "cpu_microseconds_per_mib", 3},
	 true},
	{{"us_per_work", "CPU time for each unit of work", "us", METRIC_BETTER_LOWER,
	  "cpu_microseconds_per_work", 3},
	 true},
	{{"elapsed", "elapsed time", "s", METRIC_BETTER_LOWER, "elapsed_seconds", 6}, true},
	{{"cpu_seconds", "CPU time taken a run", "s", METRIC_BETTER_LOWER, "taken_cpu_seconds", 6},
	 false},
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))

/* Digits behind the point of the command's own numbers when nobody counted them. */
#define OWN_DECIMALS 9

const char *const metric_names =
	"load, untrimmed, hidden, unaccounted, slowed, us_per_mib, us_per_work, elapsed, "
	"cpu_seconds";

static enum metric_better read_better(const json_t *declaration)
{
	const char *better = json_get_string(declaration, "better");

	if (better && strcmp(better, "lower") == 0)
		return METRIC_BETTER_LOWER;
	if (better && strcmp(better, "higher") == 0)
		return METRIC_BETTER_HIGHER;
	return METRIC_BETTER_UNKNOWN;
}

/* Return: 0; -EINVAL when a side's declaration is none. */
static int read_own(const json_t *declaration, struct metric *ret)
{
	const char *name = json_get_string(declaration, "name");
	const char *unit = json_get_string(declaration, "unit");
	int decimals = (int)json_get_integer(declaration, "decimals", OWN_DECIMALS);

	if (!name)
		return -EINVAL;
	*ret = (struct metric){
		.name = name,
		.title = name,
		.unit = unit ? unit : "",
		.better = read_better(declaration),
		.decimals = decimals < 0 || decimals > OWN_DECIMALS ? OWN_DECIMALS : decimals,
	};
	return 0;
}

static int find_own(const char *name, json_t *const *sides, size_t n_sides, struct metric *ret)
{
	const json_t *declaration;
	struct metric metric;
	size_t index;

	for (size_t i = 0; i < n_sides; i++) {
		json_array_foreach (json_object_get(sides[i], "metrics"), index, declaration) {
			if (read_own(declaration, &metric) < 0 || strcmp(metric.name, name) != 0)
				continue;
			*ret = metric;
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * Return: whether every good run of all sides has a value: what a few runs have by accident, such
 * as a MiB of somebody's I/O, is no figure of the workload.
 */
static bool is_everywhere(const struct metric *metric, json_t *const *sides, size_t n_sides)
{
	const json_t *run;
	size_t index, n = 0;

	for (size_t i = 0; i < n_sides; i++) {
		json_array_foreach (json_object_get(sides[i], "runs"), index, run) {
			bool failed = json_is_true(json_object_get(run, "failed"));

			if (!failed && isnan(metric_of_run(metric, run)))
				return false;
			n += failed ? 0 : 1;
		}
	}
	return n > 0;
}

/* Return: whether any run has a value. */
static bool is_anywhere(const struct metric *metric, json_t *const *sides, size_t n_sides)
{
	const json_t *run;
	size_t index;

	for (size_t i = 0; i < n_sides; i++)
		json_array_foreach (json_object_get(sides[i], "runs"), index, run)
			if (!isnan(metric_of_run(metric, run)))
				return true;
	return false;
}

int metric_find(const char *name, json_t *const *sides, size_t n_sides, struct metric *ret)
{
	const struct metric *ours = NULL;

	for (size_t i = 0; i < N_KNOWN; i++)
		if (strcmp(known[i].metric.name, name) == 0)
			ours = &known[i].metric;
	/* A log's own "elapsed" is what is meant where soakctl has measured none. */
	if ((!ours || !is_anywhere(ours, sides, n_sides)) &&
	    find_own(name, sides, n_sides, ret) == 0)
		return 0;
	if (!ours)
		return -ENOENT;
	*ret = *ours;
	return 0;
}

static bool is_listed(const struct metric *metrics, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return true;
	return false;
}

static size_t count_own(json_t *const *sides, size_t n_sides)
{
	size_t n = 0;

	for (size_t i = 0; i < n_sides; i++)
		n += json_array_size(json_object_get(sides[i], "metrics"));
	return n;
}

static void add_own(const json_t *side, struct metric *metrics, size_t *n)
{
	const json_t *declaration;
	size_t index;

	json_array_foreach (json_object_get(side, "metrics"), index, declaration)
		if (read_own(declaration, &metrics[*n]) == 0 &&
		    !is_listed(metrics, *n, metrics[*n].name))
			(*n)++;
}

int metric_defaults(json_t *const *sides, size_t n_sides, struct metric **ret_metrics,
		    size_t *ret_n)
{
	struct metric *metrics = calloc(N_KNOWN + count_own(sides, n_sides), sizeof(*metrics));
	size_t n = 0;

	if (!metrics)
		return -ENOMEM;
	for (size_t i = 0; i < N_KNOWN; i++)
		if (known[i].by_default && is_everywhere(&known[i].metric, sides, n_sides))
			metrics[n++] = known[i].metric;
	for (size_t i = 0; i < n_sides; i++)
		add_own(sides[i], metrics, &n);
	*ret_metrics = metrics;
	*ret_n = n;
	return 0;
}

bool metric_is_ratio(const struct metric *metric)
{
	return strcmp(metric->unit, RATIO) == 0;
}

double metric_scale(const struct metric *metric)
{
	return metric_is_ratio(metric) ? 100 : 1;
}

double metric_of_run(const struct metric *metric, const json_t *run)
{
	if (json_is_true(json_object_get(run, "failed")))
		return (double)NAN;
	if (metric->member)
		return json_get_number(run, metric->member);
	return json_get_number(json_object_get(run, "metrics"), metric->name);
}

int metric_values(const struct metric *metric, const json_t *side, double **ret_values,
		  size_t *ret_n)
{
	const json_t *runs = json_object_get(side, "runs"), *run;
	double *values = calloc(json_array_size(runs) + 1, sizeof(*values));
	size_t index, n = 0;

	if (!values)
		return -ENOMEM;
	json_array_foreach (runs, index, run) {
		double value = metric_of_run(metric, run);

		if (!isnan(value))
			values[n++] = value;
	}
	*ret_values = values;
	*ret_n = n;
	return 0;
}
