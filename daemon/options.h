/* SPDX-License-Identifier: MIT */
/*
 * The options of soakd's commands: one table, from which parsing and help both come.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cpulist.h"
#include "loop.h"

struct options {
	uint64_t interval_ns;
	uint64_t history_ns;
	struct cpulist cpus; /* empty: all */
	const struct loop_body *body;
	const char *socket_path; /* borrowed from argv; NULL: the usual one */
	double seconds;		 /* of a calibration */
	bool force;
	int private_fd; /* -1: none */
};

/* Which options a command takes. */
enum options_set {
	OPTIONS_DAEMON = 1 << 0, /* start, run */
	OPTIONS_SOCKET = 1 << 1, /* all */
	OPTIONS_CALIBRATE = 1 << 2,
};

/*
 * Read a command's options.
 *
 * @argv: [argc], argv[0] is the command's name
 * @ret: options_fini() it, also on failure
 *
 * Return: 0; -EINVAL after writing one line to stderr that says what is wrong.
 */
int options_parse(int argc, char **argv, unsigned int set, struct options *ret);
void options_fini(struct options *options);

/* Write one line for each option in @set. */
void options_print_help(FILE *file, unsigned int set);
