/* SPDX-License-Identifier: MIT */
/*
 * The command's own numbers in a report: rows of means and intervals, and why one is missing.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Write a row for each metric, and one for the CPU time per unit of work. */
void print_metrics(FILE *file, const json_t *document);

/* Write the notes of runs that count: what was not found, and where. */
void print_metric_notes(FILE *file, const json_t *document);
