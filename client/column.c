/* SPDX-License-Identifier: MIT */
/*
 * See column.h.
 */
#include "column.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Return: the mean over the good runs of boot @boot; NaN without. */
static double mean_of_boot(const struct metric *metric, const json_t *runs, const char *boot)
{
	const json_t *run;
	size_t index, n = 0;
	double sum = 0;

	json_array_foreach (runs, index, run) {
		const char *id = json_get_string(run, "boot_id");
		double value = metric_of_run(metric, run);

		if (!id || strcmp(id, boot) != 0 || isnan(value))
			continue;
		sum += value;
		n++;
	}
	return n ? sum / (double)n : (double)NAN;
}

/* Return: whether a run before @end is of the same boot. */
static bool is_seen(const json_t *runs, size_t end, const char *boot)
{
	for (size_t i = 0; i < end; i++) {
		const char *id = json_get_string(json_array_get(runs, i), "boot_id");

		if (id && strcmp(id, boot) == 0)
			return true;
	}
	return false;
}

int column_of_boots(const struct metric *metric, const json_t *side, struct column *ret)
{
	const json_t *runs = json_object_get(side, "runs"), *run;
	double *values = calloc(json_array_size(runs) + 1, sizeof(*values));
	size_t index, n = 0;

	if (!values)
		return -ENOMEM;
	json_array_foreach (runs, index, run) {
		const char *boot = json_get_string(run, "boot_id");

		if (!boot || is_seen(runs, index, boot))
			continue;
		values[n] = mean_of_boot(metric, runs, boot);
		n += isnan(values[n]) ? 0 : 1;
	}
	*ret = (struct column){values, n};
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
