/* SPDX-License-Identifier: MIT */
/*
 * What /proc/stat says, and what must not be read into it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "cleanup.h"
#include "cpulist.h"
#include "fixture.h"
#include "procstat.h"

#define ALL  "cpu  9 9 9 9 9 9 9 9 9 9\n"
#define REST "intr 5 0 0 1\nctxt 3\n"

static uint64_t tick_ns(void)
{
	return UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
}

static void read_text(const char *root, const char *cpus, const char *text, struct procstat *ret)
{
	cleanup(cpulist_fini) struct cpulist list = {0};

	assert_int_equal(cpulist_parse(cpus, &list), 0);
	fixture_write(root, "/proc/stat", text);
	assert_int_equal(procstat_read(root, &list, ret), 0);
}

static void fields(void **state)
{
	static const char text[] = ALL "cpu1 1 2 3 4 5 6 7 8 9 10 11\n" REST;
	int one = 1;
	const struct cpulist list = {.n = 1, .cpus = &one};
	struct procstat_cpu cpu;

	(void)state;
	assert_int_equal(procstat_parse(text, &list, &cpu), 0);
	assert_true(cpu.present);
	assert_int_equal(cpu.user, 1);
	assert_int_equal(cpu.nice, 2);
	assert_int_equal(cpu.system, 3);
	assert_int_equal(cpu.idle, 4);
	assert_int_equal(cpu.iowait, 5);
	assert_int_equal(cpu.irq, 6);
	assert_int_equal(cpu.softirq, 7);
	assert_int_equal(cpu.steal, 8);
	assert_int_equal(cpu.guest, 9);
	assert_int_equal(cpu.guest_nice, 10);
}

static void sums(void **state)
{
	struct procstat stat;

	/* Guest time (the last two) is in user and nice already. */
	read_text(*state, "0", ALL "cpu0 100 20 3 4000 500 60 7 8 90 10\n" REST, &stat);
	assert_int_equal(stat.busy_ns, (100 + 20 + 3 + 60 + 7) * tick_ns());
	assert_int_equal(stat.nice_ns, 20 * tick_ns());
	assert_int_equal(stat.steal_ns, 8 * tick_ns());
	assert_int_equal(stat.total_ns, (190 + 8 + 4000 + 500) * tick_ns());
	assert_int_equal(stat.n_missing, 0);
	/* Without the guest fields, as before 2.6.24. */
	read_text(*state, "0", ALL "cpu0 1 2 3 4 5 6 7 8\n" REST, &stat);
	assert_int_equal(stat.busy_ns, 19 * tick_ns());
}

