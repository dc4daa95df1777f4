/* SPDX-License-Identifier: MIT */
/*
 * Work that sleeps much: what soakers change by never letting a CPU idle.
 *
 *   pipe      a byte to and fro between two threads, on two CPUs where there are two
 *   messages  as hackbench does: each of some senders writes 100 bytes to each of the receivers
 *   disk      O_DIRECT reads of 4 KiB at random places of a file, one at a time
 *
 * Each line of stdin is how often to do it (round trips, messages a pair, reads); the answer is a
 * JSON line with the time that took. Waiting for a line costs nothing. Whatever fails ends the
 * program: half a round is no figure.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "cpulist.h"
#include "parse.h"

#include "pinned.h"

#define N_PAIRS	      4 /* senders, and as many receivers */
#define MESSAGE_BYTES 100
#define BLOCK_BYTES   4096
#define FILE_BLOCKS   16384 /* 64 MiB */
#define MOST_TIMES    100000000ULL

/* What one thread reads from and writes to. */
struct end {
	pthread_t thread;
	uint64_t n_times;
	int in;
	int out[N_PAIRS];
};

static _Noreturn void fail(const char *what, int error)
{
	fprintf(stderr, "sleepers: %s: %s\n", what, strerror(error));
	exit(1);
}

static void write_all(int fd, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)data + done, size - done);

		if (n < 0 && errno != EINTR)
			fail("write", errno);
		if (n > 0)
			done += (size_t)n;
	}
}

static void read_all(int fd, void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, (char *)data + done, size - done);

		if (n == 0 || (n < 0 && errno != EINTR))
			fail("read", n == 0 ? EPIPE : errno);
		if (n > 0)
			done += (size_t)n;
	}
}

static void *answer_trips(void *data)
{
	const struct end *end = data;
	char byte;

	for (uint64_t i = 0; i < end->n_times; i++) {
		read_all(end->in, &byte, 1);
		write_all(end->out[0], &byte, 1);
	}
	return NULL;
}

static void *ask_trips(void *data)
{
	const struct end *end = data;
	char byte = 0;

	for (uint64_t i = 0; i < end->n_times; i++) {
		write_all(end->out[0], &byte, 1);
		read_all(end->in, &byte, 1);
	}
	return NULL;
}

static void start_pinned(int cpu, void *(*entry)(void *), struct end *end)
{
	int r = pinned_start(cpu, entry, end, &end->thread);

	if (r < 0)
		fail("thread", -r);
}

static void run_pipe(int fd, uint64_t n_times)
{
	cleanup(cpulist_fini) struct cpulist cpus = {0};
	int there[2], back[2], r = pinned_all(&cpus);
	struct end ask, answer;

	(void)fd;
	if (r < 0)
		fail("CPUs", -r);
	if (pipe2(there, O_CLOEXEC) == -1 || pipe2(back, O_CLOEXEC) == -1)
		fail("pipe", errno);
	ask = (struct end){.n_times = n_times, .in = back[0], .out = {there[1]}};
	answer = (struct end){.n_times = n_times, .in = there[0], .out = {back[1]}};
	start_pinned(cpus.cpus[0], answer_trips, &answer);
	start_pinned(cpus.cpus[cpus.n - 1], ask_trips, &ask);
	(void)pthread_join(ask.thread, NULL);
	(void)pthread_join(answer.thread, NULL);
	for (size_t i = 0; i < 2; i++) {
		(void)close(there[i]);
		(void)close(back[i]);
	}
}

static void *send_messages(void *data)
{
	static const char message[MESSAGE_BYTES];
	const struct end *end = data;

	for (uint64_t i = 0; i < end->n_times; i++)
		for (size_t j = 0; j < N_PAIRS; j++)
			write_all(end->out[j], message, sizeof(message));
	return NULL;
}

static void *receive_messages(void *data)
{
	const struct end *end = data;
	char message[MESSAGE_BYTES];

	for (uint64_t i = 0; i < N_PAIRS * end->n_times; i++)
		read_all(end->in, message, sizeof(message));
	return NULL;
}

static void start(void *(*entry)(void *), struct end *end)
{
	int r = pthread_create(&end->thread, NULL, entry, end);

	if (r > 0)
		fail("thread", r);
}

static void run_messages(int fd, uint64_t n_times)
{
	struct end senders[N_PAIRS], receivers[N_PAIRS];

	(void)fd;
	for (size_t i = 0; i < N_PAIRS; i++)
		senders[i] = receivers[i] = (struct end){.n_times = n_times};
	for (size_t i = 0; i < N_PAIRS; i++) {
		int fds[2];

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == -1)
			fail("socketpair", errno);
		receivers[i].in = fds[0];
		for (size_t j = 0; j < N_PAIRS; j++)
			senders[j].out[i] = fds[1];
	}
	for (size_t i = 0; i < N_PAIRS; i++) {
		start(receive_messages, &receivers[i]);
		start(send_messages, &senders[i]);
	}
	for (size_t i = 0; i < N_PAIRS; i++) {
		(void)pthread_join(senders[i].thread, NULL);
		(void)pthread_join(receivers[i].thread, NULL);
		(void)close(receivers[i].in);
	}
	for (size_t i = 0; i < N_PAIRS; i++)
		(void)close(senders[0].out[i]);
}

/* The file is written in full, as holes would be read from nowhere. */
static int open_file(const char *path)
{
	cleanup(freep) char *block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0600);

	if (fd == -1 || !block)
		fail(path, fd == -1 ? errno : ENOMEM);
	memset(block, 0x5a, BLOCK_BYTES);
	for (unsigned int i = 0; i < FILE_BLOCKS; i++)
		write_all(fd, block, BLOCK_BYTES);
	if (fsync(fd) == -1)
		fail(path, errno);
	return fd;
}

static void run_disk(int fd, uint64_t n_times)
{
	cleanup(freep) char *block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
	uint64_t random = 1;

	if (!block)
		fail("disk", ENOMEM);
	for (uint64_t i = 0; i < n_times; i++) {
		off_t at;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		at = (off_t)((random >> 33) % FILE_BLOCKS * BLOCK_BYTES);
		if (pread(fd, block, BLOCK_BYTES, at) != BLOCK_BYTES)
			fail("disk", errno);
	}
}

static const struct {
	const char *name;
	void (*run)(int fd, uint64_t n_times);
	bool has_file;
} works[] = {
	{"pipe", run_pipe, false},
	{"messages", run_messages, false},
	{"disk", run_disk, true},
};

#define N_WORKS (sizeof(works) / sizeof(works[0]))

static int serve(void (*work)(int fd, uint64_t n_times), int fd)
{
	char line[32];
	uint64_t n_times;

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t begin_ns;

		line[strcspn(line, "\n")] = '\0';
		if (parse_u64(line, 1, MOST_TIMES, &n_times) < 0)
			fail(line, EINVAL);
		begin_ns = clock_now_ns(CLOCK_MONOTONIC);
		work(fd, n_times);
		printf("{\"elapsed_seconds\": %.9f}\n",
		       (double)(clock_now_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9);
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < N_WORKS && argc > 1; i++)
		if (strcmp(argv[1], works[i].name) == 0 && argc == (works[i].has_file ? 3 : 2))
			return serve(works[i].run, works[i].has_file ? open_file(argv[2]) : -1);
	fprintf(stderr, "usage: sleepers pipe | messages | disk FILE\n");
	return 2;
}
