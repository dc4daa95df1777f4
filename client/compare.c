/* SPDX-License-Identifier: MIT */
/*
 * soakctl compare: did the change change what the workload costs?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "compare-options.h"
#include "compare-words.h"
#include "comparison.h"
#include "import.h"
#include "json.h"
#include "print-compare.h"
#include "retrim.h"
#include "run-file.h"
#include "show.h"
#include "sides.h"

#define PROGRAM "soakctl compare"

/* Distinct from every failure: nothing went wrong but what was asked about. */
#define STATUS_PROVEN	    3
#define STATUS_NOT_TESTABLE 4

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
		(void)fprintf(stderr,
			      PROGRAM ": --label %s: takes at most %zu names, one a side, none "
				      "of them empty\n",
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

static void print_text(const struct compare_options *options, const json_t *comparison)
{
	switch (options->format) {
	case COMPARE_FORMAT_TEXT:
		print_compare_text(stdout, comparison);
		break;
	case COMPARE_FORMAT_MARKDOWN:
		print_compare_markdown(stdout, comparison);
		break;
	case COMPARE_FORMAT_CSV:
		print_compare_csv(stdout, comparison);
		break;
	case COMPARE_FORMAT_MAIL:
		print_compare_mail(stdout, comparison);
		break;
	case COMPARE_FORMAT_JSON:
		break;
	}
}

/* Return: 0; -EIO after saying that it cannot be written. */
static int print(const struct compare_options *options, const json_t *comparison)
{
	if (options->format == COMPARE_FORMAT_JSON)
		return show_json(comparison);
	print_text(options, comparison);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	(void)fprintf(stderr, PROGRAM ": cannot write to stdout: %s\n", strerror(errno));
	return -EIO;
}

/*
 * What --fail-on watches: what was asked for; else the load; else, of imported logs, everything of
 * which more is not better.
 */
static bool is_watched(const struct compare_options *options, const json_t *metrics,
		       const json_t *metric)
{
	const char *first = json_get_string(json_array_get(metrics, 0), "name");

	if (options->n_metrics > 0)
		return true;
	if (strcmp(first, "load") != 0)
		return !compare_is(metric, "better", "higher");
	return compare_is(metric, "name", "load");
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
	size_t i, j, n_watched = 0;
	int status = 0;

	if (!options->fail_on_more)
		return 0;
	json_array_foreach (json_object_get(comparison, "pairs"), i, pair) {
		const json_t *metrics = json_object_get(pair, "metrics");

		json_array_foreach (metrics, j, metric) {
			if (!is_watched(options, metrics, metric))
				continue;
			n_watched++;
			if (is_proven(options, metric))
				return STATUS_PROVEN;
			if (!json_is_string(json_object_get(metric, "verdict")))
				status = STATUS_NOT_TESTABLE;
		}
	}
	/* What nobody looked at has not passed. */
	return n_watched > 0 ? status : STATUS_NOT_TESTABLE;
}

/* Percentage points say nothing of seconds. Return: 0; the exit status. */
static int check_effects(const struct compare_options *options, const struct metric *metrics,
			 size_t n_metrics)
{
	const struct effect *fail = &options->fail_effect, *least = &options->min_effect;

	if (options->n_metrics == 0 ||
	    (fail->kind != EFFECT_POINTS && least->kind != EFFECT_POINTS))
		return 0;
	for (size_t i = 0; i < n_metrics; i++) {
		if (metric_is_ratio(&metrics[i]))
			continue;
		(void)fprintf(stderr,
			      PROGRAM ": %s: percentage points say nothing of %s, which is no "
				      "share: give a number or a percentage\n",
			      fail->kind == EFFECT_POINTS ? "--fail-on" : "--min-effect",
			      options->metrics[i]);
		return STATUS_FAILED;
	}
	return 0;
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
	if (status == 0)
		status = check_effects(options, metrics, what.n_metrics);
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
	cleanup(sides_fini) struct sides sides = {0};
	struct compare_options options;
	int first, status;

	if (compare_options_parse(PROGRAM, argc, argv, &options, &first) < 0)
		return STATUS_FAILED;
	if (first >= argc) {
		(void)fprintf(stderr, PROGRAM ": no file given (see soakctl compare --help)\n");
		return STATUS_FAILED;
	}
	status = load_sides(&options, (const char *const *)&argv[first], (size_t)(argc - first),
			    &sides);
	return status == 0 ? compare(&options, &sides) : status;
}
