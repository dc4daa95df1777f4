/* SPDX-License-Identifier: MIT */
/*
 * From the values of two sides to one of four words, or to the reason why there is none.
 *
 * The word comes from the confidence interval of the difference and from nothing else, so that
 * words and numbers cannot disagree. Pure arithmetic; all values in the metric's own unit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "htest.h"
#include "stats.h"

#define VERDICT_POWER 0.80

/* --robust needs so many values a side: with fewer, trimming leaves too little to estimate from. */
#define VERDICT_LEAST_ROBUST 10
#define VERDICT_ROBUST_TRIM  0.2

enum verdict_word {
	VERDICT_NONE,		     /* see `obstacle` */
	VERDICT_MORE,		     /* the interval is above 0 */
	VERDICT_LESS,		     /* below 0 */
	VERDICT_NOT_DISTINGUISHABLE, /* 0 is in it, and so is an effect that would matter */
	VERDICT_SAME_WITHIN,	     /* wholly inside +- the minimum effect */
};

/* Why there is no word. */
enum verdict_obstacle {
	VERDICT_TESTED,	   /* there is one */
	VERDICT_NO_VALUES, /* a side has none */
	VERDICT_ONE_VALUE, /* a side has one: no spread to judge by */
	VERDICT_SAME_RUNS, /* run by run, both sides have the same values */
	VERDICT_EQUAL,	   /* no spread, no difference */
	VERDICT_NO_SPREAD, /* no spread, but a difference; of blocks: all differ by as much */
	VERDICT_TOO_LARGE, /* values whose squares are no numbers any more */
};

enum verdict_test {
	VERDICT_WELCH,
	VERDICT_PAIRED, /* t of the differences of blocks */
	VERDICT_YUEN,	/* trimmed Welch */
};

struct verdict_values {
	const double *first;
	size_t n_first;
	const double *second;
	size_t n_second;
	const double *differences; /* second - first of each block; NULL: not paired */
	size_t n_differences;
};

struct verdict_rules {
	double confidence; /* 0..1, of all intervals */
	double min_effect; /* >= 0; 0: none stated */
	bool robust;	   /* Yuen where there are enough values */
};

struct verdict {
	enum verdict_word word;
	enum verdict_obstacle obstacle;
	enum verdict_test test;
	struct stats_summary first;
	struct stats_summary second;
	struct htest result; /* without a word, the difference only */
	/* The smallest difference that sides like these show with VERDICT_POWER; NaN: unknown. */
	double detectable;
	/*
	 * How many values a side (blocks, when paired) it takes to show the minimum effect, or a
	 * difference as large as the one seen where none is stated; 0: no more than there are, or
	 * more than anybody will run. Only of NOT DISTINGUISHABLE.
	 */
	size_t n_needed;
	double rank_p; /* two-sided Mann-Whitney, when robust; else NaN */
};

/*
 * Compare two sides.
 *
 * Return: 0 or -ENOMEM.
 */
int verdict_reach(const struct verdict_values *values, const struct verdict_rules *rules,
		  struct verdict *ret);
