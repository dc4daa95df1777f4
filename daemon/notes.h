/* SPDX-License-Identifier: MIT */
/*
 * Sentences that qualify every figure of this daemon, for people to read.
 */
#pragma once

#include <jansson.h>

#include "daemon.h"

/* Return: a new array of strings, empty when all is well; NULL on lack of memory. */
json_t *notes_new(const struct daemon *daemon);
