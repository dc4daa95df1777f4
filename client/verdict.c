/* SPDX-License-Identifier: MIT */
/*
 * See verdict.h.
 */
#include "verdict.h"

#include <errno.h>
#include <math.h>

/* Below this share of the values, a spread is the rounding of sums. */
#define ROUNDING 1e-13

static bool is_rounding(double sd, double size)
{
	return !(sd > ROUNDING * fabs(size));
}

static bool has_no_spread(const struct stats_summary *summary)
{
	return is_rounding(summary->sd, summary->mean);
}

/* Blocks that all differ by as much, but for the rounding of what was subtracted. */
static bool have_no_spread(const struct verdict_values *values, const struct verdict *verdict)
{
	double sd = stats_sd(values->differences, values->n_differences);

	return is_rounding(sd, fmax(fabs(verdict->first.mean), fabs(verdict->second.mean)));
}

static bool is_too_large(const struct stats_summary *summary)
{
	return !isfinite(summary->mean) || (summary->n > 1 && !isfinite(summary->sd));
}

static bool are_equal(const struct verdict_values *values)
{
	if (values->n_first != values->n_second)
		return false;
	for (size_t i = 0; i < values->n_first; i++)
		/* Exactly: two measurements are never equal to the last bit, run by run. */
		if (values->first[i] != values->second[i])
			return false;
	return true;
}

/* The smallest number that both sides, or all blocks, have. */
static size_t least_n(const struct verdict_values *values)
{
	if (values->differences)
		return values->n_differences;
	return values->n_first < values->n_second ? values->n_first : values->n_second;
}

static enum verdict_obstacle find_obstacle(const struct verdict_values *values,
					   const struct verdict *verdict)
{
	bool flat = has_no_spread(&verdict->first) && has_no_spread(&verdict->second);
	bool equal = flat && is_rounding(fabs(verdict->first.mean - verdict->second.mean),
					 verdict->first.mean);

	if (values->n_first == 0 || values->n_second == 0 || least_n(values) == 0)
		return VERDICT_NO_VALUES;
	if (is_too_large(&verdict->first) || is_too_large(&verdict->second))
		return VERDICT_TOO_LARGE;
	if (least_n(values) == 1)
		return VERDICT_ONE_VALUE;
	if (equal)
		return VERDICT_EQUAL;
	if (flat || (values->differences && have_no_spread(values, verdict)))
		return VERDICT_NO_SPREAD;
	return are_equal(values) ? VERDICT_SAME_RUNS : VERDICT_TESTED;
}

static enum verdict_word find_word(const struct htest *result, double min_effect)
{
	if (result->ci_low > -min_effect && result->ci_high < min_effect)
		return VERDICT_SAME_WITHIN;
	if (result->ci_low > 0)
		return VERDICT_MORE;
	if (result->ci_high < 0)
		return VERDICT_LESS;
	return VERDICT_NOT_DISTINGUISHABLE;
}

static int run_test(const struct verdict_values *values, const struct verdict_rules *rules,
		    struct verdict *verdict)
{
	bool robust =
		rules->robust && !values->differences && least_n(values) >= VERDICT_LEAST_ROBUST;

	if (values->differences) {
		verdict->test = VERDICT_PAIRED;
		verdict->result =
			htest_paired(values->differences, values->n_differences, rules->confidence);
		return 0;
	}
	if (!robust) {
		verdict->test = VERDICT_WELCH;
		verdict->result = htest_welch(values->first, values->n_first, values->second,
					      values->n_second, rules->confidence);
		return 0;
	}
	verdict->test = VERDICT_YUEN;
	return htest_yuen(values->first, values->n_first, values->second, values->n_second,
			  VERDICT_ROBUST_TRIM, rules->confidence, &verdict->result);
}

/* The spread that both sides share, each by its degrees of freedom. */
static double pooled_sd(const struct stats_summary *a, const struct stats_summary *b)
{
	double df_a = (double)a->n - 1, df_b = (double)b->n - 1;

	return sqrt((df_a * a->sd * a->sd + df_b * b->sd * b->sd) / (df_a + df_b));
}

