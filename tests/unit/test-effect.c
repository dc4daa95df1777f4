/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effect.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void sizes_are_read_as_people_write_them(void **state)
{
	static const struct {
		const char *text;
		enum effect_kind kind;
		double value;
	} cases[] = {
		{"0.1", EFFECT_UNIT, 0.1},
		{".5", EFFECT_UNIT, 0.5},
		{"3", EFFECT_UNIT, 3},
		{"0.1pp", EFFECT_POINTS, 0.1},
		{"2%", EFFECT_SHARE, 0.02},
		{"150%", EFFECT_SHARE, 1.5},
		{"1000000000", EFFECT_UNIT, 1e9},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct effect effect = {0};

		assert_int_equal(effect_parse(cases[i].text, &effect), 0);
		assert_int_equal(effect.kind, cases[i].kind);
		assert_true(fabs(effect.value - cases[i].value) < 1e-12);
	}
}

static void anything_else_is_refused_and_changes_nothing(void **state)
{
	static const char *const wrong[] = {"",	    "pp", "%",	  "-1",	 "+1",	" 1",  "1 ",
					    "1 pp", "1s", "0x1",  "1e3", "inf", "nan", "1.2.3",
					    "1,5",  ".",  "1ppp", "1%%", "1p",	"pp1"};
	static const char *const out_of_range[] = {"0", "0.0pp", "0%", "1000000001", "0.000"};
	struct effect effect = {EFFECT_SHARE, 7};

	(void)state;
	for (size_t i = 0; i < N(wrong); i++)
		assert_int_equal(effect_parse(wrong[i], &effect), -EINVAL);
	for (size_t i = 0; i < N(out_of_range); i++)
		assert_int_equal(effect_parse(out_of_range[i], &effect), -ERANGE);
	assert_int_equal(effect.kind, EFFECT_SHARE);
	assert_true(effect.value == 7);
}

static void sizes_are_in_the_unit_of_the_values(void **state)
{
	static const struct metric load = {.unit = "ratio"}, elapsed = {.unit = "s"};
	const struct effect unit = {EFFECT_UNIT, 0.5}, points = {EFFECT_POINTS, 0.5};
	const struct effect share = {EFFECT_SHARE, 0.02}, none = {EFFECT_NONE, 0};

	(void)state;
	assert_true(fabs(effect_size(&unit, &load, 0.05) - 0.005) < 1e-15);
	assert_true(fabs(effect_size(&points, &load, 0.05) - 0.005) < 1e-15);
	assert_true(fabs(effect_size(&share, &load, 0.05) - 0.001) < 1e-15);
	assert_true(fabs(effect_size(&share, &load, -0.05) - 0.001) < 1e-15);
	assert_true(effect_size(&unit, &elapsed, 10) == 0.5);
	assert_true(fabs(effect_size(&share, &elapsed, 10) - 0.2) < 1e-15);
	/* Percentage points say nothing of seconds, and a share nothing without a mean. */
	assert_true(effect_size(&points, &elapsed, 10) == 0);
	assert_true(effect_size(&share, &load, (double)NAN) == 0);
	assert_true(effect_size(&none, &load, 0.05) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read_as_people_write_them),
		cmocka_unit_test(anything_else_is_refused_and_changes_nothing),
		cmocka_unit_test(sizes_are_in_the_unit_of_the_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
