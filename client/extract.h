/* SPDX-License-Identifier: MIT */
/*
 * Numbers in the output of a command: rules that say what to look for, and the looking itself.
 *
 * A rule is a name and a POSIX extended regular expression. What its first group captured (or the
 * whole match, when it has no group) is to be a number and nothing else, as strtod(3) reads it in
 * the C locale, with a suffix right behind it or none: k M G T (powers of 1000), Ki Mi Gi Ti
 * (powers of 1024) or % (divided by 100). It is matched line by line, and the last match of all
 * counts. No file, no clock, no process: bytes in, values out.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define EXTRACT_MOST_RULES   16
#define EXTRACT_MOST_STREAMS 2
#define EXTRACT_NAME_BYTES   32		 /* longest name */
#define EXTRACT_LINE_BYTES   (64 * 1024) /* of a longer line, these are looked at */

enum extract_better {
	EXTRACT_BETTER_UNKNOWN,
	EXTRACT_BETTER_LOWER,
	EXTRACT_BETTER_HIGHER,
};

struct extract_rule {
	char *name; /* heap */
	regex_t regex;
	enum extract_better better;
};

struct extract_rules {
	struct extract_rule rules[EXTRACT_MOST_RULES];
	size_t n;
};

/*
 * Add the rule that @text says: NAME=REGEX, with :higher or :lower at the end or not. NAME is at
 * most EXTRACT_NAME_BYTES letters, digits and _ - . / and none of the figures that every run has.
 *
 * @ret_why: when @text is wrong, what is wrong with it, in one line; free() it
 *
 * Return: 0; -EINVAL when @text is wrong or there are EXTRACT_MOST_RULES already; -ENOMEM.
 */
int extract_add_rule(struct extract_rules *rules, const char *text, char **ret_why);

/* Return: the index of the rule called @name, or rules->n when there is none. */
size_t extract_find_rule(const struct extract_rules *rules, const char *name);

void extract_rules_fini(struct extract_rules *rules);

/*
 * Read the number that text[n] wholly is, blanks around it aside.
 *
 * @ret_is_ratio: it was written in %; *@ret is a ratio then
 *
 * Return: 0; -EINVAL when it is no finite number.
 */
int extract_number(const char *text, size_t n, double *ret, bool *ret_is_ratio);

enum extract_state {
	EXTRACT_NO_MATCH,
	EXTRACT_NO_NUMBER, /* the last match is no number */
	EXTRACT_FOUND,
};

/* What a rule found. */
struct extract_value {
	enum extract_state state;
	double number; /* when found */
	bool is_ratio; /* when found: it was written in % */
	char text[40]; /* what the last match was, in printable ASCII, perhaps cut */
};

/* One run: where values go, and the line of each stream that is not complete yet. */
struct extract {
	const struct extract_rules *rules;
	struct extract_value *values;
	struct extract_line {
		char *text; /* [EXTRACT_LINE_BYTES + 1], heap */
		size_t n;
	} lines[EXTRACT_MOST_STREAMS];
};

/*
 * Begin a run.
 *
 * @rules: borrowed
 * @values: [rules->n], borrowed; all begin as EXTRACT_NO_MATCH
 *
 * Return: 0 or -ENOMEM.
 */
int extract_init(struct extract *extract, const struct extract_rules *rules,
		 struct extract_value *values);

/* Look at bytes[n], which came next in @stream (below EXTRACT_MOST_STREAMS). */
void extract_feed(struct extract *extract, size_t stream, const char *bytes, size_t n);

/* Look at last lines that no newline ended. */
void extract_finish(struct extract *extract);

void extract_fini(struct extract *extract);
