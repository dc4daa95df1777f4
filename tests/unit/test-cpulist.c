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
	cpulist_fini(&copy);
	cpulist_fini(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lists),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
