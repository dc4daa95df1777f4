/* SPDX-License-Identifier: MIT */
/*
 * Numbers in and out of JSON without losing one: jansson has no NaN, and one that slips into
 * json_pack() turns the whole document into nothing. So every measured number goes through here.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "stats.h"

/* Return: a new real; a new null for NaN and infinities; NULL on lack of memory. */
json_t *json_number(double value);

/*
 * Return: the number called @name, whether written as an integer or not; NaN when it is missing,
 * null or no number.
 */
double json_get_number(const json_t *object, const char *name);

/* Return: the integer called @name, or @otherwise. */
int64_t json_get_integer(const json_t *object, const char *name, int64_t otherwise);

/* Return: the string called @name, borrowed, or NULL. */
const char *json_get_string(const json_t *object, const char *name);

/* Set "trim_ratio" or "trim_count", as documents and the protocol have it. Return: 0 or -1. */
int json_set_trim(json_t *object, const struct trim *trim);
