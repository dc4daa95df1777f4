/* SPDX-License-Identifier: MIT */
/*
 * A cursor over one line of a log: what must come next is taken, or the scan stands where it did
 * not come and knows what was wanted there. So a format reads as a chain of && in the order of its
 * line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct import_scan {
	const char *at;	    /* of a text that ends in NUL; where the scan failed, if it did */
	const char *wanted; /* NULL as long as everything came; static or the caller's */
	bool is_literal;    /* `wanted` is the text itself, not what to call it */
	bool too_large;	    /* it did come, but no such number can be kept */
};

/* A number as the log wrote it. */
struct import_number {
	double value;
	int decimals; /* digits behind the point */
};

/* Each returns: true and the cursor behind it; false and `wanted` set. */

bool import_scan_text(struct import_scan *scan, const char *text);

/* One blank or tab, or more. */
bool import_scan_blanks(struct import_scan *scan);

/* Blanks or none, and then the end of the line. */
bool import_scan_end(struct import_scan *scan);

/* Digits only, into nothing: figures that are not kept. */
bool import_scan_digits(struct import_scan *scan);

/* A decimal number without sign: "30", "17.0184", "3.7861e-05". */
bool import_scan_number(struct import_scan *scan, struct import_number *ret);

/* The same, with a locale's comma for the point: "0,25". */
bool import_scan_local_number(struct import_scan *scan, struct import_number *ret);

/*
 * The same with an optional sign and percent sign; "5.02%" is the double nearest to 0.0502, with
 * the decimals of the percent.
 */
bool import_scan_value(struct import_scan *scan, struct import_number *ret, bool *ret_is_percent);

/* "2:26.62" or "1:02:26,5": minutes and seconds or with hours, into seconds. */
bool import_scan_clock(struct import_scan *scan, struct import_number *ret);

/* "47m42.656s" or, as POSIX has it, "2862.66", both with point or comma; into seconds. */
bool import_scan_minutes(struct import_scan *scan, struct import_number *ret);

/* Return: whether a number begins here, with or without a sign. */
bool import_is_number(const char *text);

/* Return: @line behind its blanks and the marks of a quoting mail ("> "). */
const char *import_skip_quote(const char *line);
