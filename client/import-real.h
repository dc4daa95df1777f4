/* SPDX-License-Identifier: MIT */
/*
 * Blocks of three lines, real, user and sys, as bash's `time` and POSIX `time -p` write them:
 *
 *     real    47m42.656s        real 2862.66
 */
#pragma once

#include "import-builder.h"
#include "import-log.h"

/* How far a block was read; begins as {0}. */
struct import_real {
	size_t n; /* lines so far */
	struct import_number numbers[3];
};

/* The figures of a block, in its order. */
extern const struct import_figure import_real_figures[3];

/*
 * Look at the current line.
 *
 * Return: 1 when it ended a block: @real->numbers; 0 when it is one of a block's first lines;
 * -ENOENT when it is none; -EINVAL after a complaint.
 */
int import_real_read(struct import_real *real, struct import_log *log);

/* Return: 0; -EINVAL after a complaint when the log ended within a block. */
int import_real_end(const struct import_real *real, const struct import_log *log);
