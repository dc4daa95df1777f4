/* SPDX-License-Identifier: MIT */
/*
 * The journal: who may have it, what its lines are, and what a disk that fills up leaves.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "fixture.h"
#include "journal.h"
#include "json.h"
#include "recording.h"

static const char *path_of(const char *root, const char *name)
{
	static char path[512];

	assert_true(snprintf(path, sizeof(path), "%s%s", root, name) < (int)sizeof(path));
	return path;
}

static char *read_journal(const char *root)
{
	static char text[16384];
	int fd = open(path_of(root, "/a.json.part"), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	(void)close(fd);
	text[n] = '\0';
	return text;
}

/* Line @index, parsed; NULL when there are fewer. A line without an end is none. */
static json_t *line_of(const char *text, size_t index)
{
	for (; index > 0 && text; index--) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !strchr(text, '\n'))
		return NULL;
	return json_loadb(text, strcspn(text, "\n"), 0, NULL);
}

static const char *open_journal(const char *root, struct journal *journal)
{
	const char *path = path_of(root, "/a.json");

	assert_int_equal(journal_open(path, false, journal), 0);
	return path;
}

static void lines_tell_the_series(void **state)
{
	json_t *document = json_pack("{s:s}", "schema_version", "1.0");
	json_t *sample = json_pack("{s:f}", "monotonic_seconds", 8.5);
	json_t *run = json_pack("{s:i, s:{s:[]}}", "run_index", 1, "samples", "load_ratio");
	static const char *const members[] = {"journal_version", "run_begin", "sample", "run_end"};
	struct journal journal;
	json_t *line;

	journal_begin(&journal, open_journal(*state, &journal), false, document);
	journal_run_begin(&journal, 0, false, 1, 7.5);
	journal_sample(&journal, sample);
	journal_run_end(&journal, 0, false, run);
	assert_int_equal(journal.error, 0);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		line = line_of(read_journal(*state), i);
		assert_non_null(json_object_get(line, members[i]));
		json_decref(line);
	}
	assert_null(line_of(read_journal(*state), 4));
	line = line_of(read_journal(*state), 3);
	/* The samples stand above; the caller's run keeps its own. */
	assert_null(json_object_get(json_object_get(json_object_get(line, "run_end"), "run"),
				    "samples"));
	assert_non_null(json_object_get(run, "samples"));
	json_decref(line);
	journal_remove(&journal);
	assert_int_equal(access(path_of(*state, "/a.json.part"), F_OK), -1);
	journal_fini(&journal);
	json_decref(document);
	json_decref(sample);
	json_decref(run);
}

static void one_that_is_held_is_left_alone(void **state)
{
	struct journal journal, other;

	(void)open_journal(*state, &journal);
	assert_int_equal(journal_open(path_of(*state, "/a.json"), false, &other), -EBUSY);
	journal_fini(&other);
	/* Not even by force. */
	assert_int_equal(journal_open(path_of(*state, "/a.json"), true, &other), -EBUSY);
	journal_fini(&other);
	journal_fini(&journal);
}

static void one_that_was_left_is_replaced_only_when_asked(void **state)
{
	json_t *document = json_pack("{s:s}", "schema_version", "1.0"), *line;
	struct journal journal;

	fixture_write(*state, "/a.json.part", "what there was\n");
	assert_int_equal(journal_open(path_of(*state, "/a.json"), false, &journal), -EEXIST);
	journal_fini(&journal);
	assert_string_equal(read_journal(*state), "what there was\n");
	assert_int_equal(journal_open(path_of(*state, "/a.json"), true, &journal), 0);
	/* It does not begin after all: what there was is still there. */
	journal_remove(&journal);
	journal_fini(&journal);
	assert_string_equal(read_journal(*state), "what there was\n");
	assert_int_equal(journal_open(path_of(*state, "/a.json"), true, &journal), 0);
	journal_begin(&journal, "a.json", true, document);
	line = line_of(read_journal(*state), 0);
	assert_non_null(json_object_get(line, "journal_version"));
	json_decref(line);
	assert_null(line_of(read_journal(*state), 1));
	journal_remove(&journal);
	assert_int_equal(access(path_of(*state, "/a.json.part"), F_OK), -1);
	journal_fini(&journal);
	json_decref(document);
}

