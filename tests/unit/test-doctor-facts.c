/* SPDX-License-Identifier: MIT */
/*
 * What the doctor finds on machines made of files.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpulist.h"
#include "doctor-facts.h"
#include "fixture.h"

static void assert_line(const struct doctor_line *line, enum doctor_state state, const char *part)
{
	if (!strstr(line->text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, line->text);
	assert_int_equal(line->state, state);
	assert_non_null(line->name);
	if (state == DOCTOR_PROBLEM)
		assert_true(line->cure[0]);
	if (state == DOCTOR_OK)
		assert_string_equal(line->cure, "");
}

static void clocks(void **state)
{
	struct machine machine = {.constant_tsc = true, .nonstop_tsc = true, .tsc_available = true};
	struct doctor_line line = {0};

	(void)state;
	doctor_clock(&machine, &line);
	assert_line(&line, DOCTOR_OK, "TSC");
	machine.tsc_available = false;
	(void)strcpy(machine.clocksource, "hpet");
	doctor_clock(&machine, &line);
	assert_line(&line, DOCTOR_PROBLEM, "hpet");
	(void)strcpy(machine.clocksource, "kvm-clock");
	doctor_clock(&machine, &line);
	assert_line(&line, DOCTOR_NOTE, "kvm-clock");
}

static void steal(void **state)
{
	static const struct {
		struct procstat after;
		enum doctor_state state;
		const char *part;
	} cases[] = {
		{{.steal_ns = 10, .total_ns = 200000}, DOCTOR_OK, "none (0.0 %)"},
		{{.steal_ns = 510, .total_ns = 101000}, DOCTOR_NOTE, "0.5 %"},
		{{.steal_ns = 25010, .total_ns = 101000}, DOCTOR_PROBLEM, "25.0 %"},
		{{.steal_ns = 10, .total_ns = 1000}, DOCTOR_NOTE, "could not"},
		{{.steal_ns = 10, .total_ns = 900}, DOCTOR_NOTE, "could not"},
		{{.steal_ns = 10, .total_ns = 2000, .n_missing = 1}, DOCTOR_NOTE, "could not"},
	};
	const struct procstat before = {.steal_ns = 10, .total_ns = 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doctor_line line = {0};

		doctor_steal(&before, &cases[i].after, &line);
		assert_line(&line, cases[i].state, cases[i].part);
	}
}

static void smt(void **state)
{
	int numbers[] = {0, 1, 2};
	const struct cpulist cpus = {.n = 3, .cpus = numbers};
	struct doctor_line line = {0};

	doctor_smt(*state, &cpus, &line);
	assert_line(&line, DOCTOR_OK, "no measured CPU");
	fixture_write(*state, "/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1,5\n");
	fixture_write(*state, "/sys/devices/system/cpu/cpu2/topology/core_cpus_list", "2,6\n");
	doctor_smt(*state, &cpus, &line);
	assert_line(&line, DOCTOR_NOTE, "2 of 3 CPUs share their core (such as 1,5)");
	fixture_write(*state, "/sys/devices/system/cpu/cpu2/topology/core_cpus_list", "2-x\n");
	doctor_smt(*state, &cpus, &line);
	assert_line(&line, DOCTOR_NOTE, "could not");
}

static void frequency(void **state)
{
	static const struct {
		struct machine machine;
		enum doctor_state state;
		const char *part;
	} cases[] = {
		{{.driver = "none", .governor = "none"}, DOCTOR_OK, "firmware"},
		{{.driver = "none", .governor = "none", .hypervisor = true}, DOCTOR_NOTE, "host"},
		{{.driver = "intel_pstate", .governor = "performance"}, DOCTOR_OK, "intel_pstate"},
		{{.driver = "acpi-cpufreq", .governor = "ondemand"}, DOCTOR_NOTE, "ondemand"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct doctor_line line = {0};

		doctor_frequency(&cases[i].machine, &line);
		assert_line(&line, cases[i].state, cases[i].part);
	}
}

/* A thread's stat: fields 4 to 40 do not matter, but some are negative. */
static void add_thread(const char *root, int pid, int tid, const char *comm, char run_state,
		       int policy)
{
	char path[64];
	char text[512];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	(void)snprintf(text, sizeof(text),
		       "%d (%s) %c 1 1 1 0 -1 4194560 8 9 10 11 12 13 14 15 39 19 20 21 22 23 "
		       "24 25 26 27 28 29 30 31 32 33 34 35 36 37 17 3 0 %d 42 43 44\n",
		       tid, comm, run_state, policy);
	fixture_write(root, path, text);
}

