/* SPDX-License-Identifier: MIT */
/*
 * See client.h.
 */
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "facts.h"
#include "socket-path.h"

int client_open(const char *socket_path, struct client *ret)
{
	struct client client = {.daemon = PRIVATE_DAEMON_NONE};
	cleanup(freep) char *path = NULL;
	int r = socket_path_connect(socket_path, &client.connection, &path);

	if (r == -ENOENT || r == -ECONNREFUSED)
		return -ESRCH;
	if (r < 0) {
		(void)fprintf(stderr, "soakd: cannot connect to %s: %s\n", path ? path : "soakd",
			      strerror(-r));
		return r;
	}
	*ret = client;
	return 0;
}

int client_open_any(const char *socket_path, struct client *ret)
{
	const struct private_options options = {.force = true};
	struct client client = {.daemon = PRIVATE_DAEMON_NONE};
	int r = client_open(socket_path, ret);

	if (r != -ESRCH || socket_path)
		return r;
	r = private_start(&options, -1, &client.daemon);
	/* -ECHILD: it has said itself why it ended. */
	if (r < 0 && r != -ECHILD)
		(void)fprintf(stderr, "soakd: cannot start a soakd for this check: %s\n",
			      strerror(-r));
	if (r < 0)
		return r;
	client.connection = client.daemon.connection;
	*ret = client;
	return 0;
}

void client_close(struct client *client)
{
	if (client->daemon.pid > 0)
		private_stop(&client->daemon);
	else
		connection_free(client->connection);
	client->connection = NULL;
}

int client_call(struct client *client, const char *method, json_t *params, json_t **ret_result)
{
	int r = connection_call(client->connection, method, params, ret_result);

	if (r == -EREMOTEIO)
		(void)fprintf(stderr, "soakd: %s: %s\n", method,
			      connection_error(client->connection));
	else if (r < 0)
		(void)fprintf(stderr, "soakd: %s: %s\n", method, connection_strerror(r));
	return r;
}

int client_show_facts(const char *socket_path)
{
	struct client client;
	json_t *status;
	int r = client_open(socket_path, &client);

	if (r == -ESRCH)
		(void)fprintf(stderr, "soakd: not running (soakd start starts it)\n");
	if (r < 0)
		return STATUS_FAILED;
	r = client_call(&client, "status.get", NULL, &status);
	if (r == 0) {
		facts_print(stdout, status);
		json_decref(status);
	}
	client_close(&client);
	return r < 0 ? STATUS_FAILED : 0;
}
