/* SPDX-License-Identifier: MIT */
/*
 * Signals that ask soakctl to end, taken when it suits: a run that has begun is let end.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct interrupts {
	int fd;		   /* signalfd: SIGINT, SIGTERM, SIGHUP */
	sigset_t original; /* the caller's mask, which the command is to have */
	int first;	   /* the signal that came first; 0: none */
	unsigned int n;	   /* how many came */
};

/*
 * Block the signals and SIGPIPE, and take them by a descriptor. A SIGHUP that the caller ignores
 * stays ignored.
 *
 * Return: 0 or a negative errno.
 */
int interrupts_init(struct interrupts *interrupts);
void interrupts_fini(struct interrupts *interrupts);

/* Take one signal if one has come. Return: its number, or 0. */
int interrupts_take(struct interrupts *interrupts);