static void no_rivals(void **state)
{
	struct doctor_line line = {0};

	doctor_rivals(*state, 0, &line);
	assert_line(&line, DOCTOR_NOTE, "could not");
	add_thread(*state, 1, 1, "systemd", 'R', 0);
	add_thread(*state, 2, 2, "tracker-miner", 'S', 5);
	add_thread(*state, 3, 3, "a) R 5 (b", 'S', 0);
	add_thread(*state, 50, 50, "soaker", 'S', 0);
	add_thread(*state, 50, 51, "soaker/0", 'R', 5);
	fixture_write(*state, "/proc/60/task/60/stat", "garbage\n");
	fixture_write(*state, "/proc/61/task/61/stat", "61 (short) R 5\n");
	fixture_write(*state, "/proc/62/task/", "");
	fixture_write(*state, "/proc/stat", "cpu\n");
	doctor_rivals(*state, 50, &line);
	assert_line(&line, DOCTOR_OK, "none");
}

static void rivals(void **state)
{
	struct doctor_line line = {0};

	add_thread(*state, 50, 50, "soaker", 'S', 0);
	add_thread(*state, 50, 51, "soaker/0", 'R', 5);
	/* As fio --idle-prof: the main thread is an ordinary one. */
	add_thread(*state, 7, 7, "fio", 'S', 0);
	add_thread(*state, 7, 8, "my (fio) x", 'R', 5);
	add_thread(*state, 7, 9, "fio", 'R', 5);
	doctor_rivals(*state, 50, &line);
	assert_line(&line, DOCTOR_PROBLEM, "my (fio) x (pid 7) runs at idle priority");
	assert_null(strstr(line.text, "in all"));
	/* A second soakd. */
	doctor_rivals(*state, 0, &line);
	assert_line(&line, DOCTOR_PROBLEM, "2 such processes in all");
}

static void known_rivals(void **state)
{
	struct doctor_line line = {0};

	add_thread(*state, 7, 7, "updatedb", 'R', 5);
	add_thread(*state, 8, 8, "cyclesoak", 'S', 0);
	doctor_rivals(*state, 0, &line);
	assert_line(&line, DOCTOR_PROBLEM, "cyclesoak (pid 8)");
	add_thread(*state, 9, 9, "stalld", 'S', 0);
	doctor_rivals(*state, 0, &line);
	assert_line(&line, DOCTOR_PROBLEM, "stalld (pid 9)");
	assert_string_equal(line.cure, "systemctl stop stalld");
}

static void cgroup_v2(void **state)
{
	struct doctor_line line = {0};

	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_OK, "no cgroups");
	fixture_write(*state, "/proc/self/cgroup", "0::/a/b/c\n");
	fixture_write(*state, "/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
	fixture_write(*state, "/sys/fs/cgroup/a/cpu.max", "max 100000\n");
	fixture_write(*state, "/sys/fs/cgroup/z/cpu.max", "1000 100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_OK, "no limit");
	/* The tightest of those above counts. */
	fixture_write(*state, "/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
	fixture_write(*state, "/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_PROBLEM, "/sys/fs/cgroup/a allows 0.50 CPUs' time");
	fixture_write(*state, "/sys/fs/cgroup/a/b/cpu.max", "30000 100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_PROBLEM, "/sys/fs/cgroup/a/b allows 0.30 CPUs' time");
	/* The root of a container's own namespace has a file too. */
	fixture_write(*state, "/proc/self/cgroup", "0::/\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu.max", "25000 100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_PROBLEM, "/sys/fs/cgroup allows 0.25 CPUs' time");
}

static void cgroup_v1(void **state)
{
	struct doctor_line line = {0};

	fixture_write(*state, "/proc/self/cgroup",
		      "9:cpuset:/x\n3:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "1\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "1\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_OK, "no limit");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "150000\n");
	fixture_write(*state, "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_PROBLEM, "/sys/fs/cgroup/cpu,cpuacct/docker allows 1.50");
	fixture_write(*state, "/proc/self/cgroup", "garbage\n");
	doctor_cgroup(*state, &line);
	assert_line(&line, DOCTOR_NOTE, "could not");
}

static void cpuset(void **state)
{
	struct doctor_line line = {0};

	doctor_cpuset(*state, &line);
	assert_line(&line, DOCTOR_NOTE, "could not");
	fixture_write(*state, "/sys/devices/system/cpu/online", "0-3,6\n");
	fixture_write(
		*state, "/proc/self/status",
		"Name:\tsoakd\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed:\t1\n");
	doctor_cpuset(*state, &line);
	assert_line(&line, DOCTOR_OK, "all");
	fixture_write(*state, "/proc/self/status", "Name:\tsoakd\nCpus_allowed_list:\t1-2\n");
	doctor_cpuset(*state, &line);
	assert_line(&line, DOCTOR_NOTE, "CPUs 0,3,6 are online");
	fixture_write(*state, "/sys/devices/system/cpu/isolated", "0,3,6\n");
	doctor_cpuset(*state, &line);
	assert_line(&line, DOCTOR_OK, "all");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(clocks), CASE(steal),	  CASE(smt),	   CASE(frequency), CASE(no_rivals),
		CASE(rivals), CASE(known_rivals), CASE(cgroup_v2), CASE(cgroup_v1), CASE(cpuset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
