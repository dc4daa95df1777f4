/* SPDX-License-Identifier: MIT */
/*
 * The values of two tables: three runs a side of a kernel patch's CPU load in percent, which do not
 * tell the sides apart, and ten runs a side, which do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict.h"

static const double before3[] = {5.02, 5.23, 5.27};
static const double after3[] = {5.27, 5.33, 5.32};
static const double before10[] = {5.02, 5.23, 5.27, 5.11, 5.19, 5.24, 5.16, 5.21, 5.08, 5.25};
static const double after10[] = {5.27, 5.33, 5.32, 5.29, 5.38, 5.31, 5.24, 5.36, 5.30, 5.28};
static const double flat[] = {2, 2, 2};
static const double other_flat[] = {3, 3, 3};

#define near(value, expected) assert_true(fabs((value) - (expected)) < 1e-9)
#define N(array)	      (sizeof(array) / sizeof((array)[0]))

static struct verdict reach(const double *first, size_t n_first, const double *second,
			    size_t n_second, double min_effect)
{
	struct verdict_values values = {first, n_first, second, n_second, NULL, 0};
	struct verdict_rules rules = {.confidence = 0.95, .min_effect = min_effect};
	struct verdict verdict;

	assert_int_equal(verdict_reach(&values, &rules, &verdict), 0);
	return verdict;
}

static void three_runs_a_side_are_not_distinguishable(void **state)
{
	struct verdict v = reach(before3, 3, after3, 3, 0);

	(void)state;
	assert_int_equal(v.word, VERDICT_NOT_DISTINGUISHABLE);
	assert_int_equal(v.obstacle, VERDICT_TESTED);
	near(v.result.difference, 0.4 / 3);
	near(v.result.ci_low, -0.17809219070717752);
	near(v.result.ci_high, 0.444758857373845);
	near(v.result.t, 1.672484020014184);
	near(v.result.df, 2.2284550575190236);
	near(v.result.p, 0.22350849124010688);
	assert_true(fabs(v.detectable - 0.2998) < 0.0005);
	assert_int_equal(v.n_needed, 10);
}

static void ten_runs_a_side_show_more(void **state)
{
	struct verdict v = reach(before10, 10, after10, 10, 0);

	(void)state;
	assert_int_equal(v.word, VERDICT_MORE);
	near(v.result.difference, 0.132);
	near(v.result.p, 0.0005329983924029779);
	assert_int_equal(v.n_needed, 0);
	v = reach(after10, 10, before10, 10, 0);
	assert_int_equal(v.word, VERDICT_LESS);
	near(v.result.difference, -0.132);
}

/* The interval is 0.069 to 0.195. */
static void minimum_effect_decides_what_is_the_same(void **state)
{
	(void)state;
	assert_int_equal(reach(before10, 10, after10, 10, 0.2).word, VERDICT_SAME_WITHIN);
	assert_int_equal(reach(before10, 10, after10, 10, 0.19).word, VERDICT_MORE);
	assert_int_equal(reach(before3, 3, after3, 3, 0.4).word, VERDICT_NOT_DISTINGUISHABLE);
	assert_int_equal(reach(before3, 3, after3, 3, 0.45).word, VERDICT_SAME_WITHIN);
}

static void degenerate_sides_get_no_word(void **state)
{
	const struct {
		const double *first;
		size_t n_first;
		const double *second;
		size_t n_second;
		enum verdict_obstacle expected;
	} cases[] = {
		{before3, 0, after3, 3, VERDICT_NO_VALUES},
		{before3, 3, after3, 0, VERDICT_NO_VALUES},
		{before3, 0, after3, 0, VERDICT_NO_VALUES},
		{before3, 1, after3, 3, VERDICT_ONE_VALUE},
		{before3, 3, after3, 1, VERDICT_ONE_VALUE},
		{before3, 1, after3, 1, VERDICT_ONE_VALUE},
		{before3, 3, before3, 3, VERDICT_SAME_RUNS},
		{flat, 3, flat, 3, VERDICT_EQUAL},
		{flat, 3, flat, 2, VERDICT_EQUAL},
		{flat, 3, other_flat, 3, VERDICT_NO_SPREAD},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct verdict v = reach(cases[i].first, cases[i].n_first, cases[i].second,
					 cases[i].n_second, 10);

		assert_int_equal(v.obstacle, cases[i].expected);
		assert_int_equal(v.word, VERDICT_NONE);
	}
	near(reach(flat, 3, other_flat, 3, 0).result.difference, 1);
	near(reach(before3, 1, after3, 3, 0).result.difference, 15.92 / 3 - 5.02);
}

