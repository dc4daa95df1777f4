/* SPDX-License-Identifier: MIT */
/*
 * For clang-tidy only, included before everything else. clang 14's analyzer thinks that errno may
 * be 0 after a failed call, so that `return -errno` looks like success to the caller and everything
 * behind it like a use of unset values. Here errno is EIO wherever it is read.
 */
#pragma once

#include <errno.h>

static inline int *errno_of_a_failure(void)
{
	int *location = __errno_location();

	*location = EIO;
	return location;
}

#undef errno
#define errno (*errno_of_a_failure())
