/* SPDX-License-Identifier: MIT */
/*
 * lib/htest.c against published values (R, SciPy's tests, go-moremath, WRS2, NIST) and against
 * 40-digit arithmetic where these print fewer digits. Published tests are first minus second; here
 * their signs and the ends of their intervals are turned round.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "htest.h"

#define N(array)    (sizeof(array) / sizeof((array)[0]))
#define SIDE(array) (array), N(array)

/* R: sleep */
static const double drug_1[] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2.0};
static const double drug_2[] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
/* go-moremath */
static const double go_1[] = {2, 1, 3, 4};
static const double go_2[] = {6, 5, 7, 9};
/* Field, in WRS2: mischief without and with a cloak */
static const double no_cloak[] = {3, 1, 5, 4, 6, 4, 6, 2, 0, 5, 4, 5};
static const double cloak[] = {4, 3, 6, 6, 8, 5, 5, 4, 2, 5, 7, 5};
/* seeds/004 */
static const double before[] = {5.02, 5.23, 5.27};
static const double after[] = {5.27, 5.33, 5.32};
static const double before_10[] = {5.02, 5.23, 5.27, 5.11, 5.19, 5.24, 5.16, 5.21, 5.08, 5.25};
static const double after_10[] = {5.27, 5.33, 5.32, 5.29, 5.38, 5.31, 5.24, 5.36, 5.30, 5.28};
/* FreeBSD: ministat(1) */
static const double iguana[] = {50, 200, 150, 400, 750, 400, 150};
static const double chameleon[] = {150, 400, 720, 500, 930};
/* A B B A with a drift */
static const double blocks[][4] = {{5.02, 5.31, 5.33, 5.10},
				   {5.11, 5.29, 5.35, 5.15},
				   {5.18, 5.38, 5.40, 5.21},
				   {5.22, 5.41, 5.44, 5.27}};
/* R: PairedData, in SciPy's tests of trimmed t tests; the last pair is SAS's */
static const double yuen_1[] = {1, 2, 3};
static const double yuen_2[] = {1.1, 2.9, 4.2};
static const double yuen_3[] = {56, 128.6, 12, 123.8, 64.34, 78, 763.3};
static const double yuen_4[] = {2.7, 2.7, 1.1, 3.0, 1.9, 3.0, 3.8, 3.8, 0.3, 1.9, 1.9};
static const double yuen_5[] = {6.5, 5.4, 8.1, 3.5, 0.5, 3.8, 6.8, 4.9, 9.5, 6.2, 4.1};
static const double sas_1[] = {12, 14, 18, 25, 32, 44, 12, 14, 18, 25, 32, 44};
static const double sas_2[] = {17, 22, 14, 12, 30, 29, 19, 17, 22, 14, 12, 30, 29, 19};

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static void assert_relative(double value, double expected, double tolerance)
{
	assert_near(value, expected, fabs(expected) * tolerance);
}

static void assert_htest(const struct htest *result, const struct htest *expected, double tolerance)
{
	assert_relative(result->difference, expected->difference, tolerance);
	assert_relative(result->ci_low, expected->ci_low, tolerance);
	assert_relative(result->ci_high, expected->ci_high, tolerance);
	assert_relative(result->t, expected->t, tolerance);
	assert_relative(result->df, expected->df, tolerance);
	assert_relative(result->p, expected->p, tolerance);
}

/* Everything but the difference is NaN. */
static void assert_untested(const struct htest *result, double difference)
{
	assert_true(result->difference == difference);
	assert_true(isnan(result->ci_low) && isnan(result->ci_high));
	assert_true(isnan(result->t) && isnan(result->df) && isnan(result->p));
}

