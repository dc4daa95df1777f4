/* SPDX-License-Identifier: MIT */
/*
 * See import-headings.h.
 */
#include "import-headings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What stands before the command's own name. */
#define TIME "time "

void import_headings_fini(struct import_headings *headings)
{
	free(headings->heading);
	free(headings->command);
	*headings = (struct import_headings){0};
}

void import_headings_drop_command(struct import_headings *headings)
{
	free(headings->command);
	headings->command = NULL;
}

static int replace(char **text, const char *with, size_t length)
{
	char *copy = strndup(with, length);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

/* Return: whether a command line can begin at @at: first in the line or behind a prompt. */
static bool is_begin(const char *line, const char *at)
{
	return at == line || (at - line >= 2 && at[-1] == ' ' && strchr("#$%>", at[-2]));
}

/* Return: the command behind `time ` or `/usr/bin/time `; NULL: the line has none. */
static const char *find_command(const char *line)
{
	for (const char *at = line; (at = strstr(at, TIME)); at++) {
		const char *begin = at, *command = at + strlen(TIME);

		while (begin > line && begin[-1] != ' ' && (begin < at || begin[-1] == '/'))
			begin--;
		command += strspn(command, " ");
		while (strncmp(command, "-p ", 3) == 0 || strncmp(command, "-v ", 3) == 0)
			command += 3;
		if (is_begin(line, begin) && *command)
			return command;
	}
	return NULL;
}

/* Length without blanks at the end. */
static size_t trimmed_length(const char *text)
{
	size_t length = strlen(text);

	while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	return length;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* A line of a mail that says who wrote what follows is no heading. */
static bool is_heading(const char *text, size_t length)
{
	return length > 1 && ends_in(text, length, ":") && !ends_in(text, length, " wrote:") &&
	       !ends_in(text, length, " writes:");
}

static int take_heading(struct import_headings *headings, const struct import_log *log,
			const char *text, size_t length)
{
	if (headings->other_number > headings->command_number)
		import_headings_drop_command(headings);
	headings->heading_number = log->number;
	return replace(&headings->heading, text, length);
}

int import_headings_take_command(struct import_headings *headings, const struct import_log *log,
				 const char *command, size_t length)
{
	headings->command_number = log->number;
	return replace(&headings->command, command, length);
}

int import_headings_note(struct import_headings *headings, const struct import_log *log)
{
	const char *line = import_skip_quote(log->line), *command;
	size_t length = trimmed_length(line);

	if (length == 0)
		return 0;
	if (is_heading(line, length))
		return take_heading(headings, log, line, length - 1);
	command = find_command(line);
	if (command)
		return import_headings_take_command(headings, log, command,
						    trimmed_length(command));
	headings->other_number = log->number;
	return 0;
}

void import_headings_note_data(struct import_headings *headings, const struct import_log *log)
{
	headings->other_number = log->number;
}

int import_headings_begin_run(const struct import_headings *headings, struct import_log *log,
			      struct import_builder *builder, bool failed)
{
	const struct import_test test = {
		.name = headings->heading ? headings->heading : headings->command,
		.command = headings->command,
		.may_be_bare = !headings->heading,
	};
	int r = import_builder_side(builder, log->path, NULL, false);

	if (r == 0)
		r = import_builder_test(builder, &test, true);
	if (r == 0)
		r = import_builder_run(builder, failed);
	if (headings->heading)
		import_log_use(log, headings->heading_number);
	if (headings->command)
		import_log_use(log, headings->command_number);
	return r;
}
