/* SPDX-License-Identifier: MIT */
/*
 * See comparison.h. The sentences that qualify a comparison are in comparison-notes.c.
 */
#include "comparison.h"

#include "ascii.h"
#include "cleanup.h"
#include "clock.h"
#include "comparison-notes.h"
#include "contrast.h"
#include "differences.h"
#include "timestamp.h"
#include "version.h"

static json_t *metrics_to_json(const struct sides *sides, const struct comparison_options *options,
			       size_t second)
{
	json_t *list = json_array();

	for (size_t i = 0; i < options->n_metrics; i++) {
		json_t *result;

		if (contrast_metric(sides, options, &options->metrics[i], second, &result) < 0 ||
		    comparison_note_metric(sides, options, &options->metrics[i], second, result) <
			    0 ||
		    json_array_append_new(list, result) == -1) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *pair_to_json(const struct sides *sides, const struct comparison_options *options,
			    size_t second)
{
	json_t *differences = differences_new(sides->sides[0], sides->sides[second]);
	json_t *metrics = metrics_to_json(sides, options, second);
	json_t *pair = json_pack("{s:i, s:I, s:b, s:o, s:[], s:o}", "first", 0, "second",
				 (json_int_t)second, "unlike", differences_are_unlike(differences),
				 "differences", differences, "notes", "metrics", metrics);

	if (pair && comparison_note_pair(sides, options->confidence, second, pair) < 0) {
		json_decref(pair);
		return NULL;
	}
	return pair;
}

static size_t count_failed(const json_t *runs)
{
	const json_t *run;
	size_t index, n = 0;

	json_array_foreach (runs, index, run)
		n += json_is_true(json_object_get(run, "failed"));
	return n;
}

/* A file may hold anything where a text is expected. */
static json_t *text_or_null(json_t *value)
{
	return json_is_string(value) ? json_incref(value) : json_null();
}

static bool are_words(const json_t *array)
{
	const json_t *word;
	size_t index;

	json_array_foreach (array, index, word)
		if (!json_is_string(word))
			return false;
	return json_is_array(array);
}

static json_t *words_or_null(json_t *value)
{
	return are_words(value) ? json_incref(value) : json_null();
}

static json_t *side_to_json(const struct sides *sides, size_t index)
{
	const json_t *side = sides->sides[index], *runs = json_object_get(side, "runs");
	const json_t *environment = json_object_get(side, "environment");
	/* A path may hold any bytes. */
	cleanup(freep) char *file = ascii_escape(sides->files[index]);

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I}", "name", sides->names[index],
			 "file", file, "command", words_or_null(json_object_get(side, "command")),
			 "kernel", text_or_null(json_object_get(environment, "kernel")), "time",
			 text_or_null(json_object_get(side, "time")), "runs",
			 (json_int_t)json_array_size(runs), "failed_runs",
			 (json_int_t)count_failed(runs), "boots",
			 (json_int_t)differences_n_boots(side));
}

json_t *comparison_new(const struct sides *sides, const struct comparison_options *options)
{
	json_t *list = json_array(), *pairs = json_array();
	char time[TIMESTAMP_SIZE];
	int r = 0;

	timestamp_format((int64_t)clock_now_ns(CLOCK_REALTIME), time);
	for (size_t i = 0; i < sides->n; i++)
		r |= json_array_append_new(list, side_to_json(sides, i));
	for (size_t i = 1; r == 0 && i < sides->n; i++)
		r |= json_array_append_new(pairs, pair_to_json(sides, options, i));
	if (r != 0) {
		json_decref(list);
		json_decref(pairs);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:{s:s, s:s}, s:s, s:f, s:b, s:o, s:o, s:o}", "schema_version",
			 "1.0", "kind", "comparison", "tool", "name", "soakctl", "version",
			 SOAK_VERSION, "time", time, "confidence", options->confidence, "paired",
			 sides->paired, "stopped_by",
			 sides->stopped_by ? json_string(sides->stopped_by) : json_null(), "sides",
			 list, "pairs", pairs);
}
