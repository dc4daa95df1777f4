/* SPDX-License-Identifier: MIT */
/*
 * The soaker process: a child that holds nothing but soakers, one thread a CPU.
 *
 * It is a process of its own because idle priority is relative to a scheduling group: the child
 * alone goes into the idle group, while soakd, which must answer on a busy machine, stays outside.
 * It ends with its parent (PR_SET_PDEATHSIG), and when its control socket closes.
 *
 * Life: soaker_spawn(), soaker_go() lets the threads begin, then the process is isolated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "loop.h"
#include "slot.h"

struct soaker {
	pid_t pid; /* 0: none */
	int pidfd;
	int control_fd;
	struct slot *slots; /* [n_slots], shared with the child */
	size_t n_slots;
	slot_clock_fn *clock;
};

#define SOAKER_NONE ((struct soaker){.pidfd = -1, .control_fd = -1})

/* What the soakers are to be like. */
struct soaker_config {
	const struct loop_body *body;
	enum loop_clock clock;
	double tick_ns;	    /* ns a tick of that clock */
	uint64_t window_ns; /* length of a calibration window */
	const int *cpus;    /* [n_cpus] */
	size_t n_cpus;
};

/*
 * Start the process, in a session of its own, with one slot a CPU but no thread yet.
 *
 * Return: 0; -ENOMEM; another negative errno of memfd_create(2), fork(2) or pidfd_open(2).
 */
int soaker_spawn(const struct soaker_config *config, struct soaker *ret);

/*
 * Let the threads begin and wait until each has soaked its first pass or failed.
 *
 * Return: 0 when at least one began (slot.error tells of the others); -ETIME when they did not
 * within 10 s; -ESRCH when the process ended; the negative errno of the first CPU when all failed.
 */
int soaker_go(struct soaker *soaker);

/* End the process, wait for it and unmap the slots. Does nothing when there is none. */
void soaker_stop(struct soaker *soaker);

/* End the process and wait for it, but keep the slots readable until soaker_stop(). */
void soaker_kill(struct soaker *soaker);

/*
 * Return: ticks of CPU time in ns that the kernel has charged to the soakers the way it charges
 * /proc/stat (not the exact run time), so that the two can be subtracted; 0 without a process, or
 * where the kernel does not tell.
 *
 * Source: clock_getcpuclockid(3) gives the scheduler's clock only; the profiling clock of the same
 * process is the sum of utime and stime as the tick charged them (kernel/time/posix-cpu-timers.c,
 * cpu_clock_sample_group).
 */
uint64_t soaker_charged_ns(const struct soaker *soaker);

/* The child's side: what `soakd` does when it was started as the soaker process. */
#define SOAKER_COMMAND "soaker-process"
int soaker_main(int argc, char **argv);
