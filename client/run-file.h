/* SPDX-License-Identifier: MIT */
/*
 * Run files: documents on disk. Reading checks what every user of a document relies on; writing
 * leaves the old file or the new one, never half of one.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A file above this is refused: it is none of ours. */
#define RUN_FILE_MAX_BYTES ((size_t)1024 * 1024 * 1024)

/*
 * Read a document of either kind ("-": stdin).
 *
 * @program: begins the complaint, such as "soakctl compare"
 * @ret_document: owned by the caller
 *
 * Return: 0; a negative errno after one line on stderr: no file, not JSON (with line and column),
 * no run file, or of a newer major version.
 */
int run_file_load(const char *program, const char *path, json_t **ret_document);

/* As run_file_load(), of a document already in memory; @path is what complaints call it. */
int run_file_check(const char *program, const char *path, const json_t *document);

/* Return: how many sides a document holds; one of kind "side" holds itself. */
size_t run_file_n_sides(const json_t *document);

/* Return: side @index, borrowed. */
json_t *run_file_side(const json_t *document, size_t index);

/*
 * Write a document whole and durably: a temporary file in the same folder, fsync, rename over
 * @path, fsync of the folder.
 *
 * @replace: an existing file may be replaced; without, -EEXIST
 *
 * Return: 0; a negative errno, without a word, and nothing of the new file left behind.
 */
int run_file_save(const char *path, const json_t *document, bool replace);
