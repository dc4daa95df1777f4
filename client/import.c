/* SPDX-License-Identifier: MIT */
/*
 * See import.h.
 */
#include "import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"

struct format {
	const char *name;
	import_read read;
	const char *example;
};

static const struct format formats[] = {
	{"values", import_read_values, "LABEL: 5.02% 5.23% 5.27%"},
	{"time", import_read_time, "0.03user 131.66system 2:26.62elapsed 89%CPU"},
	{"bash-time", import_read_bash_time, "real 2m26.620s, user and sys"},
	{"dd", import_read_dd, "512000000 bytes (512 MB) copied, 17.0 s, 30.1 MB/s"},
	{"bonnie", import_read_bonnie, "the CSV of bonnie++ 1.03, with 27 columns"},
	{"kunit", import_read_kunit, "NAME: avg 395 uS, stddev 46 uS"},
	{"fio-json", import_read_fio, "what fio --output-format=json writes"},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

bool import_is_format(const char *name)
{
	return find_format(name) != NULL;
}

const char *import_formats(void)
{
	return "values, time, bash-time, dd, bonnie, kunit, fio-json";
}

static int complain(const char *program, int error)
{
	const char *what = strerror(-error);

	if (error == -E2BIG)
		what = "too many numbers: at most 100000 runs, 4000 tests and 1000 sides";
	else if (error == -ERANGE)
		what = "--label: more names than sides, or an empty one";
	else if (error == -EEXIST)
		what = "two tests give a metric of the same name: expected different headings";
	(void)fprintf(stderr, "%s: %s\n", program, what);
	return error;
}

/* Say what is not in the document. */
static void report(const char *program, const struct import_counts *counts, size_t left_out)
{
	(void)fprintf(stderr, "%s: read %zu value%s", program, counts->values,
		      counts->values == 1 ? "" : "s");
	if (counts->tests > 1)
		(void)fprintf(stderr, " in %zu tests", counts->tests);
	(void)fprintf(stderr, ", %zu side%s", counts->sides, counts->sides == 1 ? "" : "s");
	if (counts->failed > 0)
		(void)fprintf(stderr, "; %zu of failed commands", counts->failed);
	(void)fprintf(stderr, "; %zu other line%s left out\n", left_out, left_out == 1 ? "" : "s");
	for (size_t i = 0; i < counts->n_not_kept; i++)
		(void)fprintf(stderr, "%s%s%s", i ? ", " : program,
			      i ? "" : ": not kept: ", counts->not_kept[i]);
	if (counts->n_not_kept > 0)
		(void)fputc('\n', stderr);
}

/* Read one log. @n_left_out: counted on */
static int read_log(const char *program, const struct format *format, const char *path,
		    const struct import_options *options, struct import_builder *builder,
		    size_t *n_left_out)
{
	cleanup(import_log_fini) struct import_log log = {0};
	const char *metric = options && options->metric ? options->metric : "value";
	struct import_counts before, after;
	int r = import_log_open(program, path, &log);

	if (r < 0)
		return r;
	import_builder_count(builder, &before);
	r = format->read(&log, builder, metric);
	if (r < 0)
		return r == -EINVAL ? r : complain(program, r);
	import_builder_count(builder, &after);
	if (after.values == before.values) {
		(void)fprintf(stderr, "%s: %s: no data of the format %s: expected %s\n", program,
			      path, format->name, format->example);
		return -EINVAL;
	}
	if (options && options->lists_left_out)
		(void)fprintf(stderr, "%s: %s: lines left out:\n", program, path);
	*n_left_out +=
		import_log_left_out(&log, options && options->lists_left_out ? stderr : NULL);
	return 0;
}

int import_files_with(const char *program, const char *format, const char *const *paths,
		      size_t n_paths, const struct import_options *options, json_t **ret_document)
{
	cleanup(import_builder_freep) struct import_builder *builder = import_builder_new();
	const struct format *found = find_format(format);
	struct import_counts counts;
	size_t left_out = 0;
	int r = 0;

	if (!found) {
		(void)fprintf(stderr, "%s: no format %s: expected one of %s\n", program, format,
			      import_formats());
		return -EINVAL;
	}
	if (!builder)
		return complain(program, -ENOMEM);
	for (size_t i = 0; i < n_paths && r == 0; i++)
		r = read_log(program, found, paths[i], options, builder, &left_out);
	if (r < 0)
		return r;
	r = import_builder_finish(builder, format, options ? options->labels : NULL, ret_document);
	if (r < 0)
		return complain(program, r);
	import_builder_count(builder, &counts);
	report(program, &counts, left_out);
	return 0;
}

int import_files(const char *program, const char *format, const char *const *paths, size_t n_paths,
		 json_t **ret_document)
{
	return import_files_with(program, format, paths, n_paths, NULL, ret_document);
}
