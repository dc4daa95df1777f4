/* SPDX-License-Identifier: MIT */
/*
 * See output.h.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"

/* How long a reader may take nothing. */
#define PATIENCE_NS		30000000000ULL
#define INTERRUPTED_PATIENCE_NS 1000000000ULL

#define LOOK_MS 200

/*
 * Return: @fd; -1 when the command would have it closed. Where our caller closed it, it may have
 * become a descriptor of our own, but those all end with exec.
 */
static int inherited(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return flags == -1 || (flags & FD_CLOEXEC) ? -1 : fd;
}

/* Find the target of stdout: -1 for none. Return: 0; the negative errno of opening it. */
static int open_stdout(const struct child_options *options, int *ret)
{
	switch (options->output) {
	case CHILD_OUTPUT_INHERIT:
		*ret = inherited(STDOUT_FILENO);
		return 0;
	case CHILD_OUTPUT_STDERR:
		*ret = inherited(STDERR_FILENO);
		return 0;
	case CHILD_OUTPUT_FILE:
		break;
	}
	/* O_NONBLOCK: a FIFO without a reader is an error, where waiting could not be ended. */
	*ret = open(options->output_path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return *ret == -1 ? -errno : 0;
}

static int init_tee(struct output *output, const struct child_options *options)
{
	int targets[TEE_STREAMS] = {-1, inherited(STDERR_FILENO)};
	int r = open_stdout(options, &targets[0]);

	if (r < 0) {
		(void)fprintf(stderr, "soakctl run: cannot write %s: %s\n", options->output_path,
			      strerror(-r));
		return r;
	}
	r = tee_init(&output->tee, targets, &output->extract);
	if (options->output == CHILD_OUTPUT_FILE)
		(void)close(targets[0]);
	if (r < 0)
		(void)fprintf(stderr, "soakctl run: cannot look at the command's output: %s\n",
			      strerror(-r));
	return r;
}

int output_init(struct output *ret, const struct extract_rules *rules,
		struct child_options *options, struct extract_value *values)
{
	int r;

	*ret = (struct output){.is_active = false};
	if (rules->n == 0)
		return 0;
	r = extract_init(&ret->extract, rules, values);
	if (r < 0) {
		(void)fprintf(stderr, "soakctl run: out of memory\n");
		return r;
	}
	r = init_tee(ret, options);
	if (r < 0) {
		extract_fini(&ret->extract);
		/* None of the errno of exec, which have a status of their own. */
		return -EIO;
	}
	for (size_t i = 0; i < TEE_STREAMS; i++)
		ret->command_fds[i] = ret->tee.streams[i].command_fd;
	options->output_fds = ret->command_fds;
	ret->is_active = true;
	return 0;
}

void output_close_command_ends(struct output *output)
{
	if (output->is_active)
		tee_close_command_ends(&output->tee);
}

struct tee *output_tee(struct output *output)
{
	return output->is_active ? &output->tee : NULL;
}

static void drain(struct output *output, struct interrupts *interrupts)
{
	uint64_t since_ns = clock_now_ns(CLOCK_MONOTONIC), written = output->tee.n_written;
	struct pollfd waits[TEE_N_WAITS];

	while (tee_is_busy(&output->tee)) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

		(void)interrupts_take(interrupts);
		if (output->tee.n_written != written) {
			written = output->tee.n_written;
			since_ns = now_ns;
		}
		if (now_ns - since_ns >=
		    (interrupts->n > 0 ? INTERRUPTED_PATIENCE_NS : PATIENCE_NS)) {
			tee_abandon(&output->tee, ETIMEDOUT);
			return;
		}
		tee_fill_waits(&output->tee, waits);
		if (poll(waits, TEE_N_WAITS, LOOK_MS) >= 0)
			tee_handle(&output->tee, waits);
	}
}

static bool say_losses(const struct tee *tee)
{
	static const char *const names[TEE_STREAMS] = {"stdout", "stderr"};
	bool said = false;

	for (size_t i = 0; i < TEE_STREAMS; i++) {
		const struct tee_stream *stream = &tee->streams[i];

		if (stream->n_lost == 0)
			continue;
		(void)fprintf(stderr,
			      "soakctl: %llu bytes of the command's %s could not be written: %s\n",
			      (unsigned long long)stream->n_lost, names[i],
			      stream->error == ETIMEDOUT ? "nobody reads them"
							 : strerror(stream->error));
		said = true;
	}
	return said;
}

bool output_finish(struct output *output, struct interrupts *interrupts, bool may_say)
{
	if (!output->is_active)
		return false;
	tee_end(&output->tee);
	drain(output, interrupts);
	extract_finish(&output->extract);
	return may_say && say_losses(&output->tee);
}

void output_fini(struct output *output)
{
	if (!output->is_active)
		return;
	tee_fini(&output->tee);
	extract_fini(&output->extract);
	output->is_active = false;
}
