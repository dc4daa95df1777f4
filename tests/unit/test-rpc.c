/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher against the examples of section 7 of the JSON-RPC 2.0 specification, against what
 * is no request at all, and against every allocation failing once. Replies are compared as JSON.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rpc.h"

static void subtract(const struct rpc_call *call, struct rpc_answer *answer)
{
	const json_t *a = json_is_array(call->params) ? json_array_get(call->params, 0)
						      : json_object_get(call->params, "minuend");
	const json_t *b = json_is_array(call->params) ? json_array_get(call->params, 1)
						      : json_object_get(call->params, "subtrahend");

	answer->result = json_integer(json_integer_value(a) - json_integer_value(b));
}

static void sum(const struct rpc_call *call, struct rpc_answer *answer)
{
	json_int_t total = 0;
	const json_t *value;
	size_t index;

	json_array_foreach (call->params, index, value)
		total += json_integer_value(value);
	answer->result = json_integer(total);
}

static void ignore(const struct rpc_call *call, struct rpc_answer *answer)
{
	(*(int *)call->context)++;
	answer->result = json_null();
}

static void get_data(const struct rpc_call *call, struct rpc_answer *answer)
{
	(void)call;
	answer->result = json_pack("[s, i]", "hello", 5);
}

static void vanish(const struct rpc_call *call, struct rpc_answer *answer)
{
	(void)call;
	/* What a reply packed from a number that is none comes to. */
	answer->result = json_pack("{s:o}", "value", json_real((double)NAN));
}

static void strict(const struct rpc_call *call, struct rpc_answer *answer)
{
	static const char *const names[] = {"a", "b"};

	if (!rpc_check_members(call, names, 2, answer))
		return;
	if (json_object_get(call->params, "b"))
		rpc_fail_member(answer, "b", "left out");
	else
		answer->result = json_true();
}

/* A result that is made whole, and is impossible to write. */
static void unwritable(const struct rpc_call *call, struct rpc_answer *answer)
{
	(void)call;
	answer->result = json_pack("[o]", json_stringn_nocheck("\xff", 1));
}

/* The message is longer than an answer's may be, and is cut in the middle of a character. */
static void wordy(const struct rpc_call *call, struct rpc_answer *answer)
{
	char text[300] = "x";

	for (size_t i = 1; i + 2 < sizeof(text); i += 2)
		memcpy(&text[i], "\xc3\xa9", 3);
	/* Cut on both sides of a character's first byte. */
	rpc_fail(answer, RPC_NOT_NOW, "%s", json_array_size(call->params) ? text : text + 1);
}

static bool refuse(void *context)
{
	(void)context;
	return false;
}

static const struct rpc_method methods[] = {
	{"subtract", subtract, false},	   {"sum", sum, false},
	{"update", ignore, false},	   {"notify_hello", ignore, false},
	{"notify_sum", ignore, false},	   {"get_data", get_data, false},
	{"vanish", vanish, false},	   {"strict", strict, false},
	{"unwritable", unwritable, false}, {"wordy", wordy, false},
	{"control", get_data, true},
};

static const struct rpc_table table = {
	.methods = methods,
	.n_methods = sizeof(methods) / sizeof(methods[0]),
	.may_control = refuse,
};

