/* SPDX-License-Identifier: MIT */
/*
 * The client's end: what the other end may say, and when. What it says is in the socket before it
 * is asked, so that no second thread is needed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "connection.h"

struct bench {
	struct connection *connection;
	int peer;
};

static void bench_init(struct bench *bench)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(connection_adopt(ends[0], &bench->connection), 0);
	bench->peer = ends[1];
}

static void bench_fini(struct bench *bench)
{
	connection_free(bench->connection);
	if (bench->peer >= 0)
		(void)close(bench->peer);
}

static void say(const struct bench *bench, const char *text)
{
	assert_int_equal(send(bench->peer, text, strlen(text), 0), (int)strlen(text));
}

static int call(struct bench *bench, json_t **ret)
{
	return connection_call(bench->connection, "status.get", json_pack("{s:i}", "a", 1), ret);
}

static void test_a_call_is_a_line_and_gets_its_result(void **state)
{
	struct bench bench;
	char line[256] = "";
	json_t *result, *request;

	(void)state;
	bench_init(&bench);
	say(&bench, "{\"jsonrpc\":\"2.0\",\"result\":[7],\"id\":1}\n");
	assert_int_equal(call(&bench, &result), 0);
	assert_int_equal(json_integer_value(json_array_get(result, 0)), 7);
	json_decref(result);
	assert_true(recv(bench.peer, line, sizeof(line) - 1, 0) > 0);
	assert_int_equal(line[strlen(line) - 1], '\n');
	request = json_loads(line, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(request, "method")), "status.get");
	assert_int_equal(json_integer_value(json_object_get(request, "id")), 1);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(request, "params"), "a")), 1);
	json_decref(request);
	bench_fini(&bench);
}

static void test_notifications_in_between_are_kept(void **state)
{
	struct bench bench;
	json_t *result, *params;

	(void)state;
	bench_init(&bench);
	say(&bench, "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"n\":1}}\n"
		    "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"n\":2}}\n"
		    "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n"
		    "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"n\":3}}\n"
		    "{\"jsonrpc\":\"2.0\",\"meth");
	assert_int_equal(call(&bench, &result), 0);
	assert_true(json_is_null(result));
	json_decref(result);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(connection_next(bench.connection, &params), 0);
		assert_int_equal(json_integer_value(json_object_get(params, "n")), i);
		json_decref(params);
	}
	assert_int_equal(connection_next(bench.connection, &params), -EAGAIN);
	say(&bench, "od\":\"x\",\"params\":{\"n\":4}}\n");
	assert_int_equal(connection_next(bench.connection, &params), 0);
	assert_int_equal(json_integer_value(json_object_get(params, "n")), 4);
	json_decref(params);
	(void)close(bench.peer);
	bench.peer = -1;
	assert_int_equal(connection_next(bench.connection, &params), -EPIPE);
	bench_fini(&bench);
}

static void test_a_refusal_has_words(void **state)
{
	struct bench bench;
	json_t *result = NULL;

	(void)state;
	bench_init(&bench);
	say(&bench, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":2,\"message\":\"not now\","
		    "\"data\":{\"reason\":\"calibrating\"}},\"id\":1}\n"
		    "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":2}\n");
	assert_int_equal(call(&bench, &result), -EREMOTEIO);
	assert_string_equal(connection_error(bench.connection), "not now: calibrating");
	assert_int_equal(connection_error_code(bench.connection), 2);
	assert_null(result);
	assert_int_equal(call(&bench, &result), 0);
	assert_string_equal(connection_error(bench.connection), "");
	assert_int_equal(connection_error_code(bench.connection), 0);
	json_decref(result);
	bench_fini(&bench);
}

static void test_a_peer_that_goes(void **state)
{
	struct bench bench;
	json_t *result;

	(void)state;
	bench_init(&bench);
	say(&bench, "{\"jsonrpc\":");
	assert_int_equal(shutdown(bench.peer, SHUT_WR), 0);
	assert_int_equal(call(&bench, &result), -EPIPE);
	(void)close(bench.peer);
	bench.peer = -1;
	assert_int_equal(call(&bench, &result), -EPIPE);
	bench_fini(&bench);
}

static void test_what_is_no_answer(void **state)
{
	static const char *const texts[] = {
		"hello\n",
		"[]\n",
		"\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1}\n",
		"{\"jsonrpc\":\"2.0\",\"error\":7,\"id\":1}\n",
		"{\"jsonrpc\":\"2.0\",\"result\":1,\"result\":2,\"id\":1}\n",
		"{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":7}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench bench;
		json_t *result;

		bench_init(&bench);
		say(&bench, texts[i]);
		assert_int_equal(call(&bench, &result), -EPROTO);
		bench_fini(&bench);
	}
}

static void test_nobody_at_a_path(void **state)
{
	struct connection *connection;
	char path[200];

	(void)state;
	assert_int_equal(connection_open("/no/such/socket", &connection), -ENOENT);
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(connection_open(path, &connection), -ENAMETOOLONG);
	connection_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_a_line_and_gets_its_result),
		cmocka_unit_test(test_notifications_in_between_are_kept),
		cmocka_unit_test(test_a_refusal_has_words),
		cmocka_unit_test(test_a_peer_that_goes),
		cmocka_unit_test(test_what_is_no_answer),
		cmocka_unit_test(test_nobody_at_a_path),
	};

	return cmocka_run_group_tests_name("connection", tests, NULL, NULL);
}
