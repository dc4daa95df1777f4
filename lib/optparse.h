/* SPDX-License-Identifier: MIT */
/*
 * Options from a table: parsing, complaints and help all come from the same rows.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct optparse_row {
	unsigned int set; /* which commands take it; bits of the caller's own */
	char letter;	  /* '\0': none */
	const char *name;
	const char *takes;   /* what its value is called; NULL: it takes none; see below */
	const char *help;    /* NULL: not for people */
	const char *allowed; /* what a wrong value should have been */
	/* Take the value ("" without one). Return: 0; negative: it is wrong. NULL: see @at. */
	int (*read)(const char *text, void *options);
	/*
	 * Without @read, where in the options to put what was given: a bool for a row that takes no
	 * value, a const char *, borrowed of argv, for one that takes one, which must not be empty.
	 */
	size_t at;
};

/*
 * A row whose value has a name of two words ("N UNIT") takes two arguments, or one with a blank in
 * it, and needs a reader. @read gets both as one text with a blank between, and that only as long
 * as the call lasts; every other text is an argument itself.
 */

/*
 * Read options up to the first argument that is none, or "--".
 *
 * @program: for complaints, such as "soakd start"
 * @argv: [argc], argv[0] is not looked at
 * @rows: [n_rows], at most 32; those in @set are known
 * @options: handed to the rows
 * @ret_first: index of the first argument that is no option; argc when there is none
 *
 * Return: 0; -EINVAL (or -ENOMEM) after one line on stderr that says what is wrong and what is
 * right.
 */
int optparse(const char *program, int argc, char **argv, const struct optparse_row *rows,
	     size_t n_rows, unsigned int set, void *options, int *ret_first);

/*
 * As optparse(), for commands without a command line of another program behind them: options may
 * stand behind other arguments, which are moved to the end of @argv, in order. Behind "--" there
 * are no options.
 */
int optparse_any_order(const char *program, int argc, char **argv, const struct optparse_row *rows,
		       size_t n_rows, unsigned int set, void *options, int *ret_first);

/* Write one line for each row in @set that is for people. */
void optparse_help(FILE *file, const struct optparse_row *rows, size_t n_rows, unsigned int set);
