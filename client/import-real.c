/* SPDX-License-Identifier: MIT */
/*
 * See import-real.h.
 */
#include "import-real.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {"real", "user", "sys"};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

const struct import_figure import_real_figures[3] = {
	{"elapsed", "s", "lower"},
	{"user", "s", "lower"},
	{"system", "s", "lower"},
};

/* Return: where the name of the line ends; NULL: it has none of the names. */
static const char *find_name(const char *line, size_t *ret_name)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(line, names[i], length) == 0 && line[length] &&
		    strchr(" \t", line[length])) {
			*ret_name = i;
			return line + length;
		}
	}
	return NULL;
}

/* Prose may begin so too: "user 3 said". A number alone is data, and so is one with minutes. */
static bool is_data(const char *behind)
{
	const char *token = behind + strspn(behind, " \t");
	size_t length = strcspn(token, " \t");

	return *token >= '0' && *token <= '9' &&
	       (token[length + strspn(token + length, " \t")] == '\0' ||
		memchr(token, 'm', length));
}

static int complain_missing(const struct import_real *real, const struct import_log *log,
			    const char *at)
{
	static const char *const what[] = {
		"a block of three without its first line: expected real",
		"a block of three without its second line: expected user",
		"a block of three without its last line: expected sys",
	};

	return import_log_complain(log, at, what[real->n]);
}

int import_real_read(struct import_real *real, struct import_log *log)
{
	const char *line = import_skip_quote(log->line);
	size_t name = 0;
	const char *behind = find_name(line, &name);
	struct import_scan scan = {.at = behind};

	if (!behind || !is_data(behind)) {
		if (real->n > 0 && *line)
			return complain_missing(real, log, line);
		return -ENOENT;
	}
	if (name != real->n)
		return complain_missing(real, log, line);
	if (!import_scan_blanks(&scan) || !import_scan_minutes(&scan, &real->numbers[name]) ||
	    !import_scan_end(&scan))
		return import_log_complain_scan(log, &scan);
	import_log_use(log, log->number);
	real->n = (real->n + 1) % N_NAMES;
	return real->n == 0;
}

int import_real_end(const struct import_real *real, const struct import_log *log)
{
	return real->n == 0 ? 0 : complain_missing(real, log, log->line + strlen(log->line));
}
