/* SPDX-License-Identifier: MIT */
/*
 * See metric-options.h. Rules are made after all options are read: what is wrong with one is more
 * than that it is not what was expected.
 */
#include "metric-options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

#define MOST_UNIT_BYTES 32

int metric_options_add(struct metric_options *options, const char *text)
{
	if (options->n_texts == EXTRACT_MOST_RULES)
		return -E2BIG;
	options->texts[options->n_texts++] = text;
	return 0;
}

/* Printable ASCII, as it goes into reports, and no option that was taken for it. */
static bool is_unit(const char *text)
{
	size_t n = strlen(text);

	if (n == 0 || n > MOST_UNIT_BYTES || text[0] == '-' || text[n - 1] == ' ')
		return false;
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

int metric_options_set_work(struct metric_options *options, const char *text)
{
	size_t n = strcspn(text, " ");
	const char *unit = &text[n + strspn(&text[n], " ")];
	double amount;
	bool is_ratio;
	char *copy;

	if (extract_number(text, n, &amount, &is_ratio) < 0 || is_ratio || !(amount > 0) ||
	    !is_unit(unit))
		return -EINVAL;
	copy = strdup(unit);
	if (!copy)
		return -ENOMEM;
	free(options->work_unit);
	options->work_unit = copy;
	options->work_amount = amount;
	return 0;
}

static int make_rules(struct metric_options *options, const char *program)
{
	for (size_t i = 0; i < options->n_texts; i++) {
		cleanup(freep) char *why = NULL;
		int r = extract_add_rule(&options->rules, options->texts[i], &why);

		if (r == 0)
			continue;
		(void)fprintf(stderr, "%s: --metric %s: %s\n", program, options->texts[i],
			      why ? why : strerror(-r));
		return r;
	}
	return 0;
}

static int check_work(struct metric_options *options, const char *program)
{
	if (!options->work_metric)
		return 0;
	if (options->work_amount > 0) {
		(void)fprintf(stderr, "%s: --work and --work-metric: give one of them\n", program);
		return -EINVAL;
	}
	if (extract_find_rule(&options->rules, options->work_metric) < options->rules.n)
		return 0;
	(void)fprintf(stderr, "%s: --work-metric %s: there is no --metric %s=REGEX\n", program,
		      options->work_metric, options->work_metric);
	return -EINVAL;
}

int metric_options_check(struct metric_options *options, const char *program)
{
	int r = make_rules(options, program);

	return r < 0 ? r : check_work(options, program);
}

void metric_options_fini(struct metric_options *options)
{
	extract_rules_fini(&options->rules);
	free(take_ptr(options->work_unit));
}
