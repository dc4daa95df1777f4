/* SPDX-License-Identifier: MIT */
/*
 * A ring of samples, allocated whole at the beginning.
 */
#include "history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t history_bytes(size_t capacity, size_t n_cpus)
{
	uint64_t each;

	if (n_cpus > UINT32_MAX || capacity > UINT32_MAX)
		return UINT64_MAX;
	each = sizeof(struct sample) + n_cpus * sizeof(struct cpu_sample);
	if (each > UINT64_MAX / (capacity ? capacity : 1))
		return UINT64_MAX;
	return each * capacity;
}

int history_init(struct history *history, size_t capacity, size_t n_cpus)
{
	struct history made = {.n_cpus = n_cpus, .capacity = capacity};

	if (history_bytes(capacity, n_cpus) > HISTORY_MAX_BYTES)
		return -E2BIG;
	made.samples = calloc(capacity, sizeof(*made.samples));
	made.cpus = calloc(capacity * n_cpus, sizeof(*made.cpus));
	if (!made.samples || !made.cpus) {
		history_fini(&made);
		return -ENOMEM;
	}
	*history = made;
	return 0;
}

void history_fini(struct history *history)
{
	free(history->samples);
	free(history->cpus);
	memset(history, 0, sizeof(*history));
}

struct sample *history_push(struct history *history, struct cpu_sample **ret_cpus)
{
	size_t at = (size_t)(history->newest % history->capacity);
	struct sample *sample = &history->samples[at];
	struct cpu_sample *cpus = &history->cpus[at * history->n_cpus];

	memset(sample, 0, sizeof(*sample));
	memset(cpus, 0, history->n_cpus * sizeof(*cpus));
	sample->seq = ++history->newest;
	*ret_cpus = cpus;
	return sample;
}

uint64_t history_oldest(const struct history *history)
{
	if (history->newest <= history->capacity)
		return 1;
	return history->newest - history->capacity + 1;
}

const struct sample *history_get(const struct history *history, uint64_t seq,
				 const struct cpu_sample **ret_cpus)
{
	size_t at = (size_t)((seq - 1) % history->capacity);

	*ret_cpus = &history->cpus[at * history->n_cpus];
	return &history->samples[at];
}

struct load_counts cpu_sample_counts(const struct cpu_sample *sample)
{
	return (struct load_counts){
		.elapsed_ns = sample->elapsed_ns,
		.gap_ns = sample->gap_ns,
		.passes = sample->passes,
		.gaps = sample->gaps,
	};
}
