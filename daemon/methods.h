/* SPDX-License-Identifier: MIT */
/*
 * What soakd can be asked: a table of methods, each with its handler. PROTOCOL.md says what they
 * take and answer.
 */
#pragma once

#include "daemon.h"
#include "rpc.h"
#include "server.h"

/* Whom a handler serves. */
struct method_context {
	struct daemon *daemon;
	struct peer *peer;
};

/* Return: the table of all methods. */
const struct rpc_table *methods_table(void);

/* Send @sample to every subscriber. */
void methods_publish(struct daemon *daemon, const struct sample *sample);

/* The peer has gone: forget its subscription. */
void methods_forget(struct daemon *daemon, struct peer *peer);

/* The peer has gone: the soakers that it stopped go on. */
void methods_forget_pause(struct daemon *daemon, struct peer *peer);

/* Handlers, by file. */
void handle_server_info(const struct rpc_call *call, struct rpc_answer *answer);
void handle_server_shutdown(const struct rpc_call *call, struct rpc_answer *answer);
void handle_status_get(const struct rpc_call *call, struct rpc_answer *answer);
void handle_calibration_get(const struct rpc_call *call, struct rpc_answer *answer);
void handle_calibration_start(const struct rpc_call *call, struct rpc_answer *answer);
void handle_soakers_pause(const struct rpc_call *call, struct rpc_answer *answer);
void handle_soakers_resume(const struct rpc_call *call, struct rpc_answer *answer);
void handle_samples_get(const struct rpc_call *call, struct rpc_answer *answer);
void handle_samples_subscribe(const struct rpc_call *call, struct rpc_answer *answer);
void handle_samples_unsubscribe(const struct rpc_call *call, struct rpc_answer *answer);
void handle_report_get(const struct rpc_call *call, struct rpc_answer *answer);
void handle_run_begin(const struct rpc_call *call, struct rpc_answer *answer);
void handle_run_end(const struct rpc_call *call, struct rpc_answer *answer);
