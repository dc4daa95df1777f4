/* SPDX-License-Identifier: MIT */
/*
 * See comparison-notes.h.
 */
#include "comparison-notes.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "column.h"
#include "compare-words.h"
#include "contrast.h"
#include "differences.h"
#include "htest.h"
#include "json.h"
#include "number.h"
#include "side.h"
#include "verdict.h"

/* A slope over the runs is told when it is as unlikely as this without a drift. */
#define DRIFT_P	      0.01
#define LEAST_DRIFT_N 5
/* |x - median| / MAD beyond ten standard deviations, were it normal: what hyperfine warns at. */
#define FAR_MADS     14.826
#define LEAST_FAR_N  4
#define MANY_METRICS 3
#define NOTED_SIDES  2

static int note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int note(json_t *notes, const char *format, ...)
{
	va_list arguments;
	json_t *text;

	va_start(arguments, format);
	text = json_vsprintf(format, arguments);
	va_end(arguments);
	return json_array_append_new(notes, text) == -1 ? -ENOMEM : 0;
}

/* Return: " pp", " s", ... or "", ASCII; free() it; NULL on lack of memory. */
static char *unit_text(const struct metric *metric)
{
	cleanup(freep) char *unit = ascii_escape(metric_is_ratio(metric) ? "pp" : metric->unit);
	char *text;

	if (!unit || asprintf(&text, "%s%s", unit[0] ? " " : "", unit) < 0)
		return NULL;
	return text;
}

/* One side drifts from run to run, so that a difference may be the time's and not the change's. */
static int note_drift(const struct metric *metric, const char *name, const struct column *column,
		      json_t *notes)
{
	cleanup(freep) char *unit = unit_text(metric);
	struct htest_trend trend;

	if (!unit)
		return -ENOMEM;
	if (column->n < LEAST_DRIFT_N)
		return 0;
	trend = htest_trend(column->values, column->n);
	if (!(trend.p < DRIFT_P))
		return 0;
	return note(notes,
		    "%s drifts by %+.2g%s from run to run, so a difference may be the "
		    "drift's: soakctl ab measures two commands in turns, which cancels it",
		    name, trend.slope * metric_scale(metric), unit);
}

/* Return: median of the distances from @median; NaN on lack of memory. */
static double median_distance(const struct column *column, double median)
{
	cleanup(freep) double *distances = calloc(column->n, sizeof(*distances));

	if (!distances)
		return (double)NAN;
	for (size_t i = 0; i < column->n; i++)
		distances[i] = fabs(column->values[i] - median);
	return stats_quantile(distances, column->n, 0.5);
}

/* Return: the number, from 1, of the run that the value @index is of. */
static size_t run_of_value(const struct metric *metric, const json_t *side, size_t index)
{
	const json_t *runs = json_object_get(side, "runs"), *run;
	size_t i, n = 0;

	json_array_foreach (runs, i, run)
		if (!isnan(metric_of_run(metric, run)) && n++ == index)
			break;
	return i + 1;
}

/* One run far from the others. It is told, never dropped. */
static int note_far(const struct metric *metric, const char *name, const json_t *side,
		    const struct column *column, json_t *notes)
{
	double median, distance, scale = metric_scale(metric);

	if (column->n < LEAST_FAR_N)
		return 0;
	median = stats_quantile(column->values, column->n, 0.5);
	distance = median_distance(column, median);
	if (!(distance > 0))
		return 0;
	for (size_t i = 0; i < column->n; i++) {
		int digits = number_digits(distance * scale, metric->decimals);

		if (fabs(column->values[i] - median) / distance <= FAR_MADS)
			continue;
		return note(notes, "run %zu of %s is far from its others (%s, their median %s)%s",
			    run_of_value(metric, side, i), name,
			    number_format(column->values[i] * scale, digits).text,
			    number_format(median * scale, digits).text,
			    i == 0 ? ": a warm-up run (-w 1) may help" : "");
	}
	return 0;
}

