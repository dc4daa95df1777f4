/* SPDX-License-Identifier: MIT */
/*
 * See differences.h.
 */
#include "differences.h"

#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "cpulist.h"
#include "json.h"

static const char *const expected = "expected";
static const char *const noted = "noted";
static const char *const unlike = "unlike";

/* Members of the environment, as they are called for people. */
static const struct {
	const char *member;
	const char *what;
	const char *const *kind;
} facts[] = {
	{"cpu_model", "CPU model", &unlike},
	{"body", "soaker body", &unlike},
	{"body_version", "soaker body's version", &unlike},
	{"kernel", "kernel", &expected},
	{"kernel_version", "kernel build", &expected},
	{"kernel_command_line", "kernel command line", &noted},
	{"hostname", "host", &noted},
	{"microcode", "microcode", &noted},
	{"governor", "frequency governor", &noted},
	{"driver", "frequency driver", &noted},
	{"smt", "SMT", &noted},
	{"mitigations", "mitigation", &noted},
	{"virtualisation", "virtualisation", &noted},
	{"memory_bytes", "memory", &noted},
	{"clock", "soaker clock", &noted},
	{"clocksource", "clock source", &noted},
	{"isolation", "isolation", &noted},
	{"interval_seconds", "sample interval", &noted},
	{"soakd_version", "soakd", &noted},
};

/* Return: "0-3,8"; NULL when these are no CPU numbers. */
static char *cpus_to_text(const json_t *array)
{
	cleanup(cpulist_fini) struct cpulist list = {0};
	const json_t *cpu;
	size_t index;
	char *text;

	json_array_foreach (array, index, cpu) {
		json_int_t number = json_is_integer(cpu) ? json_integer_value(cpu) : -1;

		if (number < 0 || number > CPULIST_MAX_CPU || cpulist_add(&list, (int)number) < 0)
			return NULL;
	}
	return cpulist_format(&list, &text) < 0 ? NULL : text;
}

/* Return: the words of a command line; NULL when these are none. */
static char *words_to_text(const json_t *array)
{
	cleanup(freep) char *text = NULL;
	const json_t *word;
	size_t index, size;
	FILE *stream = open_memstream(&text, &size);
	bool are_words = true;

	if (!stream)
		return NULL;
	json_array_foreach (array, index, word) {
		are_words = are_words && json_is_string(word);
		(void)fprintf(stream, "%s%s", index ? " " : "",
			      are_words ? json_string_value(word) : "");
	}
	return fclose(stream) == 0 && are_words ? take_ptr(text) : NULL;
}

/* Return: a value as a person reads it; free() it; NULL on lack of memory. */
static char *to_text(const json_t *value)
{
	char *text = NULL;

	if (json_is_string(value))
		return strdup(json_string_value(value));
	if (json_is_array(value))
		text = json_is_string(json_array_get(value, 0)) ? words_to_text(value)
								: cpus_to_text(value);
	return text ? text : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
}

static int add(json_t *list, const char *what, const json_t *first, const json_t *second,
	       const char *kind)
{
	cleanup(freep) char *first_text = to_text(first);
	cleanup(freep) char *second_text = to_text(second);

	if (!first_text || !second_text)
		return -1;
	return json_array_append_new(list,
				     json_pack("{s:s, s:s, s:s, s:s}", "what", what, "first",
					       first_text, "second", second_text, "kind", kind));
}

static bool is_told(const json_t *value)
{
	return value && !json_is_null(value) &&
	       !(json_is_string(value) && strcmp(json_string_value(value), "unknown") == 0);
}

static int compare_values(json_t *list, const char *what, const json_t *first, const json_t *second,
			  const char *kind)
{
	if (!is_told(first) || !is_told(second) || json_equal(first, second))
		return 0;
	return add(list, what, first, second, kind);
}

