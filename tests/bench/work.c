/* SPDX-License-Identifier: MIT */
/*
 * A fixed amount of CPU-bound work on pinned threads: what a soaker slows down, if it does.
 *
 * The amount is found once, at the start, and is the same for every round, so that the elapsed
 * times of two rounds compare. A round starts for each line on stdin and answers with one JSON
 * line: the caller decides what is different between rounds. Waiting for a line costs nothing.
 *
 * not_running_ratio is the share of the round in which a thread did not have its CPU. It knows
 * nothing of the CPU's frequency and shows a loss that the noise of elapsed times hides.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
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

#define NS_PER_S    1000000000ULL
#define LEAD_NS	    20000000ULL /* from creating the threads to their start */
#define PROBE_STEPS (1ULL << 24)
#define N_PROBES    5

struct worker {
	pthread_t thread;
	int cpu;
	uint64_t n_steps;
	uint64_t start_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t cpu_ns;
};

/* A dependent chain in registers: no memory, nothing to vectorise. */
static uint64_t step(uint64_t n_steps)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n_steps; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* Steps that take about @hint_ns: the fastest probe decides, it was disturbed least. */
static uint64_t calibrate(uint64_t hint_ns)
{
	uint64_t best_ns = UINT64_MAX;

	for (unsigned int i = 0; i < N_PROBES; i++) {
		uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
		uint64_t took_ns;

		(void)step(PROBE_STEPS);
		took_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	if (best_ns == 0)
		best_ns = 1;
	return (uint64_t)((double)hint_ns / (double)best_ns * (double)PROBE_STEPS) + 1;
}

static void *work(void *data)
{
	struct worker *worker = data;
	uint64_t cpu_from_ns;
	struct timespec start = {
		.tv_sec = (time_t)(worker->start_ns / NS_PER_S),
		.tv_nsec = (long)(worker->start_ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == EINTR)
		;
	worker->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	cpu_from_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	(void)step(worker->n_steps);
	worker->cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_from_ns;
	worker->end_ns = clock_now_ns(CLOCK_MONOTONIC);
	return NULL;
}

static void print_round(const struct worker *workers, size_t n)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	double lost = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t elapsed_ns = workers[i].end_ns - workers[i].begin_ns;

		if (workers[i].begin_ns < begin_ns)
			begin_ns = workers[i].begin_ns;
		if (workers[i].end_ns > end_ns)
			end_ns = workers[i].end_ns;
		lost += 1 - (double)workers[i].cpu_ns / (double)elapsed_ns;
	}
	printf("{\"elapsed_seconds\": %.9f, \"not_running_ratio\": %.9f}\n",
	       (double)(end_ns - begin_ns) / (double)NS_PER_S, lost / (double)n);
	fflush(stdout);
}

/* All threads start at one moment and none waits for another, so one that cannot start is no harm.
 */
static int run_round(struct worker *workers, const struct cpulist *cpus, uint64_t n_steps)
{
	uint64_t start_ns = clock_now_ns(CLOCK_MONOTONIC) + LEAD_NS;
	size_t n_started = 0;
	int r = 0;

	while (r == 0 && n_started < cpus->n) {
		struct worker *worker = &workers[n_started];

		*worker = (struct worker){
			.cpu = cpus->cpus[n_started],
			.n_steps = n_steps,
			.start_ns = start_ns,
		};
		r = pinned_start(worker->cpu, work, worker, &worker->thread);
		if (r == 0)
			n_started++;
	}
	for (size_t i = 0; i < n_started; i++)
		(void)pthread_join(workers[i].thread, NULL);
	if (r == 0)
		print_round(workers, cpus->n);
	return r;
}

static int run(const struct cpulist *cpus, uint64_t hint_ns)
{
	cleanup(freep) struct worker *workers = calloc(cpus->n, sizeof(*workers));
	uint64_t n_steps;
	int c, r = 0;

	if (!workers)
		return -ENOMEM;
	n_steps = calibrate(hint_ns);
	printf("{\"steps\": %" PRIu64 ", \"threads\": %zu}\n", n_steps, cpus->n);
	fflush(stdout);
	while (r == 0 && (c = getchar()) != EOF)
		if (c == '\n')
			r = run_round(workers, cpus, n_steps);
	return r;
}

static const struct option options[] = {
	{"cpus", required_argument, NULL, 'c'},
	{"seconds-hint", required_argument, NULL, 's'},
	{0},
};

int main(int argc, char **argv)
{
	struct cpulist cpus = {0};
	uint64_t hint_ns = 5 * NS_PER_S;
	int option, r;

	r = pinned_parse("all", &cpus);
	while (r == 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's') {
			r = parse_duration_ns(optarg, NS_PER_S / 100, 600 * NS_PER_S, &hint_ns);
		} else if (option == 'c') {
			cpulist_fini(&cpus);
			r = pinned_parse(optarg, &cpus);
		} else {
			r = -EINVAL;
		}
	}
	if (r < 0 || optind != argc) {
		fprintf(stderr, "usage: work [--cpus LIST | --cpus all] [--seconds-hint 5]\n");
		cpulist_fini(&cpus);
		return 2;
	}
	r = run(&cpus, hint_ns);
	if (r < 0)
		fprintf(stderr, "work: %s\n", strerror(-r));
	cpulist_fini(&cpus);
	return r < 0 ? 1 : 0;
}
