/* SPDX-License-Identifier: MIT */
/*
 * See series.h.
 */
#include "series.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "child.h"
#include "commands.h"
#include "document.h"
#include "json.h"
#include "run-file.h"

/* Run the --prepare command, outside of any window. Return: 0, -EINTR, or the exit status. */
static int prepare(struct series *series)
{
	const struct run_options *options = series->measure.options;
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)options->prepare, NULL};
	const struct child_options shell = {
		.argv = argv,
		.output = CHILD_OUTPUT_STDERR,
		.signal_mask = &series->interrupts.original,
	};
	struct child_end end = {0};
	struct child child;
	int r;

	if (!options->prepare)
		return 0;
	progress_say(&series->progress, "preparing");
	r = child_prepare(&shell, &child);
	if (r == 0)
		r = child_release(&child);
	if (r == 0) {
		measure_wait(&series->measure, &child, NULL);
		child_reap(&child, &end);
	}
	/* The terminal gives SIGINT to the shell, too: that is no failure of the command's. */
	if (series->interrupts.n > 0 || interrupts_take(&series->interrupts) != 0)
		return -EINTR;
	if (r == 0 && end.status == 0)
		return 0;
	progress_clear(&series->progress);
	if (r < 0)
		(void)fprintf(stderr, "%s: cannot run the --prepare command: %s\n", series->program,
			      strerror(-r));
	else
		(void)fprintf(stderr, "%s: the --prepare command failed (exit %d)\n",
			      series->program, child_exit_status(end.status));
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

json_t *series_side(const struct series *series, size_t side)
{
	return run_file_side(series->document, side);
}

static json_t *runs_of(const struct series *series, size_t side, bool is_warmup)
{
	return json_object_get(series_side(series, side), is_warmup ? "warmups" : "runs");
}

static void begin_recording(struct series *series, size_t side, bool is_warmup)
{
	series->recording.side = side;
	series->recording.is_warmup = is_warmup;
	series->recording.run_index = json_array_size(runs_of(series, side, is_warmup)) + 1;
}

static int add_run(struct series *series, size_t side, const struct run_record *record,
		   bool is_warmup)
{
	int r = document_add_run(series_side(series, side), record, is_warmup);
	const json_t *runs = runs_of(series, side, is_warmup);

	if (r == 0 && !is_warmup)
		r = document_add_order(series->document, side);
	if (r < 0)
		return r;
	series->n_added++;
	journal_run_end(&series->saving.journal, side, is_warmup,
			json_array_get(runs, json_array_size(runs) - 1));
	return 0;
}

static void set_progress(struct series *series, size_t side, uint64_t index, uint64_t n,
			 bool is_warmup)
{
	struct progress *progress = &series->progress;
	const char *label = series->n_sides > 1 ? series->sides[side].label : NULL;

	(void)snprintf(progress->what, sizeof(progress->what), "%s%s%.12s %llu/%llu",
		       is_warmup ? "warm-up" : "run", label ? " " : "", label ? label : "",
		       (unsigned long long)index, (unsigned long long)n);
}

/* What a run came to. Return: 0 to go on; -EINTR to end in order; else the exit status. */
static int end_run(struct series *series, struct run_record *record, int r, int added,
		   bool is_warmup)
{
	progress_clear(&series->progress);
	if (record->started && !is_warmup && series->command_status == 0)
		series->command_status = child_exit_status(record->status);
	run_record_fini(record);
	if (r < 0 && r != -EINTR)
		return failure_status(r);
	if (added < 0)
		return STATUS_FAILED;
	return r == -EINTR || series->interrupts.n > 0 ? -EINTR : 0;
}

int series_run(struct series *series, size_t side, uint64_t index, uint64_t n, bool is_warmup)
{
	struct run_record record;
	int r, added = 0;

	series->measure.options = &series->sides[side];
	r = prepare(series);
	if (r != 0)
		return r;
	set_progress(series, side, index, n, is_warmup);
	begin_recording(series, side, is_warmup);
	r = measure_run(&series->measure, &record);
	progress_clear(&series->progress);
	if (record.started)
		added = add_run(series, side, &record, is_warmup);
	return end_run(series, &record, r, added, is_warmup);
}

