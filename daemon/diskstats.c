/* SPDX-License-Identifier: MIT */
/*
 * How much the block devices moved: see diskstats.h.
 *
 * Source: Documentation/admin-guide/iostats.rst. A sector is 512 bytes there whatever the disk
 * says.
 */
#include "diskstats.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "fields.h"
#include "file.h"

#define MAX_BYTES    ((size_t)16 * 1024 * 1024)
#define MAX_NAME     64
#define SECTOR_BYTES 512

/* Kernels since 2.6.25 write eleven numbers or more behind each name. */
#define LEAST_FIELDS 11
#define READ_FIELD   2
#define WRITE_FIELD  6

struct disk {
	char name[MAX_NAME];
	uint64_t read_sectors;
	uint64_t written_sectors;
};

struct disks {
	size_t n;
	struct disk *disks;
};

static void free_disks(struct disks *disks)
{
	free(disks->disks);
}

static void closedirp(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static int parse_line(const char **cursor, struct disk *ret)
{
	uint64_t v[LEAST_FIELDS] = {0};
	uint64_t number;
	int r;

	r = fields_u64(cursor, &number);
	if (r == 0)
		r = fields_u64(cursor, &number);
	if (r == 0)
		r = fields_word(cursor, ret->name, sizeof(ret->name));
	if (r < 0)
		return r == -ENAMETOOLONG ? -EINVAL : r;
	r = fields_rest(cursor, v, LEAST_FIELDS);
	if (r < 0)
		return r;
	if (r < LEAST_FIELDS)
		return -EINVAL;
	ret->read_sectors = v[READ_FIELD];
	ret->written_sectors = v[WRITE_FIELD];
	return 0;
}

static int parse_disks(const char *text, struct disks *disks)
{
	size_t n_lines = 0;
	int r;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		n_lines++;
	disks->disks = calloc(n_lines + 1, sizeof(*disks->disks));
	if (!disks->disks)
		return -ENOMEM;
	while (*text) {
		/* A line without a newline fails to parse: there are n_lines at most. */
		r = parse_line(&text, &disks->disks[disks->n]);
		if (r < 0)
			return r;
		disks->n++;
	}
	return 0;
}

/* Devices whose bytes are moved again by a disk below them that /sys does not name, or by none. */
static bool is_virtual(const char *name)
{
	static const char *const kinds[] = {"loop", "ram", "zram", "zd"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);

		if (strncmp(name, kinds[i], length) == 0 && name[length] >= '0' &&
		    name[length] <= '9')
			return true;
	}
	return false;
}

/* Return: whether @path (nvme0c1n2) is one of the paths to @disk (nvme0n2). */
static bool is_path_to(const char *path, const char *disk)
{
	size_t same = strlen("nvme");

	if (strncmp(disk, "nvme", same) != 0)
		return false;
	same += strspn(disk + same, "0123456789");
	if (disk[same] != 'n' || strncmp(path, disk, same) != 0 || path[same] != 'c')
		return false;
	path += same + 1;
	path += strspn(path, "0123456789");
	return strcmp(path, disk + same) == 0;
}

static bool has_paths(const struct disks *disks, const char *name)
{
	for (size_t i = 0; i < disks->n; i++) {
		if (is_path_to(disks->disks[i].name, name))
			return true;
	}
	return false;
}

/* Where /sys has the device: a '/' in a name is a '!' there. Free @ret_path. */
static int block_path(const char *root, const char *name, const char *file, char **ret_path)
{
	char base[MAX_NAME] = "";

	for (size_t i = 0; i < sizeof(base) - 1 && name[i]; i++) {
		base[i] = name[i];
		if (base[i] == '/')
			base[i] = '!';
	}
	return asprintf(ret_path, "%s/sys/block/%s%s", root, base, file) < 0 ? -ENOMEM : 0;
}

static int is_whole(const char *root, const char *name, bool *ret)
{
	cleanup(freep) char *path = NULL;
	char *found;

	if (block_path(root, name, "", &found) < 0)
		return -ENOMEM;
	path = found;
	*ret = access(path, F_OK) == 0;
	return 0;
}

static int is_stacked(const char *root, const char *name, bool *ret)
{
	cleanup(freep) char *path = NULL;
	cleanup(closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char *found;
	bool stacked = false;

	if (block_path(root, name, "/slaves", &found) < 0)
		return -ENOMEM;
	path = found;
	dir = opendir(path);
	if (!dir && errno != ENOENT)
		return -errno;
	while (dir && !stacked && (entry = readdir(dir)))
		stacked = entry->d_name[0] != '.';
	*ret = stacked;
	return 0;
}

static int counts(const char *root, const struct disks *disks, const char *name, bool *ret)
{
	bool whole = false;
	bool stacked = false;
	int r = 0;

	if (name[0] != '.' && !is_virtual(name) && !has_paths(disks, name))
		r = is_whole(root, name, &whole);
	if (r == 0 && whole)
		r = is_stacked(root, name, &stacked);
	if (r < 0)
		return r;
	*ret = whole && !stacked;
	return 0;
}

int diskstats_read(const char *root, struct diskstats *ret)
{
	cleanup(free_disks) struct disks disks = {0};
	cleanup(freep) char *text = NULL;
	struct diskstats sum = {0};
	bool counted = false;
	int r;

	r = file_read(root, "/proc/diskstats", MAX_BYTES, &text);
	if (r < 0)
		return r;
	r = parse_disks(text, &disks);
	for (size_t i = 0; r == 0 && i < disks.n; i++) {
		const struct disk *disk = &disks.disks[i];

		r = counts(root, &disks, disk->name, &counted);
		if (r == 0 && counted) {
			sum.read_bytes += disk->read_sectors * SECTOR_BYTES;
			sum.written_bytes += disk->written_sectors * SECTOR_BYTES;
		}
	}
	if (r < 0)
		return r;
	*ret = sum;
	return 0;
}
