/* SPDX-License-Identifier: MIT */
/*
 * Text from outside in the ASCII that a mail, a terminal and a log take as it is.
 */
#pragma once

#include <stdio.h>

/* Write @text (NULL: nothing); every byte outside printable ASCII becomes \xNN. */
void ascii_write(FILE *stream, const char *text);

/* Return: @text as ascii_write() writes it; free() it; NULL on lack of memory. */
char *ascii_escape(const char *text);
