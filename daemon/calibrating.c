/* SPDX-License-Identifier: MIT */
/*
 * Calibrations of a running daemon: soak for a while, compute the baselines from the windows of
 * that while, and complete what was not quiet from the stored ones.
 */
#include "calibrating.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "cleanup.h"
#include "clock.h"
#include "log.h"

int daemon_calibrate(struct daemon *daemon, double seconds)
{
	int r;

	if (daemon->calibrating)
		return -EBUSY;
	for (size_t i = 0; i < daemon->sampler.n_cpus; i++)
		daemon->calibration_first[i] = soaking_n_windows(&daemon->soaking, i);
	daemon->extended = false;
	daemon->calibration_seconds = seconds;
	r = daemon_schedule(daemon->on_calibrated, seconds);
	daemon->calibrating = r == 0;
	return r;
}

static int compute_baselines(struct daemon *daemon, struct calibration_cpu *cpus)
{
	cleanup(freep) struct calibration_window *windows = calloc(SLOT_WINDOWS, sizeof(*windows));

	if (!windows)
		return -ENOMEM;
	for (size_t i = 0; i < daemon->sampler.n_cpus; i++) {
		size_t n =
			soaking_windows(&daemon->soaking, i, daemon->calibration_first[i], windows);
		int r = calibration_compute(windows, n, soaking_has_switches(&daemon->soaking, i),
					    &cpus[i]);

		if (r < 0)
			return r;
		cpus[i].cpu = daemon->sampler.cpus[i].cpu;
	}
	return 0;
}

/* Return: whether every soaked CPU was quiet; false when none is soaked just now. */
static bool all_quiet(const struct daemon *daemon, const struct calibration_cpu *cpus)
{
	bool any = false;

	for (size_t i = 0; i < daemon->sampler.n_cpus; i++) {
		if (!daemon->sampler.cpus[i].soaked)
			continue;
		if (!cpus[i].quiet)
			return false;
		any = true;
	}
	return any;
}

static void log_floor(const struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->n_cpus; i++)
		if (!calibration->cpus[i].quiet && calibration->cpus[i].n_windows > 0)
			log_line(LOG_WARNING,
				 "CPU %d: only %zu of %zu windows were quiet; its idle floor is "
				 "uncertain",
				 calibration->cpus[i].cpu, calibration->cpus[i].n_quiet,
				 calibration->cpus[i].n_windows);
}

/* A new baseline is there: complete it from the stored one, or store it. */
static void settle_calibration(struct daemon *daemon, struct calibration_cpu *cpus)
{
	struct calibration *calibration = &daemon->calibration;
	struct calibration_provenance provenance = daemon_provenance(daemon);
	const char *path = daemon->config.state_path;
	int r = 0;

	free(calibration->cpus);
	*calibration = (struct calibration){
		.quiet = all_quiet(daemon, cpus),
		.wall_ns = (int64_t)clock_now_ns(CLOCK_REALTIME),
		.seconds = daemon->calibration_seconds,
		.n_cpus = daemon->sampler.n_cpus,
		.cpus = cpus,
	};
	if (calibration->quiet && path)
		r = calibration_save(path, calibration, &provenance);
	else if (path)
		(void)calibration_fill_from(path, &provenance, calibration);
	if (r < 0)
		log_line(LOG_WARNING, "cannot store the calibration in %s: %s", path, strerror(-r));
	log_floor(calibration);
}

void calibrating_end(int fd, short what, void *context)
{
	struct daemon *daemon = context;
	struct calibration_cpu *cpus = calloc(daemon->sampler.n_cpus, sizeof(*cpus));
	double seconds = daemon->calibration_seconds;

	(void)fd;
	(void)what;
	if (!cpus || compute_baselines(daemon, cpus) < 0) {
		free(cpus);
		daemon->calibrating = false;
		log_line(LOG_ERR, "out of memory: not calibrated");
		if (!daemon->sampling)
			daemon_stop(daemon);
		return;
	}
	if (!all_quiet(daemon, cpus) && !daemon->extended &&
	    2 * seconds <= DAEMON_MOST_CALIBRATION_SECONDS &&
	    daemon_schedule(daemon->on_calibrated, seconds) == 0) {
		daemon->extended = true;
		daemon->calibration_seconds = 2 * seconds;
		free(cpus);
		return;
	}
	daemon->calibrating = false;
	settle_calibration(daemon, cpus);
	if (!daemon->sampling)
		daemon_begin_sampling(daemon);
}
