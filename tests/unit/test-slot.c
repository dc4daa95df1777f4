/* SPDX-License-Identifier: MIT */
/*
 * Reading slots: every order in which a reader can meet the writer, made by hand; and one real loop
 * that is read while it runs.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "loop.h"
#include "slot.h"

static uint64_t now;

static uint64_t fake_clock(void)
{
	return now;
}

static struct slot *slot_make(void)
{
	struct slot *slot = aligned_alloc(SLOT_LINE_PAIR, sizeof(*slot));

	assert_non_null(slot);
	memset(slot, 0, sizeof(*slot));
	atomic_store(&slot->gap_ticks, 1000);
	return slot;
}

static void put_gaps(struct slot *slot, int copy, uint64_t count, uint64_t ticks, uint64_t end)
{
	atomic_store(&slot->gaps[copy].count, count);
	atomic_store(&slot->gaps[copy].ticks, ticks);
	atomic_store(&slot->gaps[copy].end, end);
	atomic_store(&slot->gaps[copy].longest, ticks);
}

static void test_a_pass_going_on_is_not_taken(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	put_gaps(slot, 0, 3, 5000, 90000);
	atomic_store(&slot->last, 100000);
	atomic_store(&slot->passes, 42);
	now = 100999;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.now_ticks, 100999);
	assert_int_equal(reading.taken_ticks, 5000);
	assert_int_equal(reading.gaps, 3);
	assert_int_equal(reading.passes, 42);
	free(slot);
}

static void test_a_gap_going_on_is_taken(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	put_gaps(slot, 0, 3, 5000, 90000);
	atomic_store(&slot->last, 100000);
	now = 107000;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.taken_ticks, 12000);
	assert_int_equal(reading.gaps, 3);
	assert_int_equal(reading.longest_ticks, 7000);
	/* Of a soaker that has ended, it is nobody's. */
	slot_read_ended(slot, &reading);
	assert_int_equal(reading.now_ticks, 100000);
	assert_int_equal(reading.taken_ticks, 5000);
	free(slot);
}

/* The gap is published, the reading that ended it not yet: it must not be counted twice. */
static void test_a_gap_published_before_its_reading_counts_once(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	put_gaps(slot, 0, 3, 5000, 90000);
	atomic_store(&slot->last, 100000);
	put_gaps(slot, 1, 4, 15000, 110000);
	atomic_store(&slot->gaps_turn, 1);
	now = 110100;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.taken_ticks, 15000);
	assert_int_equal(reading.gaps, 4);
	free(slot);
}

/* A writer that was taken off its CPU while it filled the other copy changes nothing. */
static void test_a_half_written_copy_is_not_read(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	put_gaps(slot, 0, 3, 5000, 90000);
	atomic_store(&slot->gaps[1].count, 4);
	atomic_store(&slot->gaps[1].ticks, UINT64_MAX);
	atomic_store(&slot->last, 100000);
	now = 100100;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.taken_ticks, 5000);
	assert_int_equal(reading.gaps, 3);
	free(slot);
}

static void test_a_lagging_reader_clock_is_no_gap(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	atomic_store(&slot->last, 100000);
	now = 99990;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.now_ticks, 100000);
	assert_int_equal(reading.taken_ticks, 0);
	free(slot);
}

static void test_the_longest_gap_is_of_its_epoch(void **state)
{
	struct slot *slot = slot_make();
	struct slot_reading reading;

	(void)state;
	put_gaps(slot, 0, 1, 5000, 90000);
	atomic_store(&slot->last, 100000);
	now = 100100;
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.longest_ticks, 5000);
	slot_next_epoch(slot);
	slot_read(slot, fake_clock, &reading);
	assert_int_equal(reading.longest_ticks, 0);
	free(slot);
}

static void test_bodies_have_names(void **state)
{
	size_t n;
	const struct loop_body *bodies = loop_bodies(&n);

	(void)state;
	assert_int_equal(n, 3);
	assert_string_equal(bodies[0].name, "alu");
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(loop_body_find(bodies[i].name), &bodies[i]);
	assert_null(loop_body_find("nop"));
}

/* A real soaker in a child, which is stopped to make a gap of known bounds. */
static void check_loop(const struct loop_body *body)
{
	struct slot *slot = mmap(NULL, sizeof(*slot), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct slot_reading first, stopped, later;
	slot_clock_fn *clock = loop_clock_function(LOOP_CLOCK_GETTIME);
	uint64_t deadline = clock_now_ns(CLOCK_MONOTONIC) + 10000000000;
	pid_t child;
	int status;

	assert_ptr_not_equal(slot, MAP_FAILED);
	slot->window_ticks = 1000000;
	slot->least_gap_ticks = body->least_gap_ns;
	child = fork();
	assert_int_not_equal(child, -1);
	if (child == 0)
		loop_run(body, LOOP_CLOCK_GETTIME, slot,
			 body->buffer_bytes ? calloc(1, body->buffer_bytes) : NULL);
	while (!atomic_load(&slot->started) || atomic_load(&slot->n_windows) == 0)
		if (clock_now_ns(CLOCK_MONOTONIC) > deadline)
			break;
	assert_true(atomic_load(&slot->started));
	slot_read(slot, clock, &first);

	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	slot_read(slot, clock, &stopped);
	assert_true(stopped.passes >= first.passes);
	assert_true(stopped.now_ticks >= first.now_ticks);
	/* Nothing passes while it stands still: all of the time is taken. */
	do
		slot_read(slot, clock, &later);
	while (later.now_ticks - stopped.now_ticks < 20000000);
	assert_int_equal(later.passes, stopped.passes);
	assert_true(later.taken_ticks - stopped.taken_ticks >= 19000000);
	assert_true(later.longest_ticks >= 19000000);

	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(atomic_load(&slot->n_windows) > 0);
	assert_true(atomic_load(&slot->windows[0].passes) > 0 ||
		    atomic_load(&slot->windows[0].taken_ticks) > 0);
	assert_int_equal(munmap(slot, sizeof(*slot)), 0);
}

static void test_a_real_loop_counts(void **state)
{
	size_t n;
	const struct loop_body *bodies = loop_bodies(&n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		check_loop(&bodies[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pass_going_on_is_not_taken),
		cmocka_unit_test(test_a_gap_going_on_is_taken),
		cmocka_unit_test(test_a_gap_published_before_its_reading_counts_once),
		cmocka_unit_test(test_a_half_written_copy_is_not_read),
		cmocka_unit_test(test_a_lagging_reader_clock_is_no_gap),
		cmocka_unit_test(test_the_longest_gap_is_of_its_epoch),
		cmocka_unit_test(test_bodies_have_names),
		cmocka_unit_test(test_a_real_loop_counts),
	};

	return cmocka_run_group_tests_name("slot", tests, NULL, NULL);
}
