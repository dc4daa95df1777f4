/* SPDX-License-Identifier: MIT */
/*
 * See compare-sentence.h.
 */
#include "compare-sentence.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "compare-words.h"
#include "comparison.h"
#include "json.h"

/* "0.18 pp less", "0.44 pp more" */
static void write_side_of_zero(FILE *stream, const json_t *metric, const char *member)
{
	double value = json_get_number(metric, member);

	compare_write_size(stream, metric, value);
	(void)fputs(value < 0 ? " less" : " more", stream);
}

/* What these sides could have shown, and what the change seen would take. */
static void write_power(FILE *stream, const json_t *metric)
{
	const char *replicate = json_get_string(metric, "replicate");
	bool blocks = strcmp(replicate, "block") == 0;
	long long n_first = compare_n(metric, "first"), n_second = compare_n(metric, "second");
	long long n_needed = (long long)json_get_integer(metric, "replicates_needed", 0);

	(void)fprintf(stream, " With this spread, ");
	if (blocks)
		(void)fprintf(stream, "%.0f blocks show", json_get_number(metric, "df") + 1);
	else if (n_first == n_second)
		(void)fprintf(stream, "%lld %ss a side show", n_first, replicate);
	else
		(void)fprintf(stream, "%lld + %lld %ss show", n_first, n_second, replicate);
	(void)fprintf(stream, " a change of ");
	compare_write_size(stream, metric, json_get_number(metric, "detectable"));
	(void)fprintf(stream, " or more (80 %% power)");
	if (n_needed > 0) {
		(void)fprintf(stream, "; one of ");
		if (json_is_number(json_object_get(metric, "min_effect")))
			compare_write_min_effect(stream, metric);
		else
			compare_write_size(stream, metric, json_get_number(metric, "difference"));
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

static void write_no_values(FILE *stream, const char *first, const char *second,
			    const json_t *metric)
{
	if (compare_n(metric, "first") == 0 && compare_n(metric, "second") == 0)
		(void)fprintf(stream, "no good run of either side has this figure.");
	else if (compare_n(metric, "first") == 0 || compare_n(metric, "second") == 0)
		(void)fprintf(stream, "no good run of %s has this figure.",
			      compare_n(metric, "first") == 0 ? first : second);
	else
		(void)fprintf(stream, "no block has this figure in all of its four runs.");
}

static void write_equal(FILE *stream, const json_t *metric)
{
	const char *unit = compare_unit(metric);

	(void)fprintf(stream, "EQUAL: all values are %s%s",
		      compare_number(metric, json_object_get(metric, "first"), "mean").text,
		      unit[0] ? " " : "");
	ascii_write(stream, unit);
	(void)fputs(". Without spread there is nothing to test.", stream);
}

static void write_no_spread(FILE *stream, const json_t *metric)
{
	if (compare_is(metric, "replicate", "block"))
		(void)fprintf(stream, "all blocks differ by the same amount, so nothing says how "
				      "much of it could be chance.");
	else
		(void)fprintf(stream, "neither side has any spread, so nothing says how much of "
				      "the change could be chance.");
}

/* Why nothing is tested. */
static void write_obstacle(FILE *stream, const char *first, const char *second,
			   const json_t *metric)
{
	bool blocks = compare_is(metric, "replicate", "block");

	if (compare_is(metric, "obstacle", COMPARISON_EQUAL)) {
		write_equal(stream, metric);
		return;
	}
	(void)fputs("CANNOT TEST: ", stream);
	if (compare_is(metric, "obstacle", COMPARISON_NO_VALUES))
		write_no_values(stream, first, second, metric);
	else if (compare_is(metric, "obstacle", COMPARISON_ONE_VALUE))
		(void)fprintf(stream,
			      "one %s has no spread to judge by. Three or more%s are needed.",
			      json_get_string(metric, "replicate"), blocks ? "" : " a side");
	else if (compare_is(metric, "obstacle", COMPARISON_SAME_RUNS))
		(void)fputs("both sides have the same values, run by run, as the same runs have.",
			    stream);
	else if (compare_is(metric, "obstacle", COMPARISON_TOO_LARGE))
		(void)fputs("the values are too large to be computed with.", stream);
	else
		write_no_spread(stream, metric);
}

/* Return: whether rounding leaves nothing of a size. */
static bool is_shown_as_zero(const json_t *metric, double size)
{
	double shown = fabs(size) * compare_scale(metric);
	struct number number = number_format(shown, compare_digits(metric));

	return number.text[strspn(number.text, "0.")] == '\0';
}

/* ", by 0.07 pp to 0.19 pp" */
static void write_bounds(FILE *stream, const json_t *metric, double near, double far)
{
	if (is_shown_as_zero(metric, far))
		return;
	(void)fputs(", by ", stream);
	if (is_shown_as_zero(metric, near)) {
		(void)fputs("up", stream);
	} else {
		compare_write_size(stream, metric, near);
	}
	(void)fputs(" to ", stream);
	compare_write_size(stream, metric, far);
}

/* MORE or LESS. */
static void write_proven(FILE *stream, const char *second, const json_t *metric)
{
	double min_effect = json_get_number(metric, "min_effect");
	double low = json_get_number(metric, "ci_low"), high = json_get_number(metric, "ci_high");

	(void)fprintf(stream, "%s in %s%s",
		      compare_is(metric, "verdict", COMPARISON_MORE) ? "MORE" : "LESS", second,
		      compare_judgement(metric));
	write_bounds(stream, metric, fmin(fabs(low), fabs(high)), fmax(fabs(low), fabs(high)));
	(void)fputc('.', stream);
	if (fabs(json_get_number(metric, "difference")) < min_effect) {
		(void)fprintf(stream, " It may well be below the ");
		compare_write_min_effect(stream, metric);
		(void)fprintf(stream, " of --min-effect.");
	}
}

static void write_same(FILE *stream, const char *second, const json_t *metric)
{
	(void)fprintf(stream, "SAME WITHIN ");
	compare_write_min_effect(stream, metric);
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
	if (compare_is(metric, "verdict", COMPARISON_SAME_WITHIN)) {
		write_same(stream, second, metric);
	} else if (compare_is(metric, "verdict", COMPARISON_NOT_DISTINGUISHABLE)) {
		(void)fprintf(stream, "NOT DISTINGUISHABLE: %s could be anything from ", second);
		write_range(stream, metric);
		(void)fputc('.', stream);
	} else {
		write_proven(stream, second, metric);
	}
	write_power(stream, metric);
}
