/* SPDX-License-Identifier: MIT */
/*
 * lib/stats.c against published values: all nine univariate sets of NIST StRD with GSL's
 * tolerances (the measured ones are in tests/data/nist), R, SciPy and go-moremath; and properties
 * on random data.
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

/* Room for the largest set, PiDigits. */
#define MOST_VALUES 5000

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

/* Read tests/data/nist/NAME.txt: numbers between blanks. Return: how many. */
static size_t read_set(const char *name, double *values)
{
	char path[512];
	size_t n = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/nist/%s.txt", TEST_DATA_DIR, name);
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	while (n < MOST_VALUES && fscanf(file, "%lf", &values[n]) == 1)
		n++;
	(void)fscanf(file, " ");
	assert_true(feof(file));
	(void)fclose(file);
	return n;
}

/* What NIST certifies of a set, and GSL's relative tolerances for each. */
struct certified {
	double mean, sd, lag_1;
	double mean_tolerance, sd_tolerance, lag_1_tolerance;
};

static void assert_certified(const double *values, size_t n, const struct certified *certified)
{
	assert_relative(stats_mean(values, n), certified->mean, certified->mean_tolerance);
	assert_relative(stats_sd(values, n), certified->sd, certified->sd_tolerance);
	assert_relative(stats_autocorrelation(values, n, 1), certified->lag_1,
			certified->lag_1_tolerance);
}

/* PiDigits is as GSL has it and as its figures demand: the 957th digit is 3, where pi has 8. */
static void test_nist_sets(void **state)
{
	static const struct {
		const char *name;
		size_t n;
		struct certified certified;
	} sets[] = {
		{"Lew", 200, {-177.435, 277.332168044316, -0.307304800605679, 1e-15, 1e-15, 1e-14}},
		{"Lottery",
		 218,
		 {518.958715596330, 291.699727470969, -0.120948622967393, 1e-15, 1e-15, 1e-14}},
		{"Mavro",
		 50,
		 {2.001856, 0.000429123454003053, 0.937989183438248, 1e-15, 1e-13, 1e-13}},
		{"Michelso",
		 100,
		 {299.8524, 0.0790105478190518, 0.535199668621283, 1e-15, 1e-13, 1e-13}},
		{"PiDigits",
		 5000,
		 {4.5348, 2.86733906028871, -0.00355099287237972, 1e-14, 1e-15, 1e-14}},
	};
	static double values[MOST_VALUES];

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		size_t n = read_set(sets[i].name, values);

		assert_int_equal(n, sets[i].n);
		assert_certified(values, n, &sets[i].certified);
	}
}

