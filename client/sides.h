/* SPDX-License-Identifier: MIT */
/*
 * The sides that are to be compared: out of one file or several, each with a name.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Longer names are cut. */
#define SIDES_NAME_SIZE 256

struct sides {
	size_t n;
	json_t **sides;			/* [n], borrowed from the documents */
	char (*names)[SIDES_NAME_SIZE]; /* [n], different from each other, ASCII */
	const char **files;		/* [n], borrowed from the caller: the path each came from */
	json_t **documents;		/* [n_documents], owned */
	size_t n_documents;
	bool paired;		/* both of one file, measured in blocks of A B B A */
	const char *stopped_by; /* the rule by which measuring ended early; NULL: none */
};

/*
 * Take the sides of documents.
 *
 * @documents: [n_documents], heap; taken over with its references, also on failure
 * @paths: [n_documents]; borrowed
 * @labels: comma-separated names in order; NULL: the sides' own, else those of the files
 *
 * Return: 0; -EINVAL when there are more labels than sides or one is empty; -ENOMEM. sides_fini()
 * whatever is returned.
 */
int sides_take(json_t **documents, const char *const *paths, size_t n_documents, const char *labels,
	       struct sides *ret);

void sides_fini(struct sides *sides);
