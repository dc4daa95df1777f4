/* SPDX-License-Identifier: MIT */
/*
 * soakd calibrate: measure anew, and show what every CPU came out at.
 */
#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>

#include "cleanup.h"
#include "commands.h"
#include "facts.h"
#include "json.h"
#include "options.h"
#include "session.h"

#define POLL_MS 100

/* A calibration that found nothing quiet goes on once for as long again. */
#define MOST_POLLS(seconds) ((int)((seconds)*2 * 1000 / POLL_MS) + 50)

static int start(struct session *session, double seconds)
{
	json_t *answer;
	int r = session_call(session, "calibration.start", json_pack("{s:f}", "seconds", seconds),
			     &answer);

	if (r == 0)
		json_decref(answer);
	return r;
}

/* Return: 0 with what calibration.get answers once it is done. */
static int wait_done(struct session *session, double seconds, json_t **ret)
{
	for (int i = 0; i < MOST_POLLS(seconds); i++) {
		json_t *calibration;
		const char *state;
		int r = session_call(session, "calibration.get", NULL, &calibration);

		if (r < 0)
			return r;
		state = json_get_string(calibration, "state");
		if (state && state[0] == 'd') {
			*ret = calibration;
			return 0;
		}
		json_decref(calibration);
		(void)poll(NULL, 0, POLL_MS);
	}
	(void)fprintf(stderr, "soakd: the calibration does not end\n");
	return -ETIME;
}

enum column {
	COLUMN_CPU,
	COLUMN_PASS,
	COLUMN_SD,
	COLUMN_FLOOR,
	COLUMN_UNCERTAINTY,
	COLUMN_QUIET,
	N_COLUMNS,
};

static const char *const headings[N_COLUMNS] = {
	[COLUMN_CPU] = "CPU",		[COLUMN_PASS] = "pass ns",
	[COLUMN_SD] = "sd ns",		[COLUMN_FLOOR] = "idle floor %",
	[COLUMN_UNCERTAINTY] = "+- pp", [COLUMN_QUIET] = "quiet windows",
};

static void set_number(struct libscols_line *line, enum column column, int digits, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.*f", digits, value);
	(void)scols_line_set_data(line, column, isnan(value) ? "-" : text);
}

static void fill_line(struct libscols_line *line, const json_t *cpu)
{
	char text[64];

	set_number(line, COLUMN_CPU, 0, json_get_number(cpu, "cpu"));
	set_number(line, COLUMN_PASS, 2, json_get_number(cpu, "pass_ns"));
	set_number(line, COLUMN_SD, 2, json_get_number(cpu, "pass_sd_ns"));
	set_number(line, COLUMN_FLOOR, 2, json_get_number(cpu, "idle_floor_ratio") * 100);
	set_number(line, COLUMN_UNCERTAINTY, 2,
		   json_get_number(cpu, "idle_floor_uncertainty_ratio") * 100);
	(void)snprintf(text, sizeof(text), "%lld of %lld%s",
		       (long long)json_get_integer(cpu, "quiet_windows", 0),
		       (long long)json_get_integer(cpu, "windows", 0),
		       json_is_true(json_object_get(cpu, "quiet")) ? "" : " (too few)");
	(void)scols_line_set_data(line, COLUMN_QUIET, text);
}

static int print_cpus(const json_t *cpus)
{
	struct libscols_table *table = scols_new_table();
	const json_t *cpu;
	size_t index;

	if (!table)
		return -ENOMEM;
	for (int c = 0; c < N_COLUMNS; c++)
		(void)scols_table_new_column(table, headings[c], 0, SCOLS_FL_RIGHT);
	json_array_foreach (cpus, index, cpu) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		if (line)
			fill_line(line, cpu);
	}
	(void)scols_print_table(table);
	scols_unref_table(table);
	return 0;
}

static void print_provenance(const json_t *calibration)
{
	const json_t *provenance = json_object_get(calibration, "provenance");

	(void)printf("\n%s at %s over %g s, body %s version %lld, clock %s\n",
		     json_get_string(calibration, "source"), json_get_string(calibration, "time"),
		     json_get_number(calibration, "seconds"), json_get_string(provenance, "body"),
		     (long long)json_get_integer(provenance, "body_version", 0),
		     json_get_string(provenance, "clock"));
	(void)printf(
		"%s, microcode %s, Linux %s, governor %s\n",
		json_get_string(provenance, "cpu_model"), json_get_string(provenance, "microcode"),
		json_get_string(provenance, "kernel"), json_get_string(provenance, "governor"));
}

int run_calibrate(int argc, char **argv)
{
	const struct private_options private = {.force = true};
	cleanup(options_fini) struct options options;
	struct session session;
	json_t *calibration = NULL, *status = NULL;
	int r;

	if (options_parse(argc, argv, OPTIONS_CALIBRATE, &options) < 0)
		return STATUS_USAGE;
	if (session_open_any("soakd", options.socket_path, &private, -1, &session) < 0)
		return STATUS_FAILED;
	r = start(&session, options.seconds);
	if (r == 0)
		r = wait_done(&session, options.seconds, &calibration);
	if (r == 0)
		r = session_call(&session, "status.get", NULL, &status);
	if (r == 0)
		r = print_cpus(json_object_get(calibration, "cpus"));
	if (r == 0) {
		print_provenance(calibration);
		facts_print_notes(stdout, json_object_get(status, "notes"));
	}
	json_decref(calibration);
	json_decref(status);
	session_close(&session);
	return r < 0 ? STATUS_FAILED : 0;
}