static void test_welch(void **state)
{
	static const struct {
		const double *first;
		size_t n_first;
		const double *second;
		size_t n_second;
		double confidence;
		struct htest expected;
	} cases[] = {
		{SIDE(drug_1),
		 SIDE(drug_2),
		 0.95,
		 {1.58, -0.20548323071171026, 3.3654832307117104, 1.860813467486853,
		  17.776473516178495, 0.0793941401873581}},
		{SIDE(go_1),
		 SIDE(go_2),
		 0.95,
		 {4.25, 1.58277937752599462, 6.91722062247400538, 3.9703446152237674,
		  5.584615384615385, 0.0085128631313781695}},
		{SIDE(no_cloak),
		 SIDE(cloak),
		 0.95,
		 {1.25, -0.264798003839181871, 2.76479800383918187, 1.71345938396514688,
		  21.5414052230847449, 0.100984669515182912}},
		{SIDE(before),
		 SIDE(after),
		 0.95,
		 {0.13333333333333333, -0.17809219070717752, 0.444758857373845, 1.672484020014184,
		  2.2284550575190236, 0.22350849124010688}},
		{SIDE(before_10),
		 SIDE(after_10),
		 0.95,
		 {0.132, 0.0691504384104791465, 0.194849561589520854, 4.524606354500384,
		  13.369519382244013, 0.0005329983924029779}},
		{SIDE(iguana),
		 SIDE(chameleon),
		 0.8,
		 {240, 13.2618226992260047, 466.738177300773995, 1.488839530990719,
		  7.42542832124250748, 0.177721841543404459}},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct htest result = htest_welch(cases[i].first, cases[i].n_first, cases[i].second,
						  cases[i].n_second, cases[i].confidence);

		assert_htest(&result, &cases[i].expected, 1e-11);
	}
}

/* The same from the digits that R, ministat and the derived tables print. */
static void test_welch_as_printed(void **state)
{
	struct htest sleep = htest_welch(SIDE(drug_1), SIDE(drug_2), 0.95);
	struct htest mischief = htest_welch(SIDE(no_cloak), SIDE(cloak), 0.95);
	struct htest ten = htest_welch(SIDE(before_10), SIDE(after_10), 0.95);
	struct htest lizards = htest_welch(SIDE(iguana), SIDE(chameleon), 0.95);
	struct htest same = htest_welch(SIDE(go_1), SIDE(go_1), 0.95);

	(void)state;
	assert_near(sleep.t, 1.8608, 5e-5);
	assert_near(sleep.df, 17.776, 5e-4);
	assert_near(sleep.p, 0.07939, 5e-6);
	assert_near(sleep.ci_low, -0.2054832, 5e-8);
	assert_near(sleep.ci_high, 3.3654832, 5e-8);
	assert_near(mischief.df, 21.541, 5e-4);
	assert_near(mischief.p, 0.101, 5e-4);
	assert_near(mischief.ci_low, -0.264798, 5e-7);
	assert_near(mischief.ci_high, 2.764798, 5e-7);
	assert_near(ten.ci_low, 0.069150438, 5e-10);
	assert_near(ten.ci_high, 0.194849562, 5e-10);
	assert_near(lizards.t, 1.488840, 5e-7);
	assert_near(lizards.df, 7.425428, 5e-7);
	assert_near(lizards.p, 0.177722, 5e-7);
	assert_true(same.difference == 0 && same.t == 0 && same.p == 1);
	assert_relative(same.df, 6, 1e-15);
}

/* values[n], n odd, that have exactly this mean and this standard deviation. */
static void fill_moments(double *values, size_t n, double mean, double sd)
{
	values[0] = mean;
	for (size_t i = 1; i < n; i++)
		values[i] = i % 2 ? mean + sd : mean - sd;
}

/* NIST e-Handbook 1.3.5.3: miles per gallon of American and Japanese cars, by their moments. */
static void test_welch_of_nist(void **state)
{
	double american[249], japanese[79];
	struct htest result;

	(void)state;
	fill_moments(american, 249, 20.14458, 6.414700);
	fill_moments(japanese, 79, 30.48101, 6.107710);
	result = htest_welch(SIDE(american), SIDE(japanese), 0.95);
	assert_relative(result.difference, 30.48101 - 20.14458, 1e-13);
	assert_relative(result.t, 12.946267565658848, 1e-12);
	assert_relative(result.df, 136.8749900936937, 1e-12);
}

