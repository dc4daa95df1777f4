/* SPDX-License-Identifier: MIT */
/*
 * soakctl compare: did the change change what the workload costs?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "compare-words.h"
#include "comparison.h"
#include "import.h"
#include "json.h"
#include "optparse.h"
#include "parse.h"
#include "print-compare.h"
#include "retrim.h"
#include "run-file.h"
#include "show.h"
#include "sides.h"

#define PROGRAM		   "soakctl compare"
#define MOST_METRICS	   64
#define LEAST_CONFIDENCE   0.5
#define MOST_CONFIDENCE	   0.9999
#define DEFAULT_CONFIDENCE 0.95

/* Distinct from every failure: nothing went wrong but what was asked about. */
#define STATUS_PROVEN	    3
#define STATUS_NOT_TESTABLE 4

enum format {
	FORMAT_TEXT,
	FORMAT_MARKDOWN,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_MAIL,
};

static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_MARKDOWN] = "markdown", [FORMAT_CSV] = "csv",
	[FORMAT_JSON] = "json", [FORMAT_MAIL] = "mail",
};

struct compare_options {
	const char *metrics[MOST_METRICS];
	size_t n_metrics;
	struct trim trim;
	bool has_trim;
	double confidence;
	struct effect min_effect;
	bool robust;
	bool force;
	enum format format;
	const char *format_in; /* NULL: run files */
	const char *labels;
	bool fail_on_more;
	struct effect fail_effect;
};

static int read_metric(const char *text, void *context)
{
	struct compare_options *options = context;

	if (!text[0])
		return -EINVAL;
	if (options->n_metrics == MOST_METRICS)
		return -ERANGE;
	options->metrics[options->n_metrics++] = text;
	return 0;
}

static int read_trim(const char *text, void *options)
{
	((struct compare_options *)options)->has_trim = true;
	return parse_trim(text, &((struct compare_options *)options)->trim);
}

static int read_min_effect(const char *text, void *options)
{
	return effect_parse(text, &((struct compare_options *)options)->min_effect);
}

static int read_confidence(const char *text, void *options)
{
	return parse_percent(text, LEAST_CONFIDENCE, MOST_CONFIDENCE,
			     &((struct compare_options *)options)->confidence);
}

