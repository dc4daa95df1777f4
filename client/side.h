/* SPDX-License-Identifier: MIT */
/*
 * From runs to a side: every figure's mean, spread and interval over the runs that count.
 *
 * Works on the documents' own form of runs, so that a side can be summarised again from a file.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "stats.h"

#define SIDE_CONFIDENCE 0.95
#define SIDE_ALPHA	0.05
#define SIDE_POWER	0.80

/*
 * Collect the member @name of every good run.
 *
 * @runs: an array of runs as in a document
 * @ret_values: [*ret_n], free() it; runs in which it is null are left out
 *
 * Return: 0 or -ENOMEM.
 */
int side_values(const json_t *runs, const char *name, double **ret_values, size_t *ret_n);

/* Summarise one member over the good runs. What does not exist is NaN. */
struct stats_summary side_summarise(const json_t *runs, const char *name);

/* As side_summarise(), of the command's own number @name. */
struct stats_summary side_summarise_metric(const json_t *runs, const char *name);

/*
 * Return: the smallest difference of mean loads that two sides of @n runs each, with this spread,
 * show with probability SIDE_POWER at significance SIDE_ALPHA; NaN below two runs or without
 * spread.
 */
double side_detectable(const struct stats_summary *summary, size_t n);

/*
 * Return: by how much the untrimmed mean load is above the trimmed one, when that is more than the
 * noise of the runs: above 0 the load comes in bursts, below 0 it has pauses; else 0.
 */
double side_trim_gap(const json_t *runs);

/*
 * Return: a new object with a summary of every figure, and in "metrics" of every number that the
 * runs call their own; NULL on lack of memory.
 */
json_t *side_summary_new(const json_t *runs);
