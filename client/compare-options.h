/* SPDX-License-Identifier: MIT */
/*
 * The options of soakctl compare.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "effect.h"
#include "stats.h"

#define COMPARE_MOST_METRICS 64

enum compare_format {
	COMPARE_FORMAT_TEXT,
	COMPARE_FORMAT_MARKDOWN,
	COMPARE_FORMAT_CSV,
	COMPARE_FORMAT_JSON,
	COMPARE_FORMAT_MAIL,
};

struct compare_options {
	const char *metrics[COMPARE_MOST_METRICS];
	size_t n_metrics;
	struct trim trim;
	bool has_trim;
	double confidence;
	struct effect min_effect;
	bool robust;
	bool force;
	enum compare_format format;
	const char *format_in; /* NULL: run files */
	const char *labels;
	bool fail_on_more;
	struct effect fail_effect;
};

/*
 * Read the options; texts are borrowed from @argv.
 *
 * @ret_first: index of the first file in argv, which may be argc
 *
 * Return: 0; -EINVAL after one line on stderr.
 */
int compare_options_parse(const char *program, int argc, char **argv, struct compare_options *ret,
			  int *ret_first);
