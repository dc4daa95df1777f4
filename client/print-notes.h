/* SPDX-License-Identifier: MIT */
/*
 * The sentences below a report: what its figures could have shown, and what stands against them.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

void print_side_notes(FILE *file, const json_t *document);
void print_report_notes(FILE *file, const json_t *report);
