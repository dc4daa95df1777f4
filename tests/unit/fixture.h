/* SPDX-License-Identifier: MIT */
/*
 * A folder that stands for the root of a machine: files of /proc and /sys as a test wants them.
 *
 * Include it behind cmocka.h. The root is the test's state: use fixture_setup and fixture_teardown
 * around each test.
 */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int fixture_setup(void **state)
{
	char template[] = "/tmp/soakd-fixture-XXXXXX";

	if (!mkdtemp(template))
		return -1;
	*state = strdup(template);
	return *state ? 0 : -1;
}

static inline int fixture_remove_one(const char *path, const struct stat *stat, int type,
				     struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int fixture_teardown(void **state)
{
	int r = nftw(*state, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return r;
}

/* Make all folders of a path; what stands behind its last '/' is not made. */
static inline void fixture_mkdirs(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)mkdir(path, 0755);
		*at = '/';
	}
}

/* Write a file below the root, with its folders; a path that ends in '/' makes only folders. */
static inline void fixture_write(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	assert_true(snprintf(full, sizeof(full), "%s%s", root, path) < (int)sizeof(full));
	fixture_mkdirs(full);
	if (full[strlen(full) - 1] == '/')
		return;
	file = fopen(full, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}
