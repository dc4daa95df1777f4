/* SPDX-License-Identifier: MIT */
/*
 * What a series has measured so far, on disk while it is measured: FILE.part, one JSON object a
 * line, so that being killed costs at most the current second.
 *
 *   {"journal_version": "1.0", "output": FILE, "replaces": BOOL, "document": DOCUMENT}   first
 *   {"run_begin": {"side": 0, "is_warmup": BOOL, "run_index", "monotonic_seconds", "time"}}
 *   {"sample": SAMPLE}                             of the protocol, while a run runs
 *   {"run_end": {"side": 0, "is_warmup": BOOL, "run": RUN}}   RUN without its samples
 *
 * DOCUMENT holds what there was before the first run. Lines are written whole. While a command runs
 * the disk is not waited for, as that would disturb what is measured (but see `syncs`): a power cut
 * then costs what the kernel has not yet written, of the run that runs and of none before.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#define JOURNAL_SUFFIX ".part"

/* A line above this is none of ours. */
#define JOURNAL_MOST_BYTES ((size_t)1024 * 1024 * 1024)

struct journal {
	int fd; /* -1: none */
	char *path;
	bool is_left; /* it holds what another series has left, until it begins */
	int error;    /* errno of the first write that failed; 0: the journal is whole */
	bool syncs;   /* wait for the disk after each sample, too; set by the caller */
};

/*
 * Make the journal of @output and take its lock.
 *
 * @replace: one that nobody holds may be there, and is written over, as an empty one always is
 *
 * Return: 0; -EEXIST: there is one that nobody holds; -EBUSY: a soakctl that runs holds it;
 * -EINVAL: something else than a file has its name; another negative errno. journal_fini() whatever
 * is returned.
 */
int journal_open(const char *output, bool replace, struct journal *ret);

/* Write the first line, over what was left. Errors are kept in journal->error, here and below. */
void journal_begin(struct journal *journal, const char *output, bool replaces,
		   const json_t *document);

void journal_run_begin(struct journal *journal, size_t side, bool is_warmup, size_t run_index,
		       double monotonic_seconds);
void journal_sample(struct journal *journal, const json_t *sample);
void journal_run_end(struct journal *journal, size_t side, bool is_warmup, const json_t *run);

/* Its work is done: take it off the disk. One that has not begun leaves what it found. */
void journal_remove(struct journal *journal);

void journal_fini(struct journal *journal);
