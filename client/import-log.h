/* SPDX-License-Identifier: MIT */
/*
 * A log as lines with numbers: what was a line of data and what was not is kept, so that nothing
 * is left out without being counted. It knows no format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "import-scan.h"

#define IMPORT_MOST_BYTES ((size_t)64 * 1024 * 1024)
#define IMPORT_MOST_LINE  ((size_t)64 * 1024)

struct import_log_line {
	uint32_t begin : 31; /* offset in the text */
	uint32_t is_used : 1;
};

struct import_log {
	const char *program; /* begins complaints */
	const char *path;    /* as the user gave it; "-": stdin */
	char *text;	     /* [length] and a NUL; lines end in NUL as far as they were read */
	size_t length;
	size_t offset;		       /* where the next line begins */
	size_t number;		       /* of the current line, from 1; 0: none yet */
	const char *line;	       /* the current one */
	struct import_log_line *lines; /* [number of lines], line i + 1; set as they are read */
};

/*
 * Read a log into memory.
 *
 * @program, @path: borrowed
 *
 * Return: 0; a negative errno after one line on stderr: it cannot be read, is above
 * IMPORT_MOST_BYTES or holds a NUL byte. import_log_fini() whatever is returned.
 */
int import_log_open(const char *program, const char *path, struct import_log *ret);

void import_log_fini(struct import_log *log);

/*
 * Go to the next line: log->line, without its newline and carriage return.
 *
 * Return: 1; 0 at the end; -EINVAL after a complaint: it is longer than IMPORT_MOST_LINE.
 */
int import_log_next(struct import_log *log);

/* Go past @n_bytes from the next line on and past the rest of the line there: all are used. */
void import_log_skip(struct import_log *log, size_t n_bytes);

/* The line with this number gave something. */
void import_log_use(struct import_log *log, size_t number);

/*
 * Count the lines read so far that are neither used nor blank.
 *
 * @list: where to write each with its number; NULL: nowhere
 */
size_t import_log_left_out(const struct import_log *log, FILE *list);

/*
 * Say what is wrong at @at, a place in the current line: "PROGRAM: FILE:LINE:COLUMN: what".
 * Columns are bytes, from 1.
 *
 * Return: -EINVAL, always.
 */
int import_log_complain(const struct import_log *log, const char *at, const char *what);

/* The same, of a scan that failed. */
int import_log_complain_scan(const struct import_log *log, const struct import_scan *scan);
