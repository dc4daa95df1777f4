/* SPDX-License-Identifier: MIT */
/*
 * Sides in a few words. Include it behind cmocka.h.
 */
#pragma once

#include <jansson.h>
#include <string.h>

/* One quote for two, so that JSON can be read here. json_decref() it. */
static inline json_t *parse(const char *text)
{
	char *copy = strdup(text);
	json_t *json;

	assert_non_null(copy);
	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	json = json_loads(copy, 0, NULL);
	free(copy);
	assert_non_null(json);
	return json;
}

/* Put the members of @text, an object, over those of @object. */
static inline void put(json_t *object, const char *text)
{
	json_t *members = parse(text);

	assert_int_equal(json_object_update(object, members), 0);
	json_decref(members);
}

/*
 * A side with runs of these loads in percent, one boot, and whatever @members says.
 */
static inline json_t *make_side(const double *loads, size_t n, const char *boot,
				const char *members)
{
	json_t *runs = json_array();
	json_t *side =
		parse("{'schema_version': '1.0', 'label': null, 'command': ['./bench'], "
		      "'trim_ratio': 0.1, 'environment': {'cpu_model': 'X', 'kernel': '6.1'}, "
		      "'metrics': []}");

	for (size_t i = 0; i < n; i++) {
		json_t *run = json_pack("{s:b, s:f, s:f}", "failed", 0, "load_ratio",
					loads[i] / 100, "untrimmed_load_ratio", loads[i] / 100);

		if (boot)
			(void)json_object_set_new(run, "boot_id", json_string(boot));
		(void)json_array_append_new(runs, run);
	}
	(void)json_object_set_new(side, "runs", runs);
	put(side, members);
	return side;
}

static inline json_t *run_of(const json_t *side, size_t index)
{
	return json_array_get(json_object_get(side, "runs"), index);
}
