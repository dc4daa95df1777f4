/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text for people.
 */
#pragma once

struct number {
	char text[48];
};

/* @value with @digits behind the point; "-" for NaN, and never "-0.00". */
struct number number_format(double value, int digits);

/* The same with its sign: "+0.13", "-0.18", "0.00". */
struct number number_format_signed(double value, int digits);

/*
 * Return: digits behind the point that show two significant digits of @uncertainty, 0 to @most;
 * @most when there is no uncertainty (NaN or 0).
 */
int number_digits(double uncertainty, int most);
