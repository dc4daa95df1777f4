/* SPDX-License-Identifier: MIT */
/*
 * The CSV lines of bonnie++ 1.03, 27 fields each. What was too fast to measure ("+++++") or left
 * out (empty) has no value. Another machine, size or number of files is another test; the same
 * again is another run.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"

#define N_COLUMNS    27
#define NAME_COLUMN  0
#define SIZE_COLUMN  1
#define FILES_COLUMN 14

/* Below that many commas a line without blanks may be anything. */
#define FEW_COMMAS 4

/* More than 1.03 has ever written: 1.9x and 2 have two versions in front and twenty columns more.
 */
#define MANY_COLUMNS 40

#define RATE(name)                                                                                 \
	{                                                                                          \
		(name), "KiB/s", "higher"                                                          \
	}
#define PER_S(name)                                                                                \
	{                                                                                          \
		(name), "1/s", "higher"                                                            \
	}
#define PERCENT(name)                                                                              \
	{                                                                                          \
		(name), "ratio", "lower"                                                           \
	}

/* In the order of 1.03 when no header says otherwise. The first two and num_files are no figures.
 */
static const struct import_figure columns[N_COLUMNS] = {
	{"name", "", NULL},	 {"file_size", "", NULL},   RATE("putc"),
	PERCENT("putc_cpu"),	 RATE("put_block"),	    PERCENT("put_block_cpu"),
	RATE("rewrite"),	 PERCENT("rewrite_cpu"),    RATE("getc"),
	PERCENT("getc_cpu"),	 RATE("get_block"),	    PERCENT("get_block_cpu"),
	PER_S("seeks"),		 PERCENT("seeks_cpu"),	    {"num_files", "", NULL},
	PER_S("seq_create"),	 PERCENT("seq_create_cpu"), PER_S("seq_stat"),
	PERCENT("seq_stat_cpu"), PER_S("seq_del"),	    PERCENT("seq_del_cpu"),
	PER_S("ran_create"),	 PERCENT("ran_create_cpu"), PER_S("ran_stat"),
	PERCENT("ran_stat_cpu"), PER_S("ran_del"),	    PERCENT("ran_del_cpu"),
};

struct reader {
	struct import_log *log;
	struct import_builder *builder;
	size_t order[N_COLUMNS]; /* of the log's columns: which of `columns` each is */
};

static size_t count_columns(const char *line)
{
	size_t n = 1;

	for (; *line; line++)
		n += *line == ',';
	return n;
}

static bool is_csv(const char *line)
{
	return count_columns(line) > FEW_COMMAS && !strpbrk(line, " \t");
}

static int check_columns(const struct reader *reader, const char *line)
{
	size_t n = count_columns(line);

	if (n == N_COLUMNS)
		return 0;
	if (n > MANY_COLUMNS)
		return import_log_complain(reader->log, line,
					   "CSV of a newer bonnie++: expected that of 1.03, with "
					   "27 columns");
	return import_log_complain(reader->log, line + strlen(line),
				   n < N_COLUMNS ? "cut short: expected 27 columns"
						 : "too many columns: expected 27");
}

static bool is_named(const char *field, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(field, name, length) == 0;
}

static size_t find_column(const char *field, size_t length)
{
	size_t i = 0;

	while (i < N_COLUMNS && !is_named(field, length, columns[i].name))
		i++;
	return i;
}

static bool is_header(const char *line)
{
	return strncmp(line, "name,", 5) == 0 || strncmp(line, "format_version,", 15) == 0;
}

static int take_header(struct reader *reader, const char *line)
{
	bool seen[N_COLUMNS] = {false};
	int r = check_columns(reader, line);

	for (size_t i = 0; i < N_COLUMNS && r == 0; i++) {
		size_t length = strcspn(line, ","), column = find_column(line, length);

		if (column == N_COLUMNS || seen[column])
			return import_log_complain(
				reader->log, line,
				"not a column of bonnie++ 1.03, or twice: expected names "
				"such as put_block");
		seen[column] = true;
		reader->order[i] = column;
		line += length + 1;
	}
	import_log_use(reader->log, reader->log->number);
	return r;
}

/* The fields of one line, in the order of `columns`. */
struct fields {
	const char *at[N_COLUMNS];
	size_t length[N_COLUMNS];
};

static struct fields split(const struct reader *reader, const char *line)
{
	struct fields fields;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		size_t column = reader->order[i];

		fields.at[column] = line;
		fields.length[column] = strcspn(line, ",");
		line += fields.length[column] + 1;
	}
	return fields;
}

/* Return: whether a field says that there is no value. */
static bool is_nothing(const char *field, size_t length)
{
	return strspn(field, "+") >= length;
}

static int take_field(struct reader *reader, const struct fields *fields, size_t column)
{
	const struct import_figure *figure = &columns[column];
	struct import_scan scan = {.at = fields->at[column]};
	struct import_number number = {(double)NAN, 0};

	if (!is_nothing(fields->at[column], fields->length[column])) {
		if (!import_scan_number(&scan, &number))
			return import_log_complain_scan(reader->log, &scan);
		if (scan.at != fields->at[column] + fields->length[column]) {
			scan.wanted = "a number or +++++ between commas";
			return import_log_complain_scan(reader->log, &scan);
		}
		if (strcmp(figure->unit, "ratio") == 0)
			number.value /= 100;
	}
	return import_builder_set(reader->builder, figure, number, (double)NAN);
}

/* "MACHINE SIZE FILES"; free() it. */
static char *name_test(const struct fields *fields)
{
	char *name;

	if (asprintf(&name, "%.*s %.*s%s%.*s", (int)fields->length[NAME_COLUMN],
		     fields->at[NAME_COLUMN], (int)fields->length[SIZE_COLUMN],
		     fields->at[SIZE_COLUMN], fields->length[FILES_COLUMN] ? " " : "",
		     (int)fields->length[FILES_COLUMN], fields->at[FILES_COLUMN]) < 0)
		return NULL;
	return name;
}

static int begin_run(struct reader *reader, const struct fields *fields)
{
	cleanup(freep) char *name = name_test(fields);
	struct import_test test = {.name = name, .may_be_bare = true};
	int r = name ? 0 : -ENOMEM;

	if (r == 0)
		r = import_builder_side(reader->builder, reader->log->path, NULL, false);
	if (r == 0)
		r = import_builder_test(reader->builder, &test, false);
	return r < 0 ? r : import_builder_run(reader->builder, false);
}

static int take_values(struct reader *reader, const char *line)
{
	struct fields fields;
	int r = check_columns(reader, line);

	if (r < 0)
		return r;
	fields = split(reader, line);
	r = begin_run(reader, &fields);
	for (size_t i = 0; i < N_COLUMNS && r == 0; i++)
		if (i > SIZE_COLUMN && i != FILES_COLUMN)
			r = take_field(reader, &fields, i);
	import_log_use(reader->log, reader->log->number);
	return r;
}

int import_read_bonnie(struct import_log *log, struct import_builder *builder, const char *metric)
{
	struct reader reader = {.log = log, .builder = builder};
	int r;

	(void)metric;
	for (size_t i = 0; i < N_COLUMNS; i++)
		reader.order[i] = i;
	while ((r = import_log_next(log)) > 0) {
		const char *line = import_skip_quote(log->line);

		if (is_csv(line))
			r = is_header(line) ? take_header(&reader, line)
					    : take_values(&reader, line);
		if (r < 0)
			break;
	}
	return r;
}
