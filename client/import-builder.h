/* SPDX-License-Identifier: MIT */
/*
 * Values out of logs, grouped: sides hold tests, a test has runs, a run of a test has a value for
 * each figure. Formats put values in, in the order of their log; what comes out is a run file.
 *
 * Value k of every test of a side belongs to the side's run k.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "import-scan.h"

/* What is measured. A format has a static table of them: the builder knows them by address. */
struct import_figure {
	const char *name;   /* "elapsed"; "": the test's name alone */
	const char *unit;   /* "s", "KiB/s", "ratio" (values 0..1, decimals those of the percent) */
	const char *better; /* "lower", "higher"; NULL: unknown */
};

/* Which test a value belongs to: tests with the same three are one. Strings may be NULL. */
struct import_test {
	const char *name;
	const char *command; /* as the log has it */
	bool may_be_bare;    /* without the name when every side has but one test */
};

struct import_builder;

/* Return: a new builder, or NULL on lack of memory. */
struct import_builder *import_builder_new(void);
void import_builder_free(struct import_builder *builder);
void import_builder_freep(struct import_builder **builder);

/*
 * The functions below return 0; -ENOMEM; -E2BIG when there are more sides, tests, runs or values
 * than a run file is good for.
 */

/*
 * Go to a side of this log; it is made if there is none yet.
 *
 * @path: of the log; borrowed, must outlive the builder
 * @label: NULL: named by the file; @begin: another side even if there is one
 */
int import_builder_side(struct import_builder *builder, const char *path, const char *label,
			bool begin);

/*
 * Go to a test of the current side; it is made if there is none yet.
 *
 * @may_begin_side: a test that is there already, and is not the current one, begins the next side
 */
int import_builder_test(struct import_builder *builder, const struct import_test *test,
			bool may_begin_side);

/* Begin the next run of the current test. */
int import_builder_run(struct import_builder *builder, bool failed);

/* Give a figure of the current run. @spread: standard deviation within the run; NaN: unknown. */
int import_builder_set(struct import_builder *builder, const struct import_figure *figure,
		       struct import_number number, double spread);

/* Return: whether a run of the current test has this figure. */
bool import_builder_has(const struct import_builder *builder, const struct import_figure *figure);

/* Remember that a log had this, which is not kept. @what: static. */
void import_builder_not_kept(struct import_builder *builder, const char *what);

/* What was put in. */
struct import_counts {
	size_t values; /* runs of tests */
	size_t failed; /* of them */
	size_t tests;  /* of the side that has the most */
	size_t sides;
	const char *const *not_kept; /* [n_not_kept], borrowed */
	size_t n_not_kept;
};

void import_builder_count(const struct import_builder *builder, struct import_counts *ret);

/*
 * Make the run file of everything put in.
 *
 * @format: for "source"
 * @labels: comma-separated, in the order of sides; NULL: their own
 *
 * Return: 0; -ENOMEM; -ERANGE: more labels than sides, or one is empty; -EEXIST: two tests give the
 * same metric.
 */
int import_builder_finish(const struct import_builder *builder, const char *format,
			  const char *labels, json_t **ret_document);
