/* SPDX-License-Identifier: MIT */
/*
 * See journal-reader.h.
 */
#include "journal-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "journal.h"

int journal_reader_open(const char *path, struct journal_reader *ret)
{
	/* A pipe that nobody writes is not waited for. */
	cleanup(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	*ret = (struct journal_reader){0};
	if (fd < 0 || fstat(fd, &status) == -1)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	ret->file = fdopen(fd, "r");
	if (!ret->file)
		return -errno;
	(void)take_fd(&fd);
	return 0;
}

static int append_byte(struct journal_reader *reader, size_t length, int byte)
{
	if (length == reader->capacity) {
		size_t capacity = reader->capacity ? 2 * reader->capacity : 4096;
		char *text = realloc(reader->text, capacity);

		if (!text)
			return -ENOMEM;
		reader->text = text;
		reader->capacity = capacity;
	}
	reader->text[length] = (char)byte;
	return 0;
}

static void skip_rest(struct journal_reader *reader)
{
	int c = '\0';

	while (reader->is_inside && c != '\n' && c != EOF)
		c = getc_unlocked(reader->file);
	reader->is_inside = false;
}

/* Every line is an object, and the encoder escapes NUL. */
static bool is_ours(int byte, size_t index)
{
	return index == 0 ? byte == '{' : byte != '\0' && index < JOURNAL_MOST_BYTES;
}

/* Return: 0; -EBADMSG; -ENODATA at the end; -ENOMEM. */
static int read_text(struct journal_reader *reader, size_t *ret_length)
{
	size_t length = 0;
	int c;

	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		int r;

		reader->is_inside = !is_ours(c, length);
		if (reader->is_inside)
			return -EBADMSG;
		r = append_byte(reader, length++, c);
		if (r < 0)
			return r;
	}
	if (ferror(reader->file))
		return errno ? -errno : -EIO;
	if (c == EOF)
		return length == 0 ? -ENODATA : -EBADMSG;
	*ret_length = length;
	return 0;
}

int journal_reader_next(struct journal_reader *reader, json_t **ret_line)
{
	json_error_t error;
	size_t length = 0;
	json_t *line;
	int r;

	errno = 0;
	skip_rest(reader);
	r = read_text(reader, &length);
	if (r == -ENODATA)
		*ret_line = NULL;
	if (r < 0)
		return r == -ENODATA ? 0 : r;
	line = json_loadb(reader->text, length, JSON_REJECT_DUPLICATES, &error);
	if (!line)
		return json_error_code(&error) == json_error_out_of_memory ? -ENOMEM : -EBADMSG;
	*ret_line = line;
	return 0;
}

void journal_reader_fini(struct journal_reader *reader)
{
	fclosep(&reader->file);
	free(reader->text);
	*reader = (struct journal_reader){0};
}