/* A table of facts, such as the mitigations: only its rows that differ. */
static int compare_objects(json_t *list, const char *what, const json_t *first,
			   const json_t *second, const char *kind)
{
	const char *name;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)first, name, value) {
		cleanup(freep) char *shown = ascii_escape(name);
		cleanup(freep) char *row = NULL;

		if (!shown || asprintf(&row, "%s %s", what, shown) < 0) {
			row = NULL;
			return -1;
		}
		r |= compare_values(list, row, value, json_object_get(second, name), kind);
	}
	return r;
}

static int compare_environments(json_t *list, const json_t *first, const json_t *second)
{
	int r = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const json_t *a = json_object_get(first, facts[i].member);
		const json_t *b = json_object_get(second, facts[i].member);

		if (json_is_object(a) && json_is_object(b))
			r |= compare_objects(list, facts[i].what, a, b, *facts[i].kind);
		else
			r |= compare_values(list, facts[i].what, a, b, *facts[i].kind);
	}
	return r;
}

/* The CPUs that were measured: those of the first run that tells, else the daemon's. */
static json_t *cpus_of(const json_t *side)
{
	const json_t *runs = json_object_get(side, "runs"), *run, *cpu;
	json_t *cpus = json_array();
	size_t index, i;

	json_array_foreach (runs, index, run) {
		json_array_foreach (json_object_get(run, "cpus"), i, cpu)
			if (json_is_integer(json_object_get(cpu, "cpu")))
				(void)json_array_append(cpus, json_object_get(cpu, "cpu"));
		if (json_array_size(cpus) > 0)
			return cpus;
	}
	json_decref(cpus);
	return json_incref(json_object_get(json_object_get(side, "environment"), "cpus"));
}

static int compare_cpus(json_t *list, const json_t *first, const json_t *second)
{
	json_t *a = cpus_of(first), *b = cpus_of(second);
	int r = compare_values(list, "CPUs", a, b, unlike);

	json_decref(a);
	json_decref(b);
	return r;
}

/* The boots that the good runs of a side come from: a new array of texts. */
static json_t *boots_of(const json_t *side)
{
	const json_t *runs = json_object_get(side, "runs"), *run;
	json_t *seen = json_object(), *boots = json_array();
	size_t index;

	json_array_foreach (runs, index, run) {
		json_t *boot = json_object_get(run, "boot_id");

		if (json_is_true(json_object_get(run, "failed")) || !json_is_string(boot) ||
		    json_object_get(seen, json_string_value(boot)))
			continue;
		(void)json_object_set_new(seen, json_string_value(boot), json_true());
		(void)json_array_append(boots, boot);
	}
	json_decref(seen);
	return boots;
}

size_t differences_n_boots(const json_t *side)
{
	json_t *boots = boots_of(side);
	size_t n = json_array_size(boots);

	json_decref(boots);
	return n;
}

static int compare_boots(json_t *list, const json_t *first, const json_t *second)
{
	json_t *a = boots_of(first), *b = boots_of(second);
	int r = 0;

	if (json_array_size(a) > 0 && json_array_size(b) > 0)
		r = compare_values(list, "boot", a, b, expected);
	json_decref(a);
	json_decref(b);
	return r;
}

json_t *differences_new(const json_t *first, const json_t *second)
{
	json_t *list = json_array();
	int r = compare_environments(list, json_object_get(first, "environment"),
				     json_object_get(second, "environment"));

	r |= compare_cpus(list, first, second);
	r |= compare_boots(list, first, second);
	r |= compare_values(list, "command", json_object_get(first, "command"),
			    json_object_get(second, "command"), noted);
	if (r != 0) {
		json_decref(list);
		return NULL;
	}
	return list;
}

bool differences_are_unlike(const json_t *differences)
{
	const json_t *difference;
	size_t index;

	json_array_foreach (differences, index, difference)
		if (strcmp(json_get_string(difference, "kind"), unlike) == 0)
			return true;
	return false;
}
