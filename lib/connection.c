/* SPDX-License-Identifier: MIT */
/*
 * Lines out, lines in. What comes while a call waits and is not its answer is a notification and
 * kept, up to a bound: a client that asks for samples must look at them.
 */
#include "connection.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "json.h"

#define READ_BYTES	   65536
#define MOST_NOTIFICATIONS 1024

struct connection {
	int fd;
	json_int_t next_id;
	char *buffer; /* what was read and is no whole line yet */
	size_t length;
	size_t size;
	size_t scanned;	       /* bytes of the buffer that hold no line end */
	json_t *notifications; /* array of params, oldest first */
	char error[256];
	int error_code;
};

int connection_adopt(int fd, struct connection **ret)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection)
		connection->notifications = json_array();
	if (!connection || !connection->notifications) {
		free(connection);
		(void)close(fd);
		return -ENOMEM;
	}
	connection->fd = fd;
	*ret = connection;
	return 0;
}

int connection_open(const char *path, struct connection **ret)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup(closep) int fd = -1;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) == -1)
		return -errno;
	return connection_adopt(take_fd(&fd), ret);
}

void connection_free(struct connection *connection)
{
	if (!connection)
		return;
	(void)close(connection->fd);
	json_decref(connection->notifications);
	free(connection->buffer);
	free(connection);
}

void connection_freep(struct connection **connection)
{
	connection_free(*connection);
}

const char *connection_error(const struct connection *connection)
{
	return connection->error;
}

int connection_error_code(const struct connection *connection)
{
	return connection->error_code;
}

int connection_fd(const struct connection *connection)
{
	return connection->fd;
}

const char *connection_strerror(int error)
{
	switch (error) {
	case -EPIPE:
		return "soakd closed the connection: it ended, or has too many";
	case -ETIME:
		return "soakd does not answer";
	case -EPROTO:
		return "what answers is not soakd, or of another version";
	default:
		return strerror(-error);
	}
}

/* Wait until something can be read, or @deadline_ns of CLOCK_MONOTONIC. */
static int wait_readable(int fd, uint64_t deadline_ns)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	for (;;) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		int n;

		if (now_ns >= deadline_ns)
			return -ETIME;
		n = poll(&wait, 1, (int)((deadline_ns - now_ns) / 1000000) + 1);
		if (n > 0)
			return 0;
		if (n == -1 && errno != EINTR)
			return -errno;
	}
}

static int make_room(struct connection *connection)
{
	char *buffer;

	if (connection->size - connection->length >= READ_BYTES)
		return 0;
	if (connection->length > CONNECTION_MAX_LINE)
		return -EPROTO;
	buffer = realloc(connection->buffer, connection->length + 2 * READ_BYTES);
	if (!buffer)
		return -ENOMEM;
	connection->buffer = buffer;
	connection->size = connection->length + 2 * READ_BYTES;
	return 0;
}

/* Read what is there. Return: 0; -EAGAIN when nothing is; -EPIPE at the end. */
static int read_more(struct connection *connection)
{
	ssize_t n;
	int r = make_room(connection);

	if (r < 0)
		return r;
	do
		n = recv(connection->fd, connection->buffer + connection->length, READ_BYTES,
			 MSG_DONTWAIT);
	while (n == -1 && errno == EINTR);
	if (n == 0 || (n == -1 && errno == ECONNRESET))
		return -EPIPE;
	if (n == -1)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	connection->length += (size_t)n;
	return 0;
}

/* Take a whole line out of the buffer. Return: 0; -EAGAIN when there is none; -EPROTO. */
static int take_message(struct connection *connection, json_t **ret)
{
	char *end = connection->length > connection->scanned
			    ? memchr(connection->buffer + connection->scanned, '\n',
				     connection->length - connection->scanned)
			    : NULL;
	size_t line;
	json_t *message;

	if (!end) {
		connection->scanned = connection->length;
		return -EAGAIN;
	}
	line = (size_t)(end - connection->buffer);
	message = json_loadb(connection->buffer, line, JSON_REJECT_DUPLICATES, NULL);
	connection->length -= line + 1;
	memmove(connection->buffer, end + 1, connection->length);
	connection->scanned = 0;
	if (!json_is_object(message)) {
		json_decref(message);
		return -EPROTO;
	}
	*ret = message;
	return 0;
}