/* Values a side that tell as much as these unequal sides do. */
static size_t even_n(size_t a, size_t b)
{
	return (size_t)(2.0 * (double)a * (double)b / (double)(a + b));
}

/* What more runs would be for: the effect that matters; when none is stated, the one seen. */
static double wanted_effect(const struct verdict_rules *rules, const struct verdict *verdict)
{
	return rules->min_effect > 0 ? rules->min_effect : fabs(verdict->result.difference);
}

static void find_power(const struct verdict_rules *rules, struct verdict *verdict)
{
	double sd = pooled_sd(&verdict->first, &verdict->second), alpha = 1 - rules->confidence;
	size_t n = even_n(verdict->first.n, verdict->second.n), n_needed;

	verdict->detectable = sd * stats_detectable_effect(n, VERDICT_POWER, alpha);
	if (verdict->word != VERDICT_NOT_DISTINGUISHABLE)
		return;
	n_needed = stats_needed_n(wanted_effect(rules, verdict) / sd, VERDICT_POWER, alpha);
	verdict->n_needed = n_needed > n ? n_needed : 0;
}

/*
 * Of n differences: (t(1 - alpha / 2) + t(power)) sd / sqrt(n), which is within 1.2 % of what the
 * noncentral t gives from n = 3 up.
 */
static double paired_detectable(double sd, size_t n, double alpha)
{
	double df = (double)n - 1;

	return (stats_t_quantile(1 - alpha / 2, df) + stats_t_quantile(VERDICT_POWER, df)) * sd /
	       sqrt((double)n);
}

static void find_paired_power(const struct verdict_values *values,
			      const struct verdict_rules *rules, struct verdict *verdict)
{
	double sd = stats_sd(values->differences, values->n_differences);
	double effect = wanted_effect(rules, verdict), alpha = 1 - rules->confidence;
	const size_t most = 10000;
	size_t n = 2;

	verdict->detectable = paired_detectable(sd, values->n_differences, alpha);
	if (verdict->word != VERDICT_NOT_DISTINGUISHABLE)
		return;
	while (n < most && paired_detectable(sd, n, alpha) > effect)
		n++;
	verdict->n_needed = n < most && n > values->n_differences ? n : 0;
}

/* An interval beside a sentence that says why there is none would be read all the same. */
static struct htest untested(double difference)
{
	const double none = (double)NAN;

	return (struct htest){
		.difference = difference,
		.ci_low = none,
		.ci_high = none,
		.t = none,
		.df = none,
		.p = none,
	};
}

int verdict_reach(const struct verdict_values *values, const struct verdict_rules *rules,
		  struct verdict *ret)
{
	struct verdict verdict = {
		.first = stats_summarise(values->first, values->n_first, rules->confidence),
		.second = stats_summarise(values->second, values->n_second, rules->confidence),
		.detectable = (double)NAN,
		.rank_p = (double)NAN,
	};
	double u;
	int r = run_test(values, rules, &verdict);

	if (r < 0)
		return r;
	verdict.obstacle = find_obstacle(values, &verdict);
	if (verdict.obstacle != VERDICT_TESTED)
		verdict.result = untested(verdict.result.difference);
	if (verdict.obstacle == VERDICT_TESTED) {
		verdict.word = find_word(&verdict.result, rules->min_effect);
		if (values->differences)
			find_paired_power(values, rules, &verdict);
		else
			find_power(rules, &verdict);
	}
	if (verdict.obstacle == VERDICT_TESTED && rules->robust && !values->differences) {
		r = htest_mann_whitney(values->first, values->n_first, values->second,
				       values->n_second, &u, &verdict.rank_p);
		/* All values equal: there is no rank. */
		if (r < 0 && r != -EDOM)
			return r;
	}
	*ret = verdict;
	return 0;
}
