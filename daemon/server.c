/* SPDX-License-Identifier: MIT */
/*
 * Peers are kept in a list and freed in one place, bury(), which runs from an event of its own:
 * whatever a callback finds out about a peer, it only marks it. So no bufferevent is freed inside
 * a callback of itself or of another.
 */
#include "server.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"

/* The longest line with CR and LF: as much without an end is a line too long. */
#define MAX_INPUT (SERVER_MAX_LINE + 2)

/* Lines answered, and bytes of answers queued, before other events get their turn. */
#define LINES_A_TURN 64
#define BYTES_A_TURN (64 * 1024)

/* libevent's own bound is 16 KiB a round: less than a turn may queue, however fast a peer reads. */
#define BYTES_A_WRITE (256 * 1024)

/* How long a peer that was told something may leave it unread. */
#define WRITE_TIMEOUT_S 30

/* Out of descriptors: the listener rests, as accept(2) would fail again and again. */
#define ACCEPT_PAUSE_MS 100

struct peer {
	struct server *server;
	struct bufferevent *stream;
	struct event *more; /* lines are left over from the last turn */
	struct ucred who;
	size_t scanned;	  /* bytes of the input that hold no line end */
	bool skipping;	  /* the rest of a line that was too long */
	bool half_closed; /* it sends no more; what is queued is still sent */
	bool dead;
	void (*on_gone)(void *context);
	void *data;
	LIST_ENTRY(peer) peers;
};

LIST_HEAD(peer_list, peer);

struct server {
	struct event_base *base;
	struct server_callbacks callbacks;
	struct evconnlistener *listener;
	struct event *bury;
	struct event *resume;
	struct peer_list peers;
	size_t n_peers;
	char *path; /* to be unlinked */
};

/* The one place where peers are freed. */
static void free_peer(struct peer *peer)
{
	struct server *server = peer->server;
	void (*on_gone)(void *) = peer->on_gone;
	int fd;

	if (server->callbacks.on_peer_gone)
		server->callbacks.on_peer_gone(server->callbacks.context, peer);
	LIST_REMOVE(peer, peers);
	server->n_peers--;
	fd = bufferevent_getfd(peer->stream);
	event_free(peer->more);
	bufferevent_free(peer->stream);
	(void)close(fd);
	free(peer);
	if (on_gone)
		on_gone(server->callbacks.context);
}

static void on_bury(int fd, short what, void *context)
{
	struct server *server = context;
	struct peer *peer = LIST_FIRST(&server->peers);

	(void)fd;
	(void)what;
	while (peer) {
		struct peer *next = LIST_NEXT(peer, peers);

		if (peer->dead)
			free_peer(peer);
		peer = next;
	}
}

static void kill_peer(struct peer *peer)
{
	peer->dead = true;
	(void)bufferevent_disable(peer->stream, EV_READ | EV_WRITE);
	event_active(peer->server->bury, EV_TIMEOUT, 0);
}

static size_t unsent(const struct peer *peer)
{
	return evbuffer_get_length(bufferevent_get_output(peer->stream));
}

static void end_if_done(struct peer *peer)
{
	struct evbuffer *input = bufferevent_get_input(peer->stream);

	if (peer->half_closed && unsent(peer) == 0 && evbuffer_get_length(input) == 0)
		kill_peer(peer);
}

/* Return: false when the line could not be queued. */
static bool queue_line(struct peer *peer, const char *line)
{
	struct evbuffer *output = bufferevent_get_output(peer->stream);

	return evbuffer_add_printf(output, "%s\n", line) >= 0;
}

/* Consumes @reply; NULL is nothing to say. */
static void answer(struct peer *peer, char *reply)
{
	if (reply && (unsent(peer) + strlen(reply) > SERVER_MAX_OUTPUT || !queue_line(peer, reply)))
		kill_peer(peer);
	free(reply);
}

static void handle_line(struct peer *peer, const char *line, size_t length)
{
	const struct server_callbacks *callbacks = &peer->server->callbacks;

	if (length > 0 && line[length - 1] == '\r')
		length--;
	if (length > SERVER_MAX_LINE)
		answer(peer, callbacks->on_long_line(callbacks->context, peer));
	else if (length > 0)
		answer(peer, callbacks->on_line(callbacks->context, peer, line, length));
}

