/* SPDX-License-Identifier: MIT */
/*
 * See runs.h.
 */
#include "runs.h"

#include <errno.h>
#include <string.h>

void runs_end(struct run *run)
{
	cpulist_fini(&run->selected);
	reading_fini(&run->begin);
	memset(run, 0, sizeof(*run));
}

struct run *runs_find(struct runs *runs, uint64_t number)
{
	for (size_t i = 0; number != 0 && i < RUNS_MAX; i++)
		if (runs->table[i].number == number)
			return &runs->table[i];
	return NULL;
}

static struct run *oldest_of(struct runs *runs, uid_t uid, size_t *ret_n)
{
	struct run *oldest = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < RUNS_MAX; i++) {
		struct run *run = &runs->table[i];

		if (run->number == 0 || run->uid != uid)
			continue;
		(*ret_n)++;
		if (!oldest || run->number < oldest->number)
			oldest = run;
	}
	return oldest;
}

static struct run *find_free(struct runs *runs)
{
	for (size_t i = 0; i < RUNS_MAX; i++)
		if (runs->table[i].number == 0)
			return &runs->table[i];
	return NULL;
}

int runs_begin(struct runs *runs, uid_t uid, struct run **ret_run)
{
	size_t n_own;
	struct run *oldest = oldest_of(runs, uid, &n_own), *run;

	if (n_own >= RUNS_MAX_PER_USER)
		runs_end(oldest);
	run = find_free(runs);
	if (!run)
		return -EAGAIN;
	run->number = ++runs->newest;
	run->uid = uid;
	*ret_run = run;
	return 0;
}

size_t runs_n_open(const struct runs *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < RUNS_MAX; i++)
		n += runs->table[i].number != 0;
	return n;
}

void runs_fini(struct runs *runs)
{
	for (size_t i = 0; i < RUNS_MAX; i++)
		runs_end(&runs->table[i]);
}
