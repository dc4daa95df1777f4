/* SPDX-License-Identifier: MIT */
/*
 * See compare-options.h.
 */
#include "compare-options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "import.h"
#include "metric.h"
#include "optparse.h"
#include "parse.h"

#define LEAST_CONFIDENCE   0.5
#define MOST_CONFIDENCE	   0.9999
#define DEFAULT_CONFIDENCE 0.95

static const char *const formats[] = {
	[COMPARE_FORMAT_TEXT] = "text", [COMPARE_FORMAT_MARKDOWN] = "markdown",
	[COMPARE_FORMAT_CSV] = "csv",	[COMPARE_FORMAT_JSON] = "json",
	[COMPARE_FORMAT_MAIL] = "mail",
};

static int read_metric(const char *text, void *context)
{
	struct compare_options *options = context;

	if (!text[0])
		return -EINVAL;
	if (options->n_metrics == COMPARE_MOST_METRICS)
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
			((struct compare_options *)options)->format = (enum compare_format)i;
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

static const struct optparse_row rows[] = {
	{1, '\0', "metric", "NAME", "what to compare (repeatable; default: all that matter)",
	 "a name such as load, hidden or elapsed; at most 64", .read = read_metric},
	{1, '\0', "trim", "10%|COUNT", "trim the runs' samples anew, all alike",
	 "a share below 50% such as 10%, or a count such as 8", .read = read_trim},
	{1, '\0', "min-effect", "SIZE", "the smallest change that matters: 0.1pp, 2%",
	 "a size above 0: 0.1 (in the figure's unit), 0.1pp, or 2% of the first side",
	 .read = read_min_effect},
	{1, '\0', "confidence", "PERCENT", "of all intervals (default 95)",
	 "a percentage from 50 to 99.99", .read = read_confidence},
	{1, '\0', "robust", NULL, "trim the runs, too (Yuen), and add a rank test", NULL,
	 .at = offsetof(struct compare_options, robust)},
	{1, '\0', "format", "FORMAT", "text, markdown, csv, json or mail",
	 "text, markdown, csv, json or mail", .read = read_format},
	{1, '\0', "format-in", "FORMAT", "what the files are, if not run files",
	 "values, time, bash-time, dd, bonnie, kunit or fio-json", .read = read_format_in},
	{1, '\0', "label", "A,B", "what to call the sides", "names with commas between them",
	 .at = offsetof(struct compare_options, labels)},
	{1, '\0', "fail-on", "more[:SIZE]", "exit 3 when more is proven, 4 when untestable",
	 "more, or more:SIZE such as more:0.1pp or more:2%", .read = read_fail_on},
	{1, '\0', "force", NULL, "compare what was not measured alike", NULL,
	 .at = offsetof(struct compare_options, force)},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_compare(FILE *file)
{
	optparse_help(file, rows, N_ROWS, 1);
	(void)fprintf(
		file,
		"\nMetrics: load, untrimmed, hidden, unaccounted, slowed, us_per_mib, "
		"us_per_work,\n"
		"elapsed, cpu_seconds, and the command's own (--metric of soakctl run).\n"
		"Two files or more: each is compared with the first; one file with several\n"
		"sides: its sides. Exit status: 0 whatever the verdict, 2 when a file cannot\n"
		"be used, 125 for wrong options; see --fail-on.\n");
}

int compare_options_parse(const char *program, int argc, char **argv, struct compare_options *ret,
			  int *ret_first)
{
	*ret = (struct compare_options){.confidence = DEFAULT_CONFIDENCE};
	return optparse_any_order(program, argc, argv, rows, N_ROWS, 1, ret, ret_first);
}
