/* SPDX-License-Identifier: MIT */
/*
 * What goes into the command's ends comes out of the targets, whatever the reader does. The test is
 * the command and the reader; nothing of it waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cleanup.h"
#include "tee.h"

/* Of a pipe by default: pipe(7). */
#define PIPE_BYTES 65536

struct setup {
	struct tee tee;
	int reader; /* of what stdout goes to */
	int target;
	int null; /* what stderr goes to */
};

static void close_fd(int *fd)
{
	closep(fd);
	*fd = -1;
}

static void setup_make(struct setup *setup, int kind, struct extract *extract)
{
	int ends[2], targets[TEE_STREAMS];

	if (kind == S_IFSOCK)
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	else
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_not_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), -1);
	setup->reader = ends[0];
	setup->target = ends[1];
	setup->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_true(setup->null >= 0);
	targets[0] = setup->target;
	targets[1] = setup->null;
	assert_int_equal(tee_init(&setup->tee, targets, extract), 0);
}

static void setup_end(struct setup *setup)
{
	tee_fini(&setup->tee);
	close_fd(&setup->reader);
	close_fd(&setup->target);
	close_fd(&setup->null);
}

/* Handle what is ready, until nothing is. */
static void settle(struct tee *tee)
{
	struct pollfd waits[TEE_N_WAITS];

	for (int i = 0; i < 10000; i++) {
		tee_fill_waits(tee, waits);
		if (poll(waits, TEE_N_WAITS, 0) == 0)
			return;
		tee_handle(tee, waits);
	}
	fail_msg("there is always something: who waits for it spins");
}

static void write_all(int fd, const char *bytes, size_t n)
{
	assert_int_equal(write(fd, bytes, n), n);
}

static void test_bytes_pass_and_are_seen(void **state)
{
	static const int kinds[] = {S_IFIFO, S_IFSOCK};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct extract_rules rules = {.n = 0};
		struct extract_value value;
		struct extract extract;
		struct setup setup;
		char *why, got[64];

		assert_int_equal(extract_add_rule(&rules, "n=n=([0-9]+)", &why), 0);
		assert_int_equal(extract_init(&extract, &rules, &value), 0);
		setup_make(&setup, kinds[i], &extract);
		write_all(setup.tee.streams[0].command_fd, "a\0n=1", 5);
		settle(&setup.tee);
		assert_int_equal(read(setup.reader, got, sizeof(got)), 5);
		assert_memory_equal(got, "a\0n=1", 5);
		write_all(setup.tee.streams[0].command_fd, "2\n", 2);
		settle(&setup.tee);
		assert_int_equal(read(setup.reader, got, sizeof(got)), 2);
		assert_int_equal(value.number, 12);
		/* The other stream is looked at, too. */
		write_all(setup.tee.streams[1].command_fd, "n=3\n", 4);
		settle(&setup.tee);
		assert_int_equal(value.number, 3);
		assert_int_equal(setup.tee.n_written, 11);
		assert_true(tee_is_busy(&setup.tee));
		tee_close_command_ends(&setup.tee);
		settle(&setup.tee);
		assert_false(tee_is_busy(&setup.tee));
		assert_int_equal(setup.tee.streams[0].n_lost, 0);
		setup_end(&setup);
		extract_fini(&extract);
		extract_rules_fini(&rules);
	}
}

/* Others share the open file description. */
static void test_the_targets_flags_stay(void **state)
{
	struct setup setup;

	(void)state;
	setup_make(&setup, S_IFIFO, NULL);
	assert_int_equal(fcntl(setup.target, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(setup.tee.streams[0].command_fd, F_GETFL) & O_NONBLOCK, 0);
	setup_end(&setup);
}

static void test_a_reader_that_does_not_read_holds_the_command(void **state)
{
	static char bytes[4 * PIPE_BYTES], got[4 * PIPE_BYTES];
	struct setup setup;
	size_t n = 0, n_got = 0;
	ssize_t r;
	int fd;

	(void)state;
	setup_make(&setup, S_IFIFO, NULL);
	fd = setup.tee.streams[0].command_fd;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i % 251);
	/* The command itself would wait here. */
	assert_int_not_equal(fcntl(fd, F_SETFL, O_NONBLOCK), -1);
	while ((r = write(fd, &bytes[n], sizeof(bytes) - n)) > 0) {
		n += (size_t)r;
		settle(&setup.tee);
	}
	assert_int_equal(r, -1);
	assert_int_equal(errno, EAGAIN);
	/* The reader's pipe, the buffer, and the command's pipe. */
	assert_true(n <= 2 * PIPE_BYTES + TEE_BUFFER_BYTES);
	while ((r = read(setup.reader, &got[n_got], sizeof(got) - n_got)) > 0) {
		n_got += (size_t)r;
		settle(&setup.tee);
	}
	assert_int_equal(n_got, n);
	assert_memory_equal(got, bytes, n);
	setup_end(&setup);
}

