/* SPDX-License-Identifier: MIT */
/*
 * A neighbour of a soaker: busy for half of every 10 ms on one CPU, until stdin ends.
 *
 *   quiet   counts in registers
 *   hungry  writes all over a buffer that no cache holds
 *
 * What makes it a good or a bad neighbour is all that differs between the two.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "clock.h"
#include "cpulist.h"
#include "parse.h"

#include "pinned.h"

#define BUFFER_LINES (1ULL << 21) /* 128 MiB */
#define LINE_BYTES   64
#define STEPS	     256 /* between two looks at the clock */
#define HALF_NS	     5000000

struct neighbour {
	unsigned char *buffer; /* NULL: a quiet one */
	atomic_bool stop;
};

static uint64_t step(const struct neighbour *neighbour, uint64_t x)
{
	for (unsigned int i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		if (neighbour->buffer)
			neighbour->buffer[(x >> 33) % BUFFER_LINES * LINE_BYTES]++;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void *work(void *data)
{
	struct neighbour *neighbour = data;
	const struct timespec half = {.tv_nsec = HALF_NS};
	uint64_t x = 1;

	while (!atomic_load(&neighbour->stop)) {
		uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + HALF_NS;

		while (clock_now_ns(CLOCK_MONOTONIC) < end_ns)
			x = step(neighbour, x);
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &half, NULL);
	}
	return NULL;
}

static int run(int cpu, bool hungry)
{
	cleanup(freep) unsigned char *buffer = NULL;
	struct neighbour neighbour = {0};
	pthread_t thread = 0;
	int r;

	if (hungry) {
		buffer = malloc(BUFFER_LINES * LINE_BYTES);
		if (!buffer)
			return -ENOMEM;
		memset(buffer, 1, BUFFER_LINES * LINE_BYTES);
		neighbour.buffer = buffer;
	}
	r = pinned_start(cpu, work, &neighbour, &thread);
	if (r < 0)
		return r;
	printf("{\"ready\": true}\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	atomic_store(&neighbour.stop, true);
	(void)pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t cpu;
	int r;

	if (argc != 3 || parse_u64(argv[1], 0, CPULIST_MAX_CPU, &cpu) < 0 ||
	    (strcmp(argv[2], "quiet") != 0 && strcmp(argv[2], "hungry") != 0)) {
		fprintf(stderr, "usage: neighbour CPU quiet | hungry\n");
		return 2;
	}
	r = run((int)cpu, strcmp(argv[2], "hungry") == 0);
	if (r < 0)
		fprintf(stderr, "neighbour: %s\n", strerror(-r));
	return r < 0 ? 1 : 0;
}
