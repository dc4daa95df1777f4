/* SPDX-License-Identifier: MIT */
/*
 * See print-compare.h: the text for a terminal.
 */
#include "print-compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "compare-sentence.h"
#include "compare-table.h"
#include "compare-words.h"
#include "facts.h"
#include "json.h"
#include "short-names.h"

#define INDENT	    "  "
#define CHANGE	    "  change    "
#define MOST_BLOCKS 4 /* metrics that get a block of their own */

/* Write a paragraph that @write makes, wrapped behind @label. */
#define print_written(file, label, write, ...)                                                     \
	do {                                                                                       \
		cleanup(freep) char *text_ = NULL;                                                 \
		size_t size_;                                                                      \
		FILE *stream_ = open_memstream(&text_, &size_);                                    \
                                                                                                   \
		if (!stream_)                                                                      \
			break;                                                                     \
		write(stream_, __VA_ARGS__);                                                       \
		if (fclose(stream_) == 0)                                                          \
			facts_print_folded(file, label, text_);                                    \
	} while (0)

static size_t n_of(const json_t *metric, const char *which)
{
	return json_array_size(json_object_get(json_object_get(metric, which), "values"));
}

static void write_change(FILE *stream, const json_t *comparison, const json_t *pair,
			 const json_t *metric)
{
	double relative = json_get_number(metric, "relative");

	compare_write_change(stream, metric);
	if (!isnan(relative))
		(void)fprintf(stream, "  (%+.1f %% of %s)", relative * 100,
			      compare_name(comparison, pair, "first"));
}

static void print_notes(FILE *file, const json_t *notes)
{
	const json_t *text;
	size_t index;

	json_array_foreach (notes, index, text)
		facts_print_folded(file, "  note: ", json_string_value(text));
}

static void write_title(FILE *stream, const json_t *metric)
{
	const char *unit = compare_unit(metric);

	ascii_write(stream, json_get_string(metric, "title"));
	if (unit[0]) {
		(void)fputs(", ", stream);
		ascii_write(stream, unit);
	}
}

static void print_block(FILE *file, const json_t *comparison, const json_t *pair,
			const json_t *metric)
{
	print_written(file, "", write_title, metric);
	if (n_of(metric, "first") + n_of(metric, "second") > 0)
		compare_table_print(file, comparison, pair, metric);
	if (json_is_number(json_object_get(metric, "difference")))
		print_written(file, CHANGE, write_change, comparison, pair, metric);
	if (json_is_number(json_object_get(metric, "p")))
		print_written(file, "            ", compare_write_test, metric);
	print_written(file, INDENT, compare_write_verdict, comparison, pair, metric);
	print_notes(file, json_object_get(metric, "notes"));
	(void)fputc('\n', file);
}

/* The line of a metric where there are many: "147.8 -> 156.9  +9.1 [+7.1, +11.2]  MORE". */
static void write_line(FILE *stream, const json_t *metric)
{
	double relative = json_get_number(metric, "relative");

	(void)fprintf(stream, "%s -> %s, ",
		      compare_number(metric, json_object_get(metric, "first"), "mean").text,
		      compare_number(metric, json_object_get(metric, "second"), "mean").text);
	if (json_is_number(json_object_get(metric, "difference")))
		compare_write_change(stream, metric);
	if (!isnan(relative))
		(void)fprintf(stream, " (%+.1f %%)", relative * 100);
	(void)fputs(": ", stream);
	compare_write_word(stream, metric);
}

static void print_metrics(FILE *file, const json_t *comparison, const json_t *pair)
{
	const json_t *metrics = json_object_get(pair, "metrics"), *metric;
	bool few = json_array_size(metrics) <= MOST_BLOCKS;
	size_t index;

	json_array_foreach (metrics, index, metric) {
		if (few) {
			print_block(file, comparison, pair, metric);
			continue;
		}
		print_written(file, "", write_title, metric);
		print_written(file, INDENT, write_line, metric);
		print_notes(file, json_object_get(metric, "notes"));
	}
	if (!few)
		(void)fputc('\n', file);
}

static void write_difference(FILE *stream, const json_t *difference)
{
	bool is_expected = strcmp(json_get_string(difference, "kind"), "expected") == 0;

	ascii_write(stream, json_get_string(difference, "first"));
	(void)fputs(" -> ", stream);
	ascii_write(stream, json_get_string(difference, "second"));
	if (is_expected)
		(void)fputs(" (expected)", stream);
}

void print_compare_differences(FILE *file, const json_t *comparison, const json_t *pair)
{
	const json_t *differences = json_object_get(pair, "differences"), *difference;
	size_t index;

	if (json_array_size(differences) == 0)
		return;
	(void)fprintf(file, "What differs from %s to %s:\n",
		      compare_name(comparison, pair, "first"),
		      compare_name(comparison, pair, "second"));
	json_array_foreach (differences, index, difference) {
		cleanup(freep) char *label = NULL;

		if (asprintf(&label, "  %-24s  ", json_get_string(difference, "what")) < 0) {
			label = NULL;
			return;
		}
		print_written(file, label, write_difference, difference);
	}
}

static void write_side(FILE *stream, const json_t *side)
{
	const json_t *command = json_object_get(side, "command"), *argument;
	long long n = (long long)json_get_integer(side, "runs", 0);
	const char *kernel = json_get_string(side, "kernel");
	size_t index;

	json_array_foreach (command, index, argument) {
		(void)fputs(index ? " " : "", stream);
		ascii_write(stream, json_string_value(argument));
	}
	(void)fprintf(stream, "%s%lld run%s", json_array_size(command) ? ", " : "", n,
		      n == 1 ? "" : "s");
	if (kernel) {
		(void)fputs(", Linux ", stream);
		ascii_write(stream, kernel);
	}
}

static void print_sides(FILE *file, const json_t *comparison, const json_t *pair)
{
	static const char *const which[] = {"first", "second"};
	size_t first = strlen(compare_name(comparison, pair, "first"));
	size_t second = strlen(compare_name(comparison, pair, "second"));
	int width = (int)(first > second ? first : second) + 2;

	for (size_t i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		size_t index = (size_t)json_get_integer(pair, which[i], 0);
		const json_t *side = json_array_get(json_object_get(comparison, "sides"), index);
		cleanup(freep) char *label = NULL;

		if (asprintf(&label, "%s:%*s", json_get_string(side, "name"),
			     width - (int)strlen(json_get_string(side, "name")) - 1, "") < 0) {
			label = NULL;
			return;
		}
		print_written(file, label, write_side, side);
	}
	(void)fputc('\n', file);
}

void print_compare_text(FILE *file, const json_t *original)
{
	json_t *comparison = short_names_new(original);
	const json_t *pair;
	size_t index;

	json_array_foreach (json_object_get(comparison, "pairs"), index, pair) {
		if (index > 0)
			(void)fputc('\n', file);
		print_sides(file, comparison, pair);
		print_metrics(file, comparison, pair);
		print_compare_differences(file, comparison, pair);
		print_notes(file, json_object_get(pair, "notes"));
	}
	json_decref(comparison);
}

void print_compare_quiet(FILE *file, const json_t *comparison)
{
	const json_t *pair = json_array_get(json_object_get(comparison, "pairs"), 0);
	const json_t *metric = json_array_get(json_object_get(pair, "metrics"), 0);

	(void)fprintf(file, "%s\n", compare_number_signed(metric, metric, "difference").text);
}
