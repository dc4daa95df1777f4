/* SPDX-License-Identifier: MIT */
/*
 * The methods that give samples, one by one or as they come.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "methods.h"
#include "params.h"
#include "report-json.h"

/* A reply stays well below what a peer may leave unread. */
#define MOST_CPU_SAMPLES 8000

#define DEFAULT_LAST 60

static struct method_context *context_of(const struct rpc_call *call)
{
	return call->context;
}

/* Return: selected[n_cpus], heap; NULL after answering. */
static bool *read_selection(const struct rpc_call *call, struct rpc_answer *answer)
{
	const struct sampler *sampler = &context_of(call)->daemon->sampler;
	const struct cpulist *all = &context_of(call)->daemon->soaking.cpus;
	cleanup(cpulist_fini) struct cpulist list = {0};
	bool *selected;

	if (!params_cpus(call, all, &list, answer))
		return NULL;
	selected = calloc(sampler->n_cpus, sizeof(*selected));
	if (!selected)
		rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
	for (size_t i = 0; selected && i < sampler->n_cpus; i++)
		selected[i] = cpulist_has(&list, sampler->cpus[i].cpu);
	return selected;
}

/* Which samples are asked for: [first, end) by seq, as many as a reply may hold. */
static bool read_range(const struct rpc_call *call, uint64_t *ret_first, uint64_t *ret_end,
		       struct rpc_answer *answer)
{
	const struct history *history = &context_of(call)->daemon->sampler.history;
	uint64_t oldest = history_oldest(history), most = MOST_CPU_SAMPLES / history->n_cpus;
	int64_t last, since;

	if (!params_integer(call, "last", 1, INT64_MAX, DEFAULT_LAST, &last, answer) ||
	    !params_integer(call, "since", 0, INT64_MAX, -1, &since, answer))
		return false;
	if (since >= 0 && json_object_get(call->params, "last")) {
		rpc_fail_member(answer, "last", "last or since, not both");
		return false;
	}
	*ret_end = history->newest + 1;
	if (since >= 0)
		*ret_first = (uint64_t)since + 1;
	else
		*ret_first = (uint64_t)last < *ret_end ? *ret_end - (uint64_t)last : 1;
	if (*ret_first < oldest)
		*ret_first = oldest;
	if (*ret_first > *ret_end)
		*ret_first = *ret_end;
	if (most == 0)
		most = 1;
	if (*ret_end - *ret_first > most)
		*ret_end = *ret_first + most;
	return true;
}

void handle_samples_get(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {"last", "since", PARAMS_CPUS_MEMBER};
	const struct daemon *daemon = context_of(call)->daemon;
	cleanup(freep) bool *selected = NULL;
	uint64_t first, end;
	json_t *list;

	if (!rpc_check_members(call, members, sizeof(members) / sizeof(members[0]), answer) ||
	    !read_range(call, &first, &end, answer))
		return;
	selected = read_selection(call, answer);
	if (!selected)
		return;
	list = json_array();
	for (uint64_t seq = first; seq < end; seq++) {
		const struct cpu_sample *cpus;
		const struct sample *sample = history_get(&daemon->sampler.history, seq, &cpus);

		(void)json_array_append_new(list, sample_to_json(daemon, sample, cpus, selected));
	}
	answer->result = json_pack("{s:o, s:b}", "samples", list, "more",
				   end <= daemon->sampler.history.newest);
}

/* A subscription is the peer's own pointer. */
struct subscription {
	uint64_t number;
	uint64_t n_dropped;
};

void handle_samples_subscribe(const struct rpc_call *call, struct rpc_answer *answer)
{
	struct method_context *method = context_of(call);
	struct subscription *subscription = peer_data(method->peer);

	if (!rpc_check_members(call, NULL, 0, answer))
		return;
	if (!subscription) {
		subscription = calloc(1, sizeof(*subscription));
		if (!subscription) {
			rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
			return;
		}
		subscription->number = ++method->daemon->next_subscription;
		peer_set_data(method->peer, subscription);
		method->daemon->n_subscribers++;
	}
	answer->result =
		json_pack("{s:o}", "subscription", json_sprintf("s%" PRIu64, subscription->number));
}

static bool names_subscription(const json_t *value, const struct subscription *subscription)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "s%" PRIu64, subscription->number);
	return json_is_string(value) && strcmp(json_string_value(value), name) == 0;
}

void handle_samples_unsubscribe(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {"subscription"};
	struct method_context *method = context_of(call);
	const struct subscription *subscription = peer_data(method->peer);

	if (!rpc_check_members(call, members, 1, answer))
		return;
	if (!subscription ||
	    !names_subscription(json_object_get(call->params, "subscription"), subscription)) {
		rpc_fail_member(answer, "subscription",
				"what samples.subscribe answered on this connection");
		return;
	}
	methods_forget(method->daemon, method->peer);
	answer->result = json_object();
}

void methods_forget(struct daemon *daemon, struct peer *peer)
{
	if (!peer_data(peer))
		return;
	free(peer_data(peer));
	peer_set_data(peer, NULL);
	daemon->n_subscribers--;
}

/*
 * A notification is written once, however many subscribe: only the first members of its params
 * differ, and are put in here.
 */
struct publication {
	const char *line;   /* without those */
	size_t head_length; /* up to and with the "{" that params begin with */
};

static void publish_to(struct peer *peer, void *data)
{
	struct subscription *subscription = peer_data(peer);
	const struct publication *publication = data;
	cleanup(freep) char *line = NULL;

	if (!subscription)
		return;
	if (asprintf(&line, "%.*s\"subscription\":\"s%" PRIu64 "\",\"dropped\":%" PRIu64 ",%s",
		     (int)publication->head_length, publication->line, subscription->number,
		     subscription->n_dropped, publication->line + publication->head_length) < 0)
		line = NULL;
	if (!line || !peer_stream(peer, line))
		subscription->n_dropped++;
}

/* A subscriber that there was no memory for, too, has to be told. */
static void count_drop(struct peer *peer, void *data)
{
	struct subscription *subscription = peer_data(peer);

	(void)data;
	if (subscription)
		subscription->n_dropped++;
}

void methods_publish(struct daemon *daemon, const struct sample *sample)
{
	const struct cpu_sample *cpus;
	cleanup(freep) char *line = NULL;
	struct publication publication;
	json_t *object;

	if (daemon->n_subscribers == 0)
		return;
	(void)history_get(&daemon->sampler.history, sample->seq, &cpus);
	object = sample_to_json(daemon, sample, cpus, NULL);
	if (!object ||
	    rpc_notification("samples.update", json_pack("{s:o}", "sample", object), &line) < 0) {
		server_each(daemon->server, count_drop, NULL);
		return;
	}
	publication.line = line;
	publication.head_length = (size_t)(strstr(line, "{\"sample\":") + 1 - line);
	server_each(daemon->server, publish_to, &publication);
}
