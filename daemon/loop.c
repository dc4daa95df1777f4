/* SPDX-License-Identifier: MIT */
/*
 * The loop itself. A pass is some work and one clock reading; a difference between two readings
 * that is too long for a pass is a gap, in which the CPU was somebody else's.
 *
 * Whether a gap let another thread run or was only an interrupt (or the hypervisor) is told by
 * restartable sequences: when the kernel comes back from a context switch and finds a sequence
 * announced whose code it is not in, it takes the announcement away (rseq(2)). Announcing one
 * that covers no code therefore makes a flag that the kernel clears at each switch, read without
 * a system call.
 */
#include "loop.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/rseq.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define inline_always	      static inline __attribute__((__always_inline__))
#define publish(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

/* The memory body's buffer, a multiple of a cache line; its size is cyclesoak's. */
#define MEMORY_BYTES   (1024 * 1024)
#define MEMORY_TOUCHES 64
#define CACHE_LINE     64

/* The quickest of these passes decides how long a gap must be at least on a slow clock or CPU. */
#define PROBE_PASSES 1000
#define GAP_PER_PASS 8

/*
 * The work of a pass: a chain in which every step needs the one before, so that neither a wider
 * core nor a better compiler makes it shorter. xorshift64, Marsaglia (2003).
 */
inline_always uint64_t work_alu(uint64_t state, unsigned char *buffer)
{
	(void)buffer;
	for (int i = 0; i < 32; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		__asm__ volatile("" : "+r"(state));
	}
	return state;
}

inline_always uint64_t work_pause(uint64_t state, unsigned char *buffer)
{
	(void)buffer;
	for (int i = 0; i < 4; i++) {
#if defined(__x86_64__)
		_mm_pause();
#elif defined(__aarch64__)
		__asm__ volatile("isb");
#endif
		__asm__ volatile("" : "+r"(state));
	}
	return state;
}

inline_always uint64_t work_memory(uint64_t state, unsigned char *buffer)
{
	size_t at = state % MEMORY_BYTES;

	for (int i = 0; i < MEMORY_TOUCHES; i++) {
		buffer[at]++;
		at = (at + CACHE_LINE) % MEMORY_BYTES;
		__asm__ volatile("" ::: "memory");
	}
	return at;
}

static const struct loop_body bodies[] = {
	{"alu", 1, 1000, 0, "a short dependent chain in registers"},
	{"pause", 1, 2000, 0, "waits with PAUSE, which leaves an SMT sibling its core"},
	{"memory", 1, 10000, MEMORY_BYTES,
	 "walks 1 MiB, so that cache and memory pressure shows as slowed"},
};

const struct loop_body *loop_bodies(size_t *ret_n)
{
	*ret_n = sizeof(bodies) / sizeof(bodies[0]);
	return bodies;
}

const struct loop_body *loop_body_find(const char *name)
{
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (strcmp(bodies[i].name, name) == 0)
			return &bodies[i];
	return NULL;
}

inline_always uint64_t read_gettime(void)
{
	struct timespec now;

	/* Cannot fail: the clock exists since 2.6.28 and the pointer is good. */
	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)
inline_always uint64_t read_tsc(void)
{
	return __rdtsc();
}

/* A reader's reading must not be taken before the loads that precede it: Intel SDM, RDTSC. */
static uint64_t read_tsc_ordered(void)
{
	_mm_lfence();
	return __rdtsc();
}
#else
#define read_tsc	 read_gettime
#define read_tsc_ordered read_gettime_function
#endif

static uint64_t read_gettime_function(void)
{
	return read_gettime();
}

