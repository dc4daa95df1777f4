/* SPDX-License-Identifier: MIT */
/*
 * What is a number, a duration or a trim, and what is not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse.h"

#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t min, max;
		int r;
		uint64_t value;
	} cases[] = {
		{"0", 0, 9, 0, 0},
		{"9", 0, 9, 0, 9},
		{"007", 0, 9, 0, 7},
		{"18446744073709551615", 0, UINT64_MAX, 0, UINT64_MAX},
		{"18446744073709551616", 0, UINT64_MAX, -ERANGE, 0},
		{"999999999999999999999", 0, UINT64_MAX, -ERANGE, 0},
		{"10", 0, 9, -ERANGE, 0},
		{"0", 1, 9, -ERANGE, 0},
		{"", 0, 9, -EINVAL, 0},
		{" 1", 0, 9, -EINVAL, 0},
		{"1 ", 0, 9, -EINVAL, 0},
		{"+1", 0, 9, -EINVAL, 0},
		{"-1", 0, 9, -EINVAL, 0},
		{"0x1", 0, 9, -EINVAL, 0},
		{"1e3", 0, 9999, -EINVAL, 0},
		{"1.0", 0, 9, -EINVAL, 0},
		{"x", 0, 9, -EINVAL, 0},
		{"999999999999999999999x", 0, UINT64_MAX, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 42;

		if (parse_u64(cases[i].text, cases[i].min, cases[i].max, &value) != cases[i].r)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(value, cases[i].r == 0 ? cases[i].value : 42);
	}
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		int r;
		uint64_t ns;
	} cases[] = {
		{"1s", 0, SEC},
		{"1", 0, SEC},
		{"250ms", 0, 250 * MS},
		{"0.5ms", 0, MS / 2},
		{"1.5s", 0, 1500 * MS},
		{"2m", 0, 120 * SEC},
		{"0.25h", 0, 900 * SEC},
		{"1h", 0, 3600 * SEC},
		{"0", 0, 0},
		{"0.0000000019", 0, 1},
		{"1.5.", -EINVAL, 0},
		{"1.", -EINVAL, 0},
		{".5s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1us", -EINVAL, 0},
		{"1e3s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"1,5s", -EINVAL, 0},
		{"3601s", -ERANGE, 0},
		{"1000000000000000000000000000000h", -ERANGE, 0},
		{"18446744073s", -ERANGE, 0},
		{"18446744074s", -ERANGE, 0},
		{"9999999999h", -ERANGE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 42;

		if (parse_duration_ns(cases[i].text, 0, 3600 * SEC, &ns) != cases[i].r)
			fail_msg("\"%s\"", cases[i].text);
		assert_int_equal(ns, cases[i].r == 0 ? cases[i].ns : 42);
	}
	uint64_t ns = 42;

	assert_int_equal(parse_duration_ns("9ms", 10 * MS, SEC, &ns), -ERANGE);
	assert_int_equal(ns, 42);
}

/* Past 64 bits of nanoseconds, whatever the caller allows; these wrap to a few when not seen. */
static void test_durations_end_at_64_bits(void **state)
{
	uint64_t ns = 42;

	(void)state;
	assert_int_equal(parse_duration_ns("18446744073.709551616s", 0, UINT64_MAX, &ns), -ERANGE);
	assert_int_equal(parse_duration_ns("307445734.561825861m", 0, UINT64_MAX, &ns), -ERANGE);
	assert_int_equal(parse_duration_ns("5124095.576030432h", 0, UINT64_MAX, &ns), -ERANGE);
	assert_int_equal(ns, 42);
	assert_int_equal(parse_duration_ns("18446744073.709551615s", 0, UINT64_MAX, &ns), 0);
	assert_true(ns == UINT64_MAX);
	assert_int_equal(parse_duration_ns("5124095.576030431h", 0, UINT64_MAX, &ns), 0);
	assert_true(ns == UINT64_C(18446744073709551600));
}

static void test_trims(void **state)
{
	static const struct {
		const char *text;
		int r;
		enum trim_kind kind;
		double share;
		size_t count;
	} cases[] = {
		{"10%", 0, TRIM_SHARE, 0.1, 0},	     {"0%", 0, TRIM_SHARE, 0, 0},
		{"49.9%", 0, TRIM_SHARE, 0.499, 0},  {"8", 0, TRIM_COUNT, 0, 8},
		{"0", 0, TRIM_COUNT, 0, 0},	     {"50%", -ERANGE, TRIM_SHARE, 0, 0},
		{"60%", -ERANGE, TRIM_SHARE, 0, 0},  {"1000001", -ERANGE, TRIM_SHARE, 0, 0},
		{"%", -EINVAL, TRIM_SHARE, 0, 0},    {"10%%", -EINVAL, TRIM_SHARE, 0, 0},
		{"10 %", -EINVAL, TRIM_SHARE, 0, 0}, {"-1", -EINVAL, TRIM_SHARE, 0, 0},
		{"0.1", -EINVAL, TRIM_SHARE, 0, 0},  {"", -EINVAL, TRIM_SHARE, 0, 0},
		{"x", -EINVAL, TRIM_SHARE, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trim trim = {.kind = TRIM_COUNT, .count = 42};

		if (parse_trim(cases[i].text, &trim) != cases[i].r)
			fail_msg("\"%s\"", cases[i].text);
		if (cases[i].r < 0) {
			assert_int_equal(trim.count, 42);
			continue;
		}
		assert_int_equal(trim.kind, cases[i].kind);
		assert_true(trim.share == cases[i].share);
		assert_int_equal(trim.count, cases[i].count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_durations_end_at_64_bits),
		cmocka_unit_test(test_trims),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
