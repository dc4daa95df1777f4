/* SPDX-License-Identifier: MIT */
/*
 * The verdict on one metric as sentences for people.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/*
 * Write the verdict and what these runs could have shown; or why there is no verdict.
 *
 * @comparison: the document (comparison.h); @pair: one of its "pairs"; @metric: one of the pair's
 */
void compare_write_verdict(FILE *stream, const json_t *comparison, const json_t *pair,
			   const json_t *metric);
