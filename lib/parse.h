/* SPDX-License-Identifier: MIT */
/*
 * Strict readers of what people and files give us: a text is wholly one value, or it is refused.
 *
 * None of them logs; the caller knows what the text was meant to be and says so.
 */
#pragma once

#include <stdint.h>

#include "stats.h"

/*
 * Read a decimal number without sign, blanks or trailing text.
 *
 * Return: 0; -EINVAL when @text is not such a number; -ERANGE when it is outside [min, max].
 */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret);

/*
 * Read a duration: a decimal number (a fraction is allowed) with the unit ms, s, m or h; without
 * a unit, seconds ("250ms", "1.5s", "60", "1h").
 *
 * Return: 0; -EINVAL when @text is not a duration; -ERANGE when it is outside [min_ns, max_ns].
 */
int parse_duration_ns(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns);

/*
 * Read what to trim: "10%" (a share of the samples from each end, below 50 %) or "8" (a count).
 *
 * Return: 0; -EINVAL when @text is neither; -ERANGE when a share reaches 50 % or a count exceeds
 * 1000000.
 */
int parse_trim(const char *text, struct trim *ret);

/*
 * Read a percentage, with or without its sign: "95" or "99.9%".
 *
 * @ret: 0..1
 *
 * Return: 0; -EINVAL when @text is none; -ERANGE when it is outside [min, max] (0..1).
 */
int parse_percent(const char *text, double min, double max, double *ret);
