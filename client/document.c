/* SPDX-License-Identifier: MIT */
/*
 * See document.h. Never the environment's variables: they hold secrets.
 */
#include "document.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "cleanup.h"
#include "clock.h"
#include "json.h"
#include "side.h"
#include "timestamp.h"
#include "version.h"

#define MIB (1024.0 * 1024.0)

/* What of status.get belongs to the environment of a result. */
static const char *const environment_members[] = {
	"isolation",
	"isolation_detail",
	"intrusion_ratio",
	"body",
	"body_version",
	"clock",
	"cpus",
	"idle_floor_ratio",
	"idle_floor_uncertainty_ratio",
	"calibration_source",
	"quiet",
	"interval_seconds",
	"notes",
};

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

static json_t *environment_to_json(const json_t *status, const json_t *calibration, bool is_private)
{
	json_t *model = json_object_get(json_object_get(calibration, "provenance"), "cpu_model");
	json_t *environment = json_object();
	struct utsname system;

	for (size_t i = 0; i < sizeof(environment_members) / sizeof(environment_members[0]); i++)
		(void)json_object_set(environment, environment_members[i],
				      json_object_get(status, environment_members[i]));
	(void)json_object_set(environment, "soakd_version", json_object_get(status, "version"));
	(void)json_object_set_new(environment, "cpu_model",
				  model ? json_incref(model) : json_null());
	(void)json_object_set_new(environment, "private_daemon", json_boolean(is_private));
	if (uname(&system) == 0)
		(void)json_object_set_new(environment, "kernel", json_string(system.release));
	return environment;
}

json_t *document_new(const struct run_options *options, const json_t *status,
		     const json_t *calibration, bool is_private)
{
	char time[TIMESTAMP_SIZE];
	json_t *document;

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	document = json_pack("{s:s, s:{s:s, s:s}, s:s, s:o, s:o, s:I, s:b, s:[], s:[], s:o}",
			     "schema_version", "1.0", "tool", "name", "soakctl", "version",
			     SOAK_VERSION, "time", time, "label",
			     options->label ? argument_to_json(options->label) : json_null(),
			     "command", command_to_json(options->argv), "runs_requested",
			     (json_int_t)options->n_runs, "partial", 1, "runs", "warmups",
			     "environment", environment_to_json(status, calibration, is_private));
	(void)json_set_trim(document, &options->trim);
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

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:i}",
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
			 !run_record_is_good(record), "max_rss_bytes",
			 (json_int_t)record->usage.ru_maxrss * 1024, "outlived_processes",
			 record->n_outlived);
}

int document_add_run(json_t *document, const struct run_record *record, bool is_warmup)
{
	json_t *runs = json_object_get(document, is_warmup ? "warmups" : "runs");
	json_t *run = record->report ? json_copy(record->report) : json_object();
	json_t *own = record_to_json(record, json_array_size(runs) + 1);
	int r = own ? json_object_update(run, own) : -1;

	json_decref(own);
	/* The daemon's notes and the name of its window are no property of a run. */
	(void)json_object_del(run, "notes");
	(void)json_object_del(run, "run");
	if (r == -1) {
		json_decref(run);
		return -ENOMEM;
	}
	return json_array_append_new(runs, run) == -1 ? -ENOMEM : 0;
}

int document_finish(json_t *document, bool partial, const json_t *notes)
{
	json_t *summary = side_summary_new(json_object_get(document, "runs"));
	int r = summary ? json_object_set_new(document, "summary", summary) : -1;

	r |= json_object_set_new(document, "partial", json_boolean(partial));
	if (notes)
		r |= json_object_set(json_object_get(document, "environment"), "notes",
				     (json_t *)notes);
	return r != 0 ? -ENOMEM : 0;
}
