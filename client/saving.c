/* SPDX-License-Identifier: MIT */
/*
 * See saving.h.
 */
#include "saving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascii.h"
#include "cleanup.h"
#include "commands.h"
#include "differences.h"
#include "document-metrics.h"
#include "json.h"
#include "run-file.h"

/* These may be over when the measurement is; a wrong name will not. */
static bool may_pass(int error)
{
	return error == EACCES || error == EPERM || error == EROFS || error == ENOSPC ||
	       error == EDQUOT || error == EIO;
}

static int fail(const struct saving *saving, const char *what)
{
	(void)fprintf(stderr, "%s: -o %s: %s\n", saving->options.program, saving->options.path,
		      what);
	return STATUS_FAILED;
}

static int load_existing(struct saving *saving)
{
	const char *path = saving->options.path;

	if (run_file_load(saving->options.program, path, &saving->existing) < 0)
		return STATUS_FAILED;
	if (run_file_n_sides(saving->existing) != 1 || json_object_get(saving->existing, "sides"))
		return fail(saving, "holds several sides: runs are added to a file of one");
	return 0;
}

/* Look at what is there already. */
static int check_existing(struct saving *saving)
{
	struct stat status;

	if (stat(saving->options.path, &status) == -1) {
		if (errno == ENOENT && lstat(saving->options.path, &status) == 0)
			return fail(saving, "a link to no file: give the name of that file");
		return 0;
	}
	if (S_ISDIR(status.st_mode))
		return fail(saving, strerror(EISDIR));
	saving->is_special = !S_ISREG(status.st_mode);
	if (!saving->is_special && !saving->options.append && !saving->options.force)
		return fail(saving, "exists: --append adds runs to it, --force replaces it");
	return 0;
}

static int open_journal(struct saving *saving)
{
	const char *path = saving->options.path;
	int r = journal_open(path, saving->options.force, &saving->journal);

	saving->journal.syncs = saving->options.syncs;

	if (r == 0)
		return 0;
	if (r == -EBUSY)
		(void)fprintf(stderr, "%s: -o %s: another soakctl is writing it (%s.part)\n",
			      saving->options.program, path, path);
	else if (r == -EEXIST)
		(void)fprintf(stderr,
			      "%s: %s.part is left of a series that was cut off: soakctl recover "
			      "%s.part makes a file of it, --force writes over it\n",
			      saving->options.program, path, path);
	else
		(void)fprintf(stderr, "%s: cannot write %s.part: %s%s\n", saving->options.program,
			      path, strerror(-r),
			      may_pass(-r) ? ": measuring all the same, but it may not be saved"
					   : "");
	saving->journal.fd = -1;
	return may_pass(-r) ? 0 : STATUS_FAILED;
}

int saving_open(const struct saving_options *options, struct saving *ret)
{
	int status;

	*ret = (struct saving){.options = *options, .journal.fd = -1};
	if (!options->path)
		return 0;
	status = check_existing(ret);
	if (status != 0 || ret->is_special)
		return status;
	status = open_journal(ret);
	/* Again, now that it is ours: another soakctl may just have made it, or added to it. */
	if (status == 0)
		status = check_existing(ret);
	if (status == 0 && options->append && access(options->path, F_OK) == 0)
		status = load_existing(ret);
	if (status != 0)
		journal_remove(&ret->journal);
	return status;
}

static bool is_in_the_way(const json_t *difference)
{
	return strcmp(json_get_string(difference, "kind"), "unlike") == 0 ||
	       strcmp(json_get_string(difference, "what"), "command") == 0;
}

/* Say in what new runs would not be like those of the file. Return: whether there is such. */
static bool complain_unlike(const struct saving *saving, const json_t *document)
{
	json_t *differences = differences_new(saving->existing, document), *difference;
	bool found = false;
	size_t index;

	json_array_foreach (differences, index, difference) {
		cleanup(freep) char *first = ascii_escape(json_get_string(difference, "first"));
		cleanup(freep) char *second = ascii_escape(json_get_string(difference, "second"));

		if (!is_in_the_way(difference))
			continue;
		found = true;
		(void)fprintf(stderr,
			      "%s: --append: %s is of another %s (%s, now %s): give another file, "
			      "or --force\n",
			      saving->options.program, saving->options.path,
			      json_get_string(difference, "what"), first ? first : "?",
			      second ? second : "?");
	}
	json_decref(differences);
	return found;
}

/* How many runs the file was to have; what it has where it does not say so, or nonsense. */
static int64_t requested(const json_t *side)
{
	int64_t n_runs = (int64_t)json_array_size(json_object_get(side, "runs"));
	int64_t n = json_get_integer(side, "runs_requested", n_runs);

	return n >= n_runs && n <= INT32_MAX ? n : n_runs;
}

static int append_to_existing(struct saving *saving, json_t **document)
{
	json_t *existing = saving->existing;
	int64_t had = requested(existing);
	int64_t more = json_get_integer(*document, "runs_requested", 0);

	if (complain_unlike(saving, *document) && !saving->options.force)
		return STATUS_FAILED;
	/* Their numbers would stand in no column of the file: --force cannot help. */
	if (!document_metrics_fit(existing, *document)) {
		(void)fprintf(
			stderr,
			"%s: --append: %s was made with other --metric or --work: give the same, "
			"or another file\n",
			saving->options.program, saving->options.path);
		return STATUS_FAILED;
	}
	saving->was_partial = json_is_true(json_object_get(existing, "partial"));
	if (!json_is_array(json_object_get(existing, "warmups")))
		(void)json_object_set_new(existing, "warmups", json_array());
	(void)json_object_set_new(existing, "runs_requested", json_integer(had + more));
	json_decref(*document);
	*document = json_incref(existing);
	return 0;
}

int saving_begin(struct saving *saving, json_t **document)
{
	int status = 0;

	if (saving->existing)
		status = append_to_existing(saving, document);
	if (status == 0 && saving->options.path)
		journal_begin(&saving->journal, saving->options.path,
			      saving->existing != NULL || saving->options.force, *document);
	return status;
}

/* Whole, and still where it was made: its folder may have been taken away. */
static bool has_whole_journal(const struct saving *saving)
{
	struct stat status;

	return saving->journal.fd >= 0 && saving->journal.error == 0 &&
	       fstat(saving->journal.fd, &status) == 0 && status.st_nlink > 0;
}

int saving_save(struct saving *saving, const json_t *document, bool say)
{
	const struct saving_options *options = &saving->options;
	int r;

	if (!options->path)
		return 0;
	r = run_file_save(options->path, document, options->append || options->force);
	if (r == 0) {
		journal_remove(&saving->journal);
		if (say)
			(void)fprintf(stderr, "saved %s\n", options->path);
		return 0;
	}
	(void)fprintf(stderr, "%s: NOT SAVED: %s: %s: ", options->program, options->path,
		      r == -EEXIST ? "somebody else made it meanwhile" : strerror(-r));
	if (has_whole_journal(saving))
		(void)fprintf(stderr,
			      "all of it is in %s.part: soakctl recover %s.part makes the file\n",
			      options->path, options->path);
	else
		(void)fprintf(stderr, "the report above is all that is left\n");
	return STATUS_FAILED;
}

void saving_fini(struct saving *saving)
{
	json_decref(saving->existing);
	saving->existing = NULL;
	journal_fini(&saving->journal);
}
