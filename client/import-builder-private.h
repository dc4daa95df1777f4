/* SPDX-License-Identifier: MIT */
/*
 * What a builder holds: for import-builder.c, which fills it, and import-document.c, which writes
 * it down.
 */
#pragma once

#include "import-builder.h"

#define IMPORT_MOST_FIGURES  32
#define IMPORT_MOST_NOT_KEPT 8

struct test_run {
	bool failed;
	double values[IMPORT_MOST_FIGURES]; /* NaN: none; in the order of the test's figures */
	double spreads[IMPORT_MOST_FIGURES];
};

struct test {
	char *name;
	char *command;
	bool may_be_bare;
	struct {
		const struct import_figure *figure;
		int decimals;
	} figures[IMPORT_MOST_FIGURES];
	size_t n_figures;
	struct test_run *runs; /* [capacity] */
	size_t n_runs;
	size_t capacity;
};

struct side {
	const char *path;
	char *label;
	struct test *tests; /* [n_tests] */
	size_t n_tests;
	size_t current;
};

struct import_builder {
	struct side *sides; /* [n_sides] */
	size_t n_sides;
	size_t current;
	size_t n_tests; /* of all sides */
	size_t n_runs;	/* of all tests */
	const char *not_kept[IMPORT_MOST_NOT_KEPT];
	size_t n_not_kept;
};
