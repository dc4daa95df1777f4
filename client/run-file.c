/* SPDX-License-Identifier: MIT */
/*
 * See run-file.h.
 */
#include "run-file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascii.h"
#include "cleanup.h"
#include "file.h"
#include "json.h"

/* The newest major version of documents that this program understands. */
#define SCHEMA_MAJOR 1

/* So many temporary files of a process of our number may be there. */
#define MOST_LEFT_BEHIND 100

struct source {
	FILE *file;
	size_t n_bytes;
	bool too_large;
	bool failed;
};

static size_t take_bytes(void *buffer, size_t size, void *context)
{
	struct source *source = context;
	size_t n = fread(buffer, 1, size, source->file);

	source->n_bytes += n;
	source->too_large = source->n_bytes > RUN_FILE_MAX_BYTES;
	source->failed = ferror(source->file) != 0;
	return source->too_large || source->failed ? (size_t)-1 : n;
}

static int complain_json(const char *program, const char *path, const json_error_t *error)
{
	/* It quotes the file, which may hold anything. */
	cleanup(freep) char *text = ascii_escape(error->text);

	if (error->line < 1 || error->column < 1)
		(void)fprintf(stderr, "%s: %s: not a run file: %s\n", program, path,
			      text ? text : "?");
	else
		(void)fprintf(stderr, "%s: %s:%d:%d: not a run file: %s\n", program, path,
			      error->line, error->column, text ? text : "?");
	return -EINVAL;
}

static int complain_errno(const char *program, const char *path, int error)
{
	(void)fprintf(stderr, "%s: %s: %s\n", program, path, strerror(error));
	return -error;
}

static int parse(const char *program, const char *path, FILE *file, json_t **ret_document)
{
	struct source source = {.file = file};
	json_error_t error;
	json_t *document;

	errno = 0;
	document = json_load_callback(take_bytes, &source, JSON_REJECT_DUPLICATES, &error);
	if (document) {
		*ret_document = document;
		return 0;
	}
	if (source.too_large) {
		(void)fprintf(stderr, "%s: %s: above %zu MiB: not a run file\n", program, path,
			      RUN_FILE_MAX_BYTES / (1024 * 1024));
		return -EFBIG;
	}
	if (source.failed)
		return complain_errno(program, path, errno ? errno : EIO);
	if (json_error_code(&error) == json_error_out_of_memory)
		return complain_errno(program, path, ENOMEM);
	if (source.n_bytes == 0) {
		(void)fprintf(stderr, "%s: %s: empty: not a run file\n", program, path);
		return -EINVAL;
	}
	return complain_json(program, path, &error);
}

static int complain(const char *program, const char *path, const char *what)
{
	(void)fprintf(stderr, "%s: %s: not a run file: %s\n", program, path, what);
	return -EINVAL;
}

static int check_version(const char *program, const char *path, const json_t *document)
{
	const char *version = json_get_string(document, "schema_version");
	char *end;
	long major;

	if (!version)
		return complain(program, path, "it has no schema_version");
	errno = 0;
	major = strtol(version, &end, 10);
	if (end == version || *end != '.' || major < 1 || errno != 0)
		return complain(program, path, "its schema_version is no version");
	if (major <= SCHEMA_MAJOR)
		return 0;
	(void)fprintf(stderr,
		      "%s: %s: written by a newer soakctl (schema_version %ld.x, this one knows "
		      "%d.x): use that one\n",
		      program, path, major, SCHEMA_MAJOR);
	return -EPROTONOSUPPORT;
}

static bool all_objects(const json_t *array)
{
	const json_t *element;
	size_t index;

	if (!json_is_array(array))
		return false;
	json_array_foreach (array, index, element)
		if (!json_is_object(element))
			return false;
	return true;
}

/* Return: what is wrong with a side; NULL: nothing. */
static const char *find_fault(const json_t *side)
{
	const json_t *environment = json_object_get(side, "environment");
	const json_t *warmups = json_object_get(side, "warmups");
	const json_t *metrics = json_object_get(side, "metrics");

	if (!all_objects(json_object_get(side, "runs")))
		return "its runs are no list of objects";
	if (warmups && !all_objects(warmups))
		return "its warmups are no list of objects";
	if (metrics && !all_objects(metrics))
		return "its metrics are no list of objects";
	if (environment && !json_is_object(environment))
		return "its environment is no object";
	return NULL;
}

