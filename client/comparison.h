/* SPDX-License-Identifier: MIT */
/*
 * Sides against the first of them, metric by metric: as one JSON document that every format of
 * `soakctl compare` and `soakctl ab` is printed from.
 *
 *   {"schema_version", "kind": "comparison", "tool", "time", "confidence", "paired", "stopped_by",
 *    "sides": [{"name", "file", "command", "kernel", "runs", "failed_runs", "boots", "time"}],
 *    "pairs": [{"first": 0, "second": 1, "unlike", "differences": [...], "notes": [TEXT...],
 *               "metrics": [{"name", "title", "unit", "better", "decimals", "min_effect", "first",
 *                            "second", "test", "replicate", "difference", "ci_low", "ci_high",
 *                            "relative", "t", "df", "p", "rank_p", "verdict", "obstacle",
 *                            "detectable", "replicates_needed", "notes": [TEXT...]}]}]}
 *
 * "first" and "second" of a metric are {"mean", "sd", "ci_low", "ci_high", "n", "values"}; values
 * are in the metric's unit, ratios 0..1, the difference is second minus first.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "effect.h"
#include "metric.h"
#include "sides.h"

struct comparison_options {
	const struct metric *metrics; /* [n_metrics] */
	size_t n_metrics;
	double confidence; /* 0..1 */
	struct effect min_effect;
	bool robust;
};

/* Return: a new document; NULL on lack of memory. At least two sides. */
json_t *comparison_new(const struct sides *sides, const struct comparison_options *options);

/* The words of "verdict" (null when there is none) and of "obstacle" (null when there is one). */
#define COMPARISON_MORE		       "more"
#define COMPARISON_LESS		       "less"
#define COMPARISON_NOT_DISTINGUISHABLE "not distinguishable"
#define COMPARISON_SAME_WITHIN	       "same within"

#define COMPARISON_NO_VALUES "no values"
#define COMPARISON_ONE_VALUE "one value"
#define COMPARISON_SAME_RUNS "same runs"
#define COMPARISON_EQUAL     "equal values"
#define COMPARISON_NO_SPREAD "no spread"
#define COMPARISON_TOO_LARGE "too large"

/* The note of a pair that is "unlike". */
#define COMPARISON_UNLIKE                                                                          \
	"these sides are of unlike machines or soakers (--force): what differs may be that"
