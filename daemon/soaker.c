/* SPDX-License-Identifier: MIT */
/*
 * The parent's side of the soaker process: spawn, let go, end.
 */
#include "soaker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"

#define GO_TIMEOUT_MS 10000
#define CHILD_MEMFD   3
#define CHILD_CONTROL 4

static int map_slots(int memfd, size_t n_slots, struct slot **ret)
{
	size_t size = n_slots * sizeof(struct slot);
	void *slots;

	if (ftruncate(memfd, (off_t)size) == -1)
		return -errno;
	slots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (slots == MAP_FAILED)
		return -errno;
	*ret = slots;
	return 0;
}

static void fill_slots(const struct soaker_config *config, struct slot *slots)
{
	for (size_t i = 0; i < config->n_cpus; i++) {
		slots[i].cpu = config->cpus[i];
		slots[i].window_ticks = (uint64_t)((double)config->window_ns / config->tick_ns);
		slots[i].least_gap_ticks =
			(uint64_t)((double)config->body->least_gap_ns / config->tick_ns);
	}
}

/*
 * In the child: become the soaker program. Only async-signal-safe calls, as soakd may hold locks.
 */
static _Noreturn void become_soaker(pid_t parent, int memfd, int control, const char *body,
				    const char *clock)
{
	char *const arguments[] = {(char *)"soakd-soaker", (char *)SOAKER_COMMAND, (char *)body,
				   (char *)clock, NULL};
	int null;

	/* A parent that died before this line is the reason for the second one. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent)
		_exit(1);
	/* Its own session, so that a signal from the terminal does not reach it and writing its
	 * autogroup's niceness touches nobody else: sched(7). */
	if (setsid() == -1)
		_exit(1);
	/* Out of the way first: the one may have the number of the other. */
	memfd = fcntl(memfd, F_DUPFD, CHILD_CONTROL + 1);
	control = fcntl(control, F_DUPFD, CHILD_CONTROL + 1);
	null = open("/dev/null", O_RDWR);
	if (memfd == -1 || control == -1 || null == -1 || dup2(memfd, CHILD_MEMFD) == -1 ||
	    dup2(control, CHILD_CONTROL) == -1)
		_exit(1);
	/* Nothing of the one who started soakd may be kept open by what soaks for weeks. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) == -1)
			_exit(1);
	(void)close_range(CHILD_CONTROL + 1, UINT_MAX, 0);
	(void)execv("/proc/self/exe", arguments);
	_exit(1);
}

int soaker_spawn(const struct soaker_config *config, struct soaker *ret)
{
	struct soaker soaker = SOAKER_NONE;
	cleanup(closep) int memfd = -1;
	int ends[2], r;
	const char *clock = config->clock == LOOP_CLOCK_TSC ? "tsc" : "gettime";
	pid_t parent = getpid();

	memfd = memfd_create("soakd-slots", MFD_CLOEXEC);
	if (memfd == -1)
		return -errno;
	r = map_slots(memfd, config->n_cpus, &soaker.slots);
	if (r < 0)
		return r;
	soaker.n_slots = config->n_cpus;
	soaker.clock = loop_clock_function(config->clock);
	fill_slots(config, soaker.slots);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == -1) {
		r = -errno;
		soaker_stop(&soaker);
		return r;
	}
	soaker.control_fd = ends[0];
	soaker.pid = fork();
	if (soaker.pid == 0)
		become_soaker(parent, memfd, ends[1], config->body->name, clock);
	(void)close(ends[1]);
	if (soaker.pid != -1)
		soaker.pidfd = (int)syscall(SYS_pidfd_open, soaker.pid, 0);
	if (soaker.pid == -1 || soaker.pidfd == -1) {
		r = -errno;
		soaker_stop(&soaker);
		return r;
	}
	*ret = soaker;
	return 0;
}

static int first_error(const struct soaker *soaker)
{
	for (size_t i = 0; i < soaker->n_slots; i++)
		if (atomic_load_explicit(&soaker->slots[i].started, memory_order_acquire))
			return 0;
	return atomic_load(&soaker->slots[0].error);
}

int soaker_go(struct soaker *soaker)
{
	struct pollfd waits[2] = {{.fd = soaker->control_fd, .events = POLLIN},
				  {.fd = soaker->pidfd, .events = POLLIN}};
	char byte = 'g';
	int n;

	if (send(soaker->control_fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return -ESRCH;
	/* The child answers with one byte when every thread has begun or failed. */
	do
		n = poll(waits, 2, GO_TIMEOUT_MS);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return -errno;
	if (n == 0)
		return -ETIME;
	if (recv(soaker->control_fd, &byte, 1, MSG_DONTWAIT) != 1)
		return -ESRCH;
	return first_error(soaker);
}

void soaker_kill(struct soaker *soaker)
{
	if (soaker->pid > 0) {
		/* Our own child, not yet waited for: the pid cannot be another's. */
		(void)kill(soaker->pid, SIGKILL);
		while (waitpid(soaker->pid, NULL, 0) == -1 && errno == EINTR)
			;
		soaker->pid = 0;
	}
	closep(&soaker->pidfd);
	closep(&soaker->control_fd);
	soaker->pidfd = -1;
	soaker->control_fd = -1;
}

void soaker_stop(struct soaker *soaker)
{
	soaker_kill(soaker);
	if (soaker->slots)
		(void)munmap(soaker->slots, soaker->n_slots * sizeof(struct slot));
	*soaker = SOAKER_NONE;
}

uint64_t soaker_charged_ns(const struct soaker *soaker)
{
	/* The kernel's encoding of a process's profiling clock: ~pid << 3 | CPUCLOCK_PROF (0). */
	clockid_t profiling = (clockid_t)(~(unsigned int)soaker->pid << 3);
	struct timespec charged;

	if (soaker->pid <= 0 || clock_gettime(profiling, &charged) == -1)
		return 0;
	return (uint64_t)charged.tv_sec * 1000000000 + (uint64_t)charged.tv_nsec;
}
