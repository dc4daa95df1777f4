/* SPDX-License-Identifier: MIT */
/*
 * Bytes of block devices, each counted once.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diskstats.h"
#include "fixture.h"

/* Only the third and the seventh number behind a name matter. */
#define LINE(name, read, written) "   8       0 " name " 1 2 " read " 4 5 6 " written " 8 9 10 11\n"

static void assert_bytes(const char *root, const char *text, uint64_t read_sectors,
			 uint64_t written_sectors)
{
	struct diskstats stats;

	fixture_write(root, "/proc/diskstats", text);
	assert_int_equal(diskstats_read(root, &stats), 0);
	assert_int_equal(stats.read_bytes, read_sectors * 512);
	assert_int_equal(stats.written_bytes, written_sectors * 512);
}

static void partitions(void **state)
{
	fixture_write(*state, "/sys/block/sda/slaves/", "");
	fixture_write(*state, "/sys/block/nvme0n1/slaves/", "");
	assert_bytes(*state,
		     LINE("sda", "100", "2000") LINE("sda1", "99", "1999")
			     LINE("nvme0n1", "7", "30") LINE("nvme0n1p1", "7", "30"),
		     107, 2030);
}

static void stacked(void **state)
{
	fixture_write(*state, "/sys/block/sda/slaves/", "");
	fixture_write(*state, "/sys/block/dm-0/slaves/sda", "");
	fixture_write(*state, "/sys/block/md127/slaves/dm-0", "");
	/* Without anything below it, its bytes are counted nowhere else. */
	fixture_write(*state, "/sys/block/dm-1/slaves/", "");
	assert_bytes(*state,
		     LINE("sda", "1", "10") LINE("dm-0", "1", "10") LINE("md127", "1", "10")
			     LINE("dm-1", "5", "50"),
		     6, 60);
}

static void memory_and_files(void **state)
{
	fixture_write(*state, "/sys/block/loop0/slaves/", "");
	fixture_write(*state, "/sys/block/ram0/slaves/", "");
	fixture_write(*state, "/sys/block/zram0/slaves/", "");
	fixture_write(*state, "/sys/block/zd16/slaves/", "");
	/* Only the kind followed by a number is one. */
	fixture_write(*state, "/sys/block/rama/slaves/", "");
	assert_bytes(*state,
		     LINE("loop0", "1", "1") LINE("ram0", "1", "1") LINE("zram0", "1", "1")
			     LINE("zd16", "1", "1") LINE("rama", "3", "4"),
		     3, 4);
}

static void names(void **state)
{
	fixture_write(*state, "/sys/block/cciss!c0d0/slaves/", "");
	fixture_write(*state, "/sys/block/vda/", "");
	assert_bytes(*state,
		     LINE("cciss/c0d0", "11", "22") LINE("cciss/c0d0p1", "11", "22")
			     LINE("vda", "1", "2") LINE("..", "5", "5"),
		     12, 24);
}

static void nvme_paths(void **state)
{
	fixture_write(*state, "/sys/block/nvme0n1/slaves/", "");
	fixture_write(*state, "/sys/block/nvme0c0n1/slaves/", "");
	fixture_write(*state, "/sys/block/nvme0c1n1/slaves/", "");
	fixture_write(*state, "/sys/block/nvme1n1/slaves/", "");
	/* Linux 6.0 and later: both levels count. */
	assert_bytes(*state,
		     LINE("nvme0c0n1", "3", "0") LINE("nvme0c1n1", "4", "1")
			     LINE("nvme0n1", "7", "1") LINE("nvme1n1", "10", "100"),
		     17, 101);
	/* Before, only the paths do. */
	assert_bytes(*state, LINE("nvme0c0n1", "3", "9") LINE("nvme0n1", "0", "0"), 3, 9);
}

static void more_fields(void **state)
{
	fixture_write(*state, "/sys/block/sda/", "");
	assert_bytes(*state, "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n", 3, 7);
	assert_bytes(*state, "", 0, 0);
	/* Sums of bytes wrap, so that differences hold. */
	assert_bytes(*state, LINE("sda", "18446744073709551615", "1"), UINT64_MAX, 1);
}

static void garbage(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{"hello\n", -EINVAL},
		{"\n", -EINVAL},
		{"8 0 sda\n", -EINVAL},
		{"8 0 sda 1 2 3 4 5 6 7 8 9 10\n", -EINVAL},
		{"8 0 sda 1 2 3 4 5 6 7 8 9 10 11", -EINVAL},
		{"8 0 sda 1 2 3 4 5 6 x 8 9 10 11\n", -EINVAL},
		{"8 0 sda 1 2 3 4 5 6 -7 8 9 10 11\n", -EINVAL},
		{LINE("sda", "1", "1") "8 0 sdb 1 2", -EINVAL},
		{LINE("sda", "18446744073709551616", "1"), -ERANGE},
		{"8 0 a234567890123456789012345678901234567890123456789012345678901234567890 1 2 3 "
		 "4 "
		 "5 6 7 8 9 10 11\n",
		 -EINVAL},
	};

	fixture_write(*state, "/sys/block/sda/", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diskstats stats = {42, 43};

		fixture_write(*state, "/proc/diskstats", cases[i].text);
		assert_int_equal(diskstats_read(*state, &stats), cases[i].error);
		assert_int_equal(stats.read_bytes, 42);
		assert_int_equal(stats.written_bytes, 43);
	}
}

static void no_file(void **state)
{
	struct diskstats stats;

	assert_int_equal(diskstats_read(*state, &stats), -ENOENT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(partitions), CASE(stacked),     CASE(memory_and_files), CASE(names),
		CASE(nvme_paths), CASE(more_fields), CASE(garbage),	     CASE(no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
