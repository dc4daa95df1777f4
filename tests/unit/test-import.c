/* SPDX-License-Identifier: MIT */
/*
 * The logs in tests/data/import have the figures of real ones; their means were computed apart
 * from this code.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import-fixture.h"

static void headings_that_come_again_begin_a_side(void **state)
{
	json_t *document = import_data(*state, "time", "two-sides.time");

	assert_int_equal(run_file_n_sides(document), 2);
	assert_string_equal(json_get_string(document, "kind"), "sides");
	assert_string_equal(label_of(document, 0), "two-sides/1");
	assert_string_equal(label_of(document, 1), "two-sides/2");
	assert_int_equal(count_runs(document, 0), 10);
	assert_int_equal(count_runs(document, 1), 10);
	assert_close(mean_of(document, 0, "Fill elapsed"), 147.795);
	assert_close(mean_of(document, 1, "Fill elapsed"), 157.228);
	assert_close(mean_of(document, 0, "Drain elapsed"), 37.127);
	assert_close(mean_of(document, 1, "Drain elapsed"), 17.931);
	assert_close(mean_of(document, 0, "Fill and drain elapsed"), 117.128);
	assert_close(mean_of(document, 1, "Fill and drain system"), 13.23);
	assert_metric(document, "Fill elapsed", "s", "lower", 2);
	assert_null(metric_of(document, 0, "Fill maxresident"));
	assert_non_null(strstr(said, "read 60 values in 3 tests, 2 sides; 2 other lines left out"));
	assert_non_null(strstr(said, "not kept: CPU share, inputs and outputs, page faults"));
	json_decref(document);
}

static void equal_headings_of_different_commands_are_two_tests(void **state)
{
	json_t *document = import_data(*state, "bash-time", "mixed-mail.txt");

	assert_string_equal(json_get_string(document, "kind"), "side");
	assert_int_equal(count_runs(document, 0), 1);
	assert_true(value_of(document, 0, 0, "Kernel of today elapsed") == 2862.656);
	assert_true(value_of(document, 0, 0, "Kernel of today system") == 4012.259);
	assert_true(value_of(document, 0, 0, "Kernel of today: ./copy --blocks 17781520 elapsed") ==
		    913.011);
	assert_true(json_is_null(json_object_get(document, "command")));
	json_decref(document);
}

static void table_of_dd_is_read(void **state)
{
	json_t *document = import_data(*state, "dd", "mixed-mail.txt");
	const json_t *command = json_object_get(document, "command");

	assert_int_equal(count_runs(document, 0), 6);
	assert_close(mean_of(document, 0, "elapsed"), 13.914551666666666);
	assert_close(mean_of(document, 0, "throughput"), 37667399);
	assert_close(mean_of(document, 0, "real"), 19.108666666666664);
	assert_metric(document, "elapsed", "s", "lower", 6);
	assert_metric(document, "throughput", "B/s", "higher", 0);
	assert_string_equal(json_string_value(json_array_get(command, 0)),
			    "dd if=/dev/zero of=big bs=1k count=500000");
	json_decref(document);
}

static void csv_of_bonnie_is_read(void **state)
{
	json_t *document = import_data(*state, "bonnie", "mixed-mail.txt");

	assert_int_equal(count_runs(document, 0), 3);
	assert_close(mean_of(document, 0, "put_block"), 57587.0 + 2.0 / 3);
	assert_close(mean_of(document, 0, "seeks"), 178.2);
	assert_true(value_of(document, 0, 2, "ran_del_cpu") == 1.0);
	assert_true(value_of(document, 0, 0, "put_block_cpu") == 0.25);
	assert_true(isnan(value_of(document, 0, 0, "seq_stat")));
	assert_true(isnan(value_of(document, 0, 0, "putc")));
	assert_metric(document, "put_block", "KiB/s", "higher", 0);
	assert_metric(document, "seeks", "1/s", "higher", 1);
	assert_metric(document, "rewrite_cpu", "ratio", "lower", 0);
	assert_null(metric_of(document, 0, "num_files"));
	json_decref(document);
}

static void benchmarks_of_kunit_have_spreads(void **state)
{
	json_t *document = import_data(*state, "kunit", "benchmarks.kunit");
	const json_t *spreads = json_object_get(run_of(document, 0, 1), "within_run_sd");

	assert_int_equal(count_runs(document, 0), 3);
	assert_close(mean_of(document, 0, "walk_bvec avg"), 401);
	assert_close(mean_of(document, 0, "walk_xarray_outofline avg"), 1352);
	assert_true(json_get_number(spreads, "walk_bvec avg") == 38);
	assert_metric(document, "walk_bvec avg", "us", "lower", 0);
	assert_non_null(strstr(said, "read 24 values in 8 tests, 1 side; 3 other lines"));
	json_decref(document);
	document = import_text(*state, "kunit",
			       "[   12.3]     # t: a: avg 1.5 us, stddev 0.25 us\n", NULL);
	assert_true(value_of(document, 0, 0, "a avg") == 1.5);
	json_decref(document);
}

static void percentages_within_prose_are_read(void **state)
{
	static const double before[] = {0.0502, 0.0523, 0.0527}, after[] = {0.0527, 0.0533, 0.0532};
	json_t *document = import_data(*state, "values", "prose.values");

	assert_int_equal(run_file_n_sides(document), 2);
	assert_string_equal(label_of(document, 0), "before");
	assert_string_equal(label_of(document, 1), "after");
	for (size_t i = 0; i < 3; i++) {
		assert_true(value_of(document, 0, i, "value") == before[i]);
		assert_true(value_of(document, 1, i, "value") == after[i]);
	}
	assert_metric(document, "value", "ratio", NULL, 2);
	json_decref(document);
}

static void json_of_fio_is_read(void **state)
{
	json_t *document = import_data(*state, "fio-json", "two-runs.fio");

	assert_int_equal(count_runs(document, 0), 2);
	assert_true(value_of(document, 0, 0, "first read bandwidth") == 23756800);
	assert_true(value_of(document, 0, 1, "first read bandwidth") == 29696000);
	assert_true(value_of(document, 0, 0, "second read iops") == 21333.333333);
	assert_close(value_of(document, 0, 0, "first read clat mean"), 125.498034483);
	assert_true(value_of(document, 0, 0, "first user CPU") == 0.5);
	assert_null(metric_of(document, 0, "second write iops"));
	assert_metric(document, "first write bandwidth", "B/s", "higher", 0);
	assert_metric(document, "first read clat mean", "us", "lower", 9);
	assert_non_null(strstr(said, "read 4 values in 2 tests, 1 side; 4 other lines left out"));
	json_decref(document);
}

static void values_are_labelled_and_named(void **state)
{
	const struct import_options options = {.metric = "cost", .labels = "x,y"};
	json_t *document = import_text(*state, "values",
				       "a: 5,6\t7\r\n\r\nmy kernel: -1.25 +2e1\r\na: 8", &options);

	assert_string_equal(label_of(document, 0), "x");
	assert_string_equal(label_of(document, 1), "y");
	assert_int_equal(count_runs(document, 0), 4);
	assert_true(value_of(document, 0, 3, "cost") == 8);
	assert_true(value_of(document, 1, 0, "cost") == -1.25);
	assert_true(value_of(document, 1, 1, "cost") == 20);
	assert_metric(document, "cost", "", NULL, 0);
	json_decref(document);
	document = import_text(*state, "values", "> 5%\n> 7.5%\n", NULL);
	assert_string_equal(label_of(document, 0), "a");
	assert_string_equal(json_get_string(document, "kind"), "side");
	assert_true(value_of(document, 0, 1, "value") == 0.075);
	json_decref(document);
}

static void tests_with_fewer_values_leave_null(void **state)
{
	json_t *document = import_text(*state, "bash-time",
				       "a:\nreal 1\nuser 1\nsys 1\nreal 0m2,25s\nuser 1\nsys 1\n"
				       "b:\nreal 3\nuser 1\nsys 1\n",
				       NULL);

	assert_int_equal(count_runs(document, 0), 2);
	assert_true(value_of(document, 0, 1, "a elapsed") == 2.25);
	assert_true(isnan(value_of(document, 0, 1, "b elapsed")));
	json_decref(document);
}

static void commands_name_tests_without_headings(void **state)
{
	json_t *document = import_text(*state, "bash-time",
				       "$ time ./a -x\nreal 1\nuser 1\nsys 1\n"
				       "$ /usr/bin/time -p ./b\nreal 3\nuser 1\nsys 1\n",
				       NULL);

	assert_true(value_of(document, 0, 0, "./a -x elapsed") == 1);
	assert_true(value_of(document, 0, 0, "./b elapsed") == 3);
	json_decref(document);
}

static void names_that_are_no_text_are_escaped(void **state)
{
	json_t *document = import_text(*state, "values", "caf\xe9: 1 2\n", NULL);

	assert_string_equal(label_of(document, 0), "caf\\xE9");
	json_decref(document);
}

static void lines_left_out_are_listed(void **state)
{
	const struct import_options options = {.lists_left_out = true};
	json_t *document = import_text(*state, "values", "pro\033se\n\n1 2\nmore\r\n", &options);

	assert_non_null(strstr(said, "     1  pro\\x1Bse\n     4  more\n"));
	assert_non_null(strstr(said, "2 other lines left out"));
	json_decref(document);
}

static void formats_of_the_help_exist(void **state)
{
	cleanup(freep) char *names = strdup(import_formats());
	char *at = names;
	size_t n = 0;

	(void)state;
	assert_non_null(names);
	for (const char *name = strsep(&at, ","); name; name = strsep(&at, ",")) {
		assert_true(import_is_format(name + strspn(name, " ")));
		n++;
	}
	assert_int_equal(n, 7);
	assert_false(import_is_format("csv"));
}

static void files_are_sides_in_order(void **state)
{
	char a[512], b[512];
	const char *const paths[] = {a, b};
	json_t *document = NULL;

	fixture_write(*state, "/old.log", "x:\nreal 1\nuser 1\nsys 1\n");
	fixture_write(*state, "/new.v2.log", "y:\nreal 2\nuser 1\nsys 1\n");
	(void)snprintf(a, sizeof(a), "%s/old.log", (const char *)*state);
	(void)snprintf(b, sizeof(b), "%s/new.v2.log", (const char *)*state);
	assert_int_equal(import_files("test", "bash-time", paths, 2, &document), 0);
	assert_string_equal(label_of(document, 0), "old");
	assert_string_equal(label_of(document, 1), "new.v2");
	assert_true(value_of(document, 0, 0, "x elapsed") == 1);
	assert_true(value_of(document, 1, 0, "y elapsed") == 2);
	assert_null(metric_of(document, 1, "x elapsed"));
	json_decref(document);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(headings_that_come_again_begin_a_side),
		with_folder(equal_headings_of_different_commands_are_two_tests),
		with_folder(table_of_dd_is_read),
		with_folder(csv_of_bonnie_is_read),
		with_folder(benchmarks_of_kunit_have_spreads),
		with_folder(percentages_within_prose_are_read),
		with_folder(json_of_fio_is_read),
		with_folder(values_are_labelled_and_named),
		with_folder(tests_with_fewer_values_leave_null),
		with_folder(commands_name_tests_without_headings),
		with_folder(names_that_are_no_text_are_escaped),
		with_folder(lines_left_out_are_listed),
		cmocka_unit_test(formats_of_the_help_exist),
		with_folder(files_are_sides_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
