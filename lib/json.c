/* SPDX-License-Identifier: MIT */
/*
 * See json.h.
 */
#include "json.h"

#include <math.h>

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

double json_get_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

int64_t json_get_integer(const json_t *object, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

const char *json_get_string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

int json_set_trim(json_t *object, const struct trim *trim)
{
	switch (trim->kind) {
	case TRIM_SHARE:
		return json_object_set_new(object, "trim_ratio", json_real(trim->share));
	case TRIM_COUNT:
		return json_object_set_new(object, "trim_count",
					   json_integer((json_int_t)trim->count));
	}
	return -1;
}
