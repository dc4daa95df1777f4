/* SPDX-License-Identifier: MIT */
/*
 * lib/stats.c against published values: NIST StRD (the univariate sets but Lottery and PiDigits,
 * with GSL's tolerances), R, SciPy and go-moremath; and properties on random data.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "stats.h"

#define N_ACCURACY 1001

static const double lew[] = {
	-213, -564, -35,  -15,	141,  115,  -420, -360, 203,  -338, -431, 194,	-220, -513, 154,
	-125, -559, 92,	  -21,	-579, -52,  99,	  -543, -175, 162,  -457, -346, 204,  -300, -474,
	164,  -107, -572, -8,	83,   -541, -224, 180,	-420, -374, 201,  -236, -531, 83,   27,
	-564, -112, 131,  -507, -254, 199,  -311, -495, 143,  -46,  -579, -90,	136,  -472, -338,
	202,  -287, -477, 169,	-124, -568, 17,	  48,	-568, -135, 162,  -430, -422, 172,  -74,
	-577, -13,  92,	  -534, -243, 194,  -355, -465, 156,  -81,  -578, -64,	139,  -449, -384,
	193,  -198, -538, 110,	-44,  -577, -6,	  66,	-552, -164, 161,  -460, -344, 205,  -281,
	-504, 134,  -28,  -576, -118, 156,  -437, -381, 200,  -220, -540, 83,	11,   -568, -160,
	172,  -414, -408, 188,	-125, -572, -32,  139,	-492, -321, 205,  -262, -504, 142,  -83,
	-574, 0,    48,	  -571, -106, 137,  -501, -266, 190,  -391, -406, 194,	-186, -553, 83,
	-13,  -577, -49,  103,	-515, -280, 201,  300,	-506, 131,  -45,  -578, -80,  138,  -462,
	-361, 201,  -211, -554, 32,   74,   -533, -235, 187,  -372, -442, 182,	-147, -566, 25,
	68,   -535, -244, 194,	-351, -463, 174,  -125, -570, 15,   72,	  -550, -190, 172,  -424,
	-385, 198,  -218, -536, 96};

static const double mavro[] = {
	2.00180, 2.00170, 2.00180, 2.00190, 2.00180, 2.00170, 2.00150, 2.00140, 2.00150, 2.00150,
	2.00170, 2.00180, 2.00180, 2.00190, 2.00190, 2.00210, 2.00200, 2.00160, 2.00140, 2.00130,
	2.00130, 2.00150, 2.00150, 2.00160, 2.00150, 2.00140, 2.00130, 2.00140, 2.00150, 2.00140,
	2.00150, 2.00160, 2.00150, 2.00160, 2.00190, 2.00200, 2.00200, 2.00210, 2.00220, 2.00230,
	2.00240, 2.00250, 2.00270, 2.00260, 2.00260, 2.00260, 2.00270, 2.00260, 2.00250, 2.00240};

static const double michelso[] = {
	299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98, 299.88,
	300.00, 299.98, 299.93, 299.65, 299.76, 299.81, 300.00, 300.00, 299.96, 299.96,
	299.96, 299.94, 299.96, 299.94, 299.88, 299.80, 299.85, 299.88, 299.90, 299.84,
	299.83, 299.79, 299.81, 299.88, 299.88, 299.83, 299.80, 299.79, 299.76, 299.80,
	299.88, 299.88, 299.88, 299.86, 299.72, 299.72, 299.62, 299.86, 299.97, 299.95,
	299.88, 299.91, 299.85, 299.87, 299.84, 299.84, 299.85, 299.84, 299.84, 299.84,
	299.89, 299.81, 299.81, 299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76,
	299.91, 299.92, 299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78,
	299.89, 299.84, 299.78, 299.81, 299.76, 299.81, 299.79, 299.81, 299.82, 299.85,
	299.87, 299.87, 299.81, 299.74, 299.81, 299.94, 299.95, 299.80, 299.81, 299.87};

static const double num_acc_1[] = {10000001, 10000003, 10000002};

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static void assert_relative(double value, double expected, double tolerance)
{
	assert_near(value, expected, fabs(expected) * tolerance);
}

/* NumAcc2 to 4: a first value, then 500 times two that lie around it. */
static void fill_accuracy(double *values, double middle)
{
	values[0] = middle + 0.2;
	for (size_t i = 1; i < N_ACCURACY; i += 2) {
		values[i] = middle + 0.1;
		values[i + 1] = middle + 0.3;
	}
}

