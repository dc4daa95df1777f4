/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "side-fixture.h"
#include "sides.h"

/* Take sides with these labels, NULL: none, of these files. Return what sides_take() returned. */
static int take(const char *const *own, const char *const *paths, size_t n, const char *labels,
		struct sides *ret)
{
	json_t **documents = calloc(n + 1, sizeof(json_t *));

	assert_non_null(documents);
	for (size_t i = 0; i < n; i++) {
		documents[i] = make_side(NULL, 0, NULL, "{}");
		if (own[i])
			(void)json_object_set_new(documents[i], "label", json_string(own[i]));
	}
	return sides_take(documents, paths, n, labels, ret);
}

static void names_are_labels_or_files_and_differ(void **state)
{
	static const struct {
		const char *own[3], *paths[3], *labels, *names[3];
	} cases[] = {
		{{"old", "new"}, {"a", "b"}, NULL, {"old", "new"}},
		{{NULL, ""}, {"runs/before.json", "after.v2.json"}, NULL, {"before", "after.v2"}},
		{{NULL, NULL}, {"-", ".json"}, NULL, {"stdin", ".json"}},
		{{"x", "x", "x"}, {"a", "b", "c"}, NULL, {"x#1", "x#2", "x#3"}},
		{{"x", "y", "x"}, {"a", "b", "c"}, NULL, {"x#1", "y", "x#3"}},
		{{"old", "new"}, {"a", "b"}, "1,2", {"1", "2"}},
		{{"old", "new"}, {"a", "b"}, "only", {"only", "new"}},
		{{"old", "new"}, {"a", "b"}, "same,same", {"same#1", "same#2"}},
		{{"a\n\x1b", "\xc3\xa4"}, {"a", "b"}, NULL, {"a\\x0A\\x1B", "\\xC3\\xA4"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = cases[i].paths[2] ? 3 : 2;
		struct sides sides;

		assert_int_equal(take(cases[i].own, cases[i].paths, n, cases[i].labels, &sides), 0);
		assert_int_equal(sides.n, n);
		for (size_t j = 0; j < n; j++)
			assert_string_equal(sides.names[j], cases[i].names[j]);
		assert_false(sides.paired);
		sides_fini(&sides);
	}
}

static void wrong_labels_are_refused(void **state)
{
	static const char *const own[] = {"a", "b"}, *const paths[] = {"a", "b"};
	static const char *const wrong[] = {"1,2,3", "1,", ",2", ",", "1,,2"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct sides sides;

		assert_int_equal(take(own, paths, 2, wrong[i], &sides), -EINVAL);
		assert_int_equal(sides.n, 2);
		sides_fini(&sides);
	}
}

/* Take the sides of one document. */
static void take_document(const char *members, size_t n_sides, struct sides *ret)
{
	static const char *const path[] = {"ab.json"};
	json_t **documents = calloc(1, sizeof(json_t *)), *list = json_array();

	assert_non_null(documents);
	for (size_t i = 0; i < n_sides; i++)
		(void)json_array_append_new(list, make_side(NULL, 0, NULL, "{}"));
	documents[0] = parse(members);
	(void)json_object_set_new(documents[0], "sides", list);
	assert_int_equal(sides_take(documents, path, 1, NULL, ret), 0);
	assert_int_equal(ret->n, n_sides);
}

static void blocks_are_those_of_one_document_of_two_sides(void **state)
{
	struct sides sides;

	(void)state;
	take_document("{'design': 'abba', 'stopped_by': '--until-ci 0.1pp'}", 2, &sides);
	assert_true(sides.paired);
	assert_string_equal(sides.stopped_by, "--until-ci 0.1pp");
	assert_string_equal(sides.names[0], "ab#1");
	sides_fini(&sides);
	take_document("{'design': null, 'stopped_by': null}", 2, &sides);
	assert_false(sides.paired);
	assert_null(sides.stopped_by);
	sides_fini(&sides);
	take_document("{'design': 'abba', 'stopped_by': 5}", 3, &sides);
	assert_false(sides.paired);
	sides_fini(&sides);
	take_document("{'design': 'random'}", 2, &sides);
	assert_false(sides.paired);
	sides_fini(&sides);
	take_document("{'design': ['abba']}", 2, &sides);
	assert_false(sides.paired);
	sides_fini(&sides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_labels_or_files_and_differ),
		cmocka_unit_test(wrong_labels_are_refused),
		cmocka_unit_test(blocks_are_those_of_one_document_of_two_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
