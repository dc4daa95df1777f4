/* SPDX-License-Identifier: MIT */
/*
 * import_builder_finish(): what was put in, as a run file.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ascii.h"
#include "cleanup.h"
#include "clock.h"
#include "import-builder-private.h"
#include "json.h"
#include "timestamp.h"
#include "version.h"

/* A document of so many numbers, most of them null, is a mistake that would fill the memory. */
#define MOST_CELLS 1000000

/* Return: a new string; bytes that are no UTF-8 are written \xNN. */
static json_t *text_to_json(const char *text)
{
	json_t *string = json_string(text);
	cleanup(freep) char *escaped = NULL;

	if (string)
		return string;
	escaped = ascii_escape(text);
	return escaped ? json_string(escaped) : NULL;
}

static bool is_bare(const struct import_builder *builder, const struct test *test)
{
	if (!test->name)
		return true;
	if (!test->may_be_bare)
		return false;
	for (size_t i = 0; i < builder->n_sides; i++)
		if (builder->sides[i].n_tests > 1)
			return false;
	return true;
}

/* Return: whether another test of the side differs from this one in its command only. */
static bool needs_command(const struct side *side, const struct test *test)
{
	if (!test->command || strcmp(test->command, test->name) == 0)
		return false;
	for (size_t i = 0; i < side->n_tests; i++) {
		const struct test *other = &side->tests[i];

		if (other != test && other->name && strcmp(other->name, test->name) == 0)
			return true;
	}
	return false;
}

/* "TEST FIGURE"; free() it. */
static char *name_metric(const struct import_builder *builder, const struct side *side,
			 const struct test *test, const struct import_figure *figure)
{
	bool bare = is_bare(builder, test);
	bool with_command = !bare && needs_command(side, test);
	char *name;

	if (asprintf(&name, "%s%s%s%s%s", bare ? "" : test->name, with_command ? ": " : "",
		     with_command ? test->command : "", bare || !figure->name[0] ? "" : " ",
		     figure->name) < 0)
		return NULL;
	return name;
}

/* A side as it is written: its metrics' names stand beside it, as every run needs them. */
struct writing {
	const struct import_builder *builder;
	const struct side *side;
	json_t *metrics;
	json_t *known; /* an object with the names as members */
	char **names;  /* [n_names], in the order of tests and their figures */
	size_t n_names;
	size_t n_runs;
};

static void fini_writing(struct writing *writing)
{
	for (size_t i = 0; i < writing->n_names; i++)
		free(writing->names[i]);
	free(writing->names);
	json_decref(writing->metrics);
	json_decref(writing->known);
}

static int add_metric(struct writing *writing, const struct test *test, size_t index)
{
	const struct import_figure *figure = test->figures[index].figure;
	cleanup(freep) char *name = name_metric(writing->builder, writing->side, test, figure);
	json_t *string = name ? text_to_json(name) : NULL;
	int r = string ? 0 : -ENOMEM;

	if (r == 0 && json_object_get(writing->known, json_string_value(string)))
		r = -EEXIST;
	if (r == 0 &&
	    (json_object_set_new(writing->known, json_string_value(string), json_true()) == -1 ||
	     !(writing->names[writing->n_names] = strdup(json_string_value(string)))))
		r = -ENOMEM;
	if (r < 0) {
		json_decref(string);
		return r;
	}
	writing->n_names++;
	return json_array_append_new(writing->metrics,
				     json_pack("{s:o, s:s, s:s?, s:i}", "name", string, "unit",
					       figure->unit, "better", figure->better, "decimals",
					       test->figures[index].decimals)) == -1
		       ? -ENOMEM
		       : 0;
}

static int begin_writing(const struct import_builder *builder, const struct side *side,
			 struct writing *ret)
{
	size_t n_figures = 0;
	int r = 0;

	*ret = (struct writing){
		.builder = builder, .side = side, .metrics = json_array(), .known = json_object()};
	for (size_t i = 0; i < side->n_tests; i++) {
		n_figures += side->tests[i].n_figures;
		if (ret->n_runs < side->tests[i].n_runs)
			ret->n_runs = side->tests[i].n_runs;
	}
	if (ret->n_runs > MOST_CELLS / (n_figures + 1))
		return -E2BIG;
	ret->names = calloc(n_figures + 1, sizeof(ret->names[0]));
	if (!ret->names || !ret->metrics || !ret->known)
		return -ENOMEM;
	for (size_t i = 0; i < side->n_tests && r == 0; i++)
		for (size_t j = 0; j < side->tests[i].n_figures && r == 0; j++)
			r = add_metric(ret, &side->tests[i], j);
	return r;
}

/* A run failed when every test in it did; else only the failed tests have no values. */
static bool is_failed(const struct side *side, size_t run)
{
	bool any = false;

	for (size_t i = 0; i < side->n_tests; i++) {
		if (run >= side->tests[i].n_runs)
			continue;
		if (!side->tests[i].runs[run].failed)
			return false;
		any = true;
	}
	return any;
}

static int set_values(const struct writing *writing, size_t run, bool failed, json_t *metrics,
		      json_t *spreads)
{
	char *const *name = writing->names;

	for (size_t i = 0; i < writing->side->n_tests; i++) {
		const struct test *test = &writing->side->tests[i];
		const struct test_run *own = run < test->n_runs ? &test->runs[run] : NULL;

		if (own && own->failed && !failed)
			own = NULL;
		for (size_t j = 0; j < test->n_figures; j++, name++) {
			double value = own ? own->values[j] : (double)NAN;
			double spread = own ? own->spreads[j] : (double)NAN;

			if (json_object_set_new(metrics, *name, json_number(value)) == -1)
				return -ENOMEM;
			if (!isnan(spread) &&
			    json_object_set_new(spreads, *name, json_number(spread)) == -1)
				return -ENOMEM;
		}
	}
	return 0;
}

