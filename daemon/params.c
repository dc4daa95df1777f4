/* SPDX-License-Identifier: MIT */
/*
 * See params.h.
 */
#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"

#define MAX_TRIM_COUNT 1000000

bool params_number(const struct rpc_call *call, const char *name, double min, double max,
		   double otherwise, double *ret, struct rpc_answer *answer)
{
	const json_t *value = json_object_get(call->params, name);
	char allowed[96];
	double number;

	if (!value) {
		*ret = otherwise;
		return true;
	}
	number = json_number_value(value);
	if (!json_is_number(value) || !(number >= min && number <= max)) {
		(void)snprintf(allowed, sizeof(allowed), "a number from %g to %g", min, max);
		rpc_fail_member(answer, name, allowed);
		return false;
	}
	*ret = number;
	return true;
}

bool params_integer(const struct rpc_call *call, const char *name, int64_t min, int64_t max,
		    int64_t otherwise, int64_t *ret, struct rpc_answer *answer)
{
	const json_t *value = json_object_get(call->params, name);
	char allowed[96];

	if (!value) {
		*ret = otherwise;
		return true;
	}
	if (!json_is_integer(value) || json_integer_value(value) < min ||
	    json_integer_value(value) > max) {
		(void)snprintf(allowed, sizeof(allowed), "an integer from %" PRId64 " to %" PRId64,
			       min, max);
		rpc_fail_member(answer, name, allowed);
		return false;
	}
	*ret = json_integer_value(value);
	return true;
}

bool params_trim(const struct rpc_call *call, struct trim *ret, struct rpc_answer *answer)
{
	struct trim trim = {.kind = TRIM_SHARE};
	const json_t *share = json_object_get(call->params, "trim_ratio");
	int64_t count;

	if (json_object_get(call->params, "trim_count")) {
		if (share) {
			rpc_fail_member(answer, "trim_ratio", "left out when trim_count is given");
			return false;
		}
		if (!params_integer(call, "trim_count", 0, MAX_TRIM_COUNT, 0, &count, answer))
			return false;
		*ret = (struct trim){.kind = TRIM_COUNT, .count = (size_t)count};
		return true;
	}
	trim.share = share ? json_number_value(share) : TRIM_DEFAULT_SHARE;
	if ((share && !json_is_number(share)) || !(trim.share >= 0 && trim.share < 0.5)) {
		rpc_fail_member(answer, "trim_ratio",
				"a number from 0 to below 0.5: the share cut from each end");
		return false;
	}
	*ret = trim;
	return true;
}

static bool fail_cpus(const struct cpulist *allowed, struct rpc_answer *answer)
{
	cleanup(freep) char *list = NULL, *text = NULL;

	if (cpulist_format(allowed, &list) < 0 ||
	    asprintf(&text, "a list of CPU numbers, not empty, among %s", list) == -1) {
		text = NULL;
		rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
		return false;
	}
	rpc_fail_member(answer, "cpus", text);
	return false;
}

bool params_cpus(const struct rpc_call *call, const struct cpulist *allowed, struct cpulist *ret,
		 struct rpc_answer *answer)
{
	const json_t *cpus = json_object_get(call->params, "cpus"), *entry;
	struct cpulist list = {0};
	size_t index;
	int r = 0;

	if (!cpus)
		r = cpulist_copy(allowed, &list);
	else if (!json_is_array(cpus) || json_array_size(cpus) == 0)
		return fail_cpus(allowed, answer);
	json_array_foreach (cpus, index, entry) {
		json_int_t cpu = json_integer_value(entry);

		if (!json_is_integer(entry) || cpu < 0 || cpu > CPULIST_MAX_CPU ||
		    !cpulist_has(allowed, (int)cpu)) {
			cpulist_fini(&list);
			return fail_cpus(allowed, answer);
		}
		if (r == 0)
			r = cpulist_add(&list, (int)cpu);
	}
	if (r < 0) {
		cpulist_fini(&list);
		rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
		return false;
	}
	*ret = list;
	return true;
}
