/* SPDX-License-Identifier: MIT */
/*
 * A calibration that goes to disk and back, and those that must not come back.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calibration-store.h"
#include "fixture.h"
#include "json.h"

static const struct calibration_provenance ours = {
	.version = "0.1.0",
	.body = "alu",
	.body_version = 1,
	.clock = "tsc",
	.cpu_model = "A CPU",
	.microcode = "0x1",
	.kernel = "6.1.0",
	.governor = "none",
	.boot_id = "b0071d",
};

static void path_below(const char *root, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/var/lib/soakd/calibration.json", root);
}

static struct calibration two_cpus(struct calibration_cpu cpus[2])
{
	cpus[0] = (struct calibration_cpu){.cpu = 0,
					   .pass_ns = 61.5,
					   .pass_sd_ns = 0.5,
					   .idle_floor_ratio = 0.0102,
					   .idle_floor_uncertainty_ratio = 0.0003,
					   .n_windows = 750,
					   .n_quiet = 700,
					   .quiet = true};
	cpus[1] = cpus[0];
	cpus[1].cpu = 5;
	cpus[1].idle_floor_ratio = 0.02;
	return (struct calibration){.quiet = true, .seconds = 3, .n_cpus = 2, .cpus = cpus};
}

static void save(const char *root, const struct calibration_provenance *provenance)
{
	struct calibration_cpu cpus[2];
	struct calibration calibration = two_cpus(cpus);
	char path[256];

	path_below(root, path, sizeof(path));
	assert_int_equal(calibration_save(path, &calibration, provenance), 0);
}

/* Fill two CPUs of which only the first is quiet now. Return: how many were filled. */
static size_t fill(const char *root, struct calibration_cpu cpus[2], struct calibration *ret)
{
	char path[256];

	path_below(root, path, sizeof(path));
	*ret = two_cpus(cpus);
	cpus[0].idle_floor_ratio = 0.5;
	cpus[1] = (struct calibration_cpu){
		.cpu = 5, .idle_floor_ratio = (double)NAN, .n_windows = 750};
	ret->quiet = false;
	return calibration_fill_from(path, &ours, ret);
}

static void test_a_busy_cpu_gets_its_stored_floor(void **state)
{
	struct calibration_cpu cpus[2];
	struct calibration calibration;

	save(*state, &ours);
	assert_int_equal(fill(*state, cpus, &calibration), 1);
	assert_true(calibration.stored);
	assert_true(calibration.quiet);
	assert_true(cpus[1].quiet);
	assert_true(cpus[1].idle_floor_ratio == 0.02);
	assert_true(cpus[1].idle_floor_uncertainty_ratio == 0.0003);
	/* What was found now is better than what was stored. */
	assert_true(cpus[0].idle_floor_ratio == 0.5);
}

static void test_other_circumstances_do_not_fit(void **state)
{
	struct calibration_provenance others[7];
	struct calibration_cpu cpus[2];
	struct calibration calibration;

	for (size_t i = 0; i < 7; i++)
		others[i] = ours;
	others[0].body = "pause";
	others[1].body_version = 2;
	others[2].clock = "clock_gettime";
	others[3].cpu_model = "Another CPU";
	others[4].microcode = "0x2";
	others[5].kernel = "6.1.1";
	others[6].boot_id = "another";
	for (size_t i = 0; i < 7; i++) {
		save(*state, &others[i]);
		assert_int_equal(fill(*state, cpus, &calibration), 0);
		assert_false(calibration.stored);
		assert_false(calibration.quiet);
		assert_true(isnan(cpus[1].idle_floor_ratio));
	}
}

static void test_another_version_of_soakd_fits(void **state)
{
	struct calibration_provenance older = ours;
	struct calibration_cpu cpus[2];
	struct calibration calibration;

	older.version = "0.0.9";
	save(*state, &older);
	assert_int_equal(fill(*state, cpus, &calibration), 1);
}

static void test_what_is_no_calibration_is_none(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "7", "{\"provenance\":{}}", "{\"cpus\":3,\"provenance\":[]}",
	};
	struct calibration_cpu cpus[2];
	struct calibration calibration;

	assert_int_equal(fill(*state, cpus, &calibration), 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fixture_write(*state, "/var/lib/soakd/calibration.json", texts[i]);
		assert_int_equal(fill(*state, cpus, &calibration), 0);
	}
}

static void test_a_floor_out_of_bounds_is_not_taken(void **state)
{
	struct calibration_cpu cpus[2];
	struct calibration calibration = two_cpus(cpus), filled;
	char path[256];

	path_below(*state, path, sizeof(path));
	cpus[1].idle_floor_ratio = 1;
	assert_int_equal(calibration_save(path, &calibration, &ours), 0);
	assert_int_equal(fill(*state, cpus, &filled), 0);
}

static void test_numbers_that_do_not_exist_are_null(void **state)
{
	struct calibration_cpu cpus[2];
	struct calibration calibration = two_cpus(cpus);
	json_t *document;

	(void)state;
	cpus[1].idle_floor_ratio = (double)NAN;
	document = calibration_to_json(&calibration, &ours);
	assert_non_null(document);
	assert_true(json_is_null(json_object_get(
		json_array_get(json_object_get(document, "cpus"), 1), "idle_floor_ratio")));
	json_decref(document);
}

static void test_an_unwritable_place_keeps_the_old_file(void **state)
{
	struct calibration_cpu cpus[2];
	struct calibration calibration = two_cpus(cpus);
	char path[256];

	/* A file where a folder should be stops root as well. */
	fixture_write(*state, "/var/lib/soakd", "");
	path_below(*state, path, sizeof(path));
	assert_true(calibration_save(path, &calibration, &ours) < 0);
}

int main(void)
{
#define with_root(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		with_root(test_a_busy_cpu_gets_its_stored_floor),
		with_root(test_other_circumstances_do_not_fit),
		with_root(test_another_version_of_soakd_fits),
		with_root(test_what_is_no_calibration_is_none),
		with_root(test_a_floor_out_of_bounds_is_not_taken),
		cmocka_unit_test(test_numbers_that_do_not_exist_are_null),
		with_root(test_an_unwritable_place_keeps_the_old_file),
	};

	return cmocka_run_group_tests_name("calibration-store", tests, NULL, NULL);
}
