/* SPDX-License-Identifier: MIT */
/*
 * See document-metrics.h.
 */
#include "document-metrics.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "json.h"

static json_t *better_to_json(enum extract_better better)
{
	switch (better) {
	case EXTRACT_BETTER_UNKNOWN:
		return json_null();
	case EXTRACT_BETTER_LOWER:
		return json_string("lower");
	case EXTRACT_BETTER_HIGHER:
		return json_string("higher");
	}
	return NULL;
}

static json_t *work_to_json(const struct metric_options *options)
{
	if (options->work_metric)
		return json_pack("{s:n, s:s, s:s}", "amount", "metric", options->work_metric,
				 "unit", options->work_metric);
	if (options->work_amount > 0)
		return json_pack("{s:f, s:n, s:s}", "amount", options->work_amount, "metric",
				 "unit", options->work_unit);
	return json_null();
}

int document_metrics_begin(json_t *side, const struct metric_options *options)
{
	json_t *metrics = json_array();
	int r = 0;

	for (size_t i = 0; i < options->rules.n; i++) {
		const struct extract_rule *rule = &options->rules.rules[i];

		r |= json_array_append_new(metrics,
					   json_pack("{s:s, s:s, s:o}", "name", rule->name, "unit",
						     "", "better", better_to_json(rule->better)));
	}
	r |= json_object_set_new(side, "metrics", metrics);
	r |= json_object_set_new(side, "work", work_to_json(options));
	return r == 0 ? 0 : -ENOMEM;
}

/* Files of other programs may leave out what there is none of. */
static bool is_equal_or_none(const json_t *first, const json_t *second)
{
	if (!first || json_is_null(first))
		return !second || json_is_null(second);
	return json_equal(first, second);
}

bool document_metrics_fit(const json_t *side, const json_t *more)
{
	const json_t *had = json_object_get(side, "metrics");
	const json_t *metrics = json_object_get(more, "metrics"), *metric;
	size_t index;

	if (json_array_size(had) != json_array_size(metrics))
		return false;
	json_array_foreach (metrics, index, metric) {
		const json_t *name = json_object_get(json_array_get(had, index), "name");
		const char *unit = json_get_string(json_array_get(had, index), "unit");

		/* What only an import gives a unit of its own is no number of ours. */
		if (!json_equal(name, json_object_get(metric, "name")) || !unit ||
		    (*unit && strcmp(unit, "ratio") != 0))
			return false;
	}
	return is_equal_or_none(json_object_get(side, "work"), json_object_get(more, "work"));
}

static bool any_has(const json_t *runs, const char *name)
{
	const json_t *run;
	size_t index;

	json_array_foreach (runs, index, run)
		if (!isnan(json_get_number(json_object_get(run, "metrics"), name)))
			return true;
	return false;
}

/* The first number decides whether the metric is a ratio. Return: whether @value is of its unit. */
static bool agree_on_unit(const json_t *side, json_t *metric, const struct extract_value *value)
{
	const char *name = json_get_string(metric, "name"), *unit = json_get_string(metric, "unit");

	if (value->is_ratio == (strcmp(unit, "ratio") == 0))
		return true;
	if (!value->is_ratio || any_has(json_object_get(side, "warmups"), name) ||
	    any_has(json_object_get(side, "runs"), name))
		return false;
	return json_object_set_new(metric, "unit", json_string("ratio")) == 0;
}

/* Return: the number, or NaN after a sentence was added to @notes. */
static double take_value(const json_t *side, json_t *metric, const struct extract_value *value,
			 json_t *notes)
{
	const char *name = json_get_string(metric, "name");
	json_t *note = NULL;

	switch (value->state) {
	case EXTRACT_FOUND:
		if (agree_on_unit(side, metric, value))
			return value->number;
		note = json_sprintf("--metric %s found \"%s\", but %s before", name, value->text,
				    value->is_ratio ? "a number without %" : "one in %");
		break;
	case EXTRACT_NO_NUMBER:
		note = json_sprintf("--metric %s found \"%s\", which is no number", name,
				    value->text);
		break;
	case EXTRACT_NO_MATCH:
		note = json_sprintf("no line of the output matches --metric %s", name);
		break;
	}
	(void)json_array_append_new(notes, note);
	return (double)NAN;
}

/* How much work a run did; NaN when nobody says, or it is nothing that one can divide by. */
static double work_amount(const json_t *work, const json_t *values, json_t *notes)
{
	const char *name = json_get_string(work, "metric");
	double amount;

	if (!name)
		return json_get_number(work, "amount");
	amount = json_get_number(values, name);
	if (amount > 0 || isnan(amount))
		return amount;
	(void)json_array_append_new(
		notes, json_sprintf("--work-metric %s is %g: no CPU time per unit", name, amount));
	return (double)NAN;
}

/* The names of those of @numbers that are ratios. */
static json_t *units_new(const json_t *side, const json_t *numbers)
{
	json_t *units = json_object();
	const json_t *metric;
	size_t index;

	json_array_foreach (json_object_get(side, "metrics"), index, metric) {
		const char *name = json_get_string(metric, "name");
		json_t *unit = json_object_get(metric, "unit");

		if (strcmp(json_string_value(unit), "ratio") == 0 &&
		    !isnan(json_get_number(numbers, name)))
			(void)json_object_set(units, name, unit);
	}
	return units;
}

int document_metrics_recover(json_t *side, const json_t *run)
{
	json_t *metric;
	size_t index;

	json_array_foreach (json_object_get(side, "metrics"), index, metric) {
		const char *name = json_get_string(metric, "name");
		json_t *unit = json_object_get(json_object_get(run, "metric_units"), name);

		if (json_is_string(unit) && json_object_set(metric, "unit", unit) == -1)
			return -ENOMEM;
	}
	return 0;
}

int document_metrics_add(json_t *side, const struct extract_value *values, json_t *run)
{
	json_t *numbers = json_object(), *notes = json_array(), *metric, *units;
	double taken = json_get_number(run, "taken_cpu_seconds"), amount;
	size_t index;
	int r = 0;

	json_array_foreach (json_object_get(side, "metrics"), index, metric)
		r |= json_object_set_new(
			numbers, json_get_string(metric, "name"),
			json_number(take_value(side, metric, &values[index], notes)));
	amount = work_amount(json_object_get(side, "work"), numbers, notes);
	r |= json_object_set_new(run, "cpu_microseconds_per_work",
				 json_number(taken * 1e6 / amount));
	units = units_new(side, numbers);
	if (json_object_size(units) > 0)
		r |= json_object_set(run, "metric_units", units);
	r |= json_object_set_new(run, "metrics", numbers);
	json_decref(units);
	if (json_array_size(notes) > 0)
		r |= json_object_set(run, "metric_notes", notes);
	json_decref(notes);
	return r == 0 ? 0 : -ENOMEM;
}
