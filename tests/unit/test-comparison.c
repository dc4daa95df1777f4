/* SPDX-License-Identifier: MIT */
/*
 * What a comparison says about two sides: the verdict and every sentence that qualifies it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "comparison.h"
#include "json.h"
#include "side-fixture.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const double before[] = {5.02, 5.23, 5.27};
static const double after[] = {5.27, 5.33, 5.32};
static const double before10[] = {5.02, 5.23, 5.27, 5.11, 5.19, 5.24, 5.16, 5.21, 5.08, 5.25};
static const double after10[] = {5.27, 5.33, 5.32, 5.29, 5.38, 5.31, 5.24, 5.36, 5.30, 5.28};

static const struct comparison_options usual = {.confidence = 0.95};

/* Compare by the load, or by all when @options has metrics. The sides are taken over. */
static json_t *compare(json_t *first, json_t *second, const char *design,
		       const struct comparison_options *options)
{
	static const char *const paths[] = {"before.json", "after.json"};
	size_t n = design ? 1 : 2;
	json_t **documents = calloc(n, sizeof(json_t *)), *comparison;
	struct comparison_options what = *options;
	struct metric *metrics;
	struct sides sides;

	assert_non_null(documents);
	if (design) {
		documents[0] = parse(design);
		assert_int_equal(json_object_set_new(documents[0], "sides",
						     json_pack("[o, o]", first, second)),
				 0);
	} else {
		documents[0] = first;
		documents[1] = second;
	}
	assert_int_equal(sides_take(documents, paths, n, "before,after", &sides), 0);
	assert_int_equal(metric_defaults(sides.sides, sides.n, &metrics, &what.n_metrics), 0);
	what.metrics = metrics;
	comparison = comparison_new(&sides, &what);
	assert_non_null(comparison);
	free(metrics);
	sides_fini(&sides);
	return comparison;
}

static const json_t *pair_of(const json_t *comparison)
{
	return json_array_get(json_object_get(comparison, "pairs"), 0);
}

static const json_t *metric_of(const json_t *comparison)
{
	return json_array_get(json_object_get(pair_of(comparison), "metrics"), 0);
}

static bool has_note(const json_t *notes, const char *text)
{
	const json_t *note;
	size_t index;

	json_array_foreach (notes, index, note)
		if (strcmp(json_string_value(note), text) == 0)
			return true;
	return false;
}

static void assert_notes(const json_t *notes, const char *const *expected, size_t n)
{
	const json_t *note;
	size_t index;

	for (size_t i = 0; i < n; i++)
		if (!has_note(notes, expected[i]))
			fail_msg("no note: %s; the last one: %s", expected[i],
				 json_string_value(json_array_get(notes, n - 1)));
	json_array_foreach (notes, index, note)
		if (index >= n)
			fail_msg("one note more: %s", json_string_value(note));
}

#define one_boot "each side is one boot: what differs from boot to boot is not in the interval"
#define assert_says(notes, ...)                                                                    \
	assert_notes(notes, (const char *const[]){__VA_ARGS__},                                    \
		     N(((const char *const[]){__VA_ARGS__})))

static void the_table_is_not_distinguishable(void **state)
{
	json_t *comparison = compare(make_side(before, 3, "a", "{}"),
				     make_side(after, 3, "b", "{}"), NULL, &usual);
	const json_t *metric = metric_of(comparison);

	(void)state;
	assert_string_equal(json_get_string(metric, "verdict"), "not distinguishable");
	assert_true(json_is_null(json_object_get(metric, "obstacle")));
	assert_string_equal(json_get_string(metric, "test"), "welch");
	assert_string_equal(json_get_string(metric, "replicate"), "run");
	assert_true(fabs(json_get_number(metric, "difference") - 0.004 / 3) < 1e-12);
	assert_true(fabs(json_get_number(metric, "ci_low") + 0.0017809219070717752) < 1e-12);
	assert_true(fabs(json_get_number(metric, "relative") - 0.025773) < 1e-6);
	assert_int_equal(json_get_integer(metric, "replicates_needed", 0), 10);
	assert_true(json_is_null(json_object_get(metric, "min_effect")));
	assert_int_equal(json_array_size(json_object_get(metric, "notes")), 0);
	assert_says(json_object_get(pair_of(comparison), "notes"), one_boot);
	json_decref(comparison);
}

