/* SPDX-License-Identifier: MIT */
/*
 * One line on a terminal that says how far a measurement is; nothing anywhere else.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;	   /* stderr is a terminal, and nobody asked for quiet */
	char what[32];	   /* "run 2/3" */
	uint64_t begin_ns; /* CLOCK_MONOTONIC; 0: not running */
	double load_ratio; /* of the last sample; NaN: none yet */
};

/* @quiet: show nothing in any case */
void progress_init(struct progress *progress, bool quiet);

/* Show @text, until something else is shown. */
void progress_say(struct progress *progress, const char *text);

/* The command runs from now on. */
void progress_begin(struct progress *progress);

/* A sample has come (samples.update); NULL: only the time has passed. */
void progress_update(struct progress *progress, const json_t *params);

/* Take the line away. */
void progress_clear(struct progress *progress);