int run_file_check(const char *program, const char *path, const json_t *document)
{
	const json_t *sides = json_object_get(document, "sides");
	int r;

	if (!json_is_object(document))
		return complain(program, path, "not an object");
	r = check_version(program, path, document);
	if (r < 0)
		return r;
	if (sides && (!all_objects(sides) || json_array_size(sides) == 0))
		return complain(program, path, "its sides are no list of objects");
	for (size_t i = 0; i < run_file_n_sides(document); i++) {
		const char *fault = find_fault(run_file_side(document, i));

		if (fault)
			return complain(program, path, fault);
	}
	return 0;
}

int run_file_load(const char *program, const char *path, json_t **ret_document)
{
	bool is_stdin = strcmp(path, "-") == 0;
	cleanup(fclosep) FILE *opened = is_stdin ? NULL : fopen(path, "re");
	json_t *document;
	int r;

	if (!is_stdin && !opened)
		return complain_errno(program, path, errno);
	r = parse(program, path, is_stdin ? stdin : opened, &document);
	if (r < 0)
		return r;
	r = run_file_check(program, path, document);
	if (r < 0) {
		json_decref(document);
		return r;
	}
	*ret_document = document;
	return 0;
}

size_t run_file_n_sides(const json_t *document)
{
	const json_t *sides = json_object_get(document, "sides");

	return sides ? json_array_size(sides) : 1;
}

json_t *run_file_side(const json_t *document, size_t index)
{
	json_t *sides = json_object_get(document, "sides");

	return sides ? json_array_get(sides, index) : (json_t *)document;
}

/* Write to @fd, which is closed, and wait for the disk. */
static int write_and_sync(int fd, const json_t *document)
{
	FILE *file = fdopen(fd, "w");
	int r = 0;

	if (!file) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	errno = 0;
	/* Compact: samples with an indented line each would be mostly blanks. */
	if (json_dumpf(document, file, JSON_COMPACT) != 0 || fputc('\n', file) == EOF ||
	    fflush(file) == EOF)
		r = errno ? -errno : -ENOMEM;
	/* Pipes and devices cannot be synced, and need not: fsync(2). */
	if (r == 0 && fsync(fd) == -1 && errno != EINVAL && errno != EROFS)
		r = -errno;
	if (fclose(file) == EOF && r == 0)
		r = -errno;
	return r;
}

/*
 * Make a file in the folder of @path, under a name that is short, as that of @path may be as long
 * as names can be. A crash may have left some behind.
 *
 * Return: its descriptor; a negative errno. @ret_name: free() it
 */
static int create_beside(const char *path, char **ret_name)
{
	cleanup(freep) char *copy = strdup(path);
	const char *folder = copy ? dirname(copy) : NULL;
	int r = folder ? -EEXIST : -ENOMEM;

	for (int i = 0; r == -EEXIST && i < MOST_LEFT_BEHIND; i++) {
		cleanup(freep) char *name = NULL;

		if (asprintf(&name, "%s/.soakctl-%d-%d.tmp", folder, (int)getpid(), i) < 0) {
			name = NULL;
			return -ENOMEM;
		}
		r = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (r >= 0)
			*ret_name = take_ptr(name);
		else
			r = -errno;
	}
	return r;
}

static int move_into_place(const char *from, const char *to, bool replace)
{
	struct stat status;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, replace ? 0 : RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL || replace)
		return -errno;
	/* A file system without RENAME_NOREPLACE: look first, which is almost as good. */
	if (lstat(to, &status) == 0)
		return -EEXIST;
	return rename(from, to) == 0 ? 0 : -errno;
}

static int save_regular(const char *path, const json_t *document, bool replace)
{
	cleanup(freep) char *temporary = NULL;
	int fd = create_beside(path, &temporary), r;

	/* Not -EEXIST: it is not the name of @path that somebody took. */
	if (fd < 0)
		return fd == -EEXIST ? -EBUSY : fd;
	r = write_and_sync(fd, document);
	if (r == 0)
		r = move_into_place(temporary, path, replace);
	if (r < 0)
		(void)unlink(temporary);
	return r < 0 ? r : file_sync_folder(path);
}

/* /dev/null, /dev/stdout, a pipe: renaming over them would put an ordinary file in their place. */
static int save_special(const char *path, const json_t *document)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_and_sync(fd, document);
}

int run_file_save(const char *path, const json_t *document, bool replace)
{
	/* Through a link to the file that it means: the link stays. */
	cleanup(freep) char *real = realpath(path, NULL);
	struct stat status;

	if (!real)
		return errno == ENOENT ? save_regular(path, document, replace) : -errno;
	if (stat(real, &status) == -1)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return save_special(path, document);
	return replace ? save_regular(real, document, true) : -EEXIST;
}
