/* SPDX-License-Identifier: MIT */
/*
 * Logs that are refused: every complaint, with its place.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "import-fixture.h"

static void malformed_data_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *format;
		const char *text;
		const char *complaint; /* behind the file's name */
	} cases[] = {
		{"values", "", " no data of the format values: expected LABEL: 5.02% 5.23% 5.27%"},
		{"values", "note: 50% of us, and then: 3 4 of them\n",
		 " no data of the format values: expected LABEL: 5.02% 5.23% 5.27%"},
		{"values", "no numbers\n",
		 " no data of the format values: expected LABEL: 5.02% 5.23% 5.27%"},
		{"values", "before: 5.02% 5.2x%\n",
		 "1:18: malformed: expected a blank or % behind the number"},
		{"values", "a: 5.02% 5.1%\na: 5\n",
		 "2:4: a plain number among percentages of one side: expected numbers of one kind"},
		{"values", "a: 5\na: 5.02%\n",
		 "2:4: a percentage among plain numbers of one side: expected numbers of one kind"},
		{"values", "x\na: 1e400\n", "2:4: too large: expected a number that can be kept"},
		{"values", "a: 1 2 5.\n",
		 "1:9: malformed: expected a blank or % behind the number"},
		{"values", "so: 5.02% 5.23%5.27% and\n",
		 "1:16: malformed: expected a blank or % behind the number"},
		{"time", "",
		 " no data of the format time: expected 0.03user 131.66system 2:26.62elapsed "
		 "89%CPU"},
		{"time", "0.03user 131.66sys\n", "1:16: cut short: expected \"system \""},
		{"time", "0.03user\n", "1:5: cut short: expected \"user \""},
		{"time", "131.66system 2:26.62elapsed 89%CPU\n",
		 "1:7: malformed: expected \"user \""},
		{"time", "0.03user 1.66system 2:66.62elapsed 89%CPU\n",
		 "1:24: malformed: expected a number below 60"},
		{"time", "0.03user 1.66system 26.62elapsed 89%CPU\n",
		 "1:23: malformed: expected \":\""},
		{"time", "0.03user 1.66system 2:26.elapsed 89%CPU\n",
		 "1:26: malformed: expected digits"},
		{"time", "0.03user 1.66system 99999999999:26elapsed 89%CPU\n",
		 "1:21: too large: expected a number that can be kept"},
		{"time", "0.03user 1.66system 2:26.62elapsed 89%CPU (0avgtext+0avgdata 0maxres",
		 "1:63: cut short: expected \"maxresident)k\""},
		{"time", "0.03user 1.66system 2:26.62elapsed 89%CPU x\n",
		 "1:42: malformed: expected \" (\""},
		{"time", "0inputs+0outputs (439major+100minor)pagefaults 0swaps\n",
		 "1:1: the second line of a block without its first: expected user, system and "
		 "elapsed before it"},
		{"time",
		 "0.03user 1.66system 2:26.62elapsed 89%CPU (0avgtext+0avgdata "
		 "0maxresident)k\n0inputs+0outputs (439major+100min\n",
		 "2:31: cut short: expected \"minor)pagefaults \""},
		{"time", "Command exited with non-zero status 3\n",
		 "1:38: cut short: expected the figures of the command that failed"},
		{"time", "Command exited with non-zero status x\n",
		 "1:37: malformed: expected digits"},
		{"time", "\tUser time (seconds): 1.25\n",
		 "1:2: a block without its first line: expected Command being timed:"},
		{"time",
		 "\tCommand being timed: \"a\"\n\tUser time (seconds): 1\n\tExit status: 0\n",
		 "3:2: no system time in the block: expected System time (seconds)"},
		{"time", "\tCommand being timed: a\n",
		 "1:23: malformed: expected the command in quotation marks"},
		{"time", "\tCommand being timed: \"a\"\n\tUser time (seconds): 1",
		 "2:24: no system time in the block: expected System time (seconds)"},
		{"bash-time", "real 1\nuser 2\n",
		 "2:7: a block of three without its last line: expected sys"},
		{"bash-time", "real 0m1.5s\nhello\n",
		 "2:1: a block of three without its second line: expected user"},
		{"bash-time", "user 0m1.5s\n",
		 "1:1: a block of three without its first line: expected real"},
		{"bash-time", "real 0m1.5\n", "1:11: cut short: expected \"s\""},
		{"bash-time", "real 47m82.656s\n", "1:10: malformed: expected a number below 60"},
		{"bash-time", "real 0m1.5s\nuser 1 x\n",
		 "2:1: a block of three without its second line: expected user"},
		{"bash-time", "real 0m1.5s x\n", "1:13: malformed: expected the end of the line"},
		{"bash-time", "real 99999999999\n",
		 "1:6: too large: expected a number that can be kept"},
		{"bash-time", "real 1.0000000000001\n",
		 "1:7: too large: expected a number that can be kept"},
		{"dd", "12 bytes (12 B) copied, 17.0 s, 30.1 MB\n",
		 "1:38: malformed: expected a unit such as MB/s"},
		{"dd", "12 bytes (12 B copied\n", "1:22: cut short: expected \" copied, \""},
		{"dd", "12 bytes (12 B) copied, 17.0 s\n", "1:31: cut short: expected \", \""},
		{"dd", "12 bytes transferred in 1 secs (x\n", "1:33: malformed: expected a number"},
		{"dd", "17.0 300\n17.0\n", "2:5: cut short: expected a blank"},
		{"dd", "17.0 300 0m1.0s 0m1.0s\n", "1:23: cut short: expected a blank"},
		{"dd", "17.0 300 0m1.0s 0m1.0s 0m1.0s 3\n",
		 "1:31: malformed: expected the end of the line"},
		{"dd", "17.0 300\n18.0 3x0\n", "2:7: malformed: expected a blank"},
		{"bonnie", "a,1G,,,5,6\n", "1:11: cut short: expected 27 columns"},
		{"bonnie", "a,1G,,,,,,,,,,,,,,,,,,,,,,,,,x\n",
		 "1:30: malformed: expected a number"},
		{"bonnie", "a,1G,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n",
		 "1:35: too many columns: expected 27"},
		{"bonnie", "1.98,1.98,a,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n",
		 "1:1: CSV of a newer bonnie++: expected that of 1.03, with 27 columns"},
		{"bonnie", "a,1G,,,5x7,,,,,,,,,,,,,,,,,,,,,,\n",
		 "1:9: malformed: expected a number or +++++ between commas"},
		{"bonnie", "name,size,,,,,,,,,,,,,,,,,,,,,,,,,\n",
		 "1:6: not a column of bonnie++ 1.03, or twice: expected names such as put_block"},
		{"kunit", "a: avg 395 uS, stddev\n", "1:14: cut short: expected \", stddev \""},
		{"kunit", "a: avg 395 nS, stddev 4 nS\n", "1:11: malformed: expected \" uS\""},
		{"kunit", "a: avg 395", "1:11: cut short: expected \" uS\""},
		{"kunit", ": avg 395 uS, stddev 4 uS\n", "1:1: no name: expected NAME: avg"},
		{"kunit", "a: avg 395 uS\n", "1:14: cut short: expected \", stddev \""},
		{"fio-json", "fio: no\n",
		 " no data of the format fio-json: expected what fio --output-format=json writes"},
		{"fio-json", "note\n{\"jobs\": [\n  {\"jobname\": }\n",
		 "3:15: unexpected token near '}': expected the JSON of fio"},
		{"fio-json", "{}\n", "1:1: JSON without jobs: expected that of fio"},
		{"fio-json", "{\"jobs\": [{\"error\": 0}]}\n",
		 "1:1: a job without a jobname: expected the JSON of fio 3"},
		{"fio-json", "{\"jobs\": [{\"jobname\": \"a\", \"read\": {\"total_ios\": 3}}]}\n",
		 "1:1: a job without bw_bytes and iops: expected the JSON of fio 3"},
		{"fio-json", "{\"jobs\": [{\"jobname\": \"a\"}]} x\n",
		 "1:29: text behind a document: expected it to begin on a line of its own"},
		{"fio-json", "{\"jobs\": [",
		 "1:10: ']' expected near end of file: expected the JSON of fio"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *document = NULL;
		char path[512], expected[1024];

		fixture_write(*state, "/a.log", cases[i].text);
		(void)snprintf(path, sizeof(path), "%s/a.log", (const char *)*state);
		(void)snprintf(expected, sizeof(expected), "p: %s:%s\n", path, cases[i].complaint);
		assert_int_equal(import(*state, cases[i].format, path, NULL, &document), -EINVAL);
		assert_string_equal(said, expected);
		assert_null(document);
	}
}

