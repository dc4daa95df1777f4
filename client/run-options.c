/* SPDX-License-Identifier: MIT */
/*
 * See run-options.h.
 */
#include "run-options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cleanup.h"
#include "commands.h"
#include "optparse.h"
#include "parse.h"

/* Which commands take an option. */
#define SET_RUN	 1U
#define SET_AB	 2U
#define SET_BOTH (SET_RUN | SET_AB)

#define MOST_RUNS	  100000
#define MOST_SETTLE_NS	  (3600 * 1000000000ULL)
#define DEFAULT_SETTLE_NS 2000000000ULL
#define DEFAULT_AB_RUNS	  10

static int read_runs(const char *text, void *options)
{
	return parse_u64(text, 1, MOST_RUNS, &((struct run_options *)options)->n_runs);
}

/* Each block of A B B A has two of each. */
static int read_even_runs(const char *text, void *options)
{
	uint64_t n;
	int r = parse_u64(text, 2, MOST_RUNS, &n);

	if (r < 0)
		return r;
	((struct run_options *)options)->n_runs = n;
	return n % 2 == 0 ? 0 : -EINVAL;
}

static int read_until_ci(const char *text, void *options)
{
	((struct run_options *)options)->until_ci_text = text;
	return effect_parse(text, &((struct run_options *)options)->until_ci);
}

/* Cut in place: argv is ours to change. */
static int read_labels(const char *text, void *context)
{
	struct run_options *options = context;
	char *comma = strchr((char *)text, ',');

	if (!comma || comma == text || !comma[1] || strchr(comma + 1, ','))
		return -EINVAL;
	*comma = '\0';
	options->label = text;
	options->second_label = comma + 1;
	return 0;
}

static int read_warmups(const char *text, void *options)
{
	return parse_u64(text, 0, MOST_RUNS, &((struct run_options *)options)->n_warmups);
}

static int read_trim(const char *text, void *options)
{
	return parse_trim(text, &((struct run_options *)options)->trim);
}

static int read_settle(const char *text, void *options)
{
	return parse_duration_ns(text, 0, MOST_SETTLE_NS,
				 &((struct run_options *)options)->settle_ns);
}

static int read_cpus(const char *text, void *context)
{
	struct run_options *options = context;

	options->cpus_text = text;
	return cpulist_replace(text, &options->cpus);
}

static int read_body(const char *text, void *options)
{
	static const char *const bodies[] = {"alu", "pause", "memory"};

	((struct run_options *)options)->body = text;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (strcmp(bodies[i], text) == 0)
			return 0;
	return -EINVAL;
}

/* "-" is where --json writes. */
static int read_save(const char *text, void *context)
{
	struct run_options *options = context;

	if (strcmp(text, "-") == 0)
		options->json = true;
	else
		options->save_path = text;
	return text[0] ? 0 : -EINVAL;
}

static int read_metric(const char *text, void *options)
{
	return metric_options_add(&((struct run_options *)options)->metrics, text);
}

static int read_work(const char *text, void *options)
{
	return metric_options_set_work(&((struct run_options *)options)->metrics, text);
}

