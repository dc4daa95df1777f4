/* SPDX-License-Identifier: MIT */
/*
 * A calibration on disk: the baselines of a machine, and what they hold for.
 *
 * One JSON document, written beside its place and renamed onto it, so that a reader finds the old
 * one or the new one.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calibration.h"

/* The circumstances that a calibration holds for. All strings borrowed. */
struct calibration_provenance {
	const char *version; /* of soakd */
	const char *body;
	int body_version;
	const char *clock;
	const char *cpu_model;
	const char *microcode;
	const char *kernel;
	const char *governor;
	const char *boot_id;
};

/* The baselines of every CPU, and where they came from. */
struct calibration {
	bool stored;	 /* some floors are from an earlier calibration, as now nothing was quiet */
	bool quiet;	 /* every CPU's floor is to be relied on */
	int64_t wall_ns; /* when, CLOCK_REALTIME; 0: never */
	double seconds;	 /* how long */
	size_t n_cpus;
	struct calibration_cpu *cpus; /* [n_cpus] */
};

/* Return: @calibration as calibration.get answers it, without `state`; NULL on lack of memory. */
json_t *calibration_to_json(const struct calibration *calibration,
			    const struct calibration_provenance *provenance);

/*
 * Write the calibration to @path, making its folders (0755) when missing.
 *
 * Return: 0 or a negative errno; the old file is whole in every case.
 */
int calibration_save(const char *path, const struct calibration *calibration,
		     const struct calibration_provenance *provenance);

/*
 * Fill the CPUs that are not quiet in @calibration from the file, where its provenance is ours and
 * the CPU was quiet then. Sets `stored` when any was filled, and `quiet`: whether all are that have
 * windows at all.
 *
 * Return: how many were filled, 0 when there is no such file or it does not fit; never fails: a
 * file that is no calibration is as good as none.
 */
size_t calibration_fill_from(const char *path, const struct calibration_provenance *provenance,
			     struct calibration *calibration);
