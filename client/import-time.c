/* SPDX-License-Identifier: MIT */
/*
 * What GNU time writes. By default two lines,
 *
 *     0.03user 131.66system 2:26.62elapsed 89%CPU (0avgtext+0avgdata 0maxresident)k
 *     0inputs+0outputs (439major+100minor)pagefaults 0swaps
 *
 * of which only the first is kept; and its -v and -p. A line before them says when the command
 * failed.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"
#include "import-headings.h"
#include "import-real.h"
#include "import-verbose.h"

static const struct import_figure maxresident = {"maxresident", "KiB", "lower"};

struct reader {
	struct import_log *log;
	struct import_builder *builder;
	struct import_headings headings;
	struct import_real real;
	struct import_verbose verbose;
	bool failed;	    /* said before the figures of that run */
	bool second_may_be; /* the second line of a block may come */
};

static void fini(struct reader *reader)
{
	import_headings_fini(&reader->headings);
}

/* Return: whether a number with @unit right behind it stands somewhere in the line. */
static bool has_number_with(const char *line, const char *unit)
{
	size_t length = strlen(unit);

	for (const char *at = line; (at = strstr(at, unit)); at++)
		if (at > line && at[-1] >= '0' && at[-1] <= '9' &&
		    (at[length] == '\0' || at[length] == ' '))
			return true;
	return false;
}

static bool is_first(const char *line)
{
	return has_number_with(line, "user") || has_number_with(line, "system") ||
	       has_number_with(line, "elapsed");
}

static bool is_second(const char *line)
{
	return (*line >= '0' && *line <= '9' && strstr(line, "inputs+")) ||
	       strstr(line, "minor)pagefaults");
}

/* "89%CPU", "?%CPU". */
static bool scan_share(struct import_scan *scan)
{
	if (*scan->at == '?')
		scan->at++;
	else if (!import_scan_digits(scan))
		return false;
	return import_scan_text(scan, "%CPU");
}

/* " (0avgtext+0avgdata 1600maxresident)k"; the oldest versions have none. */
static bool scan_memory(struct import_scan *scan, struct import_number *ret)
{
	*ret = (struct import_number){0};
	if (*scan->at == '\0')
		return true;
	return import_scan_text(scan, " (") && import_scan_digits(scan) &&
	       import_scan_text(scan, "avgtext+") && import_scan_digits(scan) &&
	       import_scan_text(scan, "avgdata ") && import_scan_number(scan, ret) &&
	       import_scan_text(scan, "maxresident)k");
}

/* @times: elapsed, user, system. */
static int take_run(struct reader *reader, const struct import_number *times,
		    struct import_number memory)
{
	int r = import_headings_begin_run(&reader->headings, reader->log, reader->builder,
					  reader->failed);

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = import_builder_set(reader->builder, &import_real_figures[i], times[i],
				       (double)NAN);
	if (r == 0 && memory.value > 0)
		r = import_builder_set(reader->builder, &maxresident, memory, (double)NAN);
	reader->failed = false;
	return r;
}

static int take_first(struct reader *reader, const char *line)
{
	struct import_scan scan = {.at = line};
	struct import_number times[3], memory;

	if (!import_scan_number(&scan, &times[1]) || !import_scan_text(&scan, "user ") ||
	    !import_scan_number(&scan, &times[2]) || !import_scan_text(&scan, "system ") ||
	    !import_scan_clock(&scan, &times[0]) || !import_scan_text(&scan, "elapsed ") ||
	    !scan_share(&scan) || !scan_memory(&scan, &memory) || !import_scan_end(&scan))
		return import_log_complain_scan(reader->log, &scan);
	import_builder_not_kept(reader->builder, "CPU share");
	reader->second_may_be = true;
	return take_run(reader, times, memory);
}

