/* SPDX-License-Identifier: MIT */
/*
 * The soaker process is replaced when it ends and when other CPUs can be soaked than before.
 */
#include "supervise.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "cleanup.h"
#include "clock.h"
#include "log.h"

#define NS_PER_S 1000000000ULL

/* A soaker process that did not live as long as this is started again only after as long. */
#define LEAST_SOAKER_LIFE_NS NS_PER_S

/* Reading which CPUs there are takes longer than reading all soakers. */
#define CPU_CHECK_NS (30 * NS_PER_S)

static int read_available(struct daemon *daemon, struct cpulist *ret)
{
	struct topology_left_out refused;
	const struct topology_source affinity = {topology_get_affinity, NULL};
	struct topology topology;
	int r = topology_read(daemon->soaking.root, &affinity, NULL, &refused, &topology);

	if (r < 0)
		return r;
	/* Isolated CPUs that were asked for are in nobody's mask, and soaked all the same. */
	for (size_t i = 0; daemon->config.wanted && i < topology.n_left_out && r == 0; i++)
		if (topology.left_out[i].reason == TOPOLOGY_ISOLATED &&
		    cpulist_has(daemon->config.wanted, topology.left_out[i].cpu))
			r = cpulist_add(&topology.cpus, topology.left_out[i].cpu);
	if (r == 0) {
		*ret = topology.cpus;
		topology.cpus = (struct cpulist){0};
	}
	topology_fini(&topology);
	return r;
}

static void forget_watch(struct daemon *daemon)
{
	if (daemon->on_soaker)
		event_free(daemon->on_soaker);
	daemon->on_soaker = NULL;
}

static void restart_soakers(struct daemon *daemon)
{
	cleanup(cpulist_fini) struct cpulist available = {0};
	int r = read_available(daemon, &available);

	if (r == 0)
		r = soaking_start(&daemon->soaking, &available);
	daemon->last_soaker_start_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (r == 0) {
		r = supervise_watch(daemon);
		if (r < 0) {
			forget_watch(daemon);
			soaking_stop(&daemon->soaking, SAMPLE_RESTARTED);
		}
	}
	if (r == 0) {
		daemon->soaking.n_restarts++;
		return;
	}
	log_line(LOG_ERR, "cannot start the soakers again, next try in 1 s: %s", strerror(-r));
	if (daemon_schedule(daemon->on_soaker_retry, 1) < 0)
		daemon_stop(daemon);
}

void supervise_retry(int fd, short what, void *context)
{
	(void)fd;
	(void)what;
	restart_soakers(context);
}

/* Put the old process away and start another: at once, unless the old one was short-lived. */
static void replace_soakers(struct daemon *daemon)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	forget_watch(daemon);
	soaking_stop(&daemon->soaking, SAMPLE_RESTARTED);
	if (now_ns - daemon->last_soaker_start_ns >= LEAST_SOAKER_LIFE_NS)
		restart_soakers(daemon);
	else if (daemon_schedule(daemon->on_soaker_retry, 1) < 0)
		daemon_stop(daemon);
}

static void on_soaker_ended(int fd, short what, void *context)
{
	struct daemon *daemon = context;

	(void)fd;
	(void)what;
	log_line(LOG_WARNING, "the soaker process ended; it is started again");
	replace_soakers(daemon);
}

int supervise_watch(struct daemon *daemon)
{
	daemon->on_soaker = event_new(daemon->base, daemon->soaking.soaker.pidfd, EV_READ,
				      on_soaker_ended, daemon);
	if (!daemon->on_soaker || event_add(daemon->on_soaker, NULL) == -1)
		return -ENOMEM;
	return 0;
}

static bool any_migrated(const struct daemon *daemon, const struct sample *sample)
{
	const struct cpu_sample *cpus;

	(void)history_get(&daemon->sampler.history, sample->seq, &cpus);
	for (size_t i = 0; i < daemon->sampler.n_cpus; i++)
		if (cpus[i].flags & SAMPLE_MIGRATED)
			return true;
	return false;
}

/*
 * Hotplug sends no event into most containers, so the sets are compared now and then; at once when
 * a soaker was seen on another CPU, which is what the kernel does to one whose CPU goes away.
 */
void supervise_check_cpus(struct daemon *daemon, const struct sample *sample)
{
	cleanup(cpulist_fini) struct cpulist available = {0};
	bool migrated = any_migrated(daemon, sample);

	if (!daemon->on_soaker || (sample->monotonic_ns < daemon->next_cpu_check_ns && !migrated))
		return;
	daemon->next_cpu_check_ns = sample->monotonic_ns + CPU_CHECK_NS;
	if (read_available(daemon, &available) < 0 ||
	    (!migrated && !soaking_differs(&daemon->soaking, &available)))
		return;
	log_line(LOG_NOTICE, "the CPUs that can be soaked have changed");
	replace_soakers(daemon);
	/* A CPU that was not there before has no baseline yet. */
	(void)daemon_calibrate(daemon, DAEMON_CALIBRATION_SECONDS);
}
