/* SPDX-License-Identifier: MIT */
/*
 * What the generators share: threads that are born on their CPU, so that nothing of them ever ran
 * elsewhere, and the CPUs that this process may use.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "cpulist.h"

/* Start a thread on @cpu alone. Return: 0; -EINVAL when it cannot run there; a negative errno. */
static inline int pinned_start(int cpu, void *(*entry)(void *), void *data, pthread_t *ret_thread)
{
	size_t size = CPU_ALLOC_SIZE(CPULIST_MAX_CPU + 1);
	cpu_set_t *set = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	pthread_attr_t attr;
	int r;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	r = pthread_attr_init(&attr);
	if (r == 0) {
		r = pthread_attr_setaffinity_np(&attr, size, set);
		if (r == 0)
			r = pthread_create(ret_thread, &attr, entry, data);
		(void)pthread_attr_destroy(&attr);
	}
	CPU_FREE(set);
	return -r;
}

/* The CPUs of the affinity mask. @ret: cpulist_fini(). Return: 0 or a negative errno. */
static inline int pinned_all(struct cpulist *ret)
{
	size_t size = CPU_ALLOC_SIZE(CPULIST_MAX_CPU + 1);
	cpu_set_t *set = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	struct cpulist list = {0};
	int r;

	if (!set)
		return -ENOMEM;
	r = sched_getaffinity(0, size, set) == 0 ? 0 : -errno;
	for (int cpu = 0; r == 0 && cpu <= CPULIST_MAX_CPU; cpu++)
		if (CPU_ISSET_S((size_t)cpu, size, set))
			r = cpulist_add(&list, cpu);
	CPU_FREE(set);
	if (r < 0) {
		cpulist_fini(&list);
		return r;
	}
	*ret = list;
	return 0;
}

/* Read "all" or a list such as "0-3,8". @ret: cpulist_fini(). Return: 0 or a negative errno. */
static inline int pinned_parse(const char *text, struct cpulist *ret)
{
	struct cpulist list = {0};
	int r;

	if (strcmp(text, "all") == 0)
		return pinned_all(ret);
	r = cpulist_parse(text, &list);
	if (r == 0 && list.n == 0)
		r = -EINVAL;
	if (r == 0)
		*ret = list;
	return r;
}
