/* SPDX-License-Identifier: MIT */
/*
 * The sockets: every way in which bytes can come, and every bound. The server echoes: the answer to
 * a line is that line behind ">"; a line "quiet" gets none; "big N" gets N bytes.
 *
 * The loop is driven until something is true, with a deadline; nothing sleeps.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "fixture.h"
#include "server.h"

#define DEADLINE_NS 20000000000ULL

struct bench {
	struct event_base *base;
	struct server *server;
	size_t n_lines;
	size_t n_gone;
	bool private_gone;
	struct peer *last_peer;
};

static char *on_line(void *context, struct peer *peer, const char *line, size_t length)
{
	struct bench *bench = context;
	char *reply = NULL;

	bench->n_lines++;
	bench->last_peer = peer;
	if (length == 5 && memcmp(line, "quiet", 5) == 0)
		return NULL;
	if (length > 4 && memcmp(line, "big ", 4) == 0) {
		size_t size = strtoul(line + 4, NULL, 10);

		reply = malloc(size + 1);
		assert_non_null(reply);
		memset(reply, 'b', size);
		reply[size] = '\0';
		return reply;
	}
	assert_true(asprintf(&reply, ">%.*s", length > 20 ? 20 : (int)length, line) > 0);
	return reply;
}

static char *on_long_line(void *context, struct peer *peer)
{
	(void)context;
	(void)peer;
	return strdup("too long");
}

static void on_peer_gone(void *context, struct peer *peer)
{
	(void)peer;
	((struct bench *)context)->n_gone++;
}

static void on_private_gone(void *context)
{
	((struct bench *)context)->private_gone = true;
}

static void bench_init(struct bench *bench)
{
	const struct server_callbacks callbacks = {on_line, on_long_line, on_peer_gone, bench};

	memset(bench, 0, sizeof(*bench));
	bench->base = event_base_new();
	assert_non_null(bench->base);
	assert_int_equal(server_new(bench->base, &callbacks, &bench->server), 0);
}

static void bench_fini(struct bench *bench)
{
	server_free(bench->server);
	event_base_free(bench->base);
}

/* A peer on a socketpair. Return: our end, which does not block. */
static int connect_pair(struct bench *bench)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(server_adopt(bench->server, ends[1], on_private_gone), 0);
	return ends[0];
}

static void turn(struct bench *bench)
{
	(void)event_base_loop(bench->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Write all of it, letting the server read in between. */
static void put(struct bench *bench, int fd, const char *text, size_t length)
{
	uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + DEADLINE_NS;

	while (length > 0) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);

		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
		turn(bench);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	}
}

/* Read until @length bytes or the end have come. Return: how many. */
static size_t get(struct bench *bench, int fd, char *text, size_t length)
{
	uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + DEADLINE_NS;
	size_t got = 0;

	while (got < length) {
		ssize_t n = recv(fd, text + got, length - got, 0);

		if (n == 0 || (n == -1 && errno == ECONNRESET))
			break;
		if (n > 0)
			got += (size_t)n;
		turn(bench);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	}
	return got;
}

static void assert_next(struct bench *bench, int fd, const char *expected)
{
	char text[256] = "";

	(void)get(bench, fd, text, strlen(expected));
	assert_string_equal(text, expected);
}

static void assert_end(struct bench *bench, int fd)
{
	char byte;

	assert_int_equal(get(bench, fd, &byte, 1), 0);
}

