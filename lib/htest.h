/* SPDX-License-Identifier: MIT */
/*
 * Tests of difference: is the second side another than the first, and by how much.
 *
 * Every difference is second minus first, and so is the sign of every t. Pure arithmetic, as in
 * stats.h: values are finite and in any order, and what does not exist is NaN. One value is one
 * run; the seconds of a run depend on each other and must not come here.
 */
#pragma once

#include <stddef.h>

/* The test by ranks, htest_mann_whitney(), is a module of its own but one of these tests. */
#include "rank-test.h"

/*
 * What a test finds. The difference exists when each side has a value. All else needs a spread: it
 * is NaN, every member of it, when a side has fewer than two values (left) or when no side has a
 * spread, however large the difference is. A spread on one side is enough.
 */
struct htest {
	double difference; /* of the means (trimmed: of the trimmed means) */
	double ci_low;	   /* the difference less t(1 - (1 - confidence) / 2, df) standard errors */
	double ci_high;	   /* and more */
	double t;	   /* the difference in standard errors */
	double df;	   /* degrees of freedom, seldom whole */
	double p;	   /* two-sided; a far tail keeps its digits and is no 0 */
};

/*
 * Welch's t test of the means of two sides whose spreads may differ. @confidence is 0..1 (0.95).
 *
 * Source: Welch 1947, Biometrika 34:28; degrees of freedom by Satterthwaite 1946.
 */
struct htest htest_welch(const double *first, size_t n_first, const double *second, size_t n_second,
			 double confidence);

/*
 * Student's t test of differences[n] (second minus first, a pair or a block each) against 0, with
 * n - 1 degrees of freedom.
 */
struct htest htest_paired(const double *differences, size_t n, double confidence);

/*
 * Yuen's t test: Welch's for trimmed means. k = floor(trim_share * n) values are cut from each end
 * of each side (trim_cut() of stats.h), and the spread is that of the Winsorized values. A
 * @trim_share of 0, or one that cuts nothing, is Welch's test.
 *
 * Return: 0; -EINVAL when nothing is left of a side, or @trim_share is not in 0 <= share < 0.5;
 * -ENOMEM. @ret is set only on 0.
 *
 * Source: Yuen 1974, Biometrika 61:165.
 */
int htest_yuen(const double *first, size_t n_first, const double *second, size_t n_second,
	       double trim_share, double confidence, struct htest *ret);

/* The straight line through values in their order. */
struct htest_trend {
	double slope; /* from one value to the next */
	double p;     /* two-sided, of a slope of 0, by t with n - 2 degrees of freedom */
};

/*
 * Fit values[n] over their order 1..n by least squares.
 *
 * Return: both NaN below three values; p NaN when all values are equal, and 0 when they stand on a
 * sloping line without the smallest rest.
 */
struct htest_trend htest_trend(const double *values, size_t n);
