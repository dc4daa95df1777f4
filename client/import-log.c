/* SPDX-License-Identifier: MIT */
/*
 * See import-log.h.
 */
#include "import-log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"

#define FIRST_CAPACITY ((size_t)64 * 1024)

static int complain(const struct import_log *log, const char *what)
{
	(void)fprintf(stderr, "%s: %s: %s\n", log->program, log->path, what);
	return -EINVAL;
}

static int grow(struct import_log *log, size_t *capacity)
{
	size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;
	char *grown = realloc(log->text, wanted + 1);

	if (!grown)
		return -ENOMEM;
	log->text = grown;
	*capacity = wanted;
	return 0;
}

static int complain_binary(const struct import_log *log, const char *nul)
{
	size_t line = 1;
	const char *begin = log->text;

	for (const char *at = log->text; at < nul; at++) {
		if (*at == '\n') {
			line++;
			begin = at + 1;
		}
	}
	(void)fprintf(stderr, "%s: %s:%zu:%zu: a NUL byte: expected text\n", log->program,
		      log->path, line, (size_t)(nul - begin) + 1);
	return -EINVAL;
}

static int read_all(struct import_log *log, FILE *file)
{
	size_t capacity = 0;
	size_t n = 1;

	while (n > 0) {
		const char *nul;

		if (log->length == capacity && grow(log, &capacity) < 0)
			return -ENOMEM;
		n = fread(log->text + log->length, 1, capacity - log->length, file);
		nul = memchr(log->text + log->length, '\0', n);
		if (nul)
			return complain_binary(log, nul);
		log->length += n;
		if (log->length > IMPORT_MOST_BYTES)
			return complain(log, "above 64 MiB: expected a log");
	}
	log->text[log->length] = '\0';
	return ferror(file) ? -(errno ? errno : EIO) : 0;
}

static int allocate_lines(struct import_log *log)
{
	size_t n = 1;

	for (size_t i = 0; i < log->length; i++)
		n += log->text[i] == '\n';
	log->lines = calloc(n, sizeof(log->lines[0]));
	return log->lines ? 0 : -ENOMEM;
}

int import_log_open(const char *program, const char *path, struct import_log *ret)
{
	bool is_stdin = strcmp(path, "-") == 0;
	cleanup(fclosep) FILE *opened = is_stdin ? NULL : fopen(path, "re");
	int r;

	*ret = (struct import_log){.program = program, .path = path};
	if (!is_stdin && !opened) {
		r = -errno;
	} else {
		errno = 0;
		r = read_all(ret, is_stdin ? stdin : opened);
	}
	if (r == 0)
		r = allocate_lines(ret);
	if (r < 0 && r != -EINVAL)
		(void)complain(ret, strerror(-r));
	return r;
}

void import_log_fini(struct import_log *log)
{
	free(log->text);
	free(log->lines);
	*log = (struct import_log){0};
}

static void begin_line(struct import_log *log, size_t offset)
{
	log->lines[log->number++].begin = (uint32_t)offset & 0x7fffffffU;
}

int import_log_next(struct import_log *log)
{
	char *line = log->text + log->offset;
	size_t rest = log->length - log->offset, length;
	char *end;

	if (rest == 0)
		return 0;
	end = memchr(line, '\n', rest);
	length = end ? (size_t)(end - line) : rest;
	begin_line(log, log->offset);
	log->offset += length + (end ? 1 : 0);
	log->line = line;
	line[length] = '\0';
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	if (length > IMPORT_MOST_LINE)
		return import_log_complain(log, line + IMPORT_MOST_LINE,
					   "the line is too long: expected at most 64 KiB");
	return 1;
}

void import_log_skip(struct import_log *log, size_t n_bytes)
{
	size_t end = log->offset + n_bytes;

	while (log->offset < end) {
		const char *line = log->text + log->offset;
		const char *newline = strchr(line, '\n');

		begin_line(log, log->offset);
		import_log_use(log, log->number);
		log->offset = newline ? (size_t)(newline + 1 - log->text) : log->length;
	}
}

void import_log_use(struct import_log *log, size_t number)
{
	log->lines[number - 1].is_used = 1;
}

static void list_line(FILE *list, size_t number, const char *line)
{
	(void)fprintf(list, "%6zu  ", number);
	ascii_write(list, line);
	(void)fputc('\n', list);
}

size_t import_log_left_out(const struct import_log *log, FILE *list)
{
	size_t n = 0;

	for (size_t i = 0; i < log->number; i++) {
		const char *line = log->text + log->lines[i].begin;

		if (log->lines[i].is_used || line[strspn(line, " \t")] == '\0')
			continue;
		n++;
		if (list)
			list_line(list, i + 1, line);
	}
	return n;
}

int import_log_complain(const struct import_log *log, const char *at, const char *what)
{
	(void)fprintf(stderr, "%s: %s:%zu:%zu: %s\n", log->program, log->path, log->number,
		      (size_t)(at - log->line) + 1, what);
	return -EINVAL;
}

/* Return: whether the line ends where the scan failed, or within what was wanted there. */
static bool is_cut(const struct import_scan *scan)
{
	return *scan->at == '\0' ||
	       (scan->is_literal && strncmp(scan->at, scan->wanted, strlen(scan->at)) == 0);
}

int import_log_complain_scan(const struct import_log *log, const struct import_scan *scan)
{
	const char *what = scan->too_large ? "too large" : is_cut(scan) ? "cut short" : "malformed";
	const char *quote = scan->is_literal ? "\"" : "";

	(void)fprintf(stderr, "%s: %s:%zu:%zu: %s: expected %s%s%s\n", log->program, log->path,
		      log->number, (size_t)(scan->at - log->line) + 1, what, quote, scan->wanted,
		      quote);
	return -EINVAL;
}