static void assert_silent(struct bench *bench, int fd)
{
	char byte;

	for (int i = 0; i < 20; i++)
		turn(bench);
	assert_int_equal(recv(fd, &byte, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void test_lines_in_every_cut(void **state)
{
	struct bench bench;
	const char *text = "one\ntwo\r\n\n\r\nquiet\nthree\n";
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	put(&bench, fd, text, strlen(text));
	assert_next(&bench, fd, ">one\n>two\n>three\n");
	/* Once more, byte by byte. */
	for (const char *c = text; *c; c++)
		put(&bench, fd, c, 1);
	assert_next(&bench, fd, ">one\n>two\n>three\n");
	assert_int_equal(bench.n_lines, 8);
	assert_silent(&bench, fd);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_thousand_lines_in_one_write(void **state)
{
	struct bench bench;
	static char lines[1000 * 6 + 1], expected[1000 * 7 + 1], got[1000 * 7 + 1];
	int fd;

	(void)state;
	bench_init(&bench);
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(&lines[i * 6], 7, "%05d\n", i);
		(void)snprintf(&expected[i * 7], 8, ">%05d\n", i);
	}
	fd = connect_pair(&bench);
	put(&bench, fd, lines, sizeof(lines) - 1);
	assert_int_equal(get(&bench, fd, got, sizeof(got) - 1), sizeof(got) - 1);
	assert_string_equal(got, expected);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_peer_takes_turns_with_other_events(void **state)
{
	struct bench bench;
	static char lines[2 * 4000];
	size_t before, most = 0;
	int fd;

	(void)state;
	bench_init(&bench);
	for (size_t i = 0; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	fd = connect_pair(&bench);
	assert_int_equal(send(fd, lines, sizeof(lines), 0), (int)sizeof(lines));
	/* Each round of the loop looks at all events: what matters is how long one can last. */
	for (int i = 0; i < 10000 && bench.n_lines < sizeof(lines) / 2; i++) {
		before = bench.n_lines;
		turn(&bench);
		if (bench.n_lines - before > most)
			most = bench.n_lines - before;
	}
	assert_int_equal(bench.n_lines, sizeof(lines) / 2);
	assert_true(most <= 128);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_peer_that_reads_may_ask_for_much(void **state)
{
	struct bench bench;
	char lines[300 * 10 + 1] = "", *got;
	const size_t size = (size_t)300 * 30001;
	int fd;

	(void)state;
	bench_init(&bench);
	got = malloc(size);
	assert_non_null(got);
	for (size_t i = 0; i < sizeof(lines) - 1; i++)
		lines[i] = "big 30000\n"[i % 10];
	fd = connect_pair(&bench);
	/* All at once, for answers of more than the server keeps; but each is read as it comes. */
	assert_int_equal(send(fd, lines, sizeof(lines) - 1, 0), (int)sizeof(lines) - 1);
	assert_int_equal(get(&bench, fd, got, size), size);
	assert_int_equal(bench.n_gone, 0);
	(void)close(fd);
	free(got);
	bench_fini(&bench);
}

static void test_a_half_closed_peer_gets_its_answers(void **state)
{
	struct bench bench;
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	put(&bench, fd, "one\nlast", 8);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_next(&bench, fd, ">one\n>last\n");
	assert_end(&bench, fd);
	assert_int_equal(bench.n_gone, 1);
	assert_true(bench.private_gone);
	assert_int_equal(server_n_peers(bench.server), 0);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_half_closed_peer_with_many_lines(void **state)
{
	struct bench bench;
	static char lines[500 * 2], got[500 * 3];
	int fd;

	(void)state;
	bench_init(&bench);
	for (size_t i = 0; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	fd = connect_pair(&bench);
	assert_int_equal(send(fd, lines, sizeof(lines), 0), (int)sizeof(lines));
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(get(&bench, fd, got, sizeof(got)), sizeof(got));
	assert_end(&bench, fd);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_the_longest_line_and_one_byte_more(void **state)
{
	struct bench bench;
	static char line[SERVER_MAX_LINE + 2];
	int fd;

	(void)state;
	bench_init(&bench);
	memset(line, 'x', sizeof(line));
	fd = connect_pair(&bench);
	line[SERVER_MAX_LINE] = '\n';
	put(&bench, fd, line, SERVER_MAX_LINE + 1);
	assert_next(&bench, fd, ">xxxxxxxxxxxxxxxxxxxx\n");

	line[SERVER_MAX_LINE] = 'x';
	line[SERVER_MAX_LINE + 1] = '\n';
	put(&bench, fd, line, SERVER_MAX_LINE + 2);
	assert_next(&bench, fd, "too long\n");
	/* Much more of it, all of one line: one answer. */
	line[SERVER_MAX_LINE + 1] = 'x';
	for (int i = 0; i < 3; i++)
		put(&bench, fd, line, sizeof(line));
	put(&bench, fd, "\nnext\n", 6);
	assert_next(&bench, fd, "too long\n>next\n");
	assert_silent(&bench, fd);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_long_line_without_an_end(void **state)
{
	struct bench bench;
	static char line[SERVER_MAX_LINE + 100];
	int fd;

	(void)state;
	bench_init(&bench);
	memset(line, 'x', sizeof(line));
	fd = connect_pair(&bench);
	put(&bench, fd, line, sizeof(line));
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_next(&bench, fd, "too long\n");
	assert_end(&bench, fd);
	(void)close(fd);
	bench_fini(&bench);
}

/* The CR before the line end is none of the line's bytes. */
static void test_the_longest_line_may_end_in_cr_lf(void **state)
{
	struct bench bench;
	static char line[SERVER_MAX_LINE + 2];
	int fd;

	(void)state;
	bench_init(&bench);
	memset(line, 'x', SERVER_MAX_LINE);
	line[SERVER_MAX_LINE] = '\r';
	line[SERVER_MAX_LINE + 1] = '\n';
	fd = connect_pair(&bench);
	/* Whole, and with the end coming late. */
	put(&bench, fd, line, sizeof(line));
	assert_next(&bench, fd, ">xxxxxxxxxxxxxxxxxxxx\n");
	put(&bench, fd, line, SERVER_MAX_LINE + 1);
	assert_silent(&bench, fd);
	put(&bench, fd, "\n", 1);
	assert_next(&bench, fd, ">xxxxxxxxxxxxxxxxxxxx\n");
	(void)close(fd);
	bench_fini(&bench);
}

/* As much as the server takes in at once, and then the end: reading rests just then. */
static void test_an_end_at_the_watermark(void **state)
{
	static char lines[SERVER_MAX_LINE + 3];

	(void)state;
	for (size_t size = SERVER_MAX_LINE - 1; size <= sizeof(lines); size++) {
		const char *expected =
			size <= SERVER_MAX_LINE ? ">xxxxxxxxxxxxxxxxxxxx\n" : "too long\n";
		struct bench bench;
		int fd;

		bench_init(&bench);
		memset(lines, 'x', sizeof(lines));
		fd = connect_pair(&bench);
		put(&bench, fd, lines, size);
		assert_int_equal(shutdown(fd, SHUT_WR), 0);
		assert_next(&bench, fd, expected);
		assert_end(&bench, fd);
		(void)close(fd);
		bench_fini(&bench);
	}
}

/* More lines than the server takes in at once, from one that sends no more and reads late. */
static void test_a_half_closed_peer_with_megabytes_of_lines(void **state)
{
	enum { N_LINES = 3000, LINE = 1000 };
	struct bench bench;
	static char lines[N_LINES * LINE], got[N_LINES * 22];
	int fd;

	(void)state;
	bench_init(&bench);
	memset(lines, 'x', sizeof(lines));
	for (size_t i = LINE - 1; i < sizeof(lines); i += LINE)
		lines[i] = '\n';
	fd = connect_pair(&bench);
	put(&bench, fd, lines, sizeof(lines));
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	for (int i = 0; i < 20; i++)
		turn(&bench);
	assert_int_equal(get(&bench, fd, got, sizeof(got)), sizeof(got));
	assert_end(&bench, fd);
	assert_int_equal(bench.n_lines, N_LINES);
	(void)close(fd);
	bench_fini(&bench);
}

/* Lines are left over from its turn when it goes, or when the server does. */
static void test_a_hang_up_between_turns(void **state)
{
	static char lines[2 * 1000];

	(void)state;
	for (size_t i = 0; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	for (int hang_up = 0; hang_up < 2; hang_up++) {
		uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + DEADLINE_NS;
		struct bench bench;
		int fd;

		bench_init(&bench);
		fd = connect_pair(&bench);
		assert_int_equal(send(fd, lines, sizeof(lines), 0), (int)sizeof(lines));
		while (bench.n_lines == 0)
			turn(&bench);
		assert_true(bench.n_lines < sizeof(lines) / 2);
		if (hang_up)
			(void)close(fd);
		while (hang_up && bench.n_gone == 0) {
			turn(&bench);
			assert_true(clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
		}
		bench_fini(&bench);
		if (!hang_up)
			(void)close(fd);
	}
}

static void fill_stream(struct peer *peer, void *data)
{
	static char line[1000];
	size_t *n = data;

	memset(line, 's', sizeof(line) - 1);
	while (*n < 100000 && peer_stream(peer, line))
		(*n)++;
}

static void test_a_stream_nobody_reads_is_cut(void **state)
{
	struct bench bench;
	size_t n = 0, more = 0;
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	server_each(bench.server, fill_stream, &n);
	assert_int_equal(n, SERVER_MAX_PEER_STREAM / 1000);
	/* What the peer reads makes room again. */
	static char got[300 * 1000];

	(void)get(&bench, fd, got, n * 1000);
	server_each(bench.server, fill_stream, &more);
	assert_true(more > 0);
	assert_int_equal(server_n_peers(bench.server), 1);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_answers_nobody_reads_end_the_connection(void **state)
{
	struct bench bench;
	uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + DEADLINE_NS;
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	while (bench.n_gone == 0) {
		(void)send(fd, "big 1000000\n", 12, MSG_NOSIGNAL);
		turn(&bench);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	}
	/* Four MiB are kept for it, and the kernel's buffer; not more. */
	assert_true(bench.n_lines >= 4 && bench.n_lines < 12);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_a_hang_up_in_the_middle(void **state)
{
	struct bench bench;
	uint64_t deadline_ns = clock_now_ns(CLOCK_MONOTONIC) + DEADLINE_NS;
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	put(&bench, fd, "big 3000000\nhalf a li", 21);
	(void)close(fd);
	while (bench.n_gone == 0) {
		turn(&bench);
		assert_true(clock_now_ns(CLOCK_MONOTONIC) < deadline_ns);
	}
	assert_int_equal(server_n_peers(bench.server), 0);
	bench_fini(&bench);
}

static int connect_path(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == -1) {
		(void)close(fd);
		return -errno;
	}
	return fd;
}

static void path_in(const char *root, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/folder/s", root);
}

static void test_listening(void **state)
{
	struct bench bench, second;
	struct stat status;
	char path[100];
	int fd;

	bench_init(&bench);
	bench_init(&second);
	path_in(*state, path, sizeof(path));
	assert_int_equal(server_listen(bench.server, path, 0600), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	fd = connect_path(path);
	assert_true(fd >= 0);
	put(&bench, fd, "hello\n", 6);
	assert_next(&bench, fd, ">hello\n");
	assert_int_equal(peer_uid(bench.last_peer), geteuid());
	assert_true(peer_in_group(bench.last_peer, getegid()));
	assert_false(peer_in_group(bench.last_peer, 54321));

	assert_int_equal(server_listen(second.server, path, 0600), -EADDRINUSE);
	put(&bench, fd, "still\n", 6);
	assert_next(&bench, fd, ">still\n");
	(void)close(fd);
	bench_fini(&second);
	assert_int_equal(stat(path, &status), 0);
	bench_fini(&bench);
	assert_int_equal(stat(path, &status), -1);
}

static void test_a_stale_socket_is_taken_over(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct bench bench;
	int stale = socket(AF_UNIX, SOCK_STREAM, 0);

	bench_init(&bench);
	fixture_write(*state, "/folder/", "");
	path_in(*state, address.sun_path, sizeof(address.sun_path));
	assert_int_equal(bind(stale, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(stale);
	assert_int_equal(server_listen(bench.server, address.sun_path, 0600), 0);
	bench_fini(&bench);
}

static void test_what_is_no_socket_is_left_alone(void **state)
{
	struct bench bench;
	struct stat status;
	char path[100], long_path[200];

	bench_init(&bench);
	fixture_write(*state, "/folder/s", "precious");
	path_in(*state, path, sizeof(path));
	assert_int_equal(server_listen(bench.server, path, 0600), -EEXIST);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 8);
	memset(long_path, 'x', sizeof(long_path));
	long_path[0] = '/';
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(server_listen(bench.server, long_path, 0600), -ENAMETOOLONG);
	assert_int_equal(server_listen(bench.server, "/proc/none/s", 0600), -ENOENT);
	bench_fini(&bench);
	assert_int_equal(stat(path, &status), 0);
}

static void test_peers_are_bounded(void **state)
{
	struct rlimit limit;
	struct bench bench;
	static int fds[SERVER_MAX_PEERS + 10];
	char path[100];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < 1024)
		skip();
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	bench_init(&bench);
	path_in(*state, path, sizeof(path));
	assert_int_equal(server_listen(bench.server, path, 0600), 0);
	for (size_t i = 0; i < SERVER_MAX_PEERS + 10; i++) {
		fds[i] = connect_path(path);
		assert_true(fds[i] >= 0);
		for (int j = 0; j < 3; j++)
			turn(&bench);
	}
	assert_int_equal(server_n_peers(bench.server), SERVER_MAX_PEERS);
	assert_end(&bench, fds[SERVER_MAX_PEERS]);
	/* Those inside are served, and one that leaves makes room. */
	put(&bench, fds[0], "in\n", 3);
	assert_next(&bench, fds[0], ">in\n");
	for (size_t i = 0; i < SERVER_MAX_PEERS + 10; i++)
		(void)close(fds[i]);
	while (server_n_peers(bench.server) > 0)
		turn(&bench);
	fds[0] = connect_path(path);
	put(&bench, fds[0], "again\n", 6);
	assert_next(&bench, fds[0], ">again\n");
	(void)close(fds[0]);
	bench_fini(&bench);
}

static void on_time(int fd, short what, void *context)
{
	(void)fd;
	(void)what;
	*(bool *)context = true;
}

/* Let the loop run for a while. Return: how many rounds it made. */
static int rounds_in(struct bench *bench, long milliseconds)
{
	const struct timeval after = {.tv_usec = milliseconds * 1000};
	bool over = false;
	struct event *timer = evtimer_new(bench->base, on_time, &over);
	int n = 0;

	assert_non_null(timer);
	assert_int_equal(event_add(timer, &after), 0);
	do {
		assert_int_equal(event_base_loop(bench->base, EVLOOP_ONCE), 0);
		n++;
	} while (!over);
	event_free(timer);
	return n;
}

static void test_out_of_descriptors_the_listener_rests(void **state)
{
	struct rlimit limit, low;
	struct bench bench;
	char path[100];
	int fd;

	bench_init(&bench);
	path_in(*state, path, sizeof(path));
	assert_int_equal(server_listen(bench.server, path, 0600), 0);
	fd = connect_path(path);
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	/* It tries again a few times, where an accept(2) that fails at once would spin. */
	assert_true(rounds_in(&bench, 350) < 20);
	assert_int_equal(server_n_peers(bench.server), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	put(&bench, fd, "hello\n", 6);
	assert_next(&bench, fd, ">hello\n");
	(void)close(fd);
	bench_fini(&bench);
}

static void test_draining_takes_nobody_in(void **state)
{
	struct rlimit limit, low;
	struct bench bench;
	char path[100];
	int fd, late;

	bench_init(&bench);
	path_in(*state, path, sizeof(path));
	assert_int_equal(server_listen(bench.server, path, 0600), 0);
	/* One that reads nothing, so that draining lasts; and a listener about to be resumed. */
	fd = connect_pair(&bench);
	assert_int_equal(send(fd, "big 3000000\n", 12, 0), 12);
	while (bench.n_lines == 0)
		turn(&bench);
	late = connect_path(path);
	assert_true(late >= 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	for (int i = 0; i < 5; i++)
		turn(&bench);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	server_drain(bench.server, 300);
	assert_int_equal(bench.n_gone, 1);
	(void)close(fd);
	(void)close(late);
	bench_fini(&bench);
}

static void test_draining_answers_no_more_lines(void **state)
{
	struct bench bench;
	char lines[12 + 2 * 200] = "big 3000000\n";
	size_t n_lines;
	int fd;

	(void)state;
	bench_init(&bench);
	for (size_t i = 12; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	fd = connect_pair(&bench);
	assert_int_equal(send(fd, lines, sizeof(lines), 0), (int)sizeof(lines));
	while (bench.n_lines == 0)
		turn(&bench);
	n_lines = bench.n_lines;
	assert_true(n_lines < 201);
	server_drain(bench.server, 50);
	assert_int_equal(bench.n_lines, n_lines);
	(void)close(fd);
	bench_fini(&bench);
}

static void test_draining_sends_what_is_queued(void **state)
{
	struct bench bench;
	static char got[40001];
	int fd;

	(void)state;
	bench_init(&bench);
	fd = connect_pair(&bench);
	(void)send(fd, "big 30000\n", 10, 0);
	while (bench.n_lines == 0)
		turn(&bench);
	server_drain(bench.server, 1000);
	assert_int_equal(get(&bench, fd, got, sizeof(got)), 30001);
	/* The end of a connection that the server itself ended is no news to it. */
	assert_false(bench.private_gone);
	assert_int_equal(bench.n_gone, 1);
	(void)close(fd);
	bench_fini(&bench);
}

int main(void)
{
#define with_root(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_in_every_cut),
		cmocka_unit_test(test_a_thousand_lines_in_one_write),
		cmocka_unit_test(test_a_peer_takes_turns_with_other_events),
		cmocka_unit_test(test_a_peer_that_reads_may_ask_for_much),
		cmocka_unit_test(test_a_half_closed_peer_gets_its_answers),
		cmocka_unit_test(test_a_half_closed_peer_with_many_lines),
		cmocka_unit_test(test_the_longest_line_and_one_byte_more),
		cmocka_unit_test(test_a_long_line_without_an_end),
		cmocka_unit_test(test_the_longest_line_may_end_in_cr_lf),
		cmocka_unit_test(test_an_end_at_the_watermark),
		cmocka_unit_test(test_a_half_closed_peer_with_megabytes_of_lines),
		cmocka_unit_test(test_a_hang_up_between_turns),
		cmocka_unit_test(test_a_stream_nobody_reads_is_cut),
		cmocka_unit_test(test_answers_nobody_reads_end_the_connection),
		cmocka_unit_test(test_a_hang_up_in_the_middle),
		with_root(test_listening),
		with_root(test_a_stale_socket_is_taken_over),
		with_root(test_what_is_no_socket_is_left_alone),
		with_root(test_peers_are_bounded),
		with_root(test_out_of_descriptors_the_listener_rests),
		with_root(test_draining_takes_nobody_in),
		cmocka_unit_test(test_draining_answers_no_more_lines),
		cmocka_unit_test(test_draining_sends_what_is_queued),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
