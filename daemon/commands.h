/* SPDX-License-Identifier: MIT */
/*
 * soakd's commands for people. Each is a client of a running daemon, except run, which is it.
 *
 * @argv: [argc], argv[0] is the command's name
 *
 * Return: the exit status: 0, 1 when it could not be done, 2 when the command line is wrong.
 */
#pragma once

#define STATUS_FAILED 1
#define STATUS_USAGE  2

int run_start(int argc, char **argv);
int run_run(int argc, char **argv);
int run_stop(int argc, char **argv);
int run_status(int argc, char **argv);
int run_doctor(int argc, char **argv);
int run_calibrate(int argc, char **argv);

/* Show what the daemon at @socket_path (NULL: in the usual places) says of itself. */
int show_facts(const char *socket_path);
