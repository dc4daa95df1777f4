/* SPDX-License-Identifier: MIT */
/*
 * What machine this is, told by the files of several kinds of machines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "machine.h"

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"

static const char x86[] = "processor\t: 0\n"
			  "vendor_id\t: GenuineIntel\n"
			  "model\t\t: 85\n"
			  "model name\t: Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz\n"
			  "microcode\t: 0x5003801\n"
			  "flags\t\t: fpu tsc constant_tsc nonstop_tsc_s3 hypervisor\n"
			  "bugs\t\t: nonstop_tsc\n"
			  "\n"
			  "processor\t: 1\n"
			  "model name\t: another\n"
			  "flags\t\t: nonstop_tsc\n"
			  "\n";

static const char arm[] = "processor\t: 0\n"
			  "BogoMIPS\t: 243.75\n"
			  "Features\t: fp asimd evtstrm aes\n"
			  "CPU implementer\t: 0x41\n"
			  "CPU architecture: 8\n"
			  "CPU variant\t: 0x3\n"
			  "CPU part\t: 0xd0c\n"
			  "CPU revision\t: 1\n"
			  "\n";

static void bare(void **state)
{
	struct machine machine;

	assert_int_equal(machine_read(*state, 0, &machine), 0);
	assert_string_equal(machine.cpu_model, "unknown");
	assert_string_equal(machine.microcode, "unknown");
	assert_string_equal(machine.kernel, "unknown");
	assert_string_equal(machine.boot_id, "unknown");
	assert_string_equal(machine.governor, "none");
	assert_string_equal(machine.driver, "none");
	assert_string_equal(machine.clocksource, "unknown");
	assert_false(machine.hypervisor || machine.constant_tsc || machine.nonstop_tsc);
	assert_false(machine.tsc_available);
}

static void intel(void **state)
{
	struct machine machine;

	fixture_write(*state, "/proc/cpuinfo", x86);
	fixture_write(*state, "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	fixture_write(*state, "/proc/sys/kernel/random/boot_id",
		      "8e1b29aa-fe24-4dbd-a2b6-0ab2b7b4e1fa\n");
	/* Not the CPU that is asked about. */
	fixture_write(*state, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "x\n");
	fixture_write(*state, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
		      "powersave\n");
	fixture_write(*state, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_driver",
		      "intel_pstate\n");
	fixture_write(*state, CLOCKS "available_clocksource", "kvm-clock tsc acpi_pm \n");
	fixture_write(*state, CLOCKS "current_clocksource", "kvm-clock\n");
	assert_int_equal(machine_read(*state, 3, &machine), 0);
	assert_string_equal(machine.cpu_model, "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz");
	assert_string_equal(machine.microcode, "0x5003801");
	assert_string_equal(machine.kernel, "6.1.0-18-amd64");
	assert_string_equal(machine.boot_id, "8e1b29aa-fe24-4dbd-a2b6-0ab2b7b4e1fa");
	assert_string_equal(machine.governor, "powersave");
	assert_string_equal(machine.driver, "intel_pstate");
	assert_string_equal(machine.clocksource, "kvm-clock");
	assert_true(machine.hypervisor);
	assert_true(machine.constant_tsc);
	/* A longer word, another line and another CPU have it, this CPU does not. */
	assert_false(machine.nonstop_tsc);
	assert_true(machine.tsc_available);
	assert_false(machine_has_steady_tsc(&machine));
}

static void steady_tsc(void **state)
{
	static const struct {
		const char *flags;
		const char *available;
		bool steady;
	} cases[] = {
		{"flags : constant_tsc nonstop_tsc\n", "tsc hpet\n", true},
		{"flags : constant_tsc nonstop_tsc\n", "hpet tsc", true},
		{"flags : constant_tsc nonstop_tsc\n", "hpet acpi_pm\n", false},
		{"flags : constant_tsc nonstop_tsc\n", "hyperv_clocksource_tsc_page\n", false},
		{"flags : nonstop_tsc\n", "tsc\n", false},
		{"flags : constant_tsc\n", "tsc\n", false},
		{"flags : constant nonstop_tsc\n", "tsc\n", false},
		{"flags :\n", "\n", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine machine;

		fixture_write(*state, "/proc/cpuinfo", cases[i].flags);
		fixture_write(*state, CLOCKS "available_clocksource", cases[i].available);
		assert_int_equal(machine_read(*state, 0, &machine), 0);
		assert_int_equal(machine_has_steady_tsc(&machine), cases[i].steady);
	}
}

static void models(void **state)
{
	static const struct {
		const char *cpuinfo;
		const char *model;
	} cases[] = {
		{arm, "implementer 0x41 part 0xd0c variant 0x3 revision 1"},
		{"processor : 0\nmodel name : ARMv7 Processor rev 4 (v7l)\n",
		 "ARMv7 Processor rev 4 (v7l)"},
		{"processor\t: 0\ncpu\t\t: POWER9, altivec supported\ncpu MHz : 1\n",
		 "POWER9, altivec supported"},
		{"processor : 0\nmodel name\t: \nbogus", "unknown"},
		{"processor : 0\n\nprocessor : 1\nmodel name : another\n", "unknown"},
		{"cpu MHz : 1\ncpu : POWER8\n", "POWER8"},
		{"model name: cut", "cut"},
		{"", "unknown"},
		{"\n\n", "unknown"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine machine;

		fixture_write(*state, "/proc/cpuinfo", cases[i].cpuinfo);
		assert_int_equal(machine_read(*state, 0, &machine), 0);
		assert_string_equal(machine.cpu_model, cases[i].model);
		assert_string_equal(machine.microcode, "unknown");
	}
}

static void long_texts(void **state)
{
	struct machine machine;
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "model name: ", 12);
	text[sizeof(text) - 1] = '\0';
	fixture_write(*state, "/proc/cpuinfo", text);
	fixture_write(*state, "/proc/sys/kernel/osrelease", text);
	assert_int_equal(machine_read(*state, 0, &machine), 0);
	assert_int_equal(strlen(machine.cpu_model), MACHINE_TEXT - 1);
	assert_int_equal(strlen(machine.kernel), MACHINE_TEXT - 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(bare), CASE(intel), CASE(steady_tsc), CASE(models), CASE(long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
