/* SPDX-License-Identifier: MIT */
/*
 * One soakd a machine: two sets of soakers would halve each other and ruin both measurements.
 *
 * The lock is the abstract unix socket "@soakd": the kernel gives it to one process and takes it
 * back when that ends, however it ends, and whoever comes second can ask who holds it. It is seen
 * within one network namespace.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Who holds the lock. */
struct machine_lock_holder {
	pid_t pid;	       /* 0: unknown */
	bool answered;	       /* false: it is still starting, or hangs */
	char socket_path[128]; /* "": it has none, or did not answer */
};

/*
 * Take the lock.
 *
 * @ret_fd: a listening socket; the lock is held while it is open
 * @ret_holder: set when -EADDRINUSE is returned
 *
 * Return: 0; -EADDRINUSE when another soakd holds it; another negative errno.
 */
int machine_lock_take(int *ret_fd, struct machine_lock_holder *ret_holder);

/* Answer one who asks: to be called when the lock's socket is readable. */
void machine_lock_answer(int fd, const char *socket_path);
