/* SPDX-License-Identifier: MIT */
/*
 * Stopping the soakers for a while, to see what the workload does without them. It lasts no longer
 * than the connection of the client that asked for it: a daemon that measures nothing must not be
 * left behind.
 */
#include <string.h>

#include "methods.h"

static struct method_context *context_of(const struct rpc_call *call)
{
	return call->context;
}

void handle_soakers_pause(const struct rpc_call *call, struct rpc_answer *answer)
{
	struct daemon *daemon = context_of(call)->daemon;
	struct peer *peer = context_of(call)->peer;
	int r;

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	if (daemon->calibrating) {
		rpc_fail(answer, RPC_NOT_NOW, "a calibration runs");
		return;
	}
	if (daemon->pauser && daemon->pauser != peer) {
		rpc_fail(answer, RPC_NOT_NOW, "another client has paused the soakers");
		return;
	}
	r = soaking_pause(&daemon->soaking, true);
	if (r < 0) {
		rpc_fail(answer, RPC_INTERNAL_ERROR, "%s", strerror(-r));
		return;
	}
	daemon->pauser = peer;
	answer->result = json_pack("{s:b}", "paused", 1);
}

void handle_soakers_resume(const struct rpc_call *call, struct rpc_answer *answer)
{
	struct daemon *daemon = context_of(call)->daemon;

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	if (daemon->pauser != context_of(call)->peer) {
		rpc_fail(answer, RPC_NOT_NOW, "this client has not paused the soakers");
		return;
	}
	methods_forget_pause(daemon, daemon->pauser);
	answer->result = json_pack("{s:b}", "paused", daemon->soaking.paused);
}

void methods_forget_pause(struct daemon *daemon, struct peer *peer)
{
	if (!peer || daemon->pauser != peer)
		return;
	daemon->pauser = NULL;
	/* It fails only when the process has ended, and another one is started then. */
	if (soaking_pause(&daemon->soaking, false) < 0)
		daemon->soaking.paused = false;
}
