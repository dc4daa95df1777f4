/* SPDX-License-Identifier: MIT */
/*
 * Numbers and words between blanks, one after the other, as the tables of /proc have them.
 *
 * A cursor moves over a NUL-terminated text and is left where it was when what stands there is not
 * what was asked for. Only a line's own blanks are skipped, never its end.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Return: whether a field may end before @c. */
static inline bool fields_is_end(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\0';
}

static inline const char *fields_skip_blanks(const char *cursor)
{
	return cursor + strspn(cursor, " \t");
}

/* Read a decimal number. Return: 0; -EINVAL when there is none; -ERANGE beyond 2^64 - 1. */
static inline int fields_u64(const char **cursor, uint64_t *ret)
{
	const char *at = fields_skip_blanks(*cursor);
	uint64_t value = 0;

	if (*at < '0' || *at > '9')
		return -EINVAL;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return -ERANGE;
	}
	if (!fields_is_end(*at))
		return -EINVAL;
	*cursor = at;
	*ret = value;
	return 0;
}

/*
 * Read a word into ret_word[size].
 *
 * Return: 0; -EINVAL when the line has no further word; -ENAMETOOLONG.
 */
static inline int fields_word(const char **cursor, char *ret_word, size_t size)
{
	const char *at = fields_skip_blanks(*cursor);
	size_t length = strcspn(at, " \t\n");

	if (length == 0)
		return -EINVAL;
	if (length >= size)
		return -ENAMETOOLONG;
	memcpy(ret_word, at, length);
	ret_word[length] = '\0';
	*cursor = at + length;
	return 0;
}

/*
 * Read all numbers up to the end of the line, and the newline.
 *
 * @values: values[n_values], in order; further ones are read and forgotten
 *
 * Return: how many numbers there were, which may be more than n_values; -EINVAL when something
 * else stands there or the line has no newline; -ERANGE.
 */
static inline int fields_rest(const char **cursor, uint64_t *values, int n_values)
{
	const char *at = fields_skip_blanks(*cursor);
	int n;

	for (n = 0; *at != '\n'; n++) {
		uint64_t value;
		int r = fields_u64(&at, &value);

		if (r < 0)
			return r;
		if (n < n_values)
			values[n] = value;
		at = fields_skip_blanks(at);
	}
	*cursor = at + 1;
	return n;
}
