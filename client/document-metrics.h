/* SPDX-License-Identifier: MIT */
/*
 * The command's own numbers in a document: "metrics" and "work" of a side and of its runs.
 *
 * A run has null for what was not found, and "metric_notes", sentences that say why. Those of its
 * numbers that are ratios it has in "metric_units" as well: a journal ends without the side's last
 * word on its units.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "extract.h"
#include "metric-options.h"

/* Set the members of a side that has no run yet. Return: 0 or -ENOMEM. */
int document_metrics_begin(json_t *side, const struct metric_options *options);

/*
 * Return: whether runs that are made for side @more can be added to @side: the same metrics, in the
 * same order, and the same work.
 */
bool document_metrics_fit(const json_t *side, const json_t *more);

/*
 * Set the members of @run, which is to be the next of @side.
 *
 * @values: one for each of the side's metrics, in their order
 * @run: has taken_cpu_seconds, if they were measured
 *
 * A metric's unit is that of its first number; a number of the other unit does not count.
 *
 * Return: 0 or -ENOMEM.
 */
int document_metrics_add(json_t *side, const struct extract_value *values, json_t *run);

/* Take over into @side what a journal's @run knows of units. Return: 0 or -ENOMEM. */
int document_metrics_recover(json_t *side, const json_t *run);
