/* SPDX-License-Identifier: MIT */
/*
 * What two sides were not measured alike in.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * List what differs between the machine, the environment and the command of two sides.
 *
 * What one of them does not tell is no difference.
 *
 * Return: a new array of {"what", "first", "second", "kind"}, texts; kind is "expected" (the kernel
 * and its boot: what a patch changes), "noted", or "unlike" (CPU model, CPU set, soaker body: such
 * sides are not compared); NULL on lack of memory.
 */
json_t *differences_new(const json_t *first, const json_t *second);

/* Return: whether one of them is "unlike". */
bool differences_are_unlike(const json_t *differences);

/* Return: how many boots the good runs of a side come from; 0: not told. */
size_t differences_n_boots(const json_t *side);
