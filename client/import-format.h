/* SPDX-License-Identifier: MIT */
/*
 * The formats of logs: each reads one log into a builder.
 *
 * A line that looks like data and is not well formed ends the import with a complaint. Every line
 * that gave something is marked as used; what no format knows is left unmarked, and is counted.
 */
#pragma once

#include "import-builder.h"
#include "import-log.h"

/*
 * Read every line of @log.
 *
 * @metric: what the values of the format `values` are; the others have names of their own
 *
 * Return: 0; -EINVAL after a complaint; another negative errno of the builder, without a word.
 */
typedef int (*import_read)(struct import_log *log, struct import_builder *builder,
			   const char *metric);

int import_read_values(struct import_log *log, struct import_builder *builder, const char *metric);
int import_read_time(struct import_log *log, struct import_builder *builder, const char *metric);
int import_read_bash_time(struct import_log *log, struct import_builder *builder,
			  const char *metric);
int import_read_dd(struct import_log *log, struct import_builder *builder, const char *metric);
int import_read_bonnie(struct import_log *log, struct import_builder *builder, const char *metric);
int import_read_kunit(struct import_log *log, struct import_builder *builder, const char *metric);
int import_read_fio(struct import_log *log, struct import_builder *builder, const char *metric);
