/* SPDX-License-Identifier: MIT */
/*
 * The table, and the methods about the daemon itself.
 */
#include "methods.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "notes.h"
#include "params.h"
#include "ticks.h"
#include "timestamp.h"
#include "version.h"

static const struct rpc_method methods[] = {
	{"server.info", handle_server_info, false},
	{"server.shutdown", handle_server_shutdown, true},
	{"status.get", handle_status_get, false},
	{"calibration.get", handle_calibration_get, false},
	{"calibration.start", handle_calibration_start, true},
	{"soakers.pause", handle_soakers_pause, true},
	{"soakers.resume", handle_soakers_resume, true},
	{"samples.get", handle_samples_get, false},
	{"samples.subscribe", handle_samples_subscribe, false},
	{"samples.unsubscribe", handle_samples_unsubscribe, false},
	{"report.get", handle_report_get, false},
	{"run.begin", handle_run_begin, false},
	{"run.end", handle_run_end, false},
};

/* What changes state is for root, the daemon's own user and its group. */
static bool may_control(void *context)
{
	const struct method_context *method = context;
	uid_t uid = peer_uid(method->peer);

	return uid == 0 || uid == geteuid() || peer_in_group(method->peer, getegid());
}

const struct rpc_table *methods_table(void)
{
	static const struct rpc_table table = {
		.methods = methods,
		.n_methods = sizeof(methods) / sizeof(methods[0]),
		.may_control = may_control,
	};

	return &table;
}

static struct daemon *daemon_of(const struct rpc_call *call)
{
	return ((struct method_context *)call->context)->daemon;
}

/* A private daemon has no socket. */
static json_t *socket_json(const struct daemon *daemon)
{
	return daemon->config.socket_path ? json_string(daemon->config.socket_path) : json_null();
}

void handle_server_info(const struct rpc_call *call, struct rpc_answer *answer)
{
	json_t *names;

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	names = json_array();
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		(void)json_array_append_new(names, json_string(methods[i].name));
	answer->result =
		json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:{s:i, s:i, s:i, s:i, s:i, s:i}}",
			  "name", "soakd", "version", SOAK_VERSION, "protocol_version", "1.0",
			  "pid", (int)getpid(), "socket", socket_json(daemon_of(call)), "methods",
			  names, "limits", "line_bytes", SERVER_MAX_LINE, "batch", RPC_MAX_BATCH,
			  "connections", SERVER_MAX_PEERS, "output_bytes", SERVER_MAX_OUTPUT,
			  "subscriber_bytes", SERVER_MAX_PEER_STREAM, "runs", RUNS_MAX);
}

void handle_server_shutdown(const struct rpc_call *call, struct rpc_answer *answer)
{
	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	/* The loop ends after this event; the answer is sent while the server drains. */
	daemon_stop(daemon_of(call));
	answer->result = json_pack("{s:b}", "stopping", 1);
}

static json_t *soaked_json(const struct daemon *daemon)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < daemon->sampler.n_cpus; i++)
		if (daemon->sampler.cpus[i].soaked)
			(void)json_array_append_new(cpus,
						    json_integer(daemon->sampler.cpus[i].cpu));
	return cpus;
}

static void append_left_out(json_t *list, int cpu, const char *reason)
{
	(void)json_array_append_new(list, json_pack("{s:i, s:s}", "cpu", cpu, "reason", reason));
}

static json_t *left_out_json(const struct daemon *daemon)
{
	json_t *list = json_array();

	for (size_t i = 0; i < daemon->topology.n_left_out; i++)
		if (daemon->topology.left_out[i].reason != TOPOLOGY_OFFLINE)
			append_left_out(list, daemon->topology.left_out[i].cpu,
					topology_reason_text(daemon->topology.left_out[i].reason));
	for (size_t i = 0; i < daemon->sampler.n_cpus; i++) {
		int error = daemon->soaking.states[i].error;

		if (!daemon->sampler.cpus[i].soaked)
			append_left_out(list, daemon->sampler.cpus[i].cpu,
					error ? strerror(-error) : "offline or not allowed");
	}
	return list;
}

/* Means over the CPUs that are soaked. */
struct floor_means {
	double floor;
	double uncertainty;
};

static struct floor_means mean_floor(const struct daemon *daemon)
{
	struct floor_means means = {0, 0};
	size_t n = 0;

	for (size_t i = 0; i < daemon->calibration.n_cpus; i++) {
		const struct calibration_cpu *cpu = &daemon->calibration.cpus[i];

		if (!daemon->sampler.cpus[i].soaked || isnan(cpu->idle_floor_ratio))
			continue;
		means.floor += cpu->idle_floor_ratio;
		means.uncertainty += cpu->idle_floor_uncertainty_ratio;
		n++;
	}
	means.floor /= (double)n;
	means.uncertainty /= (double)n;
	return means;
}

