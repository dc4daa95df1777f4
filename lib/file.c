/* SPDX-License-Identifier: MIT */
/*
 * Small files, read and written whole: see file.h.
 *
 * The size that stat() gives is of no use here: files of /proc have none and those of /sys say one
 * page. So a file is read until its end, into a buffer that grows up to the bound.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"

#define FIRST_CAPACITY ((size_t)4096)

static int open_below(const char *root, const char *path, int flags, int *ret_fd)
{
	cleanup(freep) char *full = NULL;
	int fd;

	if (asprintf(&full, "%s%s", root, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	fd = open(full, flags | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

/* Make room for more text, one byte for the NUL beyond @capacity included. */
static int grow(char **text, size_t *capacity, size_t limit)
{
	size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;
	char *grown;

	if (wanted > limit)
		wanted = limit;
	grown = realloc(*text, wanted + 1);
	if (!grown)
		return -ENOMEM;
	*text = grown;
	*capacity = wanted;
	return 0;
}

/* Read until the end of the file or until @limit bytes are there. */
static int read_until(int fd, size_t limit, char **ret_text, size_t *ret_length)
{
	cleanup(freep) char *text = NULL;
	size_t capacity = 0;
	size_t length = 0;
	ssize_t n = 1;
	int r;

	while (n > 0) {
		if (length == capacity) {
			r = grow(&text, &capacity, limit);
			if (r < 0)
				return r;
		}
		if (length == limit)
			break;
		n = read(fd, text + length, capacity - length);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -errno;
		else
			length += (size_t)n;
	}
	text[length] = '\0';
	*ret_text = take_ptr(text);
	*ret_length = length;
	return 0;
}

static int read_below(const char *root, const char *path, size_t limit, char **ret_text,
		      size_t *ret_length)
{
	cleanup(freep) char *text = NULL;
	cleanup(closep) int fd = -1;
	size_t length = 0;
	int r;

	r = open_below(root, path, O_RDONLY, &fd);
	if (r < 0)
		return r;
	r = read_until(fd, limit, &text, &length);
	if (r < 0)
		return r;
	if (memchr(text, '\0', length))
		return -EINVAL;
	*ret_text = take_ptr(text);
	*ret_length = length;
	return 0;
}

int file_read(const char *root, const char *path, size_t max_bytes, char **ret_text)
{
	cleanup(freep) char *text = NULL;
	size_t length = 0;
	int r;

	r = read_below(root, path, max_bytes + 1, &text, &length);
	if (r < 0)
		return r;
	if (length > max_bytes)
		return -EFBIG;
	*ret_text = take_ptr(text);
	return 0;
}

int file_read_head(const char *root, const char *path, size_t max_bytes, char **ret_text)
{
	size_t length = 0;

	return read_below(root, path, max_bytes, ret_text, &length);
}

int file_read_line(const char *root, const char *path, char **ret_line)
{
	char *text;
	int r;

	r = file_read(root, path, FILE_MAX_LINE, &text);
	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	*ret_line = text;
	return 0;
}

int file_write(const char *root, const char *path, const char *text)
{
	cleanup(closep) int fd = -1;
	size_t length = strlen(text);
	ssize_t n;
	int r;

	/* O_TRUNC is for files of fixtures; those of the kernel do not mind. */
	r = open_below(root, path, O_WRONLY | O_TRUNC, &fd);
	if (r < 0)
		return r;
	do {
		n = write(fd, text, length);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n != length)
		return -EIO;
	if (close(take_fd(&fd)) < 0)
		return -errno;
	return 0;
}

int file_sync_folder(const char *path)
{
	cleanup(freep) char *copy = strdup(path);
	cleanup(closep) int fd = -1;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Some network file systems have no fsync for folders. */
	return fsync(fd) == -1 && errno != EINVAL ? -errno : 0;
}