static void test_paired(void **state)
{
	static const struct htest sleep = {
		1.58, 0.700114236723017201, 2.4598857632769828, 4.062127683382037,
		9,    0.0028328901973842632};
	static const struct htest abba = {
		0.20625, 0.14837415655483729,	0.26412584344516271, 11.3411660442872667,
		3,	 0.00147052980514195789};
	double differences[10], go[4], block[4];
	struct htest result;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		differences[i] = drug_2[i] - drug_1[i];
	result = htest_paired(differences, 10, 0.95);
	assert_htest(&result, &sleep, 1e-11);
	for (size_t i = 0; i < 4; i++)
		go[i] = go_2[i] - go_1[i];
	result = htest_paired(go, 4, 0.95);
	assert_relative(result.t, 17, 1e-14);
	assert_true(result.df == 3);
	assert_relative(result.p, 0.00044334353831207749, 1e-12);
	for (size_t i = 0; i < 4; i++)
		block[i] = (blocks[i][1] + blocks[i][2] - blocks[i][0] - blocks[i][3]) / 2;
	assert_near(block[0], 0.260, 1e-14);
	result = htest_paired(block, 4, 0.95);
	assert_htest(&result, &abba, 1e-11);
}

/* One side of a sample; and the drift that pairing takes away stays in Welch's interval. */
static void test_intervals(void **state)
{
	static const double mixed[] = {-8, 2, 3, 4, 5, 6};
	static const struct htest unpaired = {0.20625,
					      0.132927834747976851,
					      0.279572165252023149,
					      6.12312195428500505,
					      12.1019687539165671,
					      0.0000496705948158616939};
	struct htest result = htest_paired(SIDE(mixed), 0.95);
	double a[8], b[8];

	(void)state;
	assert_near(result.ci_low, -3.351092806089359, 1e-11);
	assert_near(result.ci_high, 7.351092806089359, 1e-11);
	result = htest_paired(SIDE(mixed), 0.99);
	assert_near(result.ci_low, -6.39357495385287, 1e-11);
	assert_near(result.ci_high, 10.39357495385287, 1e-11);
	for (size_t i = 0; i < 8; i++) {
		a[i] = blocks[i / 2][i % 2 ? 3 : 0];
		b[i] = blocks[i / 2][i % 2 ? 2 : 1];
	}
	result = htest_welch(SIDE(a), SIDE(b), 0.95);
	assert_htest(&result, &unpaired, 1e-11);
}

static void test_yuen(void **state)
{
	static const struct {
		const double *first;
		size_t n_first;
		const double *second;
		size_t n_second;
		double share;
		struct htest expected;
	} cases[] = {
		{SIDE(yuen_1),
		 SIDE(yuen_2),
		 .2,
		 {0.73333333333333333, -2.446110528978550, 3.912777195645217, 0.6864951273557258,
		  3.4104431643464, 0.5361949075312673}},
		{SIDE(yuen_3),
		 SIDE(yuen_2),
		 .2,
		 {-87.4146666666666667, -140.180034235590471, -34.6492990977428622,
		  -4.591598691181999, 4.017849270599219, 0.00998909252078421}},
		{SIDE(yuen_3),
		 SIDE(yuen_2),
		 .32,
		 {-85.98, -216.37843554232494, 44.4184355423249396, -2.832256715395378,
		  2.0035091565427305, 0.10512380092302633}},
		{SIDE(yuen_4),
		 SIDE(yuen_5),
		 .2,
		 {2.942857142857142, 1.34182116460843824, 4.54389312110584747, 4.2461168970325,
		  7.920033326594712, 0.002878909511344}},
		{SIDE(sas_1),
		 SIDE(sas_2),
		 .09,
		 {-3.06666666666666667, -12.917342643052545, 6.78400930971921165,
		  -0.669168577469526408, 13.6810047039205059, 0.514522442392510304}},
		{SIDE(no_cloak),
		 SIDE(cloak),
		 .2,
		 {1, -0.471590120093871525, 2.47159012009387152, 1.47709789175199279,
		  12.2608567208271787, 0.164869260296726694}},
		{SIDE(no_cloak),
		 SIDE(cloak),
		 .1,
		 {1.1, -0.529911075535563277, 2.72991107553556328, 1.42449729609566158,
		  16.9037750887616839, 0.172503030919311238}},
		{SIDE(drug_1),
		 SIDE(drug_2),
		 .2,
		 {1.66666666666666667, -0.6973066261155898, 4.030639959448924, 1.6167773658133766,
		  8.264708513637695, 0.1433782885244405}},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct htest result;

		assert_int_equal(htest_yuen(cases[i].first, cases[i].n_first, cases[i].second,
					    cases[i].n_second, cases[i].share, 0.95, &result),
				 0);
		assert_htest(&result, &cases[i].expected, 1e-11);
	}
}

