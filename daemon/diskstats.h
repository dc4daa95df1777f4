/* SPDX-License-Identifier: MIT */
/*
 * How much the block devices moved: /proc/diskstats, each byte counted once.
 *
 * Only whole disks at the bottom count. Partitions are part of their disk; devices stacked on
 * others (dm, md) and those on files or in memory (loop, ram, zram) would count a byte again. Of an
 * NVMe disk with several paths the paths count: before Linux 6.0 the disk above them counts
 * nothing.
 */
#pragma once

#include <stdint.h>

/* Since boot. They wrap at 2^64: only differences mean something. */
struct diskstats {
	uint64_t read_bytes;
	uint64_t written_bytes;
};

/*
 * Read and sum /proc/diskstats.
 *
 * Return: 0; -EINVAL when it is not of that form; -ERANGE when a number exceeds 64 bits; -ENOMEM;
 * what open() and read() return. @ret is untouched on failure.
 */
int diskstats_read(const char *root, struct diskstats *ret);
