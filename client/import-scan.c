/* SPDX-License-Identifier: MIT */
/*
 * See import-scan.h.
 */
#include "import-scan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any log gives, and few enough for the buffer of a conversion. */
#define MOST_DIGITS 40

/* A clock's digits behind the point and its seconds: together below the 2^63 of an integer. */
#define MOST_CLOCK_DECIMALS 9
#define MOST_SECONDS	    1000000000ULL

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t count_digits(const char *text)
{
	size_t n = 0;

	while (is_digit(text[n]))
		n++;
	return n;
}

static bool fail(struct import_scan *scan, const char *wanted)
{
	scan->wanted = wanted;
	return false;
}

static bool fail_large(struct import_scan *scan)
{
	scan->too_large = true;
	return fail(scan, "a number that can be kept");
}

bool import_scan_text(struct import_scan *scan, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(scan->at, text, length) != 0) {
		scan->is_literal = true;
		return fail(scan, text);
	}
	scan->at += length;
	return true;
}

bool import_scan_blanks(struct import_scan *scan)
{
	if (!is_blank(*scan->at))
		return fail(scan, "a blank");
	while (is_blank(*scan->at))
		scan->at++;
	return true;
}

bool import_scan_end(struct import_scan *scan)
{
	while (is_blank(*scan->at))
		scan->at++;
	return *scan->at == '\0' || fail(scan, "the end of the line");
}

bool import_scan_digits(struct import_scan *scan)
{
	size_t n = count_digits(scan->at);

	if (n == 0)
		return fail(scan, "digits");
	scan->at += n;
	return true;
}

/* The length of an exponent at @text, 0 without one; its value into @ret. */
static size_t scan_exponent(const char *text, int *ret)
{
	size_t sign = text[0] == 'e' || text[0] == 'E' ? 1 : 0, n;

	*ret = 0;
	if (sign == 0)
		return 0;
	if (text[1] == '+' || text[1] == '-')
		sign = 2;
	n = count_digits(text + sign);
	if (n == 0 || n > 4)
		return 0;
	*ret = (int)strtol(text + 1, NULL, 10);
	return sign + n;
}

/* Where a decimal number's parts are. */
struct parts {
	size_t whole;	 /* digits before the point */
	size_t decimals; /* digits behind it */
	int exponent;
	size_t length; /* of all of it */
};

static bool find_parts(const char *text, bool comma_allowed, struct parts *ret)
{
	const char *point;

	ret->whole = count_digits(text);
	ret->decimals = 0;
	ret->length = ret->whole;
	point = text + ret->length;
	if ((*point == '.' || (comma_allowed && *point == ',')) && is_digit(point[1])) {
		ret->decimals = count_digits(point + 1);
		ret->length += 1 + ret->decimals;
	}
	if (ret->length == 0)
		return false;
	ret->length += scan_exponent(text + ret->length, &ret->exponent);
	return true;
}

/* The digits as one integer with the exponent that makes up for it: rounded once, in strtod(). */
static double convert(const char *text, const struct parts *parts, int shift)
{
	char digits[2 * MOST_DIGITS + 16];
	const char *behind = text + parts->whole + 1;

	(void)snprintf(digits, sizeof(digits), "%.*s%.*se%d", (int)parts->whole, text,
		       (int)parts->decimals, behind,
		       parts->exponent + shift - (int)parts->decimals);
	return strtod(digits, NULL);
}

static int decimals_of(const struct parts *parts)
{
	int decimals = (int)parts->decimals - parts->exponent;

	return decimals < 0 ? 0 : decimals;
}

static bool scan_shifted(struct import_scan *scan, bool comma_allowed, bool percent_allowed,
			 struct import_number *ret, bool *ret_is_percent)
{
	struct parts parts;
	bool is_percent;

