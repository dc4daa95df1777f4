/* SPDX-License-Identifier: MIT */
/*
 * What soakctl run was asked to do.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
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
	bool json;
	bool quiet;
	bool force;
	struct cpulist cpus;   /* empty: all */
	const char *cpus_text; /* as given; NULL: all */
	const char *body;      /* NULL: the default */
	const char *socket_path;
	const char *output; /* "null", a file, or NULL: the caller's stdout */
	const char *input;  /* NULL: /dev/null */
	char **argv;	    /* of the command, ends in NULL */
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

/* Empty the output file, if there is one. Return: 0; else the exit status, after one line on
 * stderr. */
int run_options_empty_output(const struct run_options *options);

void run_options_fini(struct run_options *options);
