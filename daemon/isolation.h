/* SPDX-License-Identifier: MIT */
/*
 * Keeping the soakers out of the workload's way.
 *
 * SCHED_IDLE yields only inside its own scheduling group (sched(7), "The autogroup feature";
 * Documentation/admin-guide/cgroup-v2.rst, cpu.idle). The workload is mostly in another one, so
 * the soaker process needs a group that is itself idle:
 *
 *   cgroup-v2, cgroup-v1   a cpu cgroup of its own directly below the root, with cpu.idle = 1
 *   autogroup              19 in /proc/PID/autogroup: weight 15 of 1024, needs no privilege
 *   plain                  nothing but SCHED_IDLE: right where groups are not in use at all
 *
 * The best that the kernel and our privileges allow is taken. What it is worth is measured
 * afterwards (intrusion.h).
 */
#pragma once

#include <sys/types.h>

enum isolation_kind {
	ISOLATION_CGROUP_V2,
	ISOLATION_CGROUP_V1,
	ISOLATION_AUTOGROUP,
	ISOLATION_PLAIN,
};

struct isolation {
	enum isolation_kind kind;
	char *cgroup;	  /* folder below root, for the cgroup kinds; owned */
	char detail[256]; /* one line for people: what was done, and what stood in the way of better
			   */
};

/* Return: the kind's name as in PROTOCOL.md. */
const char *isolation_name(enum isolation_kind kind);

/*
 * Isolate the process @pid, which must be the leader of a session of its own.
 *
 * A cgroup that an earlier soakd left behind is taken over. Nothing outside the new cgroup is
 * changed; where the root of cgroup v2 does not hand out the cpu controller, that is left so.
 *
 * @root: "" or the folder below which /proc and /sys are looked for
 * @ret: isolation_undo() it
 *
 * Return: 0 or -ENOMEM. That nothing better than `plain` was possible is not an error.
 */
int isolation_apply(const char *root, pid_t pid, struct isolation *ret);

/*
 * Put another process into the same isolation: the soaker process was started again.
 *
 * Return: 0 or a negative errno.
 */
int isolation_join(const char *root, const struct isolation *isolation, pid_t pid);

/*
 * Remove what was made. The process must be gone.
 *
 * Return: 0 or a negative errno of rmdir(2).
 */
int isolation_undo(const char *root, struct isolation *isolation);