static void confidence_and_minimum_effect_decide(void **state)
{
	static const struct {
		double confidence;
		struct effect effect;
		const char *verdict;
	} cases[] = {
		{0.95, {EFFECT_NONE, 0}, "more"},
		{0.9999, {EFFECT_NONE, 0}, "not distinguishable"},
		{0.95, {EFFECT_POINTS, 0.2}, "same within"},
		{0.95, {EFFECT_UNIT, 0.2}, "same within"},
		{0.95, {EFFECT_SHARE, 0.04}, "same within"},
		{0.95, {EFFECT_SHARE, 0.03}, "more"},
		{0.9999, {EFFECT_POINTS, 0.2}, "not distinguishable"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct comparison_options options = {.confidence = cases[i].confidence,
						     .min_effect = cases[i].effect};
		json_t *comparison = compare(make_side(before10, 10, "a", "{}"),
					     make_side(after10, 10, "b", "{}"), NULL, &options);

		assert_string_equal(json_get_string(metric_of(comparison), "verdict"),
				    cases[i].verdict);
		json_decref(comparison);
	}
}

static void obstacles_have_no_verdict(void **state)
{
	static const double flat[] = {5, 5, 5}, other[] = {6, 6, 6}, large[] = {1e300, -2e306};
	static const struct {
		const double *first;
		size_t n_first;
		const double *second;
		size_t n_second;
		const char *obstacle;
	} cases[] = {
		{before, 1, after, 3, "one value"},  {before, 3, after, 1, "one value"},
		{before, 3, before, 3, "same runs"}, {flat, 3, flat, 2, "equal values"},
		{flat, 3, other, 3, "no spread"},    {large, 2, after, 3, "too large"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		json_t *comparison = compare(
			make_side(cases[i].first, cases[i].n_first, "a", "{}"),
			make_side(cases[i].second, cases[i].n_second, "b", "{}"), NULL, &usual);
		const json_t *metric = metric_of(comparison);

		assert_string_equal(json_get_string(metric, "obstacle"), cases[i].obstacle);
		assert_true(json_is_null(json_object_get(metric, "verdict")));
		assert_true(json_is_null(json_object_get(metric, "p")));
		assert_true(json_is_null(json_object_get(metric, "ci_high")));
		assert_true(json_is_null(json_object_get(metric, "replicates_needed")));
		json_decref(comparison);
	}
}

static void drift_is_told_and_not_in_turns(void **state)
{
	static const double drift[] = {5.0, 5.1, 5.21, 5.3, 5.4, 5.5};
	static const double more[] = {5.3, 5.5, 5.4, 5.45, 5.35, 5.5};
	json_t *comparison = compare(make_side(drift, 6, "a", "{}"), make_side(more, 6, "b", "{}"),
				     NULL, &usual);

	(void)state;
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "before drifts by +0.1 pp from run to run, so a difference may be the drift's: "
		    "soakctl ab measures two commands in turns, which cancels it");
	json_decref(comparison);
	comparison = compare(make_side(drift, 6, "a", "{}"), make_side(more, 6, "a", "{}"),
			     "{'design': 'abba'}", &usual);
	assert_string_equal(json_get_string(metric_of(comparison), "test"), "paired");
	assert_string_equal(json_get_string(metric_of(comparison), "replicate"), "block");
	assert_int_equal(json_array_size(json_object_get(metric_of(comparison), "notes")), 0);
	json_decref(comparison);
}

/* The number is that in the file, though a run before it failed. */
static void a_far_run_is_told_by_its_number(void **state)
{
	static const double far[] = {9, 5.1, 5.2, 5.3, 8.15, 5.2};
	json_t *first = make_side(far, 6, "a", "{}"), *comparison;

	(void)state;
	put(run_of(first, 0), "{'failed': true}");
	comparison = compare(first, make_side(after, 3, "b", "{}"), NULL, &usual);
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "run 5 of before is far from its others (8.150, their median 5.200)");
	assert_true(has_note(json_object_get(pair_of(comparison), "notes"),
			     "before: 1 of 6 runs failed and is left out"));
	json_decref(comparison);
	first = make_side(far, 6, "a", "{}");
	put(run_of(first, 4), "{'load_ratio': 0.0515}");
	comparison = compare(first, make_side(after, 3, "b", "{}"), NULL, &usual);
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "run 1 of before is far from its others (9.000, their median 5.200): a warm-up "
		    "run (-w 1) may help");
	json_decref(comparison);
}