static int keep_notification(struct connection *connection, const json_t *message)
{
	if (json_array_size(connection->notifications) >= MOST_NOTIFICATIONS)
		(void)json_array_remove(connection->notifications, 0);
	return json_array_append(connection->notifications, json_object_get(message, "params")) ==
			       -1
		       ? -EPROTO
		       : 0;
}

/* Remember why the daemon refused. */
static int refuse(struct connection *connection, const json_t *error)
{
	const char *message = json_get_string(error, "message");
	const char *reason = json_get_string(json_object_get(error, "data"), "reason");

	connection->error_code = (int)json_get_integer(error, "code", 0);
	if (!message)
		return -EPROTO;
	if (reason && strcmp(reason, message) != 0)
		(void)snprintf(connection->error, sizeof(connection->error), "%s: %s", message,
			       reason);
	else
		(void)snprintf(connection->error, sizeof(connection->error), "%s", message);
	return -EREMOTEIO;
}

/* Consumes @message, the answer to a call. */
static int read_answer(struct connection *connection, json_t *message, json_t **ret_result)
{
	json_t *result = json_object_get(message, "result");
	int r = 0;

	if (result)
		*ret_result = json_incref(result);
	else
		r = refuse(connection, json_object_get(message, "error"));
	json_decref(message);
	return r;
}

static int wait_answer(struct connection *connection, json_int_t id, json_t **ret_result)
{
	uint64_t deadline_ns =
		clock_now_ns(CLOCK_MONOTONIC) + CONNECTION_TIMEOUT_MS * UINT64_C(1000000);

	for (;;) {
		json_t *message;
		int r = take_message(connection, &message);

		if (r == 0 && json_get_integer(message, "id", -1) == id)
			return read_answer(connection, message, ret_result);
		if (r == 0) {
			r = keep_notification(connection, message);
			json_decref(message);
		} else if (r == -EAGAIN) {
			r = wait_readable(connection->fd, deadline_ns);
			if (r == 0)
				r = read_more(connection);
			if (r == -EAGAIN)
				r = 0;
		}
		if (r < 0)
			return r;
	}
}

static int send_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return errno == ECONNRESET ? -EPIPE : -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

int connection_call(struct connection *connection, const char *method, json_t *params,
		    json_t **ret_result)
{
	cleanup(freep) char *text = NULL, *line = NULL;
	json_int_t id = ++connection->next_id;
	json_t *request =
		json_pack("{s:s, s:s, s:I}", "jsonrpc", "2.0", "method", method, "id", id);
	int r;

	connection->error[0] = '\0';
	connection->error_code = 0;
	if (params && json_object_set_new(request, "params", params) == -1) {
		json_decref(request);
		return -ENOMEM;
	}
	text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	json_decref(request);
	if (!text || asprintf(&line, "%s\n", text) == -1) {
		line = NULL;
		return -ENOMEM;
	}
	r = send_all(connection->fd, line, strlen(line));
	return r < 0 ? r : wait_answer(connection, id, ret_result);
}

int connection_next(struct connection *connection, json_t **ret)
{
	json_t *message;
	int r;

	for (;;) {
		if (json_array_size(connection->notifications) > 0) {
			*ret = json_incref(json_array_get(connection->notifications, 0));
			(void)json_array_remove(connection->notifications, 0);
			return 0;
		}
		r = take_message(connection, &message);
		if (r == -EAGAIN)
			r = read_more(connection);
		else if (r == 0) {
			r = keep_notification(connection, message);
			json_decref(message);
		}
		if (r < 0)
			return r;
	}
}
