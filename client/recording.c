/* SPDX-License-Identifier: MIT */
/*
 * See recording.h.
 */
#include "recording.h"

#include "json.h"

int recording_begin(struct recording *recording, double monotonic_seconds)
{
	int r;

	if (!recording->keeps_samples)
		return 0;
	recording_drop(recording);
	r = samples_begin(&recording->samples, monotonic_seconds);
	if (r < 0)
		return r;
	recording->is_open = true;
	recording->dropped = recording->dropped_now;
	if (recording->journal)
		journal_run_begin(recording->journal, recording->side, recording->is_warmup,
				  recording->run_index, monotonic_seconds);
	return 0;
}

int recording_take(struct recording *recording, const json_t *params)
{
	const json_t *sample = json_object_get(params, "sample");

	recording->dropped_now = json_get_integer(params, "dropped", recording->dropped_now);
	if (!recording->is_open || !sample)
		return 0;
	if (recording->journal)
		journal_sample(recording->journal, sample);
	return samples_add(&recording->samples, sample);
}

json_t *recording_end(struct recording *recording, double monotonic_seconds)
{
	json_int_t dropped = recording->dropped_now - recording->dropped;
	json_t *columns;

	if (!recording->is_open)
		return NULL;
	samples_end(&recording->samples, monotonic_seconds);
	dropped += (json_int_t)recording->samples.n_dropped;
	columns = json_incref(recording->samples.columns);
	if (dropped > 0)
		(void)json_object_set_new(columns, "dropped", json_integer(dropped));
	recording_drop(recording);
	return columns;
}

void recording_drop(struct recording *recording)
{
	if (recording->is_open)
		samples_fini(&recording->samples);
	recording->is_open = false;
}
