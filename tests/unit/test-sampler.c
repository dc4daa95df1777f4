/* SPDX-License-Identifier: MIT */
/*
 * Samples from made-up soakers and a made-up clock: the right sample is known to the nanosecond.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sampler.h"

#define SECOND 1000000000ULL
#define N_CPUS 3

/* Soakers of a clock that ticks every half nanosecond. */
#define TICK_NS 0.5

struct fake {
	struct slot_reading slots[N_CPUS];
	unsigned int n_epochs[N_CPUS];
};

static void read_fake(void *context, size_t index, struct slot_reading *ret)
{
	*ret = ((struct fake *)context)->slots[index];
}

static void next_epoch(void *context, size_t index)
{
	((struct fake *)context)->n_epochs[index]++;
}

/* The CPUs have sparse numbers, as with `nosmt`. */
static const int cpus[N_CPUS] = {0, 2, 70};

struct bench {
	struct fake fake;
	struct sampler sampler;
};

static void bench_init(struct bench *bench, size_t capacity)
{
	const struct sampler_source source = {read_fake, next_epoch, &bench->fake};

	memset(&bench->fake, 0, sizeof(bench->fake));
	for (size_t i = 0; i < N_CPUS; i++)
		bench->fake.slots[i].running_on = cpus[i];
	assert_int_equal(
		sampler_init(&bench->sampler, &source, cpus, N_CPUS, TICK_NS, SECOND, capacity), 0);
}

static void begin_all(struct bench *bench, uint64_t at_ns)
{
	for (size_t i = 0; i < N_CPUS; i++)
		sampler_soaker_began(&bench->sampler, i);
	sampler_begin(&bench->sampler, at_ns);
}

/* One soaker goes on by so much. */
static void soak(struct bench *bench, size_t index, uint64_t elapsed_ns, uint64_t gap_ns,
		 uint64_t passes, uint64_t gaps)
{
	struct slot_reading *slot = &bench->fake.slots[index];

	slot->now_ticks += elapsed_ns * 2;
	slot->taken_ticks += gap_ns * 2;
	slot->passes += passes;
	slot->gaps += gaps;
}

static const struct cpu_sample *tick(struct bench *bench, uint64_t now_ns, uint64_t due_ns,
				     uint64_t missed, const struct sample **ret)
{
	const struct cpu_sample *parts;

	*ret = sampler_tick(&bench->sampler, now_ns, 0, due_ns, missed);
	(void)history_get(&bench->sampler.history, (*ret)->seq, &parts);
	return parts;
}

static void test_a_sample_is_what_was_counted(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;

	(void)state;
	bench_init(&bench, 4);
	/* What a soaker did before sampling began is in no sample. */
	soak(&bench, 0, 5 * SECOND, SECOND, 77, 9);
	begin_all(&bench, 10 * SECOND);
	soak(&bench, 0, SECOND, 51000000, 9490000, 100);
	soak(&bench, 1, SECOND + 7, 0, 10000000, 0);
	bench.fake.slots[0].longest_ticks = 4000;
	parts = tick(&bench, 11 * SECOND, 11 * SECOND, 0, &sample);

	assert_int_equal(sample->seq, 1);
	assert_int_equal(sample->elapsed_ns, SECOND);
	assert_int_equal(sample->late_ns, 0);
	assert_int_equal(parts[0].elapsed_ns, SECOND);
	assert_int_equal(parts[0].gap_ns, 51000000);
	assert_int_equal(parts[0].passes, 9490000);
	assert_int_equal(parts[0].gaps, 100);
	assert_int_equal(parts[0].longest_gap_ns, 2000);
	assert_int_equal(parts[0].flags, 0);
	assert_int_equal(parts[1].elapsed_ns, SECOND + 7);
	assert_int_equal(parts[2].elapsed_ns, 0);
	assert_int_equal(bench.fake.n_epochs[0], 2);
	sampler_fini(&bench.sampler);
}

static void test_late_and_missed_ticks_are_recorded(void **state)
{
	struct bench bench;
	const struct sample *sample;

	(void)state;
	bench_init(&bench, 4);
	begin_all(&bench, 10 * SECOND);
	/* A twentieth of the interval is still in time. */
	(void)tick(&bench, 11 * SECOND + SECOND / 20, 11 * SECOND, 0, &sample);
	assert_int_equal(sample->late_ns, SECOND / 20);
	assert_int_equal(bench.sampler.late_ticks, 0);

	/* Two due times later by 0.3 s, one of them unused. */
	(void)tick(&bench, 13 * SECOND + 300000000, 13 * SECOND, 1, &sample);
	assert_int_equal(sample->late_ns, 300000000);
	assert_int_equal(sample->missed_ticks, 1);
	assert_int_equal(sample->elapsed_ns, 2 * SECOND + 300000000 - SECOND / 20);
	assert_int_equal(bench.sampler.late_ticks, 1);
	assert_int_equal(bench.sampler.missed_ticks, 1);
	sampler_fini(&bench.sampler);
}

