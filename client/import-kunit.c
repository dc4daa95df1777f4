/* SPDX-License-Identifier: MIT */
/*
 * Benchmarks among the kernel's KUnit tests: "NAME: avg 395 uS, stddev 46 uS", behind whatever the
 * kernel's log puts before it. The same name again is another run.
 */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "import-format.h"

static const struct import_figure average = {"avg", "us", "lower"};

#define AVERAGE ": avg "

static bool scan_microseconds(struct import_scan *scan)
{
	if (strncmp(scan->at, " us", 3) == 0)
		return import_scan_text(scan, " us");
	return import_scan_text(scan, " uS");
}

static bool scan_figures(struct import_scan *scan, struct import_number *ret_average,
			 struct import_number *ret_spread)
{
	return import_scan_text(scan, AVERAGE) && import_scan_number(scan, ret_average) &&
	       scan_microseconds(scan) && import_scan_text(scan, ", stddev ") &&
	       import_scan_number(scan, ret_spread) && scan_microseconds(scan) &&
	       import_scan_end(scan);
}

/* @begin: ": avg " in the current line */
static int take_line(struct import_log *log, struct import_builder *builder, const char *begin)
{
	struct import_scan scan = {.at = begin};
	struct import_number value, spread;
	const char *name = begin;
	cleanup(freep) char *copy = NULL;
	struct import_test test = {0};
	int r;

	while (name > log->line && !strchr(" \t", name[-1]))
		name--;
	if (name == begin)
		return import_log_complain(log, begin, "no name: expected NAME: avg");
	if (!scan_figures(&scan, &value, &spread))
		return import_log_complain_scan(log, &scan);
	copy = strndup(name, (size_t)(begin - name));
	if (!copy)
		return -ENOMEM;
	test.name = copy;
	import_log_use(log, log->number);
	r = import_builder_side(builder, log->path, NULL, false);
	if (r == 0)
		r = import_builder_test(builder, &test, false);
	if (r == 0)
		r = import_builder_run(builder, false);
	return r < 0 ? r : import_builder_set(builder, &average, value, spread.value);
}

/* Behind ": avg ": prose may have that as well. */
static bool is_data(const char *at)
{
	return *at == '\0' || (*at >= '0' && *at <= '9');
}

int import_read_kunit(struct import_log *log, struct import_builder *builder, const char *metric)
{
	int r;

	(void)metric;
	while ((r = import_log_next(log)) > 0) {
		const char *begin = strstr(log->line, AVERAGE);

		if (!begin || !is_data(begin + strlen(AVERAGE)))
			continue;
		r = take_line(log, builder, begin);
		if (r < 0)
			break;
	}
	return r;
}
