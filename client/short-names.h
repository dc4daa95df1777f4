/* SPDX-License-Identifier: MIT */
/*
 * Names of sides that fit into a table and a mail, whatever people have called them.
 */
#pragma once

#include <jansson.h>

#define SHORT_NAME_MOST 18

/*
 * Return: a copy of a comparison (comparison.h) with names of SHORT_NAME_MOST columns at most,
 * still different from each other; a new reference; NULL on lack of memory.
 */
json_t *short_names_new(const json_t *comparison);
