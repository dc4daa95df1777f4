/* SPDX-License-Identifier: MIT */
/*
 * The definition stands in rank-test.h. All that counts is the list of ties, the lowest first, and
 * how many of each are the first side's; a value that has no equal is a tie of one.
 *
 * The exact p deals the ties out one by one and counts, for each number of values that one side got
 * and each U that this made, the ways that lead there.
 */
#include "rank-test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cleanup.h"
#include "stats.h"

/* Values that are equal, on both sides together. */
struct tie {
	size_t n;
	size_t n_first;
};

/* What of the values a rank test sees: the ties, the lowest first. */
struct ranking {
	struct tie *ties; /* ties[n_first + n_second], borrowed */
	size_t n_ties;
	size_t n_first;
	size_t n_second;
};

/* A NaN equals nothing, not even itself: it is in no tie. */
static bool has_nan(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(values[i]))
			return true;
	return false;
}

static size_t count_equal(const double *sorted, size_t n, double value)
{
	size_t i = 0;

	while (i < n && sorted[i] == value)
		i++;
	return i;
}

/* Merge two sorted sides. @ranking has room for all their values. */
static void find_ties(struct ranking *ranking, const double *first, const double *second)
{
	size_t i = 0, j = 0;

	while (i < ranking->n_first || j < ranking->n_second) {
		bool from_first =
			j == ranking->n_second || (i < ranking->n_first && first[i] < second[j]);
		double value = from_first ? first[i] : second[j];
		size_t n_first = count_equal(&first[i], ranking->n_first - i, value);
		size_t n_second = count_equal(&second[j], ranking->n_second - j, value);

		ranking->ties[ranking->n_ties++] =
			(struct tie){.n = n_first + n_second, .n_first = n_first};
		i += n_first;
		j += n_second;
	}
}

static double find_u(const struct ranking *ranking)
{
	double u = 0, n_below = 0;

	for (size_t i = 0; i < ranking->n_ties; i++) {
		double n_first = (double)ranking->ties[i].n_first;
		double n_second = (double)ranking->ties[i].n - n_first;

		u += n_first * (n_below + n_second / 2);
		n_below += n_second;
	}
	return u;
}

/*
 * The ways to deal the values so far: ways[few * width + twice_u] of them give `few` values to the
 * side with fewer values and make twice its U this much. Doubles, for there may be 1e29.
 */
struct deal {
	double *ways; /* ways[(n_few + 1) * width], borrowed */
	size_t width;
	size_t n_few;
	size_t n_many;
	size_t n_dealt;
};

/* Give @few of @n equal values to the few, in @choices ways, and the rest to the many. */
static void give(struct deal *deal, size_t n, size_t few, size_t few_before, double choices)
{
	size_t many_before = deal->n_dealt - few_before;
	size_t more_u = few * (2 * many_before + n - few);
	const double *from = &deal->ways[few_before * deal->width];
	double *to = &deal->ways[(few_before + few) * deal->width + more_u];

	for (size_t u = 0; u <= 2 * few_before * many_before; u++)
		to[u] += choices * from[u];
}

/*
 * Deal @n equal values. From the most for the few downwards, so that what is read is still the
 * state before; to give none of them leaves a row as it is.
 */
static void deal_tie(struct deal *deal, size_t n)
{
	size_t after = deal->n_dealt + n;
	size_t least = after > deal->n_many ? after - deal->n_many : 0;

	for (size_t row = after < deal->n_few ? after : deal->n_few; row > 0 && row >= least;
	     row--) {
		double choices = 1;

		for (size_t few = 1; few <= n && few <= row; few++) {
			choices = choices * (double)(n - few + 1) / (double)few;
			if (row - few <= deal->n_dealt)
				give(deal, n, few, row - few, choices);
		}
	}
	deal->n_dealt = after;
}

/* Twice U is whole, and its mean is the number of pairs. */
static double tail_share(const struct deal *deal, double u)
{
	const double *ways = &deal->ways[deal->n_few * deal->width];
	double n_pairs = (double)(deal->n_few * deal->n_many), all = 0, tails = 0;

	for (size_t i = 0; i < deal->width; i++) {
		all += ways[i];
		if (fabs((double)i - n_pairs) >= fabs(2 * u - n_pairs))
			tails += ways[i];
	}
	return tails / all;
}

static int exact_p(const struct ranking *ranking, double u, double *ret)
{
	cleanup(freep) double *ways = NULL;
	bool first_few = ranking->n_first < ranking->n_second;
	struct deal deal = {
		.width = 2 * ranking->n_first * ranking->n_second + 1,
		.n_few = first_few ? ranking->n_first : ranking->n_second,
		.n_many = first_few ? ranking->n_second : ranking->n_first,
	};

	ways = calloc((deal.n_few + 1) * deal.width, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	deal.ways = ways;
	ways[0] = 1;
	for (size_t i = 0; i < ranking->n_ties; i++)
		deal_tie(&deal, ranking->ties[i].n);
	*ret = tail_share(&deal, u);
	return 0;
}

static double normal_p(const struct ranking *ranking, double u)
{
	double n_pairs = (double)ranking->n_first * (double)ranking->n_second;
	double n = (double)ranking->n_first + (double)ranking->n_second, ties = 0, sd;

	for (size_t i = 0; i < ranking->n_ties; i++) {
		double n_tied = (double)ranking->ties[i].n;

		ties += n_tied * n_tied * n_tied - n_tied;
	}
	sd = sqrt(n_pairs / 12 * (n + 1 - ties / (n * (n - 1))));
	/* U moves in steps of 1; at its mean there is nothing to correct. */
	return erfc(fmax(fabs(u - n_pairs / 2) - 0.5, 0) / sd / sqrt(2));
}

/* Fill the ties from both sides. Return: 0; -ENOMEM. */
static int rank(struct ranking *ranking, const double *first, const double *second)
{
	cleanup(freep) double *sorted_first = stats_sorted(first, ranking->n_first);
	cleanup(freep) double *sorted_second = stats_sorted(second, ranking->n_second);

	if (!sorted_first || !sorted_second)
		return -ENOMEM;
	find_ties(ranking, sorted_first, sorted_second);
	return 0;
}

int htest_mann_whitney(const double *first, size_t n_first, const double *second, size_t n_second,
		       double *ret_u, double *ret_p)
{
	struct ranking ranking = {.n_first = n_first, .n_second = n_second};
	cleanup(freep) struct tie *ties = NULL;
	double u, p;
	int r;

	if (n_first == 0 || n_second == 0 || has_nan(first, n_first) || has_nan(second, n_second))
		return -EINVAL;
	ties = calloc(n_first + n_second, sizeof(*ties));
	if (!ties)
		return -ENOMEM;
	ranking.ties = ties;
	r = rank(&ranking, first, second);
	if (r < 0)
		return r;
	if (ranking.n_ties == 1)
		return -EDOM;
	u = find_u(&ranking);
	if (n_first <= RANK_TEST_EXACT_PAIRS / n_second) {
		r = exact_p(&ranking, u, &p);
		if (r < 0)
			return r;
	} else {
		p = normal_p(&ranking, u);
	}
	*ret_u = u;
	*ret_p = p;
	return 0;
}
