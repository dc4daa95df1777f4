/* SPDX-License-Identifier: MIT */
/*
 * Sets are small sorted arrays; a list text is read into a mark for each CPU first, so that ranges
 * may overlap and come in any order.
 */
#include "cpulist.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

/* The most a member adds to a text: a comma or a dash, and the digits of any int with its sign. */
#define MEMBER_LENGTH 12

/* Read digits and go past them. Return: 0; -EINVAL without any; -ERANGE above the maximum. */
static int read_cpu(const char **text, int *ret)
{
	int value = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		value = value * 10 + (**text - '0');
		if (value > CPULIST_MAX_CPU)
			return -ERANGE;
	}
	*ret = value;
	return 0;
}

/* Mark the CPUs of one item, "3" or "0-7". */
static int read_item(const char **text, unsigned char *marks)
{
	int first, last, r = read_cpu(text, &first);

	if (r < 0)
		return r;
	last = first;
	if (**text == '-') {
		(*text)++;
		r = read_cpu(text, &last);
		if (r < 0)
			return r;
	}
	if (last < first)
		return -EINVAL;
	memset(&marks[first], 1, (size_t)(last - first) + 1);
	return 0;
}

static int from_marks(const unsigned char *marks, struct cpulist *ret)
{
	struct cpulist list = {0};

	for (int cpu = 0; cpu <= CPULIST_MAX_CPU; cpu++)
		list.n += marks[cpu];
	if (list.n > 0) {
		list.cpus = calloc(list.n, sizeof(*list.cpus));
		if (!list.cpus)
			return -ENOMEM;
	}
	for (int cpu = 0, n = 0; cpu <= CPULIST_MAX_CPU; cpu++)
		if (marks[cpu])
			list.cpus[n++] = cpu;
	*ret = list;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *ret)
{
	cleanup(freep) unsigned char *marks = calloc(CPULIST_MAX_CPU + 1, 1);

	if (!marks)
		return -ENOMEM;
	while (*text != '\0' && *text != '\n') {
		int r = read_item(&text, marks);

		if (r < 0)
			return r;
		if (*text != ',')
			break;
		text++;
		if (*text == '\0' || *text == '\n')
			return -EINVAL;
	}
	if (*text == '\n')
		text++;
	return *text == '\0' ? from_marks(marks, ret) : -EINVAL;
}

int cpulist_replace(const char *text, struct cpulist *list)
{
	struct cpulist parsed;
	int r = cpulist_parse(text, &parsed);

	if (r < 0)
		return r;
	if (parsed.n == 0)
		return -EINVAL;
	cpulist_fini(list);
	*list = parsed;
	return 0;
}

int cpulist_format(const struct cpulist *list, char **ret)
{
	size_t size = list->n * MEMBER_LENGTH + 1, length = 0;
	char *text = calloc(size, 1);

	if (!text)
		return -ENOMEM;
	for (size_t i = 0, last; i < list->n; i = last + 1) {
		last = i;
		while (last + 1 < list->n && list->cpus[last + 1] == list->cpus[last] + 1)
			last++;
		length += (size_t)snprintf(text + length, size - length, "%s%d", i ? "," : "",
					   list->cpus[i]);
		if (last > i)
			length += (size_t)snprintf(text + length, size - length, "-%d",
						   list->cpus[last]);
	}
	*ret = text;
	return 0;
}

/* Return: the position of the first member that is not below @cpu. */
static size_t find(const struct cpulist *list, int cpu)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->cpus[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int cpulist_add(struct cpulist *list, int cpu)
{
	size_t at = find(list, cpu);
	int *cpus;

	if (at < list->n && list->cpus[at] == cpu)
		return 0;
	cpus = reallocarray(list->cpus, list->n + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	memmove(&cpus[at + 1], &cpus[at], (list->n - at) * sizeof(*cpus));
	cpus[at] = cpu;
	list->cpus = cpus;
	list->n++;
	return 0;
}

int cpulist_index(const struct cpulist *list, int cpu)
{
	size_t at = find(list, cpu);

	return at < list->n && list->cpus[at] == cpu ? (int)at : -1;
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
	return cpulist_index(list, cpu) >= 0;
}

int cpulist_copy(const struct cpulist *from, struct cpulist *ret)
{
	struct cpulist copy = {.n = from->n};

	if (copy.n > 0) {
		copy.cpus = calloc(copy.n, sizeof(*copy.cpus));
		if (!copy.cpus)
			return -ENOMEM;
		memcpy(copy.cpus, from->cpus, copy.n * sizeof(*copy.cpus));
	}
	*ret = copy;
	return 0;
}

void cpulist_fini(struct cpulist *list)
{
	free(list->cpus);
	*list = (struct cpulist){0};
}
