/* SPDX-License-Identifier: MIT */
/*
 * Journals as crashes leave them.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>

#include <cmocka.h>

#include "fixture.h"
#include "journal-reader.h"

#define TORN 't'

static const char *path_of(const char *root, const char *name)
{
	static char path[512];

	assert_true(snprintf(path, sizeof(path), "%s%s", root, name) < (int)sizeof(path));
	return path;
}

static void write_bytes(const char *root, const char *bytes, size_t n)
{
	FILE *file = fopen(path_of(root, "/j"), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* Read all of it: the member "n" of each line, 't' for one that is torn. */
static void assert_lines(const char *root, const char *expected)
{
	struct journal_reader reader;
	char found[32] = "";
	size_t n = 0;
	int r;

	assert_int_equal(journal_reader_open(path_of(root, "/j"), &reader), 0);
	for (;;) {
		json_t *line = NULL;

		r = journal_reader_next(&reader, &line);
		if (r == 0 && !line)
			break;
		assert_true(r == 0 || r == -EBADMSG);
		assert_true(n < sizeof(found) - 1);
		found[n++] = TORN;
		if (r == 0)
			found[n - 1] = "0123456789"[json_integer_value(json_object_get(line, "n"))];
		json_decref(line);
	}
	assert_string_equal(found, expected);
	journal_reader_fini(&reader);
}

static void lines_are_read_in_order(void **state)
{
	fixture_write(*state, "/j", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
	assert_lines(*state, "123");
	fixture_write(*state, "/j", "");
	assert_lines(*state, "");
}

static void what_is_torn_is_passed_over(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{"{\"n\":1}\n{\"n\":2", "1t"},
		{"{\"n\":1}\n{\"n\":2}",
		 "1t"}, /* whole, but for its end: it may have been longer */
		{"{\"n\":1}\n{\"n\":2\n{\"n\":3}\n", "1t3"},
		{"{\"n\":1}\n\n{\"n\":3}\n", "1t3"},
		{"{\"n\":1}\nrubbish {\"n\":2}\n{\"n\":3}\n", "1t3"},
		{"{\"n\":1}\n{\"n\":2}{\"n\":2}\n{\"n\":3}\n", "1t3"},
		{"{\"n\":1,\"n\":2}\n", "t"},
		{"[1]\n", "t"},
		{"{\"n\":NaN}\n", "t"},
		{"{\"\xff\":1}\n", "t"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_write(*state, "/j", cases[i].text);
		assert_lines(*state, cases[i].expected);
	}
}

/* Where the machine was switched off, a file's length may be on the disk and its end not. */
static void zeros_behind_the_last_line_are_one_torn_line(void **state)
{
	static const char text[4096] = "{\"n\":1}\n{\"n\":2}\n";
	static const char middle[4096] = "{\"n\":1}\n{\"n\":";

	write_bytes(*state, text, sizeof(text));
	assert_lines(*state, "12t");
	write_bytes(*state, middle, sizeof(middle));
	assert_lines(*state, "1t");
}

static void a_huge_file_of_zeros_is_not_read(void **state)
{
	struct journal_reader reader;
	json_t *line;

	write_bytes(*state, "", 0);
	assert_int_equal(truncate(path_of(*state, "/j"), (off_t)1 << 40), 0);
	assert_int_equal(journal_reader_open(path_of(*state, "/j"), &reader), 0);
	/* Known by its first byte. */
	assert_int_equal(journal_reader_next(&reader, &line), -EBADMSG);
	journal_reader_fini(&reader);
}

static void a_long_line_is_read_whole(void **state)
{
	static char text[100000];

	memset(text, ' ', sizeof(text));
	text[0] = '{';
	text[1] = text[3] = '"';
	text[2] = 'n';
	text[4] = ':';
	text[sizeof(text) - 3] = '7';
	text[sizeof(text) - 2] = '}';
	text[sizeof(text) - 1] = '\n';
	write_bytes(*state, text, sizeof(text));
	assert_lines(*state, "7");
}

static void what_cannot_be_a_journal_is_refused(void **state)
{
	struct journal_reader reader;

	assert_int_equal(journal_reader_open(path_of(*state, "/no"), &reader), -ENOENT);
	journal_reader_fini(&reader);
	assert_int_equal(journal_reader_open(*state, &reader), -EISDIR);
	journal_reader_fini(&reader);
	assert_int_equal(journal_reader_open("/dev/zero", &reader), -EINVAL);
	journal_reader_fini(&reader);
	assert_int_equal(mkfifo(path_of(*state, "/pipe"), 0600), 0);
	assert_int_equal(journal_reader_open(path_of(*state, "/pipe"), &reader), -EINVAL);
	journal_reader_fini(&reader);
}

static void one_that_is_written_is_refused(void **state)
{
	struct journal_reader reader;
	int fd;

	write_bytes(*state, "", 0);
	fd = open(path_of(*state, "/j"), O_WRONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(journal_reader_open(path_of(*state, "/j"), &reader), -EBUSY);
	journal_reader_fini(&reader);
	(void)close(fd);
	assert_int_equal(journal_reader_open(path_of(*state, "/j"), &reader), 0);
	journal_reader_fini(&reader);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(lines_are_read_in_order),
		CASE(what_is_torn_is_passed_over),
		CASE(zeros_behind_the_last_line_are_one_torn_line),
		CASE(a_huge_file_of_zeros_is_not_read),
		CASE(a_long_line_is_read_whole),
		CASE(what_cannot_be_a_journal_is_refused),
		CASE(one_that_is_written_is_refused),
	};

	return cmocka_run_group_tests_name("journal-reader", tests, NULL, NULL);
}