static void one_flat_side_is_tested_by_the_other(void **state)
{
	struct verdict v = reach(flat, 3, before3, 3, 0);

	(void)state;
	assert_int_equal(v.word, VERDICT_MORE);
	near(v.result.df, 2);
}

static void two_runs_a_side_are_tested_widely(void **state)
{
	struct verdict v = reach(before3, 2, after3, 2, 0);

	(void)state;
	assert_int_equal(v.word, VERDICT_NOT_DISTINGUISHABLE);
	assert_true(v.result.ci_high - v.result.ci_low > 1);
}

static void blocks_are_tested_by_their_differences(void **state)
{
	static const double a[] = {5.02, 5.10, 5.11, 5.15, 5.18, 5.21, 5.22, 5.27};
	static const double b[] = {5.31, 5.33, 5.29, 5.35, 5.38, 5.40, 5.41, 5.44};
	static const double blocks[] = {0.260, 0.190, 0.195, 0.180};
	struct verdict_values values = {a, N(a), b, N(b), blocks, N(blocks)};
	struct verdict_rules rules = {.confidence = 0.95};
	struct verdict v;

	(void)state;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.word, VERDICT_MORE);
	assert_int_equal(v.test, VERDICT_PAIRED);
	near(v.result.difference, 0.20625);
	assert_true(fabs(v.result.t - 11.341166) < 1e-6);
	assert_true(fabs(v.result.ci_low - 0.148374) < 1e-6);
	assert_true(fabs(v.result.ci_high - 0.264126) < 1e-6);
	values.n_differences = 1;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.obstacle, VERDICT_ONE_VALUE);
}

static void robust_needs_ten_values_a_side(void **state)
{
	struct verdict_values values = {before10, 10, after10, 10, NULL, 0};
	struct verdict_rules rules = {.confidence = 0.95, .robust = true};
	struct verdict v;

	(void)state;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.test, VERDICT_YUEN);
	assert_int_equal(v.word, VERDICT_MORE);
	assert_true(v.rank_p > 0 && v.rank_p < 0.01);
	values.n_first = 9;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.test, VERDICT_WELCH);
}

static void unequal_sides_count_as_their_harmonic_mean(void **state)
{
	struct verdict v = reach(before10, 10, after10, 3, 0);
	double pooled = sqrt((9 * v.first.sd * v.first.sd + 2 * v.second.sd * v.second.sd) / 11);

	(void)state;
	/* 2 * 10 * 3 / 13 = 4.6: what four runs a side show, 2.38 standard deviations. */
	assert_true(fabs(v.detectable / pooled - 2.38) < 0.005);
}

/* Without a word nothing is left that could be read as one. */
static void what_is_not_tested_has_no_interval(void **state)
{
	struct verdict v = reach(before3, 3, before3, 3, 0);

	(void)state;
	assert_int_equal(v.obstacle, VERDICT_SAME_RUNS);
	near(v.result.difference, 0);
	assert_true(isnan(v.result.ci_low) && isnan(v.result.ci_high) && isnan(v.result.p));
}

