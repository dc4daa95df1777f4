/* SPDX-License-Identifier: MIT */
/*
 * Reading the parameters of a call: each reader answers -32602 itself, naming the member and what
 * it may be, and returns false.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "rpc.h"
#include "stats.h"

/* The members that params_trim() and params_cpus() read, for rpc_check_members(). */
#define PARAMS_TRIM_MEMBERS "trim_ratio", "trim_count"
#define PARAMS_CPUS_MEMBER  "cpus"

/* A number from @min to @max; left out: @otherwise. */
bool params_number(const struct rpc_call *call, const char *name, double min, double max,
		   double otherwise, double *ret, struct rpc_answer *answer);

/* An integer from @min to @max; left out: @otherwise. */
bool params_integer(const struct rpc_call *call, const char *name, int64_t min, int64_t max,
		    int64_t otherwise, int64_t *ret, struct rpc_answer *answer);

/* "trim_ratio" or "trim_count", not both; left out: 10 % from each end. */
bool params_trim(const struct rpc_call *call, struct trim *ret, struct rpc_answer *answer);

/*
 * "cpus": a list of CPU numbers, all among @allowed; left out: a copy of @allowed.
 *
 * @ret: cpulist_fini() it
 */
bool params_cpus(const struct rpc_call *call, const struct cpulist *allowed, struct cpulist *ret,
		 struct rpc_answer *answer);
