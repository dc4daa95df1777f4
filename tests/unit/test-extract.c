/* SPDX-License-Identifier: MIT */
/*
 * Numbers in text: what counts as one, which match counts, and lines that come in pieces.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleanup.h"
#include "extract.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void assert_same(double value, double expected)
{
	if (value != expected)
		fail_msg("%.17g is not %.17g", value, expected);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
		bool is_ratio;
	} cases[] = {
		{"0", 0, false},
		{"12", 12, false},
		{"-12.5", -12.5, false},
		{"+.5", 0.5, false},
		{"1.5e3", 1500, false},
		{"5.", 5, false},
		{"12.3k", 12.3e3, false},
		{"2M", 2e6, false},
		{"2G", 2e9, false},
		{"2T", 2e12, false},
		{"1.5Ki", 1536, false},
		{"2Mi", 2097152, false},
		{"1Gi", 1073741824, false},
		{"1Ti", 1099511627776, false},
		{"5.5%", 5.5 / 100, true},
		{"-1%", -0.01, true},
		{" \t12 ", 12, false},
		{"12\r", 12, false},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		double value = -99;
		bool is_ratio = !cases[i].is_ratio;

		if (extract_number(cases[i].text, strlen(cases[i].text), &value, &is_ratio) != 0)
			fail_msg("\"%s\" is refused", cases[i].text);
		assert_same(value, cases[i].value);
		assert_int_equal(is_ratio, cases[i].is_ratio);
	}
}

static void test_what_is_no_number(void **state)
{
	static const char *const cases[] = {
		"",    " ",   "x",   "1,234", "1,234.5", "1 234", "12 k",   "12kB",  "12m",
		"12K", "inf", "nan", "-inf",  "+nan",	 "1e999", "1e308k", "-",     "+",
		".",   "- 5", "5 %", "5%%",   "k",	 "1.2.3", "iops=5", "12KiB", "12\n",
	};
	char zeros[200];

	(void)state;
	memset(zeros, '0', sizeof(zeros));
	for (size_t i = 0; i < N(cases); i++) {
		double value = -99;
		bool is_ratio = false;

		if (extract_number(cases[i], strlen(cases[i]), &value, &is_ratio) != -EINVAL)
			fail_msg("\"%s\" is taken for %g", cases[i], value);
		assert_same(value, -99);
	}
	assert_int_equal(extract_number(zeros, sizeof(zeros), &(double){0}, &(bool){false}),
			 -EINVAL);
	assert_int_equal(extract_number("5\0", 2, &(double){0}, &(bool){false}), -EINVAL);
}

static void add_rule(struct extract_rules *rules, const char *text)
{
	cleanup(freep) char *why = NULL;

	if (extract_add_rule(rules, text, &why) != 0)
		fail_msg("%s: %s", text, why ? why : "out of memory");
}

static void test_rules(void **state)
{
	static const struct {
		const char *text;
		const char *name;
		enum extract_better better;
	} cases[] = {
		{"iops=IOPS=([0-9]+)", "iops", EXTRACT_BETTER_UNKNOWN},
		{"p99/read=x:higher", "p99/read", EXTRACT_BETTER_HIGHER},
		{"a_B-1.2=x:lower", "a_B-1.2", EXTRACT_BETTER_LOWER},
		{"colon=time: ([0-9]+)", "colon", EXTRACT_BETTER_UNKNOWN},
		{"both=x:higher:lower", "both", EXTRACT_BETTER_LOWER},
		{"other=x:best", "other", EXTRACT_BETTER_UNKNOWN},
	};
	struct extract_rules rules = {.n = 0};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		add_rule(&rules, cases[i].text);
		assert_int_equal(rules.n, i + 1);
		assert_string_equal(rules.rules[i].name, cases[i].name);
		assert_int_equal(rules.rules[i].better, cases[i].better);
	}
	assert_int_equal(extract_find_rule(&rules, "colon"), 3);
	assert_int_equal(extract_find_rule(&rules, "colo"), rules.n);
	extract_rules_fini(&rules);
}

static void test_wrong_rules_say_why(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{"iops", "NAME=REGEX"},
		{"", "NAME=REGEX"},
		{"=x", "a name is"},
		{"a b=x", "a name is"},
		{"\xc3\xa9=x", "a name is"},
		{"load=x", "another name"},
		{"untrimmed=x", "another"},
		{"us_per_work=x", "another"},
		{"there=x", "twice"},
		{"a=", "empty"},
		{"a=:higher", "empty"},
		{"a=(", "Unmatched ( or \\("},
		{"a=[", "wrong"},
		{"a=x{2,1}", "wrong"},
		{"abcdefghijabcdefghijabcdefghijabc=x", "a name is"},
	};
	struct extract_rules rules = {.n = 0};

	(void)state;
	add_rule(&rules, "there=x");
	for (size_t i = 0; i < N(cases); i++) {
		cleanup(freep) char *why = NULL;

		if (extract_add_rule(&rules, cases[i].text, &why) != -EINVAL)
			fail_msg("%s is taken", cases[i].text);
		assert_non_null(why);
		assert_null(strchr(why, '\n'));
		if (!strstr(why, cases[i].why))
			fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, why,
				 cases[i].why);
		assert_int_equal(rules.n, 1);
	}
	extract_rules_fini(&rules);
}

static void test_there_are_sixteen_rules(void **state)
{
	struct extract_rules rules = {.n = 0};
	cleanup(freep) char *why = NULL;

	(void)state;
	for (int i = 0; i < EXTRACT_MOST_RULES; i++) {
		char text[16];

		(void)snprintf(text, sizeof(text), "m%d=x", i);
		add_rule(&rules, text);
	}
	assert_int_equal(extract_add_rule(&rules, "more=x", &why), -EINVAL);
	assert_non_null(strstr(why, "16"));
	extract_rules_fini(&rules);
}

/* Feed text[n] to one rule in pieces of @piece bytes. */
static struct extract_value find(const char *rule, const char *text, size_t n, size_t piece)
{
	struct extract_rules rules = {.n = 0};
	struct extract_value value;
	struct extract extract;

