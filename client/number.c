/* SPDX-License-Identifier: MIT */
/*
 * See number.h.
 */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_zero(const char *text)
{
	return text[strspn(text, "+-0.")] == '\0';
}

/* From here on no digit behind the point is one of the value's. */
#define LARGE 1e15

static struct number format(double value, int digits, bool with_sign)
{
	struct number number = {"-"};

	if (isnan(value))
		return number;
	if (fabs(value) >= LARGE)
		(void)snprintf(number.text, sizeof(number.text), with_sign ? "%+.3e" : "%.3e",
			       value);
	else
		(void)snprintf(number.text, sizeof(number.text), with_sign ? "%+.*f" : "%.*f",
			       digits, value);
	return number;
}

/* Rounding makes "-0.00" of a little less than nothing. */
static struct number drop_sign_of_zero(struct number number)
{
	bool has_sign = number.text[0] == '-' || number.text[0] == '+';

	if (has_sign && number.text[1] && is_zero(number.text))
		memmove(number.text, number.text + 1, strlen(number.text));
	return number;
}

struct number number_format(double value, int digits)
{
	return drop_sign_of_zero(format(value, digits, false));
}

struct number number_format_signed(double value, int digits)
{
	return drop_sign_of_zero(format(value, digits, true));
}

struct number number_format_end(double value, int digits)
{
	struct number number = format(value, digits, true);

	return fabs(value) > 0 ? number : drop_sign_of_zero(number);
}

int number_digits(double uncertainty, int most)
{
	double digits;

	if (!(uncertainty > 0))
		return most;
	digits = 1 - floor(log10(uncertainty));
	return (int)fmin(fmax(digits, 0), most);
}
