/* SPDX-License-Identifier: MIT */
/*
 * See sides.h.
 */
#include "sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "json.h"
#include "run-file.h"

static int allocate(struct sides *sides)
{
	size_t n = 0;

	for (size_t i = 0; i < sides->n_documents; i++)
		n += run_file_n_sides(sides->documents[i]);
	sides->sides = calloc(n + 1, sizeof(json_t *));
	sides->names = calloc(n + 1, sizeof(*sides->names));
	sides->files = calloc(n + 1, sizeof(const char *));
	return sides->sides && sides->names && sides->files ? 0 : -ENOMEM;
}

/* Copy @text, which is cut with "..." where it is too long. */
static int set_name(struct sides *sides, size_t index, const char *text)
{
	cleanup(freep) char *name = ascii_escape(text);
	const int most = SIDES_NAME_SIZE - 1;

	if (!name)
		return -ENOMEM;
	if (strlen(name) > (size_t)most)
		(void)snprintf(sides->names[index], SIDES_NAME_SIZE, "%.*s...", most - 3, name);
	else
		(void)snprintf(sides->names[index], SIDES_NAME_SIZE, "%s", name);
	return 0;
}

/* "runs/before.json" is called before. */
static int set_name_of_file(struct sides *sides, size_t index, const char *path)
{
	const char *file = strcmp(path, "-") == 0 ? "stdin" : path;
	const char *slash = strrchr(file, '/');
	cleanup(freep) char *base = strdup(slash ? slash + 1 : file);
	char *suffix = base ? strrchr(base, '.') : NULL;

	if (!base)
		return -ENOMEM;
	if (suffix && suffix != base)
		*suffix = '\0';
	return set_name(sides, index, base);
}

static int add_side(struct sides *sides, json_t *side, const char *path)
{
	const char *label = json_get_string(side, "label");
	size_t index = sides->n++;

	sides->sides[index] = side;
	sides->files[index] = path;
	return label && label[0] ? set_name(sides, index, label)
				 : set_name_of_file(sides, index, path);
}

static int add_sides(struct sides *sides, const char *const *paths)
{
	int r = 0;

	for (size_t i = 0; i < sides->n_documents; i++)
		for (size_t j = 0; r == 0 && j < run_file_n_sides(sides->documents[i]); j++)
			r = add_side(sides, run_file_side(sides->documents[i], j), paths[i]);
	return r;
}

static int rename_sides(struct sides *sides, const char *labels)
{
	for (size_t i = 0; labels; i++) {
		const char *comma = strchr(labels, ',');
		size_t length = comma ? (size_t)(comma - labels) : strlen(labels);
		cleanup(freep) char *label = strndup(labels, length);

		if (i == sides->n || length == 0)
			return -EINVAL;
		if (!label || set_name(sides, i, label) < 0)
			return -ENOMEM;
		labels = comma ? comma + 1 : NULL;
	}
	return 0;
}

/* Add the number of the side to every name from @from on that is the one of @from. */
static void number_names(struct sides *sides, size_t from)
{
	char name[SIDES_NAME_SIZE];

	memcpy(name, sides->names[from], sizeof(name));
	for (size_t i = from; i < sides->n; i++)
		if (strcmp(sides->names[i], name) == 0)
			(void)snprintf(sides->names[i], SIDES_NAME_SIZE, "%.240s#%u", name,
				       (unsigned int)i + 1);
}

/* Sides of equal names are told apart by the order in which they were given. */
static void part_names(struct sides *sides)
{
	for (size_t i = 0; i < sides->n; i++)
		for (size_t j = i + 1; j < sides->n; j++)
			if (strcmp(sides->names[i], sides->names[j]) == 0)
				number_names(sides, i);
}

int sides_take(json_t **documents, const char *const *paths, size_t n_documents, const char *labels,
	       struct sides *ret)
{
	int r;

	*ret = (struct sides){.documents = documents, .n_documents = n_documents};
	r = allocate(ret);
	if (r == 0)
		r = add_sides(ret, paths);
	if (r < 0)
		return r;
	if (n_documents == 1 && ret->n == 2 && json_get_string(documents[0], "design")) {
		ret->paired = strcmp(json_get_string(documents[0], "design"), "abba") == 0;
		ret->stopped_by = json_get_string(documents[0], "stopped_by");
	}
	r = rename_sides(ret, labels);
	if (r == 0)
		part_names(ret);
	return r;
}

void sides_fini(struct sides *sides)
{
	for (size_t i = 0; i < sides->n_documents; i++)
		json_decref(sides->documents[i]);
	free(sides->documents);
	free(sides->sides);
	free(sides->names);
	free(sides->files);
	*sides = (struct sides){0};
}
