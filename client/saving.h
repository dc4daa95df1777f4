/* SPDX-License-Identifier: MIT */
/*
 * Where a series of runs is saved: FILE of -o, and its journal while it runs.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "journal.h"

struct saving_options {
	const char *program; /* begins every complaint: "soakctl run" */
	const char *path;    /* NULL: nothing is saved */
	bool append;	     /* to what the file holds */
	bool force;	     /* replace what is there */
	bool syncs;	     /* wait for the disk after each sample: see journal.h */
};

struct saving {
	struct saving_options options;
	struct journal journal;
	json_t *existing; /* what --append adds to; owned; NULL: nothing */
	bool was_partial; /* runs that it was to have are missing */
	bool is_special;  /* a device or a pipe: there is no journal beside it */
};

/*
 * Before anything runs: see that FILE can become what is asked for, and make the journal.
 *
 * A folder that only cannot be written now is said, and measured for all the same: what is
 * measured is printed, and saving is tried again at the end.
 *
 * Return: 0; the exit status after one line on stderr. saving_fini() whatever is returned.
 */
int saving_open(const struct saving_options *options, struct saving *ret);

/*
 * The series begins. With --append, what there was takes the place of @document, after it was seen
 * to be alike.
 *
 * @document: of one side or several, without runs; may be replaced by another reference
 *
 * Return: 0; the exit status after saying what differs.
 */
int saving_begin(struct saving *saving, json_t **document);

/*
 * Save the finished document and take the journal away.
 *
 * @say: tell on stderr that it is saved
 *
 * Return: 0; the exit status after saying what was not saved, why, and what is left.
 */
int saving_save(struct saving *saving, const json_t *document, bool say);

void saving_fini(struct saving *saving);
