/* SPDX-License-Identifier: MIT */
/*
 * See reading.h.
 */
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"

static void read_soakers(struct soaking *soaking, struct sampler *sampler,
			 const struct cpulist *selected, struct reading *reading)
{
	reading->monotonic_ns = clock_now_ns(CLOCK_MONOTONIC);
	sampler_read_totals(sampler, reading->totals);
	for (size_t i = 0; i < sampler->n_cpus; i++)
		if (cpulist_has(selected, sampler->cpus[i].cpu))
			soaking_add_histogram(soaking, i, reading->histogram);
	reading->n_restarts = soaking->n_restarts;
}

static void read_accounting(const struct soaking *soaking, const struct cpulist *selected,
			    struct reading *reading)
{
	reading->has_procstat = procstat_read(soaking->root, selected, &reading->procstat) == 0;
	reading->charged_ns = soaking_charged_ns(soaking);
	reading->has_diskstats = diskstats_read(soaking->root, &reading->diskstats) == 0;
}

int reading_take(struct soaking *soaking, struct sampler *sampler, const struct cpulist *selected,
		 enum reading_end end, struct reading *ret)
{
	struct reading reading = {0};

	reading.totals = calloc(sampler->n_cpus, sizeof(*reading.totals));
	if (!reading.totals)
		return -ENOMEM;
	if (end == READING_BEGIN)
		read_accounting(soaking, selected, &reading);
	read_soakers(soaking, sampler, selected, &reading);
	if (end == READING_END)
		read_accounting(soaking, selected, &reading);
	*ret = reading;
	return 0;
}

void reading_fini(struct reading *reading)
{
	free(reading->totals);
	reading->totals = NULL;
}
