/* SPDX-License-Identifier: MIT */
/*
 * What somebody has to know who reads a comparison: each a condition and a sentence.
 */
#pragma once

#include <jansson.h>

#include "comparison.h"

/* Set "notes" of a metric's result. Return: 0 or -ENOMEM. */
int comparison_note_metric(const struct sides *sides, const struct comparison_options *options,
			   const struct metric *metric, size_t second, json_t *result);

/* Fill "notes" of a pair. Return: 0 or -ENOMEM. */
int comparison_note_pair(const struct sides *sides, double confidence, size_t second, json_t *pair);
