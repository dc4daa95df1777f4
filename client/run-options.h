/* SPDX-License-Identifier: MIT */
/*
 * What soakctl run and soakctl ab were asked to do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "effect.h"
#include "metric-options.h"
#include "stats.h"

struct run_options {
	uint64_t n_runs;
	uint64_t n_warmups;
	struct trim trim;
	uint64_t settle_ns;
	const char *label;     /* NULL: none */
	const char *prepare;   /* a shell command; NULL: none */
	const char *save_path; /* the run file; NULL: none */
	bool append;	       /* to the run file that is there */
	bool syncs;	       /* its journal to the disk after each sample */
	bool json;
	bool quiet;
	bool observer; /* each run has a twin without soakers */
	bool force;
	struct cpulist cpus;   /* empty: all */
	const char *cpus_text; /* as given; NULL: all */
	const char *body;      /* NULL: the default */
	const char *socket_path;
	const char *output; /* "null", a file, or NULL: the caller's stdout */
	const char *input;  /* NULL: /dev/null */
	struct metric_options metrics;
	char **argv; /* of the command, ends in NULL */
	/* Of soakctl ab alone: */
	char *shell_argv[4]; /* the room of argv for a shell's command */
	const char *second_label;
	const char *until_ci_text; /* as given */
	struct effect until_ci;	   /* half the width of the interval to end at */
};

/*
 * Read the command line of soakctl run and check all that can be checked before anything starts:
 * that the files can be opened (an output file is made) and that the command exists.
 *
 * @ret: strings borrowed from argv; run_options_fini() it, also on failure
 *
 * Return: 0; else the exit status, after one line on stderr.
 */
int run_options_parse(int argc, char **argv, struct run_options *ret);

/*
 * The same for soakctl ab: the options of two sides, which differ in command and label.
 *
 * @ret: [2]; the second borrows from the first: run_options_fini() the first alone
 */
int run_options_parse_ab(int argc, char **argv, struct run_options ret[2]);

/* Empty the output file, if there is one. Return: 0; else the exit status, after one line on
 * stderr. */
int run_options_empty_output(const struct run_options *options);

void run_options_fini(struct run_options *options);
