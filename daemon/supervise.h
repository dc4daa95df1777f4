/* SPDX-License-Identifier: MIT */
/*
 * Watching over the soaker process of a running daemon.
 */
#pragma once

#include "daemon.h"

/* Watch the process that runs now. Return: 0 or -ENOMEM. */
int supervise_watch(struct daemon *daemon);

/* Time to try again to start one: an event callback, @context is the daemon. */
void supervise_retry(int fd, short what, void *context);

/* A sample was taken: can other CPUs be soaked than those that are? */
void supervise_check_cpus(struct daemon *daemon, const struct sample *sample);
