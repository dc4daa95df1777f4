/* SPDX-License-Identifier: MIT */
/*
 * See show.h.
 */
#include "show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int show_json(const json_t *value)
{
	size_t flags = JSON_ENCODE_ANY | (isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT);

	if (json_dumpf(value, stdout, flags) == 0 && fputc('\n', stdout) != EOF &&
	    fflush(stdout) == 0)
		return 0;
	(void)fprintf(stderr, "soakctl: cannot write: %s\n", strerror(errno));
	return -EIO;
}

bool show_unexpected(const char *program, int argc, char **argv, int first)
{
	if (first < argc)
		(void)fprintf(stderr, "%s: unexpected argument %s (see --help)\n", program,
			      argv[first]);
	return first < argc;
}
