/* SPDX-License-Identifier: MIT */
/*
 * The command that is measured: started behind a gate, so that the window can begin at the very
 * moment it does, and left wholly as its caller would have started it.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum child_output {
	CHILD_OUTPUT_INHERIT,
	CHILD_OUTPUT_STDERR,
	CHILD_OUTPUT_FILE, /* options.output_path */
};

struct child_options {
	char *const *argv;	 /* ends in NULL */
	const char *input_path;	 /* NULL: /dev/null */
	const char *output_path; /* "/dev/null" or a file that is appended to */
	enum child_output output;
	const int *output_fds; /* [2]: put where stdout and stderr are; NULL: as @output says */
	const sigset_t *signal_mask; /* what the command is to have */
};

struct child {
	pid_t pid; /* 0: none */
	int pidfd;
	int gate_fd;
	int report_fd;
};

/* How the command ended. */
struct child_end {
	int status; /* as wait4(2) */
	struct rusage usage;
};

/*
 * Find what execvp(3) would run, without running it.
 *
 * Return: 0; -ENOENT when there is no such program; -EACCES when it cannot be executed.
 */
int child_find(const char *program);

/* Fork the command and hold it at the gate. Return: 0 or a negative errno. */
int child_prepare(const struct child_options *options, struct child *ret);

/*
 * Open the gate and wait until the command has been executed.
 *
 * Return: 0; the negative errno of opening its files or of execvp(3): it has ended then.
 */
int child_release(struct child *child);

/* Take the end of a command whose pidfd is readable. */
void child_reap(struct child *child, struct child_end *ret);

/* Return: exit status as a shell has it: the code, or 128 + the signal. */
int child_exit_status(int status);

/* Processes by number. */
struct child_pids {
	pid_t *pids; /* [n], heap */
	size_t n;
};

void child_pids_fini(struct child_pids *pids);

/*
 * Look after children that outlived their parent and became ours. Those that have ended are reaped.
 *
 * @except: a child of ours that is none of them, and is left alone
 * @known: those that were there before: reaped, but neither listed nor counted; NULL: none
 * @usage: the times of those that have ended are added to it; NULL: forgotten
 * @ret: those that still live; child_pids_fini() it
 *
 * Return: 0; a negative errno when the kernel does not tell, with @ret untouched.
 */
int child_adopt(pid_t except, const struct child_pids *known, struct rusage *usage,
		struct child_pids *ret);
