/* SPDX-License-Identifier: MIT */
/*
 * See print.h. Sentences that qualify the figures stand in print-notes.c.
 */
#include "print.h"

#include <libsmartcols/libsmartcols.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "facts.h"
#include "json.h"
#include "number.h"
#include "observer.h"
#include "print-metrics.h"
#include "print-notes.h"

#define WIDTH 72
#define LABEL 19
#define MIB   (1024.0 * 1024.0)

/* One line of the summary. */
#define print_row(file, label, ...) facts_print_fact(file, 2, LABEL, label, __VA_ARGS__)

static struct number percent(double ratio)
{
	return number_format(ratio * 100, 2);
}

static struct number seconds(double value)
{
	return number_format(value, value < 9.95 ? 1 : 0);
}

static double mean_of(const json_t *document, const char *name)
{
	return json_get_number(json_object_get(json_object_get(document, "summary"), name), "mean");
}

static const char *signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

static void format_status(const json_t *run, char *text, size_t size)
{
	int64_t code = json_get_integer(run, "exit_status", -1);
	int signal = (int)json_get_integer(run, "signal", -1);

	if (code >= 0)
		(void)snprintf(text, size, "exit %d", (int)code);
	else if (signal >= 0)
		(void)snprintf(text, size, "SIG%s", signal_name(signal));
	else
		(void)snprintf(text, size, "not run");
	if (json_is_true(json_object_get(run, "incomplete")))
		(void)snprintf(text, size, "cut off");
	else if (isnan(json_get_number(run, "untrimmed_load_ratio")))
		(void)snprintf(text, size, "not measured");
}

static void format_trimmed(const json_t *run, char *text, size_t size)
{
	int64_t cut = json_get_integer(run, "samples_cut", -1);

	if (cut < 0)
		(void)snprintf(text, size, "-");
	else if (json_is_true(json_object_get(run, "short")))
		(void)snprintf(text, size, "short");
	else
		(void)snprintf(text, size, "%lld + %lld", (long long)cut / 2, (long long)cut / 2);
}

enum column {
	COLUMN_RUN,
	COLUMN_LOAD,
	COLUMN_SECONDS,
	COLUMN_TRIMMED,
	COLUMN_SLOWED,
	COLUMN_INTERRUPTIONS,
	COLUMN_STATUS,
	N_COLUMNS,
};

static const struct {
	const char *heading;
	int flags;
} columns[N_COLUMNS] = {
	[COLUMN_RUN] = {"  run", SCOLS_FL_RIGHT},
	[COLUMN_LOAD] = {"    load", SCOLS_FL_RIGHT},
	[COLUMN_SECONDS] = {"  seconds", SCOLS_FL_RIGHT},
	[COLUMN_TRIMMED] = {"  trimmed", SCOLS_FL_RIGHT},
	[COLUMN_SLOWED] = {"  slowed", SCOLS_FL_RIGHT},
	[COLUMN_INTERRUPTIONS] = {"  intr/s", SCOLS_FL_RIGHT},
	[COLUMN_STATUS] = {" status", 0},
};

static void set_cell(struct libscols_line *line, enum column column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void set_cell(struct libscols_line *line, enum column column, const char *format, ...)
{
	char text[64];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	(void)scols_line_set_data(line, column, text);
}

static void fill_line(struct libscols_line *line, const json_t *run, long long n_requested)
{
	char status[32], trimmed[64];

	format_status(run, status, sizeof(status));
	format_trimmed(run, trimmed, sizeof(trimmed));
	set_cell(line, COLUMN_RUN, "%lld/%lld", (long long)json_get_integer(run, "run_index", 0),
		 n_requested);
	set_cell(line, COLUMN_LOAD, "%s %%", percent(json_get_number(run, "load_ratio")).text);
	set_cell(line, COLUMN_SECONDS, "%s", seconds(json_get_number(run, "elapsed_seconds")).text);
	set_cell(line, COLUMN_TRIMMED, "%s", trimmed);
	set_cell(line, COLUMN_SLOWED, "%s %%", percent(json_get_number(run, "slowed_ratio")).text);
	set_cell(line, COLUMN_INTERRUPTIONS, "%s",
		 number_format(json_get_number(run, "interruptions_per_second"), 0).text);
	set_cell(line, COLUMN_STATUS, " %s", status);
}

static void print_runs(FILE *file, const json_t *document)
{
	struct libscols_table *table = scols_new_table();
	const json_t *run;
	size_t index;

	if (!table)
		return;
	(void)scols_table_set_stream(table, file);
	(void)scols_table_set_termwidth(table, WIDTH);
	(void)scols_table_set_termforce(table, SCOLS_TERMFORCE_ALWAYS);
	for (int c = 0; c < N_COLUMNS; c++)
		(void)scols_table_new_column(table, columns[c].heading, 0, columns[c].flags);
	json_array_foreach (json_object_get(document, "runs"), index, run) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		if (line)
			fill_line(line, run,
				  (long long)json_get_integer(document, "runs_requested", 0));
	}
	if (json_array_size(json_object_get(document, "runs")) > 0)
		(void)scols_print_table(table);
	scols_unref_table(table);
}

