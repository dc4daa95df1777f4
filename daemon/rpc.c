/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher. A line is decoded once; every request in it becomes an answer or none, and what
 * is left is written once. The specification's words are in quotes where a rule is its own.
 */
#include "rpc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECODE_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)
#define ENCODE_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY)

/* A text that was cut must not end in a part of a character: jansson takes none that does. */
static void drop_torn_character(char *text)
{
	size_t end = strlen(text);

	while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	if (end > 0 && (unsigned char)text[end - 1] >= 0xc0)
		text[end - 1] = '\0';
}

void rpc_fail(struct rpc_answer *answer, int code, const char *format, ...)
{
	va_list arguments;
	int length;

	answer->code = code;
	va_start(arguments, format);
	length = vsnprintf(answer->message, sizeof(answer->message), format, arguments);
	va_end(arguments);
	if (length >= (int)sizeof(answer->message))
		drop_torn_character(answer->message);
}

void rpc_fail_member(struct rpc_answer *answer, const char *name, const char *allowed)
{
	rpc_fail(answer, RPC_INVALID_PARAMS, "Invalid params: %s must be %s", name, allowed);
	json_decref(answer->data);
	answer->data = json_pack("{s:s, s:s}", "member", name, "allowed", allowed);
}

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

bool rpc_check_members(const struct rpc_call *call, const char *const *names, size_t n,
		       struct rpc_answer *answer)
{
	const char *name;
	json_t *value;

	if (!call->params)
		return true;
	if (!json_is_object(call->params)) {
		rpc_fail(answer, RPC_INVALID_PARAMS,
			 "Invalid params: parameters are given by name, in an object");
		return false;
	}
	json_object_foreach ((json_t *)call->params, name, value) {
		if (is_among(name, names, n))
			continue;
		rpc_fail(answer, RPC_INVALID_PARAMS, "Invalid params: unknown member");
		answer->data = json_pack("{s:s, s:s}", "member", name, "allowed",
					 "no member of this name");
		return false;
	}
	return true;
}

/* Consumes @id (NULL: null) and the answer's data. Return: the reply, or NULL on lack of memory. */
static json_t *error_object(json_t *id, int code, const char *message, json_t *data)
{
	json_t *error = json_pack("{s:i, s:s}", "code", code, "message", message);

	if (data && json_object_set_new(error, "data", data) == -1) {
		json_decref(error);
		error = NULL;
	}
	return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "error", error, "id",
			 id ? id : json_null());
}

static json_t *invalid_request(void)
{
	return error_object(NULL, RPC_INVALID_REQUEST, "Invalid Request", NULL);
}

static const struct rpc_method *find_method(const struct rpc_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_methods; i++)
		if (strcmp(table->methods[i].name, name) == 0)
			return &table->methods[i];
	return NULL;
}

/* Run the method and complete what it left out. */
static void run_method(const struct rpc_table *table, const char *name, const json_t *params,
		       void *context, struct rpc_answer *answer)
{
	const struct rpc_method *method = find_method(table, name);
	const struct rpc_call call = {.params = params, .context = context, .method = method};

	if (!method) {
		rpc_fail(answer, RPC_METHOD_NOT_FOUND, "Method not found");
		answer->data = json_pack("{s:s}", "method", name);
		return;
	}
	if (method->control && table->may_control && !table->may_control(context)) {
		rpc_fail(answer, RPC_NOT_PERMITTED, "Not permitted");
		answer->data = json_pack("{s:s}", "reason",
					 "only root, the daemon's own user and its group may");
		return;
	}
	method->handle(&call, answer);
	if (answer->code == 0 && !answer->result)
		rpc_fail(answer, RPC_INTERNAL_ERROR, "out of memory");
	if (answer->code != 0 && !answer->data)
		answer->data = json_pack("{s:s}", "reason", answer->message);
}

/* "id: a String, Number, or NULL value if included." */
static bool is_valid_id(const json_t *id)
{
	return !id || json_is_string(id) || json_is_number(id) || json_is_null(id);
}

static bool is_valid_request(const json_t *request)
{
	const char *version = json_string_value(json_object_get(request, "jsonrpc"));
	const json_t *params = json_object_get(request, "params");

	return version && strcmp(version, "2.0") == 0 &&
	       json_is_string(json_object_get(request, "method")) &&
	       is_valid_id(json_object_get(request, "id")) &&
	       (!params || json_is_object(params) || json_is_array(params));
}

/*
 * Answer one request.
 *
 * Return: 0 with the reply, or with NULL for a notification; -ENOMEM.
 */
