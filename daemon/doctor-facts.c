/* SPDX-License-Identifier: MIT */
/*
 * What `soakd doctor` can tell from the machine's own files: see doctor-facts.h.
 */
#include "doctor-facts.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "fields.h"
#include "file.h"
#include "topology.h"

#define STEAL_NOTE_RATIO    0.001
#define STEAL_PROBLEM_RATIO 0.02

/* Numbers of /proc/PID/stat, counted from 1 as proc(5) does; 3 is the first behind the name. */
#define STAT_STATE  3
#define STAT_POLICY 41

#define MAX_COMM 64

__attribute__((format(printf, 4, 5))) static void
say(struct doctor_line *line, enum doctor_state state, const char *cure, const char *format, ...)
{
	va_list args;

	line->state = state;
	va_start(args, format);
	(void)vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	(void)snprintf(line->cure, sizeof(line->cure), "%s", cure);
}

static void say_unknown(struct doctor_line *line, int error)
{
	say(line, DOCTOR_NOTE, "", "could not be checked: %s", strerror(-error));
}

static void closedirp(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

/* Clock sources that a process reads without entering the kernel. */
static bool is_cheap_clocksource(const char *name)
{
	static const char *const names[] = {
		"tsc",	    "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter",
		"timebase", "tod",	 "riscv_clocksource",		"stable counter",
		"Constant",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

void doctor_clock(const struct machine *machine, struct doctor_line *ret)
{
	ret->name = "clock source";
	if (machine_has_steady_tsc(machine))
		say(ret, DOCTOR_OK, "", "the TSC: constant, nonstop, trusted by the kernel");
	else if (is_cheap_clocksource(machine->clocksource))
		say(ret, DOCTOR_NOTE, "",
		    "no steady TSC; clock_gettime reads %s, without system call",
		    machine->clocksource);
	else
		say(ret, DOCTOR_PROBLEM,
		    "boot with clocksource=tsc tsc=reliable if the TSC can be trusted; in a "
		    "virtual "
		    "machine, give it an invariant TSC or kvm-clock",
		    "no steady TSC, and reading %s takes a system call in every pass",
		    machine->clocksource);
}

void doctor_steal(const struct procstat *before, const struct procstat *after,
		  struct doctor_line *ret)
{
	static const char cure[] = "give the virtual machine CPUs of its own, or a quieter host";
	struct procstat_change change;
	double ratio;
	int r;

	ret->name = "steal";
	r = procstat_subtract(before, after, &change);
	if (r == 0 && change.total_ns <= 0)
		r = -ENODATA;
	if (r < 0) {
		say_unknown(ret, r);
		return;
	}
	ratio = (double)change.steal_ns / (double)change.total_ns;
	if (ratio > STEAL_PROBLEM_RATIO)
		say(ret, DOCTOR_PROBLEM, cure, "the hypervisor took %.1f %% of the time",
		    100 * ratio);
	else if (ratio > STEAL_NOTE_RATIO)
		say(ret, DOCTOR_NOTE, cure, "the hypervisor took %.1f %% of the time", 100 * ratio);
	else
		say(ret, DOCTOR_OK, "", "none (%.1f %%)", 100 * ratio);
}

/* Count the CPUs that share their core; an example of it goes to @ret_shared. */
static int count_shared(const char *root, const struct cpulist *cpus, size_t *ret_n,
			struct cpulist *ret_shared)
{
	size_t n = 0;
	int r;

	for (size_t i = 0; i < cpus->n; i++) {
		cleanup(cpulist_fini) struct cpulist siblings = {0};

		r = topology_siblings(root, cpus->cpus[i], &siblings);
		if (r < 0)
			return r;
		if (siblings.n < 2)
			continue;
		if (n == 0) {
			*ret_shared = siblings;
			siblings = (struct cpulist){0};
		}
		n++;
	}
	*ret_n = n;
	return 0;
}

void doctor_smt(const char *root, const struct cpulist *cpus, struct doctor_line *ret)
{
	cleanup(cpulist_fini) struct cpulist shared = {0};
	cleanup(freep) char *example = NULL;
	size_t n = 0;
	int r;

	ret->name = "SMT";
	r = count_shared(root, cpus, &n, &shared);
	if (r == 0)
		r = cpulist_format(&shared, &example);
	if (r < 0)
		say_unknown(ret, r);
	else if (n == 0)
		say(ret, DOCTOR_OK, "", "no measured CPU shares its core");
	else
		say(ret, DOCTOR_NOTE,
		    "echo off > /sys/devices/system/cpu/smt/control, or soak with --body pause",
		    "%zu of %zu CPUs share their core (such as %.100s): a soaker slows its sibling",
		    n, cpus->n, example);
}

void doctor_frequency(const struct machine *machine, struct doctor_line *ret)
{
	ret->name = "frequency";
	if (strcmp(machine->driver, "none") == 0 && strcmp(machine->governor, "none") == 0)
		say(ret, machine->hypervisor ? DOCTOR_NOTE : DOCTOR_OK, "",
		    "no frequency driver: %s decides",
		    machine->hypervisor ? "the host" : "the firmware");
	else if (strcmp(machine->governor, "performance") == 0)
		say(ret, DOCTOR_OK, "", "driver %.60s, governor performance", machine->driver);
	else
		say(ret, DOCTOR_NOTE, "cpupower frequency-set -g performance",
		    "driver %.60s, governor %.60s: the frequency moves, and slowed with it",
		    machine->driver, machine->governor);
}

struct thread_stat {
	char comm[MAX_COMM];
	char state;
	uint64_t policy;
};

/* The name stands between brackets and may itself hold blanks and brackets. */
static int parse_thread(const char *text, struct thread_stat *ret)
{
	struct thread_stat stat = {0};
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	const char *at;
	int n_fields = STAT_STATE;
	size_t length;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(stat.comm))
		length = sizeof(stat.comm) - 1;
	memcpy(stat.comm, open + 1, length);
	stat.state = close[2];
	/* Some of the fields before the policy are negative: they are skipped unread. */
	for (at = close + 3; n_fields < STAT_POLICY - 1; n_fields++) {
		at = fields_skip_blanks(at);
		at += strcspn(at, " \n");
	}
	if (fields_u64(&at, &stat.policy) < 0)
		return -EINVAL;
	*ret = stat;
	return 0;
}

static int read_thread(const char *root, const char *pid, const char *tid, struct thread_stat *ret)
{
	cleanup(freep) char *text = NULL;
	char path[96];
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/stat", pid, tid);
	r = file_read_line(root, path, &text);
	if (r < 0)
		return r;
	return parse_thread(text, ret);
}

struct rival_kind {
	const char *comm; /* NULL: whatever runs at idle priority */
	const char *what;
	const char *cure;
};

/* In the order of what is worse to meet. */
static const struct rival_kind rival_kinds[] = {
	{"stalld", "lifts soakers above the workload", "systemctl stop stalld"},
	{"cyclesoak", "is another soaker: each gets half", "stop it"},
	{NULL, "runs at idle priority beside the soakers", "stop it, or wait until it is done"},
};

static const struct rival_kind *find_kind(const struct thread_stat *stat)
{
	for (size_t i = 0; i < sizeof(rival_kinds) / sizeof(rival_kinds[0]); i++) {
		const struct rival_kind *kind = &rival_kinds[i];

		if (kind->comm ? strcmp(stat->comm, kind->comm) == 0
			       : stat->policy == SCHED_IDLE && stat->state == 'R')
			return kind;
	}
	return NULL;
}

/* The worst rival so far, and how many processes are one. */
struct rivals {
	size_t n;
	const struct rival_kind *kind;
	char comm[MAX_COMM];
	char pid[24];
};

static int open_folder(const char *root, const char *path, DIR **ret)
{
	cleanup(freep) char *full = NULL;
	DIR *dir;

	if (asprintf(&full, "%s%s", root, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	dir = opendir(full);
	if (!dir)
		return -errno;
	*ret = dir;
	return 0;
}

/* Return: the next entry whose name is a number, or NULL. */
static const char *next_number(DIR *dir)
{
	const struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			return entry->d_name;
	}
	return NULL;
}

/* A soaker's main thread may well sleep at normal priority, so every thread is looked at. */
static void look_at_process(const char *root, const char *pid, struct rivals *rivals)
{
	cleanup(closedirp) DIR *dir = NULL;
	const struct rival_kind *worst = NULL;
	struct thread_stat stat;
	char path[64];
	const char *tid;
	bool counted = false;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	/* A process that has gone by now is no rival, and one that may not be seen is not told of.
	 */
	if (open_folder(root, path, &dir) < 0)
		return;
	while ((tid = next_number(dir))) {
		if (read_thread(root, pid, tid, &stat) < 0)
			continue;
		worst = find_kind(&stat);
		if (!worst)
			continue;
		rivals->n += counted ? 0 : 1;
		counted = true;
		if (rivals->kind && rivals->kind <= worst)
			continue;
		rivals->kind = worst;
		memcpy(rivals->comm, stat.comm, sizeof(rivals->comm));
		(void)snprintf(rivals->pid, sizeof(rivals->pid), "%.20s", pid);
	}
}

void doctor_rivals(const char *root, pid_t own, struct doctor_line *ret)
{
	cleanup(closedirp) DIR *dir = NULL;
	struct rivals rivals = {0};
	char own_text[24];
	char more[48] = "";
	const char *pid;
	int r;

	ret->name = "other soakers";
	(void)snprintf(own_text, sizeof(own_text), "%d", (int)own);
	r = open_folder(root, "/proc", &dir);
	if (r < 0) {
		say_unknown(ret, r);
		return;
	}
	while ((pid = next_number(dir))) {
		if (strcmp(pid, own_text) != 0)
			look_at_process(root, pid, &rivals);
	}
	if (rivals.n > 1)
		(void)snprintf(more, sizeof(more), "; %zu such processes in all", rivals.n);
	if (rivals.n == 0)
		say(ret, DOCTOR_OK, "", "none, and no stalld");
	else
		say(ret, DOCTOR_PROBLEM, rivals.kind->cure, "%.60s (pid %s) %s%s", rivals.comm,
		    rivals.pid, rivals.kind->what, more);
}

/* The tightest limit that was found; file is "" when there is none. */
struct limit {
	char file[160];
	double cpus; /* how many CPUs' time is allowed */
};

/* "max 100000" or "50000 100000". Return: whether there is a limit. */
static bool parse_v2_limit(const char *line, double *ret_cpus)
{
	uint64_t quota;
	uint64_t period;

	if (fields_u64(&line, &quota) < 0 || fields_u64(&line, &period) < 0 || period == 0)
		return false;
	*ret_cpus = (double)quota / (double)period;
	return true;
}

static bool read_v2_limit(const char *root, const char *group, double *ret_cpus)
{
	cleanup(freep) char *line = NULL;
	cleanup(freep) char *path = NULL;

	if (asprintf(&path, "%s/cpu.max", group) < 0) {
		path = NULL;
		return false;
	}
	return file_read_line(root, path, &line) == 0 && parse_v2_limit(line, ret_cpus);
}

/* cpu.cfs_quota_us is -1 without a limit. */
static bool read_v1_limit(const char *root, const char *group, double *ret_cpus)
{
	static const char *const names[] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
	uint64_t values[2] = {0};

	for (size_t i = 0; i < 2; i++) {
		cleanup(freep) char *line = NULL;
		cleanup(freep) char *path = NULL;
		const char *cursor;

		if (asprintf(&path, "%s/%s", group, names[i]) < 0) {
			path = NULL;
			return false;
		}
		if (file_read_line(root, path, &line) < 0)
			return false;
		cursor = line;
		if (fields_u64(&cursor, &values[i]) < 0)
			return false;
	}
	if (values[1] == 0)
		return false;
	*ret_cpus = (double)values[0] / (double)values[1];
	return true;
}

struct hierarchy {
	const char *mount;
	bool v2;
	bool (*read_limit)(const char *root, const char *group, double *ret_cpus);
};

static const struct hierarchy hierarchies[] = {
	{"/sys/fs/cgroup", true, read_v2_limit},
	{"/sys/fs/cgroup/unified", true, read_v2_limit},
	{"/sys/fs/cgroup/cpu", false, read_v1_limit},
	{"/sys/fs/cgroup/cpu,cpuacct", false, read_v1_limit},
};

/* Look at a group and those above it; keep the tightest limit. */
static int look_upwards(const char *root, const struct hierarchy *hierarchy, const char *group,
			struct limit *limit)
{
	cleanup(freep) char *path = NULL;
	size_t n_mount = strlen(hierarchy->mount);
	double cpus;

	if (asprintf(&path, "%s%s", hierarchy->mount, group[1] ? group : "") < 0) {
		path = NULL;
		return -ENOMEM;
	}
	for (;;) {
		char *slash;

		if (hierarchy->read_limit(root, path, &cpus) &&
		    (!limit->file[0] || cpus < limit->cpus)) {
			limit->cpus = cpus;
			(void)snprintf(limit->file, sizeof(limit->file), "%.159s", path);
		}
		slash = strrchr(path, '/');
		if (!slash || (size_t)(slash - path) < n_mount)
			return 0;
		*slash = '\0';
	}
}

/* Return: whether @name is among the names between commas up to @end. */
static bool has_controller(const char *names, const char *end, const char *name)
{
	while (names < end) {
		size_t length = strcspn(names, ",:");

		if (length == strlen(name) && strncmp(names, name, length) == 0)
			return true;
		names += length + 1;
	}
	return false;
}

/* One line of /proc/self/cgroup: "ID:CONTROLLERS:/GROUP", no controllers for v2. */
static int look_at_membership(const char *root, const char *line, struct limit *limit)
{
	const char *names = strchr(line, ':');
	const char *group = names ? strchr(names + 1, ':') : NULL;
	bool v2;
	int r = 0;

	if (!group || group[1] != '/')
		return -EINVAL;
	names++;
	v2 = names == group;
	if (!v2 && !has_controller(names, group, "cpu"))
		return 0;
	for (size_t i = 0; r == 0 && i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		if (hierarchies[i].v2 == v2)
			r = look_upwards(root, &hierarchies[i], group + 1, limit);
	}
	return r;
}

static int find_limit(const char *root, struct limit *limit)
{
	cleanup(freep) char *text = NULL;
	char *line;
	char *rest;
	int r;

	r = file_read(root, "/proc/self/cgroup", FILE_MAX_LINE, &text);
	if (r < 0)
		return r;
	for (line = text; r == 0 && *line; line = rest) {
		size_t length = strcspn(line, "\n");

		rest = line + length + (line[length] ? 1 : 0);
		line[length] = '\0';
		r = look_at_membership(root, line, limit);
	}
	return r;
}

void doctor_cgroup(const char *root, struct doctor_line *ret)
{
	struct limit limit = {0};
	int r;

	ret->name = "cgroup limits";
	r = find_limit(root, &limit);
	if (r == -ENOENT)
		say(ret, DOCTOR_OK, "", "no cgroups");
	else if (r < 0)
		say_unknown(ret, r);
	else if (!limit.file[0])
		say(ret, DOCTOR_OK, "", "no limit on CPU time");
	else
		say(ret, DOCTOR_PROBLEM,
		    "start soakd outside of that group, or lift its CPU quota: being throttled "
		    "looks like load",
		    "%s allows %.2f CPUs' time", limit.file, limit.cpus);
}

/* The list behind "Cpus_allowed_list:" in /proc/self/status. */
static int read_allowed(const char *root, struct cpulist *ret)
{
	static const char key[] = "\nCpus_allowed_list:";
	cleanup(freep) char *text = NULL;
	char *value;
	int r;

	r = file_read(root, "/proc/self/status", FILE_MAX_LINE, &text);
	if (r < 0)
		return r;
	value = strstr(text, key);
	if (!value)
		return -ENODATA;
	value += strlen(key);
	value += strspn(value, " \t");
	value[strcspn(value, "\n")] = '\0';
	return cpulist_parse(value, ret);
}

static int read_cpus(const char *root, const char *path, struct cpulist *ret)
{
	cleanup(freep) char *line = NULL;
	int r;

	r = file_read_line(root, path, &line);
	return r < 0 ? r : cpulist_parse(line, ret);
}

static int find_forbidden(const char *root, struct cpulist *forbidden)
{
	cleanup(cpulist_fini) struct cpulist allowed = {0};
	cleanup(cpulist_fini) struct cpulist online = {0};
	cleanup(cpulist_fini) struct cpulist isolated = {0};
	int r;

	r = read_allowed(root, &allowed);
	if (r == 0)
		r = read_cpus(root, "/sys/devices/system/cpu/online", &online);
	if (r < 0)
		return r;
	r = read_cpus(root, "/sys/devices/system/cpu/isolated", &isolated);
	if (r < 0 && r != -ENOENT)
		return r;
	r = 0;
	for (size_t i = 0; r == 0 && i < online.n; i++) {
		int cpu = online.cpus[i];

		if (!cpulist_has(&allowed, cpu) && !cpulist_has(&isolated, cpu))
			r = cpulist_add(forbidden, cpu);
	}
	return r;
}

void doctor_cpuset(const char *root, struct doctor_line *ret)
{
	cleanup(cpulist_fini) struct cpulist forbidden = {0};
	cleanup(freep) char *text = NULL;
	int r;

	ret->name = "allowed CPUs";
	r = find_forbidden(root, &forbidden);
	if (r == 0)
		r = cpulist_format(&forbidden, &text);
	if (r < 0)
		say_unknown(ret, r);
	else if (forbidden.n == 0)
		say(ret, DOCTOR_OK, "", "all that are online");
	else
		say(ret, DOCTOR_NOTE,
		    "start soakd outside of taskset, the container or the cpuset that cuts them "
		    "off",
		    "CPUs %.120s are online but not allowed: load there is not seen", text);
}
