/* SPDX-License-Identifier: MIT */
/*
 * The table of open runs is bounded, in all and for each user.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs.h"

static uint64_t begin(struct runs *runs, uid_t uid)
{
	struct run *run;

	assert_int_equal(runs_begin(runs, uid, &run), 0);
	assert_int_equal(run->uid, uid);
	return run->number;
}

static void test_numbers_are_never_used_twice(void **state)
{
	struct runs runs = {0};
	uint64_t first = begin(&runs, 0);

	(void)state;
	assert_int_equal(first, 1);
	runs_end(runs_find(&runs, first));
	assert_null(runs_find(&runs, first));
	assert_int_equal(begin(&runs, 0), 2);
	assert_int_equal(runs_n_open(&runs), 1);
	/* What marks a free place is no run. */
	assert_null(runs_find(&runs, 0));
	runs_fini(&runs);
	assert_int_equal(runs_n_open(&runs), 0);
}

static void test_a_user_drops_its_own_oldest(void **state)
{
	struct runs runs = {0};
	uint64_t other = begin(&runs, 1), first = begin(&runs, 2);

	(void)state;
	for (int i = 1; i < RUNS_MAX_PER_USER; i++)
		(void)begin(&runs, 2);
	assert_non_null(runs_find(&runs, first));
	(void)begin(&runs, 2);
	assert_null(runs_find(&runs, first));
	assert_non_null(runs_find(&runs, first + 1));
	assert_non_null(runs_find(&runs, other));
	assert_int_equal(runs_n_open(&runs), RUNS_MAX_PER_USER + 1);
	runs_fini(&runs);
}

static void test_nobody_drops_another_users(void **state)
{
	struct runs runs = {0};
	struct run *run = NULL;

	(void)state;
	for (int i = 0; i < RUNS_MAX; i++)
		(void)begin(&runs, (uid_t)(i / RUNS_MAX_PER_USER));
	assert_int_equal(runs_begin(&runs, 99, &run), -EAGAIN);
	assert_null(run);
	assert_int_equal(runs_n_open(&runs), RUNS_MAX);
	runs_fini(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_never_used_twice),
		cmocka_unit_test(test_a_user_drops_its_own_oldest),
		cmocka_unit_test(test_nobody_drops_another_users),
	};

	return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
