/* SPDX-License-Identifier: MIT */
/*
 * The daemon that a command talks to: the one that runs, or a private one. Made for programs: what
 * goes wrong is said on stderr, in one line that begins with the program's name.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "connection.h"
#include "private.h"

struct session {
	const char *program;	       /* "soakctl"; borrowed */
	struct connection *connection; /* the private daemon's, or owned */
	struct private_daemon daemon;  /* none, when one ran already */
	bool lost;		       /* the daemon has gone */
};

/*
 * Connect to the daemon that runs.
 *
 * @socket_path: NULL: the usual places
 *
 * Return: 0; -ESRCH, without a word, when none runs; another negative errno after saying why.
 */
int session_open(const char *program, const char *socket_path, struct session *ret);

/* As session_open(), but say that no daemon runs and how to start one. */
int session_require(const char *program, const char *socket_path, struct session *ret);

/*
 * Connect to the daemon that runs, or start a private one; to the one at @socket_path if that is
 * given, and to no other.
 *
 * @cancel_fd: readable when waiting is to be given up; -1: none
 *
 * Return: 0; -ECANCELED; a negative errno after the reason was said.
 */
int session_open_any(const char *program, const char *socket_path,
		     const struct private_options *options, int cancel_fd, struct session *ret);

/* End the session, and a private daemon with it. */
void session_close(struct session *session);

/*
 * Call a method; on failure say why.
 *
 * @params: consumed
 * @ret_result: owned by the caller
 *
 * Return: 0 or a negative errno of connection_call().
 */
int session_call(struct session *session, const char *method, json_t *params, json_t **ret_result);
