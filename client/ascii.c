/* SPDX-License-Identifier: MIT */
/*
 * See ascii.h.
 */
#include "ascii.h"

#include <stdlib.h>

#include "cleanup.h"

void ascii_write(FILE *stream, const char *text)
{
	for (; text && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= ' ' && c <= '~')
			(void)fputc(c, stream);
		else
			(void)fprintf(stream, "\\x%02X", c);
	}
}

char *ascii_escape(const char *text)
{
	cleanup(freep) char *escaped = NULL;
	size_t size;
	FILE *stream = open_memstream(&escaped, &size);

	if (!stream)
		return NULL;
	ascii_write(stream, text);
	if (fclose(stream) != 0)
		return NULL;
	return take_ptr(escaped);
}
