/* SPDX-License-Identifier: MIT */
/*
 * A comparison (comparison.h) in the formats of `soakctl compare`.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* For a terminal: at most 72 columns of ASCII. */
void print_compare_text(FILE *file, const json_t *comparison);

/* The change of the first metric, as a number and nothing else; "-" when there is none. */
void print_compare_quiet(FILE *file, const json_t *comparison);

/* A list of what differs between the sides of a pair, as a table. */
void print_compare_differences(FILE *file, const json_t *comparison, const json_t *pair);

/* A table in Markdown, with the notes below. */
void print_compare_markdown(FILE *file, const json_t *comparison);

/* RFC 4180: one row a metric and pair, raw numbers, ratios 0..1. */
void print_compare_csv(FILE *file, const json_t *comparison);

/* Plain text to be pasted below a commit message. */
void print_compare_mail(FILE *file, const json_t *comparison);
