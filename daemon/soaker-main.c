/* SPDX-License-Identifier: MIT */
/*
 * The child's side of the soaker process: make the threads, then wait for the parent to go away.
 *
 * The first thread only waits; every signal is blocked in all of them, so that none ever runs a
 * handler in the middle of a pass.
 */
#include "soaker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"

#define MEMFD		   3
#define CONTROL		   4
#define THREAD_STACK_BYTES (64 * 1024)
#define NICEST		   19

struct job {
	struct slot *slot;
	const struct loop_body *body;
	enum loop_clock clock;
};

static void slot_fail(struct slot *slot, int error)
{
	atomic_store(&slot->error, -error);
}

static int pin(int cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int r;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	r = sched_setaffinity(0, size, set) == -1 ? errno : 0;
	CPU_FREE(set);
	return r;
}

/*
 * Idle policy, and nice 19 as well: niceness does nothing under SCHED_IDLE, but the kernel charges
 * what is nice to /proc/stat's `nice`, where top and mpstat show it apart from the workload.
 */
static int become_idle(void)
{
	struct sched_param parameters = {.sched_priority = 0};

	if (setpriority(PRIO_PROCESS, 0, NICEST) == -1)
		return errno;
	if (sched_setscheduler(0, SCHED_IDLE, &parameters) == -1)
		return errno;
	return 0;
}

static void *soak_thread(void *argument)
{
	struct job *job = argument;
	struct job own = *job;
	unsigned char *buffer = NULL;
	int r;

	r = pin(own.slot->cpu);
	/* After pinning, so that the memory is the CPU's own node's. */
	if (r == 0 && own.body->buffer_bytes) {
		buffer = calloc(1, own.body->buffer_bytes);
		r = buffer ? 0 : ENOMEM;
	}
	if (r == 0)
		r = become_idle();
	if (r != 0) {
		free(buffer);
		slot_fail(own.slot, r);
		return NULL;
	}
	loop_run(own.body, own.clock, own.slot, buffer);
}

static int make_threads(struct job *jobs, size_t n)
{
	pthread_attr_t attributes;
	int r = pthread_attr_init(&attributes);

	if (r != 0)
		return -r;
	(void)pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (size_t i = 0; i < n; i++) {
		pthread_t thread;

		r = pthread_create(&thread, &attributes, soak_thread, &jobs[i]);
		if (r != 0)
			slot_fail(jobs[i].slot, r);
	}
	(void)pthread_attr_destroy(&attributes);
	return 0;
}

static bool all_begun(const struct job *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!atomic_load_explicit(&jobs[i].slot->started, memory_order_acquire) &&
		    atomic_load(&jobs[i].slot->error) == 0)
			return false;
	return true;
}

/* A soaker on a busy CPU may take its time; the parent has the limit. */
static void wait_begun(const struct job *jobs, size_t n)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (!all_begun(jobs, n))
		(void)nanosleep(&pause, NULL);
}

static int map_slots(struct slot **ret, size_t *ret_n)
{
	struct stat state;
	void *slots;

	if (fstat(MEMFD, &state) == -1)
		return -errno;
	slots = mmap(NULL, (size_t)state.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, MEMFD, 0);
	if (slots == MAP_FAILED)
		return -errno;
	*ret = slots;
	*ret_n = (size_t)state.st_size / sizeof(struct slot);
	return 0;
}

/* Return: whether the parent said go; false when it has gone. */
static bool wait_for_byte(void)
{
	char byte;
	ssize_t n;

	do
		n = recv(CONTROL, &byte, 1, 0);
	while (n == -1 && errno == EINTR);
	return n == 1;
}

int soaker_main(int argc, char **argv)
{
	const struct loop_body *body = argc == 3 ? loop_body_find(argv[1]) : NULL;
	enum loop_clock clock;
	struct job *jobs;
	struct slot *slots = NULL;
	sigset_t all;
	size_t n = 0;

	if (!body || map_slots(&slots, &n) < 0)
		return EXIT_FAILURE;
	clock = strcmp(argv[2], "tsc") == 0 ? LOOP_CLOCK_TSC : LOOP_CLOCK_GETTIME;
	(void)prctl(PR_SET_NAME, "soakd-soaker");
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);

	jobs = calloc(n, sizeof(*jobs));
	if (!jobs || !wait_for_byte())
		return EXIT_FAILURE;
	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct job){.slot = &slots[i], .body = body, .clock = clock};
	if (make_threads(jobs, n) < 0)
		return EXIT_FAILURE;
	wait_begun(jobs, n);
	(void)send(CONTROL, "b", 1, MSG_NOSIGNAL);
	while (wait_for_byte())
		;
	/* The threads end with the process. */
	_exit(EXIT_SUCCESS);
}
