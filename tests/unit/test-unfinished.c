/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a run that was cut off.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json.h"
#include "unfinished.h"

static void add(struct samples *samples, double end, json_t *load_ratio)
{
	json_t *sample = json_pack("{s:f, s:f, s:o, s:[]}", "monotonic_seconds", end,
				   "elapsed_seconds", 1.0, "load_ratio", load_ratio, "cpus");

	assert_int_equal(samples_add(samples, sample), 0);
	json_decref(sample);
}

static json_t *make_run(const struct samples *samples)
{
	json_t *begun = json_pack("{s:f, s:s}", "monotonic_seconds", 7.5, "time", "then");
	json_t *run = unfinished_run_new(begun, 3, samples);

	json_decref(begun);
	assert_non_null(run);
	return run;
}

static void its_figures_are_those_of_its_samples(void **state)
{
	struct samples samples;
	json_t *run;

	(void)state;
	assert_int_equal(samples_begin(&samples, 7.5), 0);
	add(&samples, 9, json_real(0.25));
	add(&samples, 10, json_null());
	add(&samples, 11, json_real(0.75));
	run = make_run(&samples);
	samples_fini(&samples);
	assert_int_equal(json_get_integer(run, "run_index", -1), 3);
	assert_true(json_get_number(run, "load_ratio") == 0.5);
	assert_true(json_get_number(run, "untrimmed_load_ratio") == 0.5);
	assert_true(json_get_number(run, "elapsed_seconds") == 3.5);
	assert_true(json_is_true(json_object_get(run, "failed")));
	assert_true(json_is_true(json_object_get(run, "incomplete")));
	assert_true(json_is_null(json_object_get(run, "exit_status")));
	assert_string_equal(json_get_string(run, "start"), "then");
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(run, "samples"), "load_ratio")), 3);
	json_decref(run);
}

static void without_samples_it_has_no_figures(void **state)
{
	struct samples samples;
	json_t *run;

	(void)state;
	assert_int_equal(samples_begin(&samples, 7.5), 0);
	run = make_run(&samples);
	samples_fini(&samples);
	assert_true(json_is_null(json_object_get(run, "load_ratio")));
	assert_true(json_is_null(json_object_get(run, "elapsed_seconds")));
	assert_true(json_is_true(json_object_get(run, "failed")));
	json_decref(run);
}

/* A journal may be anybody's. */
static void a_beginning_without_sense_is_no_failure(void **state)
{
	json_t *begun = json_pack("{s:s}", "monotonic_seconds", "x");
	struct samples samples;
	json_t *run;

	(void)state;
	assert_int_equal(samples_begin(&samples, 0), 0);
	add(&samples, 9, json_real(0.25));
	run = unfinished_run_new(begun, 1, &samples);
	assert_non_null(run);
	assert_true(json_is_null(json_object_get(run, "elapsed_seconds")));
	assert_true(json_is_null(json_object_get(run, "start")));
	json_decref(run);
	json_decref(begun);
	samples_fini(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_figures_are_those_of_its_samples),
		cmocka_unit_test(without_samples_it_has_no_figures),
		cmocka_unit_test(a_beginning_without_sense_is_no_failure),
	};

	return cmocka_run_group_tests_name("unfinished", tests, NULL, NULL);
}