static const struct optparse_row rows[] = {
	{SET_RUN, 'n', "runs", "RUNS", "how often to run the command (default 1)",
	 "a number from 1 to 100000", .read = read_runs},
	{SET_AB, 'n', "runs", "RUNS", "how often to run each command (default 10)",
	 "an even number from 2 to 100000, as runs come in blocks of A B B A",
	 .read = read_even_runs},
	{SET_AB, '\0', "until-ci", "SIZE", "end early once the change is known so well: 0.1pp",
	 "a size above 0: 0.1 (percentage points), 0.1pp, or 2% of A", .read = read_until_ci},
	{SET_AB, '\0', "label", "A,B", "what to call the two (default A,B)",
	 "two names with a comma between them", .read = read_labels},
	{SET_BOTH, 'w', "warmups", "RUNS", "runs before those, which do not count (default 0)",
	 "a number from 0 to 100000", .read = read_warmups},
	{SET_BOTH, '\0', "trim", "10%|COUNT", "samples cut from each end (default 10%)",
	 "a share below 50% such as 10%, or a count such as 8", .read = read_trim},
	{SET_BOTH, '\0', "settle", "TIME", "quiet time before and after a run (default 2s)",
	 "a time from 0s to 1h", .read = read_settle},
	{SET_BOTH, 'o', "save", "FILE", "save everything, samples included, as a run file",
	 "a file", .read = read_save},
	{SET_BOTH, '\0', "sync", NULL, "lose only a second to a power cut (writes each second)",
	 NULL, .at = offsetof(struct run_options, syncs)},
	{SET_RUN, '\0', "append", NULL, "add the runs to those in FILE", NULL,
	 .at = offsetof(struct run_options, append)},
	{SET_RUN, '\0', "label", "NAME", "what to call this side in the report", "a name",
	 .at = offsetof(struct run_options, label)},
	{SET_BOTH, '\0', "prepare", "CMD", "shell command before each run, not measured",
	 "a shell command", .at = offsetof(struct run_options, prepare)},
	{SET_BOTH, '\0', "json", NULL, "write one JSON document to stdout instead of text", NULL,
	 .at = offsetof(struct run_options, json)},
	{SET_BOTH, '\0', "cpus", "LIST", "CPUs to measure, as in 0-3,8 (default: all)",
	 "a list of CPU numbers such as 0-3,8", .read = read_cpus},
	{SET_BOTH, '\0', "body", "NAME", "what soakers do: alu, pause, memory (default alu)",
	 "alu, pause or memory", .read = read_body},
	{SET_BOTH, '\0', "output", "null|FILE", "where the command's stdout goes", "null or a file",
	 .at = offsetof(struct run_options, output)},
	{SET_BOTH, '\0', "input", "FILE", "the command's stdin (default /dev/null)", "a file",
	 .at = offsetof(struct run_options, input)},
	{SET_RUN, 'q', "quiet", NULL, "print nothing but the mean load in percent", NULL,
	 .at = offsetof(struct run_options, quiet)},
	{SET_RUN, '\0', "observer", NULL, "run it as often without soakers: do they change it?",
	 NULL, .at = offsetof(struct run_options, observer)},
	{SET_AB, 'q', "quiet", NULL, "print nothing but the change of the load", NULL,
	 .at = offsetof(struct run_options, quiet)},
	{SET_BOTH, '\0', "socket", "PATH", "use the daemon at this socket", "a path",
	 .at = offsetof(struct run_options, socket_path)},
	{SET_BOTH, '\0', "metric", "NAME=REGEX", "a number in the output ([:higher|:lower])",
	 "NAME=REGEX, at most 16 times", .read = read_metric},
	{SET_BOTH, '\0', "work", "N UNIT", "what a run does, for CPU time per UNIT",
	 "an amount above 0 and what it counts, such as 500 MiB", .read = read_work},
	{SET_BOTH, '\0', "work-metric", "NAME", "the --metric that says what a run did",
	 "the name of a --metric", .at = offsetof(struct run_options, metrics.work_metric)},
	{SET_BOTH, '\0', "force", NULL, "replace FILE; measure although soakers disturb", NULL,
	 .at = offsetof(struct run_options, force)},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_run(FILE *file)
{
	optparse_help(file, rows, N_ROWS, SET_RUN);
}

void help_ab(FILE *file)
{
	optparse_help(file, rows, N_ROWS, SET_AB);
	(void)fprintf(file, "\nA command of one word is given to sh -c; one of several is run as "
			    "it is.\n");
}

/* Return: 0; the exit status after saying what is wrong. */
static int check_command(const struct run_options *options)
{
	int r = child_find(options->argv[0]);

	if (r == 0)
		return 0;
	(void)fprintf(stderr, "soakctl: %s: %s\n", options->argv[0],
		      r == -ENOENT ? "no such program" : strerror(-r));
	return r == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

static int check_file(const char *path, int flags, const char *what)
{
	int fd = open(path, flags | O_CLOEXEC, 0666);

	if (fd == -1) {
		(void)fprintf(stderr, "soakctl: cannot %s %s: %s\n", what, path, strerror(errno));
		return STATUS_FAILED;
	}
	(void)close(fd);
	return 0;
}

static bool has_output_file(const struct run_options *options)
{
	return options->output && strcmp(options->output, "null") != 0;
}

static int check_files(const struct run_options *options)
{
	int status = 0;

	if (options->input)
		status = check_file(options->input, O_RDONLY, "read");
	if (status == 0 && has_output_file(options))
		status = check_file(options->output, O_WRONLY | O_CREAT, "write");
	return status;
}

int run_options_empty_output(const struct run_options *options)
{
	if (!has_output_file(options))
		return 0;
	return check_file(options->output, O_WRONLY | O_CREAT | O_TRUNC, "write");
}

static const struct run_options defaults = {
	.n_runs = 1,
	.trim = {.kind = TRIM_SHARE, .share = TRIM_DEFAULT_SHARE},
	.settle_ns = DEFAULT_SETTLE_NS,
};

int run_options_parse(int argc, char **argv, struct run_options *ret)
{
	int first, status;

	*ret = defaults;
	if (optparse("soakctl run", argc, argv, rows, N_ROWS, SET_RUN, ret, &first) < 0)
		return STATUS_FAILED;
	if (metric_options_check(&ret->metrics, "soakctl run") < 0)
		return STATUS_FAILED;
	if (first >= argc) {
		(void)fprintf(stderr, "soakctl run: no command given (see soakctl run --help)\n");
		return STATUS_FAILED;
	}
	if (ret->append && !ret->save_path) {
		(void)fprintf(stderr, "soakctl run: --append needs -o FILE\n");
		return STATUS_FAILED;
	}
	if (ret->append && ret->observer) {
		(void)fprintf(stderr, "soakctl run: --observer needs a file of its own: leave "
				      "--append out\n");
		return STATUS_FAILED;
	}
	ret->argv = &argv[first];
	status = check_command(ret);
	return status == 0 ? check_files(ret) : status;
}

/* Where "--" parts the two commands; 0: nowhere, or twice. */
static int find_parting(int argc, char **argv, int first)
{
	int parting = 0;

	for (int i = first; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (parting)
			return 0;
		parting = i;
	}
	return parting > first && parting + 1 < argc ? parting : 0;
}

/* One word is a shell's command, several are a program and its arguments. */
static void set_command(struct run_options *options, char **words)
{
	if (words[1]) {
		options->argv = words;
		return;
	}
	options->shell_argv[0] = (char *)"sh";
	options->shell_argv[1] = (char *)"-c";
	options->shell_argv[2] = words[0];
	options->argv = options->shell_argv;
}

int run_options_parse_ab(int argc, char **argv, struct run_options ret[2])
{
	int first, parting, status;

	ret[0] = defaults;
	ret[0].n_runs = DEFAULT_AB_RUNS;
	ret[0].label = "A";
	ret[0].second_label = "B";
	ret[1] = (struct run_options){0};
	if (optparse("soakctl ab", argc, argv, rows, N_ROWS, SET_AB, &ret[0], &first) < 0)
		return STATUS_FAILED;
	if (metric_options_check(&ret[0].metrics, "soakctl ab") < 0)
		return STATUS_FAILED;
	parting = find_parting(argc, argv, first);
	if (parting == 0) {
		(void)fprintf(stderr, "soakctl ab: give two commands: -- 'CMD A' -- 'CMD B'\n");
		return STATUS_FAILED;
	}
	argv[parting] = NULL;
	/* Alike in all else; what the first owns is borrowed. */
	ret[1] = ret[0];
	ret[1].label = ret[0].second_label;
	set_command(&ret[0], &argv[first]);
	set_command(&ret[1], &argv[parting + 1]);
	status = check_command(&ret[0]);
	if (status == 0)
		status = check_command(&ret[1]);
	return status == 0 ? check_files(ret) : status;
}

void run_options_fini(struct run_options *options)
{
	cpulist_fini(&options->cpus);
	metric_options_fini(&options->metrics);
}
