/* SPDX-License-Identifier: MIT */
/*
 * Moments with known spellings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timestamp.h"

static void test_known_moments(void **state)
{
	static const struct {
		int64_t wall_ns;
		const char *text;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z"},
		{951782400000000000, "2000-02-29T00:00:00.000Z"},
		{1796045415123999999, "2026-11-30T13:30:15.123Z"},
		{INT64_MAX, "2262-04-11T23:47:16.854Z"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[TIMESTAMP_SIZE];

		timestamp_format(cases[i].wall_ns, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_moments)};

	return cmocka_run_group_tests_name("timestamp", tests, NULL, NULL);
}
