/* SPDX-License-Identifier: MIT */
/*
 * Digits by hand: no locale, no sign, no blank is let in, and every overflow is seen.
 */
#include "parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MOST_TRIM_COUNT 1000000

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Read the digits at *text and go past them.
 *
 * Return: 0; -EINVAL when there are none; -ERANGE when they exceed 64 bits (still gone past).
 */
static int read_digits(const char **text, uint64_t *ret)
{
	uint64_t value = 0;
	int r = 0;

	if (!is_digit(**text))
		return -EINVAL;
	for (; is_digit(**text); (*text)++) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			r = -ERANGE;
	}
	*ret = value;
	return r;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t value;
	int r = read_digits(&text, &value);

	if (r == -EINVAL || *text != '\0')
		return -EINVAL;
	if (r < 0 || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/*
 * Read a decimal number at *text as whole parts of 1 / @scale (a power of ten), and go past it.
 * Digits beyond the scale are dropped.
 */
static int read_scaled(const char **text, uint64_t scale, uint64_t *ret)
{
	uint64_t whole, part = 0;
	int r = read_digits(text, &whole);

	if (r == -EINVAL)
		return r;
	if (**text == '.') {
		uint64_t place = scale;

		(*text)++;
		if (!is_digit(**text))
			return -EINVAL;
		for (; is_digit(**text); (*text)++) {
			place /= 10;
			part += (uint64_t)(**text - '0') * place;
		}
	}
	if (r < 0 || __builtin_mul_overflow(whole, scale, &whole) ||
	    __builtin_add_overflow(whole, part, ret))
		return -ERANGE;
	return 0;
}

int parse_duration_ns(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		uint64_t numerator; /* ns a unit, as numerator * 1e9 / denominator */
		uint64_t denominator;
	} units[] = {{"", 1, 1}, {"s", 1, 1}, {"ms", 1, 1000}, {"m", 60, 1}, {"h", 3600, 1}};
	uint64_t value;
	int r = read_scaled(&text, 1000000000, &value);

	if (r == -EINVAL)
		return r;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name) != 0)
			continue;
		if (r < 0 || __builtin_mul_overflow(value, units[i].numerator, &value))
			return -ERANGE;
		value /= units[i].denominator;
		if (value < min_ns || value > max_ns)
			return -ERANGE;
		*ret_ns = value;
		return 0;
	}
	return -EINVAL;
}

int parse_trim(const char *text, struct trim *ret)
{
	uint64_t value;
	const char *end = text;
	int r;

	if (strchr(text, '%') == NULL) {
		r = parse_u64(text, 0, MOST_TRIM_COUNT, &value);
		if (r < 0)
			return r;
		*ret = (struct trim){.kind = TRIM_COUNT, .count = (size_t)value};
		return 0;
	}
	r = read_scaled(&end, 1000000000, &value);
	if (r == -EINVAL || strcmp(end, "%") != 0)
		return -EINVAL;
	if (r < 0 || value >= 50000000000)
		return -ERANGE;
	*ret = (struct trim){.kind = TRIM_SHARE, .share = (double)value / 1e11};
	return 0;
}

int parse_percent(const char *text, double min, double max, double *ret)
{
	uint64_t value = 0;
	double ratio;
	int r = read_scaled(&text, 1000000000, &value);

	if (r == -EINVAL || (strcmp(text, "") != 0 && strcmp(text, "%") != 0))
		return -EINVAL;
	ratio = (double)value / 1e11;
	if (r < 0 || ratio < min || ratio > max)
		return -ERANGE;
	*ret = ratio;
	return 0;
}
