/* SPDX-License-Identifier: MIT */
/*
 * soakctl status and soakctl rpc: what the daemon says, in words or as it says it.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "commands.h"
#include "facts.h"
#include "session.h"
#include "show.h"

struct ask_options {
	const char *socket_path;
	bool json;
};

enum {
	SET_STATUS = 1,
	SET_RPC = 2,
};

static const struct optparse_row rows[] = {
	{SET_STATUS, '\0', "json", NULL, "write what the daemon answers, as JSON", NULL,
	 .at = offsetof(struct ask_options, json)},
	{SET_STATUS | SET_RPC, '\0', "socket", "PATH", "use the daemon at this socket", "a path",
	 .at = offsetof(struct ask_options, socket_path)},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

void help_status(FILE *file)
{
	optparse_help(file, rows, N_ROWS, SET_STATUS);
}

void help_rpc(FILE *file)
{
	optparse_help(file, rows, N_ROWS, SET_RPC);
}

int run_status(int argc, char **argv)
{
	struct ask_options options = {0};
	struct session session;
	json_t *status;
	int first, r;

	if (optparse("soakctl status", argc, argv, rows, N_ROWS, SET_STATUS, &options, &first) <
		    0 ||
	    show_unexpected("soakctl status", argc, argv, first) ||
	    session_require("soakctl", options.socket_path, &session) < 0)
		return STATUS_FAILED;
	r = session_call(&session, "status.get", NULL, &status);
	session_close(&session);
	if (r < 0)
		return STATUS_FAILED;
	if (options.json)
		r = show_json(status);
	else
		facts_print(stdout, status);
	json_decref(status);
	return r < 0 ? STATUS_FAILED : 0;
}

/* Return: 0 with the params (NULL for none); -EINVAL after saying what is wrong. */
static int read_params(const char *text, json_t **ret)
{
	json_error_t error;

	*ret = NULL;
	if (!text)
		return 0;
	*ret = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!*ret)
		(void)fprintf(stderr, "soakctl rpc: the parameters are no JSON object: %s\n",
			      error.text);
	return *ret ? 0 : -EINVAL;
}

int run_rpc(int argc, char **argv)
{
	struct ask_options options = {0};
	struct session session;
	json_t *params, *result;
	int first, r;

	if (optparse("soakctl rpc", argc, argv, rows, N_ROWS, SET_RPC, &options, &first) < 0)
		return STATUS_FAILED;
	if (first >= argc) {
		(void)fprintf(stderr, "soakctl rpc: no method given, such as status.get\n");
		return STATUS_FAILED;
	}
	if (show_unexpected("soakctl rpc", argc, argv, first + 2) ||
	    read_params(first + 1 < argc ? argv[first + 1] : NULL, &params) < 0)
		return STATUS_FAILED;
	if (session_require("soakctl", options.socket_path, &session) < 0) {
		json_decref(params);
		return STATUS_FAILED;
	}
	r = session_call(&session, argv[first], params, &result);
	session_close(&session);
	if (r < 0)
		return r == -EREMOTEIO ? STATUS_REFUSED : STATUS_FAILED;
	r = show_json(result);
	json_decref(result);
	return r < 0 ? STATUS_FAILED : 0;
}
