/* SPDX-License-Identifier: MIT */
/*
 * See retrim.h.
 */
#include "retrim.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cleanup.h"
#include "json.h"
#include "load.h"
#include "side.h"

/* A list of numbers without its nulls. */
struct loads {
	double *values; /* [n] */
	size_t n;
};

/* Collect @column; of millionths that were taken, what they are above the idle floor. */
static int collect(const json_t *column, bool is_taken, double idle_floor_ratio, struct loads *ret)
{
	const json_t *cell;
	size_t index;

	/* As the daemon has it: one that was not found counts as none. */
	if (isnan(idle_floor_ratio))
		idle_floor_ratio = 0;
	*ret = (struct loads){calloc(json_array_size(column) + 1, sizeof(double)), 0};
	if (!ret->values)
		return -ENOMEM;
	json_array_foreach (column, index, cell) {
		double value = json_number_value(cell);

		if (json_is_number(cell))
			ret->values[ret->n++] =
				is_taken ? load_relative(value / 1e6, idle_floor_ratio) : value;
	}
	return 0;
}

static double untrimmed_of(const json_t *object)
{
	return json_get_number(object, "untrimmed_load_ratio");
}

/* The CPU of the run's "cpus" that the samples call @number. */
static json_t *find_cpu(const json_t *run, int64_t number)
{
	json_t *cpu;
	size_t index;

	json_array_foreach (json_object_get(run, "cpus"), index, cpu)
		if (json_get_integer(cpu, "cpu", -1) == number)
			return cpu;
	return NULL;
}

static int retrim_cpu(const json_t *run, const json_t *samples, const struct trim *trim)
{
	json_t *cpu = find_cpu(run, json_get_integer(samples, "cpu", -1));
	struct loads loads;
	double load = (double)NAN;
	int r;

	if (!cpu)
		return 0;
	r = collect(json_object_get(samples, "taken_ppm"), true,
		    json_get_number(cpu, "idle_floor_ratio"), &loads);
	if (r == 0)
		r = load_trimmed(loads.values, loads.n, trim, &load);
	free(loads.values);
	if (r < 0)
		return r;
	return json_object_set_new(cpu, "load_ratio",
				   json_number(isnan(load) ? untrimmed_of(cpu) : load)) == -1
		       ? -ENOMEM
		       : 0;
}

static int set_load(json_t *run, const struct loads *loads, const struct trim *trim, double load)
{
	bool is_short = isnan(load);
	size_t n_cut = is_short ? 0 : 2 * trim_cut(trim, loads->n);
	int r = 0;

	r |= json_object_set_new(run, "load_ratio",
				 json_number(is_short ? untrimmed_of(run) : load));
	r |= json_object_set_new(run, "short", json_boolean(is_short));
	r |= json_object_set_new(run, "samples_cut", json_integer((json_int_t)n_cut));
	r |= json_object_set_new(run, "samples_kept", json_integer((json_int_t)(loads->n - n_cut)));
	(void)json_object_del(run, "trim_ratio");
	(void)json_object_del(run, "trim_count");
	r |= json_set_trim(run, trim);
	return r == 0 ? 0 : -ENOMEM;
}

static int retrim_run(json_t *run, const struct trim *trim)
{
	const json_t *samples = json_object_get(run, "samples"), *cpu;
	struct loads loads;
	double load = (double)NAN;
	size_t index;
	int r = collect(json_object_get(samples, "load_ratio"), false, 0, &loads);

	if (r == 0)
		r = load_trimmed(loads.values, loads.n, trim, &load);
	if (r == 0)
		r = set_load(run, &loads, trim, load);
	json_array_foreach (json_object_get(samples, "cpus"), index, cpu)
		if (r == 0)
			r = retrim_cpu(run, cpu, trim);
	free(loads.values);
	return r;
}

/* Return: whether there is something to be trimmed: a run that was measured. */
static bool is_measured(const json_t *run)
{
	return !isnan(untrimmed_of(run));
}

static int retrim_runs(const json_t *runs, const struct trim *trim)
{
	json_t *run;
	size_t index;
	int r = 0;

	json_array_foreach (runs, index, run)
		if (r == 0 && is_measured(run))
			r = retrim_run(run, trim);
	return r;
}

static bool have_samples(const json_t *runs)
{
	const json_t *run;
	size_t index;

	json_array_foreach (runs, index, run)
		if (is_measured(run) && !json_is_object(json_object_get(run, "samples")))
			return false;
	return true;
}

int retrim(json_t *side, const struct trim *trim)
{
	const json_t *runs = json_object_get(side, "runs");
	const json_t *warmups = json_object_get(side, "warmups");
	int r;

	if (!have_samples(runs) || !have_samples(warmups))
		return -ENODATA;
	r = retrim_runs(runs, trim);
	if (r == 0)
		r = retrim_runs(warmups, trim);
	if (r < 0)
		return r;
	(void)json_object_del(side, "trim_ratio");
	(void)json_object_del(side, "trim_count");
	if (json_set_trim(side, trim) == -1 ||
	    json_object_set_new(side, "summary", side_summary_new(runs)) == -1)
		return -ENOMEM;
	return 0;
}