/* What SAS and WRS2 print; and SciPy's pooled variant, which is another test. */
static void test_yuen_as_printed(void **state)
{
	struct htest result;

	(void)state;
	assert_int_equal(htest_yuen(SIDE(sas_1), SIDE(sas_2), .09, 0.95, &result), 0);
	assert_near(result.t, -0.669169, 1e-6);
	assert_near(result.p, 0.514522, 1e-6);
	assert_int_equal(htest_yuen(SIDE(no_cloak), SIDE(cloak), .2, 0.95, &result), 0);
	assert_near(result.t, 1.4771, 5e-5);
	assert_near(result.df, 12.26, 5e-3);
	assert_near(result.p, 0.16487, 5e-6);
	assert_near(result.ci_low, -0.4716, 5e-5);
	assert_near(result.ci_high, 2.4716, 5e-5);
	assert_int_equal(htest_yuen(SIDE(no_cloak), SIDE(cloak), .1, 0.95, &result), 0);
	assert_near(result.t, 1.4245, 5e-5);
	assert_near(result.df, 16.9, 5e-2);
	assert_near(result.p, 0.1725, 5e-5);
	assert_near(result.ci_low, -0.5299, 5e-5);
	assert_near(result.ci_high, 2.7299, 5e-5);
	assert_int_equal(htest_yuen(SIDE(yuen_3), SIDE(yuen_2), .2, 0.95, &result), 0);
	assert_true(fabs(result.t + 3.4463884028073513) > 1);
	assert_near(result.difference, 2.73333333333333 - 90.148, 1e-12);
}

static void test_yuen_without_trim_is_welch(void **state)
{
	struct htest welch = htest_welch(SIDE(before), SIDE(after), 0.95), yuen;

	(void)state;
	assert_int_equal(htest_yuen(SIDE(before), SIDE(after), 0, 0.95, &yuen), 0);
	assert_htest(&yuen, &welch, 1e-12);
	/* floor(0.2 * 3) is 0. */
	assert_int_equal(htest_yuen(SIDE(before), SIDE(after), 0.2, 0.95, &yuen), 0);
	assert_htest(&yuen, &welch, 1e-12);
}

static void test_yuen_refuses(void **state)
{
	static const double shares[] = {-0.1, -1e-12, 0.5, 1, (double)NAN, (double)INFINITY};
	struct htest result = {.difference = 42};

	(void)state;
	for (size_t i = 0; i < N(shares); i++)
		assert_int_equal(htest_yuen(SIDE(before), SIDE(after), shares[i], 0.95, &result),
				 -EINVAL);
	assert_int_equal(htest_yuen(before, 0, SIDE(after), 0.1, 0.95, &result), -EINVAL);
	assert_int_equal(htest_yuen(SIDE(before), after, 0, 0.1, 0.95, &result), -EINVAL);
	assert_true(result.difference == 42);
	/* One value of three is left: it is the difference, and has no spread. */
	assert_int_equal(htest_yuen(SIDE(before), SIDE(after), 0.4, 0.95, &result), 0);
	assert_untested(&result, 5.32 - 5.23);
}

static void test_no_spread_is_not_tested(void **state)
{
	static const double fives[] = {5, 5, 5}, sevens[] = {7, 7}, rising[] = {6, 7, 8};
	static const struct htest one_spread = {
		2, -0.484137711750331071, 4.48413771175033107, 3.46410161513775459,
		2, 0.0741799002274485384};
	struct htest result = htest_welch(SIDE(fives), SIDE(sevens), 0.95);

	(void)state;
	assert_untested(&result, 2);
	result = htest_welch(SIDE(fives), SIDE(fives), 0.95);
	assert_untested(&result, 0);
	result = htest_welch(fives, 1, SIDE(rising), 0.95);
	assert_untested(&result, 2);
	result = htest_welch(SIDE(rising), fives, 1, 0.95);
	assert_untested(&result, -2);
	result = htest_paired(SIDE(fives), 0.95);
	assert_untested(&result, 5);
	result = htest_paired(rising, 1, 0.95);
	assert_untested(&result, 6);
	assert_int_equal(htest_yuen(SIDE(fives), SIDE(sevens), 0.1, 0.95, &result), 0);
	assert_untested(&result, 2);
	result = htest_welch(fives, 0, SIDE(rising), 0.95);
	assert_true(isnan(result.difference) && isnan(result.p) && isnan(result.ci_low));
	result = htest_paired(fives, 0, 0.95);
	assert_true(isnan(result.difference) && isnan(result.p) && isnan(result.df));
	/* A spread on one side is one. */
	result = htest_welch(SIDE(fives), SIDE(rising), 0.95);
	assert_htest(&result, &one_spread, 1e-12);
}

