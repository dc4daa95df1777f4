/* SPDX-License-Identifier: MIT */
/*
 * Options from a table: rows of no, one and two values.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleanup.h"
#include "optparse.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct options {
	char work[64];
	const char *label;
	int n_quiet;
	bool is_loud;
};

static int read_work(const char *text, void *options)
{
	(void)snprintf(((struct options *)options)->work, 64, "%s", text);
	return strcmp(text, "wrong one") == 0 ? -EINVAL : 0;
}

static int read_quiet(const char *text, void *options)
{
	assert_string_equal(text, "");
	((struct options *)options)->n_quiet++;
	return 0;
}

static const struct optparse_row rows[] = {
	{1, 'w', "work", "N UNIT", "two values", "an amount and a unit", .read = read_work},
	{1, 'l', "label", "NAME", "one value", "a name", .at = offsetof(struct options, label)},
	{1, 'q', "quiet", NULL, "none", NULL, .read = read_quiet},
	{1, '\0', "loud", NULL, "none either", NULL, .at = offsetof(struct options, is_loud)},
};

static int parse(const char *const *argv, struct options *ret, int *ret_first)
{
	int argc = 0;

	*ret = (struct options){.label = NULL};
	while (argv[argc])
		argc++;
	return optparse("test", argc, (char **)argv, rows, N(rows), 1, ret, ret_first);
}

static void test_two_values_are_two_arguments_or_one(void **state)
{
	static const struct {
		const char *argv[8];
		const char *work;
		int first;
	} cases[] = {
		{{"test", "--work", "500", "MiB", "-q", "run", "me"}, "500 MiB", 5},
		{{"test", "--work", "500 MiB", "-q", "run", "me"}, "500 MiB", 4},
		{{"test", "--work=500", "MiB", "-q", "run", "me"}, "500 MiB", 4},
		{{"test", "-q", "-w", "500", "MiB", "--", "-q"}, "500 MiB", 6},
		{{"test", "-q", "-w500 MiB", "run"}, "500 MiB", 3},
		/* What it means is for the row to say. */
		{{"test", "-q", "--work", "500"}, "500", 4},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct options options;
		int first = -1;

		assert_int_equal(parse(cases[i].argv, &options, &first), 0);
		assert_string_equal(options.work, cases[i].work);
		assert_int_equal(options.n_quiet, 1);
		assert_int_equal(first, cases[i].first);
	}
}

static void test_one_value_is_one_argument(void **state)
{
	static const char *const argv[] = {"test", "--label", "a", "b", NULL};
	struct options options;
	int first = -1;

	(void)state;
	assert_int_equal(parse(argv, &options, &first), 0);
	assert_ptr_equal(options.label, argv[2]);
	assert_int_equal(first, 3);
	assert_false(options.is_loud);
}

static void test_no_value_sets_a_flag_and_nothing_else(void **state)
{
	static const char *const argv[] = {"test", "--loud", "a", NULL};
	struct options options;
	int first = -1;

	(void)state;
	assert_int_equal(parse(argv, &options, &first), 0);
	assert_true(options.is_loud);
	assert_null(options.label);
	assert_int_equal(options.n_quiet, 0);
	assert_int_equal(first, 2);
}

static void test_wrong_values_are_refused(void **state)
{
	static const char *const cases[][4] = {
		{"test", "--work", "wrong", "one"}, {"test", "--work", "wrong one", "run"},
		{"test", "-q", "--work", NULL},	    {"test", "--quiet=5", NULL},
		{"test", "--no-such", NULL},	    {"test", "--label", ""},
		{"test", "--label=", NULL},	    {"test", "--loud=yes", NULL},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		const char *argv[5] = {cases[i][0], cases[i][1], cases[i][2], cases[i][3], NULL};
		struct options options;
		int first = -1;

		assert_int_equal(parse(argv, &options, &first), -EINVAL);
		assert_int_equal(first, -1);
	}
}

static void test_help_names_both_values(void **state)
{
	cleanup(freep) char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	optparse_help(file, rows, N(rows), 1);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "  -w, --work N UNIT       two values\n"
				  "  -l, --label NAME        one value\n"
				  "  -q, --quiet             none\n"
				  "      --loud              none either\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_values_are_two_arguments_or_one),
		cmocka_unit_test(test_one_value_is_one_argument),
		cmocka_unit_test(test_no_value_sets_a_flag_and_nothing_else),
		cmocka_unit_test(test_wrong_values_are_refused),
		cmocka_unit_test(test_help_names_both_values),
	};

	return cmocka_run_group_tests_name("optparse", tests, NULL, NULL);
}
