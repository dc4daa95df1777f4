/* SPDX-License-Identifier: MIT */
/*
 * Logs that people already have, as run files: every log is a side, or several.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct import_options {
	const char *metric;  /* what the values of the format `values` are; NULL: "value" */
	const char *labels;  /* comma-separated, in the order of sides; NULL: their own */
	bool lists_left_out; /* write every line that gave nothing, with its number, on stderr */
};

/* The names of the formats, for help: "values, time, ...". */
const char *import_formats(void);

/* Return: whether there is a format of this name. */
bool import_is_format(const char *name);

/*
 * Read logs of one format into a document (run-file.h) with a side for each, or several.
 *
 * @program: begins complaints, such as "soakctl compare"
 * @paths: [n_paths], at least one; "-": stdin
 * @options: NULL: none
 * @ret_document: owned by the caller
 *
 * What was read and what was left out is said on stderr.
 *
 * Return: 0; a negative errno after one line on stderr: -ERANGE for labels, others for what is
 * wrong with a log or its file; -ENOMEM.
 */
int import_files_with(const char *program, const char *format, const char *const *paths,
		      size_t n_paths, const struct import_options *options, json_t **ret_document);

/* The same without options. */
int import_files(const char *program, const char *format, const char *const *paths, size_t n_paths,
		 json_t **ret_document);
