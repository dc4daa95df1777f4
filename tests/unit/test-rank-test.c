/* SPDX-License-Identifier: MIT */
/*
 * lib/rank-test.c against go-moremath, benchstat and R, and against counting every way to deal the
 * values, one by one.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "rank-test.h"

#define N(array)    (sizeof(array) / sizeof((array)[0]))
#define SIDE(array) (array), N(array)

static void assert_relative(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= fabs(expected) * tolerance))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void test_published(void **state)
{
	static const struct {
		double first[4];
		size_t n_first;
		double second[4];
		size_t n_second;
		double u, p;
	} cases[] = {
		{{2, 1, 3, 5}, 4, {12, 11, 13, 15}, 4, 0, 0.028571428571428577},
		{{2, 1, 3, 5}, 4, {0, 4, 6, 7}, 4, 5, 0.48571428571428577},
		{{-1, -1, -1}, 3, {1, 1, 1}, 3, 0, 0.1},
		{{-1, -1, -1, -1}, 4, {1, 1, 1, 1}, 4, 0, 0.02857142857142857},
		{{1, -1, -1, -1}, 4, {-1, 1, 1, 1}, 4, 4, 0.4857142857142857},
		/* seeds/004: 4 of the 20 ways are as far out. */
		{{5.02, 5.23, 5.27}, 3, {5.27, 5.33, 5.32}, 3, 0.5, 0.2},
		/* All that one value a side can tell is nothing. */
		{{1}, 1, {2}, 1, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		double u, p;

		assert_int_equal(htest_mann_whitney(cases[i].first, cases[i].n_first,
						    cases[i].second, cases[i].n_second, &u, &p),
				 0);
		assert_true(u == cases[i].u);
		assert_relative(p, cases[i].p, 1e-14);
	}
}

/* R: wilcox.test(seq(0, 499) * 2, seq(0, 599) * 2 - 41) */
static void test_many_values(void **state)
{
	double first[500], second[600], u, p;

	(void)state;
	for (int i = 0; i < 500; i++)
		first[i] = 2 * i;
	for (int i = 0; i < 600; i++)
		second[i] = 2 * i - 41;
	assert_int_equal(htest_mann_whitney(SIDE(first), SIDE(second), &u, &p), 0);
	assert_true(u == 135250);
	assert_relative(p, 0.0049335360814172224, 1e-12);
	assert_int_equal(htest_mann_whitney(SIDE(second), SIDE(first), &u, &p), 0);
	assert_true(u == 500 * 600 - 135250);
	assert_relative(p, 0.0049335360814172224, 1e-12);
	/* Without a difference nothing is corrected below 0. */
	assert_int_equal(htest_mann_whitney(SIDE(first), SIDE(first), &u, &p), 0);
	assert_true(u == 500 * 500 / 2.0 && p == 1);
}

/* 2 / C(2n, n) */
static void test_least_p(void **state)
{
	static const double printed[] = {0.3333,  0.1,	    0.02857, 0.00794,
					 0.00216, 0.000583, 0.000155};
	double first[50], second[50], u, p, least = 1;

	(void)state;
	for (size_t n = 1; n <= 50; n++) {
		first[n - 1] = (double)n;
		second[n - 1] = 100 + (double)n;
		least *= (double)n / (double)(2 * (2 * n - 1));
		assert_int_equal(htest_mann_whitney(first, n, second, n, &u, &p), 0);
		assert_true(u == 0);
		assert_relative(p, 2 * least, 1e-12);
		if (n >= 2 && n - 2 < N(printed))
			assert_relative(p, printed[n - 2], 3e-3);
	}
}

/* Twice U: 2 for each pair whose first is the higher, 1 for a tie. */
static int twice_u(const double *pooled, size_t n, unsigned int first)
{
	int u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if ((first >> i & 1U) && !(first >> j & 1U))
				u += (pooled[i] > pooled[j]) * 2 + (pooled[i] == pooled[j]);
	return u;
}

/* The p by dealing the values in all ways, each a set of bits. */
static double counted_p(const double *pooled, size_t n_first, size_t n)
{
	int mean = (int)(n_first * (n - n_first)), as_far = 0, all = 0;
	int distance = abs(twice_u(pooled, n, (1U << n_first) - 1) - mean);

	for (unsigned int first = 0; first < 1U << n; first++) {
		if ((size_t)__builtin_popcount(first) != n_first)
			continue;
		all++;
		as_far += abs(twice_u(pooled, n, first) - mean) >= distance;
	}
	return (double)as_far / all;
}

