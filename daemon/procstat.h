/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own opinion of where CPU time went: /proc/stat.
 *
 * Lines are found by CPU number, never by position: offline CPUs have no line. Time as a guest is
 * already in user, and niced guests in nice. iowait is idle time, and it and idle may go down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpulist.h"

/* One CPU's line, in ticks of sysconf(_SC_CLK_TCK). */
struct procstat_cpu {
	bool present; /* false: no line, all zero */
	uint64_t user;
	uint64_t nice;
	uint64_t system;
	uint64_t idle;
	uint64_t iowait;
	uint64_t irq;
	uint64_t softirq;
	uint64_t steal;
	uint64_t guest;	     /* part of user */
	uint64_t guest_nice; /* part of nice */
};

/*
 * Read the lines of @cpus from the text of /proc/stat, whose other lines are not looked at.
 *
 * @ret_cpus: ret_cpus[cpus->n], index = position in @cpus; untouched on failure
 *
 * Return: 0; -EINVAL when the text is not of that form or ends within the CPUs; -ERANGE when a
 * number exceeds 64 bits; -ENOMEM.
 */
int procstat_parse(const char *text, const struct cpulist *cpus, struct procstat_cpu *ret_cpus);

/* Sums over CPUs since boot. They wrap at 2^64: only differences mean something. */
struct procstat {
	uint64_t busy_ns; /* user, nice, system, irq, softirq */
	uint64_t nice_ns; /* part of busy */
	uint64_t steal_ns;
	uint64_t total_ns; /* busy, steal, idle, iowait */
	size_t n_missing;  /* CPUs without a line */
};

/*
 * Read /proc/stat and sum over @cpus.
 *
 * Return: 0; as procstat_parse(); what open() and read() return. @ret is untouched on failure.
 */
int procstat_read(const char *root, const struct cpulist *cpus, struct procstat *ret);

/* What lies between two readings. May be slightly negative, as iowait and idle may go down. */
struct procstat_change {
	int64_t busy_ns;
	int64_t nice_ns;
	int64_t steal_ns;
	int64_t total_ns;
};

/*
 * Subtract two readings of the same CPUs.
 *
 * Return: 0; -ENODATA when their numbers of missing CPUs differ, so that there is no difference.
 */
int procstat_subtract(const struct procstat *before, const struct procstat *after,
		      struct procstat_change *ret);
