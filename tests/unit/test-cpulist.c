/* SPDX-License-Identifier: MIT */
/*
 * CPU lists as the kernel and people write them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "cpulist.h"

static void test_good_lists(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *formatted;
	} cases[] = {
		{"", 0, ""},
		{"\n", 0, ""},
		{"0", 1, "0"},
		{"0-3,8,10-11", 7, "0-3,8,10-11"},
		{"0-3,8,10-11\n", 7, "0-3,8,10-11"},
		{"8,0-3", 5, "0-3,8"},
		{"0-5,3-7,5", 8, "0-7"},
		{"0,2,4", 3, "0,2,4"},
		{"1,2", 2, "1-2"},
		{"65535", 1, "65535"},
		{"5-5", 1, "5"},
		{"00", 1, "0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list;
		char *text;

		if (cpulist_parse(cases[i].text, &list) != 0)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(list.n, cases[i].n);
		assert_int_equal(cpulist_format(&list, &text), 0);
		assert_string_equal(text, cases[i].formatted);
		free(text);
		cpulist_fini(&list);
	}
}

static void test_bad_lists(void **state)
{
	static const struct {
		const char *text;
		int r;
	} cases[] = {
		{"3-1", -EINVAL},
		{"1,,2", -EINVAL},
		{"1-", -EINVAL},
		{"1,", -EINVAL},
		{",", -EINVAL},
		{"-1", -EINVAL},
		{"1-2-3", -EINVAL},
		{"1 2", -EINVAL},
		{" 1", -EINVAL},
		{"0x1", -EINVAL},
		{"all", -EINVAL},
		{"1\n2", -EINVAL},
		{"1,\n", -EINVAL},
		{"\n\n", -EINVAL},
		{"0-99999", -ERANGE},
		{"65536", -ERANGE},
		{"99999999999999999999", -ERANGE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist list = {.n = 42};

		if (cpulist_parse(cases[i].text, &list) != cases[i].r)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(list.n, 42);
	}
}

/* What is written is read back the same: sets with runs and gaps, up to the largest number. */
static void test_round_trips(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	for (int round = 0; round < 20; round++) {
		struct cpulist list = {0}, read;
		char *text;

		for (int cpu = 0; cpu < CPULIST_MAX_CPU; cpu += rand() % 4 ? 1 : 1 + rand() % 400)
			assert_int_equal(cpulist_add(&list, cpu), 0);
		assert_int_equal(cpulist_add(&list, CPULIST_MAX_CPU), 0);
		assert_int_equal(cpulist_format(&list, &text), 0);
		assert_int_equal(cpulist_parse(text, &read), 0);
		assert_int_equal(read.n, list.n);
		assert_memory_equal(read.cpus, list.cpus, list.n * sizeof(*list.cpus));
		free(text);
		cpulist_fini(&read);
		cpulist_fini(&list);
	}
}

static void test_members(void **state)
{
	struct cpulist list = {0}, copy;

	(void)state;
	assert_int_equal(cpulist_add(&list, 7), 0);
	assert_int_equal(cpulist_add(&list, 2), 0);
	assert_int_equal(cpulist_add(&list, 7), 0);
	assert_int_equal(cpulist_add(&list, 5), 0);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.cpus[0], 2);
	assert_int_equal(list.cpus[1], 5);
	assert_int_equal(list.cpus[2], 7);
	assert_int_equal(cpulist_index(&list, 5), 1);
	assert_int_equal(cpulist_index(&list, 6), -1);
	assert_true(cpulist_has(&list, 2));
	assert_false(cpulist_has(&list, 8));
	assert_int_equal(cpulist_copy(&list, &copy), 0);
	cpulist_fini(&list);
	assert_int_equal(list.n, 0);
	assert_false(cpulist_has(&list, 2));
	assert_true(cpulist_has(&copy, 7));
	assert_int_equal(cpulist_replace("", &copy), -EINVAL);
	assert_int_equal(cpulist_replace("x", &copy), -EINVAL);
	assert_int_equal(copy.n, 3);
	assert_int_equal(cpulist_replace("1-2", &copy), 0);
	assert_int_equal(copy.n, 2);
	cpulist_fini(&copy);
	cpulist_fini(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lists),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
