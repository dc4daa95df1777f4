/* SPDX-License-Identifier: MIT */
/*
 * Totals, and the differences between them that samples are.
 */
#include "sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LATE_SHARE 20

int sampler_init(struct sampler *sampler, const struct sampler_source *source, const int *cpus,
		 size_t n_cpus, double tick_ns, uint64_t interval_ns, size_t capacity)
{
	struct sampler made = {
		.source = *source,
		.tick_ns = tick_ns,
		.n_cpus = n_cpus,
		.interval_ns = interval_ns,
	};
	int r;

	made.cpus = calloc(n_cpus, sizeof(*made.cpus));
	if (!made.cpus)
		return -ENOMEM;
	r = history_init(&made.history, capacity, n_cpus);
	if (r < 0) {
		free(made.cpus);
		return r;
	}
	for (size_t i = 0; i < n_cpus; i++)
		made.cpus[i].cpu = cpus[i];
	*sampler = made;
	return 0;
}

void sampler_fini(struct sampler *sampler)
{
	history_fini(&sampler->history);
	free(sampler->cpus);
	memset(sampler, 0, sizeof(*sampler));
}

static uint64_t to_ns(const struct sampler *sampler, uint64_t ticks)
{
	return (uint64_t)((double)ticks * sampler->tick_ns + 0.5);
}

/* A soaker that died in a gap was last alive before what was read of it meanwhile. */
static uint64_t since(uint64_t now, uint64_t base)
{
	return now > base ? now - base : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Soaker's counts since it began, on top of what the soakers before it counted. */
static void add_reading(const struct sampler *sampler, const struct sampler_cpu *cpu,
			const struct slot_reading *reading, struct sampler_totals *totals)
{
	struct load_counts more = {
		.elapsed_ns = to_ns(sampler, since(reading->now_ticks, cpu->base.now_ticks)),
		.gap_ns = to_ns(sampler, since(reading->taken_ticks, cpu->base.taken_ticks)),
		.passes = reading->passes - cpu->base.passes,
		.gaps = reading->gaps - cpu->base.gaps,
	};

	load_counts_add(&totals->counts, &more);
	totals->longest_gap_ns = to_ns(sampler, reading->longest_ticks);
	if (reading->running_on != cpu->cpu)
		totals->flags |= SAMPLE_MIGRATED;
}

static void read_cpu(struct sampler *sampler, size_t index, struct sampler_totals *ret)
{
	struct sampler_cpu *cpu = &sampler->cpus[index];
	struct slot_reading reading;

	*ret = (struct sampler_totals){.counts = cpu->carried, .flags = cpu->flags};
	if (!cpu->soaked) {
		ret->flags |= SAMPLE_OFFLINE;
		return;
	}
	sampler->source.read(sampler->source.context, index, &reading);
	add_reading(sampler, cpu, &reading, ret);
	ret->counts.elapsed_ns = later(ret->counts.elapsed_ns, cpu->told.elapsed_ns);
	ret->counts.gap_ns = later(ret->counts.gap_ns, cpu->told.gap_ns);
	cpu->told = ret->counts;
}

void sampler_read_totals(struct sampler *sampler, struct sampler_totals *totals)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		read_cpu(sampler, i, &totals[i]);
}

void sampler_soaker_began(struct sampler *sampler, size_t index)
{
	struct sampler_cpu *cpu = &sampler->cpus[index];

	sampler->source.read(sampler->source.context, index, &cpu->base);
	cpu->soaked = true;
}

void sampler_soaker_ended(struct sampler *sampler, size_t index, uint32_t flags)
{
	struct sampler_cpu *cpu = &sampler->cpus[index];
	struct sampler_totals totals;

	cpu->flags |= flags;
	if (!cpu->soaked)
		return;
	/* The source reads up to the soaker's last sign of life once its process is gone. */
	read_cpu(sampler, index, &totals);
	cpu->carried = totals.counts;
	cpu->soaked = false;
}

void sampler_begin(struct sampler *sampler, uint64_t monotonic_ns)
{
	sampler->last_monotonic_ns = monotonic_ns;
	for (size_t i = 0; i < sampler->n_cpus; i++) {
		read_cpu(sampler, i, &sampler->cpus[i].last);
		sampler->cpus[i].flags = 0;
		if (sampler->cpus[i].soaked)
			sampler->source.next_epoch(sampler->source.context, i);
	}
}

void sampler_mark(struct sampler *sampler, uint32_t flags)
{
	for (size_t i = 0; i < sampler->n_cpus; i++)
		sampler->cpus[i].flags |= flags;
}

static void sample_cpu(struct sampler *sampler, size_t index, struct cpu_sample *ret)
{
	struct sampler_cpu *cpu = &sampler->cpus[index];
	const struct load_counts *before = &cpu->last.counts;
	struct sampler_totals now;

	read_cpu(sampler, index, &now);
	ret->elapsed_ns = now.counts.elapsed_ns - before->elapsed_ns;
	ret->gap_ns = now.counts.gap_ns - before->gap_ns;
	ret->passes = now.counts.passes - before->passes;
	ret->gaps = (uint32_t)(now.counts.gaps - before->gaps);
	ret->longest_gap_ns = now.longest_gap_ns;
	ret->flags = now.flags;

	cpu->last = now;
	cpu->flags = 0;
	if (cpu->soaked)
		sampler->source.next_epoch(sampler->source.context, index);
}

bool sampler_is_late(const struct sampler *sampler, uint64_t late_ns)
{
	return late_ns > sampler->interval_ns / LATE_SHARE;
}

const struct sample *sampler_tick(struct sampler *sampler, uint64_t monotonic_ns, int64_t wall_ns,
				  uint64_t due_ns, uint64_t missed_ticks)
{
	struct cpu_sample *cpus;
	struct sample *sample = history_push(&sampler->history, &cpus);

	sample->monotonic_ns = monotonic_ns;
	sample->wall_ns = wall_ns;
	sample->elapsed_ns = monotonic_ns - sampler->last_monotonic_ns;
	sample->late_ns = monotonic_ns > due_ns ? monotonic_ns - due_ns : 0;
	sample->missed_ticks = missed_ticks;
	for (size_t i = 0; i < sampler->n_cpus; i++)
		sample_cpu(sampler, i, &cpus[i]);

	sampler->last_monotonic_ns = monotonic_ns;
	sampler->missed_ticks += missed_ticks;
	if (sampler_is_late(sampler, sample->late_ns))
		sampler->late_ticks++;
	return sample;
}
