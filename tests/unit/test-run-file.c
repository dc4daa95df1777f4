/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "run-file.h"

static const char *path_of(const char *root, const char *name)
{
	static char path[512];

	assert_true(snprintf(path, sizeof(path), "%s%s", root, name) < (int)sizeof(path));
	return path;
}

static json_t *parse(const char *text)
{
	json_t *document = json_loads(text, JSON_DECODE_ANY, NULL);

	assert_non_null(document);
	return document;
}

static const char *const good = "{\"schema_version\": \"1.7\", \"runs\": [{}], \"odd\": [1]}";

static void count_files(const char *root, int expected)
{
	char command[600];
	FILE *list;
	int n = 0, c;

	(void)snprintf(command, sizeof(command), "ls -A '%s'", root);
	list = popen(command, "re");
	assert_non_null(list);
	while ((c = fgetc(list)) != EOF)
		n += c == '\n';
	assert_int_equal(pclose(list), 0);
	assert_int_equal(n, expected);
}

static void saved_file_reads_back(void **state)
{
	json_t *document = parse(good), *loaded;
	const char *path = path_of(*state, "/a.json");

	assert_int_equal(run_file_save(path, document, false), 0);
	assert_int_equal(run_file_load("test", path, &loaded), 0);
	assert_true(json_equal(document, loaded));
	json_decref(loaded);
	json_decref(document);
	count_files(*state, 1);
}

static void existing_file_is_replaced_only_when_asked(void **state)
{
	json_t *document = parse(good), *loaded;
	const char *path = path_of(*state, "/a.json");

	fixture_write(*state, "/a.json", "old");
	assert_int_equal(run_file_save(path, document, false), -EEXIST);
	count_files(*state, 1);
	assert_int_equal(run_file_save(path, document, true), 0);
	assert_int_equal(run_file_load("test", path, &loaded), 0);
	json_decref(loaded);
	json_decref(document);
	count_files(*state, 1);
}

static void link_to_a_file_stays_a_link(void **state)
{
	json_t *document = parse(good), *loaded;
	struct stat status;

	fixture_write(*state, "/real.json", "old");
	assert_int_equal(symlink("real.json", path_of(*state, "/link.json")), 0);
	assert_int_equal(run_file_save(path_of(*state, "/link.json"), document, true), 0);
	assert_int_equal(lstat(path_of(*state, "/link.json"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(run_file_load("test", path_of(*state, "/real.json"), &loaded), 0);
	json_decref(loaded);
	json_decref(document);
}

static void device_stays_a_device(void **state)
{
	json_t *document = parse(good);
	struct stat status;

	(void)state;
	assert_int_equal(run_file_save("/dev/null", document, true), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	json_decref(document);
}

static void failed_save_leaves_nothing_and_the_old_file(void **state)
{
	json_t *document = parse(good);
	char text[8] = "";
	int fd;

	fixture_write(*state, "/a.json", "old");
	assert_int_equal(run_file_save(path_of(*state, "/no/a.json"), document, true), -ENOENT);
	assert_int_equal(run_file_save(*state, document, true), -EISDIR);
	assert_int_equal(run_file_save("/dev/full", document, true), -ENOSPC);
	fd = open(path_of(*state, "/a.json"), O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
	(void)close(fd);
	count_files(*state, 1);
	json_decref(document);
}

static void a_name_may_be_as_long_as_names_can_be(void **state)
{
	json_t *document = parse(good), *loaded;
	char name[257] = "/";

	memset(name + 1, 'x', 255);
	assert_int_equal(run_file_save(path_of(*state, name), document, false), 0);
	assert_int_equal(run_file_load("test", path_of(*state, name), &loaded), 0);
	json_decref(loaded);
	json_decref(document);
	count_files(*state, 1);
}

/* A crash left them, and the kernel gives the same numbers again. */
static void temporary_files_that_were_left_are_in_nobodys_way(void **state)
{
	json_t *document = parse(good);
	char name[64];

	for (int i = 0; i < 3; i++) {
		(void)snprintf(name, sizeof(name), "/.soakctl-%d-%d.tmp", (int)getpid(), i);
		fixture_write(*state, name, "left");
	}
	assert_int_equal(run_file_save(path_of(*state, "/a.json"), document, false), 0);
	count_files(*state, 4);
	json_decref(document);
}

static void a_name_without_folder_is_of_this_one(void **state)
{
	json_t *document = parse(good);
	char *before = getcwd(NULL, 0);

	assert_int_equal(chdir(*state), 0);
	assert_int_equal(run_file_save("a.json", document, false), 0);
	assert_int_equal(access(path_of(*state, "/a.json"), F_OK), 0);
	assert_int_equal(chdir(before), 0);
	free(before);
	count_files(*state, 1);
	json_decref(document);
}

static void what_is_no_run_file_is_refused(void **state)
{
	static const struct {
		const char *text;
		int expected;
	} cases[] = {
		{"", -EINVAL},
		{"{", -EINVAL},
		{"[]", -EINVAL},
		{"{}", -EINVAL},
		{"{\"schema_version\": 1, \"runs\": []}", -EINVAL},
		{"{\"schema_version\": \"x\", \"runs\": []}", -EINVAL},
		{"{\"schema_version\": \"0.9\", \"runs\": []}", -EINVAL},
		{"{\"schema_version\": \"2.0\", \"runs\": []}", -EPROTONOSUPPORT},
		{"{\"schema_version\": \"99999999999999999999.0\", \"runs\": []}", -EINVAL},
		{"{\"schema_version\": \"1.0\"}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": {}}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": [1]}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": [], \"metrics\": 3}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": [], \"environment\": []}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"sides\": []}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"sides\": [{}]}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": [], \"runs\": []}", -EINVAL},
		{"{\"schema_version\": \"1.0\", \"runs\": [NaN]}", -EINVAL},
	};
	json_t *document;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_write(*state, "/a.json", cases[i].text);
		assert_int_equal(run_file_load("test", path_of(*state, "/a.json"), &document),
				 cases[i].expected);
	}
	assert_int_equal(run_file_load("test", path_of(*state, "/none"), &document), -ENOENT);
	assert_int_equal(run_file_load("test", *state, &document), -EISDIR);
}

static void sides_are_found_in_both_kinds(void **state)
{
	json_t *one = parse(good);
	json_t *two = parse("{\"schema_version\": \"1.0\", \"sides\": [{\"runs\": [], \"label\": "
			    "\"a\"}, {\"runs\": [], \"label\": \"b\"}]}");

	(void)state;
	assert_int_equal(run_file_check("test", "a", one), 0);
	assert_int_equal(run_file_check("test", "b", two), 0);
	assert_int_equal(run_file_n_sides(one), 1);
	assert_ptr_equal(run_file_side(one, 0), one);
	assert_int_equal(run_file_n_sides(two), 2);
	assert_string_equal(json_string_value(json_object_get(run_file_side(two, 1), "label")),
			    "b");
	json_decref(one);
	json_decref(two);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(saved_file_reads_back),
		with_folder(existing_file_is_replaced_only_when_asked),
		with_folder(link_to_a_file_stays_a_link),
		cmocka_unit_test(device_stays_a_device),
		with_folder(failed_save_leaves_nothing_and_the_old_file),
		with_folder(a_name_may_be_as_long_as_names_can_be),
		with_folder(temporary_files_that_were_left_are_in_nobodys_way),
		with_folder(a_name_without_folder_is_of_this_one),
		with_folder(what_is_no_run_file_is_refused),
		cmocka_unit_test(sides_are_found_in_both_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
