/* SPDX-License-Identifier: MIT */
/*
 * The machine and the daemon that a side was measured with: what has to be alike before two sides
 * can be compared, and what explains a difference. Never the environment's variables: they hold
 * secrets.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/*
 * Read what machine this is: cpu_model, microcode, kernel, kernel_version, kernel_command_line,
 * boot_id, hostname, governor, driver, smt, mitigations, virtualisation, memory_bytes, clocksource.
 *
 * @root: "" or a fixture
 * @cpu: whose frequency driver and governor are meant
 *
 * Return: a new object, in which what the machine does not tell is "unknown", "none" or null; NULL
 * on lack of memory.
 */
json_t *environment_of_machine(const char *root, int cpu);

/*
 * The whole environment of a side.
 *
 * @status: what status.get answered
 * @calibration: what calibration.get answered
 * @is_private: the daemon was started for this measurement
 *
 * Return: NULL on lack of memory.
 */
json_t *environment_new(const json_t *status, const json_t *calibration, bool is_private);
