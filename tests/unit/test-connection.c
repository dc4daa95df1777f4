/* SPDX-License-Identifier: MIT */
/*
 * The client's end: what the other end may say, and when. Where a socket holds it, what it says is
 * there before it is asked; a thread says what must come late, in pieces or in bulk.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What the other end says once it has been asked, @chunk bytes at a time. */
struct speech {
	int peer;
	const char *text;
	size_t length;
	size_t chunk;
};

static void *speak(void *context)
{
	const struct speech *speech = context;
	char request[256];
	ssize_t n = recv(speech->peer, request, sizeof(request), 0);

	for (size_t at = 0; n > 0 && at < speech->length; at += (size_t)n) {
		size_t left = speech->length - at;

		n = send(speech->peer, speech->text + at,
			 left < speech->chunk ? left : speech->chunk, MSG_NOSIGNAL);
	}
	return NULL;
}

/* Call while the other end makes its speech. Return: what the call returned. */
static int call_speaker(struct bench *bench, const char *text, size_t length, size_t chunk,
			json_t **ret)
{
	struct speech speech = {bench->peer, text, length, chunk};
	pthread_t thread;
	int r;

	assert_int_equal(pthread_create(&thread, NULL, speak, &speech), 0);
	r = call(bench, ret);
	/* It need not get rid of what nobody reads. */
	if (r < 0)
		(void)shutdown(bench->peer, SHUT_RDWR);
	assert_int_equal(pthread_join(thread, NULL), 0);
	return r;
}

static void test_an_answer_in_single_bytes(void **state)
{
	static const char text[] = "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"n\":1}}\n"
				   "{\"jsonrpc\":\"2.0\",\"result\":\"r\",\"id\":1}\n"
				   "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"n\":2}}\n";
	struct bench bench;
	json_t *result, *params;

	(void)state;
	bench_init(&bench);
	assert_int_equal(call_speaker(&bench, text, sizeof(text) - 1, 1, &result), 0);
	assert_string_equal(json_string_value(result), "r");
	json_decref(result);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(connection_next(bench.connection, &params), 0);
		assert_int_equal(json_integer_value(json_object_get(params, "n")), i);
		json_decref(params);
	}
	bench_fini(&bench);
}

static void test_an_answer_larger_than_a_read(void **state)
{
	const size_t size = 3000000;
	const char *head = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"";
	struct bench bench;
	char *text = malloc(size);
	json_t *result;

	(void)state;
	assert_non_null(text);
	memset(text, 'r', size);
	/* Bytes, not a string: without an end. */
	for (size_t i = 0; head[i]; i++)
		text[i] = head[i];
	for (size_t i = 0; i < 3; i++)
		text[size - 3 + i] = "\"}\n"[i];
	bench_init(&bench);
	assert_int_equal(call_speaker(&bench, text, size, 50000, &result), 0);
	assert_int_equal(json_string_length(result), size - 3 - strlen(head));
	json_decref(result);
	bench_fini(&bench);
	free(text);
}

static void test_a_line_without_an_end(void **state)
{
	const size_t size = CONNECTION_MAX_LINE + 1000000;
	struct bench bench;
	char *text = malloc(size);
	json_t *result;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', size);
	bench_init(&bench);
	assert_int_equal(call_speaker(&bench, text, size, size, &result), -EPROTO);
	bench_fini(&bench);
	free(text);
}

/* Nobody asks for them while a call waits: the oldest give way. */
static void test_notifications_are_bounded(void **state)
{
	enum { N = 1500, KEPT = 1024, SIZE = 100 };
	struct bench bench;
	char *text = calloc(N + 1, SIZE);
	json_t *result, *params;
	size_t length = 0;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < N; i++)
		length += (size_t)snprintf(text + length, SIZE,
					   "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":"
					   "{\"n\":%d}}\n",
					   i);
	length += (size_t)snprintf(text + length, SIZE,
				   "{\"jsonrpc\":\"2.0\",\"result\":1,\"id\":1}\n");
	bench_init(&bench);
	assert_int_equal(call_speaker(&bench, text, length, length, &result), 0);
	json_decref(result);
	for (int i = N - KEPT; i < N; i++) {
		assert_int_equal(connection_next(bench.connection, &params), 0);
		assert_int_equal(json_integer_value(json_object_get(params, "n")), i);
		json_decref(params);
	}
	assert_int_equal(connection_next(bench.connection, &params), -EAGAIN);
	bench_fini(&bench);
	free(text);
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
		cmocka_unit_test(test_an_answer_in_single_bytes),
		cmocka_unit_test(test_an_answer_larger_than_a_read),
		cmocka_unit_test(test_a_line_without_an_end),
		cmocka_unit_test(test_notifications_are_bounded),
		cmocka_unit_test(test_nobody_at_a_path),
	};

	return cmocka_run_group_tests_name("connection", tests, NULL, NULL);
}
