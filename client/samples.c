/* SPDX-License-Identifier: MIT */
/*
 * See samples.h.
 */
#include "samples.h"

#include <errno.h>
#include <math.h>

#include "json.h"

/* The time of a sample is that of its timer: rounding must not push it out of its run. */
#define GRACE_SECONDS 1e-6

static const char *const rows[] = {"monotonic_seconds", "elapsed_seconds", "load_ratio"};

static const struct {
	const char *column;
	const char *member; /* of a SAMPLE's CPU */
	double scale;
} columns[] = {
	{"taken_ppm", "taken_ratio", 1e6},
	{"slowed_ppm", "slowed_ratio", 1e6},
	{"interruptions", "interruptions", 1},
};

#define N_ROWS	  (sizeof(rows) / sizeof(rows[0]))
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

int samples_begin(struct samples *samples, double begin_seconds)
{
	*samples = (struct samples){
		.columns = json_pack("{s:[], s:[], s:[], s:[], s:[]}", rows[0], rows[1], rows[2],
				     "cpus", "flags"),
		.begin_seconds = begin_seconds,
	};
	return samples->columns ? 0 : -ENOMEM;
}

static json_t *whole_or_null(double value)
{
	/* Beyond this a double has no unit digit; nothing of a sample is as large. */
	return fabs(value) < 1e15 ? json_integer((json_int_t)llround(value)) : json_null();
}

/* The columns of CPU @cpu, with nulls for the samples before it came. */
static json_t *find_cpu(struct samples *samples, json_int_t cpu, size_t hint)
{
	json_t *cpus = json_object_get(samples->columns, "cpus"), *found, *added;
	size_t index;

	found = json_array_get(cpus, hint);
	if (json_get_integer(found, "cpu", -1) == cpu)
		return found;
	json_array_foreach (cpus, index, found)
		if (json_get_integer(found, "cpu", -1) == cpu)
			return found;
	added = json_pack("{s:I, s:[], s:[], s:[]}", "cpu", cpu, columns[0].column,
			  columns[1].column, columns[2].column);
	for (size_t i = 0; added && i < N_COLUMNS; i++)
		for (size_t j = 0; j < samples->n; j++)
			(void)json_array_append_new(json_object_get(added, columns[i].column),
						    json_null());
	return json_array_append_new(cpus, added) == 0 ? added : NULL;
}

static int add_flags(struct samples *samples, json_int_t cpu, json_t *flags)
{
	if (json_array_size(flags) == 0)
		return 0;
	return json_array_append_new(json_object_get(samples->columns, "flags"),
				     json_pack("{s:I, s:I, s:O}", "sample", (json_int_t)samples->n,
					       "cpu", cpu, "flags", flags));
}

static int add_cpu(struct samples *samples, const json_t *cpu, size_t hint)
{
	json_int_t number = json_get_integer(cpu, "cpu", -1);
	bool valid = json_is_true(json_object_get(cpu, "valid"));
	json_t *found = number < 0 ? NULL : find_cpu(samples, number, hint);
	int r = found ? 0 : -1;

	/* There twice: every column has one element a sample. */
	if (json_array_size(json_object_get(found, columns[0].column)) > samples->n)
		return 0;
	for (size_t i = 0; r == 0 && i < N_COLUMNS; i++) {
		double value = valid ? json_get_number(cpu, columns[i].member) : (double)NAN;

		r = json_array_append_new(json_object_get(found, columns[i].column),
					  whole_or_null(value * columns[i].scale));
	}
	return r == 0 ? add_flags(samples, number, json_object_get(cpu, "flags")) : r;
}

/* CPUs that this sample does not have get a null. */
static int fill_up(struct samples *samples)
{
	json_t *cpus = json_object_get(samples->columns, "cpus"), *cpu;
	size_t index;
	int r = 0;

	json_array_foreach (cpus, index, cpu) {
		for (size_t i = 0; i < N_COLUMNS; i++) {
			json_t *column = json_object_get(cpu, columns[i].column);

			if (json_array_size(column) < samples->n)
				r |= json_array_append_new(column, json_null());
		}
	}
	return r;
}

int samples_add(struct samples *samples, const json_t *sample)
{
	double end = json_get_number(sample, "monotonic_seconds");
	double elapsed = json_get_number(sample, "elapsed_seconds");
	const json_t *cpus = json_object_get(sample, "cpus"), *cpu;
	size_t index;
	int r = 0;

	/* NaN, where it is no sample, fails this, too. */
	if (!(end - elapsed >= samples->begin_seconds - GRACE_SECONDS))
		return 0;
	if (samples->n_cells + json_array_size(cpus) > SAMPLES_MOST) {
		samples->n_dropped++;
		return 0;
	}
	json_array_foreach (cpus, index, cpu)
		r |= add_cpu(samples, cpu, index);
	for (size_t i = 0; i < N_ROWS; i++)
		r |= json_array_append_new(json_object_get(samples->columns, rows[i]),
					   json_number(json_get_number(sample, rows[i])));
	samples->n++;
	samples->n_cells += json_array_size(cpus);
	r |= fill_up(samples);
	return r == 0 ? 0 : -ENOMEM;
}

static void remove_last(struct samples *samples)
{
	json_t *cpus = json_object_get(samples->columns, "cpus"), *cpu;
	json_t *flags = json_object_get(samples->columns, "flags");
	size_t index;

	samples->n--;
	for (size_t i = 0; i < N_ROWS; i++)
		(void)json_array_remove(json_object_get(samples->columns, rows[i]), samples->n);
	json_array_foreach (cpus, index, cpu)
		for (size_t i = 0; i < N_COLUMNS; i++)
			(void)json_array_remove(json_object_get(cpu, columns[i].column),
						samples->n);
	for (size_t i = json_array_size(flags); i-- > 0;)
		if (json_get_integer(json_array_get(flags, i), "sample", 0) >= (int64_t)samples->n)
			(void)json_array_remove(flags, i);
}

void samples_end(struct samples *samples, double end_seconds)
{
	const json_t *ends = json_object_get(samples->columns, "monotonic_seconds");

	while (samples->n > 0 && json_number_value(json_array_get(ends, samples->n - 1)) >
					 end_seconds + GRACE_SECONDS)
		remove_last(samples);
}

void samples_fini(struct samples *samples)
{
	json_decref(samples->columns);
	*samples = (struct samples){0};
}