static void test_nist_sets(void **state)
{
	static const struct {
		const double *values;
		size_t n;
		double mean, sd, mean_tolerance, sd_tolerance;
	} sets[] = {
		{lew, 200, -177.435, 277.332168044316, 1e-15, 1e-15},
		{mavro, 50, 2.001856, 0.000429123454003053, 1e-15, 1e-13},
		{michelso, 100, 299.8524, 0.0790105478190518, 1e-15, 1e-13},
		{num_acc_1, 3, 10000002, 1, 1e-15, 1e-15},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		assert_relative(stats_mean(sets[i].values, sets[i].n), sets[i].mean,
				sets[i].mean_tolerance);
		assert_relative(stats_sd(sets[i].values, sets[i].n), sets[i].sd,
				sets[i].sd_tolerance);
	}
}

/* What a one-pass sum of squares makes of a set; this is what must not be. */
static double textbook_variance(const double *values, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += values[i];
		squares += values[i] * values[i];
	}
	return (squares - sum * sum / (double)n) / (double)(n - 1);
}

static void test_nist_accuracy_sets(void **state)
{
	static const struct {
		double middle, sd_tolerance;
	} sets[] = {{1, 1e-15}, {1000000, 1e-9}, {10000000, 1e-7}};
	double values[N_ACCURACY];

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		fill_accuracy(values, sets[i].middle);
		assert_relative(stats_mean(values, N_ACCURACY), sets[i].middle + 0.2, 1e-15);
		assert_relative(stats_sd(values, N_ACCURACY), 0.1, sets[i].sd_tolerance);
	}
}

/* The tolerances above are worth something: the textbook's variance, not 0.01, is far outside. */
static void test_textbook_formula_fails(void **state)
{
	double values[N_ACCURACY];

	(void)state;
	fill_accuracy(values, 1000000);
	assert_true(fabs(textbook_variance(values, N_ACCURACY) - 0.01) > 1e-4);
	/* Its sums are multiples of 16 here, so that its nearest values are 0 and 0.016. */
	fill_accuracy(values, 10000000);
	assert_true(fabs(textbook_variance(values, N_ACCURACY) - 0.01) > 0.005);
}

static void test_few_values(void **state)
{
	const double values[] = {3, 3, 3, 3}, pair[] = {1, 4};
	struct stats_summary summary = stats_summarise(values, 0, 0.95);

	(void)state;
	assert_int_equal(summary.n, 0);
	assert_true(isnan(summary.mean) && isnan(summary.sd));
	assert_true(isnan(summary.ci_low) && isnan(summary.ci_high));
	assert_true(isnan(stats_mean(values, 0)));
	assert_true(isnan(stats_sd(values, 0)));
	assert_true(isnan(stats_sd(values, 1)));
	assert_true(isnan(stats_quantile(values, 0, 0.5)));
	assert_true(isnan(stats_quantile(values, 0, 1)));
	assert_true(stats_mean(values, 1) == 3);
	assert_true(stats_sd(values, 4) == 0);
	assert_true(stats_quantile(values, 1, 0.1) == 3);
	/* n = 2: sd = 3 / sqrt(2), and t with one degree of freedom is tan(0.475 pi). */
	assert_near(stats_mean(pair, 2), 2.5, 0);
	assert_relative(stats_sd(pair, 2), 3 / sqrt(2), 1e-15);
	summary = stats_summarise(pair, 2, 0.95);
	assert_relative(summary.ci_high, 2.5 + 1.5 * tan(0.475 * acos(-1)), 1e-11);
}

