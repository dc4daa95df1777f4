/* SPDX-License-Identifier: MIT */
/*
 * The methods that answer what was lost: over the last while, or between two moments exactly.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "clock.h"
#include "json.h"
#include "methods.h"
#include "params.h"
#include "parse.h"
#include "report-json.h"

#define DEFAULT_LAST_SECONDS 60
#define MOST_LAST_SECONDS    (720 * 3600.0) /* as soakctl report --last */

/* /proc/stat counts in ticks of 10 ms on each CPU: below a hundred of them it tells nothing. */
#define LEAST_ACCOUNTED_NS 1e9

static struct daemon *daemon_of(const struct rpc_call *call)
{
	return ((struct method_context *)call->context)->daemon;
}

/* Return: whether samples have begun; false after answering. */
static bool check_sampling(const struct daemon *daemon, struct rpc_answer *answer)
{
	if (!daemon->sampling)
		rpc_fail(answer, RPC_NOT_NOW, "soakd is still calibrating");
	return daemon->sampling;
}

/* Return: selected[n_cpus], heap, or NULL. */
static bool *select_cpus(const struct sampler *sampler, const struct cpulist *list)
{
	bool *selected = calloc(sampler->n_cpus, sizeof(*selected));

	for (size_t i = 0; selected && i < sampler->n_cpus; i++)
		selected[i] = cpulist_has(list, sampler->cpus[i].cpu);
	return selected;
}

/* CPUs that the report may be about: what is soaked now. */
static bool read_cpus(const struct rpc_call *call, struct cpulist *ret, struct rpc_answer *answer)
{
	cleanup(cpulist_fini) struct cpulist soaked = {0};

	if (daemon_soaked_cpus(daemon_of(call), &soaked) < 0) {
		rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
		return false;
	}
	if (soaked.n == 0) {
		rpc_fail(answer, RPC_NOT_NOW,
			 "no CPU is soaked now: the soakers are to be restarted");
		return false;
	}
	return params_cpus(call, &soaked, ret, answer);
}

static void answer_error(int r, struct rpc_answer *answer)
{
	if (r == -ENODATA)
		rpc_fail(answer, RPC_NOT_NOW, "no sample yet in that time");
	else
		rpc_fail(answer, RPC_INTERNAL_ERROR, "%s", strerror(-r));
}

void handle_report_get(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {"last_seconds", PARAMS_TRIM_MEMBERS,
					      PARAMS_CPUS_MEMBER};
	const struct daemon *daemon = daemon_of(call);
	cleanup(cpulist_fini) struct cpulist cpus = {0};
	cleanup(freep) bool *selected = NULL;
	struct report_request request = {.end_ns = clock_now_ns(CLOCK_MONOTONIC)};
	struct report report;
	double last_seconds;
	int r;

	if (!rpc_check_members(call, members, sizeof(members) / sizeof(members[0]), answer) ||
	    !params_number(call, "last_seconds", 0.01, MOST_LAST_SECONDS, DEFAULT_LAST_SECONDS,
			   &last_seconds, answer) ||
	    !params_trim(call, &request.trim, answer) || !check_sampling(daemon, answer) ||
	    !read_cpus(call, &cpus, answer))
		return;
	/* Samples wholly inside: with one interval of grace, as "the last 60 s" end now and the
	 * newest sample a little earlier. */
	request.begin_ns = request.end_ns - (uint64_t)(last_seconds * 1e9);
	request.begin_ns -= daemon->config.interval_ns;
	if (request.begin_ns > request.end_ns)
		request.begin_ns = 0;
	selected = select_cpus(&daemon->sampler, &cpus);
	request.selected = selected;
	r = selected ? report_compute(&daemon->sampler, daemon->calibration.cpus, &request, &report)
		     : -ENOMEM;
	if (r < 0) {
		answer_error(r, answer);
		return;
	}
	answer->result = report_to_json(daemon, &report, &request.trim);
	report_fini(&report);
}

