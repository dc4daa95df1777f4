/* SPDX-License-Identifier: MIT */
/*
 * The kinds of isolation are rows of a table, best first; the first that works is taken.
 */
#include "isolation.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"

#define CGROUP_NAME	 "soakd"
#define MOUNTS_MAX_BYTES (1024 * 1024)

/* The kernel takes one write per HZ/10 from callers without CAP_SYS_ADMIN: proc_sched_autogroup. */
#define AUTOGROUP_TRIES	   20
#define AUTOGROUP_PAUSE_NS 20000000

const char *isolation_name(enum isolation_kind kind)
{
	switch (kind) {
	case ISOLATION_CGROUP_V2:
		return "cgroup-v2";
	case ISOLATION_CGROUP_V1:
		return "cgroup-v1";
	case ISOLATION_AUTOGROUP:
		return "autogroup";
	case ISOLATION_PLAIN:
		return "plain";
	}
	return "unknown";
}

/* Return: whether the comma-separated @list holds @word. */
static bool list_has(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	while (length > 0) {
		const char *comma = memchr(list, ',', length);
		size_t item = comma ? (size_t)(comma - list) : length;

		if (item == word_length && memcmp(list, word, item) == 0)
			return true;
		if (!comma)
			return false;
		list += item + 1;
		length -= item + 1;
	}
	return false;
}

/* The fields of a line of /proc/self/mounts, which are parted by single blanks: fstab(5). */
struct mount_line {
	const char *field[4]; /* device, folder, type, options */
	size_t length[4];
};

static bool split_mount(const char *line, size_t length, struct mount_line *ret)
{
	for (int i = 0; i < 4; i++) {
		const char *blank = memchr(line, ' ', length);

		if (!blank)
			return false;
		ret->field[i] = line;
		ret->length[i] = (size_t)(blank - line);
		length -= ret->length[i] + 1;
		line = blank + 1;
	}
	return true;
}

/*
 * Find where the file system @type is mounted with @option among its options (NULL: any).
 *
 * Return: 0; -ENOENT when it is not; another negative errno.
 */
static int find_mount(const char *root, const char *type, const char *option, char **ret)
{
	cleanup(freep) char *mounts = NULL;
	const char *line;
	int r = file_read(root, "/proc/self/mounts", MOUNTS_MAX_BYTES, &mounts);

	if (r < 0)
		return r;
	for (line = mounts; *line;) {
		const char *end = strchrnul(line, '\n');
		struct mount_line mount;

		if (split_mount(line, (size_t)(end - line), &mount) &&
		    mount.length[2] == strlen(type) &&
		    memcmp(mount.field[2], type, mount.length[2]) == 0 &&
		    (!option || list_has(mount.field[3], mount.length[3], option))) {
			*ret = strndup(mount.field[1], mount.length[1]);
			return *ret ? 0 : -ENOMEM;
		}
		line = *end ? end + 1 : end;
	}
	return -ENOENT;
}

static int write_pid(const char *root, const char *folder, const char *file, pid_t pid)
{
	cleanup(freep) char *path = NULL;
	char text[16];

	if (asprintf(&path, "%s/%s", folder, file) == -1)
		return -ENOMEM;
	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	return file_write(root, path, text);
}

/* Make the folder, or take an old one over. The kernel fills it. */
static int make_cgroup(const char *root, const char *folder)
{
	cleanup(freep) char *path = NULL;

	if (asprintf(&path, "%s%s", root, folder) == -1)
		return -ENOMEM;
	if (mkdir(path, 0755) == -1 && errno != EEXIST)
		return -errno;
	return 0;
}

static int remove_cgroup(const char *root, const char *folder)
{
	cleanup(freep) char *path = NULL;

	if (asprintf(&path, "%s%s", root, folder) == -1)
		return -ENOMEM;
	if (rmdir(path) == -1 && errno != ENOENT)
		return -errno;
	return 0;
}

/* Make @mount/soakd idle and put @pid into it. */
static int use_cgroup(const char *root, const char *mount, pid_t pid, struct isolation *isolation)
{
	cleanup(freep) char *folder = NULL, *idle = NULL;
	int r;

	if (asprintf(&folder, "%s/" CGROUP_NAME, mount) == -1 ||
	    asprintf(&idle, "%s/cpu.idle", folder) == -1)
		return -ENOMEM;
	r = make_cgroup(root, folder);
	if (r < 0)
		return r;
	r = file_write(root, idle, "1");
	if (r == 0)
		r = write_pid(root, folder, "cgroup.procs", pid);
	if (r < 0) {
		(void)remove_cgroup(root, folder);
		return r;
	}
	(void)snprintf(isolation->detail, sizeof(isolation->detail), "%s with cpu.idle=1", folder);
	isolation->cgroup = take_ptr(folder);
	return 0;
}

