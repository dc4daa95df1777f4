/* SPDX-License-Identifier: MIT */
/*
 * getopt_long(3), fed from the table.
 */
#include "optparse.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

#define MOST_ROWS 32

/* Where the words of help begin. */
#define HELP_COLUMN 24

/* What getopt_long() returns for row i: above every letter. */
#define FIRST_CODE 256

struct known {
	struct option options[MOST_ROWS + 1];
	char letters[2 + 2 * MOST_ROWS + 1];
};

static void make_known(const struct optparse_row *rows, size_t n_rows, unsigned int set,
		       struct known *known)
{
	size_t n = 0, n_letters = 2;

	memset(known, 0, sizeof(*known));
	/* Stop at the first argument that is no option; tell a missing value from an unknown one.
	 */
	memcpy(known->letters, "+:", 2);
	for (size_t i = 0; i < n_rows && i < MOST_ROWS; i++) {
		if (!(rows[i].set & set))
			continue;
		known->options[n++] = (struct option){
			rows[i].name, rows[i].takes ? required_argument : no_argument, NULL,
			FIRST_CODE + (int)i};
		if (!rows[i].letter)
			continue;
		known->letters[n_letters++] = rows[i].letter;
		if (rows[i].takes)
			known->letters[n_letters++] = ':';
	}
}

static const struct optparse_row *find_row(const struct optparse_row *rows, size_t n_rows,
					   unsigned int set, int found)
{
	for (size_t i = 0; i < n_rows; i++)
		if ((rows[i].set & set) &&
		    (found == FIRST_CODE + (int)i || (found == rows[i].letter && found != '\0')))
			return &rows[i];
	return NULL;
}

static int complain_unknown(const char *program, int found, const char *argument, int letter)
{
	if (found == ':')
		(void)fprintf(stderr, "%s: %s needs a value (see --help)\n", program, argument);
	else if (letter > 0 && letter < FIRST_CODE)
		(void)fprintf(stderr, "%s: unknown option -%c (see --help)\n", program, letter);
	else
		(void)fprintf(stderr, "%s: unknown option %s (see --help)\n", program, argument);
	return -EINVAL;
}

static bool takes_two(const struct optparse_row *row)
{
	return row->takes && strchr(row->takes, ' ');
}

/* Join the argument that getopt_long() found and the one behind it, which is gone past. */
static int join_values(int argc, char **argv, char **ret)
{
	if (strchr(optarg, ' ') || optind >= argc) {
		*ret = strdup(optarg);
		return *ret ? 0 : -ENOMEM;
	}
	if (asprintf(ret, "%s %s", optarg, argv[optind]) == -1) {
		*ret = NULL;
		return -ENOMEM;
	}
	optind++;
	return 0;
}

/* What rows without a reader mean. */
static int put_value(const struct optparse_row *row, const char *text, void *options)
{
	char *place = (char *)options + row->at;
	const bool given = true;

	if (!row->takes) {
		memcpy(place, &given, sizeof(given));
		return 0;
	}
	memcpy(place, &text, sizeof(text));
	return text[0] ? 0 : -EINVAL;
}

/* Hand the value of @row to it. */
static int read_value(const char *program, const struct optparse_row *row, int argc, char **argv,
		      void *options)
{
	cleanup(freep) char *both = NULL;
	const char *text = row->takes ? optarg : "";
	int r;

	if (takes_two(row)) {
		if (join_values(argc, argv, &both) < 0) {
			(void)fprintf(stderr, "%s: out of memory\n", program);
			return -ENOMEM;
		}
		text = both;
	}
	r = row->read ? row->read(text, options) : put_value(row, text, options);
	if (r >= 0)
		return 0;
	(void)fprintf(stderr, "%s: --%s %s: must be %s\n", program, row->name, text, row->allowed);
	return -EINVAL;
}

/* @letters: as getopt_long() takes them; "+" at their front ends options at the first other word.
 */
static int parse(const char *program, int argc, char **argv, const struct optparse_row *rows,
		 size_t n_rows, unsigned int set, void *options, const struct known *known,
		 const char *letters, int *ret_first)
{
	opterr = 0;
	optind = 0; /* glibc: begin anew, "+" included */
	for (;;) {
		int found = getopt_long(argc, argv, letters, known->options, NULL);
		const struct optparse_row *row;
		int r;

		if (found == -1)
			break;
		row = found == '?' || found == ':' ? NULL : find_row(rows, n_rows, set, found);
		if (!row)
			return complain_unknown(program, found, argv[optind - 1], optopt);
		r = read_value(program, row, argc, argv, options);
		if (r < 0)
			return r;
	}
	*ret_first = optind;
	return 0;
}

int optparse(const char *program, int argc, char **argv, const struct optparse_row *rows,
	     size_t n_rows, unsigned int set, void *options, int *ret_first)
{
	struct known known;

	make_known(rows, n_rows, set, &known);
	return parse(program, argc, argv, rows, n_rows, set, options, &known, known.letters,
		     ret_first);
}

int optparse_any_order(const char *program, int argc, char **argv, const struct optparse_row *rows,
		       size_t n_rows, unsigned int set, void *options, int *ret_first)
{
	struct known known;

	make_known(rows, n_rows, set, &known);
	return parse(program, argc, argv, rows, n_rows, set, options, &known, known.letters + 1,
		     ret_first);
}

/* "-o, --save FILE" */
static void format_option(const struct optparse_row *row, char *text, size_t size)
{
	(void)snprintf(text, size, "%c%c%s--%s %s", row->letter ? '-' : ' ',
		       row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
		       row->takes ? row->takes : "");
}

void optparse_help(FILE *file, const struct optparse_row *rows, size_t n_rows, unsigned int set)
{
	for (size_t i = 0; i < n_rows; i++) {
		char option[64];

		if (!(rows[i].set & set) || !rows[i].help)
			continue;
		format_option(&rows[i], option, sizeof(option));
		/* What is longer gets a line of its own. */
		if (strlen(option) < HELP_COLUMN)
			(void)fprintf(file, "  %-*s%s\n", HELP_COLUMN, option, rows[i].help);
		else
			(void)fprintf(file, "  %s\n  %*s%s\n", option, HELP_COLUMN, "",
				      rows[i].help);
	}
}
