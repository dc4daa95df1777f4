/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs can be soaked, on machines made of files and a mask that the test hands in.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cleanup.h"
#include "cpulist.h"
#include "file.h"
#include "fixture.h"
#include "topology.h"

#define ONLINE	 "/sys/devices/system/cpu/online"
#define PRESENT	 "/sys/devices/system/cpu/present"
#define ISOLATED "/sys/devices/system/cpu/isolated"

/* A kernel whose masks have n_kernel CPUs. */
struct fake {
	size_t n_kernel;
	const char *mask;
	int error;
	int n_calls;
};

static int get_fake(void *context, size_t size, cpu_set_t *ret_set)
{
	cleanup(cpulist_fini) struct cpulist list = {0};
	struct fake *fake = context;

	fake->n_calls++;
	if (fake->error)
		return fake->error;
	if (size * 8 < fake->n_kernel)
		return -EINVAL;
	assert_int_equal(cpulist_parse(fake->mask, &list), 0);
	for (size_t i = 0; i < list.n; i++)
		CPU_SET_S((size_t)list.cpus[i], size, ret_set);
	return 0;
}

static int read_with(const char *root, struct fake *fake, const char *wanted,
		     struct topology_left_out *refused, struct topology *topology)
{
	const struct topology_source source = {.get_affinity = get_fake, .context = fake};
	cleanup(cpulist_fini) struct cpulist list = {0};

	if (wanted)
		assert_int_equal(cpulist_parse(wanted, &list), 0);
	return topology_read(root, &source, wanted ? &list : NULL, refused, topology);
}

static void assert_list(const struct cpulist *list, const char *expected)
{
	cleanup(freep) char *text = NULL;

	assert_int_equal(cpulist_format(list, &text), 0);
	assert_string_equal(text, expected);
}

static void assert_cpus(const char *root, const char *mask, const char *wanted,
			const char *expected)
{
	struct fake fake = {.n_kernel = 64, .mask = mask};
	cleanup(topology_fini) struct topology topology = {0};
	struct topology_left_out refused;

	assert_int_equal(read_with(root, &fake, wanted, &refused, &topology), 0);
	assert_list(&topology.cpus, expected);
}

static void assert_refused(const char *root, const char *mask, const char *wanted, int cpu,
			   enum topology_reason reason)
{
	struct fake fake = {.n_kernel = 64, .mask = mask};
	struct topology topology = {.n_left_out = 77};
	struct topology_left_out refused = {0};

	assert_int_equal(read_with(root, &fake, wanted, &refused, &topology), -ENXIO);
	assert_int_equal(refused.cpu, cpu);
	assert_int_equal(refused.reason, reason);
	assert_int_equal(topology.n_left_out, 77);
	assert_null(topology.cpus.cpus);
}

static void mask_alone(void **state)
{
	/* Neither without the file nor with an empty one is every CPU taken for offline. */
	assert_cpus(*state, "0-3", NULL, "0-3");
	fixture_write(*state, ONLINE, "");
	assert_cpus(*state, "0-3", NULL, "0-3");
	fixture_write(*state, ONLINE, "\n");
	assert_cpus(*state, "0", NULL, "0");
}

static void online_cuts_mask(void **state)
{
	fixture_write(*state, ONLINE, "0,2,7\n");
	assert_cpus(*state, "0-7", NULL, "0,2,7");
	assert_cpus(*state, "2-6", NULL, "2");
	assert_cpus(*state, "0-7", "7,0", "0,7");
}

static void reasons(void **state)
{
	struct fake fake = {.n_kernel = 64, .mask = "0-1,3"};
	cleanup(topology_fini) struct topology topology = {0};
	struct topology_left_out refused;
	const struct topology_left_out expected[] = {
		{2, TOPOLOGY_NOT_ALLOWED},
		{3, TOPOLOGY_OFFLINE},
		{4, TOPOLOGY_ISOLATED},
		{5, TOPOLOGY_OFFLINE},
	};

	fixture_write(*state, PRESENT, "0-5\n");
	fixture_write(*state, ONLINE, "0-2,4\n");
	fixture_write(*state, ISOLATED, "4\n");
	assert_int_equal(read_with(*state, &fake, NULL, &refused, &topology), 0);
	assert_list(&topology.cpus, "0-1");
	assert_int_equal(topology.n_left_out, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(topology.left_out[i].cpu, expected[i].cpu);
		assert_int_equal(topology.left_out[i].reason, expected[i].reason);
	}
	assert_string_equal(topology_reason_text(TOPOLOGY_OFFLINE), "offline");
}

static void wanted(void **state)
{
	fixture_write(*state, PRESENT, "0-5\n");
	fixture_write(*state, ONLINE, "0-2,4\n");
	fixture_write(*state, ISOLATED, "4\n");
	assert_cpus(*state, "0-1", "1", "1");
	assert_cpus(*state, "0-1", "0,4", "0,4");
	assert_refused(*state, "0-1", "0,99", 99, TOPOLOGY_ABSENT);
	assert_refused(*state, "0-1", "1,3,99", 3, TOPOLOGY_OFFLINE);
	assert_refused(*state, "0-1", "2", 2, TOPOLOGY_NOT_ALLOWED);
	assert_refused(*state, "0-1", "", -1, TOPOLOGY_ABSENT);
}

static void nothing_left(void **state)
{
	fixture_write(*state, ONLINE, "0-1\n");
	assert_refused(*state, "2-3", NULL, -1, TOPOLOGY_ABSENT);
}

