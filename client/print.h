/* SPDX-License-Identifier: MIT */
/*
 * Documents and reports as text: plain ASCII, at most 72 columns, to be pasted into a mail.
 *
 * Here alone ratios become percent.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Write the report of a side. */
void print_side(FILE *file, const json_t *document);

/* Write one line a CPU for each run of a side. */
void print_side_cpus(FILE *file, const json_t *document);

/* Write the mean load in percent and nothing else; "-" when there is none. */
void print_side_load(FILE *file, const json_t *document);

/*
 * Write what report.get answered.
 *
 * @per_cpu: one line a CPU as well
 */
void print_report(FILE *file, const json_t *report, bool per_cpu);
