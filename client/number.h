/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text for people.
 */
#pragma once

struct number {
	char text[48];
};

/*
 * @value with @digits behind the point, or as "1.234e+15" when it is so large; "-" for NaN, and
 * never "-0.00".
 */
struct number number_format(double value, int digits);

/* The same with its sign: "+0.13", "-0.18", "0.00". */
struct number number_format_signed(double value, int digits);

/*
 * The end of an interval: its sign stays where rounding leaves nothing else, as it says on which
 * side of 0 the end is: "-0.00".
 */
struct number number_format_end(double value, int digits);

/*
 * Return: digits behind the point that show two significant digits of @uncertainty, 0 to @most;
 * @most when there is no uncertainty (NaN or 0).
 */
int number_digits(double uncertainty, int most);
