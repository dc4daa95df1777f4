/* SPDX-License-Identifier: MIT */
/*
 * Each option is a row: its name, what it takes, what it does, and how its value is read.
 */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "daemon.h"
#include "optparse.h"
#include "parse.h"

#define DEFAULT_INTERVAL_NS 1000000000ULL
#define DEFAULT_HISTORY_NS  (3600 * 1000000000ULL)
#define MOST_HISTORY_NS	    (30 * 24 * 3600 * 1000000000ULL)

static int read_interval(const char *text, void *context)
{
	struct options *options = context;

	return parse_duration_ns(text, DAEMON_LEAST_INTERVAL_NS, DAEMON_MOST_INTERVAL_NS,
				 &options->interval_ns);
}

static int read_history(const char *text, void *context)
{
	struct options *options = context;

	return parse_duration_ns(text, DAEMON_LEAST_INTERVAL_NS, MOST_HISTORY_NS,
				 &options->history_ns);
}

static int read_cpus(const char *text, void *options)
{
	return cpulist_replace(text, &((struct options *)options)->cpus);
}

static int read_body(const char *text, void *context)
{
	struct options *options = context;

	const struct loop_body *body = loop_body_find(text);

	if (!body)
		return -EINVAL;
	options->body = body;
	return 0;
}

static int read_socket(const char *text, void *context)
{
	struct options *options = context;

	options->socket_path = text;
	return text[0] == '/' ? 0 : -EINVAL;
}

static int read_seconds(const char *text, void *context)
{
	struct options *options = context;
	uint64_t ns;
	int r = parse_duration_ns(text, 1000000000,
				  (uint64_t)(DAEMON_MOST_CALIBRATION_SECONDS * 1e9), &ns);

	if (r == 0)
		options->seconds = (double)ns / 1e9;
	return r;
}

static int read_private(const char *text, void *context)
{
	struct options *options = context;
	uint64_t fd;
	int r = parse_u64(text, 3, INT_MAX, &fd);

	if (r == 0)
		options->private_fd = (int)fd;
	return r;
}

static const struct optparse_row rows[] = {
	{OPTIONS_DAEMON, '\0', "interval", "TIME", "time between samples (default 1s)",
	 "a time from 10ms to 60s", .read = read_interval},
	{OPTIONS_DAEMON, '\0', "cpus", "LIST", "CPUs to soak, as in 0-3,8 (default: all)",
	 "a list of CPU numbers such as 0-3,8", .read = read_cpus},
	{OPTIONS_DAEMON, '\0', "body", "NAME", "what soakers do: alu, pause, memory (default alu)",
	 "alu, pause or memory", .read = read_body},
	{OPTIONS_DAEMON | OPTIONS_SOCKET | OPTIONS_CALIBRATE, '\0', "socket", "PATH",
	 "the daemon's socket (default: see soakd --help)", "an absolute path",
	 .read = read_socket},
	{OPTIONS_DAEMON, '\0', "history", "TIME", "how long samples are kept (default 1h)",
	 "a time such as 10m or 1h, up to 720h", .read = read_history},
	{OPTIONS_DAEMON, '\0', "force", NULL, "start although the soakers disturb the workload",
	 NULL, .at = offsetof(struct options, force)},
	{OPTIONS_CALIBRATE, '\0', "seconds", "N", "how long to calibrate (default 3)",
	 "a time from 1s to 8s", .read = read_seconds},
	{OPTIONS_DAEMON, '\0', "private", "FD", NULL, "an open descriptor", .read = read_private},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void options_print_help(FILE *file, unsigned int set)
{
	optparse_help(file, rows, N_ROWS, set);
}

int options_parse(int argc, char **argv, unsigned int set, struct options *ret)
{
	size_t n_bodies;
	char program[32];
	int first;

	*ret = (struct options){
		.interval_ns = DEFAULT_INTERVAL_NS,
		.history_ns = DEFAULT_HISTORY_NS,
		.body = loop_bodies(&n_bodies),
		.seconds = DAEMON_CALIBRATION_SECONDS,
		.private_fd = -1,
	};
	(void)snprintf(program, sizeof(program), "soakd %s", argv[0]);
	if (optparse(program, argc, argv, rows, N_ROWS, set, ret, &first) < 0)
		return -EINVAL;
	if (first < argc) {
		(void)fprintf(stderr, "%s: unexpected argument %s (see --help)\n", program,
			      argv[first]);
		return -EINVAL;
	}
	return 0;
}

void options_fini(struct options *options)
{
	cpulist_fini(&options->cpus);
}
