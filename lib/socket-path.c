/* SPDX-License-Identifier: MIT */
/*
 * See socket-path.h.
 */
#include "socket-path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELOW "/soakd/soakd.sock"

/* Connect at @path, which is consumed. */
static int try_path(char *path, struct connection **ret, char **ret_path)
{
	int r = path ? connection_open(path, ret) : -ENOMEM;

	if (ret_path) {
		free(*ret_path);
		*ret_path = path;
	} else {
		free(path);
	}
	return r;
}

int socket_path_connect(const char *asked, struct connection **ret, char **ret_path)
{
	const char *named = asked ? asked : getenv("SOAKD_SOCKET");
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char *path = NULL;

	if (ret_path)
		*ret_path = NULL;
	if (named && named[0])
		return try_path(strdup(named), ret, ret_path);
	if (folder && folder[0] == '/') {
		int r;

		if (asprintf(&path, "%s" BELOW, folder) == -1)
			return -ENOMEM;
		r = try_path(path, ret, ret_path);
		if (r != -ENOENT && r != -ECONNREFUSED)
			return r;
	}
	return try_path(strdup("/run" BELOW), ret, ret_path);
}