void handle_run_begin(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {PARAMS_CPUS_MEMBER};
	struct method_context *method = call->context;
	struct daemon *daemon = method->daemon;
	cleanup(cpulist_fini) struct cpulist cpus = {0};
	struct run *run;
	int r;

	if (!rpc_check_members(call, members, 1, answer) || !check_sampling(daemon, answer) ||
	    !read_cpus(call, &cpus, answer))
		return;
	r = runs_begin(&daemon->runs, peer_uid(method->peer), &run);
	if (r < 0) {
		rpc_fail(answer, RPC_NO_SUCH_RUN, "too many runs are open");
		return;
	}
	run->selected = cpus;
	cpus = (struct cpulist){0};
	r = reading_take(&daemon->soaking, &daemon->sampler, &run->selected, READING_BEGIN,
			 &run->begin);
	if (r < 0) {
		runs_end(run);
		answer_error(r, answer);
		return;
	}
	answer->result = json_pack("{s:o, s:f}", "run", json_sprintf("r%" PRIu64, run->number),
				   "monotonic_seconds", (double)run->begin.monotonic_ns / 1e9);
}

static bool read_run(const struct rpc_call *call, struct run **ret, struct rpc_answer *answer)
{
	const char *name = json_get_string(call->params, "run");
	uint64_t number;

	if (!name || name[0] != 'r' || parse_u64(name + 1, 1, UINT64_MAX, &number) < 0) {
		rpc_fail_member(answer, "run", "what run.begin answered, such as \"r1\"");
		return false;
	}
	*ret = runs_find(&daemon_of(call)->runs, number);
	/* The numbers can be guessed: another user's run is none. */
	if (*ret && (*ret)->uid != peer_uid(((struct method_context *)call->context)->peer))
		*ret = NULL;
	if (!*ret)
		rpc_fail(answer, RPC_NO_SUCH_RUN,
			 "no run %s is open: it has ended, or made room for newer ones", name);
	return *ret != NULL;
}

/* Differences of the totals at the two ends: exact[n_cpus]. */
static void subtract_totals(const struct reading *begin, const struct reading *end, size_t n,
			    struct load_counts *exact)
{
	for (size_t i = 0; i < n; i++) {
		const struct load_counts *a = &begin->totals[i].counts, *b = &end->totals[i].counts;

		exact[i] = (struct load_counts){
			.elapsed_ns = b->elapsed_ns - a->elapsed_ns,
			.gap_ns = b->gap_ns - a->gap_ns,
			.passes = b->passes - a->passes,
			.gaps = b->gaps - a->gaps,
		};
	}
}

static json_t *histogram_to_json(const struct reading *begin, const struct reading *end,
				 double tick_ns)
{
	json_t *list = json_array();

	for (int b = 0; b < SLOT_BUCKETS; b++) {
		uint64_t count = end->histogram[b] - begin->histogram[b];

		if (count > 0)
			(void)json_array_append_new(list,
						    json_pack("{s:f, s:I}", "from_seconds",
							      (double)(1ULL << b) * tick_ns / 1e9,
							      "count", (json_int_t)count));
	}
	return list;
}

/* The kernel's opinion of the run. NaN where it has none. */
struct accounting {
	double accounted_ratio;
	double steal_ratio;
	double read_bytes;
	double written_bytes;
};

/* Return: whether exactly the soaked CPUs are selected, so that the soakers' time is theirs. */
static bool selects_all(const struct daemon *daemon, const struct run *run)
{
	for (size_t i = 0; i < daemon->sampler.n_cpus; i++)
		if (daemon->sampler.cpus[i].soaked &&
		    !cpulist_has(&run->selected, daemon->sampler.cpus[i].cpu))
			return false;
	return true;
}