static uint64_t memory_bytes(const struct daemon *daemon)
{
	return history_bytes(daemon->sampler.history.capacity, daemon->sampler.n_cpus) +
	       daemon->soaking.soaker.n_slots * sizeof(struct slot);
}

static json_t *status_counts(const struct daemon *daemon)
{
	const struct sampler *sampler = &daemon->sampler;
	uint64_t kept = sampler->history.newest - history_oldest(&sampler->history) + 1;

	return json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "interval_seconds",
			 (double)daemon->config.interval_ns / 1e9, "history_seconds",
			 (double)daemon->config.history_ns / 1e9, "samples", (json_int_t)kept,
			 "late_ticks", (json_int_t)sampler->late_ticks, "missed_ticks",
			 (json_int_t)sampler->missed_ticks, "memory_bytes",
			 (json_int_t)memory_bytes(daemon), "connections",
			 (json_int_t)server_n_peers(daemon->server), "subscribers",
			 (json_int_t)daemon->n_subscribers, "open_runs",
			 (json_int_t)runs_n_open(&daemon->runs), "soaker_restarts",
			 (json_int_t)daemon->soaking.n_restarts);
}

static json_t *status_measurement(const struct daemon *daemon)
{
	struct floor_means means = mean_floor(daemon);
	const struct isolation *isolation = &daemon->soaking.isolation;

	return json_pack("{s:s, s:s, s:o, s:s, s:i, s:s, s:o, s:o, s:s, s:b, s:o, s:o, s:o}",
			 "isolation", isolation_name(isolation->kind), "isolation_detail",
			 isolation->detail, "intrusion_ratio", json_number(daemon->intrusion_ratio),
			 "body", daemon->config.body->name, "body_version",
			 daemon->config.body->version, "clock",
			 ticks_clock_name(daemon->soaking.config.clock), "idle_floor_ratio",
			 json_number(means.floor), "idle_floor_uncertainty_ratio",
			 json_number(means.uncertainty), "calibration_source",
			 daemon->calibration.stored ? "stored" : "measured", "quiet",
			 daemon->calibration.quiet, "cpus", soaked_json(daemon), "cpus_left_out",
			 left_out_json(daemon), "notes", notes_new(daemon));
}

void handle_status_get(const struct rpc_call *call, struct rpc_answer *answer)
{
	const struct daemon *daemon = daemon_of(call);
	uint64_t up_ns = clock_now_ns(CLOCK_MONOTONIC) - daemon->begin_monotonic_ns;
	char time[TIMESTAMP_SIZE];
	json_t *counts, *measurement;

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	answer->result = json_pack(
		"{s:s, s:b, s:b, s:s, s:i, s:o, s:s, s:f, s:i}", "state",
		daemon->calibrating ? "calibrating" : "sampling", "sampling", daemon->sampling,
		"paused", daemon->soaking.paused, "version", SOAK_VERSION, "pid", (int)getpid(),
		"socket", socket_json(daemon), "time", time, "uptime_seconds", (double)up_ns / 1e9,
		"soaker_pid", (int)daemon->soaking.soaker.pid);
	counts = status_counts(daemon);
	measurement = status_measurement(daemon);
	if (!counts || !measurement || json_object_update(answer->result, counts) == -1 ||
	    json_object_update(answer->result, measurement) == -1) {
		json_decref(answer->result);
		answer->result = NULL;
	}
	json_decref(counts);
	json_decref(measurement);
}

void handle_calibration_get(const struct rpc_call *call, struct rpc_answer *answer)
{
	const struct daemon *daemon = daemon_of(call);
	struct calibration_provenance provenance = daemon_provenance(daemon);

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	if (daemon->calibration.wall_ns == 0) {
		rpc_fail(answer, RPC_NOT_NOW, "calibrating for the first time");
		return;
	}
	answer->result = calibration_to_json(&daemon->calibration, &provenance);
	if (answer->result)
		(void)json_object_set_new(answer->result, "state",
					  json_string(daemon->calibrating ? "running" : "done"));
}

void handle_calibration_start(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {"seconds"};
	double seconds;
	int r;

	if (!rpc_check_members(call, members, 1, answer) ||
	    !params_number(call, "seconds", 1, DAEMON_MOST_CALIBRATION_SECONDS,
			   DAEMON_CALIBRATION_SECONDS, &seconds, answer))
		return;
	if (daemon_of(call)->soaking.paused) {
		rpc_fail(answer, RPC_NOT_NOW, "the soakers are paused");
		return;
	}
	r = daemon_calibrate(daemon_of(call), seconds);
	if (r == -EBUSY)
		rpc_fail(answer, RPC_NOT_NOW, "a calibration runs already");
	else if (r < 0)
		rpc_fail(answer, RPC_INTERNAL_ERROR, "%s", strerror(-r));
	else
		answer->result = json_pack("{s:b, s:f}", "started", 1, "seconds", seconds);
}
