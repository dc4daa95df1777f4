/* SPDX-License-Identifier: MIT */
/*
 * See interrupts.h.
 */
#include "interrupts.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"

/* As nohup(1) has it. */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int interrupts_init(struct interrupts *interrupts)
{
	struct interrupts made = {.fd = -1};
	sigset_t taken, blocked;

	(void)sigemptyset(&taken);
	(void)sigaddset(&taken, SIGINT);
	(void)sigaddset(&taken, SIGTERM);
	if (!is_ignored(SIGHUP))
		(void)sigaddset(&taken, SIGHUP);
	blocked = taken;
	(void)sigaddset(&blocked, SIGPIPE);
	if (sigprocmask(SIG_BLOCK, &blocked, &made.original) == -1)
		return -errno;
	made.fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (made.fd == -1)
		return -errno;
	*interrupts = made;
	return 0;
}

void interrupts_fini(struct interrupts *interrupts)
{
	closep(&interrupts->fd);
	interrupts->fd = -1;
}

int interrupts_take(struct interrupts *interrupts)
{
	struct signalfd_siginfo info;

	if (read(interrupts->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	interrupts->n++;
	if (interrupts->first == 0)
		interrupts->first = (int)info.ssi_signo;
	return (int)info.ssi_signo;
}