static struct accounting account(const struct daemon *daemon, const struct run *run,
				 const struct reading *end)
{
	const struct reading *begin = &run->begin;
	struct accounting accounting = {NAN, NAN, NAN, NAN};
	struct procstat_change change;
	double window_ns =
		(double)(end->monotonic_ns - begin->monotonic_ns) * (double)run->selected.n;

	if (begin->has_diskstats && end->has_diskstats) {
		accounting.read_bytes =
			(double)(end->diskstats.read_bytes - begin->diskstats.read_bytes);
		accounting.written_bytes =
			(double)(end->diskstats.written_bytes - begin->diskstats.written_bytes);
	}
	if (!begin->has_procstat || !end->has_procstat || window_ns < LEAST_ACCOUNTED_NS ||
	    procstat_subtract(&begin->procstat, &end->procstat, &change) < 0)
		return accounting;
	accounting.steal_ratio = (double)change.steal_ns / window_ns;
	/* The soakers are charged as one process: with some of their CPUs left out, their share
	 * cannot be told, and all that is nice counts as theirs. */
	if (selects_all(daemon, run) && end->charged_ns < begin->charged_ns)
		accounting.accounted_ratio = NAN; /* the kernel no longer tells */
	else if (selects_all(daemon, run))
		accounting.accounted_ratio =
			((double)change.busy_ns - (double)(end->charged_ns - begin->charged_ns)) /
			window_ns;
	else
		accounting.accounted_ratio = (double)(change.busy_ns - change.nice_ns) / window_ns;
	return accounting;
}

/* What run.end answers beyond report.get. */
static json_t *run_to_json(const struct daemon *daemon, const struct run *run,
			   const struct reading *end, const struct report *report)
{
	struct accounting accounting = account(daemon, run, end);
	double load = report->figures.untrimmed_load_ratio;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "run",
			 json_sprintf("r%" PRIu64, run->number), "taken_cpu_seconds",
			 json_number(load_cpu_seconds(load, report->elapsed_ns,
						      (unsigned int)report->n_cpus)),
			 "accounted_ratio", json_number(accounting.accounted_ratio),
			 "unaccounted_ratio", json_number(load - accounting.accounted_ratio),
			 "steal_ratio", json_number(accounting.steal_ratio), "read_bytes",
			 json_number(accounting.read_bytes), "written_bytes",
			 json_number(accounting.written_bytes), "soaker_restarts",
			 (json_int_t)(end->n_restarts - run->begin.n_restarts),
			 "interruption_histogram",
			 histogram_to_json(&run->begin, end, daemon->sampler.tick_ns));
}

static int compute_run(const struct daemon *daemon, const struct run *run,
		       const struct reading *end, const struct trim *trim, json_t **ret)
{
	size_t n_cpus = daemon->sampler.n_cpus;
	cleanup(freep) bool *selected = select_cpus(&daemon->sampler, &run->selected);
	cleanup(freep) struct load_counts *exact = calloc(n_cpus, sizeof(*exact));
	struct report_request request = {
		.selected = selected,
		.begin_ns = run->begin.monotonic_ns,
		.end_ns = end->monotonic_ns,
		.trim = *trim,
		.exact = exact,
	};
	struct report report;
	json_t *result, *more;
	int r;

	if (!selected || !exact)
		return -ENOMEM;
	subtract_totals(&run->begin, end, n_cpus, exact);
	r = report_compute(&daemon->sampler, daemon->calibration.cpus, &request, &report);
	if (r < 0)
		return r;
	result = report_to_json(daemon, &report, trim);
	more = run_to_json(daemon, run, end, &report);
	report_fini(&report);
	if (!result || !more || json_object_update(result, more) == -1) {
		json_decref(result);
		json_decref(more);
		return -ENOMEM;
	}
	json_decref(more);
	*ret = result;
	return 0;
}

void handle_run_end(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const members[] = {"run", PARAMS_TRIM_MEMBERS};
	struct daemon *daemon = daemon_of(call);
	struct reading end = {0};
	struct trim trim;
	struct run *run;
	int r;

	if (!rpc_check_members(call, members, sizeof(members) / sizeof(members[0]), answer) ||
	    !params_trim(call, &trim, answer) || !read_run(call, &run, answer))
		return;
	r = reading_take(&daemon->soaking, &daemon->sampler, &run->selected, READING_END, &end);
	if (r == 0)
		r = compute_run(daemon, run, &end, &trim, &answer->result);
	if (r < 0)
		answer_error(r, answer);
	reading_fini(&end);
	runs_end(run);
}
