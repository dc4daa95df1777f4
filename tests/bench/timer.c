/* SPDX-License-Identifier: MIT */
/*
 * A process that a timer wakes once a second for nothing: what this machine asks for a waking, to
 * hold soakd's own cost against.
 *
 *   timer SECONDS   prints {"cpu_us_per_second": N} at the end
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "parse.h"

#define MOST_SECONDS 3600

static int arm(int epoll_fd, int timer_fd)
{
	static const struct itimerspec every_second = {{1, 0}, {1, 0}};
	struct epoll_event event = {.events = EPOLLIN};

	if (timerfd_settime(timer_fd, 0, &every_second, NULL) == -1 ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &event) == -1)
		return -errno;
	return 0;
}

static int wait_tick(int epoll_fd, int timer_fd)
{
	struct epoll_event event;
	uint64_t n_expired;

	if (epoll_wait(epoll_fd, &event, 1, -1) == -1)
		return -errno;
	return read(timer_fd, &n_expired, sizeof(n_expired)) == -1 ? -errno : 0;
}

/* From waking to waking, as of a loop that has run before. */
static int run(uint64_t seconds)
{
	cleanup(closep) int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	cleanup(closep) int timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t begin_ns = 0;
	int r = epoll_fd == -1 || timer_fd == -1 ? -errno : arm(epoll_fd, timer_fd);

	for (uint64_t i = 0; r == 0 && i <= seconds; i++) {
		r = wait_tick(epoll_fd, timer_fd);
		if (i == 0)
			begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	if (r == 0)
		printf("{\"cpu_us_per_second\": %.3f}\n",
		       (double)(clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns) / 1e3 /
			       (double)seconds);
	return r;
}

int main(int argc, char **argv)
{
	uint64_t seconds;
	int r;

	if (argc != 2 || parse_u64(argv[1], 1, MOST_SECONDS, &seconds) < 0) {
		fprintf(stderr, "usage: timer SECONDS\n");
		return 2;
	}
	r = run(seconds);
	if (r < 0)
		fprintf(stderr, "timer: %s\n", strerror(-r));
	return r < 0 ? 1 : 0;
}