/* Numbers that are no sums of powers of two leave a rest in the mean, but none in the spread. */
static void test_equal_values_have_no_spread(void **state)
{
	const double equal[] = {0.1, 5.27, 1.0 / 3, 1e-9, 123456789.123};
	double values[N_ACCURACY];

	(void)state;
	for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++) {
		struct stats_summary summary;

		for (size_t j = 0; j < N_ACCURACY; j++)
			values[j] = equal[i];
		for (size_t n = 2; n <= N_ACCURACY; n++) {
			assert_true(stats_mean(values, n) == equal[i]);
			assert_true(stats_sd(values, n) == 0);
		}
		summary = stats_summarise(values, 3, 0.95);
		assert_true(summary.ci_low == equal[i] && summary.ci_high == equal[i]);
	}
}

static void test_quantiles_interpolate(void **state)
{
	const double values[] = {40, 10, 30, 20};

	(void)state;
	/* R: quantile(c(10, 20, 30, 40), c(0, .1, .25, .5, 1)) */
	assert_near(stats_quantile(values, 4, 0), 10, 1e-12);
	assert_near(stats_quantile(values, 4, 0.1), 13, 1e-12);
	assert_near(stats_quantile(values, 4, 0.25), 17.5, 1e-12);
	assert_near(stats_quantile(values, 4, 0.5), 25, 1e-12);
	assert_near(stats_quantile(values, 4, 1), 40, 1e-12);
	assert_true(values[0] == 40);
}