static int answer_request(const struct rpc_table *table, const json_t *request, void *context,
			  json_t **ret_reply)
{
	struct rpc_answer answer = {0};
	json_t *id = json_object_get(request, "id"), *reply;

	if (!is_valid_request(request)) {
		*ret_reply = invalid_request();
		return *ret_reply ? 0 : -ENOMEM;
	}
	run_method(table, json_string_value(json_object_get(request, "method")),
		   json_object_get(request, "params"), context, &answer);
	if (!id) {
		json_decref(answer.result);
		json_decref(answer.data);
		*ret_reply = NULL;
		return 0;
	}
	if (answer.code == 0) {
		json_decref(answer.data);
		reply = json_pack("{s:s, s:o, s:O}", "jsonrpc", "2.0", "result", answer.result,
				  "id", id);
	} else {
		json_decref(answer.result);
		reply = error_object(json_incref(id), answer.code, answer.message, answer.data);
	}
	*ret_reply = reply;
	return reply ? 0 : -ENOMEM;
}

/* "The Server should respond with an Array ... after all of the batch Request objects". */
static int answer_batch(const struct rpc_table *table, const json_t *batch, void *context,
			json_t **ret_reply)
{
	json_t *replies, *request;
	size_t index;

	if (json_array_size(batch) == 0 || json_array_size(batch) > RPC_MAX_BATCH) {
		*ret_reply = invalid_request();
		return *ret_reply ? 0 : -ENOMEM;
	}
	replies = json_array();
	if (!replies)
		return -ENOMEM;
	json_array_foreach (batch, index, request) {
		json_t *reply;

		if (answer_request(table, request, context, &reply) < 0 ||
		    (reply && json_array_append_new(replies, reply) == -1)) {
			json_decref(replies);
			return -ENOMEM;
		}
	}
	if (json_array_size(replies) == 0) {
		json_decref(replies);
		replies = NULL;
	}
	*ret_reply = replies;
	return 0;
}

/*
 * Into a buffer of the right size: where jansson makes the buffer itself and memory runs out in
 * the middle, it may leave a piece out and say nothing.
 */
static int dump(const json_t *reply, char **ret_reply)
{
	size_t length = json_dumpb(reply, NULL, 0, ENCODE_FLAGS);
	char *text = length > 0 ? malloc(length + 1) : NULL;

	if (text && json_dumpb(reply, text, length, ENCODE_FLAGS) != length) {
		free(text);
		text = NULL;
	}
	if (!text)
		return -ENOMEM;
	text[length] = '\0';
	*ret_reply = text;
	return 0;
}

/* Consumes @reply. */
static int write_reply(json_t *reply, char **ret_reply)
{
	int r = dump(reply, ret_reply);

	json_decref(reply);
	return r;
}

/* Return: @reply itself, or, where it cannot be written, a new error reply in its place. */
static json_t *make_writable(json_t *reply)
{
	if (json_dumpb(reply, NULL, 0, ENCODE_FLAGS) > 0)
		return json_incref(reply);
	return error_object(json_incref(json_object_get(reply, "id")), RPC_INTERNAL_ERROR,
			    "the answer cannot be written", NULL);
}

static json_t *make_batch_writable(json_t *replies)
{
	json_t *writable = json_array(), *reply;
	size_t index;

	json_array_foreach (replies, index, reply) {
		if (json_array_append_new(writable, make_writable(reply)) == 0)
			continue;
		json_decref(writable);
		return NULL;
	}
	return writable;
}

/* Write what a line is answered; only where that fails, look for the part that made it fail. */
static int write_answers(json_t *reply, char **ret_reply)
{
	json_t *writable;

	if (dump(reply, ret_reply) == 0) {
		json_decref(reply);
		return 0;
	}
	writable = json_is_array(reply) ? make_batch_writable(reply) : make_writable(reply);
	json_decref(reply);
	return write_reply(writable, ret_reply);
}

int rpc_error_reply(int code, const char *message, char **ret_reply)
{
	return write_reply(error_object(NULL, code, message, NULL), ret_reply);
}

int rpc_notification(const char *method, json_t *params, char **ret_line)
{
	return write_reply(
		json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params),
		ret_line);
}

int rpc_handle(const struct rpc_table *table, const char *line, size_t length, void *context,
	       char **ret_reply)
{
	json_error_t error;
	json_t *value = json_loadb(line, length, DECODE_FLAGS, &error), *reply = NULL;
	int r;

	/* jansson has words for whatever is wrong with a text, and none for lack of memory. */
	if (!value && error.text[0] == '\0')
		return -ENOMEM;
	if (!value)
		return rpc_error_reply(RPC_PARSE_ERROR, "Parse error", ret_reply);
	r = json_is_array(value) ? answer_batch(table, value, context, &reply)
				 : answer_request(table, value, context, &reply);
	json_decref(value);
	if (r < 0)
		return r;
	if (!reply) {
		*ret_reply = NULL;
		return 0;
	}
	return write_answers(reply, ret_reply);
}
