/* SPDX-License-Identifier: MIT */
/*
 * Reports over made-up histories, with the answers computed by hand.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report.h"

#define SECOND 1000000000ULL
#define N_CPUS 2

static void read_nothing(void *context, size_t index, struct slot_reading *ret)
{
	(void)context;
	(void)index;
	memset(ret, 0, sizeof(*ret));
}

static const int cpus[N_CPUS] = {0, 1};
static const bool both[N_CPUS] = {true, true};
static const bool second_only[N_CPUS] = {false, true};
static const struct trim ten_percent = {.kind = TRIM_SHARE, .share = 0.1};
static const struct trim eight = {.kind = TRIM_COUNT, .count = 8};

static struct calibration_cpu baselines[N_CPUS] = {
	{.cpu = 0, .pass_ns = 100, .idle_floor_ratio = 0},
	{.cpu = 1, .pass_ns = 100, .idle_floor_ratio = 0},
};

static void sampler_make(struct sampler *sampler, size_t capacity)
{
	const struct sampler_source source = {read_nothing, NULL, NULL};

	assert_int_equal(sampler_init(sampler, &source, cpus, N_CPUS, 1, SECOND, capacity), 0);
}

/* Append a second in which both CPUs lost these shares. No gap counts, so that taken is exact. */
static void append(struct sampler *sampler, double first, double second, uint32_t flags)
{
	const double taken[N_CPUS] = {first, second};
	struct cpu_sample *parts;
	struct sample *sample = history_push(&sampler->history, &parts);

	sample->elapsed_ns = SECOND;
	sample->monotonic_ns = sample->seq * SECOND;
	for (size_t i = 0; i < N_CPUS; i++)
		parts[i] = (struct cpu_sample){
			.elapsed_ns = SECOND,
			.gap_ns = (uint64_t)(taken[i] * 1e9 + 0.5),
			.passes = (uint32_t)((1 - taken[i]) * 1e7),
			.longest_gap_ns = 1000 * sample->seq,
			.flags = i == 1 ? flags : 0,
		};
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12))
		fail_msg("%.17g is not %.17g", value, expected);
}

static struct report compute(const struct sampler *sampler, const bool *selected, uint64_t begin_ns,
			     uint64_t end_ns, struct trim trim)
{
	const struct report_request request = {
		.selected = selected, .begin_ns = begin_ns, .end_ns = end_ns, .trim = trim};
	struct report report;

	assert_int_equal(report_compute(sampler, baselines, &request, &report), 0);
	return report;
}

static void test_trimmed_mean_cuts_the_ends(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	/* 20 seconds of 0.00, 0.01, ..., 0.19 on both; 2 + 2 are cut, 0.095 is left. */
	for (int i = 0; i < 20; i++)
		append(&sampler, (double)i / 100, (double)i / 100, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, ten_percent);
	assert_int_equal(report.n_samples, 20);
	assert_int_equal(report.n_cut, 4);
	assert_int_equal(report.n_kept, 16);
	assert_false(report.is_short);
	assert_near(report.figures.load_ratio, 0.095);
	assert_near(report.figures.untrimmed_load_ratio, 0.095);
	assert_int_equal(report.n_cpus, 2);
	assert_near(report.cpus[1].figures.load_ratio, 0.095);
	assert_int_equal(report.elapsed_ns, 20 * SECOND);
	assert_near(report.figures.longest_interruption_seconds, 20e-6);
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_a_burst_is_in_the_untrimmed_load_only(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 19; i++)
		append(&sampler, 0.05, 0.05, 0);
	append(&sampler, 1, 1, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, ten_percent);
	assert_near(report.figures.load_ratio, 0.05);
	assert_near(report.figures.untrimmed_load_ratio, (19 * 0.05 + 1) / 20);
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_cpus_are_averaged_and_chosen(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 10; i++)
		append(&sampler, 0.1, 0.3, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, ten_percent);
	assert_near(report.figures.load_ratio, 0.2);
	report_fini(&report);
	report = compute(&sampler, second_only, 0, 100 * SECOND, ten_percent);
	assert_near(report.figures.load_ratio, 0.3);
	assert_int_equal(report.n_cpus, 1);
	assert_int_equal(report.cpus[0].cpu, 1);
	report_fini(&report);
	sampler_fini(&sampler);
}

