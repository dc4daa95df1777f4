/* SPDX-License-Identifier: MIT */
/*
 * Trimming again from the samples of a document: by hand, and as the daemon does it.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json.h"
#include "retrim.h"

static const struct trim one = {.kind = TRIM_COUNT, .count = 1};
static const struct trim two = {.kind = TRIM_COUNT, .count = 2};
static const struct trim none = {.kind = TRIM_COUNT, .count = 0};
static const struct trim tenth = {.kind = TRIM_SHARE, .share = 0.1};

/*
 * Seven samples, of which one is not valid. Of CPU 0 with an idle floor of 0.2 a load is
 * 1 - (1 - taken) / 0.8: taken 0.2 is a load of 0, taken 1.0 one of 1.
 */
static const char *const run_text =
	"{\"run_index\":1,\"failed\":false,\"load_ratio\":0.9,\"untrimmed_load_ratio\":0.4,"
	"\"samples\":{\"monotonic_seconds\":[1,2,3,4,5,6,7,8],"
	"\"load_ratio\":[0.1,0.2,null,0.3,0.4,0.5,0.6,10],"
	"\"cpus\":[{\"cpu\":0,\"taken_ppm\":[200000,200000,200000,200000,200000,1000000,1000000,"
	"null]}]},"
	"\"cpus\":[{\"cpu\":0,\"idle_floor_ratio\":0.2,\"load_ratio\":0.7,"
	"\"untrimmed_load_ratio\":0.6}],\"trim_ratio\":0.1,\"odd\":[1]}";

static json_t *make_side(const char *run)
{
	json_t *parsed = json_loads(run, 0, NULL);

	assert_non_null(parsed);
	return json_pack("{s:[o], s:[], s:f, s:{}}", "runs", parsed, "warmups", "trim_ratio", 0.1,
			 "summary");
}

static const json_t *run_of(const json_t *side)
{
	return json_array_get(json_object_get(side, "runs"), 0);
}

static void assert_near(const json_t *object, const char *name, double expected)
{
	double value = json_get_number(object, name);

	if (!(fabs(value - expected) <= 1e-12))
		fail_msg("%s: %.17g is not %.17g", name, value, expected);
}

static void trimmed_by_a_count(void **state)
{
	json_t *side = make_side(run_text);
	const json_t *run = run_of(side), *cpu;

	(void)state;
	assert_int_equal(retrim(side, &one), 0);
	/* 0.2, 0.3, 0.4, 0.5, 0.6 are left: 5, so that it is not short. */
	assert_near(run, "load_ratio", 0.4);
	assert_int_equal(json_get_integer(run, "samples_kept", -1), 5);
	assert_int_equal(json_get_integer(run, "samples_cut", -1), 2);
	assert_true(json_is_false(json_object_get(run, "short")));
	assert_int_equal(json_get_integer(run, "trim_count", -1), 1);
	assert_null(json_object_get(run, "trim_ratio"));
	/* Loads 0 0 0 0 0 1 1 without one at each end: 1 of 5. */
	cpu = json_array_get(json_object_get(run, "cpus"), 0);
	assert_near(cpu, "load_ratio", 0.2);
	/* The side follows, and what was not understood stays. */
	assert_int_equal(json_get_integer(side, "trim_count", -1), 1);
	assert_null(json_object_get(side, "trim_ratio"));
	assert_near(json_object_get(json_object_get(side, "summary"), "load_ratio"), "mean", 0.4);
	assert_int_equal(json_array_size(json_object_get(run, "odd")), 1);
	json_decref(side);
}

static void too_few_are_short(void **state)
{
	json_t *side = make_side(run_text);
	const json_t *run = run_of(side);

	(void)state;
	assert_int_equal(retrim(side, &two), 0);
	assert_near(run, "load_ratio", 0.4);
	assert_true(json_is_true(json_object_get(run, "short")));
	assert_int_equal(json_get_integer(run, "samples_cut", -1), 0);
	assert_int_equal(json_get_integer(run, "samples_kept", -1), 7);
	assert_near(json_array_get(json_object_get(run, "cpus"), 0), "load_ratio", 0.6);
	json_decref(side);
}

