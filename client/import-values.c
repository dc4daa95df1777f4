/* SPDX-License-Identifier: MIT */
/*
 * Plain numbers: "LABEL: 5.02% 5.23% 5.27%". Each label is a side.
 *
 * Two shapes are data. A line that holds nothing but numbers, with or without a label before them.
 * And, anywhere in a line of prose, a word with ':' behind it and two percentages or more.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"

#define SEPARATORS " \t,"

/* What mail puts behind a number at the end of a sentence. */
#define PUNCTUATION ".;)"

static const struct import_figure ratio = {"", "ratio", NULL};
static const struct import_figure plain = {"", "", NULL};

struct values {
	struct import_log *log;
	struct import_builder *builder;
	const char *metric;
};

static const char *skip_separators(const char *at)
{
	return at + strspn(at, SEPARATORS);
}

static const char *skip_token(const char *at)
{
	return at + strcspn(at, SEPARATORS);
}

static bool ends_here(const char *at)
{
	return *at == '\0' || strchr(SEPARATORS, *at);
}

/* Take one number that must be a whole token, or have a sentence's end behind its percent sign. */
static bool scan_token(struct import_scan *scan, struct import_number *ret, bool *ret_is_percent)
{
	if (!import_scan_value(scan, ret, ret_is_percent))
		return false;
	if (*ret_is_percent && *scan->at && strchr(PUNCTUATION, *scan->at) &&
	    ends_here(scan->at + 1))
		scan->at++;
	if (ends_here(scan->at))
		return true;
	scan->wanted = "a blank or % behind the number";
	return false;
}

/* What the tokens from some place up to the first that begins as no number are. */
struct list {
	size_t n;	   /* tokens that begin as a number */
	size_t n_attempts; /* those that are one, or were meant to be */
	size_t n_percents; /* those with a percent sign */
	bool whole;	   /* nothing follows */
};

/* Return: whether a token that is no number was meant to be one; a time or a version was not. */
static bool is_attempt(const char *token, size_t length, bool is_percent)
{
	return is_percent ||
	       (strspn(token, "0123456789") + 1 == length && token[length - 1] == '.');
}

static void look_at_token(const char *token, struct list *list)
{
	size_t length = strcspn(token, SEPARATORS);
	bool has_percent = memchr(token, '%', length) != NULL, is_percent;
	struct import_scan scan = {.at = token};
	struct import_number number;

	list->n++;
	list->n_percents += has_percent;
	if (scan_token(&scan, &number, &is_percent) || scan.too_large ||
	    is_attempt(token, length, has_percent))
		list->n_attempts++;
}

static struct list look_at(const char *at)
{
	struct list list = {0};

	for (at = skip_separators(at); import_is_number(at); at = skip_separators(skip_token(at)))
		look_at_token(at, &list);
	list.whole = *at == '\0';
	return list;
}

static int add_value(struct values *values, const char *at, struct import_number number,
		     bool is_percent)
{
	const struct import_test test = {.name = values->metric};
	int r = import_builder_test(values->builder, &test, false);

	if (r == 0 && import_builder_has(values->builder, is_percent ? &plain : &ratio))
		return import_log_complain(values->log, at,
					   is_percent ? "a percentage among plain numbers of one "
							"side: expected numbers of one kind"
						      : "a plain number among percentages of one "
							"side: expected numbers of one kind");
	if (r == 0)
		r = import_builder_run(values->builder, false);
	if (r == 0)
		r = import_builder_set(values->builder, is_percent ? &ratio : &plain, number,
				       (double)NAN);
	return r;
}

/* Take the list at *at, which goes past it. @label: [length]; NULL: none */
static int take_list(struct values *values, const char *label, size_t length, const char **at)
{
	cleanup(freep) char *copy = label ? strndup(label, length) : NULL;
	int r = label && !copy ? -ENOMEM : 0;

	if (r == 0)
		r = import_builder_side(values->builder, values->log->path, copy, false);
	for (*at = skip_separators(*at); r == 0 && import_is_number(*at);
	     *at = skip_separators(*at)) {
		struct import_scan scan = {.at = *at};
		struct import_number number;
		bool is_percent;

		if (!scan_token(&scan, &number, &is_percent))
			return import_log_complain_scan(values->log, &scan);
		r = add_value(values, *at, number, is_percent);
		*at = scan.at;
	}
	import_log_use(values->log, values->log->number);
	return r;
}

/* Return: the ':' of a label that has a blank or a number's end of line behind it. */
static const char *find_colon(const char *at)
{
	do {
		at = strchr(at, ':');
	} while (at && !ends_here(at + 1) && at++);
	return at;
}

/* Return: whether a whole line of these tokens is one of data. */
static bool is_data(const struct list *list)
{
	return list->whole && list->n_attempts > 0;
}

/* Lists behind words of the line; see the head of this file. */
static int take_prose(struct values *values, const char *line)
{
	const char *at = line;
	int r = 0;

	while (r == 0 && (at = find_colon(at))) {
		const char *begin = at, *colon = at++;
		struct list list = look_at(at);

		while (begin > line && !ends_here(begin - 1))
			begin--;
		if (begin < colon && list.n >= 2 && list.n_percents > 0)
			r = take_list(values, begin, (size_t)(colon - begin), &at);
	}
	return r;
}

static int take_line(struct values *values)
{
	const char *line = import_skip_quote(values->log->line), *colon = find_colon(line), *at;
	struct list list = look_at(line);

	at = line;
	if (is_data(&list))
		return take_list(values, NULL, 0, &at);
	if (!colon || colon == line)
		return 0;
	at = colon + 1;
	list = look_at(at);
	if (is_data(&list))
		return take_list(values, line, (size_t)(colon - line), &at);
	return take_prose(values, line);
}

int import_read_values(struct import_log *log, struct import_builder *builder, const char *metric)
{
	struct values values = {log, builder, metric};
	int r;

	while ((r = import_log_next(log)) > 0) {
		r = take_line(&values);
		if (r < 0)
			break;
	}
	return r;
}
