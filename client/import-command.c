/* SPDX-License-Identifier: MIT */
/*
 * soakctl import: logs that people already have become run files.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "import.h"
#include "optparse.h"
#include "run-file.h"
#include "show.h"

#define PROGRAM "soakctl import"

struct command_options {
	const char *format;
	const char *output; /* NULL: stdout */
	struct import_options import;
	bool force;
};

static int read_format(const char *text, void *options)
{
	((struct command_options *)options)->format = text;
	return import_is_format(text) ? 0 : -EINVAL;
}

static const struct optparse_row rows[] = {
	{1, 'f', "format", "FORMAT", "what the logs are (see below)",
	 "values, time, bash-time, dd, bonnie, kunit or fio-json", .read = read_format},
	{1, 'o', "output", "FILE", "write the run file here (default: stdout)", "a path",
	 .at = offsetof(struct command_options, output)},
	{1, '\0', "force", NULL, "replace FILE when it exists", NULL,
	 .at = offsetof(struct command_options, force)},
	{1, '\0', "label", "A,B", "names of the sides, in order", "names with commas between",
	 .at = offsetof(struct command_options, import.labels)},
	{1, '\0', "metric", "NAME", "what the numbers of `values` are", "a name",
	 .at = offsetof(struct command_options, import.metric)},
	{1, '\0', "list-left-out", NULL, "show the lines that gave nothing", NULL,
	 .at = offsetof(struct command_options, import.lists_left_out)},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_import(FILE *file)
{
	optparse_help(file, rows, N_ROWS, 1);
	(void)fprintf(file,
		      "\nFormats: %s.\n"
		      "FILE may be - (stdin). Each FILE is a side; a heading that comes again\n"
		      "after another one begins the next.\n",
		      import_formats());
}

static int save(const struct command_options *options, const json_t *document)
{
	int r = run_file_save(options->output, document, options->force);

	if (r == -EEXIST)
		(void)fprintf(stderr, PROGRAM ": %s: exists: --force replaces it\n",
			      options->output);
	else if (r < 0)
		(void)fprintf(stderr, PROGRAM ": %s: %s\n", options->output, strerror(-r));
	return r;
}

/* Return: what is wrong with the use of options; NULL: nothing. */
static const char *find_misuse(const struct command_options *options, int n_files)
{
	if (!options->format)
		return "no --format given";
	if (options->import.metric && strcmp(options->format, "values") != 0)
		return "--metric is for --format values only";
	return n_files == 0 ? "no FILE given" : NULL;
}

/* Labels are the user's; whatever else was wrong was so with a log. */
static int status_of(int error)
{
	return error == -ERANGE || error == -ENOMEM ? STATUS_FAILED : STATUS_UNUSABLE;
}

int run_import(int argc, char **argv)
{
	struct command_options options = {0};
	const char *misuse;
	json_t *document;
	int first, r;

	if (optparse_any_order(PROGRAM, argc, argv, rows, N_ROWS, 1, &options, &first) < 0)
		return STATUS_FAILED;
	misuse = find_misuse(&options, argc - first);
	if (misuse) {
		(void)fprintf(stderr, PROGRAM ": %s (see --help)\n", misuse);
		return STATUS_FAILED;
	}
	r = import_files_with(PROGRAM, options.format, (const char *const *)argv + first,
			      (size_t)(argc - first), &options.import, &document);
	if (r < 0)
		return status_of(r);
	r = options.output ? save(&options, document) : show_json(document);
	json_decref(document);
	return r < 0 ? STATUS_FAILED : 0;
}
