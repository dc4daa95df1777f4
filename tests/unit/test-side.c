/* SPDX-License-Identifier: MIT */
/*
 * Sides from runs as documents hold them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json.h"
#include "side.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static json_t *make_runs(const char *text)
{
	json_t *runs = json_loads(text, 0, NULL);

	assert_non_null(runs);
	return runs;
}

/* The runs before the patch of seeds/004: 5.17 % [4.84, 5.51]. */
static void test_a_side_is_mean_and_interval(void **state)
{
	json_t *runs = make_runs("[{\"failed\":false,\"load_ratio\":0.0502},"
				 "{\"failed\":false,\"load_ratio\":0.0523},"
				 "{\"failed\":false,\"load_ratio\":0.0527}]");
	json_t *summary = side_summary_new(runs), *load;

	(void)state;
	assert_non_null(summary);
	load = json_object_get(summary, "load_ratio");
	assert_int_equal(json_get_integer(load, "n", -1), 3);
	assert_near(json_get_number(load, "mean"), 0.0517333, 1e-7);
	assert_near(json_get_number(load, "ci_low"), 0.04839743, 1e-8);
	assert_near(json_get_number(load, "ci_high"), 0.05506924, 1e-8);
	/* 3.07 standard deviations of 0.134 pp. */
	assert_near(json_get_number(summary, "detectable_load_ratio"), 3.0709 * 0.00134288, 1e-6);
	/* What no run has is null, not missing. */
	assert_true(json_is_null(json_object_get(json_object_get(summary, "steal_ratio"), "mean")));
	json_decref(summary);
	json_decref(runs);
}

static void test_failed_and_missing_runs_do_not_count(void **state)
{
	json_t *runs = make_runs("[{\"failed\":true,\"load_ratio\":0.9},"
				 "{\"failed\":false,\"load_ratio\":null},"
				 "{\"load_ratio\":0.8},"
				 "{\"failed\":false,\"load_ratio\":0.25}]");
	struct stats_summary summary = side_summarise(runs, "load_ratio");

	(void)state;
	assert_int_equal(summary.n, 1);
	assert_near(summary.mean, 0.25, 0);
	assert_true(isnan(summary.sd));
	assert_true(isnan(side_detectable(&summary, 3)));
	json_decref(runs);
}

static void test_no_runs_give_no_numbers(void **state)
{
	json_t *runs = make_runs("[]"), *summary = side_summary_new(runs);
	const json_t *load = json_object_get(summary, "load_ratio");

	(void)state;
	assert_int_equal(json_get_integer(load, "n", -1), 0);
	assert_true(json_is_null(json_object_get(load, "mean")));
	assert_true(json_is_null(json_object_get(summary, "detectable_load_ratio")));
	json_decref(summary);
	json_decref(runs);
}

static void test_equal_runs_can_show_nothing(void **state)
{
	json_t *runs = make_runs("[{\"failed\":false,\"load_ratio\":0.05},"
				 "{\"failed\":false,\"load_ratio\":0.05}]");
	struct stats_summary summary = side_summarise(runs, "load_ratio");

	(void)state;
	assert_near(summary.sd, 0, 0);
	assert_true(isnan(side_detectable(&summary, 2)));
	json_decref(runs);
}

static void test_the_commands_own_numbers_are_summarised(void **state)
{
	json_t *runs = make_runs(
		"[{\"failed\":false,\"metrics\":{\"iops\":10,\"load_ratio\":1,\"none\":null}},"
		"{\"failed\":true,\"metrics\":{\"iops\":99,\"load_ratio\":1,\"none\":null}},"
		"{\"failed\":false,\"metrics\":{\"iops\":14,\"load_ratio\":1,\"none\":null}}]");
	json_t *summary = side_summary_new(runs), *metrics, *iops;

	(void)state;
	assert_non_null(summary);
	metrics = json_object_get(summary, "metrics");
	assert_int_equal(json_object_size(metrics), 3);
	iops = json_object_get(metrics, "iops");
	assert_int_equal(json_get_integer(iops, "n", -1), 2);
	assert_near(json_get_number(iops, "mean"), 12, 1e-12);
	assert_near(json_get_number(iops, "sd"), sqrt(8), 1e-12);
	assert_int_equal(json_get_integer(json_object_get(metrics, "none"), "n", -1), 0);
	/* No run has a load: a metric of that name is not it. */
	assert_int_equal(json_get_integer(json_object_get(summary, "load_ratio"), "n", -1), 0);
	json_decref(summary);
	json_decref(runs);
}

static void test_a_gap_beyond_arithmetic_is_none(void **state)
{
	json_t *runs = make_runs("[{\"failed\":false,\"load_ratio\":-1.5e308,"
				 "\"untrimmed_load_ratio\":1.5e308}]");

	(void)state;
	assert_near(side_trim_gap(runs), 0, 0);
	json_decref(runs);
	runs = make_runs("[{\"failed\":false,\"load_ratio\":0.05,\"untrimmed_load_ratio\":0.08}]");
	assert_near(side_trim_gap(runs), 0.03, 1e-12);
	json_decref(runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_side_is_mean_and_interval),
		cmocka_unit_test(test_failed_and_missing_runs_do_not_count),
		cmocka_unit_test(test_no_runs_give_no_numbers),
		cmocka_unit_test(test_equal_runs_can_show_nothing),
		cmocka_unit_test(test_the_commands_own_numbers_are_summarised),
		cmocka_unit_test(test_a_gap_beyond_arithmetic_is_none),
	};

	return cmocka_run_group_tests_name("side", tests, NULL, NULL);
}
