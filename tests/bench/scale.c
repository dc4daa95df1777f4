/* SPDX-License-Identifier: MIT */
/*
 * What a sample and a report cost soakd with many CPUs: its own sampler, history and reports, over
 * slots that a made-up soaker fills. Prints one JSON line.
 *
 * A tick a second finds nothing of it in the caches of a busy machine, so they are swept before
 * some of the ticks, and it is those that count as `cold`.
 *
 * It must not start a soaker: 4096 CPUs are not to be had.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "clock.h"
#include "daemon.h"
#include "parse.h"
#include "report-json.h"

#define NS_PER_S     1000000000ULL
#define MOST_CPUS    65536
#define N_COLD	     40
#define N_REPORTS    20
#define N_WHOLE	     3
#define SWEEP_BYTES  (64ULL * 1024 * 1024)
#define LAST_SAMPLES 60

/* A tick is a nanosecond here. One soaker loses a twentieth of its time in 100 gaps a second. */
#define GAPS_PER_S  100
#define TAKEN_SHARE 20
#define PASS_NS	    100

struct scale {
	size_t n_cpus;
	size_t n_ticks;
	uint64_t now_ns;
	struct slot *slots; /* [n_cpus] */
	int *cpus;	    /* [n_cpus] */
	unsigned char *sweep;
	struct daemon daemon; /* as much of it as samples and reports look at */
};

/* What things took, in ns of this thread's CPU time. */
struct costs {
	uint64_t warm_ns; /* mean tick */
	uint64_t cold_ns; /* median tick after a sweep */
	uint64_t json_ns; /* a sample as text, as each has one subscriber or more */
	uint64_t json_bytes;
	uint64_t report_ns;	  /* of LAST_SAMPLES, median */
	uint64_t whole_report_ns; /* of the whole history, median */
};

/* The slots have one clock, and it stands still while they are read. */
static uint64_t clock_ns;

static uint64_t read_clock(void)
{
	return clock_ns;
}

static void read_slot(void *context, size_t index, struct slot_reading *ret)
{
	const struct scale *scale = context;

	slot_read(&scale->slots[index], read_clock, ret);
}

static void next_epoch(void *context, size_t index)
{
	const struct scale *scale = context;

	slot_next_epoch(&scale->slots[index]);
}

static void store(_Atomic uint64_t *to, uint64_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

/* What a soaker would have written in a second more, with a gap at its end. */
static void soak_a_second(struct slot *slot, uint64_t now_ns)
{
	uint32_t turn = atomic_load_explicit(&slot->gaps_turn, memory_order_relaxed) + 1;
	const struct slot_gaps *old = &slot->gaps[(turn - 1) & 1];
	struct slot_gaps *gaps = &slot->gaps[turn & 1];

	store(&gaps->count, load(&old->count) + GAPS_PER_S);
	store(&gaps->ticks, load(&old->ticks) + NS_PER_S / TAKEN_SHARE);
	store(&gaps->longest, NS_PER_S / TAKEN_SHARE / GAPS_PER_S);
	store(&gaps->epoch, load(&slot->epoch));
	store(&gaps->end, now_ns);
	atomic_store_explicit(&slot->gaps_turn, turn, memory_order_release);
	store(&slot->passes, load(&slot->passes) + (NS_PER_S - NS_PER_S / TAKEN_SHARE) / PASS_NS);
	store(&slot->last, now_ns);
}

static void soak(struct scale *scale)
{
	scale->now_ns += NS_PER_S;
	clock_ns = scale->now_ns;
	for (size_t i = 0; i < scale->n_cpus; i++)
		soak_a_second(&scale->slots[i], scale->now_ns);
}

static void sweep_caches(struct scale *scale)
{
	for (uint64_t i = 0; i < SWEEP_BYTES; i += 64)
		scale->sweep[i]++;
}

static int init_baselines(struct scale *scale)
{
	struct calibration *calibration = &scale->daemon.calibration;

	calibration->cpus = calloc(scale->n_cpus, sizeof(*calibration->cpus));
	if (!calibration->cpus)
		return -ENOMEM;
	calibration->n_cpus = scale->n_cpus;
	for (size_t i = 0; i < scale->n_cpus; i++)
		calibration->cpus[i] = (struct calibration_cpu){
			.cpu = (int)i, .pass_ns = PASS_NS, .idle_floor_ratio = 0.01};
	return 0;
}

static int scale_init(struct scale *scale)
{
	const struct sampler_source source = {read_slot, next_epoch, scale};
	size_t n = scale->n_cpus;

	scale->slots = aligned_alloc(SLOT_LINE_PAIR, n * sizeof(*scale->slots));
	scale->cpus = calloc(n, sizeof(*scale->cpus));
	scale->sweep = calloc(1, SWEEP_BYTES);
	if (!scale->slots || !scale->cpus || !scale->sweep)
		return -ENOMEM;
	memset(scale->slots, 0, n * sizeof(*scale->slots));
	for (size_t i = 0; i < n; i++) {
		scale->cpus[i] = (int)i;
		scale->slots[i].cpu = (int)i;
		scale->slots[i].running_on = (int)i;
	}
	scale->daemon.config.interval_ns = NS_PER_S;
	if (init_baselines(scale) < 0)
		return -ENOMEM;
	return sampler_init(&scale->daemon.sampler, &source, scale->cpus, n, 1, NS_PER_S,
			    scale->n_ticks);
}

static void scale_fini(struct scale *scale)
{
	sampler_fini(&scale->daemon.sampler);
	free(scale->daemon.calibration.cpus);
	free(scale->sweep);
	free(scale->cpus);
	free(scale->slots);
}

static uint64_t cpu_now_ns(void)
{
	return clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_u64);
	return values[n / 2];
}

