/* SPDX-License-Identifier: MIT */
/*
 * The definitions stand in stats.h; this file is their numerics. Everything is checked against
 * published values in tests/unit/test-stats.c.
 */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* 0.29 * 100 must be 29, and is 28.999999999999996. */
#define SHARE_GRACE 1e-9

/* Bisection halves: more than a double has bits, between bounds 2^64 apart. */
#define BISECTIONS 200

size_t trim_cut(const struct trim *trim, size_t n)
{
	switch (trim->kind) {
	case TRIM_SHARE:
		return (size_t)floor(trim->share * (double)n + SHARE_GRACE);
	case TRIM_COUNT:
		return trim->count;
	}
	return 0;
}

double stats_mean(const double *values, size_t n)
{
	double sum = 0, rest = 0, mean;

	if (n == 0)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	mean = sum / (double)n;
	/* What the first sum rounded away. */
	for (size_t i = 0; i < n; i++)
		rest += values[i] - mean;
	return mean + rest / (double)n;
}

double stats_sd(const double *values, size_t n)
{
	double mean = stats_mean(values, n), squares = 0, lost = 0, rest = 0;

	if (n < 2)
		return (double)NAN;
	for (size_t i = 0; i < n; i++) {
		double d = values[i] - mean;
		/* Kahan's sum: a plain one of a thousand squares loses the last digit. */
		double square = d * d - lost, sum = squares + square;

		lost = (sum - squares) - square;
		squares = sum;
		rest += d;
	}
	squares -= rest * rest / (double)n;
	/* Squares that are no numbers any more are no lack of spread. */
	if (isnan(squares))
		return (double)NAN;
	return squares > 0 ? sqrt(squares / (double)(n - 1)) : 0;
}

double stats_autocorrelation(const double *values, size_t n, size_t lag)
{
	double mean = stats_mean(values, n), products = 0, squares = 0;

	if (lag >= n)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	for (size_t i = lag; i < n; i++)
		products += (values[i - lag] - mean) * (values[i] - mean);
	return squares > 0 ? products / squares : (double)NAN;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *stats_sorted(const double *values, size_t n)
{
	double *copy = calloc(n ? n : 1, sizeof(*copy));

	if (!copy)
		return NULL;
	if (n > 0)
		memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare);
	return copy;
}

double stats_quantile(const double *values, size_t n, double p)
{
	cleanup(freep) double *sorted = NULL;
	double position, below;
	size_t at;

	if (n == 0)
		return (double)NAN;
	position = (double)(n - 1) * p;
	below = floor(position);
	at = (size_t)below;
	sorted = stats_sorted(values, n);
	if (!sorted)
		return (double)NAN;
	if (at + 1 >= n)
		return sorted[n - 1];
	return sorted[at] + (position - below) * (sorted[at + 1] - sorted[at]);
}

int stats_trimmed_mean(const double *values, size_t n, size_t k, double *ret)
{
	cleanup(freep) double *sorted = NULL;

	if (k >= n || n - k <= k)
		return -EINVAL;
	sorted = stats_sorted(values, n);
	if (!sorted)
		return -ENOMEM;
	*ret = stats_mean(&sorted[k], n - 2 * k);
	return 0;
}

/*
 * The continued fraction of the incomplete beta function, by the modified Lentz method.
 *
 * Source: NIST DLMF 8.17.22 for the coefficients; Lentz 1976, Thompson and Barnett 1986.
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-16;
	double c = 1, d = 1 - (a + b) * x / (a + 1), fraction;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	fraction = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double before = fraction;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		fraction *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		fraction *= c * d;
		if (fabs(fraction - before) <= enough * fabs(fraction))
			break;
	}
	return fraction;
}

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function I_x(a, b), 0 <= x <= 1. */
static double incomplete_beta(double a, double b, double x, double one_minus_x)
{
	double front;

	if (x <= 0 || one_minus_x <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) +
		    b * log(one_minus_x));
	/* The fraction converges quickly on this side of the mean. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, one_minus_x) / b;
}

/* P(T > t) for t >= 0; small tails keep their digits. */
static double t_upper_tail(double t, double df)
{
	double square = t * t;

	return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
}

double stats_t_cdf(double t, double df)
{
	return t < 0 ? t_upper_tail(-t, df) : 1 - t_upper_tail(t, df);
}

double stats_t_quantile(double p, double df)
{
	double tail = p < 0.5 ? p : 1 - p, low = 0, high = 1;

	while (t_upper_tail(high, df) > tail && high < 1e300)
		high *= 2;
	for (int i = 0; i < BISECTIONS; i++) {
		double middle = low + (high - low) / 2;

		if (t_upper_tail(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : high;
}

struct stats_summary stats_summarise(const double *values, size_t n, double confidence)
{
	struct stats_summary summary = {
		.n = n,
		.mean = stats_mean(values, n),
		.sd = stats_sd(values, n),
		.ci_low = (double)NAN,
		.ci_high = (double)NAN,
	};
	double half;

	if (n < 2)
		return summary;
	half = stats_t_quantile(1 - (1 - confidence) / 2, (double)(n - 1)) * summary.sd /
	       sqrt((double)n);
	summary.ci_low = summary.mean - half;
	summary.ci_high = summary.mean + half;
	return summary;
}

static double normal_cdf(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

/*
 * P(T <= t) for the noncentral t with @df degrees of freedom: the normal probability given the
 * estimated standard deviation s, averaged over its chi distribution by Simpson's rule.
 */
static double noncentral_t_cdf(double t, double df, double noncentrality)
{
	const int n_steps = 4000;
	double spread = 12 / sqrt(2 * df), low = fmax(0, 1 - spread), high = 1 + spread;
	double step = (high - low) / n_steps, sum = 0;
	double constant = log(2) + df / 2 * log(df / 2) - log_gamma(df / 2);

	for (int i = 0; i <= n_steps; i++) {
		double s = low + i * step, weight = i % 2 ? 4 : 2;

		if (i == 0 || i == n_steps)
			weight = 1;
		if (s > 0)
			sum += weight * exp(constant + (df - 1) * log(s) - df * s * s / 2) *
			       normal_cdf(t * s - noncentrality);
	}
	return sum * step / 3;
}

double stats_power(size_t n, double effect, double alpha)
{
	double df = 2 * (double)n - 2, noncentrality = effect * sqrt((double)n / 2);
	double critical = stats_t_quantile(1 - alpha / 2, df);

	return 1 - noncentral_t_cdf(critical, df, noncentrality);
}

double stats_detectable_effect(size_t n, double power, double alpha)
{
	double low = 0, high = 1;

	while (stats_power(n, high, alpha) < power && high < 1e6)
		high *= 2;
	/* 40 halvings leave 12 digits, more than the integral has. */
	for (int i = 0; i < 40; i++) {
		double middle = (low + high) / 2;

		if (stats_power(n, middle, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high;
}

size_t stats_needed_n(double effect, double power, double alpha)
{
	const size_t most = 10000;
	size_t low = 1, high = 2;

	while (high < most && stats_power(high, effect, alpha) < power) {
		low = high;
		high = high * 2 < most ? high * 2 : most;
	}
	if (stats_power(high, effect, alpha) < power)
		return 0;
	/* Power grows with n: the answer is in (low, high]. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (stats_power(middle, effect, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high;
}
