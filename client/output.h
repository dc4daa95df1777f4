/* SPDX-License-Identifier: MIT */
/*
 * The output of a command of which numbers are wanted: from its pipes to where it is to go, past
 * the rules of --metric. Without such a rule there is none of it, and the command writes by itself.
 */
#pragma once

#include <stdbool.h>

#include "child.h"
#include "extract.h"
#include "interrupts.h"
#include "tee.h"

struct output {
	bool is_active; /* there are rules */
	struct extract extract;
	struct tee tee;
	int command_fds[TEE_STREAMS];
};

/*
 * Make the pipes of one run, and have @options hand them to the command.
 *
 * @rules: borrowed; without any, nothing is done
 * @options: where the output would go by itself; refers to @ret afterwards
 * @values: [rules->n], borrowed, set until output_finish()
 * @ret: output_fini() it, also on failure
 *
 * Return: 0; a negative errno after one line on stderr.
 */
int output_init(struct output *ret, const struct extract_rules *rules,
		struct child_options *options, struct extract_value *values);

/* Leave the command's ends of the pipes to the command alone, once it has been forked. */
void output_close_command_ends(struct output *output);

/* Return: what measure_wait() is to hand on; NULL: nothing. */
struct tee *output_tee(struct output *output);

/*
 * Hand on what the command, which has ended, left in its pipes, and look at it. A reader that takes
 * nothing is given 30 s, one second once a signal has come.
 *
 * @may_say: a loss may be said on stderr
 *
 * Return: whether a loss was said.
 */
bool output_finish(struct output *output, struct interrupts *interrupts, bool may_say);

void output_fini(struct output *output);
