/* SPDX-License-Identifier: MIT */
/*
 * See paths.h.
 */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int join(char **ret, const char *folder, const char *rest)
{
	char *path;

	if (!folder || folder[0] != '/')
		return -ENOENT;
	if (asprintf(&path, "%s%s", folder, rest) == -1)
		return -ENOMEM;
	*ret = path;
	return 0;
}

int paths_socket(char **ret)
{
	if (geteuid() == 0)
		return join(ret, "/run", "/soakd/soakd.sock");
	return join(ret, getenv("XDG_RUNTIME_DIR"), "/soakd/soakd.sock");
}

int paths_calibration(char **ret)
{
	int r;

	if (geteuid() == 0)
		return join(ret, "/var/lib", "/soakd/calibration.json");
	r = join(ret, getenv("XDG_STATE_HOME"), "/soakd/calibration.json");
	return r == -ENOENT ? join(ret, getenv("HOME"), "/.local/state/soakd/calibration.json") : r;
}
