/* SPDX-License-Identifier: MIT */
/*
 * Two pipes between a command and where its stdout and stderr are to go: what comes is handed on
 * unchanged, and looked at on the way.
 *
 * Nothing here waits, whatever is at the other end: the caller polls. At most TEE_BUFFER_BYTES of a
 * stream are held; while they cannot be handed on no more are taken, and the command waits in its
 * write(2) as it would without us. When they can never be, the pipe is closed, and the command gets
 * SIGPIPE or EPIPE.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract.h"

#define TEE_STREAMS	 2 /* stdout, stderr */
#define TEE_N_WAITS	 (2 * TEE_STREAMS)
#define TEE_BUFFER_BYTES (64 * 1024)

struct tee_stream {
	int command_fd;	   /* what the command is to write to; -1: closed or none */
	int source_fd;	   /* -1: no more is taken */
	int target_fd;	   /* -1: no more is handed on */
	size_t most_bytes; /* of one write that does not wait; SIZE_MAX: any */
	bool is_socket;
	char *buffer; /* [TEE_BUFFER_BYTES], heap */
	size_t begin; /* of what is not handed on yet */
	size_t end;
	uint64_t left;	 /* bytes that may still be taken */
	uint64_t n_lost; /* bytes that were taken, or stood in the pipe, and could not be handed on
			  */
	int error;	 /* why, as errno */
};

struct tee {
	struct tee_stream streams[TEE_STREAMS];
	struct extract *extract; /* sees every byte; NULL: nobody does */
	uint64_t n_written;	 /* both streams: for who wants to know whether it goes on */
};

/*
 * Make the pipes.
 *
 * @targets: where the streams go; borrowed, and their flags are left as they are, for others may
 *   share them. A closed one gets no pipe: the command has it closed, too
 * @extract: borrowed; NULL: none
 * @ret: tee_fini() it
 *
 * Return: 0 or a negative errno.
 */
int tee_init(struct tee *ret, const int targets[TEE_STREAMS], struct extract *extract);

/* Close the command's ends here, once it has its own. */
void tee_close_command_ends(struct tee *tee);

/* Set waits[TEE_N_WAITS] to what poll(2) is to wait for. Those that are for nothing have fd -1. */
void tee_fill_waits(const struct tee *tee, struct pollfd *waits);

/* Take and hand on what can be, after poll(2) filled waits[TEE_N_WAITS]. */
void tee_handle(struct tee *tee, const struct pollfd *waits);

/*
 * The command has ended: take no more than stands in the pipes now, although processes that it left
 * behind may hold them open.
 */
void tee_end(struct tee *tee);

/* Return: whether there may be more to take or to hand on. */
bool tee_is_busy(const struct tee *tee);

/* Give up what has not been handed on; @error (an errno) is why. */
void tee_abandon(struct tee *tee, int error);

void tee_fini(struct tee *tee);