static void bursts_that_trimming_hides_are_told(void **state)
{
	json_t *second = make_side(after, 3, "b", "{}"), *comparison;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		put(run_of(second, i), "{'untrimmed_load_ratio': 0.08}");
	put(run_of(second, 0), "{'untrimmed_load_ratio': 0.083}");
	comparison = compare(make_side(before, 3, "a", "{}"), second, NULL, &usual);
	assert_string_equal(json_get_string(metric_of(comparison), "verdict"),
			    "not distinguishable");
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "trimming takes 2.79 pp off the load of after, which comes in bursts",
		    "without trimming the change is +2.93 pp [+2.57, +3.29]: MORE (worse)");
	json_decref(comparison);
	/* One run a side has no interval to show. */
	second = make_side(after, 1, "b", "{}");
	put(run_of(second, 0), "{'untrimmed_load_ratio': 0.03}");
	comparison = compare(make_side(before, 1, "a", "{}"), second, NULL, &usual);
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "trimming adds 2.27 pp to the load of after, which comes in stretches with "
		    "pauses",
		    "without trimming the change is -2.020 pp: CANNOT TEST (one value)");
	json_decref(comparison);
}

/* Make the runs of a side come from these boots, one character each. */
static json_t *boot(json_t *side, const char *boots)
{
	for (size_t i = 0; boots[i]; i++)
		(void)json_object_set_new(run_of(side, i), "boot_id", json_stringn(&boots[i], 1));
	return side;
}

static void the_unit_is_the_boot_with_several_on_both_sides(void **state)
{
	json_t *comparison =
		compare(boot(make_side(before10, 10, "", "{}"), "aaabbbcccc"),
			boot(make_side(after10, 10, "", "{}"), "ddddeeeeee"), NULL, &usual);
	const json_t *metric = metric_of(comparison);
	json_t *second;

	(void)state;
	assert_string_equal(json_get_string(metric, "replicate"), "boot");
	assert_int_equal(json_get_integer(json_object_get(metric, "first"), "n", 0), 3);
	assert_says(json_object_get(pair_of(comparison), "notes"),
		    "the unit is the boot: 3 + 2 values, each the mean of one boot's runs");
	json_decref(comparison);
	/* Boots on one side only. */
	comparison = compare(boot(make_side(before10, 10, "", "{}"), "aaabbbcccc"),
			     make_side(after10, 10, "d", "{}"), NULL, &usual);
	assert_string_equal(json_get_string(metric_of(comparison), "replicate"), "run");
	assert_says(json_object_get(pair_of(comparison), "notes"),
		    "one side is one boot: what differs from boot to boot is not in the interval");
	json_decref(comparison);
	/* The second boot has nothing to show: all its runs failed. */
	second = boot(make_side(after10, 10, "", "{}"), "ddddddddde");
	put(run_of(second, 9), "{'failed': true}");
	comparison = compare(boot(make_side(before10, 10, "", "{}"), "aaabbbcccc"), second, NULL,
			     &usual);
	assert_string_equal(json_get_string(metric_of(comparison), "replicate"), "run");
	json_decref(comparison);
	/* The same boots on both sides: the unit is told all the same. */
	comparison = compare(boot(make_side(before10, 10, "", "{}"), "aaaaabbbbb"),
			     boot(make_side(after10, 10, "", "{}"), "aaaaabbbbb"), NULL, &usual);
	assert_true(
		has_note(json_object_get(pair_of(comparison), "notes"),
			 "the unit is the boot: 2 + 2 values, each the mean of one boot's runs"));
	json_decref(comparison);
}

static void what_happened_to_runs_is_told(void **state)
{
	json_t *first = make_side(before, 3, "a", "{'partial': true}");
	json_t *second = make_side(after10, 10, "b", "{'trim_ratio': 0.2}"), *comparison;

	(void)state;
	put(run_of(first, 1), "{'short': true}");
	for (size_t i = 0; i < 2; i++)
		put(run_of(second, i), "{'short': true}");
	for (size_t i = 2; i < 5; i++)
		put(run_of(second, i), "{'failed': true, 'short': true}");
	comparison = compare(first, second, NULL, &usual);
	assert_says(json_object_get(pair_of(comparison), "notes"), one_boot,
		    "before: 1 run is too short to trim: the load is the untrimmed one",
		    "before: its series ended early", "after: 3 of 10 runs failed and are left out",
		    "after: 2 runs are too short to trim: the load is the untrimmed one",
		    "the sides were trimmed differently: --trim trims them alike");
	json_decref(comparison);
}

