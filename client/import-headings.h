/* SPDX-License-Identifier: MIT */
/*
 * Which test the figures of a log belong to: the last line before them that ends in ':', and the
 * last `time COMMAND`.
 *
 * A heading stands until the next one. A command stands until the next one or a heading with other
 * lines between the two: what was timed earlier is not what the heading is about.
 */
#pragma once

#include "import-builder.h"
#include "import-log.h"

struct import_headings {
	char *heading; /* without its ':'; NULL: none yet */
	size_t heading_number;
	char *command; /* NULL: none */
	size_t command_number;
	size_t other_number; /* the last line that was neither, nor blank */
};

void import_headings_fini(struct import_headings *headings);

/* Look at the current line, which is no data. Return: 0 or -ENOMEM. */
int import_headings_note(struct import_headings *headings, const struct import_log *log);

/* The current line is data. */
void import_headings_note_data(struct import_headings *headings, const struct import_log *log);

/* The current line says what was timed: the @length bytes at @command. Return: 0 or -ENOMEM. */
int import_headings_take_command(struct import_headings *headings, const struct import_log *log,
				 const char *command, size_t length);

/* What was timed last is not known any more. */
void import_headings_drop_command(struct import_headings *headings);

/*
 * Go to the test that figures on the current line belong to, and begin a run of it. A test that
 * comes again after another one begins the next side.
 *
 * Return: as the builder.
 */
int import_headings_begin_run(const struct import_headings *headings, struct import_log *log,
			      struct import_builder *builder, bool failed);
