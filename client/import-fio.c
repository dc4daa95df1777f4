/* SPDX-License-Identifier: MIT */
/*
 * fio --output-format=json. fio prints its warnings before the document; several documents behind
 * each other are several runs.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "import-format.h"
#include "json.h"

/* Digits behind the point that fio writes. */
#define DECIMALS 6

/* More than the builder takes in any case. */
#define MOST_JOBS 4000

enum figure {
	BANDWIDTH,
	IOPS,
	LATENCY,
	N_FIGURES,
};

static const struct direction {
	const char *name;
	struct import_figure figures[N_FIGURES];
} directions[] = {
	{"read",
	 {{"read bandwidth", "B/s", "higher"},
	  {"read iops", "1/s", "higher"},
	  {"read clat mean", "us", "lower"}}},
	{"write",
	 {{"write bandwidth", "B/s", "higher"},
	  {"write iops", "1/s", "higher"},
	  {"write clat mean", "us", "lower"}}},
	{"trim",
	 {{"trim bandwidth", "B/s", "higher"},
	  {"trim iops", "1/s", "higher"},
	  {"trim clat mean", "us", "lower"}}},
};

#define N_DIRECTIONS (sizeof(directions) / sizeof(directions[0]))

static const struct import_figure user_cpu = {"user CPU", "ratio", "lower"};
static const struct import_figure system_cpu = {"system CPU", "ratio", "lower"};

struct reader {
	struct import_log *log;
	struct import_builder *builder;
};

/* What is wrong with a document as such has no place in it that jansson still knows. */
static int complain(const struct reader *reader, const char *what)
{
	(void)fprintf(stderr, "%s: %s:%zu:1: %s\n", reader->log->program, reader->log->path,
		      reader->log->number + 1, what);
	return -EINVAL;
}

static int set(struct reader *reader, const struct import_figure *figure, double value,
	       int decimals)
{
	return import_builder_set(reader->builder, figure, (struct import_number){value, decimals},
				  (double)NAN);
}

static int take_direction(struct reader *reader, const struct direction *direction,
			  const json_t *values)
{
	double mean = json_get_number(json_object_get(values, "clat_ns"), "mean");
	double bandwidth = json_get_number(values, "bw_bytes"),
	       iops = json_get_number(values, "iops");
	int r;

	if (isnan(bandwidth) || isnan(iops))
		return complain(reader, "a job without bw_bytes and iops: expected the JSON of "
					"fio 3");
	r = set(reader, &direction->figures[BANDWIDTH], bandwidth, 0);
	if (r == 0)
		r = set(reader, &direction->figures[IOPS], iops, DECIMALS);
	/* None without I/O that was waited for, and when it was not measured. Three digits less in
	 * microseconds than there are in nanoseconds are three more. */
	if (r == 0 && mean > 0)
		r = set(reader, &direction->figures[LATENCY], mean / 1e3, DECIMALS + 3);
	return r;
}

/* Jobs of one name stand beside each other when fio was not asked to add them up. */
static char *name_job(const json_t *jobs, size_t index)
{
	const char *own = json_get_string(json_array_get(jobs, index), "jobname");
	size_t number = 1;
	char *name;

	for (size_t i = 0; i < index; i++)
		number += strcmp(json_get_string(json_array_get(jobs, i), "jobname"), own) == 0;
	if (number == 1)
		return strdup(own);
	return asprintf(&name, "%s#%zu", own, number) < 0 ? NULL : name;
}

static int take_figures(struct reader *reader, const json_t *job)
{
	int r = 0;

	for (size_t i = 0; i < N_DIRECTIONS && r == 0; i++) {
		const json_t *values = json_object_get(job, directions[i].name);

		if (json_get_number(values, "total_ios") > 0)
			r = take_direction(reader, &directions[i], values);
	}
	if (r == 0)
		r = set(reader, &user_cpu, json_get_number(job, "usr_cpu") / 100, DECIMALS);
	if (r == 0)
		r = set(reader, &system_cpu, json_get_number(job, "sys_cpu") / 100, DECIMALS);
	return r;
}

static int take_job(struct reader *reader, const json_t *jobs, size_t index)
{
	const json_t *job = json_array_get(jobs, index);
	struct import_test test = {0};
	cleanup(freep) char *name = NULL;
	int r;

	if (!json_get_string(job, "jobname"))
		return complain(reader, "a job without a jobname: expected the JSON of fio 3");
	name = name_job(jobs, index);
	if (!name)
		return -ENOMEM;
	test.name = name;
	r = import_builder_test(reader->builder, &test, false);
	if (r == 0)
		r = import_builder_run(reader->builder, json_get_integer(job, "error", 0) != 0);
	return r < 0 ? r : take_figures(reader, job);
}

static int take_document(struct reader *reader, const json_t *document)
{
	const json_t *jobs = json_object_get(document, "jobs");
	int r;

	if (json_array_size(jobs) > MOST_JOBS)
		return -E2BIG;
	if (json_array_size(jobs) == 0)
		return complain(reader, "JSON without jobs: expected that of fio");
	r = import_builder_side(reader->builder, reader->log->path, NULL, false);
	for (size_t i = 0; i < json_array_size(jobs) && r == 0; i++)
		r = take_job(reader, jobs, i);
	return r;
}

static int complain_json(const struct reader *reader, const json_error_t *error)
{
	(void)fprintf(stderr, "%s: %s:%zu:%d: ", reader->log->program, reader->log->path,
		      reader->log->number + (size_t)error->line,
		      error->column < 1 ? 1 : error->column);
	ascii_write(stderr, error->text);
	(void)fprintf(stderr, ": expected the JSON of fio\n");
	return -EINVAL;
}

/* Go past a document of @n_bytes, which must end with its line. */
static int skip_document(const struct reader *reader, size_t n_bytes)
{
	const char *end = reader->log->text + reader->log->offset + n_bytes;
	const char *begin = memrchr(reader->log->text, '\n', (size_t)(end - reader->log->text));

	begin = begin ? begin + 1 : reader->log->text;
	import_log_skip(reader->log, n_bytes);
	if (end[strspn(end, " \t\r")] == '\n' || end[strspn(end, " \t\r")] == '\0')
		return 0;
	(void)fprintf(stderr,
		      "%s: %s:%zu:%zu: text behind a document: expected it to begin on a line of "
		      "its own\n",
		      reader->log->program, reader->log->path, reader->log->number,
		      (size_t)(end - begin) + 1);
	return -EINVAL;
}

/* Take the document that begins with the next line. */
static int take_json(struct reader *reader)
{
	struct import_log *log = reader->log;
	json_error_t error;
	json_t *document = json_loadb(log->text + log->offset, log->length - log->offset,
				      JSON_DISABLE_EOF_CHECK, &error);
	int r;

	if (!document)
		return complain_json(reader, &error);
	r = take_document(reader, document);
	json_decref(document);
	return r < 0 ? r : skip_document(reader, (size_t)error.position);
}

static bool begins_document(const struct import_log *log)
{
	const char *line = log->text + log->offset;

	return line[strspn(line, " \t")] == '{';
}

int import_read_fio(struct import_log *log, struct import_builder *builder, const char *metric)
{
	struct reader reader = {log, builder};
	int r = 1;

	(void)metric;
	while (r > 0) {
		if (!begins_document(log)) {
			r = import_log_next(log);
			continue;
		}
		r = take_json(&reader);
		r = r < 0 ? r : 1;
	}
	return r;
}
