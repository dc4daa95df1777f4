/* SPDX-License-Identifier: MIT */
/*
 * See unfinished.h.
 */
#include "unfinished.h"

#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "json.h"
#include "stats.h"

static double mean_of(const json_t *column)
{
	cleanup(freep) double *values = calloc(json_array_size(column) + 1, sizeof(*values));
	const json_t *cell;
	size_t index, n = 0;

	json_array_foreach (column, index, cell)
		if (values && json_is_number(cell))
			values[n++] = json_number_value(cell);
	return values ? stats_mean(values, n) : (double)NAN;
}

/* Return: how long it is known to have run; NaN without samples. */
static double elapsed_of(const json_t *begun, const struct samples *samples)
{
	const json_t *ends = json_object_get(samples->columns, "monotonic_seconds");

	if (samples->n == 0)
		return (double)NAN;
	return json_number_value(json_array_get(ends, samples->n - 1)) -
	       json_get_number(begun, "monotonic_seconds");
}

json_t *unfinished_run_new(const json_t *begun, size_t run_index, const struct samples *samples)
{
	double load = mean_of(json_object_get(samples->columns, "load_ratio"));

	return json_pack("{s:I, s:b, s:b, s:o, s:o, s:o, s:b, s:n, s:n, s:O?, s:O}", "run_index",
			 (json_int_t)run_index, "failed", 1, "incomplete", 1, "load_ratio",
			 json_number(load), "untrimmed_load_ratio", json_number(load),
			 "elapsed_seconds", json_number(elapsed_of(begun, samples)), "short", 1,
			 "exit_status", "signal", "start", json_object_get(begun, "time"),
			 "samples", samples->columns);
}