/* Return: the reply as JSON, NULL for none. */
static json_t *ask(const char *line, size_t length)
{
	int calls = 0;
	char *reply = (char *)"unset";
	json_t *value;

	assert_int_equal(rpc_handle(&table, line, length, &calls, &reply), 0);
	if (!reply)
		return NULL;
	assert_null(strchr(reply, '\n'));
	value = json_loads(reply, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(value);
	free(reply);
	return value;
}

/* Of errors, only what the specification fixes: its examples have no `data`. */
static void drop_data(json_t *reply)
{
	json_t *entry;
	size_t index;

	(void)json_object_del(json_object_get(reply, "error"), "data");
	json_array_foreach (reply, index, entry)
		drop_data(entry);
}

static void assert_reply(const char *line, const char *expected)
{
	json_t *reply = ask(line, strlen(line)), *wanted;

	if (!expected) {
		if (reply)
			fail_msg("%s was answered", line);
		return;
	}
	wanted = json_loads(expected, 0, NULL);
	assert_non_null(wanted);
	drop_data(reply);
	if (!json_equal(reply, wanted))
		fail_msg("%s: %s is not %s", line, json_dumps(reply, JSON_COMPACT), expected);
	json_decref(reply);
	json_decref(wanted);
}

#define INVALID                                                                                    \
	"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"Invalid "                   \
	"Request\"},\"id\":null}"
#define UNPARSED                                                                                   \
	"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse "                     \
	"error\"},\"id\":null}"

#define UNWRITTEN(id)                                                                              \
	"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"the answer "                \
	"cannot be written\"},\"id\":" id "}"

static void test_examples_of_the_specification(void **state)
{
	static const char *const pairs[][2] = {
		{"{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}",
		 "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[23,42],\"id\":2}",
		 "{\"jsonrpc\":\"2.0\",\"result\":-19,\"id\":2}"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":{\"subtrahend\":23,"
		 "\"minuend\":42},\"id\":3}",
		 "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":3}"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":{\"minuend\":42,"
		 "\"subtrahend\":23},\"id\":4}",
		 "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":4}"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":[1,2,3,4,5]}", NULL},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"foobar\"}", NULL},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"foobar\",\"id\":\"1\"}",
		 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not "
		 "found\"},\"id\":\"1\"}"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"foobar,\"params\":\"bar\",\"baz]", UNPARSED},
		{"{\"jsonrpc\":\"2.0\",\"method\":1,\"params\":\"bar\"}", INVALID},
		{"[{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":\"1\"},"
		 "{\"jsonrpc\":\"2.0\",\"method\"]",
		 UNPARSED},
		{"[]", INVALID},
		{"[1]", "[" INVALID "]"},
		{"[1,2,3]", "[" INVALID "," INVALID "," INVALID "]"},
		{"[{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":\"1\"},"
		 "{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\",\"params\":[7]},"
		 "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":\"2\"},"
		 "{\"foo\":\"boo\"},"
		 "{\"jsonrpc\":\"2.0\",\"method\":\"foo.get\",\"params\":{\"name\":\"myself\"},"
		 "\"id\":\"5\"},"
		 "{\"jsonrpc\":\"2.0\",\"method\":\"get_data\",\"id\":\"9\"}]",
		 "[{\"jsonrpc\":\"2.0\",\"result\":7,\"id\":\"1\"},"
		 "{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":\"2\"}," INVALID ","
		 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not "
		 "found\"},\"id\":\"5\"},"
		 "{\"jsonrpc\":\"2.0\",\"result\":[\"hello\",5],\"id\":\"9\"}]"},
		{"[{\"jsonrpc\":\"2.0\",\"method\":\"notify_sum\",\"params\":[1,2,4]},"
		 "{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\",\"params\":[7]}]",
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_reply(pairs[i][0], pairs[i][1]);
}

static void test_ids_come_back_as_they_were(void **state)
{
	static const char *const ids[] = {
		"\"\"", "\"a\\u0041\"", "0",   "-7",  "9007199254740993", "9223372036854775807",
		"1.5",	"1.0",		"1e2", "null"};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		char line[128], expected[128];

		(void)snprintf(line, sizeof(line),
			       "{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1],\"id\":%s}",
			       ids[i]);
		(void)snprintf(expected, sizeof(expected),
			       "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":%s}", ids[i]);
		assert_reply(line, expected);
	}
}

static void test_what_is_no_request(void **state)
{
	static const char *const invalid[] = {
		"1",
		"\"x\"",
		"null",
		"true",
		"{}",
		"{\"method\":\"sum\",\"id\":1}",
		"{\"jsonrpc\":\"1.0\",\"method\":\"sum\",\"id\":1}",
		"{\"jsonrpc\":2.0,\"method\":\"sum\",\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":\"x\",\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":null,\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"id\":{}}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"id\":[1]}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"id\":true}",
	};
	static const char *const unparsed[] = {
		"x",
		"{",
		"{\"a\":1,\"a\":2}",
		"{}{}",
		"\xef\xbb\xbf{}",
		"\"\xff\"",
		"\"\\u0000\"",
		"{\"\\u0000\":1}",
		"\"\\ud800\"",
		"NaN",
		"1e999",
		"99999999999999999999",
		"[1,]",
		"// x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		assert_reply(invalid[i], INVALID);
	for (size_t i = 0; i < sizeof(unparsed) / sizeof(unparsed[0]); i++)
		assert_reply(unparsed[i], UNPARSED);
}

static void test_a_nul_in_a_line_is_no_end(void **state)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"sum\"\0,\"id\":1}";
	json_t *reply = ask(line, sizeof(line) - 1);

	(void)state;
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(reply, "error"), "code")),
		RPC_PARSE_ERROR);
	json_decref(reply);
}

