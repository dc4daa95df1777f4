/* SPDX-License-Identifier: MIT */
/*
 * Each note is a condition and a sentence.
 */
#include "notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "cleanup.h"
#include "intrusion.h"
#include "timestamp.h"

/* A floor less certain than this is worth a sentence. */
#define UNCERTAIN_RATIO 0.005

static void add(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(json_t *notes, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)json_array_append_new(notes, json_vsprintf(format, arguments));
	va_end(arguments);
}

/* Return: the soaked CPUs for which @holds, as a list; NULL when there are none. */
static char *list_cpus(const struct daemon *daemon,
		       bool (*holds)(const struct calibration_cpu *cpu))
{
	cleanup(cpulist_fini) struct cpulist list = {0};
	char *text = NULL;

	for (size_t i = 0; i < daemon->calibration.n_cpus; i++)
		if (daemon->sampler.cpus[i].soaked && holds(&daemon->calibration.cpus[i]) &&
		    cpulist_add(&list, daemon->calibration.cpus[i].cpu) < 0)
			return NULL;
	if (list.n == 0 || cpulist_format(&list, &text) < 0)
		return NULL;
	return text;
}

static bool is_noisy(const struct calibration_cpu *cpu)
{
	return !cpu->quiet && !isnan(cpu->idle_floor_ratio);
}

static bool is_unknown(const struct calibration_cpu *cpu)
{
	return isnan(cpu->idle_floor_ratio);
}

static bool is_uncertain(const struct calibration_cpu *cpu)
{
	return cpu->quiet && cpu->idle_floor_uncertainty_ratio > UNCERTAIN_RATIO;
}

static void note_calibration(const struct daemon *daemon, json_t *notes)
{
	cleanup(freep) char *noisy = list_cpus(daemon, is_noisy);
	cleanup(freep) char *unknown = list_cpus(daemon, is_unknown);
	cleanup(freep) char *uncertain = list_cpus(daemon, is_uncertain);

	if (daemon->calibration.wall_ns == 0)
		return;
	if (daemon->calibration.stored)
		add(notes, "the machine was too busy to calibrate: some idle floors are from an "
			   "earlier calibration");
	if (noisy)
		add(notes,
		    "CPU %s: calibration found too few quiet windows; the idle floor is "
		    "uncertain, so the load may be too low (soakd calibrate on a quieter machine)",
		    noisy);
	if (unknown)
		add(notes,
		    "CPU %s: calibration found no quiet window; the load includes the timer tick "
		    "(soakd calibrate on a quieter machine)",
		    unknown);
	if (uncertain)
		add(notes, "CPU %s: the idle floor is known to no better than %.1f pp", uncertain,
		    UNCERTAIN_RATIO * 100);
}

json_t *notes_new(const struct daemon *daemon)
{
	json_t *notes = json_array();

	note_calibration(daemon, notes);
	if (daemon->intrusion_ratio > INTRUSION_LIMIT_RATIO)
		add(notes,
		    "the soakers take %.1f %% of a CPU from a busy workload (started with "
		    "--force)",
		    daemon->intrusion_ratio * 100);
	if (isnan(daemon->intrusion_ratio))
		add(notes, "the soakers' intrusion could not be measured");
	if (daemon->soaking.n_restarts > 0)
		add(notes, "the soaker process was started again (%llu so far)",
		    (unsigned long long)daemon->soaking.n_restarts);
	return notes;
}
