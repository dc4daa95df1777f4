/* SPDX-License-Identifier: MIT */
/*
 * A side as one JSON document: what `soakctl run --json` writes, and what its text is made from.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "measure.h"
#include "run-options.h"

/*
 * Begin a document.
 *
 * @status: what status.get answered
 * @calibration: what calibration.get answered
 * @is_private: the daemon was started for this measurement
 *
 * Return: NULL on lack of memory.
 */
json_t *document_new(const struct run_options *options, const json_t *status,
		     const json_t *calibration, bool is_private);

/* Append a run (or a warm-up). Return: 0 or -ENOMEM. */
int document_add_run(json_t *document, const struct run_record *record, bool is_warmup);

/*
 * Summarise the runs and close the document.
 *
 * @partial: not all runs that were asked for are there
 * @notes: the daemon's notes at the end; NULL: those at the beginning stand
 *
 * Return: 0 or -ENOMEM.
 */
int document_finish(json_t *document, bool partial, const json_t *notes);
