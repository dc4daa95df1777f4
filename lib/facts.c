/* SPDX-License-Identifier: MIT */
/*
 * See facts.h. Plain ASCII that can be pasted into a mail.
 */
#include "facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cpulist.h"
#include "json.h"

#define WIDTH 72
#define LABEL 16

/* Return: bytes of the word at @text that go into one line; more than @room only unbroken. */
static int word_length(const char *text, int room, bool fold)
{
	int word = (int)strcspn(text, " ");

	return fold && word > room && room > 0 ? room : word;
}

static void print_lines(FILE *file, const char *label, const char *text, bool fold)
{
	int indent = fprintf(file, "%s", label), column = indent, blanks = 0;

	while (*text) {
		int word = word_length(text, WIDTH - indent, fold);

		/* Blanks are kept inside a line and dropped where it breaks. */
		if (column > indent && column + blanks + word > WIDTH) {
			(void)fprintf(file, "\n%*s", indent, "");
			column = indent;
			blanks = 0;
		}
		column += fprintf(file, "%*s%.*s", blanks, "", word, text);
		text += word;
		blanks = (int)strspn(text, " ");
		text += blanks;
	}
	(void)fputc('\n', file);
}

void facts_print_wrapped(FILE *file, const char *label, const char *text)
{
	print_lines(file, label, text, false);
}

void facts_print_folded(FILE *file, const char *label, const char *text)
{
	print_lines(file, label, text, true);
}

void facts_print_notes(FILE *file, const json_t *notes)
{
	const json_t *note;
	size_t index;

	json_array_foreach (notes, index, note)
		if (json_is_string(note))
			facts_print_wrapped(file, "note: ", json_string_value(note));
}

void facts_print_fact(FILE *file, int indent, int width, const char *label, const char *format, ...)
{
	cleanup(freep) char *text = NULL, *column = NULL;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n == -1) {
		text = NULL;
		return;
	}
	if (asprintf(&column, "%*s%-*s", indent, "", width, label) == -1) {
		column = NULL;
		return;
	}
	facts_print_wrapped(file, column, text);
}

#define print_fact(file, label, ...) facts_print_fact(file, 0, LABEL, label, __VA_ARGS__)

/* Return: "0-3,8", heap, or NULL. */
static char *format_cpus(const json_t *cpus)
{
	cleanup(cpulist_fini) struct cpulist list = {0};
	char *text = NULL;
	const json_t *cpu;
	size_t index;

	json_array_foreach (cpus, index, cpu)
		if (cpulist_add(&list, (int)json_integer_value(cpu)) < 0)
			return NULL;
	return cpulist_format(&list, &text) == 0 ? text : NULL;
}

static const char *text_or(const json_t *status, const char *name, const char *otherwise)
{
	const char *text = json_get_string(status, name);

	return text ? text : otherwise;
}

static void print_left_out(FILE *file, const json_t *left_out)
{
	const json_t *entry;
	size_t index;

	json_array_foreach (left_out, index, entry)
		print_fact(file, "CPU left out", "%d: %s", (int)json_get_integer(entry, "cpu", -1),
			   text_or(entry, "reason", "?"));
}

static void print_percent(FILE *file, const char *label, double ratio, const char *what)
{
	if (isnan(ratio))
		print_fact(file, label, "unknown");
	else
		print_fact(file, label, "%.2f %% %s", ratio * 100, what);
}

static void print_floor(FILE *file, const json_t *status)
{
	double floor = json_get_number(status, "idle_floor_ratio") * 100;
	double uncertainty = json_get_number(status, "idle_floor_uncertainty_ratio") * 100;

	if (isnan(floor))
		print_fact(file, "idle floor", "unknown: no quiet moment found");
	else
		print_fact(file, "idle floor", "%.2f %% +- %.2f pp is taken on an idle CPU (%s%s)",
			   floor, uncertainty, text_or(status, "calibration_source", "?"),
			   json_is_true(json_object_get(status, "quiet")) ? "" : ", uncertain");
}

void facts_print(FILE *file, const json_t *status)
{
	cleanup(freep) char *cpus = format_cpus(json_object_get(status, "cpus"));
	double interval = json_get_number(status, "interval_seconds");
	double history = json_get_number(status, "history_seconds");

	print_fact(file, "soakd", "%s, pid %d, soakers in pid %d", text_or(status, "version", "?"),
		   (int)json_get_integer(status, "pid", 0),
		   (int)json_get_integer(status, "soaker_pid", 0));
	print_fact(file, "socket", "%s", text_or(status, "socket", "none (private)"));
	print_fact(file, "state", "%s", text_or(status, "state", "?"));
	print_fact(file, "CPUs", "%s", cpus && cpus[0] ? cpus : "none");
	print_left_out(file, json_object_get(status, "cpus_left_out"));
	print_fact(file, "body", "%s, version %d, clock %s", text_or(status, "body", "?"),
		   (int)json_get_integer(status, "body_version", 0), text_or(status, "clock", "?"));
	print_fact(file, "isolation", "%s: %s", text_or(status, "isolation", "?"),
		   text_or(status, "isolation_detail", "?"));
	print_percent(file, "intrusion", json_get_number(status, "intrusion_ratio"),
		      "of a CPU is taken from a busy workload");
	print_floor(file, status);
	print_fact(file, "sampling", "every %g s, the last %g s are kept (at most %.1f MiB)",
		   interval, history, json_get_number(status, "memory_bytes") / (1 << 20));
	print_fact(file, "late ticks", "%lld late, %lld missed since it began",
		   (long long)json_get_integer(status, "late_ticks", 0),
		   (long long)json_get_integer(status, "missed_ticks", 0));
	facts_print_notes(file, json_object_get(status, "notes"));
}