static void other_mistakes_are_refused(void **state)
{
	const struct import_options many = {.labels = "a,b"}, empty = {.labels = ",b"};
	json_t *document = NULL;
	char path[512];

	fixture_write(*state, "/a.log", "5 6\n");
	(void)snprintf(path, sizeof(path), "%s/a.log", (const char *)*state);
	assert_int_equal(import(*state, "values", path, &many, &document), -ERANGE);
	assert_int_equal(import(*state, "values", path, &empty, &document), -ERANGE);
	assert_int_equal(import(*state, "csv", path, NULL, &document), -EINVAL);
	assert_string_equal(said, "p: no format csv: expected one of values, time, bash-time, dd, "
				  "bonnie, kunit, fio-json\n");
	assert_int_equal(import(*state, "values", "/no/such/file", NULL, &document), -ENOENT);
	assert_int_equal(import(*state, "values", *state, NULL, &document), -EISDIR);
	fixture_write(*state, "/a.log",
		      "a:\n$ time c\nreal 1\nuser 1\nsys 1\n$ time d\nreal 1\nuser 1\nsys 1\n"
		      "a: c:\nreal 1\nuser 1\nsys 1\n");
	assert_int_equal(import(*state, "bash-time", path, NULL, &document), -EEXIST);
	assert_null(document);
}

static void line_without_end_is_refused(void **state)
{
	char *text = malloc(70001);
	json_t *document = NULL;
	char path[512];

	assert_non_null(text);
	memset(text, 'x', 70000);
	text[70000] = '\0';
	fixture_write(*state, "/a.log", text);
	free(text);
	(void)snprintf(path, sizeof(path), "%s/a.log", (const char *)*state);
	assert_int_equal(import(*state, "time", path, NULL, &document), -EINVAL);
	assert_non_null(strstr(said, ":1:65537: the line is too long: expected at most 64 KiB\n"));
	assert_null(document);
}

static void too_many_runs_are_refused(void **state)
{
	char path[512];
	json_t *document = NULL;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/a.log", (const char *)*state);
	file = fopen(path, "we");
	assert_non_null(file);
	for (size_t i = 0; i < 100001; i++)
		assert_true(fputs("5\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(import(*state, "values", path, NULL, &document), -E2BIG);
	assert_null(document);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(malformed_data_is_refused_with_its_place),
		with_folder(other_mistakes_are_refused),
		with_folder(line_without_end_is_refused),
		with_folder(too_many_runs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