static int add_run(const struct writing *writing, size_t index, json_t *runs)
{
	bool failed = is_failed(writing->side, index);
	json_t *metrics = json_object(), *spreads = json_object();
	int r = set_values(writing, index, failed, metrics, spreads);
	json_t *run = json_pack("{s:I, s:b, s:o}", "run_index", (json_int_t)index + 1, "failed",
				failed, "metrics", metrics);

	if (r == 0 && json_object_size(spreads) > 0 &&
	    json_object_set(run, "within_run_sd", spreads) == -1)
		r = -ENOMEM;
	json_decref(spreads);
	return json_array_append_new(runs, run) == -1 ? -ENOMEM : r;
}

static json_t *command_to_json(const struct side *side)
{
	if (side->n_tests != 1 || !side->tests[0].command)
		return json_null();
	return json_pack("[o]", text_to_json(side->tests[0].command));
}

/* Return: the number of a side among those that are named by its file; 0: it is the only one. */
static size_t number_of(const struct import_builder *builder, const struct side *side)
{
	size_t number = 0, n = 0;

	for (size_t i = 0; i < builder->n_sides; i++) {
		const struct side *other = &builder->sides[i];

		if (other->path != side->path || other->label)
			continue;
		n++;
		if (other == side)
			number = n;
	}
	return n > 1 ? number : 0;
}

/* "logs/before.log" is called before; its second side before/2. */
static json_t *name_by_file(const struct import_builder *builder, const struct side *side)
{
	const char *base = strrchr(side->path, '/'), *suffix;
	size_t number = number_of(builder, side), length;
	cleanup(freep) char *name = NULL;

	base = base ? base + 1 : side->path;
	if (strcmp(base, "-") == 0)
		base = "stdin";
	suffix = strrchr(base, '.');
	length = suffix && suffix != base ? (size_t)(suffix - base) : strlen(base);
	if (number == 0)
		name = strndup(base, length);
	else if (asprintf(&name, "%.*s/%zu", (int)length, base, number) < 0)
		name = NULL;
	return name ? text_to_json(name) : NULL;
}

/* Take the next of @labels, which goes past it. Return: 0; -ERANGE when it is empty; -ENOMEM. */
static int next_label(const char **labels, json_t **ret)
{
	size_t length = strcspn(*labels, ",");
	cleanup(freep) char *label = strndup(*labels, length);

	if (length == 0)
		return -ERANGE;
	*ret = label ? text_to_json(label) : NULL;
	*labels = (*labels)[length] == ',' ? *labels + length + 1 : NULL;
	return *ret ? 0 : -ENOMEM;
}

/* Take a label for a side, from @labels as long as there are some. */
static int label_side(const struct import_builder *builder, const struct side *side,
		      const char **labels, json_t **ret)
{
	if (*labels)
		return next_label(labels, ret);
	*ret = side->label ? text_to_json(side->label) : name_by_file(builder, side);
	return *ret ? 0 : -ENOMEM;
}

static int make_side(const struct import_builder *builder, const struct side *side,
		     const char *format, const char **labels, json_t **ret)
{
	cleanup(fini_writing) struct writing writing = {0};
	json_t *runs = json_array(), *label = NULL;
	int r = begin_writing(builder, side, &writing);

	for (size_t i = 0; i < writing.n_runs && r == 0; i++)
		r = add_run(&writing, i, runs);
	if (r == 0)
		r = label_side(builder, side, labels, &label);
	if (r < 0) {
		json_decref(runs);
		return r;
	}
	*ret = json_pack("{s:o, s:o, s:n, s:b, s:{}, s:O, s:n, s:o, s:[], s:{s:s, s:[o]}}", "label",
			 label, "command", command_to_json(side), "runs_requested", "partial", 0,
			 "environment", "metrics", writing.metrics, "work", "runs", runs, "warmups",
			 "source", "format", format, "files", text_to_json(side->path));
	return *ret ? 0 : -ENOMEM;
}

static int make_sides(const struct import_builder *builder, const char *format, const char *labels,
		      json_t *sides)
{
	for (size_t i = 0; i < builder->n_sides; i++) {
		json_t *side = NULL;
		int r = make_side(builder, &builder->sides[i], format, &labels, &side);

		if (r < 0)
			return r;
		if (json_array_append_new(sides, side) == -1)
			return -ENOMEM;
	}
	return labels ? -ERANGE : 0;
}

int import_builder_finish(const struct import_builder *builder, const char *format,
			  const char *labels, json_t **ret_document)
{
	json_t *sides = json_array(), *document;
	bool is_one = builder->n_sides == 1;
	char time[TIMESTAMP_SIZE];
	int r = make_sides(builder, format, labels, sides);

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	document = json_pack("{s:s, s:s, s:{s:s, s:s}, s:s}", "schema_version", "1.0", "kind",
			     is_one ? "side" : "sides", "tool", "name", "soakctl", "version",
			     SOAK_VERSION, "time", time);
	if (r == 0 && is_one)
		r = json_object_update(document, json_array_get(sides, 0)) == -1 ? -ENOMEM : 0;
	else if (r == 0 && (json_object_set(document, "sides", sides) == -1 ||
			    json_object_set_new(document, "design", json_null()) == -1 ||
			    json_object_set_new(document, "order", json_null()) == -1 ||
			    json_object_set_new(document, "stopped_by", json_null()) == -1))
		r = -ENOMEM;
	json_decref(sides);
	if (r < 0)
		json_decref(document);
	else
		*ret_document = document;
	return r;
}
