/* SPDX-License-Identifier: MIT */
/*
 * soakctl ab: two commands measured in turns, so that what drifts is in both alike.
 *
 * Runs come in blocks of A B B A, every second one B A A B: a linear drift cancels inside a block.
 * What is tested is the difference of each block.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "column.h"
#include "commands.h"
#include "comparison.h"
#include "htest.h"
#include "json.h"
#include "number.h"
#include "print-compare.h"
#include "run-options.h"
#include "series.h"
#include "side.h"
#include "sides.h"

#define PROGRAM	       "soakctl ab"
#define RUNS_PER_BLOCK 4 /* two of each side */
#define LEAST_BLOCKS   3 /* before --until-ci may end it: two have next to no spread */
#define CONFIDENCE     0.95

enum side {
	A,
	B,
};

static const enum side orders[][RUNS_PER_BLOCK] = {{A, B, B, A}, {B, A, A, B}};
static const char *const order_names[] = {"ABBA", "BAAB"};

#define N_ORDERS (sizeof(orders) / sizeof(orders[0]))

static int find_load(struct metric *ret)
{
	return metric_find("load", NULL, 0, ret);
}

static int blocks_of(const struct series *series, struct column *ret)
{
	struct metric load;
	int r = find_load(&load);

	return r < 0 ? r
		     : column_of_blocks(&load, series_side(series, A), series_side(series, B), ret);
}

/* Say before anything runs when it will end. */
static void state_rule(const struct run_options *options)
{
	if (options->until_ci.kind == EFFECT_NONE || options->quiet)
		return;
	(void)fprintf(stderr,
		      PROGRAM ": ends when the interval of the change of the load is within +-%s "
			      "of it,\nafter %d blocks at the earliest and %llu runs each at the "
			      "latest\n",
		      options->until_ci_text, LEAST_BLOCKS, (unsigned long long)options->n_runs);
}

/* Return: whether the rule of --until-ci is met; it looks at nothing but how wide the interval is.
 */
static bool is_narrow_enough(const struct series *series)
{
	const struct run_options *options = series->sides;
	struct column blocks;
	struct metric load;
	struct htest test;
	size_t n_blocks;

	if (options->until_ci.kind == EFFECT_NONE || find_load(&load) < 0 ||
	    blocks_of(series, &blocks) < 0)
		return false;
	n_blocks = blocks.n;
	test = htest_paired(blocks.values, n_blocks, CONFIDENCE);
	column_fini(&blocks);
	if (n_blocks < LEAST_BLOCKS)
		return false;
	return (test.ci_high - test.ci_low) / 2 <=
	       effect_size(
		       &options->until_ci, &load,
		       side_summarise(json_object_get(series_side(series, A), "runs"), "load_ratio")
			       .mean);
}

static int run_block(struct series *series, size_t block)
{
	size_t done[] = {2 * block, 2 * block};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RUNS_PER_BLOCK; i++) {
		enum side side = orders[block % N_ORDERS][i];

		r = series_run(series, side, ++done[side], series->sides->n_runs, false);
	}
	return r;
}

static int run_all(struct series *series)
{
	const struct run_options *options = series->sides;
	int r = run_options_empty_output(options);

	for (uint64_t i = 1; r == 0 && i <= options->n_warmups; i++) {
		r = series_run(series, A, i, options->n_warmups, true);
		if (r == 0)
			r = series_run(series, B, i, options->n_warmups, true);
	}
	for (size_t block = 0; r == 0 && block < options->n_runs / 2; block++) {
		r = run_block(series, block);
		if (r != 0 || block + 1 == options->n_runs / 2 || !is_narrow_enough(series))
			continue;
		(void)json_object_set_new(series->document, "stopped_by",
					  json_sprintf("--until-ci %s", options->until_ci_text));
		break;
	}
	return r;
}

static void print_blocks(FILE *file, const struct series *series)
{
	const json_t *a = series_side(series, A), *b = series_side(series, B);
	struct metric load;

	if (find_load(&load) < 0)
		return;
	(void)fprintf(file, "CPU load, %%, means of a block's two runs\n");
	(void)fprintf(file, "  block  order        A       B    B - A\n");
	for (size_t i = 0; 2 * i < json_array_size(json_object_get(a, "runs")); i++) {
		double first = column_block_mean(&load, a, i) * 100,
		       second = column_block_mean(&load, b, i) * 100;

		(void)fprintf(file, "  %5zu  %s   %6s  %6s   %6s\n", i + 1,
			      order_names[i % N_ORDERS], number_format(first, 2).text,
			      number_format(second, 2).text,
			      number_format_signed(second - first, 2).text);
	}
	(void)fputc('\n', file);
}

/* Compare the sides of the document as soakctl compare does. NULL on lack of memory. */
static json_t *compare(const struct series *series, struct sides *sides)
{
	static const char *const path = "-";
	struct comparison_options options = {.confidence = CONFIDENCE};
	json_t **documents = calloc(1, sizeof(json_t *));
	cleanup(freep) struct metric *metrics = NULL;

	if (!documents)
		return NULL;
	documents[0] = json_incref(series->document);
	if (sides_take(documents, &path, 1, NULL, sides) < 0 ||
	    metric_defaults(sides->sides, sides->n, &metrics, &options.n_metrics) < 0)
		return NULL;
	options.metrics = metrics;
	return comparison_new(sides, &options);
}

static void print(FILE *file, const struct series *series)
{
	cleanup(sides_fini) struct sides sides = {0};
	json_t *comparison = compare(series, &sides);

	if (!comparison) {
		(void)fprintf(stderr, PROGRAM ": out of memory\n");
		return;
	}
	if (series->sides->quiet) {
		print_compare_quiet(file, comparison);
	} else {
		print_blocks(file, series);
		print_compare_text(file, comparison);
	}
	json_decref(comparison);
}

int run_ab(int argc, char **argv)
{
	struct run_options sides[2];
	struct series series;
	int status = run_options_parse_ab(argc, argv, sides);

	if (status == 0) {
		state_rule(sides);
		status = series_open(&series, PROGRAM, sides, 2, "abba");
		if (status == 0)
			status = series_end(&series, run_all(&series), print);
		series_close(&series);
	}
	run_options_fini(&sides[0]);
	return status;
}
