/* SPDX-License-Identifier: MIT */
/*
 * From readings to samples: what each soaker counted since the tick before.
 *
 * The sampler keeps running totals a CPU, which go on over a restart of the soaker process: the
 * time in which nobody soaked is in no total. It knows no clock and no slot, only a source of
 * readings and the times it is told, so that tests give it exact numbers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "load.h"
#include "slot.h"

/* Where readings come from. */
struct sampler_source {
	/* Read the slot of the CPU at @index of the CPU list. */
	void (*read)(void *context, size_t index, struct slot_reading *ret);
	/* Begin a new longest gap on that CPU. */
	void (*next_epoch)(void *context, size_t index);
	void *context;
};

/* What one CPU was counted since the daemon began. */
struct sampler_totals {
	struct load_counts counts;
	uint64_t longest_gap_ns; /* in the present interval */
	uint32_t flags;		 /* enum sample_flag, what is the matter just now */
};

struct sampler_cpu {
	int cpu;
	bool soaked;		    /* a soaker runs there */
	struct slot_reading base;   /* when this soaker began */
	struct load_counts carried; /* of the soakers before it */
	struct sampler_totals last; /* at the last tick */
	struct load_counts told;    /* at the last reading of any kind */
	uint32_t flags;		    /* of the interval going on */
};

struct sampler {
	struct sampler_source source;
	double tick_ns; /* ns a tick of the slots' clock */
	size_t n_cpus;
	struct sampler_cpu *cpus; /* [n_cpus] */
	struct history history;
	uint64_t last_monotonic_ns;
	uint64_t interval_ns;
	uint64_t late_ticks;
	uint64_t missed_ticks;
};

/*
 * Prepare for cpus[n_cpus], none of them soaked yet.
 *
 * @tick_ns: ns a tick of the slots' clock
 * @capacity: samples to keep
 *
 * Return: 0, or history_init()'s errors.
 */
int sampler_init(struct sampler *sampler, const struct sampler_source *source, const int *cpus,
		 size_t n_cpus, double tick_ns, uint64_t interval_ns, size_t capacity);
void sampler_fini(struct sampler *sampler);

/* A soaker has begun on the CPU at @index: count from now on. */
void sampler_soaker_began(struct sampler *sampler, size_t index);

/*
 * The soaker on the CPU at @index has ended (or is about to be).
 *
 * Its totals up to its last sign of life are kept; what was open then is nobody's, except where a
 * reading has told it already: totals never go back.
 * The interval going on is marked with @flags.
 */
void sampler_soaker_ended(struct sampler *sampler, size_t index, uint32_t flags);

/* Begin sampling: the first sample runs from here. */
void sampler_begin(struct sampler *sampler, uint64_t monotonic_ns);

/* Mark every CPU of the interval going on with @flags. */
void sampler_mark(struct sampler *sampler, uint32_t flags);

/*
 * Take a sample.
 *
 * @monotonic_ns, @wall_ns: now
 * @due_ns: when it was due, on CLOCK_MONOTONIC
 * @missed_ticks: due times that passed unused before this one
 *
 * Return: the sample, valid until the next tick.
 */
const struct sample *sampler_tick(struct sampler *sampler, uint64_t monotonic_ns, int64_t wall_ns,
				  uint64_t due_ns, uint64_t missed_ticks);

/* Read the totals of every CPU now: totals[n_cpus]. */
void sampler_read_totals(struct sampler *sampler, struct sampler_totals *totals);

/*
 * Return: whether a sample taken @late_ns after its due time counts as late: by more than a
 * twentieth of the interval.
 */
bool sampler_is_late(const struct sampler *sampler, uint64_t late_ns);
