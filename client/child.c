/* SPDX-License-Identifier: MIT */
/*
 * See child.h.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"
#include "parse.h"

#define CHILDREN_MAX_BYTES (1024 * 1024)

static int check_program(const char *path)
{
	struct stat state;

	if (stat(path, &state) == -1)
		return errno == ENOTDIR ? -ENOENT : -errno;
	if (!S_ISREG(state.st_mode) || access(path, X_OK) == -1)
		return -EACCES;
	return 0;
}

int child_find(const char *program)
{
	const char *folder = getenv("PATH");
	int found = -ENOENT;

	if (program[0] == '\0')
		return -ENOENT;
	if (strchr(program, '/'))
		return check_program(program);
	if (!folder)
		folder = "/bin:/usr/bin";
	for (;;) {
		const char *end = strchrnul(folder, ':');
		cleanup(freep) char *path = NULL;
		int r;

		/* An empty folder is the present one. */
		if (asprintf(&path, "%.*s%s%s", (int)(end - folder), folder,
			     end > folder ? "/" : "./", program) == -1) {
			path = NULL;
			return -ENOMEM;
		}
		r = check_program(path);
		if (r == 0)
			return 0;
		if (r == -EACCES)
			found = r;
		if (*end == '\0')
			return found;
		folder = end + 1;
	}
}

/* In the child: put @path where @target is. */
static int open_as(const char *path, int flags, int target)
{
	int fd = open(path, flags, 0666);

	if (fd == -1 || (fd != target && dup2(fd, target) == -1))
		return -1;
	if (fd != target)
		(void)close(fd);
	return 0;
}

static int arrange_files(const struct child_options *options)
{
	const char *input = options->input_path ? options->input_path : "/dev/null";

	if (open_as(input, O_RDONLY, STDIN_FILENO) == -1)
		return -1;
	switch (options->output) {
	case CHILD_OUTPUT_INHERIT:
		return 0;
	case CHILD_OUTPUT_STDERR:
		return dup2(STDERR_FILENO, STDOUT_FILENO) == -1 ? -1 : 0;
	case CHILD_OUTPUT_FILE:
		return open_as(options->output_path, O_WRONLY | O_APPEND, STDOUT_FILENO);
	}
	return 0;
}

static _Noreturn void become_command(const struct child_options *options, int gate, int report)
{
	char byte;
	int error;

	/* Nothing comes when soakctl ends before it opens the gate. */
	if (read(gate, &byte, 1) != 1)
		_exit(127);
	/* The mask first: opening a FIFO waits, and must be possible to interrupt. */
	if (sigprocmask(SIG_SETMASK, options->signal_mask, NULL) == 0 &&
	    arrange_files(options) == 0)
		(void)execvp(options->argv[0], options->argv);
	error = errno;
	(void)!write(report, &error, sizeof(error));
	_exit(127);
}

static void close_pair(int ends[2])
{
	closep(&ends[0]);
	closep(&ends[1]);
}

int child_prepare(const struct child_options *options, struct child *ret)
{
	struct child child = {.pidfd = -1, .gate_fd = -1, .report_fd = -1};
	int gate[2] = {-1, -1}, report[2] = {-1, -1}, r;

	if (pipe2(gate, O_CLOEXEC) == -1 || pipe2(report, O_CLOEXEC) == -1) {
		r = -errno;
		close_pair(gate);
		close_pair(report);
		return r;
	}
	child.pid = fork();
	if (child.pid == 0) {
		/* Its own copy of the other end would keep it waiting for ever. */
		(void)close(gate[1]);
		become_command(options, gate[0], report[1]);
	}
	r = child.pid == -1 ? -errno : 0;
	(void)close(gate[0]);
	(void)close(report[1]);
	child.gate_fd = gate[1];
	child.report_fd = report[0];
	if (r == 0) {
		child.pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
		r = child.pidfd == -1 ? -errno : 0;
	}
	if (r < 0) {
		closep(&child.gate_fd);
		closep(&child.report_fd);
		if (child.pid > 0)
			(void)waitpid(child.pid, NULL, 0);
		return r;
	}
	*ret = child;
	return 0;
}

int child_release(struct child *child)
{
	struct child_end end;
	int error = 0;
	ssize_t n;

	n = write(child->gate_fd, "g", 1);
	closep(&child->gate_fd);
	child->gate_fd = -1;
	if (n != 1) {
		closep(&child->report_fd);
		child->report_fd = -1;
		child_reap(child, &end);
		return -EPIPE;
	}
	do
		n = read(child->report_fd, &error, sizeof(error));
	while (n == -1 && errno == EINTR);
	closep(&child->report_fd);
	child->report_fd = -1;
	if (n != (ssize_t)sizeof(error))
		return 0;
	child_reap(child, &end);
	return -error;
}

void child_reap(struct child *child, struct child_end *ret)
{
	memset(ret, 0, sizeof(*ret));
	while (wait4(child->pid, &ret->status, 0, &ret->usage) == -1 && errno == EINTR)
		;
	closep(&child->pidfd);
	child->pidfd = -1;
	child->pid = 0;
}

int child_run(const struct child_options *options, int *ret_status)
{
	struct child_end end;
	struct child child;
	int r = child_prepare(options, &child);

	if (r == 0)
		r = child_release(&child);
	if (r < 0)
		return r;
	child_reap(&child, &end);
	*ret_status = end.status;
	return 0;
}

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void add_time(struct timeval *sum, const struct timeval *more)
{
	timeradd(sum, more, sum);
}

/* Return: 1 when @pid still lives, 0 when it has ended. */
static int look_after(pid_t pid, struct rusage *usage)
{
	struct rusage own;
	pid_t ended = wait4(pid, NULL, WNOHANG, &own);

	if (ended != pid)
		return ended == 0;
	add_time(&usage->ru_utime, &own.ru_utime);
	add_time(&usage->ru_stime, &own.ru_stime);
	return 0;
}

int child_adopt(pid_t except, struct rusage *usage)
{
	cleanup(freep) char *children = NULL;
	char path[64], *word, *rest;
	int n = 0, r;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
	r = file_read("", path, CHILDREN_MAX_BYTES, &children);
	if (r < 0)
		return r;
	rest = children;
	while ((word = strsep(&rest, " \n"))) {
		uint64_t pid;

		if (parse_u64(word, 1, INT32_MAX, &pid) == 0 && (pid_t)pid != except)
			n += look_after((pid_t)pid, usage);
	}
	return n;
}
