/* SPDX-License-Identifier: MIT */
/*
 * A load of known duty: what the soaker's figure is compared with.
 *
 * In each period a pinned thread burns until its own CPU time has grown by duty * period and then
 * sleeps until the next one. The truth is the thread's CPU clock over the elapsed time, never the
 * duty asked for. What waking costs outside the thread (the timer interrupt, the switch to it and
 * from it) is in no thread's CPU clock and so not in the truth, while a soaker does lose it: at
 * short periods a load above the truth is expected. The trace therefore also tells when each burst
 * was due: from there to its end the CPU was the burst's, but for the switch away from it, which
 * nobody can see from inside. With duty 0 nothing wakes at all.
 *
 * --tick-locked makes each burst begin a little after a tick of the kernel's, so that one of less
 * than a tick is over before the next: an accounting that looks at ticks never sees it (the
 * kernel's Documentation/admin-guide/cpu-load.rst has the idea).
 *
 * It must not know soakd: it only prints a JSON line, and a trace for the caller who needs the
 * truth of an exact window.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "cleanup.h"
#include "clock.h"
#include "cpulist.h"
#include "parse.h"

#include "pinned.h"
#include "tick.h"

#define NS_PER_S    1000000000ULL
#define MAX_PERIODS 10000000ULL
#define LEAD_NS	    20000000ULL /* from creating the threads to the first period */
#define BURN_STEPS  64		/* work between two clock readings: well below 1 us */

/* What to do, the same for every thread. */
struct plan {
	struct cpulist cpus; /* a thread on each */
	double duty_ratio;
	uint64_t period_ns;
	uint64_t length_ns;
	bool random_phase;
	uint64_t seed;
	bool tick_locked;
	bool wait_for_line;	/* say when ready, begin when a line comes on stdin */
	const char *trace_path; /* NULL: none */
};

/* One burst. cpu_ns is the thread's CPU time since the burst before, waking included. */
struct burst {
	uint64_t due_ns; /* when the timer was to wake it */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t cpu_ns;
};

struct worker {
	const struct plan *plan;
	pthread_t thread;
	int cpu;
	uint64_t start_ns;
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	uint64_t n_wakeups;
	uint64_t n_overruns; /* periods that ended before the burst had its CPU time */
	struct burst *bursts;
	size_t n_bursts;
	uint64_t random;
};

