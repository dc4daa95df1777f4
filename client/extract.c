/* SPDX-License-Identifier: MIT */
/*
 * regexec(3) is given the line by its bounds (REG_STARTEND), so that it may hold any byte. It has a
 * NUL behind it nevertheless: who checks memory accesses may look for one.
 */
#include "extract.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"

/* No number that a person or a program writes is longer. */
#define MOST_NUMBER_BYTES 128

/* Names that a figure of every run has already. */
static const char *const taken_names[] = {
	"load",	      "untrimmed",   "hidden",	"unaccounted", "slowed",
	"us_per_mib", "us_per_work", "elapsed", "cpu_seconds",
};

static const struct {
	const char *text;
	double factor;
	bool is_ratio;
} suffixes[] = {
	{"", 1, false},
	{"k", 1e3, false},
	{"M", 1e6, false},
	{"G", 1e9, false},
	{"T", 1e12, false},
	{"Ki", 1024.0, false},
	{"Mi", 1024.0 * 1024, false},
	{"Gi", 1024.0 * 1024 * 1024, false},
	{"Ti", 1024.0 * 1024 * 1024 * 1024, false},
	{"%", 1, true},
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Leave out blanks at both ends. */
static void strip(const char **text, size_t *n)
{
	for (; *n > 0 && is_blank(**text); (*n)--)
		(*text)++;
	while (*n > 0 && is_blank((*text)[*n - 1]))
		(*n)--;
}

int extract_number(const char *text, size_t n, double *ret, bool *ret_is_ratio)
{
	char copy[MOST_NUMBER_BYTES + 1], *end;
	double value;

	strip(&text, &n);
	if (n == 0 || n > MOST_NUMBER_BYTES || memchr(text, '\0', n))
		return -EINVAL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	/* No inf, no nan, and no blank where the number should begin. */
	if (!strchr(".0123456789", copy[copy[0] == '-' || copy[0] == '+']))
		return -EINVAL;
	value = strtod(copy, &end);
	if (end == copy)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		double scaled = value * suffixes[i].factor / (suffixes[i].is_ratio ? 100 : 1);

		if (strcmp(end, suffixes[i].text) != 0)
			continue;
		if (!isfinite(scaled))
			return -EINVAL;
		*ret = scaled;
		*ret_is_ratio = suffixes[i].is_ratio;
		return 0;
	}
	return -EINVAL;
}

size_t extract_find_rule(const struct extract_rules *rules, const char *name)
{
	size_t i = 0;

	while (i < rules->n && strcmp(rules->rules[i].name, name) != 0)
		i++;
	return i;
}

static int complain(char **ret_why, const char *what, const char *detail)
{
	if (asprintf(ret_why, "%s%s", what, detail) == -1) {
		*ret_why = NULL;
		return -ENOMEM;
	}
	return -EINVAL;
}

static int check_name(const struct extract_rules *rules, const char *name, char **ret_why)
{
	size_t n = strlen(name);

	if (n == 0 || n > EXTRACT_NAME_BYTES || strspn(name, NAME_CHARACTERS) != n)
		return complain(ret_why, "a name is 1 to 32 letters, digits and _ - . /", "");
	for (size_t i = 0; i < sizeof(taken_names) / sizeof(taken_names[0]); i++)
		if (strcmp(name, taken_names[i]) == 0)
			return complain(ret_why, "every run has this figure: take another name",
					"");
	if (extract_find_rule(rules, name) < rules->n)
		return complain(ret_why, "this name is given twice", "");
	return 0;
}

/* Cut ":higher" or ":lower" off the end of @regex. */
static enum extract_better cut_better(char *regex)
{
	static const char *const words[] = {
		[EXTRACT_BETTER_LOWER] = ":lower",
		[EXTRACT_BETTER_HIGHER] = ":higher",
	};

	for (size_t i = EXTRACT_BETTER_LOWER; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(regex), n_word = strlen(words[i]);

		if (n < n_word || strcmp(&regex[n - n_word], words[i]) != 0)
			continue;
		regex[n - n_word] = '\0';
		return (enum extract_better)i;
	}
	return EXTRACT_BETTER_UNKNOWN;
}

