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

/* The mean of so many values has one digit more than they have. */
#define MANY_VALUES 10

static bool is_text(const json_t *object, const char *member, const char *text)
{
	const char *value = json_get_string(object, member);

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
	return is_text(metric, "unit", "ratio") ? 100 : 1;
}

const char *compare_unit(const json_t *metric)
{
	return is_text(metric, "unit", "ratio") ? "%" : json_get_string(metric, "unit");
}

const char *compare_change_unit(const json_t *metric)
{
	return is_text(metric, "unit", "ratio") ? "pp" : json_get_string(metric, "unit");
}

/* Half the width of an object's interval, as shown; NaN without. */
static double half_width(const json_t *metric, const json_t *object)
{
	return (json_get_number(object, "ci_high") - json_get_number(object, "ci_low")) / 2 *
	       compare_scale(metric);
}

static long long n_of(const json_t *metric, const char *which)
{
	return (long long)json_get_integer(json_object_get(metric, which), "n", 0);
}

static long long least_n(const json_t *metric)
{
	long long first = n_of(metric, "first"), second = n_of(metric, "second");

	return first < second ? first : second;
}

int compare_digits(const json_t *metric)
{
	const json_t *first = json_object_get(metric, "first");
	const json_t *second = json_object_get(metric, "second");
	int most = (int)json_get_integer(metric, "decimals", LONE_DIGITS) +
		   (least_n(metric) >= MANY_VALUES);
	double uncertainty = half_width(metric, metric);
	double size = fmax(json_get_number(first, "mean"), json_get_number(second, "mean"));

	if (!(uncertainty > 0))
		uncertainty = fmax(half_width(metric, first), half_width(metric, second));
	if (!(uncertainty > 0))
		uncertainty = fabs(size) * compare_scale(metric) / 100;
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
		(void)fprintf(stream, " [%s, %s]",
			      compare_number_signed(metric, metric, "ci_low").text,
			      compare_number_signed(metric, metric, "ci_high").text);
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
		(void)fprintf(stream, ", %lld + %lld %ss", n_of(metric, "first"),
			      n_of(metric, "second"), json_get_string(metric, "replicate"));
	if (!isnan(rank_p))
		(void)fprintf(stream, "; Mann-Whitney p %.2g", rank_p);
}

static const char *word_of(const json_t *metric)
{
	if (is_text(metric, "verdict", COMPARISON_MORE))
		return "MORE";
	if (is_text(metric, "verdict", COMPARISON_LESS))
		return "LESS";
	if (is_text(metric, "verdict", COMPARISON_NOT_DISTINGUISHABLE))
		return "NOT DISTINGUISHABLE";
	if (is_text(metric, "verdict", COMPARISON_SAME_WITHIN))
		return "SAME WITHIN";
	return is_text(metric, "obstacle", COMPARISON_EQUAL) ? "EQUAL" : "CANNOT TEST";
}

/* Behind MORE or LESS, where it is known which of them is wanted. */
static const char *judgement_of(const json_t *metric)
{
	const char *better = json_get_string(metric, "better");
	bool more = is_text(metric, "verdict", COMPARISON_MORE);

	if (!better || (!more && !is_text(metric, "verdict", COMPARISON_LESS)))
		return "";
	return more == (strcmp(better, "higher") == 0) ? " (better)" : " (worse)";
}

/* "1.3 pp": a size, in the metric's unit. */
static void write_size(FILE *stream, const json_t *metric, double size)
{
	double shown = fabs(size) * compare_scale(metric);

	(void)fputs(number_format(shown, compare_digits(metric)).text, stream);
	write_change_unit(stream, metric);
}

/* --min-effect, with at least two digits, however uncertain the change is. */
static void write_min_effect(FILE *stream, const json_t *metric)
{
	double shown = json_get_number(metric, "min_effect") * compare_scale(metric);
	int digits = number_digits(shown, MOST_DIGITS), others = compare_digits(metric);

	(void)fputs(number_format(shown, digits > others ? digits : others).text, stream);
	write_change_unit(stream, metric);
}

/* "0.18 pp less", "0.44 pp more" */
static void write_side_of_zero(FILE *stream, const json_t *metric, const char *member)
{
	double value = json_get_number(metric, member);

	write_size(stream, metric, value);
	(void)fputs(value < 0 ? " less" : " more", stream);
}

void compare_write_word(FILE *stream, const json_t *metric)
{
	(void)fprintf(stream, "%s%s", word_of(metric), judgement_of(metric));
	if (is_text(metric, "verdict", COMPARISON_SAME_WITHIN)) {
		(void)fputc(' ', stream);
		write_min_effect(stream, metric);
	}
	if (!json_is_string(json_object_get(metric, "verdict")))
		(void)fprintf(stream, " (%s)", json_get_string(metric, "obstacle"));
}