bool loop_has_tsc(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

slot_clock_fn *loop_clock_function(enum loop_clock clock)
{
	return clock == LOOP_CLOCK_TSC ? read_tsc_ordered : read_gettime_function;
}

/*
 * An empty sequence for the kernel to take away. It wants an abort address outside the sequence,
 * with the signature before it; none is ever jumped to, as no code lies inside.
 */
static const uint32_t abort_signature[2] = {RSEQ_SIG, 0};
static const char no_code[2];
static struct rseq_cs empty_sequence;

static pthread_once_t empty_sequence_once = PTHREAD_ONCE_INIT;

static void fill_empty_sequence(void)
{
	empty_sequence.start_ip = (uint64_t)(uintptr_t)no_code;
	empty_sequence.post_commit_offset = 1;
	empty_sequence.abort_ip = (uint64_t)(uintptr_t)&abort_signature[1];
}

/* Return: this thread's area when the C library has registered it with the kernel, else NULL. */
static struct rseq *find_rseq(void)
{
	struct rseq *area;

	if (__rseq_size == 0)
		return NULL;
	area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	if ((int32_t)area->cpu_id < 0)
		return NULL;
	(void)pthread_once(&empty_sequence_once, fill_empty_sequence);
	return area;
}

/* What the kernel takes away, in the area; rseq(2) fixes its size and place. */
inline_always volatile uint64_t *announcement(const struct rseq *area)
{
	return (volatile uint64_t *)(uintptr_t)((const char *)area +
						offsetof(struct rseq, rseq_cs));
}

inline_always void announce(struct rseq *area)
{
	*announcement(area) = (uint64_t)(uintptr_t)&empty_sequence;
}

/* Return: whether the thread was switched out since the last announce(). */
inline_always bool was_switched(const struct rseq *area)
{
	return *announcement(area) == 0;
}

/* The writer's own copy of what it publishes. */
struct tally {
	struct rseq *area;
	uint64_t gaps, gap_ticks, switches, longest, epoch;
	uint64_t window_begin, window_gap_ticks, window_passes, window_gaps, window_switches;
	uint64_t n_windows;
};

static void publish_gaps(struct slot *slot, const struct tally *tally, uint64_t now)
{
	uint32_t turn = atomic_load_explicit(&slot->gaps_turn, memory_order_relaxed) + 1;
	struct slot_gaps *copy = &slot->gaps[turn & 1];

	/* A reader must not see this copy change before it can see that the other one is whole. */
	atomic_thread_fence(memory_order_release);
	publish(copy->count, tally->gaps);
	publish(copy->ticks, tally->gap_ticks);
	publish(copy->end, now);
	publish(copy->longest, tally->longest);
	publish(copy->epoch, tally->epoch);
	atomic_store_explicit(&slot->gaps_turn, turn, memory_order_release);
}

static int current_cpu(const struct tally *tally)
{
	/* sched_getcpu() reads the same area, or the vDSO. */
	return tally->area ? (int)*(const volatile uint32_t *)&tally->area->cpu_id : sched_getcpu();
}

/* Out of line: the pass must stay short, and a gap costs nothing that matters. */
static __attribute__((__noinline__)) void end_gap(struct slot *slot, struct tally *tally,
						  uint64_t now, uint64_t length)
{
	int bucket = 63 - __builtin_clzll(length | 1);
	uint64_t epoch = atomic_load_explicit(&slot->epoch, memory_order_relaxed);

	if (epoch != tally->epoch) {
		tally->epoch = epoch;
		tally->longest = 0;
	}
	if (length > tally->longest)
		tally->longest = length;
	tally->gaps++;
	tally->gap_ticks += length;
	if (tally->area && was_switched(tally->area)) {
		tally->switches++;
		announce(tally->area);
	}
	if (bucket >= SLOT_BUCKETS)
		bucket = SLOT_BUCKETS - 1;
	publish(slot->histogram[bucket],
		atomic_load_explicit(&slot->histogram[bucket], memory_order_relaxed) + 1);
	publish(slot->running_on, current_cpu(tally));
	publish_gaps(slot, tally, now);
}

static uint32_t saturate(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static __attribute__((__noinline__)) void end_window(struct slot *slot, struct tally *tally,
						     uint64_t now, uint64_t passes)
{
	struct slot_window *window = &slot->windows[tally->n_windows % SLOT_WINDOWS];

	publish(window->elapsed_ticks, saturate(now - tally->window_begin));
	publish(window->taken_ticks, saturate(tally->gap_ticks - tally->window_gap_ticks));
	publish(window->passes, saturate(passes - tally->window_passes));
	publish(window->gaps, saturate(tally->gaps - tally->window_gaps));
	publish(window->switches, saturate(tally->switches - tally->window_switches));
	tally->n_windows++;
	atomic_store_explicit(&slot->n_windows, tally->n_windows, memory_order_release);

	tally->window_begin = now;
	tally->window_gap_ticks = tally->gap_ticks;
	tally->window_passes = passes;
	tally->window_gaps = tally->gaps;
	tally->window_switches = tally->switches;
}

typedef uint64_t work_fn(uint64_t state, unsigned char *buffer);

/* Return: ticks of the quickest pass; also warms the body up. */
inline_always uint64_t probe(work_fn *work, slot_clock_fn *clock, unsigned char *buffer,
			     uint64_t *state)
{
	uint64_t quickest = UINT64_MAX, last = clock();

	for (int i = 0; i < PROBE_PASSES; i++) {
		uint64_t now;

		*state = work(*state, buffer);
		now = clock();
		if (now - last < quickest)
			quickest = now - last;
		last = now;
	}
	return quickest;
}

/* Inlined once for each body and clock, so that no call through a pointer is left in a pass. */
inline_always void soak(work_fn *work, slot_clock_fn *clock, struct slot *slot,
			unsigned char *buffer)
{
	struct tally tally = {.area = find_rseq()};
	uint64_t state = 88172645463325252, passes = 0, gap_ticks, last, window_end;

	gap_ticks = GAP_PER_PASS * probe(work, clock, buffer, &state);
	if (gap_ticks < slot->least_gap_ticks)
		gap_ticks = slot->least_gap_ticks;
	publish(slot->gap_ticks, gap_ticks);
	publish(slot->has_switches, tally.area != NULL);
	if (tally.area)
		announce(tally.area);
	publish(slot->running_on, current_cpu(&tally));

	last = clock();
	tally.window_begin = last;
	window_end = last + slot->window_ticks;
	publish(slot->last, last);
	atomic_store_explicit(&slot->started, true, memory_order_release);

	for (;;) {
		uint64_t now;

		state = work(state, buffer);
		now = clock();
		if (__builtin_expect(now - last < gap_ticks, 1))
			publish(slot->passes, ++passes);
		else
			end_gap(slot, &tally, now, now - last);
		last = now;
		atomic_store_explicit(&slot->last, last, memory_order_release);
		if (__builtin_expect(now >= window_end, 0)) {
			end_window(slot, &tally, now, passes);
			window_end = now + slot->window_ticks;
		}
	}
}

static void alu_tsc(struct slot *slot, unsigned char *buffer)
{
	soak(work_alu, read_tsc, slot, buffer);
}

static void alu_gettime(struct slot *slot, unsigned char *buffer)
{
	soak(work_alu, read_gettime, slot, buffer);
}

static void pause_tsc(struct slot *slot, unsigned char *buffer)
{
	soak(work_pause, read_tsc, slot, buffer);
}

static void pause_gettime(struct slot *slot, unsigned char *buffer)
{
	soak(work_pause, read_gettime, slot, buffer);
}

static void memory_tsc(struct slot *slot, unsigned char *buffer)
{
	soak(work_memory, read_tsc, slot, buffer);
}

static void memory_gettime(struct slot *slot, unsigned char *buffer)
{
	soak(work_memory, read_gettime, slot, buffer);
}

_Noreturn void loop_run(const struct loop_body *body, enum loop_clock clock, struct slot *slot,
			unsigned char *buffer)
{
	static void (*const loops[][2])(struct slot *, unsigned char *) = {
		{alu_tsc, alu_gettime},
		{pause_tsc, pause_gettime},
		{memory_tsc, memory_gettime},
	};

	_Static_assert(sizeof(loops) / sizeof(loops[0]) == sizeof(bodies) / sizeof(bodies[0]),
		       "one row a body");
	loops[body - bodies][clock](slot, buffer);
	__builtin_unreachable();
}
