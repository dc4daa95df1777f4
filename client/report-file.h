/* SPDX-License-Identifier: MIT */
/*
 * Run files printed again, as `soakctl run` printed them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats.h"

struct report_file_options {
	const struct trim *trim; /* NULL: as the file has it */
	bool per_cpu;
	bool json; /* the document, its trimming included */
};

/* Print the files to stdout. Return: 0 or the exit status, after saying why. */
int report_files(const struct report_file_options *options, const char *const *paths,
		 size_t n_paths);