static void test_totals_go_on_over_a_restart(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;
	struct sampler_totals before[N_CPUS], after[N_CPUS];

	(void)state;
	bench_init(&bench, 4);
	begin_all(&bench, 0);
	sampler_read_totals(&bench.sampler, before);
	soak(&bench, 0, SECOND / 2, 1000, 50, 1);
	sampler_soaker_ended(&bench.sampler, 0, SAMPLE_RESTARTED);

	/* The new soaker counts from zero, on a clock that went on. */
	bench.fake.slots[0] = (struct slot_reading){.now_ticks = 1 << 30, .running_on = 0};
	sampler_soaker_began(&bench.sampler, 0);
	soak(&bench, 0, SECOND / 4, 3000, 20, 2);
	sampler_read_totals(&bench.sampler, after);
	assert_int_equal(after[0].counts.elapsed_ns - before[0].counts.elapsed_ns,
			 SECOND / 2 + SECOND / 4);
	assert_int_equal(after[0].counts.gap_ns - before[0].counts.gap_ns, 4000);
	assert_int_equal(after[0].counts.passes - before[0].counts.passes, 70);

	parts = tick(&bench, SECOND, SECOND, 0, &sample);
	assert_int_equal(parts[0].flags, SAMPLE_RESTARTED);
	assert_int_equal(parts[1].flags, 0);
	soak(&bench, 0, SECOND, 0, 1, 0);
	parts = tick(&bench, 2 * SECOND, 2 * SECOND, 0, &sample);
	assert_int_equal(parts[0].flags, 0);
	assert_int_equal(parts[0].elapsed_ns, SECOND);
	sampler_fini(&bench.sampler);
}

static void test_a_soaker_on_another_cpu_is_marked(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;

	(void)state;
	bench_init(&bench, 4);
	begin_all(&bench, 0);
	bench.fake.slots[2].running_on = 0;
	parts = tick(&bench, SECOND, SECOND, 0, &sample);
	assert_int_equal(parts[2].flags, SAMPLE_MIGRATED);
	assert_int_equal(parts[0].flags, 0);
	sampler_fini(&bench.sampler);
}

static void test_a_cpu_without_a_soaker_is_offline(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;

	(void)state;
	bench_init(&bench, 4);
	sampler_soaker_began(&bench.sampler, 0);
	sampler_begin(&bench.sampler, 0);
	soak(&bench, 0, SECOND, 0, 10, 0);
	parts = tick(&bench, SECOND, SECOND, 0, &sample);
	assert_int_equal(parts[0].flags, 0);
	assert_int_equal(parts[1].flags, SAMPLE_OFFLINE);
	assert_int_equal(bench.fake.n_epochs[1], 0);
	sampler_fini(&bench.sampler);
}

static void test_marks_hold_for_one_interval(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;

	(void)state;
	bench_init(&bench, 4);
	begin_all(&bench, 0);
	sampler_mark(&bench.sampler, SAMPLE_SUSPENDED);
	parts = tick(&bench, SECOND, SECOND, 0, &sample);
	assert_int_equal(parts[1].flags, SAMPLE_SUSPENDED);
	parts = tick(&bench, 2 * SECOND, 2 * SECOND, 0, &sample);
	assert_int_equal(parts[1].flags, 0);
	sampler_fini(&bench.sampler);
}

static void test_the_ring_forgets_the_oldest(void **state)
{
	struct bench bench;
	const struct sample *sample;
	const struct cpu_sample *parts;

	(void)state;
	bench_init(&bench, 3);
	begin_all(&bench, 0);
	assert_int_equal(history_oldest(&bench.sampler.history), 1);
	for (uint64_t i = 1; i <= 8; i++) {
		soak(&bench, 0, SECOND, i, 1, 0);
		(void)tick(&bench, i * SECOND, i * SECOND, 0, &sample);
	}
	assert_int_equal(bench.sampler.history.newest, 8);
	assert_int_equal(history_oldest(&bench.sampler.history), 6);
	for (uint64_t seq = 6; seq <= 8; seq++) {
		assert_int_equal(history_get(&bench.sampler.history, seq, &parts)->seq, seq);
		assert_int_equal(parts[0].gap_ns, seq);
	}
	sampler_fini(&bench.sampler);
}

static void test_a_history_too_large_is_refused(void **state)
{
	struct history history = {.n_cpus = 99};

	(void)state;
	/* The promise: an hour of 256 CPUs in 64 MiB. */
	assert_true(history_bytes(3600, 256) < 64 << 20);
	assert_int_equal(history_init(&history, 1000000, 4096), -E2BIG);
	assert_int_equal(history_init(&history, SIZE_MAX / 2, SIZE_MAX / 2), -E2BIG);
	assert_int_equal(history.n_cpus, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sample_is_what_was_counted),
		cmocka_unit_test(test_late_and_missed_ticks_are_recorded),
		cmocka_unit_test(test_totals_go_on_over_a_restart),
		cmocka_unit_test(test_a_soaker_on_another_cpu_is_marked),
		cmocka_unit_test(test_a_cpu_without_a_soaker_is_offline),
		cmocka_unit_test(test_marks_hold_for_one_interval),
		cmocka_unit_test(test_the_ring_forgets_the_oldest),
		cmocka_unit_test(test_a_history_too_large_is_refused),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
