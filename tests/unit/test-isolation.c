/* SPDX-License-Identifier: MIT */
/*
 * The choice of isolation on made-up machines. A fixture is no kernel: a cgroup's files do not come
 * by themselves, so the test makes them beforehand, as an earlier soakd would have left them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file.h"
#include "fixture.h"
#include "isolation.h"

#define PID	  4321
#define AUTOGROUP "/proc/4321/autogroup"

static void add_cgroup(const char *root, const char *folder)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/cpu.idle", folder);
	fixture_write(root, path, "0\n");
	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	fixture_write(root, path, "");
}

static void add_autogroup(const char *root, const char *enabled)
{
	fixture_write(root, "/proc/sys/kernel/sched_autogroup_enabled", enabled);
	fixture_write(root, AUTOGROUP, "/autogroup-12 nice 0\n");
}

static void assert_file(const char *root, const char *path, const char *expected)
{
	char *text = NULL;

	assert_int_equal(file_read(root, path, 4096, &text), 0);
	assert_string_equal(text, expected);
	free(text);
}

static struct isolation apply(const char *root)
{
	struct isolation isolation;

	assert_int_equal(isolation_apply(root, PID, &isolation), 0);
	return isolation;
}

static void finish(struct isolation *isolation)
{
	free(isolation->cgroup);
}

static void test_v2_is_taken_where_cpu_is_handed_out(void **state)
{
	const char *root = *state;
	struct isolation isolation;

	fixture_write(root, "/proc/self/mounts",
		      "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
	fixture_write(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu io memory\n");
	add_cgroup(root, "/sys/fs/cgroup/soakd");
	add_autogroup(root, "1\n");
	isolation = apply(root);
	assert_int_equal(isolation.kind, ISOLATION_CGROUP_V2);
	assert_string_equal(isolation.detail, "/sys/fs/cgroup/soakd with cpu.idle=1");
	assert_file(root, "/sys/fs/cgroup/soakd/cpu.idle", "1");
	assert_file(root, "/sys/fs/cgroup/soakd/cgroup.procs", "4321");
	assert_file(root, AUTOGROUP, "/autogroup-12 nice 0\n");
	finish(&isolation);
}

/* cpuset is not cpu; and what the root does not hand out is not switched on. */
static void test_v2_without_cpu_is_left_alone(void **state)
{
	const char *root = *state;
	struct isolation isolation;

	fixture_write(root, "/proc/self/mounts", "none /sys/fs/cgroup cgroup2 rw 0 0\n");
	fixture_write(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpuset memory\n");
	add_autogroup(root, "1\n");
	isolation = apply(root);
	assert_int_equal(isolation.kind, ISOLATION_AUTOGROUP);
	assert_non_null(strstr(isolation.detail, "cgroup.subtree_control"));
	assert_file(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpuset memory\n");
	finish(&isolation);
}

static void test_v1_is_found_among_the_mount_options(void **state)
{
	const char *root = *state;
	struct isolation isolation;

	fixture_write(root, "/proc/self/mounts",
		      "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
		      "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n");
	add_cgroup(root, "/sys/fs/cgroup/cpu,cpuacct/soakd");
	add_autogroup(root, "1\n");
	isolation = apply(root);
	assert_int_equal(isolation.kind, ISOLATION_CGROUP_V1);
	assert_file(root, "/sys/fs/cgroup/cpu,cpuacct/soakd/cpu.idle", "1");
	assert_int_equal(isolation_join(root, &isolation, 77), 0);
	assert_file(root, "/sys/fs/cgroup/cpu,cpuacct/soakd/cgroup.procs", "77");
	finish(&isolation);
}

static void test_a_kernel_without_cpu_idle_falls_back(void **state)
{
	const char *root = *state;
	struct isolation isolation;

	fixture_write(root, "/proc/self/mounts", "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n");
	fixture_write(root, "/sys/fs/cgroup/cpu/", "");
	add_autogroup(root, "1\n");
	isolation = apply(root);
	assert_int_equal(isolation.kind, ISOLATION_AUTOGROUP);
	assert_file(root, AUTOGROUP, "19");
	finish(&isolation);
}

static void test_without_autogroup_plain_is_right(void **state)
{
	const char *root = *state;
	struct isolation isolation;

	fixture_write(root, "/proc/self/mounts", "proc /proc proc rw 0 0\n");
	add_autogroup(root, "0\n");
	isolation = apply(root);
	assert_int_equal(isolation.kind, ISOLATION_PLAIN);
	assert_string_equal(isolation.detail, "SCHED_IDLE alone");
	assert_file(root, AUTOGROUP, "/autogroup-12 nice 0\n");
	assert_int_equal(isolation_join(root, &isolation, 77), 0);
	assert_int_equal(isolation_undo(root, &isolation), 0);
}

static void test_a_machine_that_tells_nothing_is_plain(void **state)
{
	struct isolation isolation = apply(*state);

	assert_int_equal(isolation.kind, ISOLATION_PLAIN);
	finish(&isolation);
}

static void test_undo_removes_the_folder(void **state)
{
	const char *root = *state;
	struct isolation isolation = {.kind = ISOLATION_CGROUP_V1,
				      .cgroup = strdup("/sys/fs/cgroup/cpu/soakd")};

	fixture_write(root, "/sys/fs/cgroup/cpu/soakd/", "");
	assert_int_equal(isolation_undo(root, &isolation), 0);
	assert_null(isolation.cgroup);
	isolation.cgroup = strdup("/sys/fs/cgroup/cpu/soakd");
	/* Gone already: as good. */
	assert_int_equal(isolation_undo(root, &isolation), 0);
}

int main(void)
{
#define with_root(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		with_root(test_v2_is_taken_where_cpu_is_handed_out),
		with_root(test_v2_without_cpu_is_left_alone),
		with_root(test_v1_is_found_among_the_mount_options),
		with_root(test_a_kernel_without_cpu_idle_falls_back),
		with_root(test_without_autogroup_plain_is_right),
		with_root(test_a_machine_that_tells_nothing_is_plain),
		with_root(test_undo_removes_the_folder),
	};

	return cmocka_run_group_tests_name("isolation", tests, NULL, NULL);
}
