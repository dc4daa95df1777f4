/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "column.h"
#include "side-fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static struct metric load(void)
{
	struct metric metric;

	assert_int_equal(metric_find("load", NULL, 0, &metric), 0);
	return metric;
}

static void assert_column(struct column *column, const double *expected_percent, size_t n)
{
	assert_int_equal(column->n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(fabs(column->values[i] * 100 - expected_percent[i]) < 1e-12);
	column_fini(column);
	assert_null(column->values);
}

static void runs_are_values(void **state)
{
	static const double loads[] = {5, 6, 7}, good[] = {5, 7};
	json_t *side = make_side(loads, 3, "a", "{}");
	struct metric metric = load();
	struct column column;

	(void)state;
	put(run_of(side, 1), "{'failed': true}");
	assert_int_equal(column_of_runs(&metric, side, &column), 0);
	assert_column(&column, good, 2);
	json_decref(side);
}

static void boots_are_means_in_their_order(void **state)
{
	static const double loads[] = {5, 6, 7, 8, 9, 50}, means[] = {6, 7};
	static const char *const boots[] = {"{'boot_id': 'z'}",
					    "{'boot_id': 'a'}",
					    "{'boot_id': 'z'}",
					    "{'boot_id': 'a'}",
					    "{'boot_id': 'b', 'failed': true}",
					    "{'boot_id': null}"};
	json_t *side = make_side(loads, N(loads), NULL, "{}");
	struct metric metric = load();
	struct column column;

	(void)state;
	for (size_t i = 0; i < N(boots); i++)
		put(run_of(side, i), boots[i]);
	assert_int_equal(column_of_boots(&metric, side, &column), 0);
	assert_column(&column, means, 2);
	json_decref(side);
}

/* The blocks (A, B, B, A) whose differences have a published test: .260 .190 .195 .180. */
static void blocks_are_differences_of_means(void **state)
{
	static const double a[] = {5.02, 5.10, 5.11, 5.15, 5.18, 5.21, 5.22, 5.27};
	static const double b[] = {5.31, 5.33, 5.29, 5.35, 5.38, 5.40, 5.41, 5.44};
	static const double differences[] = {0.260, 0.190, 0.195, 0.180};
	json_t *first = make_side(a, N(a), NULL, "{}"), *second = make_side(b, N(b), NULL, "{}");
	struct metric metric = load();
	struct column column;

	(void)state;
	assert_int_equal(column_of_blocks(&metric, first, second, &column), 0);
	assert_column(&column, differences, 4);
	assert_true(fabs(column_block_mean(&metric, first, 1) * 100 - 5.13) < 1e-12);
	/* One run of the third block fails; the last block was cut off. */
	put(run_of(second, 4), "{'failed': true}");
	assert_int_equal(json_array_remove(json_object_get(second, "runs"), 7), 0);
	assert_true(isnan(column_block_mean(&metric, second, 2)));
	assert_true(isnan(column_block_mean(&metric, second, 3)));
	assert_true(isnan(column_block_mean(&metric, second, 99)));
	assert_int_equal(column_of_blocks(&metric, first, second, &column), 0);
	assert_column(&column, differences, 2);
	json_decref(first);
	json_decref(second);
}

static void sides_without_runs_have_no_values(void **state)
{
	json_t *side = make_side(NULL, 0, NULL, "{}");
	struct metric metric = load();
	struct column column;

	(void)state;
	assert_int_equal(column_of_runs(&metric, side, &column), 0);
	assert_column(&column, NULL, 0);
	assert_int_equal(column_of_boots(&metric, side, &column), 0);
	assert_column(&column, NULL, 0);
	assert_int_equal(column_of_blocks(&metric, side, side, &column), 0);
	assert_column(&column, NULL, 0);
	json_decref(side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_values),
		cmocka_unit_test(boots_are_means_in_their_order),
		cmocka_unit_test(blocks_are_differences_of_means),
		cmocka_unit_test(sides_without_runs_have_no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