/* scipy.stats.trim_mean's examples, and R's for mean(trim =). */
static void test_trimmed_means(void **state)
{
	static const struct {
		double values[20];
		size_t n;
		double share, expected;
	} cases[] = {
		{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
		 20,
		 0.1,
		 9.5},
		{{1, 2, 3, 5}, 4, 0.25, 2.5},
		{{5, 3, 1, 2}, 4, 0.24999, 2.75},
		{{50, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 12, 0.1, 5.5},
		{{50, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 12, 0, 8.75},
		{{0, 1, 2, 3}, 4, 0.25, 1.5},
		{{4, 5, 6, 7}, 4, 0.25, 5.5},
		{{8, 9, 10, 11}, 4, 0.25, 9.5},
		{{12, 13, 14, 15}, 4, 0.25, 13.5},
		{{16, 17, 18, 19}, 4, 0.25, 17.5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trim trim = {.kind = TRIM_SHARE, .share = cases[i].share};
		double mean;

		assert_int_equal(stats_trimmed_mean(cases[i].values, cases[i].n,
						    trim_cut(&trim, cases[i].n), &mean),
				 0);
		assert_near(mean, cases[i].expected, 1e-12);
	}
}

static void test_cuts_are_floors(void **state)
{
	static const struct {
		double share;
		size_t n, k;
	} cases[] = {{0.1, 30, 3},    {0.07, 100, 7}, {0.1, 29, 2}, {0.1, 9, 0},    {0, 50, 0},
		     {0.49, 100, 49}, {0.2, 0, 0},    {0.3, 10, 3}, {0.29, 100, 29}};
	const struct trim eight = {.kind = TRIM_COUNT, .count = 8};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct trim trim = {.kind = TRIM_SHARE, .share = cases[i].share};

		assert_int_equal(trim_cut(&trim, cases[i].n), cases[i].k);
	}
	assert_int_equal(trim_cut(&eight, 3), 8);
}

static void test_trimming_everything_is_refused(void **state)
{
	const double values[] = {1, 2, 3, 4};
	double mean = 42;

	(void)state;
	assert_int_equal(stats_trimmed_mean(values, 4, 2, &mean), -EINVAL);
	assert_int_equal(stats_trimmed_mean(values, 4, SIZE_MAX, &mean), -EINVAL);
	assert_int_equal(stats_trimmed_mean(values, 0, 0, &mean), -EINVAL);
	assert_true(mean == 42);
	assert_int_equal(stats_trimmed_mean(values, 3, 1, &mean), 0);
	assert_true(mean == 2);
}

static void test_critical_values_of_t(void **state)
{
	static const struct {
		double df, t;
	} cases[] = {
		{2, 4.302652729749463},	  {4, 2.7764451051977943},
		{10, 2.2281388519862757}, {28, 2.0484071417952476},
		{29, 2.0452296421327016}, {30, 2.0422724563012364},
		{120, 1.979930405082441}, {2.2284550575190236, 3.9064065928672242},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_relative(stats_t_quantile(0.975, cases[i].df), cases[i].t, 1e-12);
		assert_relative(stats_t_quantile(0.025, cases[i].df), -cases[i].t, 1e-12);
		assert_relative(stats_t_cdf(cases[i].t, cases[i].df), 0.975, 1e-12);
	}
	assert_near(stats_t_cdf(0, 7), 0.5, 1e-15);
}

/* Two-sided p of published Welch tests: R's sleep, go-moremath, the table of seeds/004. */
static void test_tails_of_t(void **state)
{
	static const struct {
		double t, df, p;
	} cases[] = {
		{-1.860813467486853, 17.776473516178495, 0.0793941401873581},
		{-4.062127683382037, 9, 0.0028328901973842632},
		{-3.9703446152237674, 5.584615384615385, 0.0085128631313781695},
		{-17, 3, 0.00044334353831207749},
		{1.672484020014184, 2.2284550575190236, 0.22350849124010688},
		{0, 6, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_relative(2 * stats_t_cdf(-fabs(cases[i].t), cases[i].df), cases[i].p, 1e-11);
}

static void test_intervals(void **state)
{
	const double mixed[] = {-8, 2, 3, 4, 5, 6}, before[] = {5.02, 5.23, 5.27};
	struct stats_summary summary = stats_summarise(mixed, 6, 0.95);

	(void)state;
	/* go-moremath, stats/sample_test.go */
	assert_near(summary.mean, 2, 1e-15);
	assert_near(summary.ci_low, -3.351092806089359, 1e-10);
	assert_near(summary.ci_high, 7.351092806089359, 1e-10);
	summary = stats_summarise(mixed, 6, 0.99);
	assert_near(summary.ci_low, -6.39357495385287, 1e-10);
	assert_near(summary.ci_high, 10.39357495385287, 1e-10);
	/* 5.17 [4.84, 5.51] */
	summary = stats_summarise(before, 3, 0.95);
	assert_near(summary.mean, 5.173333333333333, 1e-12);
	assert_near(summary.ci_low, 4.839743, 1e-6);
	assert_near(summary.ci_high, 5.506924, 1e-6);
	summary = stats_summarise(before, 1, 0.95);
	assert_near(summary.mean, 5.02, 0);
	assert_true(isnan(summary.sd) && isnan(summary.ci_low) && isnan(summary.ci_high));
}

/* R: power.t.test(n = 20, delta = 1), power.t.test(n = 4, delta = 1); derived detectable effects.
 */
static void test_power(void **state)
{
	static const struct {
		size_t n;
		double effect, printed;
	} cases[] = {{2, 5.65, 0.005},	  {3, 3.07, 0.005},   {4, 2.38, 0.005},	 {5, 2.02, 0.005},
		     {6, 1.80, 0.005},	  {8, 1.51, 0.005},   {10, 1.32, 0.005}, {15, 1.06, 0.005},
		     {20, 0.909, 0.0005}, {30, 0.736, 0.0005}};

	(void)state;
	assert_near(stats_power(20, 1, 0.05), 0.8689528, 1e-6);
	assert_near(stats_power(4, 1, 0.05), 0.2224633, 1e-6);
	/* R: power.t.test(delta = 1, power = .80) is n = 16.71477, with .90 it is 22.02110. */
	assert_int_equal(stats_needed_n(1, 0.8, 0.05), 17);
	assert_int_equal(stats_needed_n(1, 0.9, 0.05), 23);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_near(stats_detectable_effect(cases[i].n, 0.8, 0.05), cases[i].effect,
			    cases[i].printed);
}

/* The table of seeds/004: its difference takes 10 runs a side. */
static void test_needed_runs(void **state)
{
	const double before[] = {5.02, 5.23, 5.27}, after[] = {5.27, 5.33, 5.32};
	double sd_before = stats_sd(before, 3), sd_after = stats_sd(after, 3);
	double sd = sqrt((sd_before * sd_before + sd_after * sd_after) / 2);
	double effect = (stats_mean(after, 3) - stats_mean(before, 3)) / sd;

	(void)state;
	assert_int_equal(stats_needed_n(effect, 0.8, 0.05), 10);
	assert_near(stats_power(10, effect, 0.05), 0.823, 0.0005);
	assert_near(stats_power(9, effect, 0.05), 0.776, 0.0005);
	assert_near(stats_detectable_effect(3, 0.8, 0.05) * sd, 0.30, 0.005);
	assert_int_equal(stats_needed_n(100, 0.8, 0.05), 2);
	assert_int_equal(stats_needed_n(1e-9, 0.8, 0.05), 0);
}

static void shuffle(double *values, size_t n)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)rand() % (i + 1);
		double value = values[i];

		values[i] = values[j];
		values[j] = value;
	}
}

/* Moving, stretching and shuffling values does what it must to every figure. */
static void test_properties(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	double values[100], moved[100], shuffled[100], trimmed, trimmed_too;
	struct stats_summary summary, moved_summary;

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	for (size_t i = 0; i < 100; i++)
		values[i] = (double)rand() / RAND_MAX;
	for (size_t i = 0; i < 100; i++) {
		moved[i] = 3 * values[i] + 7;
		shuffled[i] = values[i];
	}
	shuffle(shuffled, 100);
	assert_near(stats_mean(moved, 100), 3 * stats_mean(values, 100) + 7, 1e-12);
	assert_near(stats_sd(moved, 100), 3 * stats_sd(values, 100), 1e-12);
	assert_near(stats_quantile(moved, 100, 0.3), 3 * stats_quantile(values, 100, 0.3) + 7,
		    1e-12);
	assert_near(stats_mean(shuffled, 100), stats_mean(values, 100), 1e-15);
	assert_true(stats_quantile(shuffled, 100, 0.9) == stats_quantile(values, 100, 0.9));
	summary = stats_summarise(values, 100, 0.95);
	moved_summary = stats_summarise(moved, 100, 0.95);
	assert_near(moved_summary.ci_low, 3 * summary.ci_low + 7, 1e-12);
	assert_near(moved_summary.ci_high, 3 * summary.ci_high + 7, 1e-12);
	assert_near(stats_sd(shuffled, 100), summary.sd, 1e-15);
	for (size_t k = 0; k < 50; k++) {
		assert_int_equal(stats_trimmed_mean(values, 100, k, &trimmed), 0);
		assert_int_equal(stats_trimmed_mean(moved, 100, k, &trimmed_too), 0);
		assert_near(trimmed_too, 3 * trimmed + 7, 1e-12);
		/* Sorted first, so that the order of the input cannot matter even to rounding. */
		assert_int_equal(stats_trimmed_mean(shuffled, 100, k, &trimmed_too), 0);
		assert_true(trimmed_too == trimmed);
	}
	for (int percent = 1; percent < 100; percent += 7)
		for (int df = 1; df < 200; df = df * 2 + 1)
			assert_near(stats_t_cdf(stats_t_quantile(percent / 100.0, df), df),
				    percent / 100.0, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nist_sets),
		cmocka_unit_test(test_nist_accuracy_sets),
		cmocka_unit_test(test_textbook_formula_fails),
		cmocka_unit_test(test_few_values),
		cmocka_unit_test(test_equal_values_have_no_spread),
		cmocka_unit_test(test_quantiles_interpolate),
		cmocka_unit_test(test_trimmed_means),
		cmocka_unit_test(test_cuts_are_floors),
		cmocka_unit_test(test_trimming_everything_is_refused),
		cmocka_unit_test(test_critical_values_of_t),
		cmocka_unit_test(test_tails_of_t),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_needed_runs),
		cmocka_unit_test(test_properties),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
