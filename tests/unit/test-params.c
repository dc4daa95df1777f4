/* SPDX-License-Identifier: MIT */
/*
 * The readers of parameters, given made-up calls: what is left out, what is right, and what is
 * refused, with the member and what it may be in the answer's data.
 *
 * A refusal never writes to the out-parameter, so each case starts from a value no call holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "params.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define UNTOUCHED 4711

/* One call with its answer, of parameters written as JSON; NULL leaves them out. */
struct bench {
	json_t *params;
	struct rpc_call call;
	struct rpc_answer answer;
};

static void bench_init(struct bench *bench, const char *params)
{
	*bench = (struct bench){0};
	if (!params)
		return;
	bench->params = json_loads(params, 0, NULL);
	assert_non_null(bench->params);
	bench->call.params = bench->params;
}

static void bench_fini(struct bench *bench)
{
	json_decref(bench->params);
	json_decref(bench->answer.data);
	json_decref(bench->answer.result);
}

static void assert_unanswered(const struct bench *bench)
{
	assert_int_equal(bench->answer.code, 0);
	assert_null(bench->answer.result);
	assert_null(bench->answer.data);
}

static void assert_refused(const struct bench *bench, const char *member, const char *allowed)
{
	const json_t *data = bench->answer.data;

	assert_int_equal(bench->answer.code, RPC_INVALID_PARAMS);
	assert_null(bench->answer.result);
	assert_int_equal(json_object_size(data), 2);
	assert_string_equal(json_string_value(json_object_get(data, "member")), member);
	assert_string_equal(json_string_value(json_object_get(data, "allowed")), allowed);
	assert_non_null(strstr(bench->answer.message, member));
	assert_non_null(strstr(bench->answer.message, allowed));
}

static void test_numbers_in_range_are_read(void **state)
{
	static const struct {
		const char *params;
		double number;
	} cases[] = {
		{NULL, 60},
		{"{}", 60},
		{"{\"second\": 3}", 60},
		{"{\"seconds\": 0.5}", 0.5},
		{"{\"seconds\": 3600}", 3600},
		{"{\"seconds\": 7.25}", 7.25},
		{"{\"seconds\": 1e3}", 1000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		double number = UNTOUCHED;

		bench_init(&bench, cases[i].params);
		assert_true(params_number(&bench.call, "seconds", 0.5, 3600, 60, &number,
					  &bench.answer));
		/* All of them are exact in a double. */
		assert_memory_equal(&number, &cases[i].number, sizeof(number));
		assert_unanswered(&bench);
		bench_fini(&bench);
	}
}

static void test_other_numbers_are_refused(void **state)
{
	static const char *const cases[] = {
		"{\"seconds\": 0.49}",	 "{\"seconds\": 3600.5}", "{\"seconds\": -1}",
		"{\"seconds\": 1e300}",	 "{\"seconds\": \"1\"}",  "{\"seconds\": null}",
		"{\"seconds\": true}",	 "{\"seconds\": [1]}",	  "{\"seconds\": {}}",
		"{\"seconds\": 999999}",
	};
	const double before = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		double number = before;

		bench_init(&bench, cases[i]);
		assert_false(params_number(&bench.call, "seconds", 0.5, 3600, 60, &number,
					   &bench.answer));
		assert_memory_equal(&number, &before, sizeof(number));
		assert_refused(&bench, "seconds", "a number from 0.5 to 3600");
		bench_fini(&bench);
	}
}

/* The least of a range may be 0, which is also what a text counts as when read as a number. */
static void test_wrong_types_are_no_zero(void **state)
{
	static const char *const cases[] = {"{\"x\": \"0\"}", "{\"x\": null}", "{\"x\": false}"};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		double number = UNTOUCHED;
		int64_t integer = UNTOUCHED;

		bench_init(&bench, cases[i]);
		assert_false(params_number(&bench.call, "x", 0, 1, 1, &number, &bench.answer));
		assert_refused(&bench, "x", "a number from 0 to 1");
		assert_false(params_integer(&bench.call, "x", 0, 1, 1, &integer, &bench.answer));
		assert_refused(&bench, "x", "an integer from 0 to 1");
		bench_fini(&bench);
	}
}

