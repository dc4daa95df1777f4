/* SPDX-License-Identifier: MIT */
/*
 * Small files of /proc, /sys and cgroup trees, read and written whole.
 *
 * Every path that is read or written is put behind a root folder: "" for the real machine, a
 * fixture in tests. Nothing here knows what a file means.
 */
#pragma once

#include <stddef.h>

/* The longest line file_read_line() takes. */
#define FILE_MAX_LINE ((size_t)64 * 1024)

/*
 * Read the whole file @root@path as text.
 *
 * @path: absolute, begins with '/'
 * @max_bytes: a larger file is an error
 * @ret_text: ends in NUL, a newline at the end is kept; free() it
 *
 * Return: 0; -EFBIG when the file is larger than @max_bytes; -EINVAL when it holds a NUL byte;
 * -ENOMEM; another negative errno of open() or read().
 */
int file_read(const char *root, const char *path, size_t max_bytes, char **ret_text);

/* As file_read(), but of a larger file only the first @max_bytes. */
int file_read_head(const char *root, const char *path, size_t max_bytes, char **ret_text);

/*
 * Read the first line of a file, without its newline; "" for an empty file.
 *
 * Return: as file_read() with FILE_MAX_LINE.
 */
int file_read_line(const char *root, const char *path, char **ret_line);

/*
 * Write @text over an existing file, in one write().
 *
 * Return: 0; -EIO when the kernel took only a part; a negative errno of open(), write() or close().
 */
int file_write(const char *root, const char *path, const char *text);

/*
 * Wait until the names in the folder of @path are on the disk: a new name is there only when its
 * folder is, fsync(2).
 *
 * Return: 0; -ENOMEM; another negative errno of open() or fsync().
 */
int file_sync_folder(const char *path);
