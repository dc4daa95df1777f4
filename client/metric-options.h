/* SPDX-License-Identifier: MIT */
/*
 * --metric, --work and --work-metric: the command's own numbers, and what its CPU time is divided
 * by.
 */
#pragma once

#include <stddef.h>

#include "extract.h"

struct metric_options {
	const char *texts[EXTRACT_MOST_RULES]; /* each --metric as given, borrowed */
	size_t n_texts;
	struct extract_rules rules; /* made from them by metric_options_check() */
	double work_amount;	    /* of each run, > 0; 0: not given */
	char *work_unit;	    /* heap; what the amount counts */
	const char *work_metric;    /* the metric that is the amount; borrowed; NULL: none */
};

/* Remember a --metric. @text is borrowed. Return: 0; -E2BIG when there are too many. */
int metric_options_add(struct metric_options *options, const char *text);

/* Read a --work: an amount above 0, a blank, and what it counts. Return: 0, -EINVAL or -ENOMEM. */
int metric_options_set_work(struct metric_options *options, const char *text);

/*
 * Make the rules, and check that all of it goes together.
 *
 * Return: 0; a negative errno after one line on stderr, which begins with @program.
 */
int metric_options_check(struct metric_options *options, const char *program);

void metric_options_fini(struct metric_options *options);
