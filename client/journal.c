/* SPDX-License-Identifier: MIT */
/*
 * See journal.h.
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascii.h"
#include "cleanup.h"
#include "clock.h"
#include "file.h"
#include "timestamp.h"

/*
 * Open the file that is there, to write it over once its lock is ours.
 *
 * Return: as journal_open(); -EAGAIN: it has just been taken away.
 */
static int open_existing(const char *path, bool replace, struct journal *ret)
{
	cleanup(closep) int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) == -1)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	/* As it is now: whoever had the lock may have finished. */
	if (fstat(fd, &status) == -1)
		return -errno;
	if (status.st_nlink == 0)
		return -EAGAIN;
	/* One without a line is of a series that had not begun: there is nothing to recover. */
	if (!replace && status.st_size > 0)
		return -EEXIST;
	ret->fd = take_fd(&fd);
	ret->is_left = status.st_size > 0;
	return 0;
}

/* Return: as open_existing(). */
static int open_new(const char *path, int *ret_fd)
{
	cleanup(closep) int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return -errno;
	/* Ours since a moment: nobody else can have it, but who looks for left ones. */
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

int journal_open(const char *output, bool replace, struct journal *ret)
{
	int r;

	*ret = (struct journal){.fd = -1};
	if (asprintf(&ret->path, "%s" JOURNAL_SUFFIX, output) < 0) {
		ret->path = NULL;
		return -ENOMEM;
	}
	do {
		r = open_new(ret->path, &ret->fd);
		if (r == -EEXIST)
			r = open_existing(ret->path, replace, ret);
	} while (r == -EAGAIN);
	return r;
}

static void write_all(struct journal *journal, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(journal->fd, text, length);

		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			journal->error = n == -1 ? errno : EIO;
			return;
		}
		text += n;
		length -= (size_t)n;
	}
}

/* Write one line; @object is consumed. */
static void write_line(struct journal *journal, json_t *object)
{
	cleanup(freep) char *text = NULL;
	size_t length;

	if (journal->fd >= 0 && journal->error == 0) {
		text = json_dumps(object, JSON_COMPACT);
		if (!text) {
			journal->error = ENOMEM;
		} else {
			length = strlen(text);
			/* The NUL makes room for the line's end, so that a line is one write. */
			text[length] = '\n';
			write_all(journal, text, length + 1);
		}
	}
	json_decref(object);
}

static void sync_lines(struct journal *journal)
{
	if (journal->fd >= 0 && journal->error == 0 && fdatasync(journal->fd) == -1)
		journal->error = errno;
}

void journal_begin(struct journal *journal, const char *output, bool replaces,
		   const json_t *document)
{
	/* A path may hold any bytes. */
	cleanup(freep) char *name = ascii_escape(output);

	if (journal->is_left && ftruncate(journal->fd, 0) == -1)
		journal->error = errno;
	journal->is_left = false;
	write_line(journal, json_pack("{s:s, s:s, s:b, s:O}", "journal_version", "1.0", "output",
				      name, "replaces", replaces, "document", document));
	sync_lines(journal);
	if (journal->fd >= 0 && journal->error == 0)
		journal->error = -file_sync_folder(journal->path);
}

void journal_run_begin(struct journal *journal, size_t side, bool is_warmup, size_t run_index,
		       double monotonic_seconds)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	write_line(journal,
		   json_pack("{s:{s:I, s:b, s:I, s:f, s:s}}", "run_begin", "side", (json_int_t)side,
			     "is_warmup", is_warmup, "run_index", (json_int_t)run_index,
			     "monotonic_seconds", monotonic_seconds, "time", time));
}

void journal_sample(struct journal *journal, const json_t *sample)
{
	write_line(journal, json_pack("{s:O}", "sample", sample));
	if (journal->syncs)
		sync_lines(journal);
}

void journal_run_end(struct journal *journal, size_t side, bool is_warmup, const json_t *run)
{
	json_t *copy = json_copy((json_t *)run);

	/* They stand above, line by line. */
	(void)json_object_del(copy, "samples");
	write_line(journal, json_pack("{s:{s:I, s:b, s:o}}", "run_end", "side", (json_int_t)side,
				      "is_warmup", is_warmup, "run", copy));
	/* Between the runs nothing is measured: now the disk may be waited for. */
	sync_lines(journal);
}

void journal_remove(struct journal *journal)
{
	if (journal->fd >= 0 && !journal->is_left)
		(void)unlink(journal->path);
}

void journal_fini(struct journal *journal)
{
	closep(&journal->fd);
	journal->fd = -1;
	free(journal->path);
	journal->path = NULL;
}