	add_rule(&rules, rule);
	assert_int_equal(extract_init(&extract, &rules, &value), 0);
	for (size_t i = 0; i < n; i += piece)
		extract_feed(&extract, 0, &text[i], n - i < piece ? n - i : piece);
	extract_finish(&extract);
	extract_fini(&extract);
	extract_rules_fini(&rules);
	return value;
}

static void test_the_last_match_counts_however_it_comes(void **state)
{
	static const struct {
		const char *rule;
		const char *text;
		double value;
	} cases[] = {
		{"m=iops=([0-9]+)", "iops=1\niops=2\nother\n", 2},
		{"m=iops=([0-9]+)", "iops=1 iops=2 iops=x\n", 2},
		{"m=iops=([0-9]+)", "iops=12", 12},
		{"m=iops=([0-9]+)", "\n\niops=7\n\n", 7},
		{"m=[0-9]+", "a 5 b 6\nnothing\n", 6},
		{"m=^([0-9]+) ", "1 2 3 4 5\n", 1},
		{"m=([0-9]+)$", "1 2 3 4 5\n", 5},
		{"m=bw=([0-9.]+Ki)B/s", "bw=2KiB/s\n", 2048},
		/* The second alternative has no group: what it matches captures nothing. */
		{"m=a([0-9]+)|b[0-9]+", "a1 b2\nb3\n", 1},
		{"m=x*([0-9])", "7", 7},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		size_t n = strlen(cases[i].text);

		for (size_t piece = 1; piece <= n; piece++) {
			struct extract_value value = find(cases[i].rule, cases[i].text, n, piece);

			assert_int_equal(value.state, EXTRACT_FOUND);
			assert_same(value.number, cases[i].value);
			assert_false(value.is_ratio);
		}
	}
}