/* The side's name and its command, as one would type it. */
static void print_title(FILE *file, const json_t *document)
{
	const char *label = json_get_string(document, "label");
	cleanup(freep) char *text = NULL;
	const json_t *argument;
	size_t index, size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return;
	ascii_write(stream, label);
	(void)fputs(label ? ":" : "", stream);
	json_array_foreach (json_object_get(document, "command"), index, argument) {
		(void)fputs(index || label ? " " : "", stream);
		ascii_write(stream, json_string_value(argument));
	}
	if (fclose(stream) == 0)
		facts_print_wrapped(file, "", text);
}

static void print_load(FILE *file, const json_t *document)
{
	const json_t *load = json_object_get(json_object_get(document, "summary"), "load_ratio");
	long long n = (long long)json_get_integer(load, "n", 0);
	struct number mean = percent(json_get_number(load, "mean"));

	if (n == 0)
		print_row(file, "CPU load", "-  no run counts");
	else if (n == 1)
		print_row(file, "CPU load", "%s %%  one run: no interval", mean.text);
	else
		print_row(file, "CPU load", "%s %%  [%s, %s]  95%% CI of the mean, %lld runs",
			  mean.text, percent(json_get_number(load, "ci_low")).text,
			  percent(json_get_number(load, "ci_high")).text, n);
}

static void print_accounting(FILE *file, const json_t *document)
{
	double accounted = mean_of(document, "accounted_ratio");
	double unaccounted = mean_of(document, "unaccounted_ratio");

	if (isnan(accounted))
		print_row(file, "kernel accounting", "-  too short for the ticks of /proc/stat");
	else if (unaccounted >= 0)
		print_row(file, "kernel accounting",
			  "%s %%  (%s pp of the load is unaccounted: not in /proc/stat)",
			  percent(accounted).text, percent(unaccounted).text);
	else
		print_row(file, "kernel accounting", "%s %%  (%s pp above the load)",
			  percent(accounted).text, percent(-unaccounted).text);
}

static void print_io(FILE *file, const json_t *document)
{
	double bytes_read = mean_of(document, "read_bytes");
	double bytes_written = mean_of(document, "written_bytes");
	double mib = (bytes_read + bytes_written) / MIB;
	/* Of all runs together: one that happened to move little would dominate a mean of ratios.
	 */
	double cost_us = mean_of(document, "taken_cpu_seconds") * 1e6 / mib;

	if (mib >= 1)
		print_row(file, "I/O", "%s MiB read, %s MiB written: %s us of CPU per MiB",
			  number_format(bytes_read / MIB, 0).text,
			  number_format(bytes_written / MIB, 0).text,
			  number_format(cost_us, 0).text);
}

static void print_background(FILE *file, const json_t *document)
{
	double before = mean_of(document, "background_before_ratio");
	double after = mean_of(document, "background_after_ratio");

	if (isnan(before) && isnan(after))
		print_row(file, "background", "not measured (--settle 0)");
	else
		print_row(file, "background", "%s %% before, %s %% after (not subtracted)",
			  percent(before).text, percent(after).text);
}