static void test_integers_in_range_are_read(void **state)
{
	static const struct {
		const char *params;
		int64_t integer;
	} cases[] = {
		{NULL, 7},
		{"{}", 7},
		{"{\"since\": -3}", -3},
		{"{\"since\": 0}", 0},
		{"{\"since\": 9223372036854775807}", INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		int64_t integer = UNTOUCHED;

		bench_init(&bench, cases[i].params);
		assert_true(params_integer(&bench.call, "since", -3, INT64_MAX, 7, &integer,
					   &bench.answer));
		assert_true(integer == cases[i].integer);
		assert_unanswered(&bench);
		bench_fini(&bench);
	}
}

static void test_other_integers_are_refused(void **state)
{
	static const char *const cases[] = {
		"{\"since\": -1}",   "{\"since\": 1001}",  "{\"since\": 9223372036854775807}",
		"{\"since\": 5.0}",  "{\"since\": 5.5}",   "{\"since\": \"5\"}",
		"{\"since\": null}", "{\"since\": false}", "{\"since\": [5]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		int64_t integer = UNTOUCHED;

		bench_init(&bench, cases[i]);
		assert_false(
			params_integer(&bench.call, "since", 0, 1000, 7, &integer, &bench.answer));
		assert_int_equal(integer, UNTOUCHED);
		assert_refused(&bench, "since", "an integer from 0 to 1000");
		bench_fini(&bench);
	}
}

static void test_shares_are_read(void **state)
{
	static const struct {
		const char *params;
		double share;
	} cases[] = {
		{NULL, 0.1},
		{"{}", 0.1},
		{"{\"trim_ratio\": 0}", 0},
		{"{\"trim_ratio\": 0.25}", 0.25},
		{"{\"trim_ratio\": 0.499}", 0.499},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		struct trim trim = {.kind = TRIM_COUNT, .count = UNTOUCHED};

		bench_init(&bench, cases[i].params);
		assert_true(params_trim(&bench.call, &trim, &bench.answer));
		assert_int_equal(trim.kind, TRIM_SHARE);
		assert_memory_equal(&trim.share, &cases[i].share, sizeof(trim.share));
		assert_unanswered(&bench);
		bench_fini(&bench);
	}
}

static void test_counts_are_read(void **state)
{
	static const struct {
		const char *params;
		size_t count;
	} cases[] = {
		{"{\"trim_count\": 0}", 0},
		{"{\"trim_count\": 8}", 8},
		{"{\"trim_count\": 1000000}", 1000000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		struct trim trim = {.kind = TRIM_SHARE, .share = 0.4};

		bench_init(&bench, cases[i].params);
		assert_true(params_trim(&bench.call, &trim, &bench.answer));
		assert_int_equal(trim.kind, TRIM_COUNT);
		assert_int_equal(trim.count, cases[i].count);
		assert_unanswered(&bench);
		bench_fini(&bench);
	}
}

static void test_other_trims_are_refused(void **state)
{
	static const char a_share[] = "a number from 0 to below 0.5: the share cut from each end";
	static const char a_count[] = "an integer from 0 to 1000000";
	static const char one[] = "left out when trim_count is given";
	static const struct {
		const char *params;
		const char *member;
		const char *allowed;
	} cases[] = {
		{"{\"trim_ratio\": 0.5}", "trim_ratio", a_share},
		{"{\"trim_ratio\": 10}", "trim_ratio", a_share},
		{"{\"trim_ratio\": -0.1}", "trim_ratio", a_share},
		{"{\"trim_ratio\": \"10%\"}", "trim_ratio", a_share},
		{"{\"trim_ratio\": null}", "trim_ratio", a_share},
		{"{\"trim_count\": -1}", "trim_count", a_count},
		{"{\"trim_count\": 1000001}", "trim_count", a_count},
		{"{\"trim_count\": 0.1}", "trim_count", a_count},
		{"{\"trim_count\": \"8\"}", "trim_count", a_count},
		{"{\"trim_count\": null}", "trim_count", a_count},
		{"{\"trim_ratio\": 0.1, \"trim_count\": 8}", "trim_ratio", one},
		{"{\"trim_count\": 0, \"trim_ratio\": 0}", "trim_ratio", one},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		struct trim trim = {.kind = TRIM_COUNT, .count = UNTOUCHED};

		bench_init(&bench, cases[i].params);
		assert_false(params_trim(&bench.call, &trim, &bench.answer));
		assert_int_equal(trim.kind, TRIM_COUNT);
		assert_int_equal(trim.count, UNTOUCHED);
		assert_refused(&bench, cases[i].member, cases[i].allowed);
		bench_fini(&bench);
	}
}

/* Sparse, as with `nosmt`. */
static int allowed_cpus[] = {0, 1, 2, 5, 70};
static const struct cpulist allowed = {.n = COUNT(allowed_cpus), .cpus = allowed_cpus};

static void test_cpus_are_read(void **state)
{
	static const struct {
		const char *params;
		const char *list;
	} cases[] = {
		{NULL, "0-2,5,70"},
		{"{}", "0-2,5,70"},
		{"{\"cpus\": [5]}", "5"},
		{"{\"cpus\": [70, 0, 2]}", "0,2,70"},
		{"{\"cpus\": [1, 1, 1]}", "1"},
		{"{\"cpus\": [0, 1, 2, 5, 70]}", "0-2,5,70"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		struct cpulist list = {0};
		char *text;

		bench_init(&bench, cases[i].params);
		assert_true(params_cpus(&bench.call, &allowed, &list, &bench.answer));
		assert_int_equal(cpulist_format(&list, &text), 0);
		assert_string_equal(text, cases[i].list);
		/* The caller frees what it is given, so that must not be `allowed` itself. */
		assert_ptr_not_equal(list.cpus, allowed_cpus);
		assert_unanswered(&bench);
		free(text);
		cpulist_fini(&list);
		bench_fini(&bench);
	}
}

static void test_other_cpus_are_refused(void **state)
{
	/* 4294967296 is CPU 0 to whoever keeps 32 bits of it. */
	static const char *const cases[] = {
		"{\"cpus\": []}",	 "{\"cpus\": [3]}",	   "{\"cpus\": [0, 1, 3]}",
		"{\"cpus\": [71]}",	 "{\"cpus\": [-1]}",	   "{\"cpus\": [4294967296]}",
		"{\"cpus\": [65536]}",	 "{\"cpus\": [0, \"1\"]}", "{\"cpus\": [0, null]}",
		"{\"cpus\": [0, true]}", "{\"cpus\": [1.0]}",	   "{\"cpus\": [[0]]}",
		"{\"cpus\": 0}",	 "{\"cpus\": \"0-2\"}",	   "{\"cpus\": {}}",
		"{\"cpus\": null}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bench bench;
		int cpus[] = {UNTOUCHED};
		struct cpulist list = {.n = 1, .cpus = cpus};

		bench_init(&bench, cases[i]);
		assert_false(params_cpus(&bench.call, &allowed, &list, &bench.answer));
		assert_int_equal(list.n, 1);
		assert_ptr_equal(list.cpus, cpus);
		assert_int_equal(cpus[0], UNTOUCHED);
		assert_refused(&bench, "cpus", "a list of CPU numbers, not empty, among 0-2,5,70");
		bench_fini(&bench);
	}
}

/* A machine may allow more CPUs than a message has room for; the data still names them all. */
static void test_a_long_list_of_allowed_cpus_is_whole_in_the_data(void **state)
{
	static const char before[] = "a list of CPU numbers, not empty, among ";
	struct cpulist many = {0}, list = {0};
	struct bench bench;
	const char *text;
	char *expected;

	(void)state;
	for (int cpu = 0; cpu < 512; cpu += 2)
		assert_int_equal(cpulist_add(&many, cpu), 0);
	assert_int_equal(cpulist_format(&many, &expected), 0);
	bench_init(&bench, "{\"cpus\": [1]}");
	assert_false(params_cpus(&bench.call, &many, &list, &bench.answer));
	assert_int_equal(bench.answer.code, RPC_INVALID_PARAMS);
	assert_true(strlen(bench.answer.message) < sizeof(bench.answer.message));
	text = json_string_value(json_object_get(bench.answer.data, "allowed"));
	assert_non_null(text);
	assert_int_equal(strncmp(text, before, strlen(before)), 0);
	assert_string_equal(text + strlen(before), expected);
	assert_int_equal(list.n, 0);
	free(expected);
	cpulist_fini(&many);
	bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_in_range_are_read),
		cmocka_unit_test(test_other_numbers_are_refused),
		cmocka_unit_test(test_wrong_types_are_no_zero),
		cmocka_unit_test(test_integers_in_range_are_read),
		cmocka_unit_test(test_other_integers_are_refused),
		cmocka_unit_test(test_shares_are_read),
		cmocka_unit_test(test_counts_are_read),
		cmocka_unit_test(test_other_trims_are_refused),
		cmocka_unit_test(test_cpus_are_read),
		cmocka_unit_test(test_other_cpus_are_refused),
		cmocka_unit_test(test_a_long_list_of_allowed_cpus_is_whole_in_the_data),
	};

	return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