static void large_masks(void **state)
{
	static const struct {
		size_t n_kernel;
		const char *mask;
		int n_calls;
	} cases[] = {
		{64, "0", 1},	     {1024, "0-1023", 1},	    {1025, "1024", 2},
		{4096, "0-4095", 3}, {4096, "0,1022,1024,4095", 3}, {65536, "65535", 7},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake fake = {.n_kernel = cases[i].n_kernel, .mask = cases[i].mask};
		cleanup(topology_fini) struct topology topology = {0};
		struct topology_left_out refused;

		assert_int_equal(read_with(*state, &fake, NULL, &refused, &topology), 0);
		assert_list(&topology.cpus, cases[i].mask);
		assert_int_equal(fake.n_calls, cases[i].n_calls);
	}
}

static void source_fails(void **state)
{
	struct fake endless = {.n_kernel = SIZE_MAX, .mask = "0"};
	struct fake broken = {.n_kernel = 64, .mask = "0", .error = -EPERM};
	struct topology topology = {0};
	struct topology_left_out refused;

	assert_int_equal(read_with(*state, &endless, NULL, &refused, &topology), -EINVAL);
	assert_int_equal(endless.n_calls, 7);
	assert_int_equal(read_with(*state, &broken, NULL, &refused, &topology), -EPERM);
	assert_int_equal(broken.n_calls, 1);
}

static void bad_lists(void **state)
{
	struct fake fake = {.n_kernel = 64, .mask = "0"};
	struct topology topology = {0};
	struct topology_left_out refused;

	fixture_write(*state, ONLINE, "0-x\n");
	assert_int_equal(read_with(*state, &fake, NULL, &refused, &topology), -EINVAL);
	fixture_write(*state, ONLINE, "0-99999999\n");
	assert_int_equal(read_with(*state, &fake, NULL, &refused, &topology), -ERANGE);
}

static void real_affinity(void **state)
{
	const struct topology_source source = {.get_affinity = topology_get_affinity};
	cleanup(topology_fini) struct topology topology = {0};
	struct topology_left_out refused;

	assert_int_equal(topology_read(*state, &source, NULL, &refused, &topology), 0);
	assert_true(topology.cpus.n > 0);
}

static void siblings(void **state)
{
	static const struct {
		const char *file;
		const char *text;
		int cpu;
		const char *expected;
	} cases[] = {
		{NULL, NULL, 3, "3"},
		{"/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0,4\n", 0, "0,4"},
		{"/sys/devices/system/cpu/cpu5/topology/thread_siblings_list", "1,5\n", 5, "1,5"},
		{"/sys/devices/system/cpu/cpu5/topology/core_cpus_list", "5,9\n", 5, "5,9"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup(cpulist_fini) struct cpulist list = {0};

		if (cases[i].file)
			fixture_write(*state, cases[i].file, cases[i].text);
		assert_int_equal(topology_siblings(*state, cases[i].cpu, &list), 0);
		assert_list(&list, cases[i].expected);
	}
}

static void smt_active(void **state)
{
	static const char path[] = "/sys/devices/system/cpu/smt/active";
	bool active = true;

	assert_int_equal(topology_smt_active(*state, &active), -ENOENT);
	fixture_write(*state, path, "0\n");
	assert_int_equal(topology_smt_active(*state, &active), 0);
	assert_false(active);
	fixture_write(*state, path, "yes\n");
	assert_int_equal(topology_smt_active(*state, &active), -EINVAL);
	assert_false(active);
	fixture_write(*state, path, "1\n");
	assert_int_equal(topology_smt_active(*state, &active), 0);
	assert_true(active);
}

static void files(void **state)
{
	cleanup(freep) char *text = NULL;
	cleanup(freep) char *line = NULL;
	char *none = NULL;

	assert_int_equal(file_write(*state, "/a", "x"), -ENOENT);
	fixture_write(*state, "/a", "12345\n6\n");
	assert_int_equal(file_read(*state, "/a", 8, &text), 0);
	assert_string_equal(text, "12345\n6\n");
	assert_int_equal(file_read(*state, "/a", 7, &none), -EFBIG);
	assert_null(none);
	assert_int_equal(file_read_line(*state, "/a", &line), 0);
	assert_string_equal(line, "12345");
	free(take_ptr(text));
	assert_int_equal(file_read_head(*state, "/a", 3, &text), 0);
	assert_string_equal(text, "123");
	free(take_ptr(text));
	assert_int_equal(file_write(*state, "/a", "19"), 0);
	assert_int_equal(file_read(*state, "/a", 100, &text), 0);
	assert_string_equal(text, "19");
	assert_int_equal(file_read(*state, "", 100, &none), -EISDIR);
	assert_int_equal(file_read("", "/dev/zero", 100, &none), -EINVAL);
	assert_int_equal(file_read_head("", "/dev/zero", 100, &none), -EINVAL);
	assert_int_equal(file_write("", "/dev/full", "x"), -ENOSPC);
}

static void long_file(void **state)
{
	cleanup(freep) char *long_text = malloc(100001);
	cleanup(freep) char *text = NULL;

	assert_non_null(long_text);
	for (size_t i = 0; i < 100000; i++)
		long_text[i] = (char)('a' + i % 23);
	long_text[100000] = '\0';
	fixture_write(*state, "/long", long_text);
	assert_int_equal(file_read(*state, "/long", 100000, &text), 0);
	assert_string_equal(text, long_text);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(mask_alone),    CASE(online_cuts_mask), CASE(reasons),	 CASE(wanted),
		CASE(nothing_left),  CASE(large_masks),	     CASE(source_fails), CASE(bad_lists),
		CASE(real_affinity), CASE(siblings),	     CASE(smt_active),	 CASE(files),
		CASE(long_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
