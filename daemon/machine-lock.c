/* SPDX-License-Identifier: MIT */
/*
 * See machine-lock.h.
 */
#include "machine-lock.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"

#define ANSWER_TIMEOUT_MS 1000

/* A leading NUL makes the name abstract: unix(7). */
static const char name[] = "\0soakd";

static socklen_t lock_address(struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(ret->sun_path, name, sizeof(name) - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name) - 1);
}

static void ask_holder(struct machine_lock_holder *ret)
{
	struct sockaddr_un address;
	socklen_t length = lock_address(&address), size;
	struct ucred peer;
	struct pollfd wait;
	cleanup(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t n;

	*ret = (struct machine_lock_holder){0};
	if (fd == -1 || connect(fd, (struct sockaddr *)&address, length) == -1)
		return;
	size = sizeof(peer);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		ret->pid = peer.pid;
	wait = (struct pollfd){.fd = fd, .events = POLLIN};
	if (poll(&wait, 1, ANSWER_TIMEOUT_MS) != 1)
		return;
	n = recv(fd, ret->socket_path, sizeof(ret->socket_path) - 1, 0);
	ret->answered = n >= 0;
	ret->socket_path[n > 0 ? n : 0] = '\0';
}

int machine_lock_take(int *ret_fd, struct machine_lock_holder *ret_holder)
{
	struct sockaddr_un address;
	socklen_t length = lock_address(&address);
	cleanup(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd == -1)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, length) == -1) {
		int r = -errno;

		if (r == -EADDRINUSE)
			ask_holder(ret_holder);
		return r;
	}
	if (listen(fd, SOMAXCONN) == -1)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

void machine_lock_answer(int fd, const char *socket_path)
{
	cleanup(closep) int asker = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	/* Who does not get the answer knows the pid all the same. */
	if (asker >= 0)
		(void)send(asker, socket_path, strlen(socket_path), MSG_NOSIGNAL);
}