/* 0.3 - 0.1, 0.4 - 0.2 and 0.5 - 0.3 differ by the rounding of doubles and by nothing else. */
static void rounding_is_no_spread(void **state)
{
	static const double a[] = {0.1, 0.1, 0.2, 0.2, 0.3, 0.3};
	static const double b[] = {0.3, 0.3, 0.4, 0.4, 0.5, 0.5};
	const double blocks[] = {0.3 - 0.1, 0.4 - 0.2, 0.5 - 0.3};
	const double means[] = {(0.1 + 0.2 + 0.3) / 3, 0.2};
	struct verdict_values values = {a, N(a), b, N(b), blocks, N(blocks)};
	struct verdict_rules rules = {.confidence = 0.95};
	struct verdict v;

	(void)state;
	assert_true(blocks[0] != blocks[1] && means[0] != means[1]);
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.obstacle, VERDICT_NO_SPREAD);
	assert_int_equal(reach(means, 2, means, 1, 0).obstacle, VERDICT_ONE_VALUE);
	assert_int_equal(reach(means, 2, flat, 2, 0).obstacle, VERDICT_NO_SPREAD);
	assert_int_equal(reach(means, 2, (const double[]){0.2, 0.2}, 2, 0).obstacle, VERDICT_EQUAL);
}

static void blocks_without_difference_are_no_verdict(void **state)
{
	static const double blocks[] = {0, 0, 0};
	struct verdict_values values = {before3, 3, before3, 3, blocks, 3};
	struct verdict_rules rules = {.confidence = 0.95, .min_effect = 1};
	struct verdict v;

	(void)state;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.obstacle, VERDICT_NO_SPREAD);
	assert_int_equal(v.word, VERDICT_NONE);
}

static void values_beyond_arithmetic_are_no_verdict(void **state)
{
	static const double large[] = {1e308, 1.5e308, -1e308}, squares[] = {1e200, 2e200, 3e200};

	(void)state;
	assert_int_equal(reach(large, 2, before3, 3, 0).obstacle, VERDICT_TOO_LARGE);
	assert_int_equal(reach(before3, 3, large, 3, 0).obstacle, VERDICT_TOO_LARGE);
	assert_int_equal(reach(squares, 3, squares, 2, 0).obstacle, VERDICT_TOO_LARGE);
}

/* What is needed is for the effect that was asked about: the one seen is an accident of the runs.
 */
static void needed_runs_are_for_the_minimum_effect(void **state)
{
	struct verdict_values values = {before3, 3, after3, 3, (const double[]){1, 2, -1, 0}, 4};
	struct verdict_rules rules = {.confidence = 0.95, .min_effect = 0.5};
	struct verdict v = reach(before3, 3, after3, 3, 0.1);

	(void)state;
	assert_int_equal(v.word, VERDICT_NOT_DISTINGUISHABLE);
	assert_int_equal(v.n_needed, 16);
	assert_int_equal(reach(before3, 3, after3, 3, 0.15).n_needed, 8);
	assert_int_equal(reach(before3, 3, after3, 3, 0.2).n_needed, 5);
	/* As many as there are are no advice. */
	assert_int_equal(reach(before3, 3, after3, 3, 0.4).word, VERDICT_NOT_DISTINGUISHABLE);
	assert_int_equal(reach(before3, 3, after3, 3, 0.4).n_needed, 0);
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_int_equal(v.word, VERDICT_NOT_DISTINGUISHABLE);
	/* (2.0 + 0.85) 1.29 / sqrt(n) <= 0.5 */
	assert_in_range(v.n_needed, 52, 57);
	rules.min_effect = 0;
	assert_int_equal(verdict_reach(&values, &rules, &v), 0);
	assert_in_range(v.n_needed, 52, 57);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_runs_a_side_are_not_distinguishable),
		cmocka_unit_test(ten_runs_a_side_show_more),
		cmocka_unit_test(minimum_effect_decides_what_is_the_same),
		cmocka_unit_test(degenerate_sides_get_no_word),
		cmocka_unit_test(one_flat_side_is_tested_by_the_other),
		cmocka_unit_test(two_runs_a_side_are_tested_widely),
		cmocka_unit_test(blocks_are_tested_by_their_differences),
		cmocka_unit_test(robust_needs_ten_values_a_side),
		cmocka_unit_test(unequal_sides_count_as_their_harmonic_mean),
		cmocka_unit_test(what_is_not_tested_has_no_interval),
		cmocka_unit_test(rounding_is_no_spread),
		cmocka_unit_test(blocks_without_difference_are_no_verdict),
		cmocka_unit_test(values_beyond_arithmetic_are_no_verdict),
		cmocka_unit_test(needed_runs_are_for_the_minimum_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
