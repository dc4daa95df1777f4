/* SPDX-License-Identifier: MIT */
/*
 * The definitions stand in htest.h. The t tests differ only in what they take for the difference,
 * its standard error and its degrees of freedom; conclude() makes the rest of these.
 */
#include "htest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "stats.h"

/* A mean, or a trimmed one, and how well it is known. */
struct centre {
	double mean;
	double error; /* standard error; NaN when unknown */
	double df;
};

static struct htest conclude(double difference, double error, double df, double confidence)
{
	struct htest result = {
		.difference = difference,
		.ci_low = (double)NAN,
		.ci_high = (double)NAN,
		.t = (double)NAN,
		.df = (double)NAN,
		.p = (double)NAN,
	};
	double half;

	if (!(error > 0))
		return result;
	half = stats_t_quantile(1 - (1 - confidence) / 2, df) * error;
	result.ci_low = difference - half;
	result.ci_high = difference + half;
	result.t = difference / error;
	result.df = df;
	/* The lower tail, which is small without being 1 less something. */
	result.p = 2 * stats_t_cdf(-fabs(result.t), df);
	return result;
}

/* Satterthwaite's degrees of freedom, written with shares of the variance: no 4th power of it. */
static struct htest contrast(const struct centre *first, const struct centre *second,
			     double confidence)
{
	double error = hypot(first->error, second->error);
	double share_first = first->error * first->error / (error * error);
	double share_second = second->error * second->error / (error * error);
	double df = 1 / (share_first * share_first / first->df +
			 share_second * share_second / second->df);

	return conclude(second->mean - first->mean, error, df, confidence);
}

static struct centre find_centre(const double *values, size_t n)
{
	return (struct centre){
		.mean = stats_mean(values, n),
		.error = stats_sd(values, n) / sqrt((double)n),
		.df = (double)n - 1,
	};
}

struct htest htest_welch(const double *first, size_t n_first, const double *second, size_t n_second,
			 double confidence)
{
	struct centre a = find_centre(first, n_first), b = find_centre(second, n_second);

	return contrast(&a, &b, confidence);
}

struct htest htest_paired(const double *differences, size_t n, double confidence)
{
	struct centre centre = find_centre(differences, n);

	return conclude(centre.mean, centre.error, centre.df, confidence);
}

static int find_trimmed_centre(const double *values, size_t n, double share, struct centre *ret)
{
	const struct trim trim = {.kind = TRIM_SHARE, .share = share};
	cleanup(freep) double *sorted = NULL;
	size_t k = trim_cut(&trim, n);
	double n_left;

	if (k >= n || n - k <= k)
		return -EINVAL;
	sorted = stats_sorted(values, n);
	if (!sorted)
		return -ENOMEM;
	n_left = (double)(n - 2 * k);
	ret->mean = stats_mean(&sorted[k], n - 2 * k);
	for (size_t i = 0; i < k; i++) {
		sorted[i] = sorted[k];
		sorted[n - 1 - i] = sorted[n - 1 - k];
	}
	/* One that is left has no spread: infinity times 0, NaN. */
	ret->error = stats_sd(sorted, n) * sqrt(((double)n - 1) / (n_left * (n_left - 1)));
	ret->df = n_left - 1;
	return 0;
}

int htest_yuen(const double *first, size_t n_first, const double *second, size_t n_second,
	       double trim_share, double confidence, struct htest *ret)
{
	struct centre a, b;
	int r;

	if (!(trim_share >= 0 && trim_share < 0.5))
		return -EINVAL;
	r = find_trimmed_centre(first, n_first, trim_share, &a);
	if (r < 0)
		return r;
	r = find_trimmed_centre(second, n_second, trim_share, &b);
	if (r < 0)
		return r;
	*ret = contrast(&a, &b, confidence);
	return 0;
}

struct htest_trend htest_trend(const double *values, size_t n)
{
	struct htest_trend trend = {.slope = (double)NAN, .p = (double)NAN};
	double count = (double)n, mean = stats_mean(values, n), middle = (count + 1) / 2;
	double orders = count * (count * count - 1) / 12, products = 0, rests = 0, error;

	if (n < 3)
		return trend;
	for (size_t i = 0; i < n; i++)
		products += ((double)(i + 1) - middle) * (values[i] - mean);
	trend.slope = products / orders;
	for (size_t i = 0; i < n; i++) {
		double rest = values[i] - mean - trend.slope * ((double)(i + 1) - middle);

		rests += rest * rest;
	}
	error = sqrt(rests / (count - 2) / orders);
	/* Without a rest t is infinite, and nothing lies beyond it. */
	if (error > 0 || fabs(trend.slope) > 0)
		trend.p = 2 * stats_t_cdf(-fabs(trend.slope / error), count - 2);
	return trend;
}
