/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs can be soaked: see topology.h.
 *
 * All lists are read first, then every CPU is judged by the same function, whether it was asked for
 * or found.
 */
#include "topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define FIRST_MASK_CPUS ((size_t)1024)
#define MAX_MASK_CPUS	((size_t)CPULIST_MAX_CPU + 1)

struct lists {
	struct cpulist mask;
	struct cpulist online;	 /* empty: not known */
	struct cpulist present;	 /* empty: not known */
	struct cpulist isolated; /* empty: none */
};

static const char *const reason_texts[] = {
	[TOPOLOGY_ABSENT] = "no such CPU",
	[TOPOLOGY_OFFLINE] = "offline",
	[TOPOLOGY_NOT_ALLOWED] = "not in affinity mask",
	[TOPOLOGY_ISOLATED] = "isolated",
};

const char *topology_reason_text(enum topology_reason reason)
{
	return reason_texts[reason];
}

int topology_get_affinity(void *context, size_t size, cpu_set_t *ret_set)
{
	(void)context;
	return sched_getaffinity(0, size, ret_set) < 0 ? -errno : 0;
}

static void free_lists(struct lists *lists)
{
	cpulist_fini(&lists->mask);
	cpulist_fini(&lists->online);
	cpulist_fini(&lists->present);
	cpulist_fini(&lists->isolated);
}

static void free_set(cpu_set_t **set)
{
	if (*set)
		CPU_FREE(*set);
}

static int list_of_set(const cpu_set_t *set, size_t n_cpus, struct cpulist *ret)
{
	cleanup(cpulist_fini) struct cpulist list = {0};
	size_t size = CPU_ALLOC_SIZE(n_cpus);
	int r;

	for (size_t cpu = 0; cpu < n_cpus; cpu++) {
		if (!CPU_ISSET_S(cpu, size, set))
			continue;
		r = cpulist_add(&list, (int)cpu);
		if (r < 0)
			return r;
	}
	*ret = list;
	list = (struct cpulist){0};
	return 0;
}

/* The kernel refuses, with EINVAL, a mask smaller than its own and does not say how large that is.
 */
static int read_mask(const struct topology_source *source, struct cpulist *ret)
{
	int r = -EINVAL;

	for (size_t n_cpus = FIRST_MASK_CPUS; r == -EINVAL && n_cpus <= MAX_MASK_CPUS;
	     n_cpus *= 2) {
		cleanup(free_set) cpu_set_t *set = CPU_ALLOC(n_cpus);
		size_t size = CPU_ALLOC_SIZE(n_cpus);

		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(size, set);
		r = source->get_affinity(source->context, size, set);
		if (r == 0)
			return list_of_set(set, n_cpus, ret);
	}
	return r;
}

static int read_list(const char *root, const char *path, struct cpulist *ret)
{
	cleanup(freep) char *line = NULL;
	int r;

	r = file_read_line(root, path, &line);
	if (r < 0)
		return r;
	return cpulist_parse(line, ret);
}

static int read_lists(const char *root, const struct topology_source *source, struct lists *ret)
{
	const struct {
		const char *path;
		struct cpulist *list;
	} files[] = {
		{"/sys/devices/system/cpu/online", &ret->online},
		{"/sys/devices/system/cpu/present", &ret->present},
		{"/sys/devices/system/cpu/isolated", &ret->isolated},
	};
	int r;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		r = read_list(root, files[i].path, files[i].list);
		if (r < 0 && r != -ENOENT)
			return r;
	}
	return read_mask(source, &ret->mask);
}

/* Return: whether @cpu can be soaked; @ret_reason is set when not. */
static bool judge(const struct lists *lists, int cpu, bool asked, enum topology_reason *ret_reason)
{
	if (lists->present.n > 0 && !cpulist_has(&lists->present, cpu))
		*ret_reason = TOPOLOGY_ABSENT;
	else if (lists->online.n > 0 && !cpulist_has(&lists->online, cpu))
		*ret_reason = TOPOLOGY_OFFLINE;
	else if (cpulist_has(&lists->mask, cpu) || (asked && cpulist_has(&lists->isolated, cpu)))
		return true;
	else if (cpulist_has(&lists->isolated, cpu))
		*ret_reason = TOPOLOGY_ISOLATED;
	else
		*ret_reason = TOPOLOGY_NOT_ALLOWED;
	return false;
}