static int note_side_values(const struct sides *sides, const struct metric *metric, size_t index,
			    json_t *notes)
{
	struct column column;
	int r = column_of_runs(metric, sides->sides[index], &column);

	if (r < 0)
		return r;
	/* In turns, a drift is in both sides alike. */
	if (!sides->paired)
		r = note_drift(metric, sides->names[index], &column, notes);
	if (r == 0)
		r = note_far(metric, sides->names[index], sides->sides[index], &column, notes);
	column_fini(&column);
	return r;
}

/* Return: what @write writes of @result; free() it; NULL on lack of memory. */
static char *text_of(void (*write)(FILE *, const json_t *), const json_t *result)
{
	cleanup(freep) char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return NULL;
	write(stream, result);
	return fclose(stream) == 0 ? take_ptr(text) : NULL;
}

static int note_untrimmed(const struct sides *sides, const struct comparison_options *options,
			  size_t second, json_t *notes)
{
	cleanup(freep) char *change = NULL, *word = NULL;
	struct metric untrimmed;
	json_t *result = NULL;
	int r = metric_find("untrimmed", NULL, 0, &untrimmed);

	if (r == 0)
		r = contrast_metric(sides, options, &untrimmed, second, &result);
	if (r < 0)
		return r;
	change = text_of(compare_write_change, result);
	word = text_of(compare_write_word, result);
	json_decref(result);
	if (!change || !word)
		return -ENOMEM;
	return note(notes, "without trimming the change is %s: %s", change, word);
}

/* Trimming is against outliers of the measurement; it hides bursts of the workload, too. */
static int note_bursts(const struct sides *sides, const struct comparison_options *options,
		       size_t second, json_t *notes)
{
	const size_t indices[NOTED_SIDES] = {0, second};
	bool any = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < NOTED_SIDES; i++) {
		double gap = side_trim_gap(json_object_get(sides->sides[indices[i]], "runs"));

		if (gap == 0)
			continue;
		any = true;
		r = note(notes, "trimming %s %.2f pp %s the load of %s, which comes in %s",
			 gap > 0 ? "takes" : "adds", fabs(gap) * 100, gap > 0 ? "off" : "to",
			 sides->names[indices[i]], gap > 0 ? "bursts" : "stretches with pauses");
	}
	return r == 0 && any ? note_untrimmed(sides, options, second, notes) : r;
}

int comparison_note_metric(const struct sides *sides, const struct comparison_options *options,
			   const struct metric *metric, size_t second, json_t *result)
{
	json_t *notes = json_array();
	int r = note_side_values(sides, metric, 0, notes);

	if (r == 0)
		r = note_side_values(sides, metric, second, notes);
	if (r == 0 && strcmp(metric->name, "load") == 0)
		r = note_bursts(sides, options, second, notes);
	if (r == 0 && options->robust && strcmp(json_get_string(result, "test"), "welch") == 0)
		r = note(notes, "--robust needs %d runs a side: this is the plain Welch test",
			 VERDICT_LEAST_ROBUST);
	if (json_object_set_new(result, "notes", notes) == -1)
		return -ENOMEM;
	return r;
}

static bool has_difference(const json_t *differences, const char *what)
{
	const json_t *difference;
	size_t index;

	json_array_foreach (differences, index, difference)
		if (strcmp(json_get_string(difference, "what"), what) == 0)
			return true;
	return false;
}

/* Return: a metric whose values are the means of boots; NULL: none. */
static const json_t *find_of_boots(const json_t *metrics)
{
	const json_t *metric;
	size_t index;

	json_array_foreach (metrics, index, metric)
		if (strcmp(json_get_string(metric, "replicate"), "boot") == 0)
			return metric;
	return NULL;
}

static int note_boots(const struct sides *sides, size_t second, const json_t *pair, json_t *notes)
{
	const json_t *of_boots = find_of_boots(json_object_get(pair, "metrics"));
	size_t first_boots = differences_n_boots(sides->sides[0]);
	size_t second_boots = differences_n_boots(sides->sides[second]);

	if (of_boots)
		return note(
			notes,
			"the unit is the boot: %lld + %lld values, each the mean of one boot's "
			"runs",
			(long long)json_get_integer(json_object_get(of_boots, "first"), "n", 0),
			(long long)json_get_integer(json_object_get(of_boots, "second"), "n", 0));
	if (sides->paired || !has_difference(json_object_get(pair, "differences"), "boot"))
		return 0;
	return note(notes, "%s one boot: what differs from boot to boot is not in the interval",
		    first_boots == 1 && second_boots == 1 ? "each side is" : "one side is");
}

