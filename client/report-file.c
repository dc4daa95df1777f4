/* SPDX-License-Identifier: MIT */
/*
 * See report-file.h.
 */
#include "report-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "print.h"
#include "retrim.h"
#include "run-file.h"
#include "show.h"

#define PROGRAM "soakctl report"

static int retrim_sides(const char *path, const json_t *document, const struct trim *trim)
{
	for (size_t i = 0; i < run_file_n_sides(document); i++) {
		int r = retrim(run_file_side(document, i), trim);

		if (r == 0)
			continue;
		(void)fprintf(stderr, PROGRAM ": --trim: %s: %s\n", path,
			      r == -ENODATA ? "its runs have no samples to trim anew"
					    : strerror(-r));
		return r;
	}
	return 0;
}

static void print_sides(const struct report_file_options *options, const json_t *document)
{
	for (size_t i = 0; i < run_file_n_sides(document); i++) {
		const json_t *side = run_file_side(document, i);

		if (i > 0)
			(void)putchar('\n');
		print_side(stdout, side);
		if (options->per_cpu)
			print_side_cpus(stdout, side);
	}
}

static int report_file(const struct report_file_options *options, const char *path)
{
	json_t *document;
	int r = run_file_load(PROGRAM, path, &document);

	if (r < 0)
		return STATUS_UNUSABLE;
	if (options->trim)
		r = retrim_sides(path, document, options->trim);
	if (r == 0 && options->json)
		r = show_json(document);
	else if (r == 0)
		print_sides(options, document);
	json_decref(document);
	return r < 0 ? STATUS_UNUSABLE : 0;
}

int report_files(const struct report_file_options *options, const char *const *paths,
		 size_t n_paths)
{
	for (size_t i = 0; i < n_paths; i++) {
		int status;

		if (i > 0 && !options->json)
			(void)putchar('\n');
		status = report_file(options, paths[i]);
		if (status != 0)
			return status;
	}
	return 0;
}
