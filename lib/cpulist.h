/* SPDX-License-Identifier: MIT */
/*
 * A set of CPU numbers, as the kernel writes it: "0-3,8,10-11".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* CPU numbers, ascending, each once. `cpus` has n elements; NULL when n is 0. */
struct cpulist {
	size_t n;
	int *cpus;
};

/* CPU numbers above this are refused: a larger one is a mistake, not a machine. */
#define CPULIST_MAX_CPU 65535

/*
 * Read a list such as "0-3,8,10-11". Ranges may overlap and come in any order; one newline at the
 * end and an empty text (no CPU at all) are allowed.
 *
 * @ret: owned by the caller, cpulist_fini(); untouched on failure
 *
 * Return: 0; -EINVAL when the text is no list; -ERANGE when a number exceeds CPULIST_MAX_CPU;
 * -ENOMEM.
 */
int cpulist_parse(const char *text, struct cpulist *ret);

/*
 * Put what @text lists in the place of *@list, which must be a list; one without any CPU is
 * refused.
 *
 * Return: 0; cpulist_parse()'s errors, with *@list as it was.
 */
int cpulist_replace(const char *text, struct cpulist *list);

/*
 * Write the list in its shortest form ("0-3,8"); "" when empty.
 *
 * @ret: owned by the caller, free()
 *
 * Return: 0 or -ENOMEM.
 */
int cpulist_format(const struct cpulist *list, char **ret);

/* Add one CPU, keeping order; adding a member again changes nothing. Return: 0 or -ENOMEM. */
int cpulist_add(struct cpulist *list, int cpu);

/* Return: whether @cpu is a member. */
bool cpulist_has(const struct cpulist *list, int cpu);

/* Return: the position of @cpu in the list, or -1. */
int cpulist_index(const struct cpulist *list, int cpu);

/* Copy @from. Return: 0 or -ENOMEM; @ret untouched on failure. */
int cpulist_copy(const struct cpulist *from, struct cpulist *ret);

/* Free the members and leave an empty list. Safe on an empty one. */
void cpulist_fini(struct cpulist *list);
