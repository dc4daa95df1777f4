/* SPDX-License-Identifier: MIT */
/*
 * A target is shared with others (the shell, its other programs), and O_NONBLOCK would be theirs,
 * too. So pipes and terminals are opened anew by /proc, which gives flags of our own; where that
 * fails, little enough is written after POLLOUT that write(2) does not wait. Files never make wait.
 */
#include "tee.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

/* A terminal that polls as writable takes these. */
#define TERMINAL_BYTES 256

#define FIRST_FREE_FD 3

static void close_fd(int *fd)
{
	closep(fd);
	*fd = -1;
}

/* Move *@fd away from where the command's own files will be. */
static int move_up(int *fd)
{
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

	if (moved == -1)
		return -errno;
	(void)close(*fd);
	*fd = moved;
	return 0;
}

/* Open what @fd is for writing that does not wait. */
static int open_target(int fd, struct tee_stream *stream)
{
	struct stat state;
	char path[32];

	if (fstat(fd, &state) == -1)
		return -errno;
	stream->is_socket = S_ISSOCK(state.st_mode);
	stream->most_bytes = SIZE_MAX;
	if (S_ISFIFO(state.st_mode) || isatty(fd)) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		stream->target_fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (stream->target_fd >= 0)
			return move_up(&stream->target_fd);
		stream->most_bytes = S_ISFIFO(state.st_mode) ? PIPE_BUF : TERMINAL_BYTES;
	}
	stream->target_fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	return stream->target_fd == -1 ? -errno : 0;
}

static int make_pipe(struct tee_stream *stream)
{
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) == -1)
		return -errno;
	stream->source_fd = ends[0];
	stream->command_fd = ends[1];
	r = move_up(&stream->source_fd);
	if (r == 0)
		r = move_up(&stream->command_fd);
	/* Only our end: the command's is to wait. */
	if (r == 0 && fcntl(stream->source_fd, F_SETFL, O_NONBLOCK) == -1)
		r = -errno;
	return r;
}

static int init_stream(struct tee_stream *stream, int target)
{
	int r = open_target(target, stream);

	if (r == -EBADF)
		return 0;
	if (r < 0)
		return r;
	stream->buffer = malloc(TEE_BUFFER_BYTES);
	return stream->buffer ? make_pipe(stream) : -ENOMEM;
}

int tee_init(struct tee *ret, const int targets[TEE_STREAMS], struct extract *extract)
{
	struct tee tee = {.extract = extract};
	int r = 0;

	for (size_t i = 0; i < TEE_STREAMS; i++)
		tee.streams[i] = (struct tee_stream){
			.command_fd = -1, .source_fd = -1, .target_fd = -1, .left = UINT64_MAX};
	for (size_t i = 0; r == 0 && i < TEE_STREAMS; i++)
		r = init_stream(&tee.streams[i], targets[i]);
	if (r < 0) {
		tee_fini(&tee);
		return r;
	}
	*ret = tee;
	return 0;
}

void tee_fini(struct tee *tee)
{
	for (size_t i = 0; i < TEE_STREAMS; i++) {
		struct tee_stream *stream = &tee->streams[i];

		close_fd(&stream->command_fd);
		close_fd(&stream->source_fd);
		close_fd(&stream->target_fd);
		free(take_ptr(stream->buffer));
	}
}

void tee_close_command_ends(struct tee *tee)
{
	for (size_t i = 0; i < TEE_STREAMS; i++)
		close_fd(&tee->streams[i].command_fd);
}

static bool has_pending(const struct tee_stream *stream)
{
	return stream->begin < stream->end;
}

static bool is_busy(const struct tee_stream *stream)
{
	return stream->source_fd >= 0 || has_pending(stream);
}

bool tee_is_busy(const struct tee *tee)
{
	for (size_t i = 0; i < TEE_STREAMS; i++)
		if (is_busy(&tee->streams[i]))
			return true;
	return false;
}

