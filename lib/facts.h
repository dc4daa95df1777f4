/* SPDX-License-Identifier: MIT */
/*
 * What a daemon says of itself, for people: one line a fact.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

/*
 * Write one fact: @label in a column @width wide behind @indent blanks, then the text, wrapped
 * under its own beginning. `format` as printf.
 */
void facts_print_fact(FILE *file, int indent, int width, const char *label, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Write what status.get answered. */
void facts_print(FILE *file, const json_t *status);

/* Write each of @notes (an array of strings; NULL is fine), wrapped at 72 columns. */
void facts_print_notes(FILE *file, const json_t *notes);

/* Write @text after @label, wrapped at 72 columns and indented below the label. */
void facts_print_wrapped(FILE *file, const char *label, const char *text);

/* The same; a word that is longer than a line is broken where the line ends. */
void facts_print_folded(FILE *file, const char *label, const char *text);