/* 1 less a probability would be 0 here. */
static void test_far_tails_keep_their_digits(void **state)
{
	double low[30], high[30];
	struct htest result;

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		low[i] = (double)i / 1000;
		high[i] = 100 + (double)i / 1000;
	}
	result = htest_welch(SIDE(low), SIDE(high), 0.95);
	assert_relative(result.t, 43994.1345064059868, 1e-10);
	assert_relative(result.p, 6.93215876573812357e-220, 1e-8);
}

static void test_trend(void **state)
{
	/* R: summary(lm(weight ~ height, data = women)) */
	static const double women[] = {115, 117, 120, 123, 126, 129, 132, 135,
				       139, 142, 146, 150, 154, 159, 164};
	static const double rising[] = {5.02, 5.11, 5.18, 5.22}, falling[] = {8, 6, 4, 2};
	static const double equal[] = {0.1, 0.1, 0.1, 0.1}, bent[] = {1, 2, 1};
	struct htest_trend trend = htest_trend(SIDE(women));

	(void)state;
	assert_relative(trend.slope, 3.45, 1e-13);
	assert_relative(trend.p, 1.09097295859975632e-14, 1e-10);
	trend = htest_trend(SIDE(before_10));
	assert_relative(trend.slope, 0.00557575757575757576, 1e-11);
	assert_relative(trend.p, 0.569317828015460767, 1e-11);
	trend = htest_trend(SIDE(rising));
	assert_relative(trend.slope, 0.067, 1e-13);
	assert_relative(trend.p, 0.0137456084709174453, 1e-11);
	trend = htest_trend(SIDE(falling));
	assert_true(trend.slope == -2 && trend.p == 0);
	trend = htest_trend(SIDE(bent));
	assert_true(trend.slope == 0 && trend.p == 1);
	trend = htest_trend(SIDE(equal));
	assert_true(trend.slope == 0 && isnan(trend.p));
	for (size_t n = 0; n < 3; n++) {
		trend = htest_trend(rising, n);
		assert_true(isnan(trend.slope) && isnan(trend.p));
	}
}

/* Swapping the sides turns every sign and changes no p. */
static void test_swapped_sides(void **state)
{
	struct htest there = htest_welch(SIDE(iguana), SIDE(chameleon), 0.9), yuen;
	struct htest back = htest_welch(SIDE(chameleon), SIDE(iguana), 0.9), turned;

	(void)state;
	turned = (struct htest){-back.difference, -back.ci_high, -back.ci_low,
				-back.t,	  back.df,	 back.p};
	assert_htest(&there, &turned, 1e-14);
	assert_int_equal(htest_yuen(SIDE(iguana), SIDE(chameleon), 0.2, 0.9, &yuen), 0);
	assert_int_equal(htest_yuen(SIDE(chameleon), SIDE(iguana), 0.2, 0.9, &back), 0);
	turned = (struct htest){-back.difference, -back.ci_high, -back.ci_low,
				-back.t,	  back.df,	 back.p};
	assert_htest(&yuen, &turned, 1e-14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch),
		cmocka_unit_test(test_welch_as_printed),
		cmocka_unit_test(test_welch_of_nist),
		cmocka_unit_test(test_paired),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_yuen),
		cmocka_unit_test(test_yuen_as_printed),
		cmocka_unit_test(test_yuen_without_trim_is_welch),
		cmocka_unit_test(test_yuen_refuses),
		cmocka_unit_test(test_no_spread_is_not_tested),
		cmocka_unit_test(test_far_tails_keep_their_digits),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_swapped_sides),
	};

	return cmocka_run_group_tests_name("htest", tests, NULL, NULL);
}
