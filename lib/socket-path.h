/* SPDX-License-Identifier: MIT */
/*
 * Where a client looks for the daemon.
 */
#pragma once

#include "connection.h"

/*
 * Connect to the first daemon that answers: at @asked if that is given, else at $SOAKD_SOCKET if
 * that is set, else at the user's own socket ($XDG_RUNTIME_DIR/soakd/soakd.sock), else at the
 * system's (/run/soakd/soakd.sock).
 *
 * @ret_path: where it was found, or, on failure, where it was looked for last; free() it; may be
 *            NULL
 *
 * Return: 0; connection_open()'s errors: -ENOENT or -ECONNREFUSED mean that no daemon runs.
 */
int socket_path_connect(const char *asked, struct connection **ret, char **ret_path);
