/* SPDX-License-Identifier: MIT */
/*
 * soakctl run: runs of a command, one after the other, and what they cost.
 */
#include <stdio.h>

#include "cleanup.h"
#include "commands.h"
#include "observer.h"
#include "print.h"
#include "run-options.h"
#include "series.h"

/* With --observer, a run and its twin: in turns which is first, so that a drift is in both alike.
 */
static int run_one(struct series *series, uint64_t index)
{
	const struct run_options *options = series->sides;
	bool twin_first = index % 2 == 0;
	int r = 0;

	if (options->observer && twin_first)
		r = observer_run(series, index, options->n_runs);
	if (r == 0)
		r = series_run(series, 0, index, options->n_runs, false);
	if (r == 0 && options->observer && !twin_first)
		r = observer_run(series, index, options->n_runs);
	return r;
}

static int run_all(struct series *series)
{
	const struct run_options *options = series->sides;
	int r = run_options_empty_output(options);

	for (uint64_t i = 1; r == 0 && i <= options->n_warmups; i++)
		r = series_run(series, 0, i, options->n_warmups, true);
	for (uint64_t i = 1; r == 0 && i <= options->n_runs; i++)
		r = run_one(series, i);
	if (options->observer && observer_finish(series_side(series, 0)) < 0)
		return STATUS_FAILED;
	return r;
}

static void print(FILE *file, const struct series *series)
{
	if (series->sides->quiet)
		print_side_load(file, series->document);
	else
		print_side(file, series->document);
}

int run_run(int argc, char **argv)
{
	cleanup(run_options_fini) struct run_options options;
	struct series series;
	int status = run_options_parse(argc, argv, &options);

	if (status != 0)
		return status;
	status = series_open(&series, "soakctl run", &options, 1, NULL);
	if (status == 0)
		status = series_end(&series, run_all(&series), print);
	series_close(&series);
	return status;
}