static void sleep_until(uint64_t when_ns)
{
	struct timespec when = {
		.tv_sec = (time_t)(when_ns / NS_PER_S),
		.tv_nsec = (long)(when_ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Burn until the thread's CPU clock reaches @cpu_target_ns. Return: false when @deadline_ns came
 * first. */
static bool burn(uint64_t cpu_target_ns, uint64_t deadline_ns)
{
	while (clock_now_ns(CLOCK_THREAD_CPUTIME_ID) < cpu_target_ns) {
		if (clock_now_ns(CLOCK_MONOTONIC) >= deadline_ns)
			return false;
		for (unsigned int i = 0; i < BURN_STEPS; i++)
			__asm__ volatile("" : "+r"(i));
	}
	return true;
}

static void run_periods(struct worker *worker, uint64_t burn_ns)
{
	const struct plan *plan = worker->plan;
	uint64_t n_periods = plan->length_ns / plan->period_ns;
	uint64_t cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);

	for (uint64_t i = 0; i < n_periods; i++) {
		uint64_t period_ns = worker->start_ns + i * plan->period_ns;
		uint64_t free_ns = plan->period_ns - burn_ns;
		uint64_t shift_ns = 0;
		struct burst *burst = &worker->bursts[worker->n_bursts];

		if (plan->random_phase && free_ns > 0)
			shift_ns = next_random(&worker->random) % free_ns;
		burst->due_ns = period_ns + shift_ns;
		sleep_until(burst->due_ns);
		worker->n_wakeups++;
		burst->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
		if (!burn(cpu_ns + burn_ns, period_ns + plan->period_ns))
			worker->n_overruns++;
		burst->end_ns = clock_now_ns(CLOCK_MONOTONIC);
		burst->cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
		cpu_ns += burst->cpu_ns;
		worker->n_bursts++;
	}
}

static void *work(void *data)
{
	struct worker *worker = data;
	const struct plan *plan = worker->plan;
	uint64_t burn_ns = (uint64_t)llround(plan->duty_ratio * (double)plan->period_ns);
	uint64_t cpu_from_ns;

	/* Of this thread only; a failure shows as late wake-ups, and the truth stays the truth. */
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	sleep_until(worker->start_ns);
	cpu_from_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (burn_ns > 0)
		run_periods(worker, burn_ns);
	sleep_until(worker->start_ns + plan->length_ns);
	worker->cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_from_ns;
	worker->elapsed_ns = clock_now_ns(CLOCK_MONOTONIC) - worker->start_ns;
	return NULL;
}

static double truth(const struct worker *worker)
{
	return (double)worker->cpu_ns / (double)worker->elapsed_ns;
}

static void print_result(const struct plan *plan, const struct worker *workers, size_t n)
{
	double truth_sum = 0, elapsed_sum = 0;
	uint64_t n_wakeups = 0, n_overruns = 0;

	for (size_t i = 0; i < n; i++) {
		truth_sum += truth(&workers[i]);
		elapsed_sum += (double)workers[i].elapsed_ns / (double)NS_PER_S;
		n_wakeups += workers[i].n_wakeups;
		n_overruns += workers[i].n_overruns;
	}
	printf("{\"truth_ratio\": %.9f, \"duty_ratio\": %.9f, \"period_seconds\": %.9f, "
	       "\"elapsed_seconds\": %.9f, \"wakeups\": %" PRIu64 ", \"overruns\": %" PRIu64
	       ", \"cpus\": [",
	       truth_sum / (double)n, plan->duty_ratio, (double)plan->period_ns / (double)NS_PER_S,
	       elapsed_sum / (double)n, n_wakeups, n_overruns);
	for (size_t i = 0; i < n; i++)
		printf("%s{\"cpu\": %d, \"truth_ratio\": %.9f}", i ? ", " : "", workers[i].cpu,
		       truth(&workers[i]));
	printf("]}\n");
}

/* One burst a line: cpu due_ns begin_ns end_ns cpu_ns, times on CLOCK_MONOTONIC. */
static int write_trace(const char *path, const struct worker *workers, size_t n)
{
	cleanup(fclosep) FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < workers[i].n_bursts; j++)
			fprintf(file, "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				workers[i].cpu, workers[i].bursts[j].due_ns,
				workers[i].bursts[j].begin_ns, workers[i].bursts[j].end_ns,
				workers[i].bursts[j].cpu_ns);
	return fflush(file) == 0 && !ferror(file) ? 0 : -EIO;
}

/* The worker of one CPU, its bursts touched, so that no page fault falls into one. */
static int prepare_worker(const struct plan *plan, int cpu, uint64_t start_ns, struct worker *ret)
{
	size_t n_periods = plan->length_ns / plan->period_ns;
	struct burst *bursts = calloc(n_periods, sizeof(*bursts));

	if (!bursts)
		return -ENOMEM;
	memset(bursts, 0xff, n_periods * sizeof(*bursts));
	*ret = (struct worker){
		.plan = plan,
		.cpu = cpu,
		.start_ns = start_ns,
		.random = (plan->seed + (uint64_t)cpu) * 0x9e3779b97f4a7c15ULL | 1,
		.bursts = bursts,
	};
	return 0;
}

static int run_workers(struct worker *workers, size_t n)
{
	size_t n_started = 0;
	int r = 0;

	while (r == 0 && n_started < n) {
		struct worker *worker = &workers[n_started];

		r = pinned_start(worker->cpu, work, worker, &worker->thread);
		if (r == 0)
			n_started++;
	}
	for (size_t i = 0; i < n_started; i++)
		(void)pthread_join(workers[i].thread, NULL);
	return r;
}

static void wait_for_line(void)
{
	int c;

	printf("{\"ready\": true}\n");
	fflush(stdout);
	do
		c = getchar();
	while (c != '\n' && c != EOF);
}

/* When the first period begins. */
static int find_start(const struct plan *plan, uint64_t *ret_ns)
{
	uint64_t tick_ns = 1, moment_ns = 0;

	if (plan->tick_locked) {
		int r = tick_find(plan->period_ns, &tick_ns, &moment_ns);

		if (r < 0)
			return r;
	}
	if (plan->wait_for_line)
		wait_for_line();
	*ret_ns = clock_now_ns(CLOCK_MONOTONIC) + LEAD_NS;
	*ret_ns += tick_ns - tick_later_by(*ret_ns, moment_ns, tick_ns);
	return 0;
}

static int run(const struct plan *plan)
{
	size_t n = plan->cpus.n;
	cleanup(freep) struct worker *workers = calloc(n, sizeof(*workers));
	uint64_t start_ns = 0;
	int r = workers ? 0 : -ENOMEM;

	if (r == 0)
		r = find_start(plan, &start_ns);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = prepare_worker(plan, plan->cpus.cpus[i], start_ns, &workers[i]);
	if (r == 0)
		r = run_workers(workers, n);
	if (r == 0)
		print_result(plan, workers, n);
	if (r == 0 && plan->trace_path)
		r = write_trace(plan->trace_path, workers, n);
	for (size_t i = 0; workers && i < n; i++)
		free(workers[i].bursts);
	return r;
}

static int parse_cpus(const char *text, struct plan *plan)
{
	cpulist_fini(&plan->cpus);
	return pinned_parse(text, &plan->cpus);
}

static int parse_option(int option, const char *text, struct plan *plan)
{
	switch (option) {
	case 'c':
		return parse_cpus(text, plan);
	case 'd':
		return parse_percent(text, 0, 1, &plan->duty_ratio);
	case 'p':
		return parse_duration_ns(text, 10000, 600 * NS_PER_S, &plan->period_ns);
	case 's':
		return parse_duration_ns(text, NS_PER_S / 100, 3600 * NS_PER_S, &plan->length_ns);
	case 'r':
		plan->random_phase = true;
		return parse_u64(text, 0, UINT64_MAX, &plan->seed);
	case 'l':
		plan->tick_locked = true;
		return 0;
	case 'w':
		plan->wait_for_line = true;
		return 0;
	case 't':
		plan->trace_path = text;
		return 0;
	default:
		return -EINVAL;
	}
}

static const struct option options[] = {
	{"cpu", required_argument, NULL, 'c'},	   {"cpus", required_argument, NULL, 'c'},
	{"duty", required_argument, NULL, 'd'},	   {"period", required_argument, NULL, 'p'},
	{"seconds", required_argument, NULL, 's'}, {"random-phase", required_argument, NULL, 'r'},
	{"trace", required_argument, NULL, 't'},   {"tick-locked", no_argument, NULL, 'l'},
	{"wait-for-line", no_argument, NULL, 'w'}, {0},
};

static bool is_sane(const struct plan *plan)
{
	uint64_t n_periods = plan->length_ns / plan->period_ns;

	return plan->cpus.n > 0 && n_periods > 0 && n_periods <= MAX_PERIODS;
}

int main(int argc, char **argv)
{
	struct plan plan = {
		.duty_ratio = 0.05,
		.period_ns = 10000000,
		.length_ns = 12 * NS_PER_S,
	};
	int option, r;

	r = pinned_parse("all", &plan.cpus);
	while (r == 0 && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		r = parse_option(option, optarg, &plan);
	if (r < 0 || optind != argc || !is_sane(&plan)) {
		fprintf(stderr, "usage: duty [--cpu N | --cpus LIST | --cpus all] [--duty PERCENT] "
				"[--period 10ms] [--seconds 12] "
				"[--random-phase SEED | --tick-locked] "
				"[--wait-for-line] [--trace FILE]\n");
		cpulist_fini(&plan.cpus);
		return 2;
	}
	r = run(&plan);
	if (r < 0)
		fprintf(stderr, "duty: %s\n", strerror(-r));
	cpulist_fini(&plan.cpus);
	return r < 0 ? 1 : 0;
}
