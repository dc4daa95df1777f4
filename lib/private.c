/* SPDX-License-Identifier: MIT */
/*
 * See private.h.
 */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "json.h"

#define CHILD_FD       3
#define POLL_MS	       50
#define READY_NS       60000000000ULL
#define STOP_MS	       10000
#define MOST_ARGUMENTS 10

/* Return: the path of "soakd" in the folder of our own executable, heap, or NULL. */
static char *find_beside(void)
{
	char own[4096], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n <= 0)
		return NULL;
	own[n] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	if (asprintf(&path, "%s/soakd", own) == -1)
		return NULL;
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Return: what to give to execvp(3), heap; NULL on lack of memory. */
static char *find_program(void)
{
	const char *named = getenv("SOAKD");
	char *beside;

	if (named && named[0])
		return strdup(named);
	beside = find_beside();
	if (beside)
		return beside;
	return strdup(access(SOAKD_PATH, X_OK) == 0 ? SOAKD_PATH : "soakd");
}

static void fill_arguments(const struct private_options *options, char *program,
			   char *arguments[MOST_ARGUMENTS])
{
	size_t n = 0;

	arguments[n++] = program;
	arguments[n++] = (char *)"run";
	arguments[n++] = (char *)"--private";
	arguments[n++] = (char *)"3";
	if (options->cpus) {
		arguments[n++] = (char *)"--cpus";
		arguments[n++] = (char *)options->cpus;
	}
	if (options->body) {
		arguments[n++] = (char *)"--body";
		arguments[n++] = (char *)options->body;
	}
	if (options->force)
		arguments[n++] = (char *)"--force";
	arguments[n] = NULL;
}

/* In the child. @report gets the errno of a failed exec; it closes by itself otherwise. */
static _Noreturn void become_private(char *const arguments[], int socket, int report)
{
	sigset_t none;
	int error, null;

	/* Away from the terminal's signals: they are for the one who measures. */
	(void)setsid();
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDWR);
	/* Out of the way of number 3 first, should it be that. */
	report = fcntl(report, F_DUPFD_CLOEXEC, CHILD_FD + 1);
	socket = fcntl(socket, F_DUPFD_CLOEXEC, CHILD_FD + 1);
	if (null >= 0 && report >= 0 && socket >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(null, STDOUT_FILENO) >= 0 && dup2(socket, CHILD_FD) >= 0) {
		(void)close_range(CHILD_FD + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
		(void)execvp(arguments[0], arguments);
	}
	error = errno;
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

/* Return: 0 when the program was started; the negative errno of its exec. */
static int read_report(int fd)
{
	int error = 0;
	ssize_t n;

	do
		n = read(fd, &error, sizeof(error));
	while (n == -1 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? -error : 0;
}

static int spawn(const struct private_options *options, int socket, struct private_daemon *daemon)
{
	cleanup(freep) char *program = find_program();
	char *arguments[MOST_ARGUMENTS];
	int ends[2], r;

	if (!program)
		return -ENOMEM;
	fill_arguments(options, program, arguments);
	if (pipe2(ends, O_CLOEXEC) == -1)
		return -errno;
	daemon->pid = fork();
	if (daemon->pid == 0)
		become_private(arguments, socket, ends[1]);
	r = daemon->pid == -1 ? -errno : 0;
	(void)close(ends[1]);
	if (r == 0)
		r = read_report(ends[0]);
	(void)close(ends[0]);
	if (daemon->pid == -1)
		daemon->pid = 0;
	if (r == 0)
		daemon->pidfd = (int)syscall(SYS_pidfd_open, daemon->pid, 0);
	return r == 0 && daemon->pidfd == -1 ? -errno : r;
}

/* Return: 0 when the daemon samples; -EAGAIN when not yet; -ECHILD when it has ended. */
static int ask_ready(struct private_daemon *daemon)
{
	json_t *status;
	int r = connection_call(daemon->connection, "status.get", NULL, &status);

	if (r == -EPIPE)
		return -ECHILD;
	if (r < 0)
		return r;
	r = json_is_true(json_object_get(status, "sampling")) ? 0 : -EAGAIN;
	json_decref(status);
	return r;
}

static int wait_ready(struct private_daemon *daemon, int cancel_fd)
{
	uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + READY_NS;

	while (clock_now_ns(CLOCK_MONOTONIC) < deadline_ns) {
		struct pollfd wait = {.fd = cancel_fd, .events = POLLIN};
		int r = ask_ready(daemon);

		if (r != -EAGAIN)
			return r;
		/* poll(2) leaves a negative descriptor out and just waits. */
		if (poll(&wait, 1, POLL_MS) == 1)
			return -ECANCELED;
	}
	return -ETIME;
}

int private_start(const struct private_options *options, int cancel_fd, struct private_daemon *ret)
{
	struct private_daemon daemon = PRIVATE_DAEMON_NONE;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == -1)
		return -errno;
	r = connection_adopt(ends[0], &daemon.connection);
	if (r == 0)
		r = spawn(options, ends[1], &daemon);
	(void)close(ends[1]);
	if (r == 0)
		r = wait_ready(&daemon, cancel_fd);
	if (r < 0) {
		private_stop(&daemon);
		return r;
	}
	*ret = daemon;
	return 0;
}

void private_stop(struct private_daemon *daemon)
{
	struct pollfd wait = {.fd = daemon->pidfd, .events = POLLIN};

	connection_free(daemon->connection);
	if (daemon->pid > 0) {
		int n = 1;

		if (daemon->pidfd >= 0)
			do
				n = poll(&wait, 1, STOP_MS);
			while (n == -1 && errno == EINTR);
		/* Its soakers end with it. Our own child, not yet waited for. */
		if (n != 1)
			(void)kill(daemon->pid, SIGKILL);
		while (waitpid(daemon->pid, NULL, 0) == -1 && errno == EINTR)
			;
	}
	closep(&daemon->pidfd);
	*daemon = PRIVATE_DAEMON_NONE;
}
