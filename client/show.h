/* SPDX-License-Identifier: MIT */
/*
 * What several commands say in the same way.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Write @value to stdout as JSON, indented on a terminal. Return: 0; -EIO after saying why. */
int show_json(const json_t *value);

/* Return: whether there is an argument where there may be none, after saying so. */
bool show_unexpected(const char *program, int argc, char **argv, int first);
