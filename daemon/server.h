/* SPDX-License-Identifier: MIT */
/*
 * The sockets: who may connect, lines in, lines out, and the bounds on both.
 *
 * The server knows nothing of what a line means: it hands each to `on_line` and sends what comes
 * back. It never waits for a client: what a client does not read is bounded, then dropped
 * (samples) or ends the connection (answers). Only the server's own top callbacks free a peer.
 */
#pragma once

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SERVER_MAX_LINE	       (1024 * 1024)
#define SERVER_MAX_PEERS       256
#define SERVER_MAX_OUTPUT      (4 * 1024 * 1024)
#define SERVER_MAX_PEER_STREAM (256 * 1024)

struct server;
struct peer;

struct server_callbacks {
	/*
	 * Answer one line (no line end, not NUL-terminated, never empty).
	 *
	 * Return: the answer without line end, to be freed by the server, or NULL for none.
	 */
	char *(*on_line)(void *context, struct peer *peer, const char *line, size_t length);
	/* Answer a line that was longer than SERVER_MAX_LINE. May return NULL. */
	char *(*on_long_line)(void *context, struct peer *peer);
	/* The peer is about to be freed. May be NULL. */
	void (*on_peer_gone)(void *context, struct peer *peer);
	void *context;
};

/*
 * Create a server without sockets.
 *
 * @base: borrowed, must outlive the server
 *
 * Return: 0 or -ENOMEM.
 */
int server_new(struct event_base *base, const struct server_callbacks *callbacks,
	       struct server **ret);

/* Close everything. NULL is fine. The socket file is unlinked when server_listen() made it. */
void server_free(struct server *server);

/*
 * Listen on @path, mode @mode, creating the last folder of the path (0755) when missing.
 *
 * A socket file on which nobody answers is taken over; anything else at that path is an error.
 * The file is unlinked by server_free().
 *
 * Return: 0; -EADDRINUSE when somebody answers there; -ENAMETOOLONG when the path exceeds
 * sun_path; -EEXIST when @path is not a socket; another negative errno.
 */
int server_listen(struct server *server, const char *path, mode_t mode);

/*
 * Serve one connection that is open already (of a private daemon).
 *
 * @fd: owned by the server from here on, also on failure
 * @on_gone: called when the peer has gone, after on_peer_gone; may be NULL
 */
int server_adopt(struct server *server, int fd, void (*on_gone)(void *context));

/* Return: how many peers are connected. */
size_t server_n_peers(const struct server *server);

/*
 * Call @visit for every peer. @visit may call peer_stream(), nothing that frees.
 */
void server_each(struct server *server, void (*visit)(struct peer *peer, void *data), void *data);

/* Send what is queued (for at most @milliseconds), then close everything: for a clean stop. */
void server_drain(struct server *server, int milliseconds);

/*
 * Queue one line (without line end) as part of a stream the peer may lose parts of.
 *
 * Return: true; false when the peer has more than SERVER_MAX_PEER_STREAM unread: nothing queued.
 */
bool peer_stream(struct peer *peer, const char *line);

/* The user who connected, from SO_PEERCRED at connect time. */
uid_t peer_uid(const struct peer *peer);

/*
 * Return: whether @gid is the peer's group or one of its supplementary groups (SO_PEERGROUPS).
 */
bool peer_in_group(const struct peer *peer, gid_t gid);

/* A pointer of the caller's own, NULL at first; freed by nobody. */
void *peer_data(const struct peer *peer);
void peer_set_data(struct peer *peer, void *data);
