/* SPDX-License-Identifier: MIT */
/*
 * See import-verbose.h.
 */
#include "import-verbose.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define COMMAND "Command being timed:"

/* The lines whose figures are kept. All but the memory must be there. */
static const struct {
	const char *begin;
	const char *missing;
	size_t member;
	bool (*scan)(struct import_scan *scan, struct import_number *ret);
} kept[] = {
	{"User time (seconds): ", "no user time in the block: expected User time (seconds)",
	 offsetof(struct import_verbose, user), import_scan_number},
	{"System time (seconds): ", "no system time in the block: expected System time (seconds)",
	 offsetof(struct import_verbose, system), import_scan_number},
	{"Elapsed (wall clock) time (h:mm:ss or m:ss): ",
	 "no elapsed time in the block: expected Elapsed (wall clock) time",
	 offsetof(struct import_verbose, elapsed), import_scan_clock},
	{"Exit status: ", "a block without its last line: expected Exit status",
	 offsetof(struct import_verbose, exit_status), import_scan_number},
	{"Maximum resident set size (kbytes): ", NULL, offsetof(struct import_verbose, maxresident),
	 import_scan_number},
};

#define N_KEPT	    (sizeof(kept) / sizeof(kept[0]))
#define EXIT_STATUS 3

static const char *const not_kept[] = {
	"Percent of CPU this job got: ",
	"Average ",
	"Major (requiring I/O) page faults: ",
	"Minor (reclaiming a frame) page faults: ",
	"Voluntary context switches: ",
	"Involuntary context switches: ",
	"Swaps: ",
	"File system inputs: ",
	"File system outputs: ",
	"Socket messages ",
	"Signals delivered: ",
	"Page size (bytes): ",
};

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static bool is_not_kept(const char *line)
{
	for (size_t i = 0; i < sizeof(not_kept) / sizeof(not_kept[0]); i++)
		if (begins(line, not_kept[i]))
			return true;
	return false;
}

static size_t find_kept(const char *line)
{
	size_t i = 0;

	while (i < N_KEPT && !begins(line, kept[i].begin))
		i++;
	return i;
}

/* Complain when a block that ends at @at lacks one of the lines before @end of the table. */
static int check_seen(const struct import_verbose *verbose, const struct import_log *log,
		      const char *at, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (kept[i].missing && !(verbose->seen & (1U << i)))
			return import_log_complain(log, at, kept[i].missing);
	return 0;
}

static int open_block(struct import_verbose *verbose, struct import_log *log, const char *line,
		      struct import_headings *headings)
{
	const char *command = line + strlen(COMMAND " ");
	size_t length = strlen(command);

	if (verbose->is_open)
		return import_log_complain(log, line, kept[EXIT_STATUS].missing);
	if (length < 3 || command[0] != '"' || command[length - 1] != '"')
		return import_log_complain(log, command,
					   "malformed: expected the command in quotation marks");
	*verbose = (struct import_verbose){.is_open = true};
	import_log_use(log, log->number);
	return import_headings_take_command(headings, log, command + 1, length - 2);
}

static int take_kept(struct import_verbose *verbose, struct import_log *log, const char *line,
		     size_t index)
{
	struct import_scan scan = {.at = line + strlen(kept[index].begin)};
	struct import_number *number = (void *)((char *)verbose + kept[index].member);
	int r;

	if (!verbose->is_open)
		return import_log_complain(log, line,
					   "a block without its first line: expected " COMMAND);
	if (!kept[index].scan(&scan, number) || !import_scan_end(&scan))
		return import_log_complain_scan(log, &scan);
	import_log_use(log, log->number);
	verbose->seen |= 1U << index;
	if (index != EXIT_STATUS)
		return 0;
	r = check_seen(verbose, log, line, EXIT_STATUS);
	verbose->is_open = false;
	return r < 0 ? r : 1;
}

int import_verbose_read(struct import_verbose *verbose, struct import_log *log,
			struct import_headings *headings)
{
	const char *line = import_skip_quote(log->line);
	size_t index = find_kept(line);

	if (begins(line, COMMAND " "))
		return open_block(verbose, log, line, headings);
	if (index < N_KEPT)
		return take_kept(verbose, log, line, index);
	if (!verbose->is_open || !is_not_kept(line))
		return -ENOENT;
	import_log_use(log, log->number);
	return 0;
}

int import_verbose_end(const struct import_verbose *verbose, const struct import_log *log)
{
	const char *end = log->line ? log->line + strlen(log->line) : NULL;

	return verbose->is_open ? check_seen(verbose, log, end, N_KEPT) : 0;
}
