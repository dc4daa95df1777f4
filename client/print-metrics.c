/* SPDX-License-Identifier: MIT */
/*
 * See print-metrics.h.
 */
#include "print-metrics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "facts.h"
#include "json.h"
#include "number.h"
#include "side.h"

#define LABEL	   19
#define MOST_LABEL 32
#define MOST_NOTES 10

/* Digits behind the point of numbers that nobody has counted them of. */
#define MOST_DIGITS 9

/* The mean of so many values has one digit more than they have. */
#define MANY_VALUES 10

/* A number without an interval has four digits. */
#define LONE_PRECISION 0.01

struct row {
	const char *name;
	const char *what; /* stands behind the mean; "" for nothing */
	double scale;
	int decimals; /* as many as the values have */
	int width;    /* of the names */
};

static int digits_of(const struct row *row, const struct stats_summary *summary)
{
	double uncertainty = (summary->ci_high - summary->ci_low) / 2;

	if (!(uncertainty > 0))
		uncertainty = fabs(summary->mean) * LONE_PRECISION;
	return number_digits(uncertainty * row->scale, row->decimals + (summary->n >= MANY_VALUES));
}

static void print_row(FILE *file, const struct row *row, const struct stats_summary *summary)
{
	cleanup(freep) char *name = ascii_escape(row->name);
	int digits = digits_of(row, summary);
	struct number mean = number_format(summary->mean * row->scale, digits);

	if (!name)
		return;
	if (summary->n == 0)
		facts_print_fact(file, 2, row->width, name, "-  no run has it");
	else if (summary->n == 1)
		facts_print_fact(file, 2, row->width, name, "%s%s  one run: no interval", mean.text,
				 row->what);
	else
		facts_print_fact(
			file, 2, row->width, name, "%s%s  [%s, %s]  95%% CI of the mean, %zu runs",
			mean.text, row->what,
			number_format(summary->ci_low * row->scale, digits).text,
			number_format(summary->ci_high * row->scale, digits).text, summary->n);
}

static void print_work(FILE *file, const json_t *document)
{
	const char *unit = json_get_string(json_object_get(document, "work"), "unit");
	struct stats_summary summary =
		side_summarise(json_object_get(document, "runs"), "cpu_microseconds_per_work");
	cleanup(freep) char *escaped = unit ? ascii_escape(unit) : NULL;
	char what[80];

	if (!escaped)
		return;
	(void)snprintf(what, sizeof(what), " us of CPU per %s", escaped);
	print_row(file, &(struct row){"work", what, 1, MOST_DIGITS, LABEL}, &summary);
}

static int width_of_names(const json_t *metrics)
{
	const json_t *metric;
	size_t index, width = LABEL;

	json_array_foreach (metrics, index, metric) {
		const char *name = json_get_string(metric, "name");

		if (name && strlen(name) + 1 > width)
			width = strlen(name) + 1;
	}
	return width < MOST_LABEL ? (int)width : MOST_LABEL;
}

static void print_metric(FILE *file, const json_t *runs, const json_t *metric, int width)
{
	const char *name = json_get_string(metric, "name");
	const char *unit = json_get_string(metric, "unit");
	cleanup(freep) char *escaped = ascii_escape(unit ? unit : "");
	struct stats_summary summary = side_summarise_metric(runs, name ? name : "");
	bool is_ratio = unit && strcmp(unit, "ratio") == 0;
	char what[32];

	(void)snprintf(what, sizeof(what), "%s%.20s", unit && *unit ? " " : "",
		       is_ratio ? "%" : escaped);
	print_row(file,
		  &(struct row){name ? name : "?", what, is_ratio ? 100 : 1,
				(int)json_get_integer(metric, "decimals", MOST_DIGITS), width},
		  &summary);
}

void print_metrics(FILE *file, const json_t *document)
{
	const json_t *metrics = json_object_get(document, "metrics"), *metric;
	int width = width_of_names(metrics);
	size_t index;

	json_array_foreach (metrics, index, metric)
		print_metric(file, json_object_get(document, "runs"), metric, width);
	print_work(file, document);
}

/* Count in @counts how many runs have the note @text, and remember which was the first. */
static void count_note(json_t *counts, const char *text, json_int_t run_index)
{
	json_t *seen = json_object_get(counts, text);

	if (!text)
		return;
	if (!seen)
		(void)json_object_set_new(
			counts, text,
			json_pack("{s:I, s:I}", "first", run_index, "n", (json_int_t)1));
	else
		(void)json_object_set_new(seen, "n",
					  json_integer(json_get_integer(seen, "n", 0) + 1));
}

static json_t *count_notes(const json_t *runs)
{
	json_t *counts = json_object(), *run, *text;
	size_t index, at;

	json_array_foreach (runs, index, run) {
		/* A failed run is out of the means whatever it printed. */
		if (!json_is_false(json_object_get(run, "failed")))
			continue;
		json_array_foreach (json_object_get(run, "metric_notes"), at, text)
			count_note(counts, json_string_value(text),
				   (json_int_t)json_get_integer(run, "run_index", 0));
	}
	return counts;
}

static void print_note(FILE *file, const char *text, const json_t *count)
{
	long long n = (long long)json_get_integer(count, "n", 0);
	long long first = (long long)json_get_integer(count, "first", 0);
	cleanup(freep) char *line = NULL;
	int r;

	if (n == 1)
		r = asprintf(&line, "run %lld: %s", first, text);
	else
		r = asprintf(&line, "%lld runs (first run %lld): %s", n, first, text);
	if (r == -1)
		line = NULL;
	else
		facts_print_wrapped(file, "  note: ", line);
}

void print_metric_notes(FILE *file, const json_t *document)
{
	json_t *counts = count_notes(json_object_get(document, "runs")), *count;
	const char *text;
	int n = 0;

	json_object_foreach (counts, text, count) {
		if (n++ == MOST_NOTES) {
			facts_print_wrapped(file, "  note: ", "more of the kind (--json has all)");
			break;
		}
		print_note(file, text, count);
	}
	json_decref(counts);
}