static int read_format(const char *text, void *options)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i], text) == 0) {
			((struct compare_options *)options)->format = (enum format)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int read_format_in(const char *text, void *options)
{
	((struct compare_options *)options)->format_in = text;
	return import_is_format(text) ? 0 : -EINVAL;
}

static int read_labels(const char *text, void *options)
{
	((struct compare_options *)options)->labels = text;
	return text[0] ? 0 : -EINVAL;
}

/* "more" or "more:0.1pp" */
static int read_fail_on(const char *text, void *context)
{
	struct compare_options *options = context;
	const char *more = "more";
	size_t length = strlen(more);

	if (strncmp(text, more, length) != 0)
		return -EINVAL;
	options->fail_on_more = true;
	if (text[length] == '\0')
		return 0;
	return text[length] == ':' ? effect_parse(text + length + 1, &options->fail_effect)
				   : -EINVAL;
}

static int read_robust(const char *text, void *options)
{
	(void)text;
	((struct compare_options *)options)->robust = true;
	return 0;
}

static int read_force(const char *text, void *options)
{
	(void)text;
	((struct compare_options *)options)->force = true;
	return 0;
}

static const struct optparse_row rows[] = {
	{1, '\0', "metric", "NAME", "what to compare (repeatable; default: all that matter)",
	 "a name such as load, hidden or elapsed; at most 64", read_metric},
	{1, '\0', "trim", "10%|COUNT", "trim the runs' samples anew, all alike",
	 "a share below 50% such as 10%, or a count such as 8", read_trim},
	{1, '\0', "min-effect", "SIZE", "the smallest change that matters: 0.1pp, 2%",
	 "a size above 0: 0.1 (in the figure's unit), 0.1pp, or 2% of the first side",
	 read_min_effect},
	{1, '\0', "confidence", "PERCENT", "of all intervals (default 95)",
	 "a percentage from 50 to 99.99", read_confidence},
	{1, '\0', "robust", NULL, "trim the runs, too (Yuen), and add a rank test", NULL,
	 read_robust},
	{1, '\0', "format", "FORMAT", "text, markdown, csv, json or mail",
	 "text, markdown, csv, json or mail", read_format},
	{1, '\0', "format-in", "FORMAT", "what the files are, if not run files",
	 "values, time, bash-time, dd, bonnie, kunit or fio-json", read_format_in},
	{1, '\0', "label", "A,B", "what to call the sides", "names with commas between them",
	 read_labels},
	{1, '\0', "fail-on", "more[:SIZE]", "exit 3 when more is proven, 4 when untestable",
	 "more, or more:SIZE such as more:0.1pp or more:2%", read_fail_on},
	{1, '\0', "force", NULL, "compare what was not measured alike", NULL, read_force},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_compare(FILE *file)
{
	optparse_help(file, rows, N_ROWS, 1);
	(void)fprintf(
		file,
		"\nMetrics: %s,\nand the command's own (--metric of soakctl run).\n"
		"Two files or more: each is compared with the first; one file with several\n"
		"sides: its sides. Exit status: 0 whatever the verdict, 2 when a file cannot\n"
		"be used, 125 for wrong options; see --fail-on.\n",
		metric_names);
}

static int load_run_files(const char *const *paths, size_t n_paths, json_t **documents)
{
	for (size_t i = 0; i < n_paths; i++) {
		if (run_file_load(PROGRAM, paths[i], &documents[i]) == 0)
			continue;
		while (i-- > 0)
			json_decref(documents[i]);
		return -EINVAL;
	}
	return 0;
}

/* Read all that is to be compared. Return: 0; the exit status after saying why. */
static int load_sides(const struct compare_options *options, const char *const *paths,
		      size_t n_paths, struct sides *ret)
{
	json_t **documents = calloc(n_paths + 1, sizeof(json_t *));
	size_t n_documents = options->format_in ? 1 : n_paths;
	int r;

	*ret = (struct sides){0};
	if (!documents)
		return STATUS_FAILED;
	if (options->format_in)
		r = import_files(PROGRAM, options->format_in, paths, n_paths, documents);
	else
		r = load_run_files(paths, n_paths, documents);
	if (r < 0) {
		free(documents);
		return STATUS_UNUSABLE;
	}
	r = sides_take(documents, paths, n_documents, options->labels, ret);
	if (r == -EINVAL)
		(void)fprintf(stderr, PROGRAM ": --label %s: there are %zu sides to name\n",
			      options->labels, ret->n);
	if (r < 0)
		return STATUS_FAILED;
	if (ret->n >= 2)
		return 0;
	(void)fprintf(stderr, PROGRAM ": %s holds one side: give the file to compare it with\n",
		      paths[0]);
	return STATUS_UNUSABLE;
}

/* Trim all sides alike. Return: 0; the exit status. */
static int trim_sides(const struct compare_options *options, const struct sides *sides)
{
	for (size_t i = 0; options->has_trim && i < sides->n; i++) {
		int r = retrim(sides->sides[i], &options->trim);

		if (r == 0)
			continue;
		(void)fprintf(stderr, PROGRAM ": --trim: %s: %s\n", sides->files[i],
			      r == -ENODATA ? "its runs have no samples to trim anew"
					    : strerror(-r));
		return STATUS_UNUSABLE;
	}
	return 0;
}

/* Find what --metric asks for, or take the defaults. Return: 0; the exit status. */
static int choose_metrics(const struct compare_options *options, const struct sides *sides,
			  struct metric **ret_metrics, size_t *ret_n)
{
	struct metric *metrics;

	if (options->n_metrics == 0) {
		if (metric_defaults(sides->sides, sides->n, ret_metrics, ret_n) < 0)
			return STATUS_FAILED;
		if (*ret_n > 0)
			return 0;
		(void)fprintf(stderr, PROGRAM ": no run of these files has a figure\n");
		return STATUS_UNUSABLE;
	}
	metrics = calloc(options->n_metrics, sizeof(*metrics));
	if (!metrics)
		return STATUS_FAILED;
	*ret_metrics = metrics;
	*ret_n = options->n_metrics;
	for (size_t i = 0; i < options->n_metrics; i++) {
		if (metric_find(options->metrics[i], sides->sides, sides->n, &metrics[i]) == 0)
			continue;
		(void)fprintf(stderr,
			      PROGRAM ": --metric %s: neither a figure of soakctl's (%s) nor one "
				      "of these files\n",
			      options->metrics[i], metric_names);
		return STATUS_FAILED;
	}
	return 0;
}

/* Machines, CPU sets and soakers that are unlike make their own differences. */
static bool refuse_unlike(const json_t *comparison)
{
	const json_t *pair;
	bool refused = false;
	size_t index;

	json_array_foreach (json_object_get(comparison, "pairs"), index, pair) {
		if (!json_is_true(json_object_get(pair, "unlike")))
			continue;
		(void)fprintf(stderr,
			      PROGRAM ": %s and %s were not measured alike (--force compares them "
				      "all the same)\n",
			      compare_name(comparison, pair, "first"),
			      compare_name(comparison, pair, "second"));
		print_compare_differences(stderr, comparison, pair);
		refused = true;
	}
	return refused;
}

static int print(const struct compare_options *options, const json_t *comparison)
{
	switch (options->format) {
	case FORMAT_TEXT:
		print_compare_text(stdout, comparison);
		return 0;
	case FORMAT_MARKDOWN:
		print_compare_markdown(stdout, comparison);
		return 0;
	case FORMAT_CSV:
		print_compare_csv(stdout, comparison);
		return 0;
	case FORMAT_MAIL:
		print_compare_mail(stdout, comparison);
		return 0;
	case FORMAT_JSON:
		return show_json(comparison);
	}
	return 0;
}

/* What --fail-on watches: what was asked for; else the load; else, of imported logs, everything. */
static bool is_watched(const struct compare_options *options, const json_t *metrics,
		       const json_t *metric)
{
	const char *first = json_get_string(json_array_get(metrics, 0), "name");

	if (options->n_metrics > 0 || strcmp(first, "load") != 0)
		return true;
	return strcmp(json_get_string(metric, "name"), "load") == 0;
}

static bool is_proven(const struct compare_options *options, const json_t *result)
{
	struct metric metric = {.unit = json_get_string(result, "unit")};
	double mean = json_get_number(json_object_get(result, "first"), "mean");
	const char *verdict = json_get_string(result, "verdict");

	return verdict && strcmp(verdict, COMPARISON_MORE) == 0 &&
	       json_get_number(result, "difference") >=
		       effect_size(&options->fail_effect, &metric, mean);
}

static int judge(const struct compare_options *options, const json_t *comparison)
{
	const json_t *pair, *metric;
	int status = 0;
	size_t i, j;

	if (!options->fail_on_more)
		return 0;
	json_array_foreach (json_object_get(comparison, "pairs"), i, pair) {
		const json_t *metrics = json_object_get(pair, "metrics");

		json_array_foreach (metrics, j, metric) {
			if (!is_watched(options, metrics, metric))
				continue;
			if (is_proven(options, metric))
				return STATUS_PROVEN;
			if (!json_is_string(json_object_get(metric, "verdict")))
				status = STATUS_NOT_TESTABLE;
		}
	}
	return status;
}

static int compare(const struct compare_options *options, const struct sides *sides)
{
	cleanup(freep) struct metric *metrics = NULL;
	struct comparison_options what = {
		.confidence = options->confidence,
		.min_effect = options->min_effect,
		.robust = options->robust,
	};
	json_t *comparison;
	int status = trim_sides(options, sides);

	if (status == 0)
		status = choose_metrics(options, sides, &metrics, &what.n_metrics);

	if (status != 0)
		return status;
	what.metrics = metrics;
	comparison = comparison_new(sides, &what);
	if (!comparison) {
		(void)fprintf(stderr, PROGRAM ": out of memory\n");
		return STATUS_FAILED;
	}
	if (!options->force && refuse_unlike(comparison))
		status = STATUS_UNUSABLE;
	else if (print(options, comparison) < 0)
		status = STATUS_FAILED;
	else
		status = judge(options, comparison);
	json_decref(comparison);
	return status;
}

int run_compare(int argc, char **argv)
{
	struct compare_options options = {.confidence = DEFAULT_CONFIDENCE};
	cleanup(sides_fini) struct sides sides = {0};
	int first, status;

	if (optparse_any_order(PROGRAM, argc, argv, rows, N_ROWS, 1, &options, &first) < 0)
		return STATUS_FAILED;
	if (first >= argc) {
		(void)fprintf(stderr, PROGRAM ": no file given (see soakctl compare --help)\n");
		return STATUS_FAILED;
	}
	status = load_sides(&options, (const char *const *)&argv[first], (size_t)(argc - first),
			    &sides);
	return status == 0 ? compare(&options, &sides) : status;
}
