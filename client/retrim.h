/* SPDX-License-Identifier: MIT */
/*
 * The figures of a side with its samples trimmed in another way.
 */
#pragma once

#include <jansson.h>

#include "stats.h"

/*
 * Trim the samples of every measured run (and warm-up) anew: load_ratio, samples_kept, samples_cut
 * and short of the run and load_ratio of its CPUs, by the rules of load.h; then the summary.
 *
 * Return: 0; -ENODATA, with the side as it was, when a measured run has no samples; -ENOMEM.
 */
int retrim(json_t *side, const struct trim *trim);
