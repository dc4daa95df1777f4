/* SPDX-License-Identifier: MIT */
/*
 * The kernel's opinion of where CPU time went: see procstat.h.
 *
 * Source: show_stat() in fs/proc/stat.c. Kernels since 2.6.11 write eight numbers or more.
 */
#include "procstat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "fields.h"
#include "file.h"

#define LEAST_FIELDS 8
#define KNOWN_FIELDS 10

/* Room for CPULIST_MAX_CPU CPUs with ten numbers of 20 digits, and for a long intr line. */
#define MAX_BYTES ((size_t)32 * 1024 * 1024)

static int parse_numbers(const char **cursor, struct procstat_cpu *ret)
{
	uint64_t v[KNOWN_FIELDS] = {0};
	int n;

	n = fields_rest(cursor, v, KNOWN_FIELDS);
	if (n < 0)
		return n;
	if (n < LEAST_FIELDS)
		return -EINVAL;
	*ret = (struct procstat_cpu){
		.present = true,
		.user = v[0],
		.nice = v[1],
		.system = v[2],
		.idle = v[3],
		.iowait = v[4],
		.irq = v[5],
		.softirq = v[6],
		.steal = v[7],
		.guest = v[8],
		.guest_nice = v[9],
	};
	return 0;
}

/* Read the line behind "cpu", which is of one CPU. */
static int parse_cpu(const char **cursor, const struct cpulist *cpus, struct procstat_cpu *rows)
{
	struct procstat_cpu row;
	uint64_t id;
	int index;
	int r;

	if (fields_is_end(**cursor))
		return -EINVAL;
	r = fields_u64(cursor, &id);
	if (r < 0)
		return r;
	if (id > CPULIST_MAX_CPU)
		return -EINVAL;
	r = parse_numbers(cursor, &row);
	if (r < 0)
		return r;
	index = cpulist_index(cpus, (int)id);
	if (index < 0)
		return 0;
	if (rows[index].present)
		return -EINVAL;
	rows[index] = row;
	return 0;
}

int procstat_parse(const char *text, const struct cpulist *cpus, struct procstat_cpu *ret_cpus)
{
	cleanup(freep) struct procstat_cpu *rows = NULL;
	struct procstat_cpu all;
	const char *cursor = text;
	int r;

	rows = calloc(cpus->n + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	if (strncmp(cursor, "cpu ", 4) != 0)
		return -EINVAL;
	cursor += 3;
	r = parse_numbers(&cursor, &all);
	while (r == 0 && strncmp(cursor, "cpu", 3) == 0) {
		cursor += 3;
		r = parse_cpu(&cursor, cpus, rows);
	}
	if (r < 0)
		return r;
	/* Other lines always follow, so that a text which ends here was cut off. */
	if (*cursor == '\0')
		return -EINVAL;
	if (cpus->n > 0)
		memcpy(ret_cpus, rows, cpus->n * sizeof(*rows));
	return 0;
}

/* Unsigned arithmetic throughout: sums may wrap, their differences are right nevertheless. */
static void add_cpu(struct procstat *sum, const struct procstat_cpu *cpu, uint64_t tick_ns)
{
	uint64_t busy = cpu->user + cpu->nice + cpu->system + cpu->irq + cpu->softirq;

	sum->busy_ns += busy * tick_ns;
	sum->nice_ns += cpu->nice * tick_ns;
	sum->steal_ns += cpu->steal * tick_ns;
	sum->total_ns += (busy + cpu->steal + cpu->idle + cpu->iowait) * tick_ns;
	sum->n_missing += cpu->present ? 0 : 1;
}

int procstat_read(const char *root, const struct cpulist *cpus, struct procstat *ret)
{
	cleanup(freep) struct procstat_cpu *rows = NULL;
	cleanup(freep) char *text = NULL;
	struct procstat sum = {0};
	long hz = sysconf(_SC_CLK_TCK);
	int r;

	if (hz <= 0)
		return -EINVAL;
	rows = calloc(cpus->n + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	r = file_read(root, "/proc/stat", MAX_BYTES, &text);
	if (r < 0)
		return r;
	r = procstat_parse(text, cpus, rows);
	if (r < 0)
		return r;
	for (size_t i = 0; i < cpus->n; i++)
		add_cpu(&sum, &rows[i], UINT64_C(1000000000) / (uint64_t)hz);
	*ret = sum;
	return 0;
}

int procstat_subtract(const struct procstat *before, const struct procstat *after,
		      struct procstat_change *ret)
{
	if (before->n_missing != after->n_missing)
		return -ENODATA;
	*ret = (struct procstat_change){
		.busy_ns = (int64_t)(after->busy_ns - before->busy_ns),
		.nice_ns = (int64_t)(after->nice_ns - before->nice_ns),
		.steal_ns = (int64_t)(after->steal_ns - before->steal_ns),
		.total_ns = (int64_t)(after->total_ns - before->total_ns),
	};
	return 0;
}
