/* SPDX-License-Identifier: MIT */
/*
 * Baselines from made-up windows whose true floor is known.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibration.h"

#define WINDOW_NS 4000000
#define PASS_NS	  50
#define N	  1000

/* A window of which @taken_ns (whole passes) are one gap, beside the pass that the gap cut. */
static struct calibration_window make_window(uint64_t taken_ns, bool switched)
{
	uint64_t gap_ns = taken_ns + PASS_NS;

	return (struct calibration_window){
		.counts = {.elapsed_ns = WINDOW_NS,
			   .gap_ns = gap_ns,
			   .passes = (WINDOW_NS - gap_ns) / PASS_NS,
			   .gaps = 1},
		.switched = switched,
	};
}

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.17g is not %.17g +- %g", value, expected, tolerance);
}

static void test_an_idle_machine_gives_its_mean(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu = {.cpu = 7};

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] = make_window(i % 2 ? 30000 : 50000, false);
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_int_equal(cpu.cpu, 7);
	assert_near(cpu.idle_floor_ratio, 0.01, 1e-12);
	assert_near(cpu.pass_ns, PASS_NS, 1e-9);
	assert_near(cpu.pass_sd_ns, 0, 1e-9);
	assert_int_equal(cpu.n_windows, N);
	assert_int_equal(cpu.n_quiet, N);
	assert_true(cpu.quiet);
	/* Ten batches, all alike. */
	assert_near(cpu.idle_floor_uncertainty_ratio, 0, 1e-12);
}

static void test_a_busy_machine_gives_the_floor_of_its_quiet_windows(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	/* Nine windows in ten belong to a workload that takes half of the CPU. */
	for (size_t i = 0; i < N; i++)
		windows[i] = i % 10 ? make_window(2000000, true) : make_window(40000, false);
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_near(cpu.idle_floor_ratio, 0.01, 1e-12);
	assert_int_equal(cpu.n_quiet, N / 10);
	assert_true(cpu.quiet);
}

static void test_without_switches_the_level_decides(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] = make_window(i % 5 ? 2000000 : 40000, false);
	assert_int_equal(calibration_compute(windows, N, false, &cpu), 0);
	assert_near(cpu.idle_floor_ratio, 0.01, 1e-12);
	assert_int_equal(cpu.n_quiet, N / 5);
}

static void test_what_the_hypervisor_took_is_left_out(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] = make_window(i % 2 ? 30000 : 50000, false);
	for (size_t i = 0; i < N; i += 50)
		windows[i] = make_window(3500000, false);
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_int_equal(cpu.n_quiet, N - N / 50);
	/* The removed ones were of the 50 us kind: 480 of those and 500 of 30 us are left. */
	assert_near(cpu.idle_floor_ratio, (480 * 50000.0 + 500 * 30000.0) / 980 / WINDOW_NS, 1e-12);
}

static void test_no_quiet_window_is_said(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] = make_window(2000000, true);
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_false(cpu.quiet);
	assert_int_equal(cpu.n_quiet, 0);
	assert_true(isnan(cpu.idle_floor_ratio));
	assert_true(isnan(cpu.idle_floor_uncertainty_ratio));
	/* How long a pass is shows on a busy CPU as well. */
	assert_near(cpu.pass_ns, PASS_NS, 1e-9);
}

static void test_too_few_quiet_windows_are_said(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;
	const size_t n_quiet = CALIBRATION_LEAST_QUIET - 1;

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] =
			i < n_quiet ? make_window(40000, false) : make_window(4000000 / 2, true);
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_false(cpu.quiet);
	assert_int_equal(cpu.n_quiet, n_quiet);
	assert_near(cpu.idle_floor_ratio, 0.01, 1e-12);
}

static void test_no_window_at_all(void **state)
{
	struct calibration_cpu cpu;

	(void)state;
	assert_int_equal(calibration_compute(NULL, 0, true, &cpu), 0);
	assert_false(cpu.quiet);
	assert_true(isnan(cpu.pass_ns));
	assert_true(isnan(cpu.idle_floor_ratio));
}

static void test_windows_without_a_pass_have_no_pass_time(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	for (size_t i = 0; i < N; i++)
		windows[i] = (struct calibration_window){
			.counts = {.elapsed_ns = WINDOW_NS, .gap_ns = WINDOW_NS}, .switched = true};
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_true(isnan(cpu.pass_ns));
}

static void test_slow_windows_do_not_lengthen_the_pass(void **state)
{
	struct calibration_window windows[N];
	struct calibration_cpu cpu;

	(void)state;
	/* Three windows in four run at half speed, as beside a busy sibling. */
	for (size_t i = 0; i < N; i++) {
		windows[i] = make_window(40000, false);
		if (i % 4)
			windows[i].counts.passes /= 2;
	}
	assert_int_equal(calibration_compute(windows, N, true, &cpu), 0);
	assert_near(cpu.pass_ns, PASS_NS, 1e-9);
	assert_true(cpu.pass_sd_ns > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_idle_machine_gives_its_mean),
		cmocka_unit_test(test_a_busy_machine_gives_the_floor_of_its_quiet_windows),
		cmocka_unit_test(test_without_switches_the_level_decides),
		cmocka_unit_test(test_what_the_hypervisor_took_is_left_out),
		cmocka_unit_test(test_no_quiet_window_is_said),
		cmocka_unit_test(test_too_few_quiet_windows_are_said),
		cmocka_unit_test(test_no_window_at_all),
		cmocka_unit_test(test_windows_without_a_pass_have_no_pass_time),
		cmocka_unit_test(test_slow_windows_do_not_lengthen_the_pass),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
