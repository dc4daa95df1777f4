/* SPDX-License-Identifier: MIT */
/*
 * Everything that is read at one end of a run: what the soakers counted, what the kernel's
 * accounting says, what the block devices moved.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "diskstats.h"
#include "procstat.h"
#include "sampler.h"
#include "soaking.h"

struct reading {
	uint64_t monotonic_ns;
	struct sampler_totals *totals;	  /* [sampler->n_cpus]; owned */
	uint64_t histogram[SLOT_BUCKETS]; /* over the selected CPUs, in ticks */
	bool has_procstat;
	struct procstat procstat; /* over the selected CPUs */
	uint64_t charged_ns;	  /* to all soakers, as procstat counts it */
	bool has_diskstats;
	struct diskstats diskstats;
	uint64_t n_restarts; /* of the soaker process */
};

/* Which end of a run: the soakers are read last at its beginning and first at its end. */
enum reading_end {
	READING_BEGIN,
	READING_END,
};

/*
 * Take a reading.
 *
 * @selected: the CPUs that the sums are taken over
 * @ret: reading_fini() it
 *
 * What the machine does not tell (no /proc/diskstats) is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int reading_take(struct soaking *soaking, struct sampler *sampler, const struct cpulist *selected,
		 enum reading_end end, struct reading *ret);
void reading_fini(struct reading *reading);
