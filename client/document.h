/* SPDX-License-Identifier: MIT */
/*
 * What was measured as one JSON document: what `soakctl run -o` and `--json` write, and what text
 * is made from. schema/run-file.schema.json describes it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "measure.h"
#include "run-options.h"

/*
 * Begin a side, without runs.
 *
 * @status: what status.get answered
 * @calibration: what calibration.get answered
 * @is_private: the daemon was started for this measurement
 *
 * Return: NULL on lack of memory.
 */
json_t *document_new_side(const struct run_options *options, const json_t *status,
			  const json_t *calibration, bool is_private);

/*
 * A document of one side, which is consumed; NULL is passed through.
 *
 * Return: NULL on lack of memory.
 */
json_t *document_of_side(json_t *side);

/*
 * A document of several sides (an array, consumed).
 *
 * @design: "abba" for sides that were measured in turns; NULL: none
 *
 * Return: NULL on lack of memory.
 */
json_t *document_of_sides(json_t *sides, const char *design);

/* Append a run (or a warm-up) to a side. Return: 0 or -ENOMEM. */
int document_add_run(json_t *side, const struct run_record *record, bool is_warmup);

/*
 * Add a run to the order in which those of a design came: "A" for side 0, "B" for side 1. Nothing
 * to do in a document without a design.
 *
 * Return: 0 or -ENOMEM.
 */
int document_add_order(json_t *document, size_t side);

/*
 * Summarise the runs of a side and close it.
 *
 * @partial: not all runs that were asked for are there
 * @notes: the daemon's notes at the end; NULL: those at the beginning stand
 *
 * Return: 0 or -ENOMEM.
 */
int document_finish(json_t *side, bool partial, const json_t *notes);