/* Few kinds of values make ties of every size, on sides of every size. */
static void test_ties_are_exact(void **state)
{
	/* The ties make U lopsided: 48 of 330 ways. */
	static const double first[] = {1, 1, 2, 5}, second[] = {2, 2, 3, 4, 5, 5, 6};
	unsigned int seed = (unsigned int)time(NULL);
	double u, p;

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	assert_int_equal(htest_mann_whitney(SIDE(first), SIDE(second), &u, &p), 0);
	assert_true(u == 6);
	assert_relative(p, 48.0 / 330, 1e-14);
	for (int round = 0; round < 200; round++) {
		size_t n = 2 + (size_t)(rand() % 9), n_first = 1 + (size_t)rand() % (n - 1);
		int kinds = 2 + rand() % 5, r;
		double pooled[10];

		for (size_t i = 0; i < n; i++)
			pooled[i] = rand() % kinds;
		r = htest_mann_whitney(pooled, n_first, &pooled[n_first], n - n_first, &u, &p);
		if (r == -EDOM)
			continue;
		assert_int_equal(r, 0);
		assert_true(2 * u == twice_u(pooled, n, (1U << n_first) - 1));
		assert_relative(p, counted_p(pooled, n_first, n), 1e-13);
	}
}

/*
 * At 50 v 50 the p is counted, at 50 v 51 it is the normal distribution's. The values are from
 * another count, in whole numbers, over sums of ranks.
 */
static void test_approximation_follows_count(void **state)
{
	double first[50], second[51], u, p;

	(void)state;
	for (int i = 0; i < 50; i++)
		first[i] = i - i % 2;
	for (int i = 0; i < 51; i++)
		second[i] = i + 6 - i % 2;
	assert_int_equal(htest_mann_whitney(first, 50, second, 50, &u, &p), 0);
	assert_true(u == 968);
	assert_relative(p, 0.0518730005083411, 1e-12);
	assert_int_equal(htest_mann_whitney(first, 50, second, 51, &u, &p), 0);
	assert_true(u == 968);
	assert_relative(p, 0.037230389295629926, 1e-12);
	/* What counting would give. */
	assert_relative(p, 0.036692300237708, 0.02);
}

/* One side of one value has the largest products of the two numbers to deal. */
static void test_lopsided_sides(void **state)
{
	static double many[RANK_TEST_EXACT_PAIRS];
	const double one[] = {-1};
	double u, p;

	(void)state;
	for (int i = 0; i < RANK_TEST_EXACT_PAIRS; i++)
		many[i] = i - i % 3;
	assert_int_equal(htest_mann_whitney(one, 1, SIDE(many), &u, &p), 0);
	assert_true(u == 0);
	/* It is the lowest; the highest of all, alone too, is as far out. */
	assert_relative(p, 2.0 / (RANK_TEST_EXACT_PAIRS + 1), 1e-12);
	assert_int_equal(htest_mann_whitney(SIDE(many), one, 1, &u, &p), 0);
	assert_true(u == RANK_TEST_EXACT_PAIRS);
	assert_relative(p, 2.0 / (RANK_TEST_EXACT_PAIRS + 1), 1e-12);
}

static void test_refusals(void **state)
{
	static const double equal[] = {3, 3, 3}, odd[] = {1, (double)NAN};
	double u = 42, p = 42;

	(void)state;
	assert_int_equal(htest_mann_whitney(equal, 2, SIDE(equal), &u, &p), -EDOM);
	assert_int_equal(htest_mann_whitney(equal, 0, SIDE(equal), &u, &p), -EINVAL);
	assert_int_equal(htest_mann_whitney(SIDE(equal), equal, 0, &u, &p), -EINVAL);
	assert_int_equal(htest_mann_whitney(SIDE(equal), SIDE(odd), &u, &p), -EINVAL);
	assert_int_equal(htest_mann_whitney(SIDE(odd), SIDE(equal), &u, &p), -EINVAL);
	assert_true(u == 42 && p == 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_least_p),
		cmocka_unit_test(test_ties_are_exact),
		cmocka_unit_test(test_approximation_follows_count),
		cmocka_unit_test(test_lopsided_sides),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("rank-test", tests, NULL, NULL);
}