static void nothing_cut_is_the_mean(void **state)
{
	json_t *side = make_side(run_text);

	(void)state;
	assert_int_equal(retrim(side, &none), 0);
	assert_near(run_of(side), "load_ratio", 12.1 / 7);
	assert_int_equal(json_get_integer(run_of(side), "samples_kept", -1), 7);
	assert_int_equal(retrim(side, &tenth), 0);
	/* floor(0.1 x 7) is none, too. */
	assert_near(run_of(side), "load_ratio", 12.1 / 7);
	assert_near(side, "trim_ratio", 0.1);
	assert_null(json_object_get(side, "trim_count"));
	json_decref(side);
}

/* As the daemon has it: an idle floor that is not known counts as none. */
static void unknown_idle_floor_is_none(void **state)
{
	json_t *side = make_side(
		"{\"failed\":false,\"untrimmed_load_ratio\":0.4,\"cpus\":[{\"cpu\":3,"
		"\"idle_floor_ratio\":null,\"load_ratio\":0.9,\"untrimmed_load_ratio\":0.8}],"
		"\"samples\":{\"load_ratio\":[0.1,0.1,0.1,0.1,0.1],\"cpus\":[{\"cpu\":3,"
		"\"taken_ppm\":[100000,100000,100000,100000,100000]}]}}");

	(void)state;
	assert_int_equal(retrim(side, &none), 0);
	assert_near(json_array_get(json_object_get(run_of(side), "cpus"), 0), "load_ratio", 0.1);
	json_decref(side);
}

static void without_samples_nothing_is_changed(void **state)
{
	json_t *side = make_side(run_text), *before;

	(void)state;
	assert_int_equal(json_array_append_new(
				 json_object_get(side, "runs"),
				 json_pack("{s:b, s:f}", "failed", 0, "untrimmed_load_ratio", 0.1)),
			 0);
	before = json_deep_copy(side);
	assert_int_equal(retrim(side, &one), -ENODATA);
	assert_true(json_equal(side, before));
	json_decref(before);
	json_decref(side);
}

static void runs_that_were_not_measured_are_passed_over(void **state)
{
	json_t *side = make_side(run_text);

	(void)state;
	assert_int_equal(json_array_append_new(json_object_get(side, "runs"),
					       json_pack("{s:b}", "failed", 1)),
			 0);
	assert_int_equal(retrim(side, &one), 0);
	assert_near(run_of(side), "load_ratio", 0.4);
	assert_int_equal(json_object_size(json_array_get(json_object_get(side, "runs"), 1)), 1);
	json_decref(side);
}

/* Files are anybody's. */
static void odd_samples_do_no_harm(void **state)
{
	static const char *const samples[] = {
		"{}",
		"{\"load_ratio\":3,\"cpus\":{}}",
		"{\"load_ratio\":[\"x\",[],{},true],\"cpus\":[1,null]}",
		"{\"load_ratio\":[0.1],\"cpus\":[{\"cpu\":0},{\"cpu\":99,\"taken_ppm\":[1]}]}",
		"{\"load_ratio\":[],\"cpus\":[{\"cpu\":0,\"taken_ppm\":\"x\"}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		json_t *side = make_side(run_text);

		(void)json_object_set_new((json_t *)run_of(side), "samples",
					  json_loads(samples[i], 0, NULL));
		assert_int_equal(retrim(side, &tenth), 0);
		assert_near(run_of(side), "load_ratio", 0.4);
		assert_true(json_is_true(json_object_get(run_of(side), "short")));
		json_decref(side);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trimmed_by_a_count),
		cmocka_unit_test(too_few_are_short),
		cmocka_unit_test(nothing_cut_is_the_mean),
		cmocka_unit_test(unknown_idle_floor_is_none),
		cmocka_unit_test(without_samples_nothing_is_changed),
		cmocka_unit_test(runs_that_were_not_measured_are_passed_over),
		cmocka_unit_test(odd_samples_do_no_harm),
	};

	return cmocka_run_group_tests_name("retrim", tests, NULL, NULL);
}