static void test_depth_is_bounded(void **state)
{
	static char deep[2 * 2049];
	json_t *reply;

	(void)state;
	/* 2048 is jansson's bound: one more is no JSON, as much is only no batch of requests. */
	memset(deep, '[', 2049);
	memset(deep + 2049, ']', 2049);
	assert_reply("[[[[[[]]]]]]", "[" INVALID "]");
	reply = ask(deep, sizeof(deep));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(reply, "error"), "code")),
		RPC_PARSE_ERROR);
	json_decref(reply);
	reply = ask(deep + 1, sizeof(deep) - 2);
	assert_true(json_is_array(reply));
	json_decref(reply);
}

static json_t *ask_batch(size_t n)
{
	json_t *batch = json_array(), *reply;
	char *line;

	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(batch, json_pack("{s:s, s:s, s:i}", "jsonrpc", "2.0",
							     "method", "get_data", "id", (int)i));
	line = json_dumps(batch, JSON_COMPACT);
	json_decref(batch);
	reply = ask(line, strlen(line));
	free(line);
	return reply;
}

static void test_batches_are_bounded(void **state)
{
	json_t *reply = ask_batch(RPC_MAX_BATCH);

	(void)state;
	assert_int_equal(json_array_size(reply), RPC_MAX_BATCH);
	for (size_t i = 0; i < RPC_MAX_BATCH; i++)
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(reply, i), "id")), i);
	json_decref(reply);
	reply = ask_batch(RPC_MAX_BATCH + 1);
	assert_true(json_is_object(reply));
	assert_non_null(json_object_get(reply, "error"));
	json_decref(reply);
}

static void test_a_result_that_vanished_is_an_error(void **state)
{
	(void)state;
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"vanish\",\"id\":1}",
		     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of "
		     "memory\"},\"id\":1}");
}

static void test_control_is_not_for_everybody(void **state)
{
	(void)state;
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"control\",\"id\":1}",
		     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"Not permitted\"},"
		     "\"id\":1}");
}

static void test_wrong_members_are_named(void **state)
{
	static const char *const cases[][2] = {
		{"{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"params\":{\"c\":1},\"id\":1}", "c"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"params\":{\"b\":1},\"id\":1}", "b"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *reply = ask(cases[i][0], strlen(cases[i][0]));
		const json_t *error = json_object_get(reply, "error");
		const json_t *data = json_object_get(error, "data");

		assert_int_equal(json_integer_value(json_object_get(error, "code")),
				 RPC_INVALID_PARAMS);
		assert_string_equal(json_string_value(json_object_get(data, "member")),
				    cases[i][1]);
		assert_true(strlen(json_string_value(json_object_get(data, "allowed"))) > 0);
		json_decref(reply);
	}
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"params\":{\"a\":1},\"id\":1}",
		     "{\"jsonrpc\":\"2.0\",\"result\":true,\"id\":1}");
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"id\":1}",
		     "{\"jsonrpc\":\"2.0\",\"result\":true,\"id\":1}");
	assert_reply(
		"{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"params\":[1],\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"Invalid params: "
		"parameters are given by name, in an object\"},\"id\":1}");
}

static void test_notifications_are_written(void **state)
{
	char *line;

	(void)state;
	assert_int_equal(rpc_notification("x.update", json_pack("{s:i}", "a", 1), &line), 0);
	assert_string_equal(line,
			    "{\"jsonrpc\":\"2.0\",\"method\":\"x.update\",\"params\":{\"a\":1}}");
	free(line);
	assert_int_equal(rpc_notification("x.update", NULL, &line), -ENOMEM);
}

static void test_notifications_are_carried_out(void **state)
{
	static const char line[] = "[{\"jsonrpc\":\"2.0\",\"method\":\"update\"},"
				   "{\"jsonrpc\":\"2.0\",\"method\":\"notify_sum\"}]";
	int calls = 0;
	char *reply = (char *)"unset";

	(void)state;
	assert_int_equal(rpc_handle(&table, line, sizeof(line) - 1, &calls, &reply), 0);
	assert_null(reply);
	assert_int_equal(calls, 2);
}

static bool permit(void *context)
{
	(*(int *)context)++;
	return true;
}

static void test_control_is_for_those_who_may(void **state)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"control\",\"id\":1}";
	bool (*const may_control[])(void *context) = {permit, NULL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rpc_table permissive = table;
		int n_asked = 0;
		char *reply;

		permissive.may_control = may_control[i];
		assert_int_equal(rpc_handle(&permissive, line, sizeof(line) - 1, &n_asked, &reply),
				 0);
		assert_non_null(strstr(reply, "hello"));
		assert_int_equal(n_asked, i == 0 ? 1 : 0);
		free(reply);
	}
}

