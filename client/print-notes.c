/* SPDX-License-Identifier: MIT */
/*
 * Each note is a condition and a sentence.
 */
#include "print-notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cleanup.h"
#include "facts.h"
#include "json.h"
#include "side.h"

/* Beyond these, a figure is worth a sentence. */
#define NOTED_BACKGROUND_RATIO 0.005
#define NOTED_STEAL_RATIO      0.005

static void note(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(FILE *file, const char *format, ...)
{
	cleanup(freep) char *text = NULL;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n == -1)
		text = NULL;
	else
		facts_print_wrapped(file, "  note: ", text);
}

static void note_power(FILE *file, const struct stats_summary *load)
{
	double now = side_detectable(load, load->n), ten = side_detectable(load, 10);

	if (load->n == 1)
		note(file, "one run has no spread: use -n 3 or more to tell sides apart");
	else if (load->n >= 2 && isnan(now))
		note(file, "the runs are equal: their spread says nothing");
	else if (load->n >= 10)
		note(file,
		     "with this spread, %zu runs a side can show a change of %.2f pp or more "
		     "(80 %% power)",
		     load->n, now * 100);
	else if (load->n >= 2)
		note(file,
		     "with this spread, %zu runs a side can show a change of %.2f pp or more "
		     "(80 %% power); 10 runs a side: %.2f pp",
		     load->n, now * 100, ten * 100);
}

static void note_short(FILE *file, const json_t *runs)
{
	const json_t *run;
	size_t index;
	int n = 0;

	json_array_foreach (runs, index, run)
		n += json_is_true(json_object_get(run, "short")) &&
		     json_is_false(json_object_get(run, "failed"));
	if (n > 0)
		note(file,
		     "%d run%s short: fewer than 5 samples are left after trimming, so the load is "
		     "the untrimmed one",
		     n, n == 1 ? " is" : "s are");
}

/* Trimming is meant against outliers of the measurement; it also hides bursts of the workload. */
static void note_bursts(FILE *file, const json_t *runs)
{
	double gap = side_trim_gap(runs);

	if (gap < 0)
		note(file,
		     "trimming adds %.2f pp to the load: the load has pauses (--trim 0 counts "
		     "them)",
		     -gap * 100);
	else if (gap > 0)
		note(file,
		     "trimming takes %.2f pp of the load away: the load comes in bursts "
		     "(--trim 0 counts them)",
		     gap * 100);
}

static void note_outlived(FILE *file, const json_t *runs)
{
	const json_t *run;
	size_t index;

	json_array_foreach (runs, index, run) {
		long long n = (long long)json_get_integer(run, "outlived_processes", 0);
		double after = json_get_number(run, "background_after_ratio");

		if (n > 0)
			note(file,
			     "run %lld: %lld process%s outlived the command; load after it "
			     "%.2f %%",
			     (long long)json_get_integer(run, "run_index", 0), n,
			     n == 1 ? "" : "es", after * 100);
	}
}

static void note_surroundings(FILE *file, const json_t *runs)
{
	double background = side_summarise(runs, "background_ratio").mean;
	double steal = side_summarise(runs, "steal_ratio").mean;

	if (background > NOTED_BACKGROUND_RATIO)
		note(file, "other programs were at work beside the runs (background %.2f %%)",
		     background * 100);
	if (steal > NOTED_STEAL_RATIO)
		note(file,
		     "the hypervisor took CPU time away (steal %.2f %%), which is in the load",
		     steal * 100);
}

static void note_failed(FILE *file, const json_t *document)
{
	const json_t *runs = json_object_get(document, "runs"), *run;
	size_t index;
	int n = 0;

	json_array_foreach (runs, index, run)
		n += json_is_true(json_object_get(run, "failed"));
	if (n > 0)
		note(file, "%d run%s failed and %s not in the means", n, n == 1 ? "" : "s",
		     n == 1 ? "is" : "are");
	if (json_is_true(json_object_get(document, "partial")))
		note(file, "partial: %zu of %lld runs", json_array_size(runs),
		     (long long)json_get_integer(document, "runs_requested", 0));
}

static void note_strings(FILE *file, const json_t *notes)
{
	const json_t *text;
	size_t index;

	json_array_foreach (notes, index, text)
		if (json_is_string(text))
			note(file, "%s", json_string_value(text));
}

static void note_samples(FILE *file, const json_t *object)
{
	long long n_invalid = (long long)json_get_integer(object, "samples_invalid", 0);
	long long n_missed = (long long)json_get_integer(object, "missed_ticks", 0);

	if (n_invalid > 0)
		note(file, "%lld sample%s invalid (a soaker was restarted or moved) and left out",
		     n_invalid, n_invalid == 1 ? " is" : "s are");
	if (n_missed > 0)
		note(file,
		     "%lld sampling time%s missed, as soakd itself did not get a CPU: fewer and "
		     "longer samples",
		     n_missed, n_missed == 1 ? " was" : "s were");
	if (json_is_true(json_object_get(object, "samples_lost")))
		note(file, "the daemon's history did not reach back to the beginning "
			   "(soakd start --history)");
}

void print_side_notes(FILE *file, const json_t *document)
{
	const json_t *runs = json_object_get(document, "runs"), *run;
	struct stats_summary load = side_summarise(runs, "load_ratio");
	size_t index;

	note_failed(file, document);
	note_power(file, &load);
	note_short(file, runs);
	note_bursts(file, runs);
	note_outlived(file, runs);
	note_surroundings(file, runs);
	json_array_foreach (runs, index, run)
		note_samples(file, run);
	note_strings(file, json_object_get(json_object_get(document, "environment"), "notes"));
}

void print_report_notes(FILE *file, const json_t *report)
{
	note_samples(file, report);
	note_strings(file, json_object_get(report, "notes"));
}