static int call(struct series *series, const char *method)
{
	json_t *answer;
	int r = session_call(&series->session, method, NULL, &answer);

	if (r == 0)
		json_decref(answer);
	return r;
}

int series_run_unwatched(struct series *series, uint64_t index, uint64_t n,
			 int (*add)(json_t *side, const struct run_record *record))
{
	bool keeps_samples = series->recording.keeps_samples;
	struct run_record record;
	int added = 0, r = prepare(series);

	if (r != 0)
		return r;
	if (call(series, "soakers.pause") < 0)
		return STATUS_FAILED;
	(void)snprintf(series->progress.what, sizeof(series->progress.what), "unwatched %llu/%llu",
		       (unsigned long long)index, (unsigned long long)n);
	series->recording.keeps_samples = false;
	series->measure.unwatched = true;
	r = measure_run(&series->measure, &record);
	series->measure.unwatched = false;
	series->recording.keeps_samples = keeps_samples;
	if (!series->session.lost && call(series, "soakers.resume") < 0 && r == 0)
		r = -EPIPE;
	if (record.started)
		added = add(series_side(series, 0), &record);
	return end_run(series, &record, r, added, false);
}

/* Samples are asked for only where somebody sees or keeps them. */
static int watch(struct series *series)
{
	if (!series->progress.shown && !series->recording.keeps_samples)
		return 0;
	return call(series, "samples.subscribe");
}

/* The daemon's notes may be others now than at the beginning. */
static json_t *latest_notes(struct series *series)
{
	json_t *status, *notes;

	if (series->session.lost || session_call(&series->session, "status.get", NULL, &status) < 0)
		return NULL;
	notes = json_incref(json_object_get(status, "notes"));
	json_decref(status);
	return notes;
}

static int write_json(const struct series *series)
{
	if (json_dumpf(series->document, stdout, JSON_INDENT(2)) == 0 &&
	    fputc('\n', stdout) != EOF && fflush(stdout) == 0)
		return 0;
	(void)fprintf(stderr, "%s: cannot write the report: %s\n", series->program,
		      strerror(errno));
	return STATUS_FAILED;
}

/* What everything comes to. */
static int exit_status(const struct series *series, int r, int reported)
{
	if (r > 0)
		return r;
	if (reported != 0)
		return reported;
	if (r == -EINTR)
		return 128 + series->interrupts.first;
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
		      "%s: --body %s: the soakd that runs has body %s: stop it, or leave --body "
		      "out\n",
		      series->program, wanted, body ? body : "?");
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
		(void)fprintf(stderr,
			      "%s: --cpus %s: the soakd that runs does not measure CPU %d\n",
			      series->program, series->measure.options->cpus_text, wanted->cpus[i]);
		return false;
	}
	return true;
}

/* A document of all sides, each with what the daemon says of itself. */
static json_t *new_document(const struct series *series, const json_t *status,
			    const json_t *calibration, const char *design)
{
	bool is_private = series->session.daemon.pid > 0;
	json_t *sides;

	if (!design)
		return document_of_side(
			document_new_side(series->sides, status, calibration, is_private));
	sides = json_array();
	for (size_t i = 0; i < series->n_sides; i++) {
		if (json_array_append_new(sides, document_new_side(&series->sides[i], status,
								   calibration, is_private)) == 0)
			continue;
		json_decref(sides);
		return NULL;
	}
	return document_of_sides(sides, design);
}

