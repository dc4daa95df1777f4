/* SPDX-License-Identifier: MIT */
/*
 * A journal (journal.h) line by line, as a crash may have left it: its last line cut off, zeros
 * behind it, or anything at all under its name. What is no line of a journal is not taken into
 * memory.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct journal_reader {
	FILE *file;
	char *text; /* [capacity], of the present line */
	size_t capacity;
	bool is_inside; /* of a line that is damaged: its rest is to be passed over */
};

/*
 * Open a journal and take its lock, so that nobody writes it meanwhile.
 *
 * Return: 0; -EBUSY when a soakctl that runs has it; -EISDIR; -EINVAL when it is a pipe or a
 * device; another negative errno. journal_reader_fini() whatever is returned.
 */
int journal_reader_open(const char *path, struct journal_reader *ret);

/*
 * Read the next line.
 *
 * @ret_line: an object, owned by the caller; NULL at the end
 *
 * Return: 0; -EBADMSG when the line is cut off or none of ours: the next call goes on behind it;
 * -ENOMEM; a negative errno of read(2).
 */
int journal_reader_next(struct journal_reader *reader, json_t **ret_line);

void journal_reader_fini(struct journal_reader *reader);
