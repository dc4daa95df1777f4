/* SPDX-License-Identifier: MIT */
/*
 * See effect.h.
 */
#include "effect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EFFECT 1e9

int effect_parse(const char *text, struct effect *ret)
{
	struct effect effect;
	char *end;

	/* strtod() would take blanks, signs, hexadecimal numbers and "inf". */
	if (strspn(text, "0123456789.") == 0)
		return -EINVAL;
	effect.value = strtod(text, &end);
	if (end != text + strspn(text, "0123456789."))
		return -EINVAL;
	if (*end == '\0') {
		effect.kind = EFFECT_UNIT;
	} else if (strcmp(end, "pp") == 0) {
		effect.kind = EFFECT_POINTS;
	} else if (strcmp(end, "%") == 0) {
		effect.kind = EFFECT_SHARE;
		effect.value /= 100;
	} else {
		return -EINVAL;
	}
	if (!(effect.value > 0) || effect.value > MOST_EFFECT)
		return -ERANGE;
	*ret = effect;
	return 0;
}

double effect_size(const struct effect *effect, const struct metric *metric, double first_mean)
{
	switch (effect->kind) {
	case EFFECT_NONE:
		return 0;
	case EFFECT_UNIT:
		return effect->value / metric_scale(metric);
	case EFFECT_POINTS:
		return metric_is_ratio(metric) ? effect->value / 100 : 0;
	case EFFECT_SHARE:
		return isnan(first_mean) ? 0 : effect->value * fabs(first_mean);
	}
	return 0;
}
