/* SPDX-License-Identifier: MIT */
/*
 * soakctl: find the command and run it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "version.h"

struct command {
	const char *name;
	const char *synopsis;
	const char *help;
	int (*run)(int argc, char **argv);
	void (*print_options)(FILE *file);
};

static const struct command commands[] = {
	{"run", "[OPTION...] [--] COMMAND [ARG...]", "measure what a command costs in CPU", run_run,
	 help_run},
	{"ab", "[OPTION...] -- 'CMD A' -- 'CMD B'",
	 "measure two commands in turns and compare them", run_ab, help_ab},
	{"report", "[OPTION...] [FILE...]",
	 "show what the CPUs lost lately, or what a run file holds", run_report, help_report},
	{"compare", "[OPTION...] FILE FILE...",
	 "say whether runs after a change cost more than before", run_compare, help_compare},
	{"recover", "[OPTION...] FILE.part", "make a run file of a series that was cut off",
	 run_recover, help_recover},
	{"import", "--format FORMAT [OPTION...] FILE...", "turn logs into run files", run_import,
	 help_import},
	{"status", "[OPTION...]", "show what the daemon does", run_status, help_status},
	{"rpc", "[OPTION...] METHOD [JSON]", "call a method of the daemon", run_rpc, help_rpc},
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int print_help(void)
{
	(void)printf("Usage: soakctl COMMAND [ARG...]\n\nCommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		(void)printf("  %-8s  %s\n", commands[i].name, commands[i].help);
	(void)printf("\nsoakctl COMMAND --help shows a command's options.\n"
		     "The daemon is looked for at --socket, $SOAKD_SOCKET,\n"
		     "$XDG_RUNTIME_DIR/soakd/soakd.sock and /run/soakd/soakd.sock.\n");
	return 0;
}

static int print_command_help(const struct command *command)
{
	(void)printf("Usage: soakctl %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis,
		     command->help);
	command->print_options(stdout);
	return 0;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		(void)fprintf(stderr, "soakctl: no command given (see soakctl --help)\n");
		return STATUS_FAILED;
	}
	if (strcmp(argv[1], "--version") == 0)
		return printf("soakctl %s\n", SOAK_VERSION) < 0 ? STATUS_FAILED : 0;
	if (is_help(argv[1]) || (strcmp(argv[1], "help") == 0 && argc < 3))
		return print_help();
	command = find_command(strcmp(argv[1], "help") == 0 ? argv[2] : argv[1]);
	if (!command) {
		(void)fprintf(stderr, "soakctl: unknown command %s (see soakctl --help)\n",
			      strcmp(argv[1], "help") == 0 ? argv[2] : argv[1]);
		return STATUS_FAILED;
	}
	/* Only as the first argument: later ones may be the measured command's own. */
	if (strcmp(argv[1], "help") == 0 || (argc > 2 && is_help(argv[2])))
		return print_command_help(command);
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* What was said to a full disk was not said. */
	if ((fflush(stdout) == EOF || ferror(stdout)) && status == 0) {
		(void)fprintf(stderr, "soakctl: cannot write to stdout\n");
		return STATUS_FAILED;
	}
	return status;
}
