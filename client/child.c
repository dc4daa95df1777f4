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

/* In the child: negative ones, of closed streams, are left as they are. */
static int put_outputs(const int fds[2])
{
	if (fds[0] >= 0 && dup2(fds[0], STDOUT_FILENO) == -1)
		return -1;
	return fds[1] >= 0 && dup2(fds[1], STDERR_FILENO) == -1 ? -1 : 0;
}

static int arrange_files(const struct child_options *options)
{
	const char *input = options->input_path ? options->input_path : "/dev/null";

	if (open_as(input, O_RDONLY, STDIN_FILENO) == -1)
		return -1;
	if (options->output_fds)
		return put_outputs(options->output_fds);
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

int child_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_pids_fini(struct child_pids *pids)
{
	free(pids->pids);
	*pids = (struct child_pids){0};
}

static bool is_known(const struct child_pids *known, pid_t pid)
{
	for (size_t i = 0; known && i < known->n; i++)
		if (known->pids[i] == pid)
			return true;
	return false;
}

static int add_pid(struct child_pids *list, pid_t pid)
{
	pid_t *pids = reallocarray(list->pids, list->n + 1, sizeof(*pids));

	if (!pids)
		return -ENOMEM;
	list->pids = pids;
	list->pids[list->n++] = pid;
	return 0;
}

static void add_times(struct rusage *sum, const struct rusage *more)
{
	timeradd(&sum->ru_utime, &more->ru_utime, &sum->ru_utime);
	timeradd(&sum->ru_stime, &more->ru_stime, &sum->ru_stime);
}

/* A number cannot come again for another process before its child is reaped, which is done here. */
static int look_after(pid_t pid, bool known, struct rusage *usage, struct child_pids *living)
{
	struct rusage own;
	pid_t ended = wait4(pid, NULL, WNOHANG, &own);

	if (ended == 0 && !known)
		return add_pid(living, pid);
	if (ended == pid && !known && usage)
		add_times(usage, &own);
	return 0;
}

int child_adopt(pid_t except, const struct child_pids *known, struct rusage *usage,
		struct child_pids *ret)
{
	cleanup(child_pids_fini) struct child_pids living = {0};
	cleanup(freep) char *children = NULL;
	char path[64], *word, *rest;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
	r = file_read("", path, CHILDREN_MAX_BYTES, &children);
	rest = children;
	while (r == 0 && (word = strsep(&rest, " \n"))) {
		uint64_t pid;

		if (parse_u64(word, 1, INT32_MAX, &pid) == 0 && (pid_t)pid != except)
			r = look_after((pid_t)pid, is_known(known, (pid_t)pid), usage, &living);
	}
	if (r < 0)
		return r;
	*ret = living;
	living = (struct child_pids){0};
	return 0;
}
