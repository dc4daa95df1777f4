/* SPDX-License-Identifier: MIT */
/*
 * The samples of one run, as a document keeps them: in columns, so that a million of them can be
 * read in a second.
 *
 *   {"monotonic_seconds": [..], "elapsed_seconds": [..], "load_ratio": [..],
 *    "cpus": [{"cpu": 0, "taken_ppm": [..], "slowed_ppm": [..], "interruptions": [..]}...],
 *    "flags": [{"sample": INDEX, "cpu": 0, "flags": [TEXT...]}...]}
 *
 * Every column has one element a sample: its end on CLOCK_MONOTONIC, its length, the mean load of
 * the valid CPUs; for each CPU what was taken and by how much passes were slower, in millionths of
 * the sample, and how often it was interrupted. null: no valid number; "flags" says why.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* CPU samples kept of one run; of what comes then, only how many were dropped. */
#define SAMPLES_MOST ((size_t)4 * 1024 * 1024)

struct samples {
	json_t *columns; /* as above; owned */
	double begin_seconds;
	size_t n;	  /* samples */
	size_t n_cells;	  /* CPU samples */
	size_t n_dropped; /* there was no room, or they never came */
};

/*
 * Begin to collect the samples that begin at @begin_seconds (CLOCK_MONOTONIC) or later.
 *
 * Return: 0 or -ENOMEM. samples_fini() it.
 */
int samples_begin(struct samples *samples, double begin_seconds);

/*
 * Take one more, a SAMPLE of the protocol; in order of time. What is no sample, and what began
 * before the run, is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int samples_add(struct samples *samples, const json_t *sample);

/* Leave out the last ones that end after @end_seconds. */
void samples_end(struct samples *samples, double end_seconds);

void samples_fini(struct samples *samples);
