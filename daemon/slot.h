/* SPDX-License-Identifier: MIT */
/*
 * What one soaker tells the world: its slot in shared memory.
 *
 * One writer (the soaker thread), any number of readers, no lock and no system call: the writer
 * never waits for a reader, nor a reader for a writer that was taken off its CPU in the middle of
 * an update. Two parts make that possible:
 *
 *   - `passes` and `last` move at every pass. A reader may see one a pass older than the other,
 *     which is some tens of nanoseconds and is left so.
 *   - everything about gaps is kept twice and `gaps_turn` says which copy is whole (a latch, as
 *     the kernel's seqcount_latch_t: Documentation/locking/seqlock.rst).
 *
 * Time is in ticks of the slot's clock: TSC cycles, or nanoseconds where there is no usable TSC.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Gap lengths by power of two: bucket b counts gaps of [2^b, 2^(b+1)) ticks. */
#define SLOT_BUCKETS 48

/* Windows kept for calibration: some seconds of them. A power of two. */
#define SLOT_WINDOWS 2048

/* Two cache lines, as neighbouring lines are fetched in pairs. */
#define SLOT_LINE_PAIR 128

/* The gaps since the soaker began. One of two copies; written whole before it is published. */
struct slot_gaps {
	_Atomic uint64_t count;
	_Atomic uint64_t ticks; /* their summed length, each with the pass it cut */
	_Atomic uint64_t
		switches;     /* how many of them let another thread run; see slot.has_switches */
	_Atomic uint64_t end; /* when the last one ended */
	_Atomic uint64_t longest; /* ticks, since `epoch` changed to its present value */
	_Atomic uint64_t epoch;	  /* the slot's epoch when `longest` began */
};

/*
 * A short stretch of soaking, about a whole number of timer ticks long. Written before n_windows
 * passes it. What does not fit is saturated, and such a window is never quiet.
 */
struct slot_window {
	_Atomic uint32_t elapsed_ticks;
	_Atomic uint32_t taken_ticks; /* summed gaps, each with the pass it cut */
	_Atomic uint32_t passes;
	_Atomic uint32_t gaps;
	_Atomic uint32_t switches;
};

struct slot {
	/* Set by soakd before the soaker begins, then constant. */
	alignas(SLOT_LINE_PAIR) int32_t cpu; /* where it must run */
	uint64_t window_ticks;
	uint64_t least_gap_ticks; /* the body's own bound; see gap_ticks */

	/* Written once by the soaker before `started`. */
	_Atomic uint64_t gap_ticks; /* a clock difference from here on is a gap */
	_Atomic bool has_switches;  /* the kernel tells this thread of switches (rseq) */
	_Atomic int32_t error;	    /* negative errno when it could not begin */
	_Atomic bool started;

	/* Written by soakd alone: a new value begins a new `longest`. */
	alignas(SLOT_LINE_PAIR) _Atomic uint64_t epoch;

	/* Written at every pass. */
	alignas(SLOT_LINE_PAIR) _Atomic uint64_t passes;
	_Atomic uint64_t last; /* newest clock reading */

	/* Written at every gap. */
	_Atomic uint32_t gaps_turn; /* gaps[gaps_turn & 1] is whole */
	_Atomic int32_t running_on; /* the CPU the last gap ended on */
	alignas(SLOT_LINE_PAIR) struct slot_gaps gaps[2];
	alignas(SLOT_LINE_PAIR) _Atomic uint64_t histogram[SLOT_BUCKETS];

	/* Written at every window. */
	alignas(SLOT_LINE_PAIR) _Atomic uint64_t n_windows; /* ever; slot n % SLOT_WINDOWS */
	struct slot_window windows[SLOT_WINDOWS];
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "slots are shared between processes");
_Static_assert(sizeof(struct slot) % SLOT_LINE_PAIR == 0, "slots must not share a line");

/* The state of a slot at one moment. All counts since the soaker began. */
struct slot_reading {
	uint64_t now_ticks;   /* the moment */
	uint64_t taken_ticks; /* in gaps, the one going on included */
	uint64_t passes;
	uint64_t gaps;		/* finished ones */
	uint64_t longest_ticks; /* in the present epoch; the one going on included */
	int running_on;
};

/* The clock the slots are filled by: ticks now. */
typedef uint64_t slot_clock_fn(void);

/*
 * Read a slot.
 *
 * Never waits for the writer: it reads again only when a gap ended between two loads, or, a few
 * times, when the reader itself was interrupted between them.
 *
 * @slot: of a soaker that has started
 * @clock: the same clock as the soaker's, comparable across CPUs
 */
void slot_read(const struct slot *slot, slot_clock_fn *clock, struct slot_reading *ret);

/*
 * Read the slot of a soaker that has ended: its state at its last sign of life. What it was cut
 * off in is nobody's.
 */
void slot_read_ended(const struct slot *slot, struct slot_reading *ret);

/* Begin a new `longest`: what slot_read() gives next is since now. Only soakd may call it. */
void slot_next_epoch(struct slot *slot);

/* Copy the histogram into counts[SLOT_BUCKETS]. */
void slot_read_histogram(const struct slot *slot, uint64_t *counts);
