/* SPDX-License-Identifier: MIT */
/*
 * The forms that one format has.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import-fixture.h"
#include "import-scan.h"

#define VERBOSE(command, elapsed, status)                                                          \
	"\tCommand being timed: \"" command "\"\n\tUser time (seconds): 1.25\n"                    \
	"\tSystem time (seconds): 0.50\n\tPercent of CPU this job got: 9%\n"                       \
	"\tElapsed (wall clock) time (h:mm:ss or m:ss): " elapsed "\n"                             \
	"\tMaximum resident set size (kbytes): 1084\n\tExit status: " status "\n"

static void columns_of_bonnie_are_where_the_header_says(void **state)
{
	json_t *document = import_text(
		*state, "bonnie",
		"name,file_size,put_block,putc_cpu,putc,put_block_cpu,rewrite,rewrite_cpu,getc,"
		"getc_cpu,get_block,get_block_cpu,seeks,seeks_cpu,num_files,seq_create,"
		"seq_create_cpu,seq_stat,seq_stat_cpu,seq_del,seq_del_cpu,ran_create,"
		"ran_create_cpu,ran_stat,ran_stat_cpu,ran_del,ran_del_cpu\n"
		"a,1G,11,,22,,,,,,,,,,16,,,,,,,,,,,,\n"
		"b,1G,33,,44,,,,,,,,,,16,,,,,,,,,,,,\n",
		NULL);

	assert_true(value_of(document, 0, 0, "a 1G 16 put_block") == 11);
	assert_true(value_of(document, 0, 0, "a 1G 16 putc") == 22);
	assert_true(value_of(document, 0, 0, "b 1G 16 put_block") == 33);
	json_decref(document);
}

static void other_forms_of_time_are_read(void **state)
{
	json_t *document = import_text(
		*state, "time",
		"0.50user 0.25system 1:02:03elapsed ?%CPU (0avgtext+0avgdata 1600maxresident)k\n"
		"real 0.75\nuser 0.50\nsys 0.25\n"
		"Command exited with non-zero status 3\n"
		"0.10user 0.10system 0:01.5elapsed 100%CPU\n"
		"0inputs+0outputs (0major+86minor)pagefaults 0swaps\n",
		NULL);

	assert_int_equal(count_runs(document, 0), 3);
	assert_true(value_of(document, 0, 0, "elapsed") == 3723);
	assert_true(value_of(document, 0, 0, "maxresident") == 1600);
	assert_true(value_of(document, 0, 1, "elapsed") == 0.75);
	assert_true(isnan(value_of(document, 0, 1, "maxresident")));
	assert_true(value_of(document, 0, 2, "elapsed") == 1.5);
	assert_true(json_is_false(json_object_get(run_of(document, 0, 1), "failed")));
	assert_true(json_is_true(json_object_get(run_of(document, 0, 2), "failed")));
	assert_non_null(strstr(said, "1 of failed commands"));
	json_decref(document);
}

static void long_form_of_time_is_read(void **state)
{
	json_t *document = import_text(
		*state, "time",
		VERBOSE("sleep 2", "0:02.25", "0") VERBOSE("sleep 2", "1:00:00", "1"), NULL);

	assert_int_equal(count_runs(document, 0), 2);
	assert_true(value_of(document, 0, 0, "elapsed") == 2.25);
	assert_true(value_of(document, 0, 0, "user") == 1.25);
	assert_true(value_of(document, 0, 1, "elapsed") == 3600);
	assert_true(json_is_true(json_object_get(run_of(document, 0, 1), "failed")));
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(document, "command"), 0)),
		"sleep 2");
	json_decref(document);
}

static void lines_of_dd_are_read(void **state)
{
	json_t *document =
		import_text(*state, "dd",
			    "1+0 records in\n1+0 records out\n"
			    "1024 bytes (1.0 kB, 1.0 KiB) copied, 3.7861e-05 s, 27.0 MB/s\n"
			    "512000000 bytes (512 MB) copied, 17,25 seconds, 30,1 MiB/s\n"
			    "512000000 bytes transferred in 17.018413 secs (30085062 bytes/sec)\n"
			    "1 byte copied, 0 s, Infinity B/s\n",
			    NULL);

	assert_int_equal(count_runs(document, 0), 4);
	assert_true(value_of(document, 0, 0, "elapsed") == 3.7861e-05);
	assert_true(value_of(document, 0, 0, "throughput") == 27e6);
	assert_true(value_of(document, 0, 1, "elapsed") == 17.25);
	assert_close(value_of(document, 0, 1, "throughput"), 30.1 * 1048576);
	assert_true(value_of(document, 0, 2, "throughput") == 30085062);
	assert_true(isnan(value_of(document, 0, 3, "throughput")));
	assert_non_null(strstr(said, "0 other lines left out\np: not kept: records in and out\n"));
	json_decref(document);
}

static void percent_is_the_nearest_double(void **state)
{
	static const struct {
		const char *text;
		double value;
		int decimals;
	} cases[] = {
		{"5.02%", 0.0502, 2}, {"5.27%", 0.0527, 2},
		{"0.07%", 0.0007, 2}, {"100%", 1, 0},
		{"29%", 0.29, 0},     {"-1.15%", -0.0115, 2},
		{"+.5%", 0.005, 1},   {"1.234567%", 0.01234567, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct import_scan scan = {.at = cases[i].text};
		struct import_number number;
		bool is_percent;

		assert_true(import_scan_value(&scan, &number, &is_percent));
		assert_true(is_percent);
		assert_true(*scan.at == '\0');
		assert_true(number.value == cases[i].value);
		assert_int_equal(number.decimals, cases[i].decimals);
	}
}

static void failed_test_leaves_the_others_of_its_run(void **state)
{
	json_t *document = import_text(*state, "time",
				       "a:\nCommand terminated by signal 9\n"
				       "0.10user 0.10system 0:01.50elapsed 100%CPU\n"
				       "b:\n0.10user 0.10system 0:02.50elapsed 100%CPU\n",
				       NULL);

	assert_true(json_is_false(json_object_get(run_of(document, 0, 0), "failed")));
	assert_true(isnan(value_of(document, 0, 0, "a elapsed")));
	assert_true(value_of(document, 0, 0, "b elapsed") == 2.5);
	json_decref(document);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(columns_of_bonnie_are_where_the_header_says),
		with_folder(other_forms_of_time_are_read),
		with_folder(long_form_of_time_is_read),
		with_folder(lines_of_dd_are_read),
		cmocka_unit_test(percent_is_the_nearest_double),
		with_folder(failed_test_leaves_the_others_of_its_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