/* Samples of uneven length, in a ring that has turned over: as one by one would have found them. */
static void test_the_stretch_is_found_wherever_it_begins_and_ends(void **state)
{
	enum { CAPACITY = 7, N_PUSHED = 17 };
	static const uint64_t lengths[] = {3, 1, 5, 2};
	uint64_t ends[N_PUSHED + 1] = {0};
	struct sampler sampler;

	(void)state;
	sampler_make(&sampler, CAPACITY);
	for (uint64_t seq = 1; seq <= N_PUSHED; seq++) {
		struct cpu_sample *parts;
		struct sample *sample = history_push(&sampler.history, &parts);

		sample->elapsed_ns = lengths[seq % 4] * SECOND;
		ends[seq] = ends[seq - 1] + sample->elapsed_ns;
		sample->monotonic_ns = ends[seq];
	}
	for (uint64_t begin = 0; begin <= ends[N_PUSHED] + SECOND; begin += SECOND / 2)
		for (uint64_t end = begin; end <= ends[N_PUSHED] + SECOND; end += SECOND / 2) {
			const struct load_counts exact[N_CPUS] = {0};
			const struct report_request request = {
				.selected = both, .begin_ns = begin, .end_ns = end, .exact = exact};
			struct report report;
			size_t n = 0;

			for (uint64_t seq = N_PUSHED - CAPACITY + 1; seq <= N_PUSHED; seq++)
				n += ends[seq - 1] >= begin && ends[seq] <= end;
			assert_int_equal(report_compute(&sampler, baselines, &request, &report), 0);
			assert_int_equal(report.n_samples, n);
			assert_int_equal(report.samples_lost,
					 n > 0 && begin < ends[N_PUSHED - CAPACITY]);
			report_fini(&report);
		}
	sampler_fini(&sampler);
}

