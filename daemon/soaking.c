/* SPDX-License-Identifier: MIT */
/*
 * The bookkeeping between CPUs of the list, slots of the process that runs now, and the sampler.
 */
#include "soaking.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>

#define NO_SLOT SIZE_MAX

int soaking_init(struct soaking *soaking, const char *root, struct cpulist *cpus,
		 const struct loop_body *body, enum loop_clock clock, double tick_ns,
		 uint64_t window_ns, struct sampler *sampler)
{
	struct soaking made = {
		.root = root,
		.config = {.body = body,
			   .clock = clock,
			   .tick_ns = tick_ns,
			   .window_ns = window_ns},
		.soaker = SOAKER_NONE,
		.sampler = sampler,
	};

	made.soaked_cpus = calloc(cpus->n, sizeof(*made.soaked_cpus));
	made.states = calloc(cpus->n, sizeof(*made.states));
	if (!made.soaked_cpus || !made.states) {
		free(made.soaked_cpus);
		free(made.states);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cpus->n; i++)
		made.states[i].slot = NO_SLOT;
	made.config.cpus = made.soaked_cpus;
	made.cpus = *cpus;
	*cpus = (struct cpulist){0};
	*soaking = made;
	return 0;
}

void soaking_fini(struct soaking *soaking)
{
	soaker_stop(&soaking->soaker);
	if (soaking->isolated)
		(void)isolation_undo(soaking->root, &soaking->isolation);
	cpulist_fini(&soaking->cpus);
	free(soaking->soaked_cpus);
	free(soaking->states);
	memset(soaking, 0, sizeof(*soaking));
	soaking->soaker = SOAKER_NONE;
}

static struct slot *slot_of(const struct soaking *soaking, size_t index)
{
	size_t slot = soaking->states[index].slot;

	return slot == NO_SLOT ? NULL : &soaking->soaker.slots[slot];
}

static void read_slot(void *context, size_t index, struct slot_reading *ret)
{
	const struct soaking *soaking = context;
	const struct slot *slot = slot_of(soaking, index);

	if (soaking->soaker.pid > 0)
		slot_read(slot, soaking->soaker.clock, ret);
	else
		slot_read_ended(slot, ret);
}

static void next_epoch(void *context, size_t index)
{
	slot_next_epoch(slot_of(context, index));
}

struct sampler_source soaking_source(struct soaking *soaking)
{
	return (struct sampler_source){read_slot, next_epoch, soaking};
}

static void choose_cpus(struct soaking *soaking, const struct cpulist *available)
{
	soaking->config.n_cpus = 0;
	for (size_t i = 0; i < soaking->cpus.n; i++) {
		soaking->states[i].slot = NO_SLOT;
		soaking->states[i].error = 0;
		if (!cpulist_has(available, soaking->cpus.cpus[i]))
			continue;
		soaking->states[i].slot = soaking->config.n_cpus;
		soaking->soaked_cpus[soaking->config.n_cpus++] = soaking->cpus.cpus[i];
	}
}

/* Tell the sampler which soakers began; forget the slots of those that could not. */
static void register_begun(struct soaking *soaking)
{
	for (size_t i = 0; i < soaking->cpus.n; i++) {
		struct slot *slot = slot_of(soaking, i);

		if (!slot)
			continue;
		if (atomic_load_explicit(&slot->started, memory_order_acquire)) {
			sampler_soaker_began(soaking->sampler, i);
			continue;
		}
		soaking->states[i].error = atomic_load(&slot->error);
		soaking->states[i].slot = NO_SLOT;
	}
}

static int isolate(struct soaking *soaking)
{
	int r;

	if (soaking->isolated)
		return isolation_join(soaking->root, &soaking->isolation, soaking->soaker.pid);
	r = isolation_apply(soaking->root, soaking->soaker.pid, &soaking->isolation);
	soaking->isolated = r == 0;
	return r;
}

static int send_pause(const struct soaking *soaking, bool paused)
{
	if (soaking->soaker.pid == 0)
		return 0;
	if (pidfd_send_signal(soaking->soaker.pidfd, paused ? SIGSTOP : SIGCONT, NULL, 0) == -1)
		return -errno;
	return 0;
}

int soaking_pause(struct soaking *soaking, bool paused)
{
	int r = send_pause(soaking, paused);

	if (r < 0)
		return r;
	soaking->paused = paused;
	sampler_mark(soaking->sampler, SAMPLE_PAUSED);
	return 0;
}