static void test_what_nobody_reads_is_counted(void **state)
{
	static char bytes[PIPE_BYTES];
	struct setup setup;
	int fd;

	(void)state;
	setup_make(&setup, S_IFIFO, NULL);
	fd = setup.tee.streams[0].command_fd;
	for (int i = 0; i < 3; i++) {
		write_all(fd, bytes, sizeof(bytes));
		settle(&setup.tee);
	}
	tee_end(&setup.tee);
	settle(&setup.tee);
	assert_true(tee_is_busy(&setup.tee));
	tee_abandon(&setup.tee, ETIMEDOUT);
	assert_false(tee_is_busy(&setup.tee));
	assert_int_equal(setup.tee.streams[0].n_lost, 2 * PIPE_BYTES);
	assert_int_equal(setup.tee.streams[0].error, ETIMEDOUT);
	assert_int_equal(setup.tee.streams[1].n_lost, 0);
	setup_end(&setup);
}

static void test_a_reader_that_goes_is_the_commands_epipe(void **state)
{
	static const int kinds[] = {S_IFIFO, S_IFSOCK};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct setup setup;
		int fd;

		setup_make(&setup, kinds[i], NULL);
		fd = setup.tee.streams[0].command_fd;
		settle(&setup.tee);
		close_fd(&setup.reader);
		/* A socket tells when it is written to, a pipe at once. */
		settle(&setup.tee);
		(void)!write(fd, "lost", 4);
		settle(&setup.tee);
		assert_int_equal(write(fd, "x", 1), -1);
		assert_int_equal(errno, EPIPE);
		/* stderr goes on. */
		write_all(setup.tee.streams[1].command_fd, "x", 1);
		settle(&setup.tee);
		assert_int_equal(setup.tee.n_written, 1);
		setup_end(&setup);
	}
}

static void test_a_full_disk_is_an_error(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	const int targets[TEE_STREAMS] = {full, full};
	struct tee tee;

	(void)state;
	if (full == -1)
		skip();
	assert_int_equal(tee_init(&tee, targets, NULL), 0);
	write_all(tee.streams[0].command_fd, "12345", 5);
	settle(&tee);
	assert_int_equal(tee.streams[0].n_lost, 5);
	assert_int_equal(tee.streams[0].error, ENOSPC);
	assert_int_equal(tee.streams[1].error, 0);
	tee_fini(&tee);
	(void)close(full);
}

/* The test keeps the command's end open, as a process that outlives the command does. */
static void test_the_end_takes_what_is_there(void **state)
{
	struct setup setup;
	char got[16];

	(void)state;
	setup_make(&setup, S_IFIFO, NULL);
	write_all(setup.tee.streams[0].command_fd, "last", 4);
	tee_end(&setup.tee);
	write_all(setup.tee.streams[0].command_fd, "later", 5);
	assert_true(tee_is_busy(&setup.tee));
	settle(&setup.tee);
	assert_false(tee_is_busy(&setup.tee));
	assert_int_equal(read(setup.reader, got, sizeof(got)), 4);
	assert_memory_equal(got, "last", 4);
	setup_end(&setup);
}

static void test_a_closed_target_gets_no_pipe(void **state)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const int targets[TEE_STREAMS] = {-1, null};
	struct tee tee;

	(void)state;
	assert_int_equal(tee_init(&tee, targets, NULL), 0);
	assert_int_equal(tee.streams[0].command_fd, -1);
	assert_true(tee.streams[1].command_fd >= 3);
	tee_close_command_ends(&tee);
	settle(&tee);
	assert_false(tee_is_busy(&tee));
	tee_fini(&tee);
	(void)close(null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_pass_and_are_seen),
		cmocka_unit_test(test_the_targets_flags_stay),
		cmocka_unit_test(test_a_reader_that_does_not_read_holds_the_command),
		cmocka_unit_test(test_what_nobody_reads_is_counted),
		cmocka_unit_test(test_a_reader_that_goes_is_the_commands_epipe),
		cmocka_unit_test(test_a_full_disk_is_an_error),
		cmocka_unit_test(test_the_end_takes_what_is_there),
		cmocka_unit_test(test_a_closed_target_gets_no_pipe),
	};

	/* As interrupts_init() does. */
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("tee", tests, NULL, NULL);
}
