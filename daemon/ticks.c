/* SPDX-License-Identifier: MIT */
/*
 * See ticks.h.
 */
#include "ticks.h"

#include <errno.h>
#include <time.h>

#include "clock.h"

#define MEASURE_NS	50000000
#define BRACKETS	16
#define LEAST_WINDOW_NS 4000000

enum loop_clock ticks_choose(const struct machine *machine)
{
	return loop_has_tsc() && machine_has_steady_tsc(machine) ? LOOP_CLOCK_TSC
								 : LOOP_CLOCK_GETTIME;
}

const char *ticks_clock_name(enum loop_clock clock)
{
	return clock == LOOP_CLOCK_TSC ? "tsc" : "clock_gettime";
}

struct pair {
	uint64_t ticks;
	uint64_t raw_ns;
};

/* Read both clocks at one moment: of several tries, the one that took least time. */
static struct pair read_pair(slot_clock_fn *read_ticks)
{
	struct pair best = {0, 0};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = read_ticks();
		uint64_t raw_ns = clock_now_ns(CLOCK_MONOTONIC_RAW);
		uint64_t took = read_ticks() - before;

		if (took < least) {
			least = took;
			best = (struct pair){before + took / 2, raw_ns};
		}
	}
	return best;
}

double ticks_measure_ns(enum loop_clock clock)
{
	slot_clock_fn *read_ticks = loop_clock_function(clock);
	struct timespec left = {.tv_nsec = MEASURE_NS};
	struct pair begin, end;

	if (clock == LOOP_CLOCK_GETTIME)
		return 1;
	begin = read_pair(read_ticks);
	while (nanosleep(&left, &left) == -1 && errno == EINTR)
		;
	end = read_pair(read_ticks);
	return (double)(end.raw_ns - begin.raw_ns) / (double)(end.ticks - begin.ticks);
}

uint64_t ticks_window_ns(void)
{
	struct timespec resolution = {.tv_nsec = LEAST_WINDOW_NS};
	uint64_t tick_ns;

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
	tick_ns = (uint64_t)resolution.tv_sec * 1000000000 + (uint64_t)resolution.tv_nsec;
	if (tick_ns == 0 || tick_ns >= LEAST_WINDOW_NS)
		return tick_ns ? tick_ns : LEAST_WINDOW_NS;
	return (LEAST_WINDOW_NS + tick_ns - 1) / tick_ns * tick_ns;
}
