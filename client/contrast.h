/* SPDX-License-Identifier: MIT */
/*
 * One metric of two sides: the values, the test and what comes of it.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "comparison.h"
#include "metric.h"
#include "sides.h"

/*
 * Compare one metric of side 0 and side @second.
 *
 * @ret_result: a "metric" of a comparison document, without its notes; a new reference
 *
 * Return: 0 or -ENOMEM.
 */
int contrast_metric(const struct sides *sides, const struct comparison_options *options,
		    const struct metric *metric, size_t second, json_t **ret_result);