int extract_add_rule(struct extract_rules *rules, const char *text, char **ret_why)
{
	const char *equals = strchr(text, '=');
	cleanup(freep) char *name = NULL, *regex = NULL;
	enum extract_better better;
	char why[256];
	int r;

	*ret_why = NULL;
	if (!equals)
		return complain(ret_why, "must be NAME=REGEX", "");
	if (rules->n == EXTRACT_MOST_RULES)
		return complain(ret_why, "more than 16 are too many", "");
	name = strndup(text, (size_t)(equals - text));
	regex = strdup(equals + 1);
	if (!name || !regex)
		return -ENOMEM;
	r = check_name(rules, name, ret_why);
	if (r < 0)
		return r;
	better = cut_better(regex);
	if (regex[0] == '\0')
		return complain(ret_why, "the regular expression is empty", "");
	r = regcomp(&rules->rules[rules->n].regex, regex, REG_EXTENDED);
	if (r != 0) {
		(void)regerror(r, &rules->rules[rules->n].regex, why, sizeof(why));
		return complain(ret_why, "the regular expression is wrong: ", why);
	}
	rules->rules[rules->n].name = take_ptr(name);
	rules->rules[rules->n++].better = better;
	return 0;
}

void extract_rules_fini(struct extract_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		free(rules->rules[i].name);
		regfree(&rules->rules[i].regex);
	}
	rules->n = 0;
}

int extract_init(struct extract *extract, const struct extract_rules *rules,
		 struct extract_value *values)
{
	struct extract made = {.rules = rules, .values = values};

	for (size_t i = 0; i < EXTRACT_MOST_STREAMS; i++) {
		made.lines[i].text = malloc(EXTRACT_LINE_BYTES + 1);
		if (!made.lines[i].text) {
			extract_fini(&made);
			return -ENOMEM;
		}
	}
	memset(values, 0, rules->n * sizeof(*values));
	*extract = made;
	return 0;
}

void extract_fini(struct extract *extract)
{
	for (size_t i = 0; i < EXTRACT_MOST_STREAMS; i++)
		free(extract->lines[i].text);
	*extract = (struct extract){0};
}

/* Remember what matched for whoever has to say that it is no number. */
static void keep_text(struct extract_value *value, const char *text, size_t n)
{
	size_t most = sizeof(value->text) - 1;

	for (size_t i = 0; i < n && i < most; i++) {
		bool is_printable = text[i] >= ' ' && text[i] <= '~';

		value->text[i] = (char)(is_printable ? text[i] : '?');
	}
	value->text[n < most ? n : most] = '\0';
}

static void take_match(struct extract_value *value, const char *text, size_t n)
{
	int r = extract_number(text, n, &value->number, &value->is_ratio);

	value->state = r == 0 ? EXTRACT_FOUND : EXTRACT_NO_NUMBER;
	keep_text(value, text, n);
}

/* Look for the last match of a rule in a line. A group that took no part captured nothing. */
static void match_rule(const struct extract_rule *rule, const char *line, size_t n,
		       struct extract_value *value)
{
	size_t group = rule->regex.re_nsub > 0, begin = 0;
	regmatch_t match[2], last = {-1, -1};

	while (begin <= n) {
		match[0] = (regmatch_t){(regoff_t)begin, (regoff_t)n};
		if (regexec(&rule->regex, line, group + 1, match,
			    REG_STARTEND | (begin > 0 ? REG_NOTBOL : 0)) != 0)
			break;
		if (match[group].rm_so >= 0)
			last = match[group];
		begin = (size_t)match[0].rm_eo + (match[0].rm_eo == match[0].rm_so);
	}
	if (last.rm_so >= 0)
		take_match(value, &line[last.rm_so], (size_t)(last.rm_eo - last.rm_so));
}

/* Look at a line that is complete, and begin the next. */
static void match_line(struct extract *extract, struct extract_line *line)
{
	line->text[line->n] = '\0';
	for (size_t i = 0; i < extract->rules->n; i++)
		match_rule(&extract->rules->rules[i], line->text, line->n, &extract->values[i]);
	line->n = 0;
}

/* Append to the line that is not complete; what exceeds EXTRACT_LINE_BYTES is dropped. */
static void append(struct extract_line *line, const char *bytes, size_t n)
{
	size_t room = EXTRACT_LINE_BYTES - line->n;

	if (n > room)
		n = room;
	memcpy(&line->text[line->n], bytes, n);
	line->n += n;
}

void extract_feed(struct extract *extract, size_t stream, const char *bytes, size_t n)
{
	struct extract_line *line = &extract->lines[stream];

	while (n > 0) {
		const char *end = memchr(bytes, '\n', n);
		size_t length = end ? (size_t)(end - bytes) : n;

		append(line, bytes, length);
		if (!end)
			return;
		match_line(extract, line);
		bytes += length + 1;
		n -= length + 1;
	}
}

void extract_finish(struct extract *extract)
{
	for (size_t i = 0; i < EXTRACT_MOST_STREAMS; i++)
		if (extract->lines[i].n > 0)
			match_line(extract, &extract->lines[i]);
}
