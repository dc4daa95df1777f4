/* SPDX-License-Identifier: MIT */
/*
 * The soaker's loop: passes of fixed work, a clock reading after each, and what the readings tell.
 *
 * The loop knows nothing but its slot. It makes no system call and takes no lock. It is a target
 * of its own with fixed compiler flags, so that every build measures with the same machine code;
 * a body that changes gets a new version, and figures of different bodies or versions are never
 * compared.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "slot.h"

/* What a pass does. */
struct loop_body {
	const char *name;
	int version;
	uint64_t least_gap_ns; /* shorter clock differences never count as gaps */
	size_t buffer_bytes;   /* memory it walks; 0: none */
	const char *what;      /* one line for people */
};

/* Return: the table of bodies, @ret_n of them; the first is the default. */
const struct loop_body *loop_bodies(size_t *ret_n);

/* Return: the body called @name, or NULL. */
const struct loop_body *loop_body_find(const char *name);

enum loop_clock {
	LOOP_CLOCK_TSC,	    /* ticks are TSC cycles */
	LOOP_CLOCK_GETTIME, /* ticks are ns of CLOCK_MONOTONIC_RAW, read in the vDSO */
};

/* Return: whether this build can read a TSC at all. */
bool loop_has_tsc(void);

/* Return: the function that reads @clock. */
slot_clock_fn *loop_clock_function(enum loop_clock clock);

/*
 * Soak the calling thread's CPU for ever.
 *
 * The thread must be pinned, at idle priority and have every signal blocked. The thread sets
 * slot->started before the first pass that counts.
 *
 * @buffer: body->buffer_bytes of the thread's own memory; may be NULL when that is 0
 */
_Noreturn void loop_run(const struct loop_body *body, enum loop_clock clock, struct slot *slot,
			unsigned char *buffer);
