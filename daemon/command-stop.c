/* SPDX-License-Identifier: MIT */
/*
 * soakd stop and soakd status.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "commands.h"
#include "facts.h"
#include "json.h"
#include "options.h"
#include "session.h"

#define STOP_MS 15000

/* Return: 0 when the process has ended; -ETIME. */
static int wait_gone(int pidfd)
{
	struct pollfd wait = {.fd = pidfd, .events = POLLIN};
	int n;

	do
		n = poll(&wait, 1, STOP_MS);
	while (n == -1 && errno == EINTR);
	return n == 1 ? 0 : -ETIME;
}

static int stop(struct session *session)
{
	json_t *answer;
	cleanup(closep) int pidfd = -1;
	int pid, r = session_call(session, "server.info", NULL, &answer);

	if (r < 0)
		return r;
	pid = (int)json_get_integer(answer, "pid", 0);
	json_decref(answer);
	/* Before it is told, so that the number cannot be another process's. */
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	r = session_call(session, "server.shutdown", NULL, &answer);
	if (r < 0)
		return r;
	json_decref(answer);
	if (pidfd >= 0)
		r = wait_gone(pidfd);
	if (r < 0)
		(void)fprintf(stderr, "soakd: pid %d was told to stop and has not in %d s\n", pid,
			      STOP_MS / 1000);
	else
		(void)printf("soakd stopped (pid %d)\n", pid);
	return r;
}

int run_stop(int argc, char **argv)
{
	cleanup(options_fini) struct options options;
	struct session session;
	int r;

	if (options_parse(argc, argv, OPTIONS_SOCKET, &options) < 0)
		return STATUS_USAGE;
	r = session_open("soakd", options.socket_path, &session);
	if (r == -ESRCH)
		(void)fprintf(stderr, "soakd: not running\n");
	if (r < 0)
		return STATUS_FAILED;
	r = stop(&session);
	session_close(&session);
	return r < 0 ? STATUS_FAILED : 0;
}

int show_facts(const char *socket_path)
{
	struct session session;
	json_t *status;
	int r = session_require("soakd", socket_path, &session);

	if (r < 0)
		return STATUS_FAILED;
	r = session_call(&session, "status.get", NULL, &status);
	if (r == 0) {
		facts_print(stdout, status);
		json_decref(status);
	}
	session_close(&session);
	return r < 0 ? STATUS_FAILED : 0;
}

int run_status(int argc, char **argv)
{
	cleanup(options_fini) struct options options;

	if (options_parse(argc, argv, OPTIONS_SOCKET, &options) < 0)
		return STATUS_USAGE;
	return show_facts(options.socket_path);
}
