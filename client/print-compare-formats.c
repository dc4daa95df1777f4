/* SPDX-License-Identifier: MIT */
/*
 * See print-compare.h: Markdown, CSV and mail.
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "compare-words.h"
#include "comparison.h"
#include "facts.h"
#include "json.h"
#include "print-compare.h"
#include "short-names.h"

/* More values than these are not listed in a mail. */
#define MOST_LISTED 10

/* A cell: no bar and no line end may end it early. */
static void write_cell(FILE *file, const char *text)
{
	cleanup(freep) char *escaped = ascii_escape(text);

	for (const char *at = escaped; at && *at; at++) {
		if (*at == '|' || *at == '\\' || *at == '`' || *at == '*' || *at == '_' ||
		    *at == '<')
			(void)fputc('\\', file);
		(void)fputc(*at, file);
	}
}

/* What @write makes of a metric, as a cell. */
static void write_cell_of(FILE *file, void (*write)(FILE *, const json_t *), const json_t *metric)
{
	cleanup(freep) char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return;
	write(stream, metric);
	if (fclose(stream) == 0)
		write_cell(file, text);
}

static void write_mean(FILE *file, const json_t *metric, const char *which)
{
	const json_t *summary = json_object_get(metric, which);

	(void)fputs(compare_number(metric, summary, "mean").text, file);
	if (json_is_number(json_object_get(summary, "ci_low")))
		(void)fprintf(file, " [%s, %s]", compare_number(metric, summary, "ci_low").text,
			      compare_number(metric, summary, "ci_high").text);
}

static void print_markdown_row(FILE *file, const json_t *metric)
{
	double p = json_get_number(metric, "p");
	const char *unit = compare_unit(metric);

	(void)fputs("| ", file);
	write_cell(file, json_get_string(metric, "title"));
	(void)fputs(unit[0] ? ", " : "", file);
	write_cell(file, unit);
	(void)fputs(" | ", file);
	write_mean(file, metric, "first");
	(void)fputs(" | ", file);
	write_mean(file, metric, "second");
	(void)fputs(" | ", file);
	write_cell_of(file, compare_write_change, metric);
	if (isnan(p))
		(void)fputs(" | - | ", file);
	else
		(void)fprintf(file, " | %.2g | ", p);
	write_cell_of(file, compare_write_word, metric);
	(void)fputs(" |\n", file);
}

static void print_markdown_notes(FILE *file, const json_t *notes)
{
	const json_t *text;
	size_t index;

	json_array_foreach (notes, index, text) {
		(void)fputs("- ", file);
		write_cell(file, json_string_value(text));
		(void)fputc('\n', file);
	}
}

static void print_markdown_differences(FILE *file, const json_t *differences)
{
	const json_t *difference;
	size_t index;

	json_array_foreach (differences, index, difference) {
		(void)fputs("- differs: ", file);
		write_cell(file, json_get_string(difference, "what"));
		(void)fputs(": ", file);
		write_cell(file, json_get_string(difference, "first"));
		(void)fputs(" -> ", file);
		write_cell(file, json_get_string(difference, "second"));
		(void)fputc('\n', file);
	}
}

void print_compare_markdown(FILE *file, const json_t *comparison)
{
	const json_t *pair, *metric;
	size_t i, j;

	json_array_foreach (json_object_get(comparison, "pairs"), i, pair) {
		const json_t *metrics = json_object_get(pair, "metrics");

		(void)fputs(i ? "\n| | " : "| | ", file);
		write_cell(file, compare_name(comparison, pair, "first"));
		(void)fputs(" | ", file);
		write_cell(file, compare_name(comparison, pair, "second"));
		(void)fprintf(file, " | change [%g %% CI] | p | verdict |\n",
			      json_get_number(comparison, "confidence") * 100);
		(void)fputs("| --- | --- | --- | --- | --- | --- |\n", file);
		json_array_foreach (metrics, j, metric)
			print_markdown_row(file, metric);
		(void)fputc('\n', file);
		json_array_foreach (metrics, j, metric)
			print_markdown_notes(file, json_object_get(metric, "notes"));
		print_markdown_differences(file, json_object_get(pair, "differences"));
		print_markdown_notes(file, json_object_get(pair, "notes"));
	}
}

