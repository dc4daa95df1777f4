/* SPDX-License-Identifier: MIT */
/*
 * See compare-words.h.
 */
#include "compare-words.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "comparison.h"
#include "json.h"

/* Digits of a figure without any interval. */
#define LONE_DIGITS 3
#define MOST_DIGITS 9

/* The mean of so many values has one digit more than they have, and of so many two. */
#define MANY_VALUES	 10
#define VERY_MANY_VALUES 1000

bool compare_is(const json_t *metric, const char *member, const char *text)
{
	const char *value = json_get_string(metric, member);

	return value && strcmp(value, text) == 0;
}

const char *compare_name(const json_t *comparison, const json_t *pair, const char *which)
{
	int64_t index = json_get_integer(pair, which, 0);

	return json_get_string(json_array_get(json_object_get(comparison, "sides"), (size_t)index),
			       "name");
}

double compare_scale(const json_t *metric)
{
	return compare_is(metric, "unit", "ratio") ? 100 : 1;
}

const char *compare_unit(const json_t *metric)
{
	return compare_is(metric, "unit", "ratio") ? "%" : json_get_string(metric, "unit");
}

const char *compare_change_unit(const json_t *metric)
{
	return compare_is(metric, "unit", "ratio") ? "pp" : json_get_string(metric, "unit");
}

/* Half the width of an object's interval, as shown; NaN without. */
static double half_width(const json_t *metric, const json_t *object)
{
	return (json_get_number(object, "ci_high") - json_get_number(object, "ci_low")) / 2 *
	       compare_scale(metric);
}

long long compare_n(const json_t *metric, const char *which)
{
	return (long long)json_get_integer(json_object_get(metric, which), "n", 0);
}

static long long least_n(const json_t *metric)
{
	long long first = compare_n(metric, "first"), second = compare_n(metric, "second");

	return first < second ? first : second;
}

int compare_digits(const json_t *metric)
{
	const json_t *first = json_object_get(metric, "first");
	const json_t *second = json_object_get(metric, "second");
	int most = (int)json_get_integer(metric, "decimals", LONE_DIGITS) +
		   (least_n(metric) >= MANY_VALUES) + (least_n(metric) >= VERY_MANY_VALUES);
	double uncertainty = half_width(metric, metric);
	double size = fmax(json_get_number(first, "mean"), json_get_number(second, "mean"));

	if (!(uncertainty > 0))
		uncertainty = fmax(half_width(metric, first), half_width(metric, second));
	if (!(uncertainty > 0))
		uncertainty = fabs(size) * compare_scale(metric) / 100;
	/* All are 0. */
	if (!(uncertainty > 0))
		uncertainty = 1;
	return number_digits(uncertainty, most);
}

int compare_value_digits(const json_t *metric)
{
	int digits = compare_digits(metric);
	int most = (int)json_get_integer(metric, "decimals", LONE_DIGITS);

	return digits < most ? digits : most;
}

struct number compare_number(const json_t *metric, const json_t *object, const char *member)
{
	return number_format(json_get_number(object, member) * compare_scale(metric),
			     compare_digits(metric));
}

struct number compare_number_signed(const json_t *metric, const json_t *object, const char *member)
{
	return number_format_signed(json_get_number(object, member) * compare_scale(metric),
				    compare_digits(metric));
}

struct number compare_end(const json_t *metric, const char *member)
{
	return number_format_end(json_get_number(metric, member) * compare_scale(metric),
				 compare_digits(metric));
}

/* " pp"; nothing without a unit. */
static void write_change_unit(FILE *stream, const json_t *metric)
{
	const char *unit = compare_change_unit(metric);

	(void)fputs(unit[0] ? " " : "", stream);
	ascii_write(stream, unit);
}

void compare_write_change(FILE *stream, const json_t *metric)
{
	(void)fputs(compare_number_signed(metric, metric, "difference").text, stream);
	write_change_unit(stream, metric);
	if (json_is_number(json_object_get(metric, "ci_low")))
		(void)fprintf(stream, " [%s, %s]", compare_end(metric, "ci_low").text,
			      compare_end(metric, "ci_high").text);
}

void compare_write_test(FILE *stream, const json_t *metric)
{
	const char *test = json_get_string(metric, "test");
	const char *name = "Welch t";
	double rank_p = json_get_number(metric, "rank_p");

	if (strcmp(test, "paired") == 0)
		name = "paired t";
	else if (strcmp(test, "yuen") == 0)
		name = "Yuen t (20 % trimmed)";
	(void)fprintf(stream, "%s %.2f, df %.1f, p %.2g", name, json_get_number(metric, "t"),
		      json_get_number(metric, "df"), json_get_number(metric, "p"));
	if (strcmp(test, "paired") == 0)
		(void)fprintf(stream, ", %.0f blocks", json_get_number(metric, "df") + 1);
	else
		(void)fprintf(stream, ", %lld + %lld %ss", compare_n(metric, "first"),
			      compare_n(metric, "second"), json_get_string(metric, "replicate"));
	if (!isnan(rank_p))
		(void)fprintf(stream, "; Mann-Whitney p %.2g", rank_p);
}

static const char *word_of(const json_t *metric)
{
	if (compare_is(metric, "verdict", COMPARISON_MORE))
		return "MORE";
	if (compare_is(metric, "verdict", COMPARISON_LESS))
		return "LESS";
	if (compare_is(metric, "verdict", COMPARISON_NOT_DISTINGUISHABLE))
		return "NOT DISTINGUISHABLE";
	if (compare_is(metric, "verdict", COMPARISON_SAME_WITHIN))
		return "SAME WITHIN";
	return compare_is(metric, "obstacle", COMPARISON_EQUAL) ? "EQUAL" : "CANNOT TEST";
}

const char *compare_judgement(const json_t *metric)
{
	const char *better = json_get_string(metric, "better");
	bool more = compare_is(metric, "verdict", COMPARISON_MORE);

	if (!better || (!more && !compare_is(metric, "verdict", COMPARISON_LESS)))
		return "";
	return more == (strcmp(better, "higher") == 0) ? " (better)" : " (worse)";
}

void compare_write_size(FILE *stream, const json_t *metric, double size)
{
	double shown = fabs(size) * compare_scale(metric);

	(void)fputs(number_format(shown, compare_digits(metric)).text, stream);
	write_change_unit(stream, metric);
}

void compare_write_min_effect(FILE *stream, const json_t *metric)
{
	double shown = json_get_number(metric, "min_effect") * compare_scale(metric);
	int digits = number_digits(shown, MOST_DIGITS), others = compare_digits(metric);

	(void)fputs(number_format(shown, digits > others ? digits : others).text, stream);
	write_change_unit(stream, metric);
}

void compare_write_word(FILE *stream, const json_t *metric)
{
	(void)fprintf(stream, "%s%s", word_of(metric), compare_judgement(metric));
	if (compare_is(metric, "verdict", COMPARISON_SAME_WITHIN)) {
		(void)fputc(' ', stream);
		compare_write_min_effect(stream, metric);
	}
	if (!json_is_string(json_object_get(metric, "verdict")) &&
	    !compare_is(metric, "obstacle", COMPARISON_EQUAL))
		(void)fprintf(stream, " (%s)", json_get_string(metric, "obstacle"));
}
