/* SPDX-License-Identifier: MIT */
/*
 * See contrast.h.
 */
#include "contrast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "column.h"
#include "comparison.h"
#include "json.h"
#include "verdict.h"

/* Below this load a change in percent of it says nothing. */
#define LEAST_RELATIVE_RATIO 0.005

static const char *const words[] = {
	[VERDICT_MORE] = COMPARISON_MORE,
	[VERDICT_LESS] = COMPARISON_LESS,
	[VERDICT_NOT_DISTINGUISHABLE] = COMPARISON_NOT_DISTINGUISHABLE,
	[VERDICT_SAME_WITHIN] = COMPARISON_SAME_WITHIN,
};

static const char *const obstacles[] = {
	[VERDICT_NO_VALUES] = COMPARISON_NO_VALUES, [VERDICT_ONE_VALUE] = COMPARISON_ONE_VALUE,
	[VERDICT_SAME_RUNS] = COMPARISON_SAME_RUNS, [VERDICT_EQUAL] = COMPARISON_EQUAL,
	[VERDICT_NO_SPREAD] = COMPARISON_NO_SPREAD, [VERDICT_TOO_LARGE] = COMPARISON_TOO_LARGE,
};

static const char *const tests[] = {
	[VERDICT_WELCH] = "welch",
	[VERDICT_PAIRED] = "paired",
	[VERDICT_YUEN] = "yuen",
};

static const char *const betters[] = {
	[METRIC_BETTER_UNKNOWN] = NULL,
	[METRIC_BETTER_LOWER] = "lower",
	[METRIC_BETTER_HIGHER] = "higher",
};

/* What one test is made of. */
struct columns {
	struct column first;
	struct column second;
	struct column blocks;
	bool of_boots;
	bool of_blocks;
};

static void columns_fini(struct columns *columns)
{
	column_fini(&columns->first);
	column_fini(&columns->second);
	column_fini(&columns->blocks);
}

/* Take the means of boots, where both sides have several. */
static int take_boots(const struct metric *metric, const json_t *first, const json_t *second,
		      struct columns *ret)
{
	int r = column_of_boots(metric, first, &ret->first);

	if (r == 0)
		r = column_of_boots(metric, second, &ret->second);
	if (r < 0)
		return r;
	ret->of_boots = ret->first.n > 1 && ret->second.n > 1;
	if (ret->of_boots)
		return 0;
	column_fini(&ret->first);
	column_fini(&ret->second);
	return 0;
}

static int columns_take(const struct sides *sides, const struct metric *metric, const json_t *first,
			const json_t *second, struct columns *ret)
{
	int r;

	*ret = (struct columns){.of_blocks = sides->paired};
	if (!sides->paired) {
		r = take_boots(metric, first, second, ret);
		if (r < 0 || ret->of_boots)
			return r;
	}
	r = column_of_runs(metric, first, &ret->first);
	if (r == 0)
		r = column_of_runs(metric, second, &ret->second);
	if (r == 0 && ret->of_blocks)
		r = column_of_blocks(metric, first, second, &ret->blocks);
	return r;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *numbers_to_json(const double *values, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(array, json_number(values[i]));
	return array;
}

static json_t *summary_to_json(const struct stats_summary *summary, const struct column *column)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "mean", json_number(summary->mean), "sd",
			 json_number(summary->sd), "ci_low", json_number(summary->ci_low),
			 "ci_high", json_number(summary->ci_high), "n", (json_int_t)summary->n,
			 "values", numbers_to_json(column->values, column->n));
}

/* The change in units of the first side's mean, where that is clearly not zero. */
static double relative_change(const struct metric *metric, const struct verdict *verdict)
{
	double mean = verdict->first.mean;

	if (metric_is_ratio(metric) && mean < LEAST_RELATIVE_RATIO)
		return (double)NAN;
	if (mean == 0 || (verdict->first.ci_low <= 0 && verdict->first.ci_high >= 0))
		return (double)NAN;
	return verdict->result.difference / fabs(mean);
}

static const char *replicate(const struct columns *columns)
{
	if (columns->of_blocks)
		return "block";
	return columns->of_boots ? "boot" : "run";
}

static json_t *result_to_json(const struct metric *metric, const struct columns *columns,
			      const struct verdict *verdict, double min_effect)
{
	const struct htest *result = &verdict->result;

	return json_pack(
		"{s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", metric->name, "title", metric->title, "unit", metric->unit, "better",
		text_or_null(betters[metric->better]), "decimals", metric->decimals, "min_effect",
		min_effect > 0 ? json_number(min_effect) : json_null(), "first",
		summary_to_json(&verdict->first, &columns->first), "second",
		summary_to_json(&verdict->second, &columns->second), "test", tests[verdict->test],
		"replicate", replicate(columns), "difference", json_number(result->difference),
		"ci_low", json_number(result->ci_low), "ci_high", json_number(result->ci_high),
		"relative", json_number(relative_change(metric, verdict)), "t",
		json_number(result->t), "df", json_number(result->df), "p", json_number(result->p),
		"rank_p", json_number(verdict->rank_p), "verdict",
		text_or_null(words[verdict->word]), "obstacle",
		text_or_null(obstacles[verdict->obstacle]), "detectable",
		json_number(verdict->detectable), "replicates_needed",
		verdict->n_needed ? json_integer((json_int_t)verdict->n_needed) : json_null());
}

/* "CPU time for each block" is clearer than "for each unit of work". */
static int name_work(const struct metric *metric, const json_t *side, json_t *result)
{
	const char *unit = json_get_string(json_object_get(side, "work"), "unit");

	if (strcmp(metric->name, "us_per_work") != 0 || !unit)
		return 0;
	return json_object_set_new(result, "title", json_sprintf("CPU time for each %s", unit));
}

int contrast_metric(const struct sides *sides, const struct comparison_options *options,
		    const struct metric *metric, size_t second, json_t **ret_result)
{
	cleanup(columns_fini) struct columns columns = {0};
	struct verdict_rules rules = {.confidence = options->confidence, .robust = options->robust};
	struct verdict_values values;
	struct verdict verdict;
	json_t *result;
	int r = columns_take(sides, metric, sides->sides[0], sides->sides[second], &columns);

	if (r < 0)
		return r;
	values = (struct verdict_values){
		columns.first.values,
		columns.first.n,
		columns.second.values,
		columns.second.n,
		columns.of_blocks ? columns.blocks.values : NULL,
		columns.blocks.n,
	};
	rules.min_effect = effect_size(&options->min_effect, metric,
				       stats_mean(columns.first.values, columns.first.n));
	r = verdict_reach(&values, &rules, &verdict);
	if (r < 0)
		return r;
	result = result_to_json(metric, &columns, &verdict, rules.min_effect);
	if (!result || name_work(metric, sides->sides[second], result) < 0) {
		json_decref(result);
		return -ENOMEM;
	}
	*ret_result = result;
	return 0;
}