static int apply_cgroup_v2(const char *root, pid_t pid, struct isolation *isolation)
{
	cleanup(freep) char *mount = NULL, *path = NULL;
	cleanup(freep) char *controllers = NULL;
	int r = find_mount(root, "cgroup2", NULL, &mount);

	if (r < 0)
		return r;
	if (asprintf(&path, "%s/cgroup.subtree_control", mount) == -1)
		return -ENOMEM;
	r = file_read_line(root, path, &controllers);
	if (r < 0)
		return r;
	/* " cpu " between blanks: cpuset is another one. */
	for (char *c = controllers; *c; c++)
		if (*c == ' ')
			*c = ',';
	if (!list_has(controllers, strlen(controllers), "cpu"))
		return -EOPNOTSUPP;
	return use_cgroup(root, mount, pid, isolation);
}

static int apply_cgroup_v1(const char *root, pid_t pid, struct isolation *isolation)
{
	cleanup(freep) char *mount = NULL;
	int r = find_mount(root, "cgroup", "cpu", &mount);

	return r < 0 ? r : use_cgroup(root, mount, pid, isolation);
}

/* Return: whether processes are grouped by session at all. */
static bool autogroup_enabled(const char *root)
{
	cleanup(freep) char *enabled = NULL;

	return file_read_line(root, "/proc/sys/kernel/sched_autogroup_enabled", &enabled) == 0 &&
	       strcmp(enabled, "1") == 0;
}

static int apply_autogroup(const char *root, pid_t pid, struct isolation *isolation)
{
	const struct timespec pause = {.tv_nsec = AUTOGROUP_PAUSE_NS};
	char path[64];
	int r = -EAGAIN;

	if (!autogroup_enabled(root))
		return -EOPNOTSUPP;
	(void)snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)pid);
	for (int i = 0; r == -EAGAIN && i < AUTOGROUP_TRIES; i++) {
		if (i > 0)
			(void)nanosleep(&pause, NULL);
		r = file_write(root, path, "19");
	}
	if (r == 0)
		(void)snprintf(isolation->detail, sizeof(isolation->detail),
			       "nice 19 in /proc/%d/autogroup", (int)pid);
	return r;
}

static int apply_plain(const char *root, pid_t pid, struct isolation *isolation)
{
	(void)pid;
	(void)snprintf(isolation->detail, sizeof(isolation->detail), "SCHED_IDLE alone%s",
		       autogroup_enabled(root) ? ", and autogroup is on" : "");
	return 0;
}

static const struct {
	enum isolation_kind kind;
	int (*apply)(const char *root, pid_t pid, struct isolation *isolation);
} kinds[] = {
	{ISOLATION_CGROUP_V2, apply_cgroup_v2},
	{ISOLATION_CGROUP_V1, apply_cgroup_v1},
	{ISOLATION_AUTOGROUP, apply_autogroup},
	{ISOLATION_PLAIN, apply_plain},
};

/* Say why the better kind was not to be had, where that is something the user can change. */
static void note_obstacle(enum isolation_kind kind, int error, char *obstacle, size_t size)
{
	const char *why = NULL;

	if (error == -EACCES || error == -EPERM || error == -EROFS)
		why = error == -EROFS ? "is mounted read-only" : "needs root";
	else if (error == -EOPNOTSUPP && kind == ISOLATION_CGROUP_V2)
		why = "has no cpu in the root's cgroup.subtree_control";
	if (why)
		(void)snprintf(obstacle, size, "; better: %s, which %s", isolation_name(kind), why);
}

int isolation_apply(const char *root, pid_t pid, struct isolation *ret)
{
	struct isolation isolation = {.kind = ISOLATION_PLAIN};
	char obstacle[96] = "";
	size_t length;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int r = kinds[i].apply(root, pid, &isolation);

		if (r == -ENOMEM)
			return r;
		if (r == 0) {
			isolation.kind = kinds[i].kind;
			break;
		}
		note_obstacle(kinds[i].kind, r, obstacle, sizeof(obstacle));
	}
	/* Either cgroup is as good as the other; what is below them could be better. */
	length = strlen(isolation.detail);
	if (!isolation.cgroup)
		(void)snprintf(isolation.detail + length, sizeof(isolation.detail) - length, "%s",
			       obstacle);
	*ret = isolation;
	return 0;
}

int isolation_join(const char *root, const struct isolation *isolation, pid_t pid)
{
	struct isolation ignored = {.kind = isolation->kind};

	switch (isolation->kind) {
	case ISOLATION_CGROUP_V2:
	case ISOLATION_CGROUP_V1:
		return write_pid(root, isolation->cgroup, "cgroup.procs", pid);
	case ISOLATION_AUTOGROUP:
		return apply_autogroup(root, pid, &ignored);
	case ISOLATION_PLAIN:
		return 0;
	}
	return -EINVAL;
}

int isolation_undo(const char *root, struct isolation *isolation)
{
	int r = isolation->cgroup ? remove_cgroup(root, isolation->cgroup) : 0;

	free(isolation->cgroup);
	isolation->cgroup = NULL;
	return r;
}
