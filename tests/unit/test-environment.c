/* SPDX-License-Identifier: MIT */
/*
 * The environment of a side, from the files of a machine and the answers of a daemon.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "environment.h"
#include "fixture.h"
#include "json.h"

#define CPUS "/sys/devices/system/cpu/"

static void assert_text(const json_t *object, const char *name, const char *expected)
{
	const char *text = json_get_string(object, name);

	if (!text || strcmp(text, expected) != 0)
		fail_msg("%s is %s, not %s", name, text ? text : "no text", expected);
}

static void a_machine_that_tells_nothing_has_words(void **state)
{
	static const char *const unknown[] = {
		"cpu_model", "microcode", "kernel",   "kernel_version", "kernel_command_line",
		"boot_id",   "smt",	  "hostname", "clocksource",
	};
	json_t *environment = environment_of_machine(*state, 0);

	assert_non_null(environment);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_text(environment, unknown[i], "unknown");
	assert_text(environment, "governor", "none");
	assert_text(environment, "driver", "none");
#ifdef __x86_64__
	assert_text(environment, "virtualisation", "none");
#else
	assert_text(environment, "virtualisation", "unknown");
#endif
	assert_true(json_is_null(json_object_get(environment, "memory_bytes")));
	assert_int_equal(json_object_size(json_object_get(environment, "mitigations")), 0);
	assert_true(json_is_object(json_object_get(environment, "mitigations")));
	json_decref(environment);
}

static void facts_come_from_their_files(void **state)
{
	json_t *environment;
	const json_t *mitigations;

	fixture_write(*state, "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	fixture_write(*state, "/proc/sys/kernel/version", "#1 SMP Debian 6.1.76-1\n");
	fixture_write(*state, "/proc/sys/kernel/hostname", "build\303\244\n");
	fixture_write(*state, "/proc/cmdline", "root=/dev/vda1 mitigations=off\n");
	fixture_write(*state, "/proc/meminfo", "MemTotal:       16318480 kB\nMemFree: 1 kB\n");
	fixture_write(*state, CPUS "smt/control", "notsupported\n");
	fixture_write(*state, CPUS "vulnerabilities/meltdown", "Mitigation: PTI\n");
	fixture_write(*state, CPUS "vulnerabilities/retbleed", "Not affected\n");
	environment = environment_of_machine(*state, 0);
	assert_non_null(environment);
	assert_text(environment, "kernel", "6.1.0-18-amd64");
	assert_text(environment, "kernel_version", "#1 SMP Debian 6.1.76-1");
	assert_text(environment, "hostname", "build\\xC3\\xA4");
	assert_text(environment, "kernel_command_line", "root=/dev/vda1 mitigations=off");
	assert_text(environment, "smt", "notsupported");
	assert_int_equal(json_get_integer(environment, "memory_bytes", -1), 16318480LL * 1024);
	mitigations = json_object_get(environment, "mitigations");
	assert_int_equal(json_object_size(mitigations), 2);
	assert_text(mitigations, "meltdown", "Mitigation: PTI");
	assert_text(mitigations, "retbleed", "Not affected");
	json_decref(environment);
}

static void a_virtual_machine_is_called_one(void **state)
{
	json_t *environment;

	fixture_write(*state, "/proc/cpuinfo", "flags : fpu hypervisor tsc\n");
	environment = environment_of_machine(*state, 0);
	assert_non_null(environment);
	assert_non_null(json_get_string(environment, "virtualisation"));
	assert_string_not_equal(json_get_string(environment, "virtualisation"), "none");
	json_decref(environment);
}

static void xen_says_what_the_cpu_does_not(void **state)
{
	json_t *environment;

	fixture_write(*state, "/sys/hypervisor/type", "xen\n");
	environment = environment_of_machine(*state, 0);
	assert_non_null(environment);
	assert_text(environment, "virtualisation", "xen");
	json_decref(environment);
}

static void memory_without_sense_is_null(void **state)
{
	static const char *const texts[] = {"",
					    "MemFree: 3 kB\n",
					    "MemTotal: x kB\n",
					    "MemTotal: 3\n",
					    "MemTotal: -3 kB\n",
					    "MemTotal:\n",
					    "MemTotal: 99999999999999999 kB\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *environment;

		fixture_write(*state, "/proc/meminfo", texts[i]);
		environment = environment_of_machine(*state, 0);
		assert_true(json_is_null(json_object_get(environment, "memory_bytes")));
		json_decref(environment);
	}
}

static void the_daemon_adds_its_own(void **state)
{
	json_t *status =
		json_pack("{s:[i], s:s, s:s, s:i, s:f, s:s}", "cpus", 1, "version", "9.9", "body",
			  "alu", "body_version", 1, "intrusion_ratio", 0.003, "socket", "/run/x");
	json_t *calibration = json_pack("{s:s, s:[]}", "source", "stored", "cpus");
	json_t *environment = environment_new(status, calibration, true);

	(void)state;
	assert_non_null(environment);
	assert_text(environment, "soakd_version", "9.9");
	assert_text(environment, "body", "alu");
	assert_true(json_is_true(json_object_get(environment, "private_daemon")));
	assert_true(json_equal(json_object_get(environment, "calibration"), calibration));
	assert_true(
		json_equal(json_object_get(environment, "cpus"), json_object_get(status, "cpus")));
	/* Where the daemon listens is no property of a result; nor are variables. */
	assert_null(json_object_get(environment, "socket"));
	assert_null(json_object_get(environment, "PATH"));
	json_decref(environment);
	json_decref(calibration);
	json_decref(status);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_machine_that_tells_nothing_has_words),
		CASE(facts_come_from_their_files),
		CASE(a_virtual_machine_is_called_one),
		CASE(xen_says_what_the_cpu_does_not),
		CASE(memory_without_sense_is_null),
		cmocka_unit_test(the_daemon_adds_its_own),
	};

	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
