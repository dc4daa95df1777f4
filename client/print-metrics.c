/* SPDX-License-Identifier: MIT */
/*
 * See print-metrics.h.
 */
#include "print-metrics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cleanup.h"
#include "facts.h"
#include "json.h"
#include "side.h"

#define LABEL	   19
#define MOST_NOTES 10

/* Digits that a mean is shown with, at least. */
#define SIGNIFICANT 4

/* Beyond these %f is longer than anybody reads. */
#define LEAST_PLAIN 1e-4
#define MOST_PLAIN  1e12

struct number {
	char text[32];
};

/* Return: how many digits behind the point show SIGNIFICANT digits of @value. */
static int digits_of(double value)
{
	double magnitude = fabs(value);
	int digits = SIGNIFICANT - 1;

	for (; magnitude >= 10 && digits > 0; magnitude /= 10)
		digits--;
	for (; magnitude > 0 && magnitude < 1 && digits < 8; magnitude *= 10)
		digits++;
	return digits;
}

/* Show @value as precisely as @mean is shown; a ratio in percent. */
static struct number format(double value, double mean, bool is_ratio)
{
	struct number number;

	if (is_ratio)
		(void)snprintf(number.text, sizeof(number.text), "%.2f", value * 100);
	else if (fabs(mean) >= MOST_PLAIN || (mean != 0 && fabs(mean) < LEAST_PLAIN))
		(void)snprintf(number.text, sizeof(number.text), "%.*g", SIGNIFICANT, value);
	else
		(void)snprintf(number.text, sizeof(number.text), "%.*f", digits_of(mean), value);
	return number;
}

/* @what: stands behind the mean; "" for nothing */
static void print_row(FILE *file, const char *name, const struct stats_summary *summary,
		      const char *what, bool is_ratio)
{
	char label[64];

	/* Longer names get a blank of their own. */
	(void)snprintf(label, sizeof(label), "%s%s", name, strlen(name) < LABEL ? "" : " ");
	if (summary->n == 0)
		facts_print_fact(file, 2, LABEL, label, "-  no run has it");
	else if (summary->n == 1)
		facts_print_fact(file, 2, LABEL, label, "%s%s  one run: no interval",
				 format(summary->mean, summary->mean, is_ratio).text, what);
	else
		facts_print_fact(
			file, 2, LABEL, label, "%s%s  [%s, %s]  95%% CI of the mean, %zu runs",
			format(summary->mean, summary->mean, is_ratio).text, what,
			format(summary->ci_low, summary->mean, is_ratio).text,
			format(summary->ci_high, summary->mean, is_ratio).text, summary->n);
}

static void print_work(FILE *file, const json_t *document)
{
	const char *unit = json_get_string(json_object_get(document, "work"), "unit");
	struct stats_summary summary =
		side_summarise(json_object_get(document, "runs"), "cpu_microseconds_per_work");
	char what[80];

	if (!unit)
		return;
	(void)snprintf(what, sizeof(what), " us of CPU per %s", unit);
	print_row(file, "work", &summary, what, false);
}

void print_metrics(FILE *file, const json_t *document)
{
	const json_t *runs = json_object_get(document, "runs"), *metric;
	size_t index;

	json_array_foreach (json_object_get(document, "metrics"), index, metric) {
		const char *name = json_get_string(metric, "name");
		const char *unit = json_get_string(metric, "unit");
		struct stats_summary summary = side_summarise_metric(runs, name ? name : "");
		bool is_ratio = unit && strcmp(unit, "ratio") == 0;
		char what[32] = " %";

		if (!is_ratio)
			(void)snprintf(what, sizeof(what), "%s%s", unit && *unit ? " " : "",
				       unit ? unit : "");
		print_row(file, name ? name : "?", &summary, what, is_ratio);
	}
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
