/* SPDX-License-Identifier: MIT */
/*
 * Samples and reports as PROTOCOL.md spells them.
 */
#pragma once

#include <jansson.h>

#include "daemon.h"
#include "report.h"

/* Return: a SAMPLE of the CPUs in @selected (NULL: all); NULL on lack of memory. */
json_t *sample_to_json(const struct daemon *daemon, const struct sample *sample,
		       const struct cpu_sample *cpus, const bool *selected);

/*
 * Return: what report.get answers; NULL on lack of memory.
 *
 * @trim: as it was asked for
 */
json_t *report_to_json(const struct daemon *daemon, const struct report *report,
		       const struct trim *trim);
