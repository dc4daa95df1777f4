/* SPDX-License-Identifier: MIT */
/*
 * Reading slots. The order of the loads is the whole matter; slot.h tells how they are written.
 */
#include "slot.h"

#include <string.h>

#define relaxed(field) atomic_load_explicit(&(field), memory_order_relaxed)

/* A reader that is interrupted this often in a row is on a machine that has other worries. */
#define MOST_TRIES 4

struct gaps_copy {
	uint64_t count, ticks, end, longest, epoch;
};

static struct gaps_copy read_gaps(const struct slot *slot)
{
	struct gaps_copy copy;
	uint32_t turn, again;

	/* Whole only if the turn did not change: the next but one gap is written over this copy. A
	 * gap is longer than this loop, so it ends. */
	again = atomic_load_explicit(&slot->gaps_turn, memory_order_acquire);
	do {
		const struct slot_gaps *gaps = &slot->gaps[again & 1];

		turn = again;
		copy.count = relaxed(gaps->count);
		copy.ticks = relaxed(gaps->ticks);
		copy.end = relaxed(gaps->end);
		copy.longest = relaxed(gaps->longest);
		copy.epoch = relaxed(gaps->epoch);
		atomic_thread_fence(memory_order_acquire);
		again = atomic_load_explicit(&slot->gaps_turn, memory_order_acquire);
	} while (again != turn);
	return copy;
}

/* Everything but what is going on. Return: the newest clock reading. */
static uint64_t read_finished(const struct slot *slot, struct slot_reading *ret)
{
	uint64_t last;
	struct gaps_copy gaps;

	/* `last` first: then the gaps are at least as new as it is, and a gap that ended in
	 * between shows by its end. The other way round a gap could be missed. */
	last = atomic_load_explicit(&slot->last, memory_order_acquire);
	ret->passes = relaxed(slot->passes);
	gaps = read_gaps(slot);
	ret->taken_ticks = gaps.ticks;
	ret->gaps = gaps.count;
	ret->longest_ticks = gaps.epoch == relaxed(slot->epoch) ? gaps.longest : 0;
	ret->running_on = relaxed(slot->running_on);
	return gaps.end > last ? gaps.end : last;
}

void slot_read(const struct slot *slot, slot_clock_fn *clock, struct slot_reading *ret)
{
	uint64_t last, unfinished;
	int tries = 0;

	/* A reader that is interrupted between the two loads would take its own absence for a gap
	 * of the soaker's. One in which `last` moves on is none. */
	do {
		last = read_finished(slot, ret);
		ret->now_ticks = clock();
		if (ret->now_ticks < last) /* the reader's clock may lag by some ticks */
			ret->now_ticks = last;
		unfinished = ret->now_ticks - last;
		if (unfinished < relaxed(slot->gap_ticks))
			return;
	} while (relaxed(slot->last) > last && ++tries < MOST_TRIES);
	ret->taken_ticks += unfinished;
	if (unfinished > ret->longest_ticks)
		ret->longest_ticks = unfinished;
}

void slot_read_ended(const struct slot *slot, struct slot_reading *ret)
{
	ret->now_ticks = read_finished(slot, ret);
}

void slot_next_epoch(struct slot *slot)
{
	atomic_store_explicit(&slot->epoch, relaxed(slot->epoch) + 1, memory_order_relaxed);
}

void slot_read_histogram(const struct slot *slot, uint64_t *counts)
{
	for (int b = 0; b < SLOT_BUCKETS; b++)
		counts[b] = relaxed(slot->histogram[b]);
}
