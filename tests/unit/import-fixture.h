/* SPDX-License-Identifier: MIT */
/*
 * Logs into documents, and what was said meanwhile. Include it behind cmocka.h; the state is a
 * folder of fixture.h.
 */
#pragma once

#include <fcntl.h>
#include <math.h>

#include "cleanup.h"
#include "fixture.h"
#include "import.h"
#include "json.h"
#include "run-file.h"

/* What the last import() said on stderr. */
static char said[8192];

static inline const char *path_of(const char *root, const char *name)
{
	static char path[512];

	assert_true(snprintf(path, sizeof(path), "%s%s", root, name) < (int)sizeof(path));
	return path;
}

static inline int redirect_stderr(const char *root)
{
	int saved = dup(STDERR_FILENO);
	int fd = open(path_of(root, "/stderr"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(saved >= 0 && fd >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	(void)close(fd);
	return saved;
}

static inline void restore_stderr(const char *root, int saved)
{
	cleanup(closep) int fd = open(path_of(root, "/stderr"), O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	(void)close(saved);
	n = read(fd, said, sizeof(said) - 1);
	assert_true(n >= 0);
	said[n] = '\0';
}

static inline int import(const char *root, const char *format, const char *path,
			 const struct import_options *options, json_t **ret)
{
	const char *const paths[] = {path};
	int saved = redirect_stderr(root);
	int r = import_files_with("p", format, paths, 1, options, ret);

	restore_stderr(root, saved);
	return r;
}

/* The document of a file of tests/data/import; json_decref() it. */
static inline json_t *import_data(const char *root, const char *format, const char *name)
{
	char path[512];
	json_t *document = NULL;

	(void)snprintf(path, sizeof(path), "%s/import/%s", TEST_DATA_DIR, name);
	assert_int_equal(import(root, format, path, NULL, &document), 0);
	assert_int_equal(run_file_check("test", name, document), 0);
	return document;
}

/* The document of a log of this text. */
static inline json_t *import_text(const char *root, const char *format, const char *text,
				  const struct import_options *options)
{
	json_t *document = NULL;
	char path[512];

	fixture_write(root, "/a.log", text);
	(void)snprintf(path, sizeof(path), "%s/a.log", root);
	assert_int_equal(import(root, format, path, options, &document), 0);
	assert_int_equal(run_file_check("test", path, document), 0);
	return document;
}

static inline json_t *run_of(const json_t *document, size_t side, size_t run)
{
	json_t *runs = json_object_get(run_file_side(document, side), "runs");

	assert_true(run < json_array_size(runs));
	return json_array_get(runs, run);
}

static inline size_t count_runs(const json_t *document, size_t side)
{
	return json_array_size(json_object_get(run_file_side(document, side), "runs"));
}

/* NaN for null; a metric that is not there at all is an error of the test. */
static inline double value_of(const json_t *document, size_t side, size_t run, const char *name)
{
	const json_t *metrics = json_object_get(run_of(document, side, run), "metrics");

	assert_non_null(json_object_get(metrics, name));
	return json_get_number(metrics, name);
}

static inline double mean_of(const json_t *document, size_t side, const char *name)
{
	size_t n = count_runs(document, side);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value_of(document, side, i, name);
	return sum / (double)n;
}

static inline const json_t *metric_of(const json_t *document, size_t side, const char *name)
{
	const json_t *metric;
	size_t index;

	json_array_foreach (json_object_get(run_file_side(document, side), "metrics"), index,
			    metric)
		if (strcmp(json_get_string(metric, "name"), name) == 0)
			return metric;
	return NULL;
}

static inline void assert_metric(const json_t *document, const char *name, const char *unit,
				 const char *better, int decimals)
{
	const json_t *metric = metric_of(document, 0, name);

	assert_non_null(metric);
	assert_string_equal(json_get_string(metric, "unit"), unit);
	if (better)
		assert_string_equal(json_get_string(metric, "better"), better);
	else
		assert_true(json_is_null(json_object_get(metric, "better")));
	assert_int_equal(json_get_integer(metric, "decimals", -1), decimals);
}

static inline const char *label_of(const json_t *document, size_t side)
{
	return json_get_string(run_file_side(document, side), "label");
}

static inline void assert_close(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-12 * fabs(expected));
}
