/* SPDX-License-Identifier: MIT */
/*
 * See progress.h.
 */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"

/* Back to the beginning of the line, and erase it: ECMA-48, EL. */
#define ERASE "\r\033[K"

void progress_init(struct progress *progress, bool quiet)
{
	const char *terminal = getenv("TERM");

	*progress = (struct progress){.load_ratio = (double)NAN};
	progress->shown =
		!quiet && isatty(STDERR_FILENO) == 1 && terminal && strcmp(terminal, "dumb") != 0;
}

void progress_say(struct progress *progress, const char *text)
{
	progress->begin_ns = 0;
	if (progress->shown)
		(void)fprintf(stderr, ERASE "%s  %s", progress->what, text);
}

void progress_begin(struct progress *progress)
{
	progress->begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	progress->load_ratio = (double)NAN;
	progress_update(progress, NULL);
}

void progress_update(struct progress *progress, const json_t *params)
{
	uint64_t elapsed_ns = clock_now_ns(CLOCK_MONOTONIC) - progress->begin_ns;
	char load[32] = "-";

	if (params)
		progress->load_ratio =
			json_get_number(json_object_get(params, "sample"), "load_ratio");
	if (!progress->shown || progress->begin_ns == 0)
		return;
	if (!isnan(progress->load_ratio))
		(void)snprintf(load, sizeof(load), "%.2f %%", progress->load_ratio * 100);
	(void)fprintf(stderr, ERASE "%s  %llu s  load %s", progress->what,
		      (unsigned long long)(elapsed_ns / 1000000000), load);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		(void)fputs(ERASE, stderr);
}
