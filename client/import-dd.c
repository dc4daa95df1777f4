/* SPDX-License-Identifier: MIT */
/*
 * What dd writes at its end,
 *
 *     512000000 bytes (512 MB, 488 MiB) copied, 17.0184 s, 30.1 MB/s
 *     512000000 bytes transferred in 17.018413 secs (30085062 bytes/sec)
 *
 * and tables of it: seconds, bytes/s and, if somebody timed it too, bash's real, user and sys.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"
#include "import-headings.h"

enum figure {
	ELAPSED,
	THROUGHPUT,
	REAL,
	USER,
	SYSTEM,
	N_FIGURES,
};

static const struct import_figure figures[N_FIGURES] = {
	[ELAPSED] = {"elapsed", "s", "lower"}, [THROUGHPUT] = {"throughput", "B/s", "higher"},
	[REAL] = {"real", "s", "lower"},       [USER] = {"user", "s", "lower"},
	[SYSTEM] = {"system", "s", "lower"},
};

static const struct {
	const char *name;
	double factor;
} units[] = {
	{"B", 1},
	{"kB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"KiB", 1024.0},
	{"MiB", 1024.0 * 1024},
	{"GiB", 1024.0 * 1024 * 1024},
	{"TiB", 1024.0 * 1024 * 1024 * 1024},
};

struct reader {
	struct import_log *log;
	struct import_builder *builder;
	struct import_headings headings;
	bool in_table; /* the line before was a row */
};

static void fini(struct reader *reader)
{
	import_headings_fini(&reader->headings);
}

static int take_run(struct reader *reader, const struct import_number *numbers, size_t n)
{
	int r = import_headings_begin_run(&reader->headings, reader->log, reader->builder, false);

	for (size_t i = 0; i < n && r == 0; i++)
		r = import_builder_set(reader->builder, &figures[i], numbers[i], (double)NAN);
	import_headings_note_data(&reader->headings, reader->log);
	import_log_use(reader->log, reader->log->number);
	return r;
}

/* "MB/s"; the number becomes one of bytes, without digits behind the point. */
static bool scan_unit(struct import_scan *scan, struct import_number *number)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].name);

		if (strncmp(scan->at, units[i].name, length) != 0 ||
		    strncmp(scan->at + length, "/s", 2) != 0)
			continue;
		scan->at += length + 2;
		*number = (struct import_number){number->value * units[i].factor, 0};
		return true;
	}
	scan->wanted = "a unit such as MB/s";
	return false;
}

/* dd that took no measurable time says "Infinity B/s". */
static bool scan_rate(struct import_scan *scan, struct import_number *ret)
{
	if (strncmp(scan->at, "Infinity", 8) == 0) {
		scan->at += 8;
		*ret = (struct import_number){(double)NAN, 0};
	} else if (!import_scan_local_number(scan, ret)) {
		return false;
	}
	return import_scan_text(scan, " ") && scan_unit(scan, ret);
}

/* " s" of today's, " seconds" of dd before coreutils 6.10. */
static bool scan_seconds(struct import_scan *scan)
{
	return import_scan_text(scan, strncmp(scan->at, " seconds", 8) == 0 ? " seconds" : " s");
}

static bool scan_copied(struct import_scan *scan, struct import_number *numbers)
{
	if (strncmp(scan->at, " (", 2) == 0)
		scan->at += strcspn(scan->at, ")") + (strchr(scan->at, ')') ? 1 : 0);
	return import_scan_text(scan, " copied, ") &&
	       import_scan_local_number(scan, &numbers[ELAPSED]) && scan_seconds(scan) &&
	       import_scan_text(scan, ", ") && scan_rate(scan, &numbers[THROUGHPUT]) &&
	       import_scan_end(scan);
}

static bool scan_transferred(struct import_scan *scan, struct import_number *numbers)
{
	return import_scan_text(scan, " transferred in ") &&
	       import_scan_local_number(scan, &numbers[ELAPSED]) &&
	       import_scan_text(scan, " secs (") &&
	       import_scan_local_number(scan, &numbers[THROUGHPUT]) &&
	       import_scan_text(scan, " bytes/sec)") && import_scan_end(scan);
}

/* Digits, " bytes" and more: the line that dd ends with. */
static bool is_summary(const char *line)
{
	size_t n = strspn(line, "0123456789");

	return n > 0 && strncmp(line + n, " byte", 5) == 0;
}

static int take_summary(struct reader *reader, const char *line)
{
	struct import_number numbers[N_FIGURES];
	struct import_scan scan = {.at = line};
	const char *behind;
	bool good;

	(void)import_scan_digits(&scan);
	(void)import_scan_text(&scan, " byte");
	scan.at += *scan.at == 's' ? 1 : 0;
	behind = scan.at;
	good = strncmp(behind, " transferred", 12) == 0 ? scan_transferred(&scan, numbers)
							: scan_copied(&scan, numbers);
	if (!good)
		return import_log_complain_scan(reader->log, &scan);
	return take_run(reader, numbers, THROUGHPUT + 1);
}

/* "5000+0 records in": dd's other lines. */
static bool is_records(const char *line)
{
	struct import_scan scan = {.at = line};

	return import_scan_digits(&scan) && import_scan_text(&scan, "+") &&
	       import_scan_digits(&scan) && import_scan_text(&scan, " records ") &&
	       (strcmp(scan.at, "in") == 0 || strcmp(scan.at, "out") == 0);
}

/* A row is what begins with a number below other rows; the first has two and no prose behind. */
static bool is_row(const struct reader *reader, const char *line)
{
	struct import_scan scan = {.at = line};
	struct import_number number;

	if (!import_scan_local_number(&scan, &number))
		return false;
	if (reader->in_table)
		return true;
	return import_scan_blanks(&scan) && import_scan_local_number(&scan, &number) &&
	       (import_scan_end(&scan) || (*scan.at >= '0' && *scan.at <= '9'));
}

static int take_row(struct reader *reader, const char *line)
{
	struct import_number numbers[N_FIGURES];
	struct import_scan scan = {.at = line};
	size_t n = THROUGHPUT + 1;
	bool good = import_scan_local_number(&scan, &numbers[ELAPSED]) &&
		    import_scan_blanks(&scan) &&
		    import_scan_local_number(&scan, &numbers[THROUGHPUT]);

	if (good && scan.at[strspn(scan.at, " \t")] != '\0') {
		for (; n < N_FIGURES && good; n++)
			good = import_scan_blanks(&scan) && import_scan_minutes(&scan, &numbers[n]);
	}
	if (!good || !import_scan_end(&scan))
		return import_log_complain_scan(reader->log, &scan);
	reader->in_table = true;
	return take_run(reader, numbers, n);
}

static int take_line(struct reader *reader)
{
	const char *line = import_skip_quote(reader->log->line);

	if (is_summary(line))
		return take_summary(reader, line);
	if (is_row(reader, line))
		return take_row(reader, line);
	reader->in_table = false;
	if (!is_records(line))
		return import_headings_note(&reader->headings, reader->log);
	import_builder_not_kept(reader->builder, "records in and out");
	import_headings_note_data(&reader->headings, reader->log);
	import_log_use(reader->log, reader->log->number);
	return 0;
}

int import_read_dd(struct import_log *log, struct import_builder *builder, const char *metric)
{
	cleanup(fini) struct reader reader = {.log = log, .builder = builder};
	int r;

	(void)metric;
	while ((r = import_log_next(log)) > 0) {
		r = take_line(&reader);
		if (r < 0)
			break;
	}
	return r;
}
