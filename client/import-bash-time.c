/* SPDX-License-Identifier: MIT */
/*
 * What bash's `time` writes, and POSIX `time -p`.
 */
#include <errno.h>
#include <math.h>

#include "cleanup.h"
#include "import-format.h"
#include "import-headings.h"
#include "import-real.h"

static int take_block(const struct import_real *real, const struct import_headings *headings,
		      struct import_log *log, struct import_builder *builder)
{
	int r = import_headings_begin_run(headings, log, builder, false);

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = import_builder_set(builder, &import_real_figures[i], real->numbers[i],
				       (double)NAN);
	return r;
}

int import_read_bash_time(struct import_log *log, struct import_builder *builder,
			  const char *metric)
{
	cleanup(import_headings_fini) struct import_headings headings = {0};
	struct import_real real = {0};
	int r;

	(void)metric;
	while ((r = import_log_next(log)) > 0) {
		r = import_real_read(&real, log);
		if (r == -ENOENT) {
			r = import_headings_note(&headings, log);
		} else if (r >= 0) {
			import_headings_note_data(&headings, log);
			r = r > 0 ? take_block(&real, &headings, log, builder) : 0;
		}
		if (r < 0)
			return r;
	}
	return r < 0 ? r : import_real_end(&real, log);
}