static void test_no_match_and_no_number(void **state)
{
	static const char text[] = "n=1\nn=1,234\xff\x1b\n";
	struct extract_value value;

	(void)state;
	value = find("m=x([0-9]+)", text, strlen(text), 3);
	assert_int_equal(value.state, EXTRACT_NO_MATCH);
	value = find("m=x([0-9]+)", "", 0, 1);
	assert_int_equal(value.state, EXTRACT_NO_MATCH);
	/* An earlier number is not the last one. */
	value = find("m=n=(.*)", text, strlen(text), 3);
	assert_int_equal(value.state, EXTRACT_NO_NUMBER);
	assert_string_equal(value.text, "1,234??");
	/* An empty match is a match. */
	value = find("m=x*", "y\n", 2, 2);
	assert_int_equal(value.state, EXTRACT_NO_NUMBER);
	value = find("m=(5%)", "5%", 2, 1);
	assert_int_equal(value.state, EXTRACT_FOUND);
	assert_true(value.is_ratio);
}

static void test_any_byte_may_stand_in_a_line(void **state)
{
	static const char text[] = "\0\0a=\0 n=5\0\xff\n";
	struct extract_value value = find("m=n=([0-9]+)", text, sizeof(text) - 1, 4);

	(void)state;
	assert_int_equal(value.state, EXTRACT_FOUND);
	assert_same(value.number, 5);
}

static void put(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
}

/* A number whose last digit is byte EXTRACT_LINE_BYTES is found, one byte later it is cut. */
static void test_long_lines_are_cut(void **state)
{
	cleanup(freep) char *text = malloc(3 * EXTRACT_LINE_BYTES);
	static const size_t pieces[] = {4096, 3 * EXTRACT_LINE_BYTES};

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < N(pieces); i++) {
		struct extract_value value;

		memset(text, '.', 3 * EXTRACT_LINE_BYTES);
		put(&text[EXTRACT_LINE_BYTES - 4], "n=12");
		value = find("m=n=([0-9]+)", text, 3 * EXTRACT_LINE_BYTES, pieces[i]);
		assert_int_equal(value.state, EXTRACT_FOUND);
		assert_same(value.number, 12);
		put(&text[EXTRACT_LINE_BYTES - 4], ".n=12");
		value = find("m=n=([0-9]+)", text, 3 * EXTRACT_LINE_BYTES, pieces[i]);
		assert_same(value.number, 1);
		/* The next line is looked at again. */
		put(&text[2 * EXTRACT_LINE_BYTES], "\nn=7\n");
		value = find("m=n=([0-9]+)", text, 3 * EXTRACT_LINE_BYTES, pieces[i]);
		assert_same(value.number, 7);
	}
}

static void test_streams_do_not_mix(void **state)
{
	struct extract_rules rules = {.n = 0};
	struct extract_value values[2];
	struct extract extract;

	(void)state;
	add_rule(&rules, "out=out=([0-9]+)");
	add_rule(&rules, "err=err=([0-9]+)");
	assert_int_equal(extract_init(&extract, &rules, values), 0);
	extract_feed(&extract, 0, "out=1", 5);
	extract_feed(&extract, 1, "err=3", 5);
	extract_feed(&extract, 0, "2\n", 2);
	extract_feed(&extract, 1, "4", 1);
	extract_finish(&extract);
	assert_same(values[0].number, 12);
	assert_same(values[1].number, 34);
	extract_fini(&extract);
	extract_rules_fini(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_what_is_no_number),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_wrong_rules_say_why),
		cmocka_unit_test(test_there_are_sixteen_rules),
		cmocka_unit_test(test_the_last_match_counts_however_it_comes),
		cmocka_unit_test(test_no_match_and_no_number),
		cmocka_unit_test(test_any_byte_may_stand_in_a_line),
		cmocka_unit_test(test_long_lines_are_cut),
		cmocka_unit_test(test_streams_do_not_mix),
	};

	return cmocka_run_group_tests_name("extract", tests, NULL, NULL);
}
