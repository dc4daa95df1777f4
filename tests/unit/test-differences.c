/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "differences.h"
#include "json.h"

/* One quote for two, so that JSON can be read here. */
static json_t *parse(const char *text)
{
	char copy[1024];
	json_t *json;

	assert_true(snprintf(copy, sizeof(copy), "%s", text) < (int)sizeof(copy));
	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	json = json_loads(copy, 0, NULL);
	assert_non_null(json);
	return json;
}

static const char *const base =
	"{'command': ['./bench', '4k'], 'environment': {'cpu_model': 'X', 'cpus': [0, 1, 2, 3], "
	"'body': 'alu', 'body_version': 1, 'kernel': '6.1', 'mitigations': {'mds': 'on', 'srbds': "
	"'off'}, 'microcode': 'unknown'}, 'runs': [{'boot_id': 'a'}, {'boot_id': 'a'}]}";

/* Compare @base with it after @change (a patch of members of the environment or the side). */
static json_t *compare_with(const char *environment, const char *side)
{
	json_t *first = parse(base), *second = parse(base);
	json_t *more = parse(environment), *members = parse(side), *list;

	assert_int_equal(json_object_update(json_object_get(second, "environment"), more), 0);
	assert_int_equal(json_object_update(second, members), 0);
	list = differences_new(first, second);
	assert_non_null(list);
	json_decref(first);
	json_decref(second);
	json_decref(more);
	json_decref(members);
	return list;
}

static void expect(const char *environment, const char *side, const char *expected)
{
	json_t *list = compare_with(environment, side), *wanted = parse(expected);

	assert_true(json_equal(list, wanted));
	json_decref(list);
	json_decref(wanted);
}

static void equal_sides_differ_in_nothing(void **state)
{
	(void)state;
	expect("{}", "{}", "[]");
}

static void kernel_and_boot_are_expected(void **state)
{
	(void)state;
	expect("{'kernel': '6.2'}", "{'runs': [{'boot_id': 'b'}]}",
	       "[{'what': 'kernel', 'first': '6.1', 'second': '6.2', 'kind': 'expected'}, "
	       "{'what': 'boot', 'first': 'a', 'second': 'b', 'kind': 'expected'}]");
}

static void machine_cpus_and_body_are_unlike(void **state)
{
	static const char *const changes[] = {"{'cpu_model': 'Y'}", "{'cpus': [0, 1]}",
					      "{'body': 'pause'}", "{'body_version': 2}"};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		json_t *list = compare_with(changes[i], "{}");

		assert_int_equal(json_array_size(list), 1);
		assert_true(differences_are_unlike(list));
		json_decref(list);
	}
	expect("{'cpus': [0, 1]}", "{}",
	       "[{'what': 'CPUs', 'first': '0-3', 'second': '0-1', 'kind': 'unlike'}]");
}

static void cpus_that_a_run_measured_count(void **state)
{
	(void)state;
	expect("{}", "{'runs': [{'boot_id': 'a', 'cpus': [{'cpu': 2}, {'cpu': 3}]}]}",
	       "[{'what': 'CPUs', 'first': '0-3', 'second': '2-3', 'kind': 'unlike'}]");
}

static void only_the_mitigation_that_differs_is_told(void **state)
{
	(void)state;
	expect("{'mitigations': {'mds': 'off', 'srbds': 'off'}}", "{'command': ['./bench', '8k']}",
	       "[{'what': 'mitigation mds', 'first': 'on', 'second': 'off', 'kind': 'noted'}, "
	       "{'what': 'command', 'first': './bench 4k', 'second': './bench 8k', 'kind': "
	       "'noted'}]");
}

static void what_is_not_told_is_no_difference(void **state)
{
	(void)state;
	expect("{'microcode': '0x1', 'cpu_model': null}", "{'command': null}", "[]");
	expect("{}", "{'environment': {}, 'runs': [{}]}", "[]");
}

static void odd_values_are_shown_as_they_are(void **state)
{
	(void)state;
	expect("{'cpus': ['a', 3], 'kernel': 7}", "{'command': [1]}",
	       "[{'what': 'kernel', 'first': '6.1', 'second': '7', 'kind': 'expected'}, "
	       "{'what': 'CPUs', 'first': '0-3', 'second': '[\\'a\\', 3]', 'kind': 'unlike'}, "
	       "{'what': 'command', 'first': './bench 4k', 'second': '1', 'kind': 'noted'}]");
}

static void boots_are_counted_once(void **state)
{
	json_t *side = parse("{'runs': [{'boot_id': 'a'}, {'boot_id': 'b'}, {'boot_id': 'a'}, {}, "
			     "{'boot_id': 3}]}");

	(void)state;
	assert_int_equal(differences_n_boots(side), 2);
	json_decref(side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_sides_differ_in_nothing),
		cmocka_unit_test(kernel_and_boot_are_expected),
		cmocka_unit_test(machine_cpus_and_body_are_unlike),
		cmocka_unit_test(cpus_that_a_run_measured_count),
		cmocka_unit_test(only_the_mitigation_that_differs_is_told),
		cmocka_unit_test(what_is_not_told_is_no_difference),
		cmocka_unit_test(odd_values_are_shown_as_they_are),
		cmocka_unit_test(boots_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
