/* SPDX-License-Identifier: MIT */
/*
 * The statistics of runs and sides: means, spreads, trimming, Student's t, power.
 *
 * Pure arithmetic on arrays: no clock, no file, no JSON, no allocation that outlives a call. A
 * value that does not exist (the spread of one number) is NaN here; whoever prints it turns NaN
 * into null or into a sentence.
 */
#pragma once

#include <stddef.h>

/* How many samples are cut from each end before the rest is averaged. */
enum trim_kind {
	TRIM_SHARE, /* k = floor(share * n), the rule of R, SciPy and Wilcox */
	TRIM_COUNT, /* k = count */
};

/* What is cut from each end when nobody says otherwise. */
#define TRIM_DEFAULT_SHARE 0.1

struct trim {
	enum trim_kind kind;
	double share; /* 0 <= share < 0.5, when kind is TRIM_SHARE */
	size_t count; /* when kind is TRIM_COUNT */
};

/*
 * Tell how many samples @trim cuts from each end of @n samples.
 *
 * The share is taken with 1e-9 of grace, so that 10 % of 30 is 3 and not 2.
 *
 * Return: k; 2 * k may reach or exceed @n, which the caller must check (see stats_trimmed_mean).
 */
size_t trim_cut(const struct trim *trim, size_t n);

/* Return: the arithmetic mean of values[n]; NaN when n is 0. */
double stats_mean(const double *values, size_t n);

/*
 * Return: the sample standard deviation (divisor n - 1) of values[n]; NaN when n < 2
 * or when a square is too large for a double.
 *
 * Source: two-pass with the correction of Chan, Golub and LeVeque (1983), which holds NIST StRD's
 * NumAcc sets; the one-pass textbook formula does not.
 */
double stats_sd(const double *values, size_t n);

/*
 * Return: the autocorrelation of values[n], in their order, at @lag: the products of the deviations
 * from the mean of values @lag apart, added up, over the sum of all squared deviations. 1 at lag 0;
 * NaN when lag >= n or when the values have no spread.
 *
 * Source: NIST e-Handbook 1.3.5.12, R's acf().
 */
double stats_autocorrelation(const double *values, size_t n, size_t lag);

/*
 * Return: the @p quantile (0..1) of values[n] by linear interpolation of the order statistics
 * (R type 7); NaN when n is 0. @values need not be sorted and is not changed; NaN on lack of
 * memory.
 */
double stats_quantile(const double *values, size_t n, double p);

/*
 * Return: a copy of values[n], the lowest first, on the heap; NULL on lack of memory, and for that
 * alone.
 */
double *stats_sorted(const double *values, size_t n);

/*
 * Compute the mean of values[n] without the @k highest and the @k lowest.
 *
 * @values: need not be sorted; not changed; no NaN among them
 *
 * Return: 0; -EINVAL when 2 * k >= n (nothing would be left); -ENOMEM. @ret is set only on 0.
 */
int stats_trimmed_mean(const double *values, size_t n, size_t k, double *ret);

/*
 * Return: P(T <= t) for Student's t with @df degrees of freedom (> 0, may be fractional).
 *
 * Source: regularised incomplete beta function, NIST DLMF 8.17, by Lentz's continued fraction.
 */
double stats_t_cdf(double t, double df);

/* Return: the @p quantile (0 < p < 1) of Student's t with @df degrees of freedom. */
double stats_t_quantile(double p, double df);

/* Mean of a few numbers with its uncertainty. What does not exist is NaN. */
struct stats_summary {
	size_t n;
	double mean;
	double sd;	/* n >= 2 */
	double ci_low;	/* n >= 2: mean -+ t(1 - (1 - confidence) / 2, n - 1) * sd / sqrt(n) */
	double ci_high; /* n >= 2 */
};

/* Summarise values[n]; @confidence is 0..1 (0.95). n = 0 gives NaN everywhere. */
struct stats_summary stats_summarise(const double *values, size_t n, double confidence);

/*
 * Return: the power (0..1) of a two-sided two-sample t test with @n values a side, a true
 * difference of @effect standard deviations and significance @alpha. n >= 2.
 *
 * Source: noncentral t with 2n - 2 degrees of freedom, as R's power.t.test(): a difference that
 * shows with the wrong sign does not count as shown.
 */
double stats_power(size_t n, double effect, double alpha);

/*
 * Return: the smallest difference, in standard deviations, that a two-sided two-sample t test
 * with @n values a side shows with probability @power (0.8) at significance @alpha (0.05). n >= 2.
 */
double stats_detectable_effect(size_t n, double power, double alpha);

/*
 * Return: the fewest values a side (>= 2) with which a difference of @effect standard deviations
 * is shown with probability @power at significance @alpha; 0 when more than 10000 are needed.
 */
size_t stats_needed_n(double effect, double power, double alpha);
