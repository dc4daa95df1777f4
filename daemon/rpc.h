/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC 2.0: from one line of text to one line of answer, or none.
 *
 * A pure function of the line and a table of methods: it knows no socket, no clock and no state of
 * its own, so that the examples of the specification test it and a fuzzer can feed it. What a
 * method does stands in the table's handlers.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_NOT_PERMITTED = 1,
	RPC_NOT_NOW = 2,
	RPC_NO_SUCH_RUN = 3,
};

#define RPC_MAX_BATCH 64

/* What a handler answers: a result, or an error. Zeroed before the handler is called. */
struct rpc_answer {
	json_t *result; /* owned; used when code is 0; NULL then means out of memory */
	int code;	/* 0, or one of the codes above */
	char message[160];
	json_t *data; /* owned, may be NULL */
};

/* One request, as a handler sees it. */
struct rpc_call {
	const json_t *params; /* borrowed; an object, an array, or NULL when left out */
	void *context;	      /* what rpc_handle() was given: whom the handler serves */
	const struct rpc_method *method;
};

typedef void rpc_handler_fn(const struct rpc_call *call, struct rpc_answer *answer);

struct rpc_method {
	const char *name;
	rpc_handler_fn *handle;
	bool control; /* only for those whom `may_control` allows */
};

struct rpc_table {
	const struct rpc_method *methods;
	size_t n_methods;
	/* Asked before a control method is run; NULL allows everybody. */
	bool (*may_control)(void *context);
};

/*
 * Answer one line.
 *
 * @line, @length: the text without its line end; need not end in NUL
 * @context: handed to the handlers
 * @ret_reply: the answer, compact, without line end; free() it; NULL when there is nothing to
 *             answer (notifications only)
 *
 * A batch is handled in order, at most RPC_MAX_BATCH members. Numbers of an `id` come back as they
 * were. Never fails because of what the line holds.
 *
 * Return: 0 or -ENOMEM.
 */
int rpc_handle(const struct rpc_table *table, const char *line, size_t length, void *context,
	       char **ret_reply);

/* Write the error reply with `id` null that a line gets which could not even be read. */
int rpc_error_reply(int code, const char *message, char **ret_reply);

/* Write a notification. @params is consumed, also on failure. Return: 0 or -ENOMEM. */
int rpc_notification(const char *method, json_t *params, char **ret_line);

/* Answer with an error; `format` as printf. */
void rpc_fail(struct rpc_answer *answer, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Answer -32602: the member @name is wrong and @allowed says what it may be
 * ("a number from 0 to 0.5"). Fills data as PROTOCOL.md says.
 */
void rpc_fail_member(struct rpc_answer *answer, const char *name, const char *allowed);

/*
 * Check that params is an object (or left out) whose members are all among names[n].
 *
 * Return: true; false after answering -32602 with the member that is unknown, or saying that
 * parameters go by name.
 */
bool rpc_check_members(const struct rpc_call *call, const char *const *names, size_t n,
		       struct rpc_answer *answer);