	if (!find_parts(scan->at, comma_allowed, &parts))
		return fail(scan, "a number");
	if (parts.whole > MOST_DIGITS || parts.decimals > MOST_DIGITS)
		return fail_large(scan);
	is_percent = percent_allowed && scan->at[parts.length] == '%';
	ret->value = convert(scan->at, &parts, is_percent ? -2 : 0);
	ret->decimals = decimals_of(&parts);
	if (!isfinite(ret->value))
		return fail_large(scan);
	scan->at += parts.length + (is_percent ? 1 : 0);
	*ret_is_percent = is_percent;
	return true;
}

bool import_scan_number(struct import_scan *scan, struct import_number *ret)
{
	bool is_percent;

	return scan_shifted(scan, false, false, ret, &is_percent);
}

bool import_scan_local_number(struct import_scan *scan, struct import_number *ret)
{
	bool is_percent;

	return scan_shifted(scan, true, false, ret, &is_percent);
}

bool import_scan_value(struct import_scan *scan, struct import_number *ret, bool *ret_is_percent)
{
	bool negative = *scan->at == '-';
	struct import_scan behind = *scan;

	behind.at += negative || *scan->at == '+' ? 1 : 0;
	if (!scan_shifted(&behind, false, true, ret, ret_is_percent)) {
		*scan = behind;
		return false;
	}
	*scan = behind;
	if (negative)
		ret->value = -ret->value;
	return true;
}

/* Digits as an integer; clocks have few of them. */
static bool scan_whole(struct import_scan *scan, uint64_t most, uint64_t *ret)
{
	size_t n = count_digits(scan->at);
	uint64_t value = 0;

	if (n == 0)
		return fail(scan, "digits");
	for (size_t i = 0; i < n; i++) {
		value = value * 10 + (uint64_t)(scan->at[i] - '0');
		if (value > most)
			return fail_large(scan);
	}
	scan->at += n;
	*ret = value;
	return true;
}

/* Take a fraction, if there is one, and make both parts one number. */
static bool scan_fraction(struct import_scan *scan, uint64_t seconds, struct import_number *ret)
{
	uint64_t scale = 1, total = seconds;
	int decimals = 0;

	if (*scan->at == '.' || *scan->at == ',') {
		const char *digits = scan->at + 1;

		decimals = (int)count_digits(digits);
		if (decimals == 0) {
			scan->at++;
			return fail(scan, "digits");
		}
		if (decimals > MOST_CLOCK_DECIMALS)
			return fail_large(scan);
		for (int i = 0; i < decimals; i++) {
			total = total * 10 + (uint64_t)(digits[i] - '0');
			scale *= 10;
		}
		scan->at = digits + decimals;
	}
	*ret = (struct import_number){(double)total / (double)scale, decimals};
	return true;
}

/* The next place of a clock: below 60. */
static bool scan_sixty(struct import_scan *scan, uint64_t *total)
{
	uint64_t value;

	if (!scan_whole(scan, MOST_SECONDS, &value))
		return false;
	if (value >= 60) {
		scan->at -= 1;
		return fail(scan, "a number below 60");
	}
	*total = *total * 60 + value;
	return true;
}

bool import_scan_clock(struct import_scan *scan, struct import_number *ret)
{
	uint64_t total;

	if (!scan_whole(scan, MOST_SECONDS / 3600, &total) || !import_scan_text(scan, ":") ||
	    !scan_sixty(scan, &total))
		return false;
	if (*scan->at == ':') {
		scan->at++;
		if (!scan_sixty(scan, &total))
			return false;
	}
	return scan_fraction(scan, total, ret);
}

bool import_scan_minutes(struct import_scan *scan, struct import_number *ret)
{
	uint64_t total;

	if (!scan_whole(scan, MOST_SECONDS / 60, &total))
		return false;
	if (*scan->at != 'm')
		return scan_fraction(scan, total, ret);
	scan->at++;
	return scan_sixty(scan, &total) && scan_fraction(scan, total, ret) &&
	       import_scan_text(scan, "s");
}

bool import_is_number(const char *text)
{
	if (*text == '+' || *text == '-')
		text++;
	return is_digit(*text) || (*text == '.' && is_digit(text[1]));
}

const char *import_skip_quote(const char *line)
{
	while (is_blank(*line) || *line == '>')
		line++;
	return line;
}
