/* SPDX-License-Identifier: MIT */
/*
 * The order is the measurement: run.begin is answered while the command waits at its gate, and
 * run.end is asked as soon as it has ended, before anything else is looked at.
 */
#include "measure.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "child.h"
#include "cleanup.h"
#include "clock.h"
#include "json.h"
#include "output.h"

/* A command that was told to end twice is ended after this. */
#define PATIENCE_NS 5000000000ULL

#define PROGRESS_MS 1000

void run_record_fini(struct run_record *record)
{
	json_decref(record->report);
	json_decref(record->samples);
	record->report = NULL;
	record->samples = NULL;
}

bool run_record_is_good(const struct run_record *record)
{
	return record->started && record->report && WIFEXITED(record->status) &&
	       WEXITSTATUS(record->status) == 0;
}

static json_t *begin_params(const struct run_options *options)
{
	json_t *params = json_object(), *cpus;

	if (options->cpus.n == 0)
		return params;
	cpus = json_array();
	for (size_t i = 0; i < options->cpus.n; i++)
		(void)json_array_append_new(cpus, json_integer(options->cpus.cpus[i]));
	(void)json_object_set_new(params, "cpus", cpus);
	return params;
}

/* Begin a window. @ret_run: its name, a new reference; @ret_begin_seconds: on CLOCK_MONOTONIC. */
static int begin_window(struct measure *measure, json_t **ret_run, double *ret_begin_seconds)
{
	json_t *answer;
	int r = session_call(measure->session, "run.begin", begin_params(measure->options),
			     &answer);

	if (r < 0)
		return r;
	*ret_run = json_incref(json_object_get(answer, "run"));
	*ret_begin_seconds = json_get_number(answer, "monotonic_seconds");
	json_decref(answer);
	return 0;
}

/* End the window @run, which is consumed. */
static int end_window(struct measure *measure, json_t *run, json_t **ret_report)
{
	json_t *params = json_pack("{s:o}", "run", run);

	(void)json_set_trim(params, &measure->options->trim);
	return session_call(measure->session, "run.end", params, ret_report);
}

/* A signal while the command runs. The terminal gives SIGINT to the command itself, too. */
static void pass_signal(struct measure *measure, const struct child *child, uint64_t *deadline_ns)
{
	int signal = interrupts_take(measure->interrupts);

	if (signal == 0)
		return;
	if (signal == SIGINT && measure->interrupts->n < 2)
		return;
	/* Our own child, not yet waited for. */
	(void)kill(child->pid, signal == SIGINT ? SIGTERM : signal);
	if (*deadline_ns == UINT64_MAX)
		*deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
}

/* Something came from the daemon that nobody asked for: samples, or its end. */
static void take_notifications(struct measure *measure)
{
	json_t *params;
	int r;

	while ((r = connection_next(measure->session->connection, &params)) == 0) {
		progress_update(measure->progress, params);
		/* Without memory for a sample there are fewer samples: the run itself is whole. */
		(void)recording_take(measure->recording, params);
		json_decref(params);
	}
	if (r != -EAGAIN && !measure->session->lost) {
		measure->session->lost = true;
		progress_clear(measure->progress);
		(void)fprintf(stderr, "soakctl: %s: this run is not measured\n",
			      connection_strerror(r));
	}
}

/*
 * Wait for @ns while nothing of ours runs; what the daemon sends meanwhile has to be taken, as it
 * closes a connection that is not read.
 *
 * Return: false when a signal came.
 */
static bool wait_quietly(struct measure *measure, uint64_t ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), end_ns = now_ns + ns;
	struct pollfd waits[] = {
		{.fd = measure->interrupts->fd, .events = POLLIN},
		{.fd = connection_fd(measure->session->connection), .events = POLLIN},
	};

	for (; now_ns < end_ns; now_ns = clock_now_ns(CLOCK_MONOTONIC)) {
		const struct timespec left = {(time_t)((end_ns - now_ns) / 1000000000),
					      (long)((end_ns - now_ns) % 1000000000)};

		if (measure->session->lost)
			waits[1].fd = -1;
		if (ppoll(waits, sizeof(waits) / sizeof(waits[0]), &left, NULL) <= 0)
			continue;
		if (waits[0].revents && interrupts_take(measure->interrupts) != 0)
			return false;
		if (waits[1].fd >= 0 && waits[1].revents)
			take_notifications(measure);
	}
	return true;
}

/*
 * Measure the machine while nothing of ours runs. What comes is NaN where there is no such time.
 *
 * Return: 0; -EINTR; the errors of session_call().
 */
static int settle(struct measure *measure, double *ret_load_ratio)
{
	json_t *run, *report;
	double begin_seconds;
	bool interrupted;
	int r;

	*ret_load_ratio = (double)NAN;
	if (measure->options->settle_ns == 0)
		return 0;
	if (measure->unwatched)
		return wait_quietly(measure, measure->options->settle_ns) ? 0 : -EINTR;
	progress_say(measure->progress, "settling");
	r = begin_window(measure, &run, &begin_seconds);
	if (r < 0)
		return r;
	interrupted = !wait_quietly(measure, measure->options->settle_ns);
	r = end_window(measure, run, &report);
	if (r < 0)
		return r;
	if (interrupted) {
		json_decref(report);
		return -EINTR;
	}
	*ret_load_ratio = json_get_number(report, "untrimmed_load_ratio");
	json_decref(report);
	return 0;
}