void tee_fill_waits(const struct tee *tee, struct pollfd *waits)
{
	for (size_t i = 0; i < TEE_STREAMS; i++) {
		const struct tee_stream *stream = &tee->streams[i];
		bool pending = has_pending(stream);

		/* An end that hung up is reported whatever one waits for: no fd while it is full.
		 */
		waits[2 * i] =
			(struct pollfd){.fd = pending ? -1 : stream->source_fd, .events = POLLIN};
		/* A reader that goes is reported, too. */
		waits[2 * i + 1] = (struct pollfd){.fd = is_busy(stream) ? stream->target_fd : -1,
						   .events = pending ? POLLOUT : 0};
	}
}

static size_t bytes_in_pipe(int fd)
{
	int n = 0;

	return fd >= 0 && ioctl(fd, FIONREAD, &n) == 0 && n > 0 ? (size_t)n : 0;
}

/* Nothing more can be handed on. */
static void give_up(struct tee_stream *stream, int error)
{
	stream->n_lost = stream->end - stream->begin + bytes_in_pipe(stream->source_fd);
	stream->error = error;
	stream->begin = stream->end = 0;
	close_fd(&stream->source_fd);
	close_fd(&stream->target_fd);
}

static ssize_t write_some(const struct tee_stream *stream)
{
	const char *bytes = &stream->buffer[stream->begin];
	size_t n = stream->end - stream->begin;

	if (n > stream->most_bytes)
		n = stream->most_bytes;
	if (stream->is_socket)
		return send(stream->target_fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	return write(stream->target_fd, bytes, n);
}

static void hand_on(struct tee *tee, struct tee_stream *stream)
{
	ssize_t n = write_some(stream);

	if (n >= 0) {
		stream->begin += (size_t)n;
		tee->n_written += (uint64_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		give_up(stream, errno);
	}
}

static void take(struct tee *tee, size_t i)
{
	struct tee_stream *stream = &tee->streams[i];
	size_t most = stream->left < TEE_BUFFER_BYTES ? (size_t)stream->left : TEE_BUFFER_BYTES;
	ssize_t n = read(stream->source_fd, stream->buffer, most);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_fd(&stream->source_fd);
		return;
	}
	stream->begin = 0;
	stream->end = (size_t)n;
	if (stream->left != UINT64_MAX)
		stream->left -= (uint64_t)n;
	if (stream->left == 0)
		close_fd(&stream->source_fd);
	/* First to who waits for it. Where a write might wait, poll(2) is asked before. */
	if (stream->most_bytes == SIZE_MAX)
		hand_on(tee, stream);
	if (tee->extract)
		extract_feed(tee->extract, i, stream->buffer, (size_t)n);
}

void tee_handle(struct tee *tee, const struct pollfd *waits)
{
	for (size_t i = 0; i < TEE_STREAMS; i++) {
		struct tee_stream *stream = &tee->streams[i];
		int target = waits[2 * i + 1].fd >= 0 ? waits[2 * i + 1].revents : 0;

		if (target & (POLLERR | POLLHUP | POLLNVAL))
			give_up(stream, EPIPE);
		else if ((target & POLLOUT) && has_pending(stream))
			hand_on(tee, stream);
		if (waits[2 * i].fd >= 0 && waits[2 * i].revents && stream->source_fd >= 0)
			take(tee, i);
	}
}

void tee_end(struct tee *tee)
{
	for (size_t i = 0; i < TEE_STREAMS; i++) {
		struct tee_stream *stream = &tee->streams[i];

		stream->left = bytes_in_pipe(stream->source_fd);
		if (stream->left == 0)
			close_fd(&stream->source_fd);
	}
}

void tee_abandon(struct tee *tee, int error)
{
	for (size_t i = 0; i < TEE_STREAMS; i++)
		if (is_busy(&tee->streams[i]))
			give_up(&tee->streams[i], error);
}