/* Ask what the daemon is, and begin the document with it. Return: 0 or the exit status. */
static int begin_document(struct series *series, const char *design)
{
	json_t *status, *calibration = NULL;

	if (session_call(&series->session, "status.get", NULL, &status) < 0)
		return STATUS_FAILED;
	if (check_cpus(series, status) && check_body(series, status) &&
	    session_call(&series->session, "calibration.get", NULL, &calibration) == 0)
		series->document = new_document(series, status, calibration, design);
	json_decref(calibration);
	json_decref(status);
	return series->document ? saving_begin(&series->saving, &series->document) : STATUS_FAILED;
}

/* Find or start the daemon. Return: 0 or the exit status. */
static int open_session(struct series *series)
{
	const struct run_options *options = series->sides;
	const struct private_options private = {
		.cpus = options->cpus_text,
		.body = options->body,
		.force = options->force,
	};
	int r;

	progress_init(&series->progress, options->quiet);
	(void)snprintf(series->progress.what, sizeof(series->progress.what), "soakctl");
	progress_say(&series->progress, "getting ready");
	r = session_open_any("soakctl", options->socket_path, &private, series->interrupts.fd,
			     &series->session);
	progress_clear(&series->progress);
	series->has_session = r == 0;
	if (r == -ECANCELED)
		return 128 + interrupts_take(&series->interrupts);
	return r < 0 ? STATUS_FAILED : 0;
}

int series_open(struct series *series, const char *program, const struct run_options *sides,
		size_t n_sides, const char *design)
{
	const struct saving_options saving = {program, sides->save_path, sides->append,
					      sides->force, sides->syncs};
	int status, r;

	*series = (struct series){.program = program, .sides = sides, .n_sides = n_sides};
	series->recording.journal = &series->saving.journal;
	series->recording.keeps_samples = sides->save_path || sides->json;
	series->measure = (struct measure){
		.session = &series->session,
		.options = sides,
		.interrupts = &series->interrupts,
		.progress = &series->progress,
		.recording = &series->recording,
	};
	status = saving_open(&saving, &series->saving);
	if (status != 0)
		return status;
	r = interrupts_init(&series->interrupts);
	series->has_interrupts = r == 0;
	if (r < 0) {
		(void)fprintf(stderr, "%s: cannot take signals: %s\n", program, strerror(-r));
		return STATUS_FAILED;
	}
	status = open_session(series);
	if (status != 0)
		return status;
	/* Children that outlive the command become ours, and are seen: prctl(2). */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = begin_document(series, design);
	if (status == 0 && watch(series) < 0)
		status = STATUS_FAILED;
	return status;
}

/* Close all sides. Return: 0 or the exit status. */
static int finish(struct series *series, bool partial)
{
	json_t *notes = latest_notes(series);
	int r = 0;

	for (size_t i = 0; r == 0 && i < series->n_sides; i++)
		r = document_finish(series_side(series, i), partial, notes);
	json_decref(notes);
	if (r == 0)
		return 0;
	(void)fprintf(stderr, "%s: out of memory\n", series->program);
	return STATUS_FAILED;
}

int series_end(struct series *series, int r, void (*print)(FILE *file, const struct series *series))
{
	int reported = 0;

	progress_clear(&series->progress);
	if (series->n_added == 0 && r != -EINTR)
		return exit_status(series, r, reported);
	/* Runs that were missing before still are. */
	reported = finish(series, r != 0 || series->saving.was_partial);
	if (reported == 0 && series->sides->json)
		reported = write_json(series);
	else if (reported == 0)
		print(stderr, series);
	/* Printed first: it must not be lost with a disk that is full. */
	if (series->n_added > 0)
		reported |= saving_save(&series->saving, series->document, !series->sides->quiet);
	return exit_status(series, r, reported);
}

void series_close(struct series *series)
{
	/* Nothing was measured: there is nothing to recover. */
	if (series->n_added == 0)
		journal_remove(&series->saving.journal);
	if (series->has_session)
		session_close(&series->session);
	if (series->has_interrupts)
		interrupts_fini(&series->interrupts);
	saving_fini(&series->saving);
	json_decref(series->document);
}
