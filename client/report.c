/* SPDX-License-Identifier: MIT */
/*
 * soakctl report: what the CPUs lost over the last while, or what a run file holds.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "cpulist.h"
#include "json.h"
#include "parse.h"
#include "print.h"
#include "report-file.h"
#include "session.h"
#include "show.h"

struct report_options {
	uint64_t last_ns;
	struct trim trim;
	bool has_trim;
	const char *of_daemon; /* an option that was given and that only a daemon has a use for */
	struct cpulist cpus;   /* empty: all */
	const char *socket_path;
	bool per_cpu;
	bool json;
};

#define MOST_LAST_NS (720 * 3600 * 1000000000ULL)

static int read_last(const char *text, void *options)
{
	((struct report_options *)options)->of_daemon = "--last";
	return parse_duration_ns(text, 10000000, MOST_LAST_NS,
				 &((struct report_options *)options)->last_ns);
}

static int read_trim(const char *text, void *options)
{
	((struct report_options *)options)->has_trim = true;
	return parse_trim(text, &((struct report_options *)options)->trim);
}

static int read_cpus(const char *text, void *options)
{
	((struct report_options *)options)->of_daemon = "--cpus";
	return cpulist_replace(text, &((struct report_options *)options)->cpus);
}

static int read_socket(const char *text, void *options)
{
	((struct report_options *)options)->of_daemon = "--socket";
	((struct report_options *)options)->socket_path = text;
	return text[0] ? 0 : -EINVAL;
}

static const struct optparse_row rows[] = {
	{1, '\0', "last", "TIME", "how far back (default 60s)", "a time such as 30s or 5m",
	 .read = read_last},
	{1, '\0', "trim", "10%|COUNT", "samples cut from each end (default 10%)",
	 "a share below 50% such as 10%, or a count such as 8", .read = read_trim},
	{1, '\0', "per-cpu", NULL, "show every CPU as well", NULL,
	 .at = offsetof(struct report_options, per_cpu)},
	{1, '\0', "cpus", "LIST", "only these CPUs, as in 0-3,8",
	 "a list of CPU numbers such as 0-3,8", .read = read_cpus},
	{1, '\0', "json", NULL, "write what the daemon answers, as JSON", NULL,
	 .at = offsetof(struct report_options, json)},
	{1, '\0', "socket", "PATH", "use the daemon at this socket", "a path", .read = read_socket},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_report(FILE *file)
{
	optparse_help(file, rows, N_ROWS, 1);
}

static json_t *make_params(const struct report_options *options)
{
	json_t *params = json_pack("{s:f}", "last_seconds", (double)options->last_ns / 1e9);
	json_t *cpus = json_array();

	(void)json_set_trim(params, &options->trim);
	for (size_t i = 0; i < options->cpus.n; i++)
		(void)json_array_append_new(cpus, json_integer(options->cpus.cpus[i]));
	if (options->cpus.n > 0)
		(void)json_object_set(params, "cpus", cpus);
	json_decref(cpus);
	return params;
}

static void fini(struct report_options *options)
{
	cpulist_fini(&options->cpus);
}

static int report_given_files(const struct report_options *options, char **paths, int n_paths)
{
	const struct report_file_options of_files = {
		.trim = options->has_trim ? &options->trim : NULL,
		.per_cpu = options->per_cpu,
		.json = options->json,
	};

	if (!options->of_daemon)
		return report_files(&of_files, (const char *const *)paths, (size_t)n_paths);
	(void)fprintf(stderr, "soakctl report: %s asks a daemon, but a file is given: %s\n",
		      options->of_daemon, paths[0]);
	return STATUS_FAILED;
}

int run_report(int argc, char **argv)
{
	cleanup(fini) struct report_options options = {
		.last_ns = 60000000000,
		.trim = {.kind = TRIM_SHARE, .share = TRIM_DEFAULT_SHARE},
	};
	struct session session;
	json_t *report;
	int first, r;

	if (optparse_any_order("soakctl report", argc, argv, rows, N_ROWS, 1, &options, &first) < 0)
		return STATUS_FAILED;
	if (first < argc)
		return report_given_files(&options, &argv[first], argc - first);
	if (session_require("soakctl", options.socket_path, &session) < 0)
		return STATUS_FAILED;
	r = session_call(&session, "report.get", make_params(&options), &report);
	session_close(&session);
	if (r < 0)
		return STATUS_FAILED;
	if (options.json)
		r = show_json(report);
	else
		print_report(stdout, report, options.per_cpu);
	json_decref(report);
	return r < 0 ? STATUS_FAILED : 0;
}
