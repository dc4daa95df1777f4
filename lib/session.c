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

int session_open(const char *program, const char *socket_path, struct session *ret)
{
	struct session session = {.program = program, .daemon = PRIVATE_DAEMON_NONE};
	cleanup(freep) char *path = NULL;
	int r = socket_path_connect(socket_path, &session.connection, &path);

	if (r == -ENOENT || r == -ECONNREFUSED)
		return -ESRCH;
	if (r < 0) {
		(void)fprintf(stderr, "%s: cannot connect to %s: %s\n", program,
			      path ? path : "soakd", strerror(-r));
		return r;
	}
	*ret = session;
	return 0;
}

int session_require(const char *program, const char *socket_path, struct session *ret)
{
	int r = session_open(program, socket_path, ret);

	if (r == -ESRCH && socket_path)
		(void)fprintf(stderr, "%s: no soakd answers at %s\n", program, socket_path);
	else if (r == -ESRCH)
		(void)fprintf(stderr, "%s: soakd is not running: start it with soakd start\n",
			      program);
	return r;
}

static int start_private(const char *program, const struct private_options *options, int cancel_fd,
			 struct session *ret)
{
	struct session session = {.program = program, .daemon = PRIVATE_DAEMON_NONE};
	int r = private_start(options, cancel_fd, &session.daemon);

	/* -ECHILD: it has said itself why it ended. */
	if (r < 0 && r != -ECHILD && r != -ECANCELED)
		(void)fprintf(stderr, "%s: cannot start a soakd for this measurement: %s\n",
			      program,
			      r == -ENOENT ? "no soakd program found (set $SOAKD to its path)"
					   : connection_strerror(r));
	if (r < 0)
		return r;
	session.connection = session.daemon.connection;
	*ret = session;
	return 0;
}

int session_open_any(const char *program, const char *socket_path,
		     const struct private_options *options, int cancel_fd, struct session *ret)
{
	int r;

	if (socket_path)
		return session_require(program, socket_path, ret);
	r = session_open(program, NULL, ret);
	return r == -ESRCH ? start_private(program, options, cancel_fd, ret) : r;
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
		(void)fprintf(stderr, "%s: %s: %s\n", session->program, method,
			      connection_error(session->connection));
	else if (r < 0)
		(void)fprintf(stderr, "%s: %s: %s\n", session->program, method,
			      connection_strerror(r));
	if (r == -EPIPE)
		session->lost = true;
	return r;
}
