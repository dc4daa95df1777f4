/* SPDX-License-Identifier: MIT */
/*
 * Moments as people and JSON read them: RFC 3339, UTC, milliseconds.
 */
#pragma once

#include <stdint.h>

/* "2026-11-30T23:30:15.123Z" and its NUL, with room for years beyond 9999. */
#define TIMESTAMP_SIZE 40

/* Write @wall_ns (ns since 1970, CLOCK_REALTIME, not negative) into @ret. */
void timestamp_format(int64_t wall_ns, char ret[TIMESTAMP_SIZE]);
