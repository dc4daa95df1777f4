/* SPDX-License-Identifier: MIT */
/*
 * Which clock the soakers read, and how long its ticks are.
 */
#pragma once

#include <stdint.h>

#include "loop.h"
#include "machine.h"

/*
 * Choose the TSC where it is steady (machine.h), else clock_gettime(2).
 */
enum loop_clock ticks_choose(const struct machine *machine);

/* Return: "tsc" or "clock_gettime". */
const char *ticks_clock_name(enum loop_clock clock);

/*
 * Measure how many ns of CLOCK_MONOTONIC_RAW a tick of @clock takes; blocks for 50 ms. Better than
 * 10 ppm, as each end is the best bracketed of several readings.
 */
double ticks_measure_ns(enum loop_clock clock);

/*
 * Return: the length of a calibration window: whole timer ticks, at least 4 ms. The tick is what
 * CLOCK_MONOTONIC_COARSE advances by: clock_getres(2).
 */
uint64_t ticks_window_ns(void);
