/* SPDX-License-Identifier: MIT */
/*
 * The test of difference that looks at ranks alone: no shape of the values is assumed, and one wild
 * run cannot decide it.
 */
#pragma once

#include <stddef.h>

/* The test is exact up to this product of the two numbers of values: 50 a side. */
#define RANK_TEST_EXACT_PAIRS 2500

/*
 * The rank test of Mann, Whitney and Wilcoxon: does one side tend to be higher.
 *
 * Up to RANK_TEST_EXACT_PAIRS the p is exact, also with ties: of all ways to deal the pooled
 * values to the two sides, the share that has a U as far from its mean as this one. Above, it is
 * the normal approximation with the corrections for ties and for continuity.
 *
 * @ret_u: in how many of the n_first * n_second pairs the first is the higher, ties counting half,
 *	   as R and SciPy have it: small when the second side is the higher
 * @ret_p: two-sided
 *
 * Return: 0; -EINVAL when a side is empty or has a NaN; -EDOM when all values are equal; -ENOMEM.
 * @ret_u and @ret_p are set only on 0.
 *
 * Source: Mann and Whitney 1947, Ann. Math. Statist. 18:50.
 */
int htest_mann_whitney(const double *first, size_t n_first, const double *second, size_t n_second,
		       double *ret_u, double *ret_p);