int soaking_start(struct soaking *soaking, const struct cpulist *available)
{
	int r;

	choose_cpus(soaking, available);
	if (soaking->config.n_cpus == 0)
		return -ENXIO;
	r = soaker_spawn(&soaking->config, &soaking->soaker);
	if (r < 0)
		return r;
	/* Isolated only then: on a busy machine an idle group would take seconds to begin. */
	r = soaker_go(&soaking->soaker);
	if (r == 0)
		r = isolate(soaking);
	if (r < 0) {
		soaker_stop(&soaking->soaker);
		for (size_t i = 0; i < soaking->cpus.n; i++)
			soaking->states[i].slot = NO_SLOT;
		return r;
	}
	register_begun(soaking);
	/* One that has ended already is seen to by whoever watches it. */
	if (soaking->paused)
		(void)send_pause(soaking, true);
	return 0;
}

static void add_slot_histogram(const struct slot *slot, uint64_t *counts)
{
	uint64_t own[SLOT_BUCKETS];

	slot_read_histogram(slot, own);
	for (int b = 0; b < SLOT_BUCKETS; b++)
		counts[b] += own[b];
}

void soaking_stop(struct soaking *soaking, uint32_t flags)
{
	soaking->carried_charged_ns += soaker_charged_ns(&soaking->soaker);
	soaker_kill(&soaking->soaker);
	for (size_t i = 0; i < soaking->cpus.n; i++) {
		struct soaking_cpu *state = &soaking->states[i];

		sampler_soaker_ended(soaking->sampler, i, flags);
		if (state->slot != NO_SLOT)
			add_slot_histogram(slot_of(soaking, i), state->carried_histogram);
		state->slot = NO_SLOT;
	}
	soaker_stop(&soaking->soaker);
}

bool soaking_differs(const struct soaking *soaking, const struct cpulist *available)
{
	for (size_t i = 0; i < soaking->cpus.n; i++) {
		const struct soaking_cpu *state = &soaking->states[i];
		bool could = cpulist_has(available, soaking->cpus.cpus[i]) && state->error == 0;

		if (could != (state->slot != NO_SLOT))
			return true;
	}
	return false;
}

void soaking_add_histogram(const struct soaking *soaking, size_t index, uint64_t *counts)
{
	const struct slot *slot = slot_of(soaking, index);

	for (int b = 0; b < SLOT_BUCKETS; b++)
		counts[b] += soaking->states[index].carried_histogram[b];
	if (slot)
		add_slot_histogram(slot, counts);
}

uint64_t soaking_charged_ns(const struct soaking *soaking)
{
	return soaking->carried_charged_ns + soaker_charged_ns(&soaking->soaker);
}

uint64_t soaking_n_windows(const struct soaking *soaking, size_t index)
{
	const struct slot *slot = slot_of(soaking, index);

	return slot ? atomic_load_explicit(&slot->n_windows, memory_order_acquire) : 0;
}

bool soaking_has_switches(const struct soaking *soaking, size_t index)
{
	const struct slot *slot = slot_of(soaking, index);

	return slot && atomic_load(&slot->has_switches);
}

static uint64_t ns(const struct soaking *soaking, const _Atomic uint32_t *ticks)
{
	uint32_t value = atomic_load_explicit(ticks, memory_order_relaxed);

	return (uint64_t)((double)value * soaking->config.tick_ns + 0.5);
}

static bool is_saturated(const struct slot_window *window)
{
	return atomic_load_explicit(&window->elapsed_ticks, memory_order_relaxed) == UINT32_MAX;
}

size_t soaking_windows(const struct soaking *soaking, size_t index, uint64_t first,
		       struct calibration_window *windows)
{
	const struct slot *slot = slot_of(soaking, index);
	uint64_t end = soaking_n_windows(soaking, index);
	size_t n = 0;

	if (first > end) /* of a soaker before this one */
		first = 0;
	/* The oldest kept one may be overwritten while it is read: leave it. */
	if (end > SLOT_WINDOWS - 1 && first < end - (SLOT_WINDOWS - 1))
		first = end - (SLOT_WINDOWS - 1);
	for (uint64_t w = first; w < end; w++) {
		const struct slot_window *window = &slot->windows[w % SLOT_WINDOWS];

		if (is_saturated(window))
			continue;
		windows[n].counts = (struct load_counts){
			.elapsed_ns = ns(soaking, &window->elapsed_ticks),
			.gap_ns = ns(soaking, &window->taken_ticks),
			.passes = atomic_load_explicit(&window->passes, memory_order_relaxed),
			.gaps = atomic_load_explicit(&window->gaps, memory_order_relaxed),
		};
		windows[n++].switched =
			atomic_load_explicit(&window->switches, memory_order_relaxed) != 0;
	}
	return n;
}
