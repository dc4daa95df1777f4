/* SPDX-License-Identifier: MIT */
/*
 * See compare-table.h.
 */
#include "compare-table.h"

#include <libsmartcols/libsmartcols.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "compare-words.h"
#include "json.h"
#include "short-names.h"

#define WIDTH	    72
#define INDENT	    "  "
#define MOST_VALUES 4 /* columns of single runs */

static void set_cell(struct libscols_line *line, size_t column, const char *text)
{
	cleanup(freep) char *padded = NULL;

	/* Two blanks before each column: one is the table's. */
	if (asprintf(&padded, "%s%s", column == 0 ? INDENT : " ", text) < 0)
		padded = NULL;
	else
		(void)scols_line_set_data(line, column, padded);
}

/* Equal values have an interval of no width, which would claim more than is known. */
static bool has_interval(const json_t *summary)
{
	return json_get_number(summary, "ci_high") > json_get_number(summary, "ci_low");
}

static void write_interval(FILE *stream, const json_t *metric, const json_t *summary)
{
	if (has_interval(summary))
		(void)fprintf(stream, "[%s, %s]", compare_number(metric, summary, "ci_low").text,
			      compare_number(metric, summary, "ci_high").text);
	else
		(void)fputc('-', stream);
}

static char *interval_text(const json_t *metric, const json_t *summary)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	write_interval(stream, metric, summary);
	(void)fclose(stream);
	return text;
}

static void fill_values(struct libscols_line *line, const json_t *metric, const json_t *summary,
			size_t n_values)
{
	const json_t *values = json_object_get(summary, "values");

	for (size_t i = 0; i < n_values; i++) {
		const json_t *value = json_array_get(values, i);

		set_cell(line, i + 1,
			 value ? number_format(json_number_value(value) * compare_scale(metric),
					       compare_value_digits(metric))
					 .text
			       : "");
	}
}

/* What a table has beside names and means. */
struct shape {
	size_t n_values; /* columns of single values; 0: their number instead */
	bool has_sd;
};

/* One side: its runs, or how many they are and their spread; mean and interval. */
static void fill_side(struct libscols_table *table, const char *name, const json_t *metric,
		      const json_t *summary, const struct shape *shape)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	cleanup(freep) char *interval = interval_text(metric, summary);
	size_t column = 1 + shape->n_values;
	struct number n;

	if (!line || !interval)
		return;
	set_cell(line, 0, name);
	fill_values(line, metric, summary, shape->n_values);
	if (shape->n_values == 0) {
		n = number_format(json_get_number(summary, "n"), 0);
		set_cell(line, column++, n.text);
	}
	set_cell(line, column++, compare_number(metric, summary, "mean").text);
	set_cell(line, column++, interval);
	if (shape->has_sd)
		set_cell(line, column, compare_number(metric, summary, "sd").text);
}

static size_t n_of(const json_t *metric, const char *which)
{
	return json_array_size(json_object_get(json_object_get(metric, which), "values"));
}

/* Columns that the longer of the two ends of both sides' intervals takes. */
static size_t number_width(const json_t *metric)
{
	static const char *const sides[] = {"first", "second"}, *const ends[] = {"ci_low",
										 "ci_high"};
	size_t most = 0;

	for (size_t i = 0; i < 4; i++) {
		const json_t *summary = json_object_get(metric, sides[i / 2]);
		size_t length = strlen(compare_number(metric, summary, ends[i % 2]).text);

		most = length > most ? length : most;
	}
	return most;
}

/* Single values have columns when there are few on both sides, and the spread when it fits. */
static struct shape shape_of(const json_t *metric)
{
	size_t first = n_of(metric, "first"), second = n_of(metric, "second");
	size_t most = first > second ? first : second, width = number_width(metric) + strlen("  ");
	size_t cell = width > strlen("  run 1") ? width : strlen("  run 1");
	size_t others = strlen(INDENT) + SHORT_NAME_MOST + width + strlen("  [, ]") + 2 * width;

	if (most <= MOST_VALUES && others + most * cell <= WIDTH)
		return (struct shape){most, false};
	return (struct shape){0, others + strlen("  1000") + width <= WIDTH};
}

static void add_columns(struct libscols_table *table, const json_t *comparison,
			const json_t *metric, const struct shape *shape)
{
	const char *replicate = json_get_string(metric, "replicate");
	char heading[32];

	(void)scols_table_new_column(table, "", 0, 0);
	for (size_t i = 0; i < shape->n_values; i++) {
		(void)snprintf(heading, sizeof(heading), " %s %zu",
			       strcmp(replicate, "block") == 0 ? "run" : replicate, i + 1);
		(void)scols_table_new_column(table, heading, 0, SCOLS_FL_RIGHT);
	}
	if (shape->n_values == 0)
		(void)scols_table_new_column(table, " n", 0, SCOLS_FL_RIGHT);
	(void)scols_table_new_column(table, " mean", 0, SCOLS_FL_RIGHT);
	(void)snprintf(heading, sizeof(heading), " %g%% CI",
		       json_get_number(comparison, "confidence") * 100);
	(void)scols_table_new_column(table, heading, 0, 0);
	if (shape->has_sd)
		(void)scols_table_new_column(table, " sd", 0, SCOLS_FL_RIGHT);
}

void compare_table_print(FILE *file, const json_t *comparison, const json_t *pair,
			 const json_t *metric)
{
	struct libscols_table *table = scols_new_table();
	struct shape shape = shape_of(metric);

	if (!table)
		return;
	(void)scols_table_set_stream(table, file);
	(void)scols_table_set_termwidth(table, WIDTH);
	(void)scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
	add_columns(table, comparison, metric, &shape);
	fill_side(table, compare_name(comparison, pair, "first"), metric,
		  json_object_get(metric, "first"), &shape);
	fill_side(table, compare_name(comparison, pair, "second"), metric,
		  json_object_get(metric, "second"), &shape);
	(void)scols_print_table(table);
	scols_unref_table(table);
}