/* More than a line may hold and no end of it: say so once, and drop it up to its end. */
static void skip_long_line(struct peer *peer, struct evbuffer *input)
{
	const struct server_callbacks *callbacks = &peer->server->callbacks;

	(void)evbuffer_drain(input, evbuffer_get_length(input));
	peer->scanned = 0;
	if (peer->skipping)
		return;
	peer->skipping = true;
	answer(peer, callbacks->on_long_line(callbacks->context, peer));
}

/*
 * Find the end of the first line, looking only at what was not looked at before.
 *
 * Return: the line's length, or -1.
 */
static ssize_t find_line(struct peer *peer, struct evbuffer *input)
{
	struct evbuffer_ptr from, end;

	if (peer->scanned >= evbuffer_get_length(input) ||
	    evbuffer_ptr_set(input, &from, peer->scanned, EVBUFFER_PTR_SET) == -1)
		return -1;
	end = evbuffer_search_eol(input, &from, NULL, EVBUFFER_EOL_LF);
	if (end.pos == -1)
		peer->scanned = evbuffer_get_length(input);
	return end.pos;
}

/* Take one line of @length bytes, and its end if there is one, out of the input. */
static void take_line(struct peer *peer, struct evbuffer *input, size_t length, size_t end)
{
	const unsigned char *line = evbuffer_pullup(input, (ssize_t)(length + end));

	if (line && !peer->skipping)
		handle_line(peer, (const char *)line, length);
	peer->skipping = false;
	peer->scanned = 0;
	(void)evbuffer_drain(input, length + end);
}

/* The last line of a peer that sends no more needs no end. */
static void take_rest(struct peer *peer, struct evbuffer *input)
{
	size_t length = evbuffer_get_length(input);

	if (length > 0)
		take_line(peer, input, length, 0);
}

/*
 * Go on in the loop's next round. A timer, as what event_active() makes active runs in this same
 * round, before anything is polled or written.
 */
static void yield_turn(struct peer *peer)
{
	const struct timeval now = {0};

	if (event_add(peer->more, &now) == -1)
		kill_peer(peer);
}

static void take_lines(struct peer *peer)
{
	struct evbuffer *input = bufferevent_get_input(peer->stream);
	size_t unsent_before = unsent(peer);
	int n = 0;

	while (!peer->dead) {
		ssize_t length = find_line(peer, input);

		if (length < 0)
			break;
		if (n++ >= LINES_A_TURN || unsent(peer) > unsent_before + BYTES_A_TURN) {
			yield_turn(peer);
			return;
		}
		take_line(peer, input, (size_t)length, 1);
	}
	if (peer->dead)
		return;
	if (peer->half_closed)
		take_rest(peer, input);
	else if (evbuffer_get_length(input) >= MAX_INPUT || peer->skipping)
		skip_long_line(peer, input);
	if (!peer->dead)
		end_if_done(peer);
}

static void on_more(int fd, short what, void *context)
{
	struct peer *peer = context;

	(void)fd;
	(void)what;
	if (!peer->dead)
		take_lines(peer);
}

static void on_readable(struct bufferevent *stream, void *context)
{
	struct peer *peer = context;

	(void)stream;
	if (!peer->dead && !evtimer_pending(peer->more, NULL))
		take_lines(peer);
}

static void on_written(struct bufferevent *stream, void *context)
{
	struct peer *peer = context;

	(void)stream;
	if (!peer->dead)
		end_if_done(peer);
}

static void on_event(struct bufferevent *stream, short what, void *context)
{
	struct peer *peer = context;

	if (peer->dead)
		return;
	if (!(what & BEV_EVENT_EOF)) {
		kill_peer(peer);
		return;
	}
	/* The end of what it sends is not the end of what it reads. */
	peer->half_closed = true;
	(void)bufferevent_disable(stream, EV_READ);
	if (!evtimer_pending(peer->more, NULL))
		take_lines(peer);
}