/* Killed before it began: while soakd calibrated, say. */
static void an_empty_one_is_in_nobodys_way(void **state)
{
	struct journal journal;

	fixture_write(*state, "/a.json.part", "");
	assert_int_equal(journal_open(path_of(*state, "/a.json"), false, &journal), 0);
	journal_sample(&journal, json_null());
	assert_int_equal(journal.error, 0);
	assert_string_equal(read_journal(*state), "{\"sample\":null}\n");
	journal_fini(&journal);
}

static void what_is_no_file_is_refused(void **state)
{
	struct journal journal;

	assert_int_equal(mkfifo(path_of(*state, "/a.json.part"), 0600), 0);
	assert_int_equal(journal_open(path_of(*state, "/a.json"), true, &journal), -EINVAL);
	journal_fini(&journal);
}

static void links_are_not_followed(void **state)
{
	struct journal journal;

	fixture_write(*state, "/precious", "what there was\n");
	assert_int_equal(symlink("precious", path_of(*state, "/a.json.part")), 0);
	assert_int_equal(journal_open(path_of(*state, "/a.json"), true, &journal), -ELOOP);
	journal_fini(&journal);
	assert_string_equal(read_journal(*state), "what there was\n");
}

static void folders_that_are_not_there_are_told(void **state)
{
	struct journal journal;

	assert_int_equal(journal_open(path_of(*state, "/no/a.json"), false, &journal), -ENOENT);
	journal_fini(&journal);
	/* Without a journal nothing is written, and nothing breaks. */
	journal_sample(&journal, json_true());
	journal_remove(&journal);
	assert_int_equal(journal.error, 0);
}

/* After the first line that did not fit, no other is written: a gap would be no journal. */
static void a_full_disk_ends_it(void **state)
{
	const struct rlimit small = {64, RLIM_INFINITY};
	json_t *large = json_pack(
		"{s:s%}", "text",
		"0123456789012345678901234567890123456789012345678901234567890123", (size_t)64);
	struct rlimit before;
	struct journal journal;
	size_t length;

	(void)open_journal(*state, &journal);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	journal_sample(&journal, large);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(journal.error, EFBIG);
	length = strlen(read_journal(*state));
	journal_sample(&journal, json_null());
	assert_int_equal(strlen(read_journal(*state)), length);
	journal_fini(&journal);
	json_decref(large);
}

/* A recording writes its samples as they come, and gives those of the run's window. */
static void a_recording_keeps_what_it_writes(void **state)
{
	json_t *early = json_pack("{s:i, s:{s:f, s:f, s:[]}}", "dropped", 2, "sample",
				  "monotonic_seconds", 5.0, "elapsed_seconds", 1.0, "cpus");
	json_t *inside = json_pack("{s:i, s:{s:f, s:f, s:[]}}", "dropped", 5, "sample",
				   "monotonic_seconds", 9.0, "elapsed_seconds", 1.0, "cpus");
	struct journal journal;
	struct recording recording = {.journal = &journal, .keeps_samples = true, .run_index = 1};
	json_t *samples, *line;

	(void)open_journal(*state, &journal);
	assert_int_equal(recording_take(&recording, early), 0);
	assert_string_equal(read_journal(*state), "");
	assert_int_equal(recording_begin(&recording, 8.0), 0);
	assert_int_equal(recording_take(&recording, inside), 0);
	samples = recording_end(&recording, 9.5);
	assert_int_equal(json_array_size(json_object_get(samples, "monotonic_seconds")), 1);
	/* Those before the run are not its own. */
	assert_int_equal(json_get_integer(samples, "dropped", 0), 3);
	line = line_of(read_journal(*state), 1);
	assert_non_null(json_object_get(line, "sample"));
	json_decref(line);
	assert_null(line_of(read_journal(*state), 2));
	assert_null(recording_end(&recording, 9.5));
	recording_drop(&recording);
	json_decref(samples);
	json_decref(early);
	json_decref(inside);
	journal_fini(&journal);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(lines_tell_the_series),
		CASE(one_that_is_held_is_left_alone),
		CASE(one_that_was_left_is_replaced_only_when_asked),
		CASE(an_empty_one_is_in_nobodys_way),
		CASE(what_is_no_file_is_refused),
		CASE(links_are_not_followed),
		CASE(folders_that_are_not_there_are_told),
		CASE(a_full_disk_ends_it),
		CASE(a_recording_keeps_what_it_writes),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
