/* SPDX-License-Identifier: MIT */
/*
 * A series of runs, of one side or of several in turns: the daemon that measures it, the document
 * that it becomes, and where that is saved.
 *
 *     status = series_open(&series, program, sides, n_sides, design);
 *     if (status == 0) {
 *             r = series_run(&series, side, ...);       as often as it takes
 *             status = series_end(&series, r, print);
 *     }
 *     series_close(&series);
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interrupts.h"
#include "measure.h"
#include "progress.h"
#include "recording.h"
#include "run-options.h"
#include "saving.h"
#include "session.h"

struct series {
	const char *program; /* "soakctl run" */
	/* [n_sides], borrowed; alike in all but command and label, which is what sides are */
	const struct run_options *sides;
	size_t n_sides;
	struct interrupts interrupts;
	struct session session;
	struct progress progress;
	struct recording recording;
	struct saving saving;
	struct measure measure;
	json_t *document;
	size_t n_added;	    /* runs and warm-ups */
	int command_status; /* exit status of the first run that failed */
	bool has_interrupts;
	bool has_session;
};

/*
 * Get ready: take signals, look at where the runs are saved, find or start a daemon, begin the
 * document. Everything that the options ask for is checked before anything runs.
 *
 * @design: of a document of several sides: "abba"; NULL: one side
 *
 * Return: 0; the exit status, after one line on stderr. series_close() whatever is returned.
 */
int series_open(struct series *series, const char *program, const struct run_options *sides,
		size_t n_sides, const char *design);

/*
 * Run the command of a side once.
 *
 * @index, @n: which of how many, for the eye
 *
 * Return: 0 to go on, also when the command failed; -EINTR to end in order; else the exit status.
 */
int series_run(struct series *series, size_t side, uint64_t index, uint64_t n, bool is_warmup);

/*
 * Run the command of the first side while the soakers stand still.
 *
 * @add: keep what is known of it in the side: only its length, status and usage mean something.
 *       Return: 0 or a negative errno
 *
 * Return: as series_run().
 */
int series_run_unwatched(struct series *series, uint64_t index, uint64_t n,
			 int (*add)(json_t *side, const struct run_record *record));

/* Return: side @side of the document, borrowed. */
json_t *series_side(const struct series *series, size_t side);

/*
 * Close the document, print and save it.
 *
 * @r: what the last series_run() returned, which may have ended the series early
 * @print: write the text report; not called where JSON was asked for
 *
 * Return: the exit status of it all.
 */
int series_end(struct series *series, int r,
	       void (*print)(FILE *file, const struct series *series));

void series_close(struct series *series);