/* RFC 4180: quoted where it has to be. */
static void write_field(FILE *file, const char *text, const char *end)
{
	bool quote = text && strpbrk(text, ",\"\r\n");

	if (quote)
		(void)fputc('"', file);
	for (; text && *text; text++) {
		if (*text == '"')
			(void)fputc('"', file);
		(void)fputc(*text, file);
	}
	(void)fprintf(file, "%s%s", quote ? "\"" : "", end);
}

/* Empty where there is no number; all the digits that a double has where there is one. */
static void write_value(FILE *file, const json_t *object, const char *member)
{
	double value = json_get_number(object, member);

	if (!isnan(value))
		(void)fprintf(file, "%.17g", value);
	(void)fputc(',', file);
}

static void print_csv_row(FILE *file, const json_t *comparison, const json_t *pair,
			  const json_t *metric)
{
	static const char *const summaries[] = {"first", "second"};
	static const char *const of_summary[] = {"n", "mean", "sd", "ci_low", "ci_high"};
	static const char *const of_metric[] = {
		"difference", "ci_low",	    "ci_high",	  "relative",	      "t", "df", "p",
		"rank_p",     "min_effect", "detectable", "replicates_needed"};

	write_field(file, json_get_string(metric, "name"), ",");
	write_field(file, json_get_string(metric, "unit"), ",");
	for (size_t i = 0; i < 2; i++) {
		const json_t *summary = json_object_get(metric, summaries[i]);

		write_field(file, compare_name(comparison, pair, summaries[i]), ",");
		for (size_t j = 0; j < sizeof(of_summary) / sizeof(of_summary[0]); j++)
			write_value(file, summary, of_summary[j]);
	}
	for (size_t j = 0; j < sizeof(of_metric) / sizeof(of_metric[0]); j++)
		write_value(file, metric, of_metric[j]);
	write_field(file, json_get_string(metric, "test"), ",");
	write_field(file, json_get_string(metric, "replicate"), ",");
	write_field(file, json_get_string(metric, "verdict"), ",");
	write_field(file, json_get_string(metric, "obstacle"), "\r\n");
}

void print_compare_csv(FILE *file, const json_t *comparison)
{
	const json_t *pair, *metric;
	size_t i, j;

	(void)fputs("metric,unit,first,first_n,first_mean,first_sd,first_ci_low,first_ci_high,"
		    "second,second_n,second_mean,second_sd,second_ci_low,second_ci_high,"
		    "difference,ci_low,ci_high,relative,t,df,p,rank_p,min_effect,detectable,"
		    "replicates_needed,test,replicate,verdict,obstacle\r\n",
		    file);
	json_array_foreach (json_object_get(comparison, "pairs"), i, pair)
		json_array_foreach (json_object_get(pair, "metrics"), j, metric)
			print_csv_row(file, comparison, pair, metric);
}

static void write_mail_side(FILE *stream, const json_t *metric, const char *which)
{
	const json_t *summary = json_object_get(metric, which), *value;
	const json_t *values = json_object_get(summary, "values");
	/* As kernel lists write it: 5.02% */
	const char *unit = strcmp(compare_unit(metric), "%") == 0 ? "%" : "";
	size_t index;

	if (json_array_size(values) > MOST_LISTED) {
		(void)fprintf(stream, "%s%s (mean of %zu)",
			      compare_number(metric, summary, "mean").text, unit,
			      json_array_size(values));
		return;
	}
	json_array_foreach (values, index, value)
		(void)fprintf(stream, "%s%s%s", index ? " " : "",
			      number_format(json_number_value(value) * compare_scale(metric),
					    compare_value_digits(metric))
				      .text,
			      unit);
}

/* "pp" as kernel lists write it, close to the number; other units behind a blank. */
static void write_mail_unit(FILE *stream, const json_t *metric)
{
	const char *unit = compare_change_unit(metric);

	(void)fputs(strcmp(unit, "pp") == 0 || !unit[0] ? "" : " ", stream);
	ascii_write(stream, unit);
}

