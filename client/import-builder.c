/* SPDX-License-Identifier: MIT */
/*
 * See import-builder.h.
 */
#include "import-builder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "import-builder-private.h"

/* Above these a log is none of repeated runs, and its document would not fit into memory. */
#define MOST_SIDES 1000
#define MOST_TESTS 4000
#define MOST_RUNS  100000

struct import_builder *import_builder_new(void)
{
	return calloc(1, sizeof(struct import_builder));
}

static void fini_side(struct side *side)
{
	for (size_t i = 0; i < side->n_tests; i++) {
		free(side->tests[i].name);
		free(side->tests[i].command);
		free(side->tests[i].runs);
	}
	free(side->tests);
	free(side->label);
}

void import_builder_free(struct import_builder *builder)
{
	if (!builder)
		return;
	for (size_t i = 0; i < builder->n_sides; i++)
		fini_side(&builder->sides[i]);
	free(builder->sides);
	free(builder);
}

void import_builder_freep(struct import_builder **builder)
{
	import_builder_free(*builder);
}

static bool equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Return: 0 or -ENOMEM; a copy of NULL is NULL. */
static int copy(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return *ret || !text ? 0 : -ENOMEM;
}

static int add_side(struct import_builder *builder, const char *path, const char *label)
{
	struct side *grown;
	int r;

	if (builder->n_sides == MOST_SIDES)
		return -E2BIG;
	grown = reallocarray(builder->sides, builder->n_sides + 1, sizeof(grown[0]));
	if (!grown)
		return -ENOMEM;
	builder->sides = grown;
	grown[builder->n_sides] = (struct side){.path = path};
	r = copy(label, &grown[builder->n_sides].label);
	if (r == 0)
		builder->current = builder->n_sides++;
	return r;
}

int import_builder_side(struct import_builder *builder, const char *path, const char *label,
			bool begin)
{
	for (size_t i = builder->n_sides; i-- > 0 && !begin;) {
		if (builder->sides[i].path == path && equal(builder->sides[i].label, label)) {
			builder->current = i;
			return 0;
		}
	}
	return add_side(builder, path, label);
}

static int add_test(struct import_builder *builder, const struct import_test *test)
{
	struct side *side = &builder->sides[builder->current];
	struct test *grown, *added;
	int r;

	if (builder->n_tests == MOST_TESTS)
		return -E2BIG;
	grown = reallocarray(side->tests, side->n_tests + 1, sizeof(grown[0]));
	if (!grown)
		return -ENOMEM;
	side->tests = grown;
	added = &grown[side->n_tests];
	*added = (struct test){.may_be_bare = test->may_be_bare};
	r = copy(test->name, &added->name);
	if (r == 0)
		r = copy(test->command, &added->command);
	if (r < 0) {
		free(added->name);
		return r;
	}
	side->current = side->n_tests++;
	builder->n_tests++;
	return 0;
}

static size_t find_test(const struct side *side, const struct import_test *test)
{
	size_t i = 0;

	while (i < side->n_tests && !(equal(side->tests[i].name, test->name) &&
				      equal(side->tests[i].command, test->command)))
		i++;
	return i;
}

int import_builder_test(struct import_builder *builder, const struct import_test *test,
			bool may_begin_side)
{
	struct side *side = &builder->sides[builder->current];
	size_t found = find_test(side, test);
	int r;

	if (found == side->n_tests)
		return add_test(builder, test);
	if (found == side->current || !may_begin_side) {
		side->current = found;
		return 0;
	}
	r = import_builder_side(builder, side->path, side->label, true);
	return r < 0 ? r : add_test(builder, test);
}

static struct test *current_test(struct import_builder *builder)
{
	struct side *side = &builder->sides[builder->current];

	return &side->tests[side->current];
}

int import_builder_run(struct import_builder *builder, bool failed)
{
	struct test *test = current_test(builder);
	struct test_run *run;

	if (builder->n_runs == MOST_RUNS)
		return -E2BIG;
	if (test->n_runs == test->capacity) {
		size_t wanted = test->capacity ? test->capacity * 2 : 4;
		struct test_run *grown = reallocarray(test->runs, wanted, sizeof(grown[0]));

		if (!grown)
			return -ENOMEM;
		test->runs = grown;
		test->capacity = wanted;
	}
	run = &test->runs[test->n_runs++];
	run->failed = failed;
	builder->n_runs++;
	for (size_t i = 0; i < IMPORT_MOST_FIGURES; i++)
		run->values[i] = run->spreads[i] = (double)NAN;
	return 0;
}

int import_builder_set(struct import_builder *builder, const struct import_figure *figure,
		       struct import_number number, double spread)
{
	struct test *test = current_test(builder);
	struct test_run *run = &test->runs[test->n_runs - 1];
	size_t i = 0;

	while (i < test->n_figures && test->figures[i].figure != figure)
		i++;
	if (i == IMPORT_MOST_FIGURES)
		return -E2BIG;
	if (i == test->n_figures) {
		test->figures[i].figure = figure;
		test->n_figures++;
	}
	if (test->figures[i].decimals < number.decimals)
		test->figures[i].decimals = number.decimals;
	run->values[i] = number.value;
	run->spreads[i] = spread;
	return 0;
}

bool import_builder_has(const struct import_builder *builder, const struct import_figure *figure)
{
	const struct side *side = &builder->sides[builder->current];
	const struct test *test = &side->tests[side->current];

	for (size_t i = 0; i < test->n_figures; i++)
		if (test->figures[i].figure == figure)
			return true;
	return false;
}

void import_builder_not_kept(struct import_builder *builder, const char *what)
{
	for (size_t i = 0; i < builder->n_not_kept; i++)
		if (strcmp(builder->not_kept[i], what) == 0)
			return;
	if (builder->n_not_kept < IMPORT_MOST_NOT_KEPT)
		builder->not_kept[builder->n_not_kept++] = what;
}

void import_builder_count(const struct import_builder *builder, struct import_counts *ret)
{
	*ret = (struct import_counts){.sides = builder->n_sides,
				      .not_kept = builder->not_kept,
				      .n_not_kept = builder->n_not_kept};
	for (size_t i = 0; i < builder->n_sides; i++) {
		const struct side *side = &builder->sides[i];

		if (ret->tests < side->n_tests)
			ret->tests = side->n_tests;
		for (size_t j = 0; j < side->n_tests; j++) {
			const struct test *test = &side->tests[j];

			ret->values += test->n_runs;
			for (size_t k = 0; k < test->n_runs; k++)
				ret->failed += test->runs[k].failed;
		}
	}
}
