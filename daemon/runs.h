/* SPDX-License-Identifier: MIT */
/*
 * The runs that have begun and not ended: a bounded table of readings.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpulist.h"
#include "reading.h"

#define RUNS_MAX	  64
#define RUNS_MAX_PER_USER 16

struct run {
	uint64_t number; /* "r7" is 7; 0: free */
	uid_t uid;
	struct cpulist selected;
	struct reading begin;
};

struct runs {
	uint64_t newest; /* number */
	struct run table[RUNS_MAX];
};

/*
 * Find room for a run of @uid, dropping the user's oldest when it has RUNS_MAX_PER_USER.
 *
 * Return: 0; -EAGAIN when others fill the table. @ret_run has its number and uid; the caller fills
 * the rest or calls runs_end().
 */
int runs_begin(struct runs *runs, uid_t uid, struct run **ret_run);

/* Return: run @number, or NULL. */
struct run *runs_find(struct runs *runs, uint64_t number);

/* Free the run's place and what it holds. */
void runs_end(struct run *run);

/* Return: how many are open. */
size_t runs_n_open(const struct runs *runs);

void runs_fini(struct runs *runs);
