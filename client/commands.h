/* SPDX-License-Identifier: MIT */
/*
 * soakctl's commands.
 *
 * @argv: [argc], argv[0] is the command's name
 *
 * Return: the exit status.
 */
#pragma once

#include <stdio.h>

#include "optparse.h"

/* soakctl's own failure, as env(1) and timeout(1) have it: the command was not at fault. */
#define STATUS_FAILED	      125
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND      127
/* The daemon refused a call (soakctl rpc). */
#define STATUS_REFUSED 1
/* A file cannot be used (soakctl report, compare, recover, import). */
#define STATUS_UNUSABLE 2

int run_run(int argc, char **argv);
int run_ab(int argc, char **argv);
int run_report(int argc, char **argv);
int run_compare(int argc, char **argv);
int run_recover(int argc, char **argv);
int run_import(int argc, char **argv);
int run_status(int argc, char **argv);
int run_rpc(int argc, char **argv);

/* Write the options of a command, for its help. */
void help_run(FILE *file);
void help_ab(FILE *file);
void help_report(FILE *file);
void help_compare(FILE *file);
void help_recover(FILE *file);
void help_import(FILE *file);
void help_status(FILE *file);
void help_rpc(FILE *file);