static int take_second(struct reader *reader, const char *line)
{
	struct import_scan scan = {.at = line};

	if (!reader->second_may_be)
		return import_log_complain(reader->log, line,
					   "the second line of a block without its first: expected "
					   "user, system and elapsed before it");
	if (!import_scan_digits(&scan) || !import_scan_text(&scan, "inputs+") ||
	    !import_scan_digits(&scan) || !import_scan_text(&scan, "outputs (") ||
	    !import_scan_digits(&scan) || !import_scan_text(&scan, "major+") ||
	    !import_scan_digits(&scan) || !import_scan_text(&scan, "minor)pagefaults ") ||
	    !import_scan_digits(&scan) || !import_scan_text(&scan, "swaps") ||
	    !import_scan_end(&scan))
		return import_log_complain_scan(reader->log, &scan);
	reader->second_may_be = false;
	import_builder_not_kept(reader->builder, "inputs and outputs");
	import_builder_not_kept(reader->builder, "page faults");
	import_builder_not_kept(reader->builder, "swaps");
	return 0;
}

/* Return: 0; -ENOENT: the line does not say that a command failed; -EINVAL after a complaint. */
static int take_failure(struct reader *reader, const char *line)
{
	static const char *const begins[] = {"Command exited with non-zero status",
					     "Command terminated by signal",
					     "Command stopped by signal"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		struct import_scan scan = {.at = line + strlen(begins[i])};

		if (strncmp(line, begins[i], strlen(begins[i])) != 0)
			continue;
		if (!import_scan_blanks(&scan) || !import_scan_digits(&scan) ||
		    !import_scan_end(&scan))
			return import_log_complain_scan(reader->log, &scan);
		reader->failed = true;
		return 0;
	}
	return -ENOENT;
}

static int take_verbose(struct reader *reader)
{
	const struct import_verbose *verbose = &reader->verbose;
	const struct import_number times[] = {verbose->elapsed, verbose->user, verbose->system};

	int r;

	if (verbose->exit_status.value > 0)
		reader->failed = true;
	import_builder_not_kept(reader->builder, "the other figures of -v");
	r = take_run(reader, times, verbose->maxresident);
	/* Every such block names its own. */
	import_headings_drop_command(&reader->headings);
	return r;
}

/* Return: 0; -ENOENT: the line belongs to none of the longer blocks; as import_read otherwise. */
static int take_block(struct reader *reader)
{
	const struct import_number none = {0};
	int r = import_real_read(&reader->real, reader->log);

	if (r > 0)
		return take_run(reader, reader->real.numbers, none);
	if (r != -ENOENT)
		return r;
	r = import_verbose_read(&reader->verbose, reader->log, &reader->headings);
	return r > 0 ? take_verbose(reader) : r;
}

static int take_line(struct reader *reader)
{
	const char *line = import_skip_quote(reader->log->line);
	int r = take_failure(reader, line);

	if (r == -ENOENT && is_first(line))
		r = take_first(reader, line);
	else if (r == -ENOENT && is_second(line))
		r = take_second(reader, line);
	else if (r == -ENOENT)
		r = take_block(reader);
	if (r == -ENOENT)
		return import_headings_note(&reader->headings, reader->log);
	import_headings_note_data(&reader->headings, reader->log);
	import_log_use(reader->log, reader->log->number);
	return r;
}

static int check_end(const struct reader *reader)
{
	const struct import_log *log = reader->log;
	int r = import_real_end(&reader->real, log);

	if (r == 0)
		r = import_verbose_end(&reader->verbose, log);
	if (r == 0 && reader->failed)
		return import_log_complain(log, log->line + strlen(log->line),
					   "cut short: expected the figures of the command that "
					   "failed");
	return r;
}

int import_read_time(struct import_log *log, struct import_builder *builder, const char *metric)
{
	cleanup(fini) struct reader reader = {.log = log, .builder = builder};
	int r;

	(void)metric;
	while ((r = import_log_next(log)) > 0) {
		r = take_line(&reader);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : check_end(&reader);
}
