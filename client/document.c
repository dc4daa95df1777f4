/* SPDX-License-Identifier: MIT */
/*
 * See document.h.
 */
#include "document.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cleanup.h"
#include "clock.h"
#include "document-metrics.h"
#include "environment.h"
#include "json.h"
#include "machine.h"
#include "side.h"
#include "timestamp.h"
#include "version.h"

#define MIB (1024.0 * 1024.0)

/*
 * Return: @text as a JSON string. Bytes that are no UTF-8 are written \xNN, as arguments may hold
 * any.
 */
static json_t *argument_to_json(const char *text)
{
	json_t *string = json_string(text);
	cleanup(freep) char *escaped = NULL;
	size_t n = 0;

	if (string)
		return string;
	escaped = calloc(4 * strlen(text) + 1, 1);
	if (!escaped)
		return NULL;
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80)
			escaped[n++] = *text;
		else
			n += (size_t)snprintf(&escaped[n], 5, "\\x%02X", c);
	}
	return json_string(escaped);
}

static json_t *command_to_json(char *const *argv)
{
	json_t *list = json_array();

	for (; *argv; argv++)
		(void)json_array_append_new(list, argument_to_json(*argv));
	return list;
}

json_t *document_new_side(const struct run_options *options, const json_t *status,
			  const json_t *calibration, bool is_private)
{
	json_t *side = json_pack("{s:o, s:o, s:I, s:b, s:[], s:[], s:o}", "label",
				 options->label ? argument_to_json(options->label) : json_null(),
				 "command", command_to_json(options->argv), "runs_requested",
				 (json_int_t)options->n_runs, "partial", 1, "runs", "warmups",
				 "environment", environment_new(status, calibration, is_private));

	if (side && (json_set_trim(side, &options->trim) == -1 ||
		     document_metrics_begin(side, &options->metrics) < 0)) {
		json_decref(side);
		return NULL;
	}
	return side;
}

/* What every document begins with. */
static json_t *new_document(const char *kind)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	return json_pack("{s:s, s:s, s:{s:s, s:s}, s:s}", "schema_version", "1.0", "kind", kind,
			 "tool", "name", "soakctl", "version", SOAK_VERSION, "time", time);
}

json_t *document_of_side(json_t *side)
{
	json_t *document = new_document("side");
	int r = side ? json_object_update(document, side) : -1;

	json_decref(side);
	if (r == -1) {
		json_decref(document);
		return NULL;
	}
	return document;
}

json_t *document_of_sides(json_t *sides, const char *design)
{
	json_t *document = new_document("sides");
	int r = json_object_set_new(document, "sides", sides);

	r |= json_object_set_new(document, "design", design ? json_string(design) : json_null());
	r |= json_object_set_new(document, "order", json_null());
	r |= json_object_set_new(document, "stopped_by", json_null());
	if (r != 0) {
		json_decref(document);
		return NULL;
	}
	return document;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static double background(const struct run_record *record)
{
	if (isnan(record->background_before_ratio))
		return record->background_after_ratio;
	if (isnan(record->background_after_ratio))
		return record->background_before_ratio;
	return (record->background_before_ratio + record->background_after_ratio) / 2;
}

/* CPU time for each MiB that the block devices moved; NaN below one: that is nobody's workload. */
static double cost_per_mib(const json_t *report)
{
	double bytes =
		json_get_number(report, "read_bytes") + json_get_number(report, "written_bytes");

	if (!(bytes >= MIB))
		return (double)NAN;
	return json_get_number(report, "taken_cpu_seconds") * 1e6 / (bytes / MIB);
}

/* What soakctl knows of a run beyond what the daemon answered. */
static json_t *record_to_json(const struct run_record *record, size_t index)
{
	double user = seconds(&record->usage.ru_utime), system = seconds(&record->usage.ru_stime);
	double taken = json_get_number(record->report, "taken_cpu_seconds");
	bool exited = record->started && WIFEXITED(record->status);
	bool killed = record->started && WIFSIGNALED(record->status);

	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:I, s:i}",
		"run_index", (json_int_t)index, "command_user_seconds", json_number(user),
		"command_system_seconds", json_number(system), "command_cpu_seconds",
		json_number(user + system), "hidden_cpu_seconds",
		json_number(taken - user - system), "background_ratio",
		json_number(background(record)), "background_before_ratio",
		json_number(record->background_before_ratio), "background_after_ratio",
		json_number(record->background_after_ratio), "cpu_microseconds_per_mib",
		json_number(cost_per_mib(record->report)), "exit_status",
		exited ? json_integer(WEXITSTATUS(record->status)) : json_null(), "signal",
		killed ? json_integer(WTERMSIG(record->status)) : json_null(), "failed",
		!run_record_is_good(record), "incomplete", 0, "max_rss_bytes",
		(json_int_t)record->usage.ru_maxrss * 1024, "outlived_processes",
		record->n_outlived);
}

/* Which boot of which kernel a run belongs to: the boot is the unit when kernels are compared. */
static int set_boot(json_t *run)
{
	struct machine machine;

	if (machine_read("", 0, &machine) < 0)
		return -1;
	return json_object_set_new(run, "boot_id", json_string(machine.boot_id)) |
	       json_object_set_new(run, "kernel", json_string(machine.kernel));
}

int document_add_run(json_t *side, const struct run_record *record, bool is_warmup)
{
	json_t *runs = json_object_get(side, is_warmup ? "warmups" : "runs");
	json_t *run = record->report ? json_copy(record->report) : json_object();
	json_t *own = record_to_json(record, json_array_size(runs) + 1);
	int r = own ? json_object_update(run, own) : -1;

	json_decref(own);
	r |= set_boot(run);
	if (record->samples)
		r |= json_object_set(run, "samples", record->samples);
	/* The daemon's notes and the name of its window are no property of a run. */
	(void)json_object_del(run, "notes");
	(void)json_object_del(run, "run");
	r |= document_metrics_add(side, record->values, run);
	if (r != 0) {
		json_decref(run);
		return -ENOMEM;
	}
	return json_array_append_new(runs, run) == -1 ? -ENOMEM : 0;
}

int document_add_order(json_t *document, size_t side)
{
	json_t *order = json_object_get(document, "order");

	if (!json_is_string(json_object_get(document, "design")))
		return 0;
	if (!json_is_array(order)) {
		order = json_array();
		if (json_object_set_new(document, "order", order) == -1)
			return -ENOMEM;
	}
	return json_array_append_new(order, json_sprintf("%c", 'A' + (int)side)) == -1 ? -ENOMEM
										       : 0;
}

int document_finish(json_t *side, bool partial, const json_t *notes)
{
	json_t *summary = side_summary_new(json_object_get(side, "runs"));
	int r = summary ? json_object_set_new(side, "summary", summary) : -1;

	r |= json_object_set_new(side, "partial", json_boolean(partial));
	if (notes)
		r |= json_object_set(json_object_get(side, "environment"), "notes",
				     (json_t *)notes);
	return r != 0 ? -ENOMEM : 0;
}
