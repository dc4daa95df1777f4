/* SPDX-License-Identifier: MIT */
/*
 * See number.h.
 */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Above this nobody counts the digits, and a double has no unit digit. */
#define MOST_PLAIN 1e15

static bool is_zero(const char *text)
{
	return text[strspn(text, "+-0.")] == '\0';
}

static struct number format(double value, int digits, bool with_sign)
{
	struct number number = {"-"};

	if (isnan(value))
		return number;
	if (fabs(value) >= MOST_PLAIN)
		(void)snprintf(number.text, sizeof(number.text), with_sign ? "%+.6g" : "%.6g",
			       value);
	else
		(void)snprintf(number.text, sizeof(number.text), with_sign ? "%+.*f" : "%.*f",
			       digits, value);
	/* Rounding makes "-0.00" of a little less than nothing. */
	if (is_zero(number.text) && (number.text[0] == '-' || number.text[0] == '+'))
		memmove(number.text, number.text + 1, strlen(number.text));
	return number;
}

struct number number_format(double value, int digits)
{
	return format(value, digits, false);
}

struct number number_format_signed(double value, int digits)
{
	return format(value, digits, true);
}

int number_digits(double uncertainty, int most)
{
	double digits;

	if (!(uncertainty > 0))
		return most;
	digits = 1 - floor(log10(uncertainty));
	return (int)fmin(fmax(digits, 0), most);
}