static uint64_t time_tick(struct scale *scale)
{
	uint64_t begin_ns = cpu_now_ns();

	(void)sampler_tick(&scale->daemon.sampler, scale->now_ns, (int64_t)scale->now_ns,
			   scale->now_ns, 0);
	return cpu_now_ns() - begin_ns;
}

/* Fill the whole history, so that its memory is there, and the last ticks cold. */
static void time_ticks(struct scale *scale, struct costs *costs)
{
	uint64_t cold_ns[N_COLD], warm_ns = 0;
	size_t n_warm = scale->n_ticks - N_COLD;

	for (size_t i = 0; i < scale->n_cpus; i++)
		sampler_soaker_began(&scale->daemon.sampler, i);
	sampler_begin(&scale->daemon.sampler, scale->now_ns);
	for (size_t i = 0; i < n_warm; i++) {
		soak(scale);
		warm_ns += time_tick(scale);
	}
	for (size_t i = 0; i < N_COLD; i++) {
		soak(scale);
		sweep_caches(scale);
		cold_ns[i] = time_tick(scale);
	}
	costs->warm_ns = warm_ns / n_warm;
	costs->cold_ns = median(cold_ns, N_COLD);
}

/* The newest sample as text. */
static char *write_sample(const struct scale *scale)
{
	const struct history *history = &scale->daemon.sampler.history;
	const struct cpu_sample *cpus;
	const struct sample *sample = history_get(history, history->newest, &cpus);
	json_t *object = sample_to_json(&scale->daemon, sample, cpus, NULL);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}

static int time_json(const struct scale *scale, struct costs *costs)
{
	uint64_t took_ns[N_REPORTS];

	for (size_t i = 0; i < N_REPORTS; i++) {
		uint64_t begin_ns = cpu_now_ns();
		cleanup(freep) char *text = write_sample(scale);

		if (!text)
			return -ENOMEM;
		took_ns[i] = cpu_now_ns() - begin_ns;
		costs->json_bytes = strlen(text);
	}
	costs->json_ns = median(took_ns, N_REPORTS);
	return 0;
}

/* A report as text. */
static int write_report(const struct scale *scale, const struct report_request *request, char **ret)
{
	struct report report;
	json_t *object;
	int r = report_compute(&scale->daemon.sampler, scale->daemon.calibration.cpus, request,
			       &report);

	if (r < 0)
		return r;
	object = report_to_json(&scale->daemon, &report, &request->trim);
	report_fini(&report);
	*ret = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return *ret ? 0 : -ENOMEM;
}

/* A report of the last @n_samples, @n_times: the median. */
static int time_report(const struct scale *scale, size_t n_samples, size_t n_times,
		       uint64_t *ret_ns)
{
	cleanup(freep) bool *selected = malloc(scale->n_cpus * sizeof(*selected));
	struct report_request request = {
		.selected = selected,
		.begin_ns = scale->now_ns - n_samples * NS_PER_S,
		.end_ns = scale->now_ns,
		.trim = {.kind = TRIM_SHARE, .share = 0.1},
	};
	uint64_t took_ns[N_REPORTS];

	if (!selected)
		return -ENOMEM;
	memset(selected, true, scale->n_cpus * sizeof(*selected));
	for (size_t i = 0; i < n_times; i++) {
		uint64_t begin_ns = cpu_now_ns();
		cleanup(freep) char *text = NULL;
		int r = write_report(scale, &request, &text);

		if (r < 0)
			return r;
		took_ns[i] = cpu_now_ns() - begin_ns;
	}
	*ret_ns = median(took_ns, n_times);
	return 0;
}

static void print_costs(const struct scale *scale, const struct costs *costs)
{
	printf("{\"cpus\": %zu, \"samples\": %zu, \"warm_tick_ns\": %" PRIu64
	       ", \"cold_tick_ns\": %" PRIu64 ", \"sample_json_ns\": %" PRIu64
	       ", \"sample_json_bytes\": %" PRIu64 ", \"report_ns\": %" PRIu64
	       ", \"whole_report_ns\": %" PRIu64 ", \"history_bytes\": %" PRIu64 "}\n",
	       scale->n_cpus, scale->n_ticks, costs->warm_ns, costs->cold_ns, costs->json_ns,
	       costs->json_bytes, costs->report_ns, costs->whole_report_ns,
	       history_bytes(scale->n_ticks, scale->n_cpus));
}

static int run(struct scale *scale)
{
	struct costs costs = {0};
	int r = scale_init(scale);

	if (r < 0)
		return r;
	time_ticks(scale, &costs);
	r = time_json(scale, &costs);
	if (r == 0)
		r = time_report(scale, LAST_SAMPLES, N_REPORTS, &costs.report_ns);
	if (r == 0)
		r = time_report(scale, scale->n_ticks, N_WHOLE, &costs.whole_report_ns);
	if (r == 0)
		print_costs(scale, &costs);
	return r;
}

int main(int argc, char **argv)
{
	struct scale scale = {0};
	uint64_t n_cpus, n_samples;
	int r;

	if (argc != 3 || parse_u64(argv[1], 1, MOST_CPUS, &n_cpus) < 0 ||
	    parse_u64(argv[2], LAST_SAMPLES + N_COLD, UINT32_MAX, &n_samples) < 0) {
		fprintf(stderr, "usage: scale CPUS SAMPLES (%d or more)\n", LAST_SAMPLES + N_COLD);
		return 2;
	}
	scale.n_cpus = (size_t)n_cpus;
	scale.n_ticks = (size_t)n_samples;
	r = run(&scale);
	if (r < 0)
		fprintf(stderr, "scale: %s\n", strerror(-r));
	scale_fini(&scale);
	return r < 0 ? 1 : 0;
}