void measure_wait(struct measure *measure, const struct child *child, struct tee *tee)
{
	uint64_t deadline_ns = UINT64_MAX;
	struct pollfd waits[3 + TEE_N_WAITS] = {
		{.fd = child->pidfd, .events = POLLIN},
		{.fd = measure->interrupts->fd, .events = POLLIN},
		{.fd = connection_fd(measure->session->connection), .events = POLLIN},
	};

	for (;;) {
		int timeout_ms =
			measure->progress->shown || deadline_ns != UINT64_MAX ? PROGRESS_MS : -1;
		int n;

		if (measure->session->lost)
			waits[2].fd = -1;
		if (tee)
			tee_fill_waits(tee, &waits[3]);
		n = poll(waits, tee ? 3 + TEE_N_WAITS : 3, timeout_ms);
		if (n == -1)
			continue;
		if (waits[0].revents)
			return;
		if (tee)
			tee_handle(tee, &waits[3]);
		if (waits[1].revents)
			pass_signal(measure, child, &deadline_ns);
		if (waits[2].fd >= 0 && waits[2].revents)
			take_notifications(measure);
		/* Not at each of a million lines: samples come every second, too. */
		if (n == 0)
			progress_update(measure->progress, NULL);
		if (clock_now_ns(CLOCK_MONOTONIC) >= deadline_ns)
			(void)kill(child->pid, SIGKILL);
	}
}

static struct child_options child_options(const struct measure *measure)
{
	const struct run_options *options = measure->options;
	struct child_options child = {
		.argv = options->argv,
		.input_path = options->input,
		.signal_mask = &measure->interrupts->original,
	};

	if (options->output) {
		child.output = CHILD_OUTPUT_FILE;
		child.output_path =
			strcmp(options->output, "null") == 0 ? "/dev/null" : options->output;
	} else if (options->json) {
		child.output = CHILD_OUTPUT_STDERR;
	}
	return child;
}

/* Samples that came before the answer of run.end wait in the connection. */
static void end_recording(struct measure *measure, struct run_record *record, double begin_seconds)
{
	if (!measure->session->lost)
		take_notifications(measure);
	record->samples =
		recording_end(measure->recording,
			      begin_seconds + json_get_number(record->report, "elapsed_seconds"));
}

/* The gate closes unopened, and the child ends. */
static void send_home(struct child *child)
{
	struct child_end end;

	closep(&child->gate_fd);
	closep(&child->report_fd);
	child_reap(child, &end);
}

/* See a command that has been executed to its end. @run: its window, which is consumed */
static int follow(struct measure *measure, struct child *child, json_t *run, double begin_seconds,
		  struct output *output, struct run_record *record)
{
	struct child_end end;
	int r = 0;

	record->started = true;
	progress_begin(measure->progress);
	(void)recording_begin(measure->recording, begin_seconds);
	measure_wait(measure, child, output_tee(output));
	if (!measure->session->lost)
		r = end_window(measure, run, &record->report);
	else
		json_decref(run);
	end_recording(measure, record, begin_seconds);
	child_reap(child, &end);
	record->status = end.status;
	record->usage = end.usage;
	if (output_tee(output))
		progress_clear(measure->progress);
	measure->said_loss |= output_finish(output, measure->interrupts, !measure->said_loss);
	return measure->session->lost ? -EPIPE : r;
}

/* Run the command inside a window of its own. */
static int run_command(struct measure *measure, struct run_record *record)
{
	const struct extract_rules *rules = &measure->options->metrics.rules;
	cleanup(output_fini) struct output output;
	struct child_options options = child_options(measure);
	struct child child;
	double begin_seconds;
	json_t *run = NULL;
	int r = output_init(&output, rules, &options, record->values);

	if (r < 0)
		return r;
	r = child_prepare(&options, &child);
	if (r < 0) {
		(void)fprintf(stderr, "soakctl: cannot start a process: %s\n", strerror(-r));
		return r;
	}
	output_close_command_ends(&output);
	r = begin_window(measure, &run, &begin_seconds);
	if (r < 0) {
		send_home(&child);
		return r;
	}
	r = child_release(&child);
	if (r < 0) {
		if (end_window(measure, run, &record->report) == 0)
			run_record_fini(record);
		progress_clear(measure->progress);
		/* The program itself was found before. */
		(void)fprintf(stderr, "soakctl: %s: %s\n", options.argv[0],
			      r == -ENOENT ? "its interpreter is missing" : strerror(-r));
		return r;
	}
	return follow(measure, &child, run, begin_seconds, &output, record);
}

int measure_run(struct measure *measure, struct run_record *ret)
{
	pid_t daemon = measure->session->daemon.pid;
	cleanup(child_pids_fini) struct child_pids before = {0}, after = {0};
	int r;

	*ret = (struct run_record){.background_before_ratio = (double)NAN,
				   .background_after_ratio = (double)NAN};
	/* What earlier runs left behind is none of this one. */
	(void)child_adopt(daemon, NULL, NULL, &before);
	r = settle(measure, &ret->background_before_ratio);
	if (r == 0)
		r = run_command(measure, ret);
	if (r < 0)
		return r;
	r = settle(measure, &ret->background_after_ratio);
	if (child_adopt(daemon, &before, &ret->usage, &after) == 0)
		ret->n_outlived = (int)after.n;
	/* Interrupted while settling: the run itself is whole. */
	return r == -EINTR ? 0 : r;
}
