/* SPDX-License-Identifier: MIT */
/*
 * soakd run and soakd start: the daemon itself, in the foreground or behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "commands.h"
#include "daemon.h"
#include "options.h"
#include "paths.h"

/* Where the background daemon has its end of the pipe to whoever started it: out of the range that
 * a starter's own descriptors and the pipe itself come from, but not above a usual limit. */
#define READY_FD 200

/* The strings that a daemon's configuration points at. */
struct places {
	char *socket_path;
	char *state_path;
};

static void places_fini(struct places *places)
{
	free(places->socket_path);
	free(places->state_path);
}

/* A folder that was asked for by name is not made: it may be mistyped. */
static bool has_folder(const char *socket_path)
{
	cleanup(freep) char *folder = strdup(socket_path);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	struct stat state;

	if (!slash)
		return false;
	slash[slash == folder] = '\0';
	if (stat(folder, &state) == 0 && S_ISDIR(state.st_mode))
		return true;
	(void)fprintf(stderr, "soakd: --socket %s: there is no folder %s\n", socket_path, folder);
	return false;
}

/* Return: 0; a negative errno after saying why. */
static int find_places(const struct options *options, struct places *ret)
{
	int r = 0;

	/* Nowhere to store a calibration is no reason not to measure. */
	if (paths_calibration(&ret->state_path) == -ENOMEM)
		r = -ENOMEM;
	if (r == 0 && options->socket_path) {
		if (!has_folder(options->socket_path))
			return -ENOTDIR;
		ret->socket_path = strdup(options->socket_path);
		r = ret->socket_path ? 0 : -ENOMEM;
	} else if (r == 0 && options->private_fd < 0) {
		r = paths_socket(&ret->socket_path);
	}
	if (r == -ENOENT)
		(void)fprintf(stderr, "soakd: XDG_RUNTIME_DIR is not set, so there is no safe "
				      "place for the socket: give --socket PATH\n");
	else if (r < 0)
		(void)fprintf(stderr, "soakd: out of memory\n");
	return r;
}

static struct daemon_config make_config(const struct options *options, const struct places *places)
{
	return (struct daemon_config){
		.interval_ns = options->interval_ns,
		.history_ns = options->history_ns,
		.wanted = options->cpus.n > 0 ? &options->cpus : NULL,
		.body = options->body,
		.socket_path = places->socket_path,
		.private_fd = options->private_fd,
		.state_path = places->state_path,
		.force = options->force,
		.ready_fd = -1,
	};
}

int run_run(int argc, char **argv)
{
	cleanup(options_fini) struct options options;
	cleanup(places_fini) struct places places = {NULL, NULL};
	struct daemon_config config;

	if (options_parse(argc, argv, OPTIONS_DAEMON, &options) < 0)
		return STATUS_USAGE;
	if (find_places(&options, &places) < 0)
		return STATUS_FAILED;
	config = make_config(&options, &places);
	return daemon_run(&config) < 0 ? STATUS_FAILED : 0;
}

/* In the child: leave the terminal, keeping stderr until the daemon is ready. */
static _Noreturn void become_daemon(struct daemon_config *config, int ready_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null == -1 || dup2(null, STDIN_FILENO) == -1 || dup2(null, STDOUT_FILENO) == -1 ||
	    dup3(ready_fd, READY_FD, O_CLOEXEC) == -1 || setsid() == -1 || chdir("/") == -1) {
		(void)fprintf(stderr, "soakd: cannot leave the terminal: %s\n", strerror(errno));
		_exit(STATUS_FAILED);
	}
	/* Whatever else the starter had open is not ours to keep. */
	(void)close_range(STDERR_FILENO + 1, READY_FD - 1, 0);
	(void)close_range(READY_FD + 1, UINT_MAX, 0);
	config->ready_fd = READY_FD;
	_exit(daemon_run(config) < 0 ? STATUS_FAILED : 0);
}

/* Return: 0 when the daemon said that it is ready; -1 when it ended, having said why. */
static int wait_ready(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n == -1 && errno == EINTR);
	return n == 1 ? 0 : -1;
}

static int start_behind(struct daemon_config *config)
{
	int ends[2], r;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) == -1) {
		(void)fprintf(stderr, "soakd: cannot make a pipe: %s\n", strerror(errno));
		return STATUS_FAILED;
	}
	child = fork();
	if (child == 0) {
		(void)close(ends[0]);
		become_daemon(config, ends[1]);
	}
	(void)close(ends[1]);
	if (child == -1) {
		(void)fprintf(stderr, "soakd: cannot fork: %s\n", strerror(errno));
		(void)close(ends[0]);
		return STATUS_FAILED;
	}
	r = wait_ready(ends[0]);
	(void)close(ends[0]);
	if (r == 0)
		return 0;
	while (waitpid(child, NULL, 0) == -1 && errno == EINTR)
		;
	return STATUS_FAILED;
}

int run_start(int argc, char **argv)
{
	cleanup(options_fini) struct options options;
	cleanup(places_fini) struct places places = {NULL, NULL};
	struct daemon_config config;
	int status;

	if (options_parse(argc, argv, OPTIONS_DAEMON, &options) < 0)
		return STATUS_USAGE;
	if (find_places(&options, &places) < 0)
		return STATUS_FAILED;
	config = make_config(&options, &places);
	status = start_behind(&config);
	return status == 0 ? show_facts(places.socket_path) : status;
}
