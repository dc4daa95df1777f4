/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "metric.h"
#include "side-fixture.h"

static const double loads[] = {5, 6, 7};

static void names_are_found_ours_first(void **state)
{
	json_t *side = make_side(loads, 3, NULL,
				 "{'metrics': [{'unit': 's'}, {'name': 'load', 'unit': 's'}, "
				 "{'name': 'lat', 'unit': 'us', 'better': 'lower', 'decimals': 2}, "
				 "{'name': 'bare'}, {'name': 'odd', 'unit': 5, 'better': 'up', "
				 "'decimals': -4}]}");
	struct metric metric = {.name = "untouched"};

	(void)state;
	assert_int_equal(metric_find("load", &side, 1, &metric), 0);
	assert_string_equal(metric.member, "load_ratio");
	assert_true(metric_is_ratio(&metric));
	assert_int_equal(metric_find("lat", &side, 1, &metric), 0);
	assert_null(metric.member);
	assert_string_equal(metric.unit, "us");
	assert_int_equal(metric.better, METRIC_BETTER_LOWER);
	assert_int_equal(metric.decimals, 2);
	assert_int_equal(metric_find("bare", &side, 1, &metric), 0);
	assert_string_equal(metric.unit, "");
	assert_int_equal(metric.better, METRIC_BETTER_UNKNOWN);
	assert_int_equal(metric_find("odd", &side, 1, &metric), 0);
	assert_string_equal(metric.unit, "");
	assert_int_equal(metric.decimals, 9);
	metric.name = "untouched";
	assert_int_equal(metric_find("nobody's", &side, 1, &metric), -ENOENT);
	assert_string_equal(metric.name, "untouched");
	json_decref(side);
}

static void a_logs_own_elapsed_is_meant_where_none_was_measured(void **state)
{
	json_t *side = make_side(NULL, 0, NULL,
				 "{'metrics': [{'name': 'elapsed', 'unit': 's'}], 'runs': "
				 "[{'failed': false, 'metrics': {'elapsed': 2}}]}");
	struct metric metric;

	(void)state;
	assert_int_equal(metric_find("elapsed", &side, 1, &metric), 0);
	assert_null(metric.member);
	put(run_of(side, 0), "{'elapsed_seconds': 3}");
	assert_int_equal(metric_find("elapsed", &side, 1, &metric), 0);
	assert_string_equal(metric.member, "elapsed_seconds");
	json_decref(side);
}

static void assert_names(json_t *const *sides, size_t n_sides, const char *expected)
{
	struct metric *metrics;
	char names[256];
	size_t n, length = 0;

	assert_int_equal(metric_defaults(sides, n_sides, &metrics, &n), 0);
	names[0] = '\0';
	for (size_t i = 0; i < n && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s ",
					   metrics[i].name);
	assert_string_equal(names, expected);
	free(metrics);
}

static void defaults_are_what_all_good_runs_have(void **state)
{
	json_t *sides[] = {
		make_side(loads, 3, NULL, "{'metrics': [{'name': 'a'}, {'name': 'b'}]}"),
		make_side(loads, 2, NULL, "{'metrics': [{'name': 'b'}, {'name': 'c'}]}")};

	(void)state;
	assert_names(sides, 2, "load a b c ");
	put(run_of(sides[0], 1), "{'elapsed_seconds': 1, 'load_ratio': 'text'}");
	assert_names(sides, 2, "a b c ");
	/* A failed run has no say. */
	put(run_of(sides[0], 1), "{'failed': true}");
	assert_names(sides, 2, "load a b c ");
	for (size_t i = 0; i < 5; i++)
		put(i < 3 ? run_of(sides[0], i) : run_of(sides[1], i - 3),
		    "{'elapsed_seconds': 1}");
	assert_names(sides, 2, "load elapsed a b c ");
	json_decref(sides[0]);
	json_decref(sides[1]);
}

static void values_are_those_of_good_runs_in_order(void **state)
{
	json_t *side = make_side(loads, 3, NULL, "{'metrics': [{'name': 'own', 'unit': 'ratio'}]}");
	struct metric metric;
	double *values;
	size_t n;

	(void)state;
	put(run_of(side, 0), "{'metrics': {'own': 0.5}}");
	put(run_of(side, 1), "{'metrics': {'own': 'no number'}}");
	put(run_of(side, 2), "{'metrics': {'own': 0.25}}");
	assert_int_equal(metric_find("own", &side, 1, &metric), 0);
	assert_true(metric_scale(&metric) == 100);
	assert_int_equal(metric_values(&metric, side, &values, &n), 0);
	assert_int_equal(n, 2);
	assert_true(values[0] == 0.5 && values[1] == 0.25);
	free(values);
	put(run_of(side, 0), "{'failed': true}");
	put(run_of(side, 2), "{'metrics': []}");
	assert_int_equal(metric_values(&metric, side, &values, &n), 0);
	assert_int_equal(n, 0);
	free(values);
	json_decref(side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_ours_first),
		cmocka_unit_test(a_logs_own_elapsed_is_meant_where_none_was_measured),
		cmocka_unit_test(defaults_are_what_all_good_runs_have),
		cmocka_unit_test(values_are_those_of_good_runs_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
