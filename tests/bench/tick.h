/* SPDX-License-Identifier: MIT */
/*
 * When the kernel's timer ticks, on CLOCK_MONOTONIC: found from outside, without a privilege.
 */
#pragma once

#include <stdint.h>

/*
 * Find a moment an eighth of a tick after a tick, so that no timer is late enough to miss it.
 *
 * The coarse clock moves in the tick's handler. What it shows is no tick, but the moment in which
 * it is seen to move is a little after one.
 *
 * @period_ns: has to be a whole number of ticks
 *
 * Return: 0; -ENOTSUP when the period is no whole number of ticks, or the clock tells of none.
 */
int tick_find(uint64_t period_ns, uint64_t *ret_tick_ns, uint64_t *ret_moment_ns);

/* Return: how much later than @phase_ns a moment is, within a tick. */
uint64_t tick_later_by(uint64_t moment_ns, uint64_t phase_ns, uint64_t tick_ns);
