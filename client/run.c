/* SPDX-License-Identifier: MIT */
/*
 * soakctl run: runs of a command, one after the other, and what they cost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child.h"
#include "cleanup.h"
#include "commands.h"
#include "document.h"
#include "json.h"
#include "measure.h"
#include "saving.h"
#include "print.h"

struct series {
	struct measure measure;
	struct saving *saving;
	json_t *document;
	size_t n_added;	    /* runs and warm-ups of this series */
	int command_status; /* exit status of the first run that failed */
};

/* Run the --prepare command, outside of any window. Return: 0, -EINTR, or the exit status. */
static int prepare(struct series *series)
{
	const struct run_options *options = series->measure.options;
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)options->prepare, NULL};
	const struct child_options shell = {
		.argv = argv,
		.output = CHILD_OUTPUT_STDERR,
		.signal_mask = &series->measure.interrupts->original,
	};
	struct child_end end = {0};
	struct child child;
	int r;

	if (!options->prepare)
		return 0;
	progress_say(series->measure.progress, "preparing");
	r = child_prepare(&shell, &child);
	if (r == 0)
		r = child_release(&child);
	if (r == 0) {
		measure_wait(&series->measure, &child);
		child_reap(&child, &end);
	}
	/* The terminal gives SIGINT to the shell, too: that is no failure of the command's. */
	if (series->measure.interrupts->n > 0 || interrupts_take(series->measure.interrupts) != 0)
		return -EINTR;
	if (r == 0 && end.status == 0)
		return 0;
	progress_clear(series->measure.progress);
	if (r < 0)
		(void)fprintf(stderr, "soakctl run: cannot run the --prepare command: %s\n",
			      strerror(-r));
	else
		(void)fprintf(stderr, "soakctl run: the --prepare command failed (exit %d)\n",
			      child_exit_status(end.status));
	return STATUS_FAILED;
}

/* The exit status that goes with what measure_run() returned. */
static int failure_status(int r)
{
	switch (r) {
	case -ENOENT:
		return STATUS_NOT_FOUND;
	case -EACCES:
	case -ENOEXEC:
	case -ETXTBSY:
	case -E2BIG:
	case -ELOOP:
	case -ENOTDIR:
		return STATUS_NOT_EXECUTABLE;
	default:
		return STATUS_FAILED;
	}
}

static json_t *runs_of(const struct series *series, bool is_warmup)
{
	return json_object_get(series->document, is_warmup ? "warmups" : "runs");
}

static void begin_recording(struct series *series, bool is_warmup)
{
	struct recording *recording = series->measure.recording;

	recording->is_warmup = is_warmup;
	recording->run_index = json_array_size(runs_of(series, is_warmup)) + 1;
}

static int add_run(struct series *series, const struct run_record *record, bool is_warmup)
{
	int r = document_add_run(series->document, record, is_warmup);
	const json_t *runs = runs_of(series, is_warmup);

	series->n_added += r == 0;
	if (r == 0)
		journal_run_end(&series->saving->journal, 0, is_warmup,
				json_array_get(runs, json_array_size(runs) - 1));
	return r;
}

/* One run. Return: 0 to go on; -EINTR to end in order; else the exit status. */
static int run_once(struct series *series, uint64_t index, uint64_t n, bool is_warmup)
{
	struct progress *progress = series->measure.progress;
	struct run_record record;
	int r = prepare(series), added = 0;

	if (r != 0)
		return r;
	(void)snprintf(progress->what, sizeof(progress->what), "%s %llu/%llu",
		       is_warmup ? "warm-up" : "run", (unsigned long long)index,
		       (unsigned long long)n);
	begin_recording(series, is_warmup);
	r = measure_run(&series->measure, &record);
	progress_clear(progress);
	if (record.started)
		added = add_run(series, &record, is_warmup);
	if (record.started && !is_warmup && series->command_status == 0)
		series->command_status = child_exit_status(record.status);
	run_record_fini(&record);
	if (r < 0 && r != -EINTR)
		return failure_status(r);
	if (added < 0)
		return STATUS_FAILED;
	return r == -EINTR || series->measure.interrupts->n > 0 ? -EINTR : 0;
}

static int run_all(struct series *series)
{
	const struct run_options *options = series->measure.options;
	int r = run_options_empty_output(options);

	for (uint64_t i = 1; r == 0 && i <= options->n_warmups; i++)
		r = run_once(series, i, options->n_warmups, true);
	for (uint64_t i = 1; r == 0 && i <= options->n_runs; i++)
		r = run_once(series, i, options->n_runs, false);
	return r;
}

/* Samples are asked for only where somebody sees or keeps them. */
static int watch(struct series *series)
{
	json_t *answer;
	int r;

	if (!series->measure.progress->shown && !series->measure.recording->keeps_samples)
		return 0;
	r = session_call(series->measure.session, "samples.subscribe", NULL, &answer);
	if (r == 0)
		json_decref(answer);
	return r;
}

/* The daemon's notes may be others now than at the beginning. */
static json_t *latest_notes(struct series *series)
{
	json_t *status, *notes;

	if (series->measure.session->lost ||
	    session_call(series->measure.session, "status.get", NULL, &status) < 0)
		return NULL;
	notes = json_incref(json_object_get(status, "notes"));
	json_decref(status);
	return notes;
}

static int write_json(const json_t *document)
{
	if (json_dumpf(document, stdout, JSON_INDENT(2)) == 0 && fputc('\n', stdout) != EOF &&
	    fflush(stdout) == 0)
		return 0;
	(void)fprintf(stderr, "soakctl run: cannot write the report: %s\n", strerror(errno));
	return STATUS_FAILED;
}

