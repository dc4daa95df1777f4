/* SPDX-License-Identifier: MIT */
/*
 * The table of one metric of two sides, for a terminal: at most 72 columns of ASCII.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Print it. The names of a comparison (comparison.h) have to be short: see short-names.h. */
void compare_table_print(FILE *file, const json_t *comparison, const json_t *pair,
			 const json_t *metric);