static void test_nist_accuracy_sets(void **state)
{
	static const struct certified first = {10000002, 1, -0.5, 1e-15, 1e-15, 1e-15};
	static const struct {
		double middle, sd_tolerance;
	} sets[] = {{1, 1e-15}, {1000000, 1e-9}, {10000000, 1e-7}};
	double values[N_ACCURACY];

	(void)state;
	assert_certified(num_acc_1, 3, &first);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct certified certified = {sets[i].middle + 0.2, 0.1,	-0.999, 1e-15,
						    sets[i].sd_tolerance, 1e-10};

		fill_accuracy(values, sets[i].middle);
		assert_certified(values, N_ACCURACY, &certified);
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

/* As printed by the NIST e-Handbook for Lew, and by R for acf(lh). */
static void test_autocorrelations(void **state)
{
	static const double lew[] = {1,	   -0.31, -0.74, 0.77,	0.21, -0.90,
				     0.38, 0.63,  -0.77, -0.12, 0.82};
	static const double hormone[] = {
		2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7, 2.2, 1.8, 3.2, 3.2,
		2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0, 2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3,
		2.6, 2.4, 1.8, 1.7, 1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9};
	static const double printed[] = {1,	 0.576,	 0.182,	 -0.145, -0.175, -0.150,
					 -0.021, -0.020, -0.004, -0.136, -0.154, -0.097,
					 0.049,	 0.120,	 0.087,	 0.119,	 0.151};
	static double values[MOST_VALUES];
	const double equal[] = {0.1, 0.1, 0.1};
	size_t n = read_set("Lew", values);

	(void)state;
	for (size_t lag = 0; lag < sizeof(lew) / sizeof(lew[0]); lag++)
		assert_near(stats_autocorrelation(values, n, lag), lew[lag], 0.005);
	for (size_t lag = 0; lag < sizeof(printed) / sizeof(printed[0]); lag++)
		assert_near(stats_autocorrelation(hormone, 48, lag), printed[lag], 0.0005);
	assert_relative(stats_autocorrelation(hormone, 48, 1), 0.5755244755244755, 1e-13);
	assert_true(stats_autocorrelation(num_acc_1, 3, 0) == 1);
	assert_true(isnan(stats_autocorrelation(num_acc_1, 3, 3)));
	assert_true(isnan(stats_autocorrelation(num_acc_1, 0, 0)));
	assert_true(isnan(stats_autocorrelation(equal, 3, 1)));
}

static void test_few_values(void **state)
{
	const double values[] = {3, 3, 3, 3}, pair[] = {1, 4}, neighbours[] = {1e16, 1e16 + 2};
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
	/* Their mean is no double; what it misses must not count as spread. */
	assert_relative(stats_sd(neighbours, 2), sqrt(2), 1e-15);
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
		{-3.9703446152237674, 6, 0.0073640592242113214},
		{-17, 3, 0.00044334353831207749},
		{1.672484020014184, 2.2284550575190236, 0.22350849124010688},
		{0, 6, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_relative(2 * stats_t_cdf(-fabs(cases[i].t), cases[i].df), cases[i].p, 1e-11);
	/* go-moremath and R's PairedData, one-sided. */
	assert_relative(stats_t_cdf(-3.9703446152237674, 5.584615384615385), 0.004256431565689112,
			1e-11);
	assert_relative(stats_t_cdf(4.2461168970325, 7.920033326594712), 0.9985605452443, 1e-12);
	assert_relative(stats_t_cdf(-4.2461168970325, 7.920033326594712), 0.001439454755672, 1e-11);
}

static void test_intervals(void **state)
{
	const double mixed[] = {-8, 2, 3, 4, 5, 6}, before[] = {5.02, 5.23, 5.27};
	const double ten[] = {5.02, 5.23, 5.27, 5.11, 5.19, 5.24, 5.16, 5.21, 5.08, 5.25};
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
	/* 5.176 [5.12, 5.23] */
	summary = stats_summarise(ten, 10, 0.95);
	assert_near(summary.mean, 5.176, 1e-14);
	assert_near(summary.sd, 0.082, 0.0005);
	assert_near(summary.ci_low, 5.12, 0.005);
	assert_near(summary.ci_high, 5.23, 0.005);
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
	assert_relative(stats_power(20, 1, 0.05), 0.8689528016921225, 1e-9);
	assert_relative(stats_power(4, 1, 0.05), 0.22246333835457519, 1e-9);
	/* R: power.t.test(delta = 1, power = .80) is n = 16.71477, with .90 it is 22.02110. */
	assert_int_equal(stats_needed_n(1, 0.8, 0.05), 17);
	assert_int_equal(stats_needed_n(1, 0.9, 0.05), 23);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_near(stats_detectable_effect(cases[i].n, 0.8, 0.05), cases[i].effect,
			    cases[i].printed);
}

/* (t(1 - alpha / 2) + t(power)) sqrt(2 / n) needs no noncentral t, and is near from n = 3 on. */
static void test_detectable_effect_has_a_shortcut(void **state)
{
	(void)state;
	for (size_t n = 3; n <= 30; n++) {
		double df = 2 * (double)n - 2;
		double sum = stats_t_quantile(0.975, df) + stats_t_quantile(0.8, df);

		assert_relative(stats_detectable_effect(n, 0.8, 0.05), sum * sqrt(2 / (double)n),
				0.012);
	}
	assert_near(stats_detectable_effect(3, 0.8, 0.05), 3.071, 0.0005);
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
		cmocka_unit_test(test_autocorrelations),
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
		cmocka_unit_test(test_detectable_effect_has_a_shortcut),
		cmocka_unit_test(test_needed_runs),
		cmocka_unit_test(test_properties),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
