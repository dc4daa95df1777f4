/* SPDX-License-Identifier: MIT */
/*
 * The daemon: one libevent loop that owns everything and waits for nobody.
 *
 * daemon_run() is the whole life of it: lock the machine, find the CPUs, start the soakers, measure
 * their intrusion, calibrate, sample and answer until told to stop, and leave nothing behind.
 */
#pragma once

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "calibration-store.h"
#include "cpulist.h"
#include "machine.h"
#include "runs.h"
#include "sampler.h"
#include "server.h"
#include "soaking.h"
#include "topology.h"

#define DAEMON_LEAST_INTERVAL_NS	10000000ULL    /* 10 ms */
#define DAEMON_MOST_INTERVAL_NS		60000000000ULL /* 60 s */
#define DAEMON_CALIBRATION_SECONDS	3.0
#define DAEMON_MOST_CALIBRATION_SECONDS 8.0 /* what SLOT_WINDOWS windows of 4 ms hold */

struct daemon_config {
	uint64_t interval_ns;
	uint64_t history_ns;
	const struct cpulist *wanted; /* NULL: all that can be had */
	const struct loop_body *body;
	const char *socket_path; /* NULL: a private daemon */
	int private_fd;		 /* a connected socket, consumed; -1: none */
	const char *state_path;	 /* of the stored calibration; NULL: store nothing */
	bool force;		 /* start in spite of intrusion */
	int ready_fd;		 /* gets one byte when sampling has begun; -1: none */
};

struct daemon {
	struct daemon_config config;
	struct event_base *base;
	struct server *server;
	struct machine machine;
	struct topology topology;
	struct soaking soaking;
	struct sampler sampler;
	struct calibration calibration;
	struct runs runs;
	double intrusion_ratio;
	uint64_t begin_monotonic_ns;
	uint64_t n_subscribers;
	uint64_t next_subscription;
	struct peer *pauser; /* the client that has stopped the soakers; NULL: they run */

	bool sampling;
	bool calibrating;
	bool extended; /* this calibration goes on a second time, as nothing was quiet */
	double calibration_seconds;
	uint64_t *calibration_first; /* [sampler.n_cpus]: windows before it began */

	int lock_fd;
	int timer_fd;
	uint64_t first_due_ns;
	uint64_t n_due;	  /* due times that have passed */
	int64_t slept_ns; /* CLOCK_BOOTTIME - CLOCK_MONOTONIC at the last tick */
	uint64_t last_soaker_start_ns;
	uint64_t next_cpu_check_ns;

	struct event *on_tick;
	struct event *on_soaker;
	struct event *on_soaker_retry;
	struct event *on_calibrated;
	struct event *on_lock;
	struct event *on_signals[3];
};

/*
 * Live.
 *
 * Logs what it does; @config's strings must outlive it.
 *
 * Return: 0 after an orderly stop; a negative errno, after logging the reason, when it could not
 * start.
 */
int daemon_run(const struct daemon_config *config);

/* Begin a calibration of @seconds; sampling goes on meanwhile. Return: 0; -EBUSY while one runs. */
int daemon_calibrate(struct daemon *daemon, double seconds);

/* All is ready: take the first sample an interval from now. */
void daemon_begin_sampling(struct daemon *daemon);

/* Let @event come in @seconds. Return: 0 or -ENOMEM. */
int daemon_schedule(struct event *event, double seconds);

/* Stop after the present event. */
void daemon_stop(struct daemon *daemon);

/* What the calibration of now holds for; strings live as long as the daemon. */
struct calibration_provenance daemon_provenance(const struct daemon *daemon);

/* Return: the CPUs that are soaked now; cpulist_fini() it. 0 or -ENOMEM. */
int daemon_soaked_cpus(const struct daemon *daemon, struct cpulist *ret);
