/* SPDX-License-Identifier: MIT */
/*
 * See timestamp.h.
 */
#include "timestamp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  1000000000
#define NS_PER_MS 1000000

void timestamp_format(int64_t wall_ns, char ret[TIMESTAMP_SIZE])
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	char date[TIMESTAMP_SIZE - 8] = "";
	struct tm parts;

	/* Fails only for years that do not fit an int, which 64 bits of ns cannot hold. */
	if (gmtime_r(&seconds, &parts))
		(void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
	(void)snprintf(ret, TIMESTAMP_SIZE, "%s.%03dZ", date,
		       (int)(wall_ns % NS_PER_S / NS_PER_MS));
}
