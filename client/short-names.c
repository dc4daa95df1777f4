/* SPDX-License-Identifier: MIT */
/*
 * See short-names.h.
 */
#include "short-names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

#define HEAD 9
#define TAIL 7 /* where versions and numbers stand */

/* "before-patch-with-long-name-v2" becomes "before-pa..name-v2". */
static json_t *shorten(const char *name)
{
	size_t length = strlen(name);

	if (length <= SHORT_NAME_MOST)
		return json_string(name);
	return json_sprintf("%.*s..%s", HEAD, name, name + length - TAIL);
}

/* Return: the short names, which may be alike; NULL on lack of memory. */
static json_t *shorten_all(const json_t *sides)
{
	json_t *names = json_array();
	const json_t *side;
	size_t index;
	int r = 0;

	json_array_foreach (sides, index, side)
		r |= json_array_append_new(names, shorten(json_get_string(side, "name")));
	if (r == 0)
		return names;
	json_decref(names);
	return NULL;
}

static bool is_taken(const json_t *names, size_t index)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		if (i != index &&
		    json_equal(json_array_get(names, i), json_array_get(names, index)))
			return true;
	return false;
}

/* What is alike but for its middle goes by its number. */
static json_t *pick_name(const json_t *names, size_t index)
{
	json_t *name = json_array_get(names, index);

	return is_taken(names, index)
		       ? json_sprintf("%.*s..#%zu", HEAD, json_string_value(name), index + 1)
		       : json_incref(name);
}

/* A copy of the sides with short names. */
static json_t *copy_sides(const json_t *sides, const json_t *names)
{
	json_t *list = json_array(), *side;
	size_t index;
	int r = names ? 0 : -1;

	json_array_foreach (sides, index, side) {
		json_t *copy = json_copy(side);

		r |= json_object_set_new(copy, "name", pick_name(names, index));
		r |= json_array_append_new(list, copy);
	}
	if (r == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *short_names_new(const json_t *comparison)
{
	const json_t *sides = json_object_get(comparison, "sides");
	json_t *copy = json_copy((json_t *)comparison), *names = shorten_all(sides);
	int r = json_object_set_new(copy, "sides", copy_sides(sides, names));

	json_decref(names);
	if (r == 0)
		return copy;
	json_decref(copy);
	return NULL;
}