/* What these sides could have shown, and what the change seen would take. */
static void write_power(FILE *stream, const json_t *metric)
{
	const char *replicate = json_get_string(metric, "replicate");
	bool blocks = strcmp(replicate, "block") == 0;
	long long n_first = n_of(metric, "first"), n_second = n_of(metric, "second");
	long long n_needed = (long long)json_get_integer(metric, "replicates_needed", 0);

	(void)fprintf(stream, " With this spread, ");
	if (blocks)
		(void)fprintf(stream, "%.0f blocks show", json_get_number(metric, "df") + 1);
	else if (n_first == n_second)
		(void)fprintf(stream, "%lld %ss a side show", n_first, replicate);
	else
		(void)fprintf(stream, "%lld + %lld %ss show", n_first, n_second, replicate);
	(void)fprintf(stream, " a change of ");
	write_size(stream, metric, json_get_number(metric, "detectable"));
	(void)fprintf(stream, " or more (80 %% power)");
	if (n_needed > 0) {
		(void)fprintf(stream, "; one of ");
		write_size(stream, metric, json_get_number(metric, "difference"));
		(void)fprintf(stream, " takes %lld %ss%s", n_needed, replicate,
			      blocks ? "" : " a side");
	}
	(void)fputc('.', stream);
}

static void write_range(FILE *stream, const json_t *metric)
{
	write_side_of_zero(stream, metric, "ci_low");
	(void)fprintf(stream, " to ");
	write_side_of_zero(stream, metric, "ci_high");
}

static void write_obstacle(FILE *stream, const char *first, const char *second,
			   const json_t *metric)
{
	if (is_text(metric, "obstacle", COMPARISON_NO_VALUES) &&
	    is_text(metric, "replicate", "block"))
		(void)fprintf(stream, "CANNOT TEST: no block has this figure in all its runs.");
	else if (is_text(metric, "obstacle", COMPARISON_NO_VALUES))
		(void)fprintf(stream, "CANNOT TEST: no run of %s has this figure.",
			      n_of(metric, "first") == 0 ? first : second);
	else if (is_text(metric, "obstacle", COMPARISON_ONE_VALUE))
		(void)fprintf(stream,
			      "CANNOT TEST: one %s has no spread. Three or more are needed "
			      "(-n).",
			      json_get_string(metric, "replicate"));
	else if (is_text(metric, "obstacle", COMPARISON_SAME_RUNS))
		(void)fprintf(stream, "CANNOT TEST: both sides are the same runs.");
	else if (is_text(metric, "obstacle", COMPARISON_EQUAL))
		(void)fprintf(
			stream,
			"EQUAL: all values are %s. Without spread there is nothing to "
			"test.",
			compare_number(metric, json_object_get(metric, "first"), "mean").text);
	else
		(void)fprintf(stream,
			      "CANNOT TEST: neither side has any spread, so nothing says how "
			      "much chance could do.");
}

/* MORE or LESS. */
static void write_proven(FILE *stream, const char *second, const json_t *metric)
{
	double min_effect = json_get_number(metric, "min_effect");
	double low = json_get_number(metric, "ci_low"), high = json_get_number(metric, "ci_high");

	(void)fprintf(stream, "%s in %s%s, by ", word_of(metric), second, judgement_of(metric));
	write_size(stream, metric, fmin(fabs(low), fabs(high)));
	(void)fprintf(stream, " to ");
	write_size(stream, metric, fmax(fabs(low), fabs(high)));
	(void)fputc('.', stream);
	if (fabs(json_get_number(metric, "difference")) < min_effect) {
		(void)fprintf(stream, " It may well be below the ");
		write_min_effect(stream, metric);
		(void)fprintf(stream, " of --min-effect.");
	}
}

static void write_same(FILE *stream, const char *second, const json_t *metric)
{
	(void)fprintf(stream, "SAME WITHIN ");
	write_min_effect(stream, metric);
	(void)fprintf(stream, ": %s is ", second);
	write_range(stream, metric);
	(void)fputc('.', stream);
	if (json_get_number(metric, "ci_low") > 0 || json_get_number(metric, "ci_high") < 0)
		(void)fprintf(stream, " There is a difference, but one that small.");
}

void compare_write_verdict(FILE *stream, const json_t *comparison, const json_t *pair,
			   const json_t *metric)
{
	const char *first = compare_name(comparison, pair, "first");
	const char *second = compare_name(comparison, pair, "second");

	if (!json_is_string(json_object_get(metric, "verdict"))) {
		write_obstacle(stream, first, second, metric);
		return;
	}
	if (is_text(metric, "verdict", COMPARISON_SAME_WITHIN)) {
		write_same(stream, second, metric);
	} else if (is_text(metric, "verdict", COMPARISON_NOT_DISTINGUISHABLE)) {
		(void)fprintf(stream, "NOT DISTINGUISHABLE: %s could be anything from ", second);
		write_range(stream, metric);
		(void)fputc('.', stream);
	} else {
		write_proven(stream, second, metric);
	}
	write_power(stream, metric);
}
