/* SPDX-License-Identifier: MIT */
/*
 * The samples of the last while: a ring that is made once and never grows.
 *
 * It keeps what was counted, not what was concluded: ratios are computed when somebody asks, with
 * the calibration of that moment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load.h"

/* Why a CPU's part of a sample is not to be used. */
enum sample_flag {
	SAMPLE_RESTARTED = 1 << 0, /* the soaker process ended and was started again */
	SAMPLE_MIGRATED = 1 << 1,  /* the soaker was seen on another CPU */
	SAMPLE_OFFLINE = 1 << 2,   /* the CPU was not soaked */
	SAMPLE_SUSPENDED = 1 << 3, /* the machine slept */
	SAMPLE_PAUSED = 1 << 4,	   /* the soakers were stopped by a client */
};

/* One CPU in one interval. */
struct cpu_sample {
	uint64_t elapsed_ns;
	uint64_t gap_ns;
	uint64_t longest_gap_ns;
	uint64_t passes; /* beyond 32 bits when soakd was stopped for some minutes */
	uint32_t gaps;
	uint32_t flags; /* enum sample_flag; 0: valid */
};

/* One interval. Its CPUs lie beside it in the ring. */
struct sample {
	uint64_t seq;	       /* 1, 2, 3, ... */
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at its end */
	int64_t wall_ns;       /* CLOCK_REALTIME at its end */
	uint64_t elapsed_ns;   /* since the end of the sample before */
	uint64_t late_ns;      /* how long after its due time it was taken */
	uint64_t missed_ticks; /* due times that passed without a sample before it */
};

struct history {
	size_t n_cpus;
	size_t capacity; /* samples */
	uint64_t newest; /* its seq; 0: empty */
	struct sample *samples;
	struct cpu_sample *cpus; /* [capacity][n_cpus] */
};

/* More memory than this is refused: a mistake in the options, not a wish. */
#define HISTORY_MAX_BYTES (1024ULL * 1024 * 1024)

/*
 * Make a history of @capacity samples of @n_cpus CPUs, both at least 1.
 *
 * Return: 0; -E2BIG above HISTORY_MAX_BYTES; -ENOMEM.
 */
int history_init(struct history *history, size_t capacity, size_t n_cpus);
void history_fini(struct history *history);

/* Return: bytes that @capacity samples of @n_cpus CPUs take; saturates. */
uint64_t history_bytes(size_t capacity, size_t n_cpus);

/*
 * Make room for the next sample, dropping the oldest when full; seq is set, the rest is zero.
 *
 * @ret_cpus: its CPUs, [n_cpus]. Both pointers are valid until the next push.
 */
struct sample *history_push(struct history *history, struct cpu_sample **ret_cpus);

/* Return: the oldest seq that is kept; newest + 1 when empty. */
uint64_t history_oldest(const struct history *history);

/* Return: sample @seq, which must be kept; @ret_cpus: its CPUs, [n_cpus]. */
const struct sample *history_get(const struct history *history, uint64_t seq,
				 const struct cpu_sample **ret_cpus);

/* Return: what the CPU's part counted, for load.h. */
struct load_counts cpu_sample_counts(const struct cpu_sample *sample);
