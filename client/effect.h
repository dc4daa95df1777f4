/* SPDX-License-Identifier: MIT */
/*
 * The size of a difference that somebody cares about, as people write it.
 */
#pragma once

#include "metric.h"

enum effect_kind {
	EFFECT_NONE,
	EFFECT_UNIT,   /* in the metric's unit as shown: for ratios, percentage points */
	EFFECT_POINTS, /* percentage points: only for ratios */
	EFFECT_SHARE,  /* of the first side's mean */
};

struct effect {
	enum effect_kind kind;
	double value; /* > 0 unless none; a share is 0..1, points and units are as written */
};

/*
 * Read "0.1" (in the metric's unit), "0.1pp" or "2%" (of the first side's mean).
 *
 * Return: 0; -EINVAL when @text is none of these; -ERANGE when it is 0 or above 1e9.
 */
int effect_parse(const char *text, struct effect *ret);

/*
 * Return: the effect in the unit of the metric's values; 0 when it says nothing about this metric.
 */
double effect_size(const struct effect *effect, const struct metric *metric, double first_mean);