static void alike_sides_many_figures_and_rules_are_told(void **state)
{
	static const char *const members =
		"{'metrics': [{'name': 'x'}, {'name': 'y'}], 'stopped_by': 'ignored'}";
	json_t *first = make_side(before10, 10, "a", members);
	json_t *second = make_side(after10, 10, "a", members), *comparison;
	const struct comparison_options options = {.confidence = 0.99};

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		put(run_of(first, i),
		    i % 2 ? "{'metrics': {'x': 1, 'y': 2}}" : "{'metrics': {'x': 2, 'y': 3}}");
		put(run_of(second, i),
		    i % 3 ? "{'metrics': {'x': 1, 'y': 2}}" : "{'metrics': {'x': 2, 'y': 3}}");
	}
	comparison = compare(first, second,
			     "{'design': 'abba', 'stopped_by': '--until-ci \\u001b'}", &options);
	assert_says(json_object_get(pair_of(comparison), "notes"),
		    "same command, kernel and boot on both sides: unless something changed that "
		    "soakctl does not record, this is an A/A comparison, and a difference is "
		    "noise, drift or chance",
		    "3 figures are compared, each at 99 %: one in 100 differs by chance alone",
		    "the series ended by the rule --until-ci \\x1B, stated before it began");
	assert_string_equal(json_get_string(comparison, "stopped_by"), "--until-ci \x1b");
	json_decref(comparison);
}

static void forced_and_robust_are_told(void **state)
{
	const struct comparison_options options = {.confidence = 0.95, .robust = true};
	json_t *comparison = compare(
		make_side(before10, 9, "a", "{}"),
		make_side(after10, 10, "b", "{'environment': {'cpu_model': 'Y'}}"), NULL, &options);

	(void)state;
	assert_true(json_is_true(json_object_get(pair_of(comparison), "unlike")));
	assert_true(has_note(json_object_get(pair_of(comparison), "notes"), COMPARISON_UNLIKE));
	assert_says(json_object_get(metric_of(comparison), "notes"),
		    "--robust needs 10 runs a side: this is the plain Welch test");
	json_decref(comparison);
	comparison = compare(make_side(before10, 10, "a", "{}"), make_side(after10, 10, "b", "{}"),
			     NULL, &options);
	assert_string_equal(json_get_string(metric_of(comparison), "test"), "yuen");
	assert_true(json_get_number(metric_of(comparison), "rank_p") < 0.01);
	json_decref(comparison);
}

/* A file may hold anything where a text is expected. */
static void what_is_no_text_is_null(void **state)
{
	json_t *comparison = compare(
		make_side(before, 3, "a",
			  "{'command': {'a': 1}, 'environment': {'kernel': [1]}, 'time': 5}"),
		make_side(after, 3, "b", "{'command': 'x', 'label': {}}"), NULL, &usual);
	const json_t *side = json_array_get(json_object_get(comparison, "sides"), 0);

	(void)state;
	assert_true(json_is_null(json_object_get(side, "command")));
	assert_true(json_is_null(json_object_get(side, "kernel")));
	assert_true(json_is_null(json_object_get(side, "time")));
	json_decref(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_not_distinguishable),
		cmocka_unit_test(confidence_and_minimum_effect_decide),
		cmocka_unit_test(obstacles_have_no_verdict),
		cmocka_unit_test(drift_is_told_and_not_in_turns),
		cmocka_unit_test(a_far_run_is_told_by_its_number),
		cmocka_unit_test(bursts_that_trimming_hides_are_told),
		cmocka_unit_test(the_unit_is_the_boot_with_several_on_both_sides),
		cmocka_unit_test(what_happened_to_runs_is_told),
		cmocka_unit_test(alike_sides_many_figures_and_rules_are_told),
		cmocka_unit_test(forced_and_robust_are_told),
		cmocka_unit_test(what_is_no_text_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
