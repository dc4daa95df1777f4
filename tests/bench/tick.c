/* SPDX-License-Identifier: MIT */
/*
 * See tick.h.
 */
#include "tick.h"

#include <errno.h>
#include <stddef.h>

#include "clock.h"

#define PHASE_TICKS   40	/* ticks looked at */
#define LEAST_TICK_NS 500000ULL /* a coarse clock that is finer does not follow a tick */

uint64_t tick_later_by(uint64_t moment_ns, uint64_t phase_ns, uint64_t tick_ns)
{
	return (moment_ns + tick_ns - phase_ns % tick_ns) % tick_ns;
}

/* The moment that the most others follow closely, within a tick: the others were seen late. */
static uint64_t find_phase(const uint64_t *moments_ns, size_t n, uint64_t tick_ns)
{
	uint64_t best_ns = 0;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t n_close = 0;

		for (size_t j = 0; j < n; j++)
			if (tick_later_by(moments_ns[j], moments_ns[i], tick_ns) < tick_ns / 32)
				n_close++;
		if (n_close > most) {
			most = n_close;
			best_ns = moments_ns[i];
		}
	}
	return best_ns;
}

int tick_find(uint64_t period_ns, uint64_t *ret_tick_ns, uint64_t *ret_moment_ns)
{
	struct timespec resolution = {0};
	uint64_t tick_ns, moments_ns[PHASE_TICKS];

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	tick_ns = (uint64_t)resolution.tv_nsec;
	if (tick_ns < LEAST_TICK_NS || period_ns % tick_ns != 0)
		return -ENOTSUP;
	for (size_t i = 0; i < PHASE_TICKS; i++) {
		uint64_t before_ns = clock_now_ns(CLOCK_MONOTONIC_COARSE);

		while (clock_now_ns(CLOCK_MONOTONIC_COARSE) == before_ns)
			;
		moments_ns[i] = clock_now_ns(CLOCK_MONOTONIC);
	}
	*ret_tick_ns = tick_ns;
	*ret_moment_ns = find_phase(moments_ns, PHASE_TICKS, tick_ns) + tick_ns / 8;
	return 0;
}
