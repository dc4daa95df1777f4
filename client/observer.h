/* SPDX-License-Identifier: MIT */
/*
 * soakctl run --observer: what the soakers change in what they measure. Each run has a twin beside
 * which they stand still; what is compared is how long the two took.
 *
 * A side gets "observer": {"paused_runs": [{"elapsed_seconds", "command_cpu_seconds",
 * "failed"}...], "elapsed_ratio": {"mean", "ci_low", "ci_high", "n"}}.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "series.h"

/* Run the command once without soakers. Return: as series_run(). */
int observer_run(struct series *series, uint64_t index, uint64_t n);

/*
 * Compare each good run with its twin: the ratio is elapsed time with soakers to that without, its
 * mean the geometric one, the interval Student's t of the logarithms.
 *
 * Return: 0 or -ENOMEM.
 */
int observer_finish(json_t *side);

/* Write the line of the report, if the side has an observer. */
void observer_print(FILE *file, const json_t *side);
