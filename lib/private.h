/* SPDX-License-Identifier: MIT */
/*
 * A soakd for one use: started here, reachable through one inherited socket and nothing else, and
 * gone when that socket closes, however its user ends.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "connection.h"

struct private_daemon {
	pid_t pid; /* 0: none */
	int pidfd;
	struct connection *connection;
};

#define PRIVATE_DAEMON_NONE ((struct private_daemon){.pidfd = -1})

struct private_options {
	const char *cpus; /* a CPU list; NULL: all */
	const char *body; /* NULL: the default */
	bool force;	  /* start in spite of intrusion */
};

/*
 * Start a private soakd and wait until it samples.
 *
 * The program is the one that $SOAKD names, else the soakd beside our own executable, else the
 * installed one, else the one on PATH. It says on our stderr why it does not start.
 *
 * @cancel_fd: readable when waiting is to be given up (a signalfd); -1: none
 * @ret: private_stop() it
 *
 * Return: 0; -ECANCELED; -ECHILD when it ended, having said why; -ENOENT when there is no soakd;
 * -ETIME when it does not get ready within a minute; another negative errno.
 */
int private_start(const struct private_options *options, int cancel_fd, struct private_daemon *ret);

/* Close the socket and wait until the daemon and its soakers are gone. Does nothing without one. */
void private_stop(struct private_daemon *daemon);