static void by_id(void **state)
{
	static const char text[] = ALL "cpu0 1 0 0 0 0 0 0 0 0 0\n"
				       "cpu2 10 0 0 0 0 0 0 0 0 0\n"
				       "cpu7 100 0 0 0 0 0 0 0 0 0\n"
				       "cpu1500 1000 0 0 0 0 0 0 0 0 0\n" REST;
	static const struct {
		const char *cpus;
		uint64_t ticks;
		size_t n_missing;
	} cases[] = {
		{"0,2,7", 111, 0},   {"2", 10, 0},  {"0-3", 11, 2},
		{"7,1500", 1100, 0}, {"1,3", 0, 2}, {"", 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct procstat stat;

		read_text(*state, cases[i].cpus, text, &stat);
		assert_int_equal(stat.busy_ns, cases[i].ticks * tick_ns());
		assert_int_equal(stat.n_missing, cases[i].n_missing);
	}
}

static void many_cpus(void **state)
{
	cleanup(freep) char *text = NULL;
	struct procstat stat;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	(void)fputs(ALL, file);
	for (int cpu = 0; cpu < 4096; cpu++)
		(void)fprintf(file, "cpu%d 1 0 0 123456789012345678 0 0 0 0 0 0\n", cpu);
	(void)fputs("intr 0", file);
	for (int i = 0; i < 200000; i++)
		(void)fputs(" 0", file);
	(void)fputs("\n", file);
	assert_int_equal(fclose(file), 0);
	read_text(*state, "0-4095", text, &stat);
	assert_int_equal(stat.busy_ns, 4096 * tick_ns());
}

static void changes(void **state)
{
	struct procstat before;
	struct procstat after;
	struct procstat_change change;

	read_text(*state, "0", ALL "cpu0 10 0 0 1000 50 0 0 4 0 0\n" REST, &before);
	/* iowait goes down by 30 while 5 are used, 15 idle, 1 stolen. */
	read_text(*state, "0", ALL "cpu0 15 0 0 1015 20 0 0 5 0 0\n" REST, &after);
	assert_int_equal(procstat_subtract(&before, &after, &change), 0);
	assert_int_equal(change.busy_ns, 5 * (int64_t)tick_ns());
	assert_int_equal(change.steal_ns, (int64_t)tick_ns());
	assert_int_equal(change.total_ns, -9 * (int64_t)tick_ns());
	/* The CPU went offline. */
	read_text(*state, "0", ALL "cpu1 15 0 0 1015 20 0 0 5 0 0\n" REST, &after);
	assert_int_equal(procstat_subtract(&before, &after, &change), -ENODATA);
	assert_int_equal(change.total_ns, -9 * (int64_t)tick_ns());
}

static void near_the_end(void **state)
{
	struct procstat before;
	struct procstat after;
	struct procstat_change change;

	read_text(*state, "0", ALL "cpu0 18446744073709551610 0 0 9 0 0 0 0 0 0\n" REST, &before);
	read_text(*state, "0", ALL "cpu0 18446744073709551615 0 0 14 0 0 0 0 0 0\n" REST, &after);
	assert_int_equal(procstat_subtract(&before, &after, &change), 0);
	assert_int_equal(change.busy_ns, 5 * (int64_t)tick_ns());
	assert_int_equal(change.total_ns, 10 * (int64_t)tick_ns());
}

static void garbage(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{"", -EINVAL},
		{"hello\n", -EINVAL},
		{"cpu0 1 2 3 4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL, -EINVAL},
		{ALL "cpu0 1 2 3 4 5 6 7 8 9 10\n", -EINVAL},
		{ALL "cpu0 1 2 3 4 5 6 7 8 9 10", -EINVAL},
		{ALL "cpu0 1 2 3 4 5 6 7\n" REST, -EINVAL},
		{ALL "cpu0\n" REST, -EINVAL},
		{ALL "cpu 1 2 3 4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpux 1 2 3 4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu0 1 2 3 -4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu0 1 2 3 4x 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu0 1 2 3 4.5 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu99999999 1 2 3 4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu0 1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n" REST, -EINVAL},
		{ALL "cpu0 18446744073709551616 2 3 4 5 6 7 8 9 10\n" REST, -ERANGE},
	};
	int zero = 0;
	const struct cpulist list = {.n = 1, .cpus = &zero};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct procstat_cpu cpu = {.user = 42};
		struct procstat stat = {.busy_ns = 42};

		assert_int_equal(procstat_parse(cases[i].text, &list, &cpu), cases[i].error);
		assert_int_equal(cpu.user, 42);
		assert_false(cpu.present);
		fixture_write(*state, "/proc/stat", cases[i].text);
		assert_int_equal(procstat_read(*state, &list, &stat), cases[i].error);
		assert_int_equal(stat.busy_ns, 42);
	}
}

static void no_file(void **state)
{
	const struct cpulist none = {0};
	struct procstat stat;

	assert_int_equal(procstat_read(*state, &none, &stat), -ENOENT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(fields),  CASE(sums),	   CASE(by_id),	  CASE(many_cpus),
		CASE(changes), CASE(near_the_end), CASE(garbage), CASE(no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