/* Print what there is. Return: 0 or an exit status. */
static int report(struct series *series, bool partial)
{
	const struct run_options *options = series->measure.options;
	json_t *notes = latest_notes(series);
	int r = document_finish(series->document, partial, notes);

	json_decref(notes);
	if (r < 0) {
		(void)fprintf(stderr, "soakctl run: out of memory\n");
		return STATUS_FAILED;
	}
	if (options->json)
		r = write_json(series->document);
	else if (options->quiet)
		print_side_load(stderr, series->document);
	else
		print_side(stderr, series->document);
	/* Printed first: it must not be lost with a disk that is full. */
	if (series->n_added > 0)
		r |= saving_save(series->saving, series->document, !options->quiet);
	return r;
}

/* What everything comes to. */
static int exit_status(const struct series *series, int r, int reported)
{
	if (r > 0)
		return r;
	if (reported != 0)
		return reported;
	if (r == -EINTR)
		return 128 + series->measure.interrupts->first;
	return series->command_status;
}

/* A daemon that runs already soaks with the body it was started with. */
static bool check_body(const struct series *series, const json_t *status)
{
	const char *wanted = series->measure.options->body;
	const char *body = json_get_string(status, "body");

	if (!wanted || (body && strcmp(wanted, body) == 0))
		return true;
	(void)fprintf(stderr,
		      "soakctl run: --body %s: the soakd that runs has body %s: stop it, or leave "
		      "--body out\n",
		      wanted, body ? body : "?");
	return false;
}

static bool measures_cpu(const json_t *status, int cpu)
{
	const json_t *measured;
	size_t index;

	json_array_foreach (json_object_get(status, "cpus"), index, measured)
		if (json_integer_value(measured) == cpu)
			return true;
	return false;
}

/* Told here, before --prepare or a settle window has begun. */
static bool check_cpus(const struct series *series, const json_t *status)
{
	const struct cpulist *wanted = &series->measure.options->cpus;

	for (size_t i = 0; i < wanted->n; i++) {
		if (measures_cpu(status, wanted->cpus[i]))
			continue;
		(void)fprintf(
			stderr,
			"soakctl run: --cpus %s: the soakd that runs does not measure CPU %d\n",
			series->measure.options->cpus_text, wanted->cpus[i]);
		return false;
	}
	return true;
}

/* Ask what the daemon is, and begin the document with it. Return: 0 or the exit status. */
static int begin_document(struct series *series)
{
	const struct run_options *options = series->measure.options;
	struct session *session = series->measure.session;
	json_t *status, *calibration = NULL;

	if (session_call(session, "status.get", NULL, &status) < 0)
		return STATUS_FAILED;
	if (check_cpus(series, status) && check_body(series, status) &&
	    session_call(session, "calibration.get", NULL, &calibration) == 0)
		series->document = document_of_side(
			document_new_side(options, status, calibration, session->daemon.pid > 0));
	json_decref(calibration);
	json_decref(status);
	return series->document ? saving_begin(series->saving, &series->document) : STATUS_FAILED;
}

static int run_series(struct series *series)
{
	int r, reported = 0;

	if (begin_document(series) != 0 || watch(series) < 0)
		return STATUS_FAILED;
	r = run_all(series);
	progress_clear(series->measure.progress);
	if (series->n_added > 0 || r == -EINTR)
		reported = report(series, r != 0);
	return exit_status(series, r, reported);
}

static int run_with(const struct run_options *options, struct saving *saving,
		    struct interrupts *interrupts)
{
	const struct private_options private = {
		.cpus = options->cpus_text,
		.body = options->body,
		.force = options->force,
	};
	struct session session;
	struct progress progress;
	struct recording recording = {
		.journal = &saving->journal,
		.keeps_samples = options->save_path || options->json,
	};
	struct series series = {
		.measure = {&session, options, interrupts, &progress, &recording},
		.saving = saving,
	};
	int r, status;

	progress_init(&progress, options->quiet);
	(void)snprintf(progress.what, sizeof(progress.what), "soakctl");
	progress_say(&progress, "getting ready");
	r = session_open_any("soakctl", options->socket_path, &private, interrupts->fd, &session);
	progress_clear(&progress);
	if (r < 0)
		journal_remove(&saving->journal);
	if (r == -ECANCELED)
		return 128 + interrupts_take(interrupts);
	if (r < 0)
		return STATUS_FAILED;
	/* Children that outlive the command become ours, and are seen: prctl(2). */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = run_series(&series);
	if (series.n_added == 0)
		journal_remove(&saving->journal);
	json_decref(series.document);
	session_close(&session);
	return status;
}

int run_run(int argc, char **argv)
{
	cleanup(run_options_fini) struct run_options options;
	cleanup(saving_fini) struct saving saving = {.journal.fd = -1};
	struct interrupts interrupts;
	int status = run_options_parse(argc, argv, &options), r;

	if (status != 0)
		return status;
	status = saving_open(&(struct saving_options){"soakctl run", options.save_path,
						      options.append, options.force},
			     &saving);
	if (status != 0)
		return status;
	r = interrupts_init(&interrupts);
	if (r < 0) {
		(void)fprintf(stderr, "soakctl run: cannot take signals: %s\n", strerror(-r));
		return STATUS_FAILED;
	}
	status = run_with(&options, &saving, &interrupts);
	interrupts_fini(&interrupts);
	return status;
}
