/* SPDX-License-Identifier: MIT */
/*
 * The values that enter a test: one a run, or one a boot where both sides have several boots.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "metric.h"

struct column {
	double *values; /* [n], owned */
	size_t n;
};

void column_fini(struct column *column);

/* The values of a side's good runs. Return: 0 or -ENOMEM. */
int column_of_runs(const struct metric *metric, const json_t *side, struct column *ret);

/*
 * The mean of each boot's good runs, in the order in which the boots came: runs of one boot share
 * what differs between boots and are no independent evidence of it.
 *
 * Return: 0 or -ENOMEM.
 */
int column_of_boots(const struct metric *metric, const json_t *side, struct column *ret);

/*
 * The difference of each block A B B A of two sides that were measured so: the mean of its two
 * second runs minus that of its two first ones. A linear drift cancels out. Blocks with a run that
 * failed are left out.
 *
 * Return: 0 or -ENOMEM.
 */
int column_of_blocks(const struct metric *metric, const json_t *first, const json_t *second,
		     struct column *ret);

/* Return: the mean of a side's two runs of block @block; NaN where one failed or is missing. */
double column_block_mean(const struct metric *metric, const json_t *side, size_t block);
