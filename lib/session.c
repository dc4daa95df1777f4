/* SPDX-License-Identifier: MIT */
/*
 * See session.h.
 */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "socket-path.h"

int session_open(const char *socket_path, struct session *ret)
{
	struct session session = {.daemon = PRIVATE_DAEMON_NONE};
	cleanup(freep) char *path = NULL;
	int r = socket_path_connect(socket_path, &session.connection, &path);

	if ((r == -ENOENT || r == -ECONNREFUSED) && !socket_path)
		return -ESRCH;
	if (r < 0) {
		(void)fprintf(stderr, "soakctl: no soakd answers at %s: %s\n",
			      path ? path : "its socket", strerror(-r));
		return r;
	}
	*ret = session;
	return 0;
}

int session_require(const char *socket_path, struct session *ret)
{
	int r = session_open(socket_path, ret);

	if (r == -ESRCH)
		(void)fprintf(stderr, "soakctl: soakd is not running: start it with soakd start\n");
	return r;
}

static int start_private(const struct private_options *options, int cancel_fd, struct session *ret)
{
	struct session session = {.daemon = PRIVATE_DAEMON_NONE};
	int r = private_start(options, cancel_fd, &session.daemon);

	/* -ECHILD: it has said itself why it ended. */
	if (r < 0 && r != -ECHILD && r != -ECANCELED)
		(void)fprintf(stderr, "soakctl: cannot start a soakd for this measurement: %s\n",
			      r == -ENOENT ? "no soakd program found (set $SOAKD to its path)"
					   : connection_strerror(r));
	if (r < 0)
		return r;
	session.connection = session.daemon.connection;
	*ret = session;
	return 0;
}

int session_open_any(const char *socket_path, const struct private_options *options, int cancel_fd,
		     struct session *ret)
{
	int r = session_open(socket_path, ret);

	return r == -ESRCH ? start_private(options, cancel_fd, ret) : r;
}

void session_close(struct session *session)
{
	if (session->daemon.pid > 0)
		private_stop(&session->daemon);
	else
		connection_free(session->connection);
	session->connection = NULL;
}

int session_call(struct session *session, const char *method, json_t *params, json_t **ret_result)
{
	int r = connection_call(session->connection, method, params, ret_result);

	if (r == -EREMOTEIO)
		(void)fprintf(stderr, "soakctl: %s: %s\n", method,
			      connection_error(session->connection));
	else if (r < 0)
		(void)fprintf(stderr, "soakctl: %s: %s\n", method, connection_strerror(r));
	if (r == -EPIPE)
		session->lost = true;
	return r;
}
