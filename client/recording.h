/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a run while it runs: its samples in memory, and all of it in the journal.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "journal.h"
#include "samples.h"

struct recording {
	struct journal *journal; /* borrowed; NULL: none */
	bool keeps_samples;
	size_t side; /* of the run, in the document; as the next two set by the caller */
	bool is_warmup;
	size_t run_index;
	bool is_open; /* between begin and end */
	struct samples samples;
	json_int_t dropped; /* what the daemon said before the run that it had dropped */
	json_int_t dropped_now;
};

/* The run's window begins. Return: 0 or -ENOMEM. */
int recording_begin(struct recording *recording, double monotonic_seconds);

/* Take the params of a samples.update. Return: 0 or -ENOMEM. */
int recording_take(struct recording *recording, const json_t *params);

/*
 * The run's window has ended.
 *
 * Return: its samples (samples.h), a new reference; NULL when none were kept.
 */
json_t *recording_end(struct recording *recording, double monotonic_seconds);

/* Forget a run that came to nothing. Safe at any time. */
void recording_drop(struct recording *recording);
