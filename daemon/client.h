/* SPDX-License-Identifier: MIT */
/*
 * soakd's own commands as clients of a daemon: the one that runs, or a private one.
 */
#pragma once

#include "connection.h"
#include "private.h"

/* A daemon to ask. */
struct client {
	struct connection *connection; /* borrowed from `daemon` if that runs, else owned */
	struct private_daemon daemon;  /* none, when one ran already */
};

/*
 * Connect to the daemon that runs at @socket_path (NULL: in the usual places).
 *
 * Return: 0; -ESRCH, without a word, when none runs; another negative errno after saying why.
 */
int client_open(const char *socket_path, struct client *ret);

/* As client_open(), but where none runs, start a private one, in spite of intrusion. */
int client_open_any(const char *socket_path, struct client *ret);

void client_close(struct client *client);

/*
 * Call a method; on failure say why on stderr.
 *
 * @params: consumed
 */
int client_call(struct client *client, const char *method, json_t *params, json_t **ret_result);

/* Show what the daemon at @socket_path says of itself. Return: exit status. */
int client_show_facts(const char *socket_path);