static struct peer *make_peer(struct server *server, int fd)
{
	const struct timeval patience = {.tv_sec = WRITE_TIMEOUT_S};
	struct peer *peer = calloc(1, sizeof(*peer));
	socklen_t size = sizeof(peer->who);

	if (!peer)
		return NULL;
	peer->server = server;
	peer->who = (struct ucred){.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer->who, &size);
	peer->more = evtimer_new(server->base, on_more, peer);
	peer->stream = bufferevent_socket_new(server->base, fd, 0);
	if (!peer->more || !peer->stream) {
		if (peer->more)
			event_free(peer->more);
		if (peer->stream)
			bufferevent_free(peer->stream);
		free(peer);
		return NULL;
	}
	bufferevent_setcb(peer->stream, on_readable, on_written, on_event, peer);
	bufferevent_setwatermark(peer->stream, EV_READ, 0, MAX_INPUT);
	(void)bufferevent_set_max_single_write(peer->stream, BYTES_A_WRITE);
	(void)bufferevent_set_timeouts(peer->stream, NULL, &patience);
	return peer;
}

/* Return: 0; -ENOMEM, with @fd still the caller's. */
static int add_peer(struct server *server, int fd, void (*on_gone)(void *context))
{
	struct peer *peer = make_peer(server, fd);

	if (!peer)
		return -ENOMEM;
	if (evutil_make_socket_nonblocking(fd) == -1 ||
	    bufferevent_enable(peer->stream, EV_READ | EV_WRITE) == -1) {
		event_free(peer->more);
		bufferevent_free(peer->stream);
		free(peer);
		return -ENOMEM;
	}
	peer->on_gone = on_gone;
	LIST_INSERT_HEAD(&server->peers, peer, peers);
	server->n_peers++;
	return 0;
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address,
		      int length, void *context)
{
	struct server *server = context;

	(void)listener;
	(void)address;
	(void)length;
	if (server->n_peers >= SERVER_MAX_PEERS || add_peer(server, fd, NULL) < 0)
		(void)close(fd);
}

static void on_accept_error(struct evconnlistener *listener, void *context)
{
	const struct timeval pause = {.tv_usec = ACCEPT_PAUSE_MS * 1000};
	struct server *server = context;

	if (evconnlistener_disable(listener) == 0)
		(void)event_add(server->resume, &pause);
}

static void on_resume(int fd, short what, void *context)
{
	struct server *server = context;

	(void)fd;
	(void)what;
	(void)evconnlistener_enable(server->listener);
}

int server_new(struct event_base *base, const struct server_callbacks *callbacks,
	       struct server **ret)
{
	struct server *server = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	server->base = base;
	server->callbacks = *callbacks;
	LIST_INIT(&server->peers);
	server->bury = evtimer_new(base, on_bury, server);
	server->resume = evtimer_new(base, on_resume, server);
	if (!server->bury || !server->resume) {
		server_free(server);
		return -ENOMEM;
	}
	*ret = server;
	return 0;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	while (!LIST_EMPTY(&server->peers)) {
		LIST_FIRST(&server->peers)->on_gone = NULL;
		free_peer(LIST_FIRST(&server->peers));
	}
	if (server->listener)
		evconnlistener_free(server->listener);
	if (server->path)
		(void)unlink(server->path);
	if (server->bury)
		event_free(server->bury);
	if (server->resume)
		event_free(server->resume);
	free(server->path);
	free(server);
}

static int make_folder_of(const char *path)
{
	cleanup(freep) char *folder = strdup(path);
	char *slash;

	if (!folder)
		return -ENOMEM;
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return 0;
	*slash = '\0';
	return mkdir(folder, 0755) == -1 && errno != EEXIST ? -errno : 0;
}

/*
 * Make room for a socket at @path.
 *
 * Return: 0; -EADDRINUSE when somebody answers there; -EEXIST when it is no socket.
 */