/* In capitals a verdict shouts, where it is one line among others. */
static void write_lower_word(FILE *stream, const json_t *metric)
{
	cleanup(freep) char *text = NULL;
	size_t size;
	FILE *word = open_memstream(&text, &size);

	if (!word)
		return;
	compare_write_word(word, metric);
	if (fclose(word) != 0)
		return;
	for (char *at = text; isupper((unsigned char)*at) || *at == ' '; at++)
		*at = (char)tolower((unsigned char)*at);
	(void)fputs(text, stream);
}

static void write_mail_change(FILE *stream, const json_t *comparison, const json_t *metric)
{
	(void)fputs(compare_number_signed(metric, metric, "difference").text, stream);
	write_mail_unit(stream, metric);
	if (json_is_number(json_object_get(metric, "ci_low"))) {
		(void)fprintf(
			stream, ", CI%g [%s, %s]", json_get_number(comparison, "confidence") * 100,
			compare_end(metric, "ci_low").text, compare_end(metric, "ci_high").text);
		write_mail_unit(stream, metric);
		(void)fprintf(stream, ", p=%.2g", json_get_number(metric, "p"));
	}
	(void)fputs(": ", stream);
	write_lower_word(stream, metric);
}

static void write_mail_title(FILE *stream, const json_t *comparison, const json_t *pair,
			     const json_t *metric)
{
	const json_t *sides = json_object_get(comparison, "sides"), *argument;
	const json_t *command = json_object_get(
		json_array_get(sides, (size_t)json_get_integer(pair, "second", 0)), "command");
	const json_t *tool = json_object_get(comparison, "tool");
	const char *unit = compare_unit(metric);
	size_t index;

	ascii_write(stream, json_get_string(metric, "title"));
	if (unit[0] && strcmp(unit, "%") != 0) {
		(void)fputs(", ", stream);
		ascii_write(stream, unit);
	}
	(void)fprintf(stream, " (%s %s", json_get_string(tool, "name"),
		      json_get_string(tool, "version"));
	json_array_foreach (command, index, argument) {
		(void)fputs(index ? " " : ", ", stream);
		ascii_write(stream, json_string_value(argument));
	}
	(void)fprintf(
		stream, ", n=%zu+%zu):",
		json_array_size(json_object_get(json_object_get(metric, "first"), "values")),
		json_array_size(json_object_get(json_object_get(metric, "second"), "values")));
}

/* Wrap @text below @label, for "before: 5.02% 5.23%". */
static void print_labelled(FILE *file, const char *label, size_t width, const char *text)
{
	cleanup(freep) char *padded = NULL;

	if (asprintf(&padded, "    %s:%*s", label, (int)(width - strlen(label) + 1), "") < 0)
		padded = NULL;
	else
		facts_print_folded(file, padded, text);
}

static void print_mail_metric(FILE *file, const json_t *comparison, const json_t *pair,
			      const json_t *metric)
{
	static const char *const which[] = {"first", "second", NULL};
	size_t width = strlen("change");

	for (size_t i = 0; which[i]; i++) {
		size_t length = strlen(compare_name(comparison, pair, which[i]));

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < 4; i++) {
		cleanup(freep) char *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		if (!stream)
			return;
		if (i == 0)
			write_mail_title(stream, comparison, pair, metric);
		else if (i < 3)
			write_mail_side(stream, metric, which[i - 1]);
		else
			write_mail_change(stream, comparison, metric);
		if (fclose(stream) != 0)
			return;
		if (i == 0)
			facts_print_folded(file, "  ", text);
		else
			print_labelled(file,
				       i < 3 ? compare_name(comparison, pair, which[i - 1])
					     : "change",
				       width, text);
	}
}

void print_compare_mail(FILE *file, const json_t *original)
{
	json_t *comparison = short_names_new(original);
	const json_t *pair, *metric;
	size_t i, j;

	json_array_foreach (json_object_get(comparison, "pairs"), i, pair) {
		json_array_foreach (json_object_get(pair, "metrics"), j, metric)
			print_mail_metric(file, comparison, pair, metric);
		/* What nobody may leave out who passes the figures on. */
		if (json_is_true(json_object_get(pair, "unlike")))
			facts_print_folded(file, "    note: ", COMPARISON_UNLIKE);
	}
	json_decref(comparison);
}
