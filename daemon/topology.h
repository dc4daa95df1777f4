/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs can be soaked, which cannot and why, and who shares a core with whom.
 *
 * Two facts decide: the CPUs this process may run on (its affinity mask, which cpusets, containers
 * and taskset cut) and those that are online. Counts such as _SC_NPROCESSORS say neither and are
 * not used: ids may be sparse and exceed 1024.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpulist.h"

/* Where the affinity mask comes from. */
struct topology_source {
	/*
	 * Fill @ret_set of @size bytes.
	 *
	 * Return: 0; -EINVAL when the machine's masks are larger; another negative errno.
	 */
	int (*get_affinity)(void *context, size_t size, cpu_set_t *ret_set);
	void *context;
};

/* The mask of the calling thread: a `get_affinity` for the real machine. */
int topology_get_affinity(void *context, size_t size, cpu_set_t *ret_set);

enum topology_reason {
	TOPOLOGY_ABSENT,
	TOPOLOGY_OFFLINE,
	TOPOLOGY_NOT_ALLOWED,
	TOPOLOGY_ISOLATED,
};

/* Return: the reason in words ("offline"). */
const char *topology_reason_text(enum topology_reason reason);

struct topology_left_out {
	int cpu; /* -1: no CPU in particular */
	enum topology_reason reason;
};

struct topology {
	struct cpulist cpus; /* never empty */
	size_t n_left_out;
	struct topology_left_out
		*left_out; /* ascending; empty when CPUs were asked for by number */
};

/*
 * Find the CPUs to soak.
 *
 * CPUs that the kernel was told to isolate are in nobody's mask; they are left out unless asked
 * for. A machine without the `online` file, or with an empty one, is judged by the mask alone.
 *
 * @root: "" or a fixture
 * @wanted: exactly these CPUs; NULL for all that can be had
 * @ret_refused: set only when -ENXIO is returned: the first CPU that cannot be had, or cpu -1 when
 *               there is none at all
 * @ret: topology_fini(); untouched on failure
 *
 * Return: 0; -ENXIO, see @ret_refused; -EINVAL or -ERANGE when a list in /sys is no list; -ENOMEM;
 * what the source or open() and read() return.
 */
int topology_read(const char *root, const struct topology_source *source,
		  const struct cpulist *wanted, struct topology_left_out *ret_refused,
		  struct topology *ret);

/* Free what topology_read() gave. Safe on a zeroed one. */
void topology_fini(struct topology *topology);

/*
 * List the CPUs that share a core with @cpu, itself included; only itself where /sys does not say.
 *
 * Return: 0; -EINVAL or -ERANGE when the file is no list; -ENOMEM; what open() and read() return.
 */
int topology_siblings(const char *root, int cpu, struct cpulist *ret);

/*
 * Tell whether any core runs more than one thread now.
 *
 * Return: 0; -ENOENT where the kernel does not say; -EINVAL; what open() and read() return.
 */
int topology_smt_active(const char *root, bool *ret);