static void test_members_beside_a_request_change_nothing(void **state)
{
	(void)state;
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1],\"id\":1,\"x\":2,"
		     "\"result\":3}",
		     "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}");
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\",\"id\":1}",
		     "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"Method not "
		     "found\"},\"id\":1}");
}

static void test_what_cannot_be_written_is_an_error(void **state)
{
	(void)state;
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"unwritable\",\"id\":1}", UNWRITTEN("1"));
	assert_reply("[{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1],\"id\":1},"
		     "{\"jsonrpc\":\"2.0\",\"method\":\"unwritable\",\"id\":\"b\"},"
		     "{\"jsonrpc\":\"2.0\",\"method\":\"unwritable\"}]",
		     "[{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}," UNWRITTEN("\"b\"") "]");
}

static void test_a_long_message_is_cut_between_characters(void **state)
{
	static const char *const lines[] = {
		"{\"jsonrpc\":\"2.0\",\"method\":\"wordy\",\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"wordy\",\"params\":[1],\"id\":1}",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *reply = ask(lines[i], strlen(lines[i]));
		const json_t *error = json_object_get(reply, "error");

		assert_int_equal(json_integer_value(json_object_get(error, "code")), RPC_NOT_NOW);
		assert_in_range(json_string_length(json_object_get(error, "message")), 157, 159);
		json_decref(reply);
	}
}

/* Allocations of jansson: which of them fails, and how many live. */
static long n_until_failure;
static long n_live;

static void *failing_malloc(size_t size)
{
	if (n_until_failure >= 0 && n_until_failure-- == 0)
		return NULL;
	n_live++;
	return malloc(size);
}

static void counting_free(void *pointer)
{
	if (pointer)
		n_live--;
	free(pointer);
}

static void test_every_allocation_may_fail(void **state)
{
	static const char line[] =
		"[{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[1,2,4],\"id\":\"1\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"strict\",\"params\":{\"c\":1},\"id\":2},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\"},{\"foo\":\"boo\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"foo.get\",\"id\":\"5\"}]";
	bool whole = false;

	(void)state;
	json_object_seed(1);
	json_set_alloc_funcs(failing_malloc, counting_free);
	for (long n = 0; !whole; n++) {
		int calls = 0, r;
		char *reply = NULL;

		n_live = 0;
		n_until_failure = n;
		r = rpc_handle(&table, line, sizeof(line) - 1, &calls, &reply);
		assert_true(r == 0 || r == -ENOMEM);
		whole = n_until_failure >= 0;
		n_until_failure = -1;
		if (r == 0) {
			json_t *value = json_loads(reply, JSON_REJECT_DUPLICATES, NULL);

			assert_non_null(value);
			json_decref(value);
			free(reply);
		}
		assert_int_equal(n_live, 0);
		assert_true(n < 100000);
	}
	json_set_alloc_funcs(malloc, free);
}

static void test_lack_of_memory_is_no_parse_error(void **state)
{
	static const char line[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"sum\",\"params\":[],\"id\":1}";
	int calls = 0;
	char *reply = (char *)"unset";

	(void)state;
	json_object_seed(1);
	json_set_alloc_funcs(failing_malloc, counting_free);
	n_live = 0;
	/* The first allocation is the decoder's own. */
	n_until_failure = 0;
	assert_int_equal(rpc_handle(&table, line, sizeof(line) - 1, &calls, &reply), -ENOMEM);
	n_until_failure = -1;
	assert_int_equal(n_live, 0);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples_of_the_specification),
		cmocka_unit_test(test_ids_come_back_as_they_were),
		cmocka_unit_test(test_what_is_no_request),
		cmocka_unit_test(test_a_nul_in_a_line_is_no_end),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_batches_are_bounded),
		cmocka_unit_test(test_a_result_that_vanished_is_an_error),
		cmocka_unit_test(test_control_is_not_for_everybody),
		cmocka_unit_test(test_wrong_members_are_named),
		cmocka_unit_test(test_notifications_are_written),
		cmocka_unit_test(test_notifications_are_carried_out),
		cmocka_unit_test(test_control_is_for_those_who_may),
		cmocka_unit_test(test_members_beside_a_request_change_nothing),
		cmocka_unit_test(test_what_cannot_be_written_is_an_error),
		cmocka_unit_test(test_a_long_message_is_cut_between_characters),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_lack_of_memory_is_no_parse_error),
	};

	return cmocka_run_group_tests_name("rpc", tests, NULL, NULL);
}
