/* SPDX-License-Identifier: MIT */
/*
 * One run: settle, measure the command from its first instruction to its end, settle again.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "child.h"
#include "extract.h"
#include "interrupts.h"
#include "progress.h"
#include "recording.h"
#include "run-options.h"
#include "session.h"
#include "tee.h"

/* What became of one run. */
struct run_record {
	json_t *report;			/* what run.end answered; owned; NULL: not measured */
	json_t *samples;		/* samples.h; owned; NULL: not kept */
	double background_before_ratio; /* NaN: not measured */
	double background_after_ratio;
	bool started;	     /* the command was executed */
	int status;	     /* its wait status */
	struct rusage usage; /* its own, and that of children that outlived it and ended since */
	struct extract_value values[EXTRACT_MOST_RULES]; /* one a --metric, in their order */
	int n_outlived; /* children that still live after settling */
};

struct measure {
	struct session *session;
	const struct run_options *options;
	struct interrupts *interrupts;
	struct progress *progress;
	struct recording *recording;
	bool unwatched; /* the soakers stand still: settling has no load, a run only its length */
	bool said_loss; /* of output, once for all runs */
};

/*
 * Measure one run.
 *
 * @ret: run_record_fini() it, whatever is returned
 *
 * Return: 0 when the command ran, however it ended; -EINTR when a signal came before it began;
 * the negative errno of its exec; -EPIPE when the daemon has gone; another negative errno. All but
 * -EINTR and 0 have been said on stderr.
 */
int measure_run(struct measure *measure, struct run_record *ret);

/*
 * Wait for the end of a command, without taking it, and hand signals on to it: SIGTERM and SIGHUP
 * at once, SIGINT the second time. One that was told and does not end is killed.
 *
 * @tee: its output, handed on meanwhile; NULL: it writes by itself
 */
void measure_wait(struct measure *measure, const struct child *child, struct tee *tee);

void run_record_fini(struct run_record *record);

/* Return: whether the run counts: it was measured and the command succeeded. */
bool run_record_is_good(const struct run_record *record);
