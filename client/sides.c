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

static int allocate(struct sides *sides, size_t n_documents)
{
	for (size_t i = 0; i < n_documents; i++)
		sides->n += run_file_n_sides(sides->documents[i]);
	sides->sides = calloc(sides->n + 1, sizeof(sides->sides[0]));
	sides->names = calloc(sides->n + 1, sizeof(sides->names[0]));
	sides->files = calloc(sides->n + 1, sizeof(sides->files[0]));
	return sides->sides && sides->names && sides->files ? 0 : -ENOMEM;
}

/* "runs/before.json" is called before. */
static char *name_of_file(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = ascii_escape(base ? base + 1 : path);
	char *suffix = name ? strrchr(name, '.') : NULL;

	if (suffix && suffix != name)
		*suffix = '\0';
	return name;
}

static char *name_of_side(const json_t *side, const char *path)
{
	const char *label = json_get_string(side, "label");

	return label && label[0] ? ascii_escape(label) : name_of_file(path);
}

static int give_names(struct sides *sides)
{
	for (size_t i = 0; i < sides->n; i++) {
		sides->names[i] = name_of_side(sides->sides[i], sides->files[i]);
		if (!sides->names[i])
			return -ENOMEM;
	}
	return 0;
}

static int rename_sides(struct sides *sides, const char *labels)
{
	size_t i = 0;

	while (labels) {
		const char *comma = strchr(labels, ',');
		size_t length = comma ? (size_t)(comma - labels) : strlen(labels);
		cleanup(freep) char *label = strndup(labels, length);

		if (i == sides->n || length == 0)
			return -EINVAL;
		free(sides->names[i]);
		sides->names[i] = label ? ascii_escape(label) : NULL;
		if (!sides->names[i++])
			return -ENOMEM;
		labels = comma ? comma + 1 : NULL;
	}
	return 0;
}

/* Add the number of the side to every name from @from on that is @name. */
static int number_names(struct sides *sides, size_t from, const char *name)
{
	for (size_t i = from; i < sides->n; i++) {
		char *numbered;

		if (strcmp(sides->names[i], name) != 0)
			continue;
		if (asprintf(&numbered, "%s#%zu", name, i + 1) < 0)
			return -ENOMEM;
		free(sides->names[i]);
		sides->names[i] = numbered;
	}
	return 0;
}

/* Sides of equal names are told apart by the order in which they were given. */
static int part_names(struct sides *sides)
{
	for (size_t i = 0; i < sides->n; i++) {
		for (size_t j = i + 1; j < sides->n; j++) {
			cleanup(freep) char *name = NULL;

			if (strcmp(sides->names[i], sides->names[j]) != 0)
				continue;
			name = strdup(sides->names[i]);
			if (!name || number_names(sides, i, name) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

int sides_take(json_t **documents, const char *const *paths, size_t n_documents, const char *labels,
	       struct sides *ret)
{
	size_t n = 0;
	int r;

	*ret = (struct sides){.documents = documents, .n_documents = n_documents};
	r = allocate(ret, n_documents);
	if (r < 0) {
		ret->n = 0;
		return r;
	}
	for (size_t i = 0; i < n_documents; i++) {
		for (size_t j = 0; j < run_file_n_sides(documents[i]); j++) {
			ret->sides[n] = run_file_side(documents[i], j);
			ret->files[n++] = paths[i];
		}
	}
	if (n_documents == 1 && n == 2 && json_get_string(documents[0], "design")) {
		ret->paired = strcmp(json_get_string(documents[0], "design"), "abba") == 0;
		ret->stopped_by = json_get_string(documents[0], "stopped_by");
	}
	r = give_names(ret);
	if (r == 0)
		r = rename_sides(ret, labels);
	return r < 0 ? r : part_names(ret);
}

void sides_fini(struct sides *sides)
{
	for (size_t i = 0; i < sides->n; i++)
		free(sides->names[i]);
	for (size_t i = 0; i < sides->n_documents; i++)
		json_decref(sides->documents[i]);
	free(sides->sides);
	free(sides->names);
	free(sides->files);
	*sides = (struct sides){0};
}
