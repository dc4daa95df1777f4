/* SPDX-License-Identifier: MIT */
/*
 * See column.h.
 */
#include "column.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "json.h"

void column_fini(struct column *column)
{
	free(column->values);
	*column = (struct column){0};
}

int column_of_runs(const struct metric *metric, const json_t *side, struct column *ret)
{
	return metric_values(metric, side, &ret->values, &ret->n);
}

/* The place of a boot among those that were seen, which are counted in @seen. */
static size_t place_of_boot(json_t *seen, const char *boot)
{
	size_t n = json_object_size(seen);
	size_t place = (size_t)json_get_integer(seen, boot, (json_int_t)n);

	if (place == n)
		(void)json_object_set_new(seen, boot, json_integer((json_int_t)n));
	return place;
}

int column_of_boots(const struct metric *metric, const json_t *side, struct column *ret)
{
	const json_t *runs = json_object_get(side, "runs"), *run;
	double *sums = calloc(json_array_size(runs) + 1, sizeof(*sums));
	cleanup(freep) double *counts = calloc(json_array_size(runs) + 1, sizeof(*counts));
	json_t *seen = json_object();
	size_t index, n;

	if (!sums || !counts || !seen) {
		free(sums);
		json_decref(seen);
		return -ENOMEM;
	}
	json_array_foreach (runs, index, run) {
		const char *boot = json_get_string(run, "boot_id");
		double value = metric_of_run(metric, run);

		if (boot && !isnan(value)) {
			size_t place = place_of_boot(seen, boot);

			sums[place] += value;
			counts[place]++;
		}
	}
	n = json_object_size(seen);
	for (size_t i = 0; i < n; i++)
		sums[i] /= counts[i];
	json_decref(seen);
	*ret = (struct column){sums, n};
	return 0;
}

double column_block_mean(const struct metric *metric, const json_t *side, size_t block)
{
	const json_t *runs = json_object_get(side, "runs");

	return (metric_of_run(metric, json_array_get(runs, 2 * block)) +
		metric_of_run(metric, json_array_get(runs, 2 * block + 1))) /
	       2;
}

int column_of_blocks(const struct metric *metric, const json_t *first, const json_t *second,
		     struct column *ret)
{
	size_t n_blocks = json_array_size(json_object_get(first, "runs")) / 2, n = 0;
	double *values = calloc(n_blocks + 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < n_blocks; i++) {
		/* NaN where a run failed or is missing. */
		values[n] =
			column_block_mean(metric, second, i) - column_block_mean(metric, first, i);
		n += isnan(values[n]) ? 0 : 1;
	}
	*ret = (struct column){values, n};
	return 0;
}
