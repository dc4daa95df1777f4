/* SPDX-License-Identifier: MIT */
/*
 * Ownership made visible: a local that owns something says so where it is declared, and gives it
 * away with take_ptr() or take_fd().
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup(fn) __attribute__((__cleanup__(fn)))

/* Free what a `char *` or other heap pointer local points at. */
static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

/* Close a descriptor local; negative means none. Keeps errno. */
static inline void closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

static inline void fclosep(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define take_ptr(pointer)                                                                          \
	({                                                                                         \
		__typeof__(pointer) taken_ = (pointer);                                            \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})
