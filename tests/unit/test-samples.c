/* SPDX-License-Identifier: MIT */
/*
 * Samples as the daemon sends them become columns as documents keep them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json.h"
#include "samples.h"

/* One sample that ends at @end seconds and is a second long. */
static json_t *make_sample(double end, const char *cpus)
{
	json_t *list = json_loads(cpus, 0, NULL);

	assert_non_null(list);
	return json_pack("{s:f, s:f, s:f, s:o}", "monotonic_seconds", end, "elapsed_seconds", 1.0,
			 "load_ratio", 0.25, "cpus", list);
}

static void add(struct samples *samples, double end, const char *cpus)
{
	json_t *sample = make_sample(end, cpus);

	assert_int_equal(samples_add(samples, sample), 0);
	json_decref(sample);
}

#define GOOD                                                                                       \
	"{\"cpu\":0,\"valid\":true,\"taken_ratio\":0.0500004,\"slowed_ratio\":-0.001,"             \
	"\"interruptions\":250,\"flags\":[]}"

static void assert_equal_json(const json_t *value, const char *expected)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, expected);
	free(text);
}

static const json_t *column(const struct samples *samples, size_t cpu, const char *name)
{
	return json_object_get(json_array_get(json_object_get(samples->columns, "cpus"), cpu),
			       name);
}

/* Every column has one element a sample. */
static void assert_rectangular(const struct samples *samples)
{
	const json_t *cpu, *list;
	const char *name;
	size_t index;

	json_array_foreach (json_object_get(samples->columns, "cpus"), index, cpu)
		json_object_foreach ((json_t *)cpu, name, list)
			if (json_is_array(list))
				assert_int_equal(json_array_size(list), samples->n);
	json_object_foreach (samples->columns, name, list)
		if (strcmp(name, "cpus") != 0 && strcmp(name, "flags") != 0)
			assert_int_equal(json_array_size(list), samples->n);
}

static void values_become_columns(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 10), 0);
	add(&samples, 11, "[" GOOD "]");
	add(&samples, 12, "[" GOOD "]");
	assert_int_equal(samples.n, 2);
	assert_equal_json(column(&samples, 0, "taken_ppm"), "[50000,50000]");
	/* Nothing is clamped. */
	assert_equal_json(column(&samples, 0, "slowed_ppm"), "[-1000,-1000]");
	assert_equal_json(column(&samples, 0, "interruptions"), "[250,250]");
	assert_equal_json(json_object_get(samples.columns, "monotonic_seconds"), "[11.0,12.0]");
	assert_equal_json(json_object_get(samples.columns, "load_ratio"), "[0.25,0.25]");
	assert_equal_json(json_object_get(samples.columns, "flags"), "[]");
	assert_rectangular(&samples);
	samples_fini(&samples);
}

static void only_samples_wholly_inside_the_run_are_kept(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 10.25), 0);
	add(&samples, 11, "[" GOOD "]");
	assert_int_equal(samples.n, 0);
	add(&samples, 12, "[" GOOD "]");
	add(&samples, 13, "[" GOOD "]");
	add(&samples, 14, "[{\"cpu\":0,\"valid\":false,\"flags\":[\"suspended\"]}]");
	assert_int_equal(samples.n, 3);
	/* Its end is the run's, but for the last digit. */
	samples_end(&samples, 13.0 - 1e-9);
	assert_int_equal(samples.n, 2);
	assert_equal_json(json_object_get(samples.columns, "monotonic_seconds"), "[12.0,13.0]");
	/* The flags of a sample go with it. */
	assert_equal_json(json_object_get(samples.columns, "flags"), "[]");
	assert_rectangular(&samples);
	samples_end(&samples, 0);
	assert_int_equal(samples.n, 0);
	assert_rectangular(&samples);
	samples_fini(&samples);
}

static void an_invalid_cpu_has_nulls_and_its_flags(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	add(&samples, 1, "[" GOOD "]");
	add(&samples, 2,
	    "[{\"cpu\":0,\"valid\":false,\"taken_ratio\":0.5,\"slowed_ratio\":0.5,"
	    "\"interruptions\":3,\"flags\":[\"soaker-restarted\",\"suspended\"]}]");
	assert_equal_json(column(&samples, 0, "taken_ppm"), "[50000,null]");
	assert_equal_json(column(&samples, 0, "interruptions"), "[250,null]");
	assert_equal_json(json_object_get(samples.columns, "flags"),
			  "[{\"sample\":1,\"cpu\":0,"
			  "\"flags\":[\"soaker-restarted\",\"suspended\"]}]");
	samples_fini(&samples);
}

static void cpus_may_come_and_go(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	add(&samples, 1, "[" GOOD "]");
	add(&samples, 2,
	    "[" GOOD ",{\"cpu\":7,\"valid\":true,\"taken_ratio\":0.5,\"slowed_ratio\":null,"
	    "\"interruptions\":9}]");
	add(&samples, 3, "[{\"cpu\":7,\"valid\":true,\"taken_ratio\":0.25}]");
	add(&samples, 4, "[]");
	assert_equal_json(column(&samples, 0, "taken_ppm"), "[50000,50000,null,null]");
	assert_equal_json(column(&samples, 1, "cpu"), "7");
	assert_equal_json(column(&samples, 1, "taken_ppm"), "[null,500000,250000,null]");
	assert_equal_json(column(&samples, 1, "slowed_ppm"), "[null,null,null,null]");
	assert_equal_json(column(&samples, 1, "interruptions"), "[null,9,null,null]");
	assert_rectangular(&samples);
	samples_fini(&samples);
}

/* A journal may hold anything. */
static void what_is_no_sample_is_left_out(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"3",
		"{\"monotonic_seconds\":\"5\",\"elapsed_seconds\":1}",
		"{\"monotonic_seconds\":5}",
	};
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *sample = json_loads(texts[i], JSON_DECODE_ANY, NULL);

		assert_int_equal(samples_add(&samples, sample), 0);
		json_decref(sample);
	}
	assert_int_equal(samples_add(&samples, NULL), 0);
	assert_int_equal(samples.n, 0);
	assert_rectangular(&samples);
	samples_fini(&samples);
}

static void a_cpu_that_is_there_twice_counts_once(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	add(&samples, 1, "[" GOOD "," GOOD "]");
	add(&samples, 2, "[" GOOD "]");
	assert_int_equal(samples.n, 2);
	assert_rectangular(&samples);
	samples_fini(&samples);
}

static void numbers_without_sense_are_null(void **state)
{
	struct samples samples;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	add(&samples, 1,
	    "[{\"cpu\":0,\"valid\":true,\"taken_ratio\":1e300,\"slowed_ratio\":\"x\","
	    "\"interruptions\":true}]");
	assert_equal_json(column(&samples, 0, "taken_ppm"), "[null]");
	assert_equal_json(column(&samples, 0, "slowed_ppm"), "[null]");
	assert_equal_json(column(&samples, 0, "interruptions"), "[null]");
	samples_fini(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_become_columns),
		cmocka_unit_test(only_samples_wholly_inside_the_run_are_kept),
		cmocka_unit_test(an_invalid_cpu_has_nulls_and_its_flags),
		cmocka_unit_test(cpus_may_come_and_go),
		cmocka_unit_test(what_is_no_sample_is_left_out),
		cmocka_unit_test(a_cpu_that_is_there_twice_counts_once),
		cmocka_unit_test(numbers_without_sense_are_null),
	};

	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