/* seeds: eight from each end need 21 samples for five to be left. */
static void test_short_when_fewer_than_five_are_left(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 20; i++)
		append(&sampler, 0.05, 0.05, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, eight);
	assert_true(report.is_short);
	assert_int_equal(report.n_cut, 0);
	assert_int_equal(report.n_kept, 20);
	assert_near(report.figures.load_ratio, 0.05);
	report_fini(&report);

	append(&sampler, 0.05, 0.05, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, eight);
	assert_false(report.is_short);
	assert_int_equal(report.n_kept, 5);
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_only_samples_wholly_inside_count(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 20; i++)
		append(&sampler, (double)i / 100, (double)i / 100, 0);
	/* Sample n covers [n - 1, n]: of 3.5 s to 12.5 s, samples 5 to 12 are inside. */
	report = compute(&sampler, both, 3 * SECOND + SECOND / 2, 12 * SECOND + SECOND / 2,
			 (struct trim){.kind = TRIM_COUNT, .count = 0});
	assert_int_equal(report.n_samples, 8);
	assert_near(report.figures.load_ratio, (0.04 + 0.11) / 2);
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_exact_counts_make_the_untrimmed_load(void **state)
{
	const struct load_counts exact[N_CPUS] = {
		{.elapsed_ns = SECOND / 2, .gap_ns = SECOND / 8, .passes = 3750000, .gaps = 0},
		{.elapsed_ns = SECOND / 2, .gap_ns = SECOND / 4, .passes = 2500000, .gaps = 0},
	};
	struct sampler sampler;
	struct report report;
	struct report_request request = {
		.selected = both, .begin_ns = 0, .end_ns = SECOND / 2, .exact = exact};

	(void)state;
	sampler_make(&sampler, 100);
	assert_int_equal(report_compute(&sampler, baselines, &request, &report), 0);
	assert_int_equal(report.n_samples, 0);
	assert_true(report.is_short);
	assert_near(report.figures.load_ratio, 0.375);
	assert_near(report.figures.untrimmed_load_ratio, 0.375);
	assert_int_equal(report.elapsed_ns, SECOND / 2);
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_invalid_parts_are_left_out(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 10; i++)
		append(&sampler, 0.1, 0.9, SAMPLE_MIGRATED);
	report = compute(&sampler, both, 0, 100 * SECOND, ten_percent);
	assert_near(report.figures.load_ratio, 0.1);
	assert_int_equal(report.n_invalid, 0);
	assert_true(isnan(report.cpus[1].figures.load_ratio));
	report_fini(&report);
	report = compute(&sampler, second_only, 0, 100 * SECOND, ten_percent);
	assert_int_equal(report.n_invalid, 10);
	assert_int_equal(report.n_kept, 0);
	assert_true(isnan(report.figures.load_ratio));
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_an_unknown_floor_counts_as_none(void **state)
{
	struct calibration_cpu unknown[N_CPUS] = {
		{.cpu = 0, .pass_ns = 100, .idle_floor_ratio = (double)NAN},
		{.cpu = 1, .pass_ns = 100, .idle_floor_ratio = (double)NAN},
	};
	struct sampler sampler;
	struct report report;
	const struct report_request request = {
		.selected = both, .begin_ns = 0, .end_ns = 100 * SECOND, .trim = ten_percent};

	(void)state;
	sampler_make(&sampler, 100);
	for (int i = 0; i < 10; i++)
		append(&sampler, 0.1, 0.1, 0);
	assert_int_equal(report_compute(&sampler, unknown, &request, &report), 0);
	assert_near(report.figures.load_ratio, 0.1);
	assert_true(isnan(report.idle_floor_ratio));
	report_fini(&report);
	sampler_fini(&sampler);
}

static void test_an_empty_stretch_is_an_error(void **state)
{
	struct sampler sampler;
	struct report report;
	struct report_request request = {
		.selected = both, .begin_ns = 50 * SECOND, .end_ns = 60 * SECOND};

	(void)state;
	sampler_make(&sampler, 100);
	assert_int_equal(report_compute(&sampler, baselines, &request, &report), -ENODATA);
	append(&sampler, 0.1, 0.1, 0);
	assert_int_equal(report_compute(&sampler, baselines, &request, &report), -ENODATA);
	sampler_fini(&sampler);
}

static void test_a_history_too_short_is_said(void **state)
{
	struct sampler sampler;
	struct report report;

	(void)state;
	sampler_make(&sampler, 6);
	for (int i = 0; i < 10; i++)
		append(&sampler, 0.1, 0.1, 0);
	report = compute(&sampler, both, 0, 100 * SECOND, ten_percent);
	assert_true(report.samples_lost);
	report_fini(&report);
	report = compute(&sampler, both, 5 * SECOND, 100 * SECOND, ten_percent);
	assert_false(report.samples_lost);
	report_fini(&report);
	sampler_fini(&sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trimmed_mean_cuts_the_ends),
		cmocka_unit_test(test_a_burst_is_in_the_untrimmed_load_only),
		cmocka_unit_test(test_cpus_are_averaged_and_chosen),
		cmocka_unit_test(test_the_stretch_is_found_wherever_it_begins_and_ends),
		cmocka_unit_test(test_short_when_fewer_than_five_are_left),
		cmocka_unit_test(test_only_samples_wholly_inside_count),
		cmocka_unit_test(test_exact_counts_make_the_untrimmed_load),
		cmocka_unit_test(test_invalid_parts_are_left_out),
		cmocka_unit_test(test_an_unknown_floor_counts_as_none),
		cmocka_unit_test(test_an_empty_stretch_is_an_error),
		cmocka_unit_test(test_a_history_too_short_is_said),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