static void print_summary(FILE *file, const json_t *document)
{
	const json_t *environment = json_object_get(document, "environment");

	print_load(file, document);
	if (json_get_integer(json_object_get(json_object_get(document, "summary"), "load_ratio"),
			     "n", 0) == 0)
		return;
	print_row(file, "untrimmed", "%s %%",
		  percent(mean_of(document, "untrimmed_load_ratio")).text);
	print_row(file, "CPU time taken",
		  "%s s a run: %s s by the command, %s s hidden (interrupts, kernel threads, "
		  "others)",
		  number_format(mean_of(document, "taken_cpu_seconds"), 2).text,
		  number_format(mean_of(document, "command_cpu_seconds"), 2).text,
		  number_format(mean_of(document, "hidden_cpu_seconds"), 2).text);
	print_accounting(file, document);
	print_background(file, document);
	print_io(file, document);
	print_row(file, "idle floor", "%s %% +- %s pp, intrusion %s %%, steal %s %%",
		  percent(mean_of(document, "idle_floor_ratio")).text,
		  percent(json_get_number(environment, "idle_floor_uncertainty_ratio")).text,
		  number_format(json_get_number(environment, "intrusion_ratio") * 100, 1).text,
		  number_format(mean_of(document, "steal_ratio") * 100, 1).text);
}

void print_side(FILE *file, const json_t *document)
{
	/* An imported log knows of its own numbers alone. */
	bool is_imported = json_is_object(json_object_get(document, "source"));

	if (!is_imported)
		print_runs(file, document);
	print_title(file, document);
	if (!is_imported)
		print_summary(file, document);
	print_metrics(file, document);
	observer_print(file, document);
	if (!is_imported)
		print_side_notes(file, document);
	print_metric_notes(file, document);
}

void print_side_load(FILE *file, const json_t *document)
{
	(void)fprintf(file, "%s\n", percent(mean_of(document, "load_ratio")).text);
}

static void print_figures(FILE *file, const json_t *object)
{
	print_row(file, "CPU load", "%s %%", percent(json_get_number(object, "load_ratio")).text);
	print_row(file, "untrimmed", "%s %%",
		  percent(json_get_number(object, "untrimmed_load_ratio")).text);
	print_row(file, "taken", "%s %%, of it %s %% idle floor",
		  percent(json_get_number(object, "taken_ratio")).text,
		  percent(json_get_number(object, "idle_floor_ratio")).text);
	print_row(file, "slowed", "%s %%", percent(json_get_number(object, "slowed_ratio")).text);
	print_row(file, "interruptions", "%s a second on each CPU, %s us each, longest %s ms",
		  number_format(json_get_number(object, "interruptions_per_second"), 0).text,
		  number_format(json_get_number(object, "mean_interruption_seconds") * 1e6, 1).text,
		  number_format(json_get_number(object, "longest_interruption_seconds") * 1e3, 2)
			  .text);
}

static void print_cpus(FILE *file, const json_t *cpus)
{
	const json_t *cpu;
	size_t index;

	(void)fprintf(file, "\n  CPU     load  untrimmed    taken   slowed   intr/s  longest\n");
	json_array_foreach (cpus, index, cpu)
		(void)fprintf(
			file, "  %3lld  %5s %%    %5s %%  %5s %%  %5s %%  %7s  %4s ms\n",
			(long long)json_get_integer(cpu, "cpu", -1),
			percent(json_get_number(cpu, "load_ratio")).text,
			percent(json_get_number(cpu, "untrimmed_load_ratio")).text,
			percent(json_get_number(cpu, "taken_ratio")).text,
			percent(json_get_number(cpu, "slowed_ratio")).text,
			number_format(json_get_number(cpu, "interruptions_per_second"), 0).text,
			number_format(json_get_number(cpu, "longest_interruption_seconds") * 1e3, 1)
				.text);
}

void print_side_cpus(FILE *file, const json_t *document)
{
	const json_t *run;
	size_t index;

	json_array_foreach (json_object_get(document, "runs"), index, run) {
		(void)fprintf(file, "\n  run %zu", index + 1);
		print_cpus(file, json_object_get(run, "cpus"));
	}
}

void print_report(FILE *file, const json_t *report, bool per_cpu)
{
	const json_t *cpus = json_object_get(report, "cpus");
	bool is_short = json_is_true(json_object_get(report, "short"));

	(void)fprintf(file, "the last %s s on %zu CPU%s: %lld samples, ",
		      number_format(json_get_number(report, "elapsed_seconds"), 0).text,
		      json_array_size(cpus), json_array_size(cpus) == 1 ? "" : "s",
		      (long long)json_get_integer(report, "samples", 0));
	if (is_short)
		(void)fprintf(file, "too few to trim\n");
	else
		(void)fprintf(file, "%lld trimmed\n",
			      (long long)json_get_integer(report, "samples_cut", 0));
	print_figures(file, report);
	if (per_cpu)
		print_cpus(file, cpus);
	print_report_notes(file, report);
}
