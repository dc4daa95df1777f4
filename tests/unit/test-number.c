/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "number.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void numbers_are_rounded_and_never_minus_zero(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *plain, *with_sign, *end;
	} cases[] = {
		{0.1333, 2, "0.13", "+0.13", "+0.13"},
		{-0.178, 2, "-0.18", "-0.18", "-0.18"},
		{0, 2, "0.00", "0.00", "0.00"},
		{-0.0, 1, "0.0", "0.0", "0.0"},
		/* Only the end of an interval says on which side of 0 it is. */
		{-0.001, 2, "0.00", "0.00", "-0.00"},
		{0.001, 2, "0.00", "0.00", "+0.00"},
		{-0.4, 0, "0", "0", "-0"},
		{5, 0, "5", "+5", "+5"},
		{123456789012345, 0, "123456789012345", "+123456789012345", "+123456789012345"},
		{1e15, 9, "1.000e+15", "+1.000e+15", "+1.000e+15"},
		{-1.5e308, 9, "-1.500e+308", "-1.500e+308", "-1.500e+308"},
		{(double)NAN, 2, "-", "-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		double value = cases[i].value;
		int digits = cases[i].digits;

		assert_string_equal(number_format(value, digits).text, cases[i].plain);
		assert_string_equal(number_format_signed(value, digits).text, cases[i].with_sign);
		assert_string_equal(number_format_end(value, digits).text, cases[i].end);
	}
}

static void digits_show_two_of_the_uncertainty(void **state)
{
	static const struct {
		double uncertainty;
		int most, digits;
	} cases[] = {
		{0.311, 4, 2}, {0.0628, 4, 3},	    {0.0628, 2, 2}, {1, 4, 1},
		{9.9, 4, 1},   {10, 4, 0},	    {12345, 4, 0},  {1e-30, 4, 4},
		{0, 4, 4},     {(double)NAN, 3, 3}, {-1, 4, 4},	    {0.5, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		assert_int_equal(number_digits(cases[i].uncertainty, cases[i].most),
				 cases[i].digits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_rounded_and_never_minus_zero),
		cmocka_unit_test(digits_show_two_of_the_uncertainty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
