/* SPDX-License-Identifier: MIT */
/*
 * The texts of a comparison, one a function, from its document (comparison.h): all formats use
 * them, so that they say the same.
 *
 * @comparison: the document; @pair: one of its "pairs"; @metric: one of the pair's "metrics".
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "number.h"

/* Return: name of a pair's "first" or "second" side, borrowed. */
const char *compare_name(const json_t *comparison, const json_t *pair, const char *which);

/* Digits behind the point that the metric's figures deserve, by the uncertainty of the change. */
int compare_digits(const json_t *metric);

/* The same for single values, which have no more of them than they were measured with. */
int compare_value_digits(const json_t *metric);

/* Return: by what values are multiplied for people: 100 for ratios. */
double compare_scale(const json_t *metric);

/* Return: "%", "s", ...; "" without. A file may have put any text here: ascii_write() it. */
const char *compare_unit(const json_t *metric);

/* The same of differences: "pp" for ratios. */
const char *compare_change_unit(const json_t *metric);

/* One member of @object ("first", "second" or the metric itself), scaled, with those digits. */
struct number compare_number(const json_t *metric, const json_t *object, const char *member);
struct number compare_number_signed(const json_t *metric, const json_t *object, const char *member);

/* An end of the change's interval: "ci_low" or "ci_high". */
struct number compare_end(const json_t *metric, const char *member);

/* "+0.13 pp [-0.18, +0.44]". Without an interval, only the change. */
void compare_write_change(FILE *stream, const json_t *metric);

/* "Welch t 1.67, df 2.2, p 0.22, 3 + 3 runs" */
void compare_write_test(FILE *stream, const json_t *metric);

/*
 * The verdict in a few words: "MORE (worse)", "SAME WITHIN 0.40 pp", "NOT DISTINGUISHABLE",
 * "CANNOT TEST (one value)".
 */
void compare_write_word(FILE *stream, const json_t *metric);

/* Behind MORE or LESS, where it is known which of them is wanted: " (worse)", " (better)"; or "".
 */
const char *compare_judgement(const json_t *metric);

/* "1.3 pp": a size, in the metric's unit. */
void compare_write_size(FILE *stream, const json_t *metric, double size);

/* --min-effect, with at least two digits, however uncertain the change is. */
void compare_write_min_effect(FILE *stream, const json_t *metric);

/* Return: whether a member of the metric is this text. */
bool compare_is(const json_t *metric, const char *member, const char *text);

/* Return: how many values the "first" or "second" side has. */
long long compare_n(const json_t *metric, const char *which);