static int take_wanted(const struct lists *lists, const struct cpulist *wanted,
		       struct topology_left_out *ret_refused, struct topology *topology)
{
	enum topology_reason reason = TOPOLOGY_ABSENT;

	for (size_t i = 0; i < wanted->n; i++) {
		if (judge(lists, wanted->cpus[i], true, &reason))
			continue;
		*ret_refused = (struct topology_left_out){.cpu = wanted->cpus[i], .reason = reason};
		return -ENXIO;
	}
	return cpulist_copy(wanted, &topology->cpus);
}

static int add_all(struct cpulist *list, const struct cpulist *more)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < more->n; i++)
		r = cpulist_add(list, more->cpus[i]);
	return r;
}

/* All CPUs there is anything to say about. */
static int list_candidates(const struct lists *lists, struct cpulist *candidates)
{
	int r;

	r = add_all(candidates, &lists->present);
	if (r == 0)
		r = add_all(candidates, &lists->online);
	if (r == 0)
		r = add_all(candidates, &lists->mask);
	return r;
}

static int take_usable(const struct lists *lists, struct topology *topology)
{
	cleanup(cpulist_fini) struct cpulist candidates = {0};
	enum topology_reason reason = TOPOLOGY_ABSENT;
	int r;

	r = list_candidates(lists, &candidates);
	if (r < 0)
		return r;
	topology->left_out = calloc(candidates.n + 1, sizeof(*topology->left_out));
	if (!topology->left_out)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < candidates.n; i++) {
		int cpu = candidates.cpus[i];

		if (judge(lists, cpu, false, &reason))
			r = cpulist_add(&topology->cpus, cpu);
		else
			topology->left_out[topology->n_left_out++] =
				(struct topology_left_out){.cpu = cpu, .reason = reason};
	}
	return r;
}

int topology_read(const char *root, const struct topology_source *source,
		  const struct cpulist *wanted, struct topology_left_out *ret_refused,
		  struct topology *ret)
{
	cleanup(topology_fini) struct topology topology = {0};
	cleanup(free_lists) struct lists lists = {0};
	int r;

	r = read_lists(root, source, &lists);
	if (r < 0)
		return r;
	if (wanted)
		r = take_wanted(&lists, wanted, ret_refused, &topology);
	else
		r = take_usable(&lists, &topology);
	if (r < 0)
		return r;
	if (topology.cpus.n == 0) {
		*ret_refused = (struct topology_left_out){.cpu = -1, .reason = TOPOLOGY_ABSENT};
		return -ENXIO;
	}
	*ret = topology;
	topology = (struct topology){0};
	return 0;
}

void topology_fini(struct topology *topology)
{
	cpulist_fini(&topology->cpus);
	free(topology->left_out);
	topology->left_out = NULL;
	topology->n_left_out = 0;
}

int topology_siblings(const char *root, int cpu, struct cpulist *ret)
{
	/* The second is the name before Linux 5.3. */
	static const char *const names[] = {"core_cpus_list", "thread_siblings_list"};
	cleanup(cpulist_fini) struct cpulist list = {0};
	char path[96];
	int r;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
			       names[i]);
		r = read_list(root, path, &list);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r == 0)
			break;
	}
	r = cpulist_add(&list, cpu);
	if (r < 0)
		return r;
	*ret = list;
	list = (struct cpulist){0};
	return 0;
}

int topology_smt_active(const char *root, bool *ret)
{
	cleanup(freep) char *line = NULL;
	int r;

	r = file_read_line(root, "/sys/devices/system/cpu/smt/active", &line);
	if (r < 0)
		return r;
	if (strcmp(line, "0") != 0 && strcmp(line, "1") != 0)
		return -EINVAL;
	*ret = line[0] == '1';
	return 0;
}
