/* SPDX-License-Identifier: MIT */
/*
 * The long blocks of GNU `time -v`: "User time (seconds): 0.03" and twenty lines more, from
 * "Command being timed" to "Exit status".
 */
#pragma once

#include "import-builder.h"
#include "import-headings.h"
#include "import-log.h"

/* What is kept of a block; begins as {0}. */
struct import_verbose {
	bool is_open;
	unsigned int seen; /* bits of the lines that a block must have */
	struct import_number user, system, elapsed, maxresident, exit_status;
};

/*
 * Look at the current line.
 *
 * Return: 1 when it ended a block; 0 when it is another line of one; -ENOENT when it is none;
 * -EINVAL after a complaint; -ENOMEM.
 */
int import_verbose_read(struct import_verbose *verbose, struct import_log *log,
			struct import_headings *headings);

/* Return: 0; -EINVAL after a complaint when the log ended within a block. */
int import_verbose_end(const struct import_verbose *verbose, const struct import_log *log);
