/* SPDX-License-Identifier: MIT */
/*
 * A run that was cut off, as a document keeps it: what its samples say, and that it does not count.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "samples.h"

/*
 * Make a RUN of what a journal holds of it: incomplete, failed, with the mean of its samples as its
 * load, and the time from its beginning to the end of its last sample.
 *
 * @begun: the run_begin of the journal
 * @samples: those that came; their columns are shared
 *
 * Return: a new reference; NULL on lack of memory.
 */
json_t *unfinished_run_new(const json_t *begun, size_t run_index, const struct samples *samples);
