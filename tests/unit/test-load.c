/* SPDX-License-Identifier: MIT */
/*
 * The formulas of lib/load.h against cases computed by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load.h"

#define NEAR 1e-12

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= NEAR))
		fail_msg("%.17g is not %.17g", value, expected);
}

/*
 * One second; 100 gaps of 510 us, each holding a pass of 100 ns; 9490000 passes fill the rest:
 * (1e9 - 51e6) / 9490000 = 100 ns. Taken: 51e6 - 100 * 100 = 50990000 ns = 5.099 %.
 */
static const struct load_counts five_percent = {
	.elapsed_ns = 1000000000, .gap_ns = 51000000, .passes = 9490000, .gaps = 100};

static void test_taken_leaves_out_the_passes_in_gaps(void **state)
{
	const struct load_baseline baseline = {.pass_ns = 100, .idle_floor_ratio = 0};
	struct load_ratios ratios = load_compute(&five_percent, &baseline);

	(void)state;
	assert_near(ratios.taken, 0.05099);
	assert_near(ratios.load, 0.05099);
	assert_near(ratios.slowed, 0);
	assert_near(ratios.lost, 0.05099);
}

static void test_load_is_relative_to_the_idle_floor(void **state)
{
	const struct load_baseline baseline = {.pass_ns = 100, .idle_floor_ratio = 0.01};
	struct load_ratios ratios = load_compute(&five_percent, &baseline);

	(void)state;
	assert_near(ratios.load, 1 - 0.94901 / 0.99);
	assert_near(load_relative(0.01, 0.01), 0);
	assert_near(load_relative(1, 0.01), 1);
	/* Quieter than calibrated: negative, and left so. */
	assert_near(load_relative(0, 0.01), 1 - 1 / 0.99);
	assert_true(isnan(load_relative(0.5, 1)));
	assert_true(isnan(load_relative(0.5, (double)NAN)));
}

static void test_slowed_passes_are_lost_but_not_taken(void **state)
{
	const struct load_baseline baseline = {.pass_ns = 80, .idle_floor_ratio = 0};
	struct load_ratios ratios = load_compute(&five_percent, &baseline);

	(void)state;
	assert_near(ratios.taken, 0.05099);
	assert_near(ratios.slowed, 0.2);
	assert_near(ratios.lost, 1 - 0.94901 * 0.8);
}

static void test_a_cpu_that_is_never_had_is_wholly_taken(void **state)
{
	const struct load_counts counts = {.elapsed_ns = 1000, .gap_ns = 1000, .gaps = 0};
	const struct load_baseline baseline = {.pass_ns = 80, .idle_floor_ratio = 0.01};
	struct load_ratios ratios = load_compute(&counts, &baseline);

	(void)state;
	assert_near(ratios.taken, 1);
	assert_near(ratios.load, 1);
	assert_true(isnan(ratios.slowed));
	assert_true(isnan(ratios.lost));
}

static void test_no_time_gives_no_number(void **state)
{
	const struct load_counts counts = {0};
	const struct load_baseline baseline = {.pass_ns = 80, .idle_floor_ratio = 0.01};
	struct load_ratios ratios = load_compute(&counts, &baseline);

	(void)state;
	assert_true(isnan(ratios.taken) && isnan(ratios.load) && isnan(ratios.slowed) &&
		    isnan(ratios.lost));
	assert_true(isnan(load_mean_gap_ns(&counts)));
}

static void test_an_unknown_pass_leaves_load_alone(void **state)
{
	const struct load_baseline baseline = {.pass_ns = (double)NAN, .idle_floor_ratio = 0.01};
	struct load_ratios ratios = load_compute(&five_percent, &baseline);

	(void)state;
	assert_near(ratios.load, 1 - 0.94901 / 0.99);
	assert_true(isnan(ratios.slowed));
}

static void test_mean_gap_and_cpu_seconds(void **state)
{
	(void)state;
	assert_near(load_mean_gap_ns(&five_percent), 509900);
	/* The worked example of a report: 5.17 % of 61 s on 2 CPUs. */
	assert_near(load_cpu_seconds(0.0517, 61000000000, 2), 6.3074);
}

static void test_counts_add_up(void **state)
{
	struct load_counts sum = five_percent;

	(void)state;
	load_counts_add(&sum, &five_percent);
	assert_int_equal(sum.elapsed_ns, 2000000000);
	assert_int_equal(sum.gap_ns, 102000000);
	assert_int_equal(sum.passes, 18980000);
	assert_int_equal(sum.gaps, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken_leaves_out_the_passes_in_gaps),
		cmocka_unit_test(test_load_is_relative_to_the_idle_floor),
		cmocka_unit_test(test_slowed_passes_are_lost_but_not_taken),
		cmocka_unit_test(test_a_cpu_that_is_never_had_is_wholly_taken),
		cmocka_unit_test(test_no_time_gives_no_number),
		cmocka_unit_test(test_an_unknown_pass_leaves_load_alone),
		cmocka_unit_test(test_mean_gap_and_cpu_seconds),
		cmocka_unit_test(test_counts_add_up),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