/* Nothing but time is between the sides: what differs is noise, or a drift. */
static int note_alike(const struct sides *sides, size_t second, const json_t *differences,
		      json_t *notes)
{
	if (json_array_size(differences) > 0 || differences_n_boots(sides->sides[0]) == 0 ||
	    differences_n_boots(sides->sides[second]) == 0)
		return 0;
	return note(notes, "same command, kernel and boot on both sides: unless something changed "
			   "that soakctl does not record, this is an A/A comparison, and a "
			   "difference is noise, drift or chance");
}

static int note_runs(const struct sides *sides, size_t index, json_t *notes)
{
	const json_t *side = sides->sides[index], *runs = json_object_get(side, "runs"), *run;
	size_t i, n_failed = 0, n_short = 0;
	int r = 0;

	json_array_foreach (runs, i, run) {
		bool failed = json_is_true(json_object_get(run, "failed"));

		n_failed += failed;
		n_short += !failed && json_is_true(json_object_get(run, "short"));
	}
	if (n_failed > 0)
		r = note(notes, "%s: %zu of %zu runs failed and %s left out", sides->names[index],
			 n_failed, json_array_size(runs), n_failed == 1 ? "is" : "are");
	if (r == 0 && n_short > 0)
		r = note(notes, "%s: %zu run%s too short to trim: the load is the untrimmed one",
			 sides->names[index], n_short, n_short == 1 ? " is" : "s are");
	if (r == 0 && json_is_true(json_object_get(side, "partial")))
		r = note(notes, "%s: its series ended early", sides->names[index]);
	return r;
}

static bool are_alike(const json_t *a, const json_t *b, const char *name)
{
	const json_t *first = json_object_get(a, name), *second = json_object_get(b, name);

	return (!first && !second) || json_equal(first, second);
}

static int note_trims(const struct sides *sides, size_t second, json_t *notes)
{
	const json_t *a = sides->sides[0], *b = sides->sides[second];

	if (are_alike(a, b, "trim_ratio") && are_alike(a, b, "trim_count"))
		return 0;
	return note(notes, "the sides were trimmed differently: --trim trims them alike");
}

static int note_chance(const json_t *metrics, double confidence, json_t *notes)
{
	const json_t *metric;
	size_t index, n = 0;

	json_array_foreach (metrics, index, metric)
		n += json_is_string(json_object_get(metric, "verdict"));
	if (n < MANY_METRICS)
		return 0;
	return note(notes,
		    "%zu figures are compared, each at %g %%: one in %.0f differs by chance alone",
		    n, confidence * 100, 1 / (1 - confidence));
}

static int note_rule(const char *rule, json_t *notes)
{
	cleanup(freep) char *shown = ascii_escape(rule);

	return shown ? note(notes, "the series ended by the rule %s, stated before it began", shown)
		     : -ENOMEM;
}

int comparison_note_pair(const struct sides *sides, double confidence, size_t second, json_t *pair)
{
	json_t *notes = json_object_get(pair, "notes");
	const json_t *differences = json_object_get(pair, "differences");
	int r = 0;

	if (json_is_true(json_object_get(pair, "unlike")))
		r = note(notes, "%s", COMPARISON_UNLIKE);
	if (r == 0)
		r = note_boots(sides, second, pair, notes);
	if (r == 0)
		r = note_alike(sides, second, differences, notes);
	if (r == 0)
		r = note_runs(sides, 0, notes);
	if (r == 0)
		r = note_runs(sides, second, notes);
	if (r == 0)
		r = note_trims(sides, second, notes);
	if (r == 0)
		r = note_chance(json_object_get(pair, "metrics"), confidence, notes);
	if (r == 0 && sides->stopped_by)
		r = note_rule(sides->stopped_by, notes);
	return r;
}
