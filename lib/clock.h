/* SPDX-License-Identifier: MIT */
/*
 * The clocks of the machine in integer nanoseconds.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* Return: @clock now in ns. The clocks used here cannot fail. */
static inline uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
