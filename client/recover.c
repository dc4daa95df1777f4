/* SPDX-License-Identifier: MIT */
/*
 * soakctl recover: make a run file of the journal of a series that was cut off.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "commands.h"
#include "document-metrics.h"
#include "document.h"
#include "journal-reader.h"
#include "journal.h"
#include "json.h"
#include "run-file.h"
#include "samples.h"
#include "unfinished.h"

#define PROGRAM "soakctl recover"

struct recover_options {
	const char *output; /* NULL: the journal's name without its suffix */
	bool force;
};

/* What the lines read so far come to. */
struct recovery {
	const char *path;
	json_t *document;
	bool replaces; /* the series was to write over the file that is there */
	json_t *begun; /* run_begin of the run that has not ended; NULL: none */
	struct samples samples;
	size_t n_runs; /* whole ones */
	size_t n_cut;  /* that have begun and whose end is not there */
	size_t n_cut_samples;
	size_t n_torn; /* lines that were no whole line */
};

static const struct optparse_row rows[] = {
	{1, 'o', "save", "FILE", "where to (default: FILE.part without .part)", "a file",
	 .at = offsetof(struct recover_options, output)},
	{1, '\0', "force", NULL, "replace the file that is there", NULL,
	 .at = offsetof(struct recover_options, force)},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_recover(FILE *file)
{
	optparse_help(file, rows, N_ROWS, 1);
}

static int complain(const struct recovery *recovery, const char *what)
{
	(void)fprintf(stderr, PROGRAM ": %s: %s\n", recovery->path, what);
	return -EINVAL;
}

static json_t *side_of(const struct recovery *recovery, const json_t *line)
{
	return run_file_side(recovery->document, (size_t)json_get_integer(line, "side", 0));
}

static json_t *runs_of(const struct recovery *recovery, const json_t *line)
{
	bool is_warmup = json_is_true(json_object_get(line, "is_warmup"));

	return json_object_get(side_of(recovery, line), is_warmup ? "warmups" : "runs");
}

static void forget_begun(struct recovery *recovery)
{
	samples_fini(&recovery->samples);
	json_decref(recovery->begun);
	recovery->begun = NULL;
}

/* Where a run that was taken stands in turn. */
static int take_order(struct recovery *recovery, const json_t *line)
{
	int64_t side = json_get_integer(line, "side", 0);

	if (side < 0 || side > 1 || json_is_true(json_object_get(line, "is_warmup")))
		return 0;
	return document_add_order(recovery->document, (size_t)side);
}

/* Keep a run that has begun and whose end is not there. */
static int close_unfinished(struct recovery *recovery)
{
	json_t *runs;
	int r;

	if (!recovery->begun)
		return 0;
	runs = runs_of(recovery, recovery->begun);
	if (!json_is_array(runs))
		return complain(recovery, "a begun run is damaged");
	if (json_array_append_new(runs,
				  unfinished_run_new(recovery->begun, json_array_size(runs) + 1,
						     &recovery->samples)) == -1)
		return -ENOMEM;
	recovery->n_cut++;
	recovery->n_cut_samples += recovery->samples.n;
	r = take_order(recovery, recovery->begun);
	forget_begun(recovery);
	return r;
}

static int begin_run(struct recovery *recovery, json_t *line)
{
	/* Where the line of its end is damaged, another begins behind it. */
	int r = close_unfinished(recovery);

	if (r < 0)
		return r;
	recovery->begun = json_incref(line);
	return samples_begin(&recovery->samples, json_get_number(line, "monotonic_seconds"));
}

/* Take a finished run, with the samples that stood above it. */
static int end_run(struct recovery *recovery, json_t *line)
{
	json_t *run = json_object_get(line, "run"), *runs = runs_of(recovery, line);
	double begin = json_get_number(recovery->begun, "monotonic_seconds");

	if (!json_is_object(run) || !json_is_array(runs))
		return complain(recovery, "a finished run is damaged");
	if (recovery->begun) {
		samples_end(&recovery->samples, begin + json_get_number(run, "elapsed_seconds"));
		if (json_object_set(run, "samples", recovery->samples.columns) == -1)
			return -ENOMEM;
	}
	forget_begun(recovery);
	recovery->n_runs++;
	if (document_metrics_recover(side_of(recovery, line), run) < 0)
		return -ENOMEM;
	if (json_array_append(runs, run) == -1)
		return -ENOMEM;
	return take_order(recovery, line);
}

static int take_line(struct recovery *recovery, const json_t *line)
{
	json_t *begin = json_object_get(line, "run_begin"), *end = json_object_get(line, "run_end");
	const json_t *sample = json_object_get(line, "sample");

	if (begin)
		return begin_run(recovery, begin);
	if (end)
		return end_run(recovery, end);
	if (sample && recovery->begun)
		return samples_add(&recovery->samples, sample);
	/* Lines of a newer minor version. */
	return 0;
}

static int take_header(struct recovery *recovery, const json_t *line)
{
	const char *version = json_get_string(line, "journal_version");
	json_t *document = json_object_get(line, "document");

	if (!version || !document)
		return complain(recovery, "not a journal of soakctl run -o");
	if (strncmp(version, "1.", 2) != 0)
		return complain(recovery, "written by a newer soakctl: use that one");
	if (run_file_check(PROGRAM, recovery->path, document) < 0)
		return -EINVAL;
	recovery->document = json_incref(document);
	recovery->replaces = json_is_true(json_object_get(line, "replaces"));
	return 0;
}

static int read_journal(struct recovery *recovery, struct journal_reader *reader)
{
	json_t *line = NULL;
	int r;

	while ((r = journal_reader_next(reader, &line)) == -EBADMSG || (r == 0 && line)) {
		bool is_torn = r == -EBADMSG;

		if (is_torn && !recovery->document)
			return complain(recovery, "not a journal of soakctl run -o");
		recovery->n_torn += is_torn;
		if (is_torn)
			continue;
		r = recovery->document ? take_line(recovery, line) : take_header(recovery, line);
		json_decref(line);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r == -ENOMEM ? r : complain(recovery, strerror(-r));
	return recovery->document ? 0 : complain(recovery, "empty: nothing was measured yet");
}

/* Return: whether runs are missing that a side was to have. */
static bool is_partial(const struct recovery *recovery, const json_t *side)
{
	int64_t n = (int64_t)json_array_size(json_object_get(side, "runs"));

	return recovery->n_cut > 0 || n < json_get_integer(side, "runs_requested", 0);
}

static int finish(struct recovery *recovery)
{
	int r = close_unfinished(recovery);

	for (size_t i = 0; r == 0 && i < run_file_n_sides(recovery->document); i++) {
		json_t *side = run_file_side(recovery->document, i);

		r = document_finish(side, is_partial(recovery, side), NULL);
	}
	return r;
}

/* FILE.part is for FILE. */
static char *default_output(const char *path)
{
	size_t length = strlen(path), suffix = strlen(JOURNAL_SUFFIX);

	if (length <= suffix || strcmp(path + length - suffix, JOURNAL_SUFFIX) != 0)
		return NULL;
	return strndup(path, length - suffix);
}

static void say_result(const struct recovery *recovery, const char *output)
{
	(void)fprintf(stderr, "recovered %zu whole run%s", recovery->n_runs,
		      recovery->n_runs == 1 ? "" : "s");
	if (recovery->n_cut > 0)
		(void)fprintf(stderr, " and %zu sample%s of %zu that %s cut off",
			      recovery->n_cut_samples, recovery->n_cut_samples == 1 ? "" : "s",
			      recovery->n_cut, recovery->n_cut == 1 ? "was" : "were");
	if (recovery->n_torn > 0)
		(void)fprintf(stderr, "; %zu torn line%s left out", recovery->n_torn,
			      recovery->n_torn == 1 ? " was" : "s were");
	(void)fprintf(stderr, "\nsaved %s\n", output);
}

/* By any name: saving over the journal and taking the journal away would leave nothing. */
static bool is_journal(const struct recovery *recovery, const char *output)
{
	struct stat journal, there;

	return stat(recovery->path, &journal) == 0 && stat(output, &there) == 0 &&
	       journal.st_dev == there.st_dev && journal.st_ino == there.st_ino;
}

static int save(const struct recover_options *options, struct recovery *recovery)
{
	cleanup(freep) char *named = default_output(recovery->path);
	const char *output = options->output ? options->output : named;
	int r;

	if (!output) {
		(void)fprintf(stderr,
			      PROGRAM ": %s does not end in " JOURNAL_SUFFIX
				      ": say where to with -o FILE\n",
			      recovery->path);
		return STATUS_FAILED;
	}
	if (is_journal(recovery, output)) {
		(void)fprintf(stderr, PROGRAM ": -o %s: is the journal itself: give another file\n",
			      output);
		return STATUS_FAILED;
	}
	r = run_file_save(output, recovery->document,
			  options->force || (recovery->replaces && !options->output));
	if (r < 0) {
		(void)fprintf(stderr, PROGRAM ": %s: %s%s\n", output, strerror(-r),
			      r == -EEXIST ? ": give another with -o, or --force" : "");
		return STATUS_FAILED;
	}
	say_result(recovery, output);
	/* It is in the file now, and that is on the disk. */
	if (unlink(recovery->path) == -1)
		(void)fprintf(stderr, PROGRAM ": cannot remove %s: %s\n", recovery->path,
			      strerror(errno));
	return 0;
}

/* Return: 0 or a negative errno after saying why. */
static int open_journal(const struct recovery *recovery, struct journal_reader *ret)
{
	int r = journal_reader_open(recovery->path, ret);

	if (r == 0)
		return 0;
	if (r == -EBUSY)
		return complain(recovery, "a soakctl that runs is writing it");
	return complain(recovery, r == -EINVAL ? "not a journal of soakctl run -o" : strerror(-r));
}

static int recover(const struct recover_options *options, const char *path)
{
	cleanup(journal_reader_fini) struct journal_reader reader;
	struct recovery recovery = {.path = path};
	int status = STATUS_UNUSABLE, r = open_journal(&recovery, &reader);

	if (r < 0)
		return status;
	r = read_journal(&recovery, &reader);
	if (r == 0)
		r = finish(&recovery);
	if (r == -ENOMEM)
		(void)complain(&recovery, "out of memory");
	if (r == 0)
		status = save(options, &recovery);
	forget_begun(&recovery);
	json_decref(recovery.document);
	return status;
}

int run_recover(int argc, char **argv)
{
	struct recover_options options = {0};
	int first;

	if (optparse_any_order(PROGRAM, argc, argv, rows, N_ROWS, 1, &options, &first) < 0)
		return STATUS_FAILED;
	if (argc - first == 1)
		return recover(&options, argv[first]);
	(void)fprintf(stderr, PROGRAM ": give one journal, FILE.part\n");
	return STATUS_FAILED;
}
