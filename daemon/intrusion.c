/* SPDX-License-Identifier: MIT */
/*
 * The busy threads live in a child process with a session of its own and end with it.
 */
#include "intrusion.h"

#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"

#define NS_PER_MS	 1000000
#define BEGIN_TIMEOUT_MS 5000
#define SETTLE_MS	 100

static void *burn(void *argument)
{
	const struct slot *slot = argument;
	size_t n = (size_t)slot->cpu + 1, size = CPU_ALLOC_SIZE(n);
	cpu_set_t *set = CPU_ALLOC(n);

	if (!set)
		_exit(1);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)slot->cpu, size, set);
	if (sched_setaffinity(0, size, set) == -1)
		_exit(1);
	CPU_FREE(set);
	for (;;)
		__asm__ volatile("" ::: "memory");
}

/* In the child. @ready is told when every thread was made. */
static _Noreturn void run_busy_threads(pid_t parent, const struct soaker *soaker, int ready)
{
	pthread_attr_t attributes;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent || setsid() == -1)
		_exit(1);
	if (pthread_attr_init(&attributes) != 0)
		_exit(1);
	(void)pthread_attr_setstacksize(&attributes, 64 * 1024);
	for (size_t i = 0; i < soaker->n_slots; i++) {
		pthread_t thread;

		/* A soaker without a busy thread beside it would read as pure intrusion. */
		if (atomic_load(&soaker->slots[i].started) &&
		    pthread_create(&thread, &attributes, burn, &soaker->slots[i]) != 0)
			_exit(1);
	}
	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		(void)pause();
}

struct shares {
	double soaked_ns; /* time the soakers had */
	double busy_ns;	  /* CPU time the busy threads had */
};

static double read_soaked_ns(const struct soaker *soaker, double tick_ns)
{
	double soaked_ns = 0;

	for (size_t i = 0; i < soaker->n_slots; i++) {
		struct slot_reading reading;

		if (!atomic_load(&soaker->slots[i].started))
			continue;
		slot_read(&soaker->slots[i], soaker->clock, &reading);
		soaked_ns += (double)(reading.now_ticks - reading.taken_ticks) * tick_ns;
	}
	return soaked_ns;
}

static int read_shares(const struct soaker *soaker, double tick_ns, clockid_t busy_clock,
		       struct shares *ret)
{
	struct timespec busy;

	if (clock_gettime(busy_clock, &busy) == -1)
		return -errno;
	ret->busy_ns = (double)busy.tv_sec * 1e9 + (double)busy.tv_nsec;
	ret->soaked_ns = read_soaked_ns(soaker, tick_ns);
	return 0;
}

/* Sleep through signals: the time matters little, that it passes does. */
static void wait_ms(int milliseconds)
{
	struct timespec left = {.tv_sec = milliseconds / 1000,
				.tv_nsec = (long)(milliseconds % 1000) * NS_PER_MS};

	while (nanosleep(&left, &left) == -1 && errno == EINTR)
		;
}

static int measure_beside(const struct soaker *soaker, double tick_ns, int milliseconds, pid_t busy,
			  double *ret_ratio)
{
	struct shares begin, end;
	clockid_t busy_clock;
	double soaked_ns, together_ns;
	int r = clock_getcpuclockid(busy, &busy_clock);

	if (r != 0)
		return -r;
	/* What the scheduler owes the soakers from before is paid first, and is not their share. */
	wait_ms(SETTLE_MS);
	r = read_shares(soaker, tick_ns, busy_clock, &begin);
	if (r < 0)
		return r;
	wait_ms(milliseconds);
	r = read_shares(soaker, tick_ns, busy_clock, &end);
	if (r < 0)
		return r;
	soaked_ns = end.soaked_ns - begin.soaked_ns;
	together_ns = soaked_ns + end.busy_ns - begin.busy_ns;
	*ret_ratio = end.busy_ns > begin.busy_ns ? soaked_ns / together_ns : (double)NAN;
	return 0;
}

static int wait_ready(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char byte;
	int n;

	do
		n = poll(&wait, 1, BEGIN_TIMEOUT_MS);
	while (n == -1 && errno == EINTR);
	if (n == 0)
		return -ETIME;
	return n == 1 && read(fd, &byte, 1) == 1 ? 0 : -ECHILD;
}

int intrusion_measure(const struct soaker *soaker, double tick_ns, int milliseconds,
		      double *ret_ratio)
{
	pid_t parent = getpid(), busy;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) == -1)
		return -errno;
	busy = fork();
	if (busy == 0)
		run_busy_threads(parent, soaker, ends[1]);
	r = busy == -1 ? -errno : 0;
	(void)close(ends[1]);
	if (r == 0)
		r = wait_ready(ends[0]);
	(void)close(ends[0]);
	if (r == 0)
		r = measure_beside(soaker, tick_ns, milliseconds, busy, ret_ratio);
	if (busy > 0) {
		/* Our own child, not yet waited for. */
		(void)kill(busy, SIGKILL);
		while (waitpid(busy, NULL, 0) == -1 && errno == EINTR)
			;
	}
	return r;
}
