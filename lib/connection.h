/* SPDX-License-Identifier: MIT */
/*
 * A client's end of the socket: calls that wait for their answer, and the notifications that come
 * in between. One thread; the library is silent, the caller says what went wrong.
 */
#pragma once

#include <jansson.h>

struct connection;

/* A longer line from the daemon is no answer. */
#define CONNECTION_MAX_LINE (16 * 1024 * 1024)

/* How long a call waits. */
#define CONNECTION_TIMEOUT_MS 10000

/*
 * Connect to the daemon's socket at @path.
 *
 * Return: 0; -ENAMETOOLONG; -ENOENT or -ECONNREFUSED when nobody listens there; another negative
 * errno of connect(2).
 */
int connection_open(const char *path, struct connection **ret);

/* Take over a connected socket; @fd is consumed, also on failure. Return: 0 or -ENOMEM. */
int connection_adopt(int fd, struct connection **ret);

/* Close. NULL is fine. */
void connection_free(struct connection *connection);
void connection_freep(struct connection **connection);

/*
 * Call a method and wait for its answer, at most CONNECTION_TIMEOUT_MS.
 *
 * @params: consumed, also on failure; NULL: none
 * @ret_result: owned by the caller
 *
 * Return: 0; -EREMOTEIO when the daemon refused (connection_error() has its words); -EPIPE when it
 * has gone; -ETIME; -EPROTO when what it says is no answer; -ENOMEM.
 */
int connection_call(struct connection *connection, const char *method, json_t *params,
		    json_t **ret_result);

/* Return: the words of the last refusal, until the next call; "" when there is none. */
const char *connection_error(const struct connection *connection);

/* Return: the code of the last refusal; 0 when there is none. */
int connection_error_code(const struct connection *connection);

/* Return: the descriptor to poll(2) for POLLIN before connection_next(). */
int connection_fd(const struct connection *connection);

/*
 * Take the next notification that has come, without waiting.
 *
 * @ret: the notification's params, owned by the caller
 *
 * Return: 0; -EAGAIN when there is none yet; -EPIPE; -EPROTO; -ENOMEM.
 */
int connection_next(struct connection *connection, json_t **ret);

/* Return: what the errors above mean, for a person. */
const char *connection_strerror(int error);
