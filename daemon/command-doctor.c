/* SPDX-License-Identifier: MIT */
/*
 * soakd doctor: what could make this machine's figures wrong, and what to do about it.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "doctor-facts.h"
#include "facts.h"
#include "intrusion.h"
#include "json.h"
#include "options.h"
#include "session.h"

#define MOST_LINES 16

/* Steal is judged over this long. */
#define STEAL_MS 1000

struct findings {
	struct doctor_line lines[MOST_LINES];
	size_t n;
};

static struct doctor_line *add(struct findings *findings, const char *name)
{
	struct doctor_line *line = &findings->lines[findings->n];

	if (findings->n + 1 < MOST_LINES)
		findings->n++;
	*line = (struct doctor_line){.name = name, .state = DOCTOR_OK};
	return line;
}

/* What the daemon measured: does the isolation hold? */
static void check_isolation(const json_t *status, struct doctor_line *line)
{
	double intrusion = json_get_number(status, "intrusion_ratio");
	const char *kind = json_get_string(status, "isolation");

	if (isnan(intrusion)) {
		line->state = DOCTOR_PROBLEM;
		(void)snprintf(line->text, sizeof(line->text),
			       "%s; the intrusion could not be measured", kind);
		return;
	}
	(void)snprintf(line->text, sizeof(line->text),
		       "%s; soakers take %.2f %% of a CPU from a busy workload of another session",
		       kind, intrusion * 100);
	if (intrusion <= INTRUSION_LIMIT_RATIO)
		return;
	line->state = DOCTOR_PROBLEM;
	(void)snprintf(line->cure, sizeof(line->cure),
		       "run soakd as root, or set kernel.sched_autogroup_enabled=0");
}

static void check_isolation_kind(const json_t *status, struct doctor_line *line)
{
	const char *kind = json_get_string(status, "isolation");
	const char *detail = json_get_string(status, "isolation_detail");

	(void)snprintf(line->text, sizeof(line->text), "%s", detail ? detail : "unknown");
	if (kind && strncmp(kind, "cgroup", strlen("cgroup")) == 0)
		return;
	line->state = DOCTOR_NOTE;
	(void)snprintf(line->cure, sizeof(line->cure),
		       "as root, soakd gets an idle cgroup of its own, which yields at once and "
		       "to every cgroup");
}

static void check_calibration(const json_t *status, struct doctor_line *line)
{
	double floor = json_get_number(status, "idle_floor_ratio") * 100;
	double uncertainty = json_get_number(status, "idle_floor_uncertainty_ratio") * 100;

	if (json_is_true(json_object_get(status, "quiet"))) {
		(void)snprintf(line->text, sizeof(line->text),
			       "quiet windows found; idle floor %.2f %% +- %.2f pp", floor,
			       uncertainty);
		return;
	}
	line->state = DOCTOR_PROBLEM;
	(void)snprintf(line->text, sizeof(line->text),
		       "too few quiet windows: the idle floor, and so every load, is uncertain");
	(void)snprintf(line->cure, sizeof(line->cure),
		       "stop what keeps the CPUs busy and run soakd calibrate");
}

static int read_cpus(const json_t *status, struct cpulist *ret)
{
	const json_t *cpu;
	size_t index;
	int r = 0;

	json_array_foreach (json_object_get(status, "cpus"), index, cpu)
		if (r == 0)
			r = cpulist_add(ret, (int)json_integer_value(cpu));
	return r;
}

static void check_steal(const struct cpulist *cpus, struct doctor_line *line)
{
	struct procstat before, after;
	int r = procstat_read("", cpus, &before);

	(void)poll(NULL, 0, STEAL_MS);
	if (r == 0)
		r = procstat_read("", cpus, &after);
	if (r == 0) {
		doctor_steal(&before, &after, line);
		return;
	}
	line->state = DOCTOR_NOTE;
	(void)snprintf(line->text, sizeof(line->text), "/proc/stat cannot be read: %s",
		       strerror(-r));
}

static int examine(const json_t *status, struct findings *findings)
{
	cleanup(cpulist_fini) struct cpulist cpus = {0};
	struct machine machine;
	int r = read_cpus(status, &cpus);

	if (r == 0)
		r = machine_read("", cpus.n > 0 ? cpus.cpus[0] : 0, &machine);
	if (r < 0)
		return r;
	check_isolation_kind(status, add(findings, "isolation"));
	check_isolation(status, add(findings, "intrusion"));
	check_calibration(status, add(findings, "calibration"));
	doctor_clock(&machine, add(findings, "clock"));
	check_steal(&cpus, add(findings, "steal"));
	doctor_smt("", &cpus, add(findings, "SMT"));
	doctor_frequency(&machine, add(findings, "frequency"));
	doctor_rivals("", (pid_t)json_get_integer(status, "soaker_pid", 0),
		      add(findings, "rivals"));
	doctor_cgroup("", add(findings, "cgroup limits"));
	doctor_cpuset("", add(findings, "cpuset"));
	return 0;
}

static const char *state_name(enum doctor_state state)
{
	switch (state) {
	case DOCTOR_OK:
		return "ok";
	case DOCTOR_NOTE:
		return "note";
	case DOCTOR_PROBLEM:
		return "problem";
	}
	return "?";
}

/* Return: how many are problems. */
static size_t print_findings(const struct findings *findings)
{
	size_t n_problems = 0;

	for (size_t i = 0; i < findings->n; i++) {
		const struct doctor_line *line = &findings->lines[i];
		cleanup(freep) char *label = NULL, *text = NULL;

		if (asprintf(&label, "%-8s %-14s ", state_name(line->state), line->name) == -1 ||
		    asprintf(&text, "%s%s%s", line->text, line->cure[0] ? ": " : "", line->cure) ==
			    -1) {
			label = NULL;
			continue;
		}
		facts_print_wrapped(stdout, label, text);
		n_problems += line->state == DOCTOR_PROBLEM;
	}
	return n_problems;
}

int run_doctor(int argc, char **argv)
{
	const struct private_options private = {.force = true};
	cleanup(options_fini) struct options options;
	struct findings findings = {.n = 0};
	struct session session;
	json_t *status = NULL;
	size_t n_problems;
	int r;

	if (options_parse(argc, argv, OPTIONS_SOCKET, &options) < 0)
		return STATUS_USAGE;
	if (session_open_any("soakd", options.socket_path, &private, -1, &session) < 0)
		return STATUS_FAILED;
	r = session_call(&session, "status.get", NULL, &status);
	if (r == 0)
		r = examine(status, &findings);
	json_decref(status);
	session_close(&session);
	if (r < 0)
		return STATUS_FAILED;
	n_problems = print_findings(&findings);
	return n_problems > 0 ? STATUS_FAILED : 0;
}