static int clear_path(const char *path, const struct sockaddr_un *address)
{
	cleanup(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat state;

	if (fd == -1)
		return -errno;
	if (lstat(path, &state) == -1)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(state.st_mode))
		return -EEXIST;
	/* EAGAIN: somebody listens whose queue is full. */
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
		return -EADDRINUSE;
	if (errno != ECONNREFUSED)
		return -errno;
	return unlink(path) == -1 ? -errno : 0;
}

static int bind_socket(const char *path, mode_t mode, int *ret_fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup(closep) int fd = -1;
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	r = make_folder_of(path);
	if (r == 0)
		r = clear_path(path, &address);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1)
		return -errno;
	/* Nobody can connect before listen(), so the mode is right in time. */
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == -1)
		return -errno;
	if (chmod(path, mode) == -1 || listen(fd, SOMAXCONN) == -1) {
		r = -errno;
		(void)unlink(path);
		return r;
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

int server_listen(struct server *server, const char *path, mode_t mode)
{
	int fd, r;

	server->path = strdup(path);
	if (!server->path)
		return -ENOMEM;
	r = bind_socket(path, mode, &fd);
	if (r < 0) {
		free(server->path);
		server->path = NULL;
		return r;
	}
	server->listener = evconnlistener_new(server->base, on_accept, server,
					      LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, fd);
	if (!server->listener) {
		(void)close(fd);
		return -ENOMEM;
	}
	evconnlistener_set_error_cb(server->listener, on_accept_error);
	return 0;
}

int server_adopt(struct server *server, int fd, void (*on_gone)(void *context))
{
	int r = add_peer(server, fd, on_gone);

	if (r < 0)
		(void)close(fd);
	return r;
}

size_t server_n_peers(const struct server *server)
{
	return server->n_peers;
}

void server_each(struct server *server, void (*visit)(struct peer *peer, void *data), void *data)
{
	struct peer *peer;

	LIST_FOREACH (peer, &server->peers, peers)
		if (!peer->dead)
			visit(peer, data);
}

static bool all_sent(const struct server *server)
{
	const struct peer *peer;

	LIST_FOREACH (peer, &server->peers, peers)
		if (!peer->dead && unsent(peer) > 0)
			return false;
	return true;
}

static void on_drain_timeout(int fd, short what, void *context)
{
	(void)fd;
	(void)what;
	*(bool *)context = true;
}

void server_drain(struct server *server, int milliseconds)
{
	const struct timeval patience = {.tv_sec = milliseconds / 1000,
					 .tv_usec = (suseconds_t)(milliseconds % 1000) * 1000};
	bool over = false;
	struct event *timer = evtimer_new(server->base, on_drain_timeout, &over);
	struct peer *peer;

	LIST_FOREACH (peer, &server->peers, peers) {
		peer->on_gone = NULL;
		(void)bufferevent_disable(peer->stream, EV_READ);
		(void)event_del(peer->more);
	}
	(void)event_del(server->resume);
	if (server->listener)
		(void)evconnlistener_disable(server->listener);
	if (timer && event_add(timer, &patience) == 0)
		while (!over && !all_sent(server))
			if (event_base_loop(server->base, EVLOOP_ONCE) != 0)
				break;
	if (timer)
		event_free(timer);
	while (!LIST_EMPTY(&server->peers))
		free_peer(LIST_FIRST(&server->peers));
}

bool peer_stream(struct peer *peer, const char *line)
{
	if (peer->dead || unsent(peer) + strlen(line) > SERVER_MAX_PEER_STREAM)
		return false;
	return queue_line(peer, line);
}

uid_t peer_uid(const struct peer *peer)
{
	return peer->who.uid;
}

bool peer_in_group(const struct peer *peer, gid_t gid)
{
	gid_t groups[256];
	socklen_t size = sizeof(groups);

	if (peer->who.gid == gid)
		return true;
	if (getsockopt(bufferevent_getfd(peer->stream), SOL_SOCKET, SO_PEERGROUPS, groups, &size) ==
	    -1)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == gid)
			return true;
	return false;
}

void *peer_data(const struct peer *peer)
{
	return peer->data;
}

void peer_set_data(struct peer *peer, void *data)
{
	peer->data = data;
}
