/* SPDX-License-Identifier: MIT */
/*
 * soakd: find the command and run it.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "soaker.h"
#include "version.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	unsigned int options;
	const char *help;
};

static const struct command commands[] = {
	{"start", run_start, OPTIONS_DAEMON, "start the daemon in the background"},
	{"run", run_run, OPTIONS_DAEMON, "run the daemon in the foreground, logging to stderr"},
	{"stop", run_stop, OPTIONS_SOCKET, "stop the daemon and its soakers"},
	{"status", run_status, OPTIONS_SOCKET, "show what the daemon does"},
	{"doctor", run_doctor, OPTIONS_SOCKET,
	 "check what could make this machine's figures wrong, and say what to do"},
	{"calibrate", run_calibrate, OPTIONS_CALIBRATE,
	 "measure pass time and idle floor of every CPU anew"},
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int print_help(void)
{
	(void)printf("Usage: soakd COMMAND [OPTION...]\n\n"
		     "Soaks every CPU with a loop at idle priority and measures what others take.\n"
		     "Ask it with soakctl.\n\nCommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		(void)printf("  %-10s  %s\n", commands[i].name, commands[i].help);
	(void)printf("\nThe socket is /run/soakd/soakd.sock for root, and\n"
		     "$XDG_RUNTIME_DIR/soakd/soakd.sock for other users.\n"
		     "soakd COMMAND --help shows a command's options.\n");
	return 0;
}

static int print_command_help(const struct command *command)
{
	(void)printf("Usage: soakd %s [OPTION...]\n\n%s\n\nOptions:\n", command->name,
		     command->help);
	options_print_help(stdout, command->options);
	return 0;
}

/* Return: whether --help stands anywhere among the arguments. */
static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		(void)fprintf(stderr, "soakd: no command given (see soakd --help)\n");
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], SOAKER_COMMAND) == 0)
		return soaker_main(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return print_help();
	if (strcmp(argv[1], "--version") == 0)
		return printf("soakd %s\n", SOAK_VERSION) < 0;
	command = find_command(argv[1]);
	if (!command) {
		(void)fprintf(stderr, "soakd: unknown command %s (see soakd --help)\n", argv[1]);
		return STATUS_USAGE;
	}
	if (wants_help(argc - 1, argv + 1))
		return print_command_help(command);
	return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* What was said to a full disk was not said. */
	if ((fflush(stdout) == EOF || ferror(stdout)) && status == 0) {
		(void)fprintf(stderr, "soakd: cannot write to stdout\n");
		return STATUS_FAILED;
	}
	return status;
}
