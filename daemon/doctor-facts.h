/* SPDX-License-Identifier: MIT */
/*
 * What `soakd doctor` can tell from the machine's own files, one line a check.
 *
 * A check never fails: what it could not find out is a note that says so. Checks that need the
 * soakers (intrusion, quiet calibration) are not here.
 */
#pragma once

#include <sys/types.h>

#include "cpulist.h"
#include "machine.h"
#include "procstat.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,	/* qualifies the figures */
	DOCTOR_PROBLEM, /* makes them wrong */
};

struct doctor_line {
	const char *name; /* of the check; static */
	enum doctor_state state;
	char text[256]; /* what was found */
	char cure[256]; /* what to do; "" when there is nothing to be done */
};

/* Whether there is a clock that is steady and cheap to read. */
void doctor_clock(const struct machine *machine, struct doctor_line *ret);

/* Whether the hypervisor took time away between two readings of the same CPUs. */
void doctor_steal(const struct procstat *before, const struct procstat *after,
		  struct doctor_line *ret);

/* Whether any of @cpus shares its core with another one. */
void doctor_smt(const char *root, const struct cpulist *cpus, struct doctor_line *ret);

/* Whether the frequency may move. */
void doctor_frequency(const struct machine *machine, struct doctor_line *ret);

/*
 * Whether others use idle priority CPU time or lift what starves: other soakers, stalld.
 *
 * Looks at every thread of the machine once.
 *
 * @own: the process to leave out, the own soaker; 0 for none
 */
void doctor_rivals(const char *root, pid_t own, struct doctor_line *ret);

/* Whether a cgroup of this process, or one above it, limits its CPU time. */
void doctor_cgroup(const char *root, struct doctor_line *ret);

/* Whether this process may run on all CPUs that are online, isolated ones aside. */
void doctor_cpuset(const char *root, struct doctor_line *ret);
