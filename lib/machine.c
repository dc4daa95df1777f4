/* SPDX-License-Identifier: MIT */
/*
 * What machine this is: see machine.h.
 *
 * All CPUs are taken to be alike: only the first block of /proc/cpuinfo is read, as the whole file
 * has megabytes on large machines and asks every CPU for its frequency.
 */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define CPUINFO_BYTES ((size_t)16 * 1024)

/* Copy text[length], cut to what fits. */
static void set_text(char *ret, const char *text, size_t length)
{
	if (length >= MACHINE_TEXT)
		length = MACHINE_TEXT - 1;
	memcpy(ret, text, length);
	ret[length] = '\0';
}

/* The first line of a file, or @otherwise where there is none to be read. */
static int read_text(const char *root, const char *path, const char *otherwise, char *ret)
{
	cleanup(freep) char *line = NULL;
	const char *text;
	int r;

	r = file_read_line(root, path, &line);
	if (r == -ENOMEM)
		return r;
	text = r == 0 && line[0] ? line : otherwise;
	set_text(ret, text, strlen(text));
	return 0;
}

/* Return: the value of "KEY : VALUE", @ret_length bytes long; NULL when the block has none. */
static const char *find_value(const char *block, const char *key, size_t *ret_length)
{
	size_t key_length = strlen(key);
	const char *next;

	for (const char *line = block; *line; line = next) {
		size_t length = strcspn(line, "\n");
		const char *value = line + key_length;

		next = line + length + (line[length] ? 1 : 0);
		if (length < key_length || strncmp(line, key, key_length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value++;
		value += strspn(value, " \t");
		if (value >= line + length)
			continue;
		*ret_length = (size_t)(line + length - value);
		return value;
	}
	return NULL;
}

/* Return: whether @word is one of the words of "KEY : WORDS". */
static bool has_word(const char *block, const char *key, const char *word)
{
	size_t length;
	const char *at = find_value(block, key, &length);
	const char *end = at ? at + length : NULL;

	while (at && at < end) {
		size_t n = strcspn(at, " \t\n");

		if (n == strlen(word) && strncmp(at, word, n) == 0)
			return true;
		at += n;
		at += strspn(at, " \t");
	}
	return false;
}

/* aarch64 gives numbers and no name. */
static bool set_arm_model(const char *block, char *ret)
{
	static const struct {
		const char *key;
		const char *label;
	} parts[] = {
		{"CPU implementer", "implementer"},
		{"CPU part", "part"},
		{"CPU variant", "variant"},
		{"CPU revision", "revision"},
	};
	char text[MACHINE_TEXT] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t length;
		const char *value = find_value(block, parts[i].key, &length);
		int n;

		if (!value || length > 16)
			continue;
		n = snprintf(text + used, sizeof(text) - used, "%s%s %.*s", used ? " " : "",
			     parts[i].label, (int)length, value);
		used += (size_t)n;
	}
	if (used > 0)
		set_text(ret, text, used);
	return used > 0;
}

static void set_model(const char *block, char *ret)
{
	/* x86 and arm; mips; riscv; powerpc */
	static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t length;
		const char *value = find_value(block, keys[i], &length);

		if (value) {
			set_text(ret, value, length);
			return;
		}
	}
	if (!set_arm_model(block, ret))
		set_text(ret, "unknown", strlen("unknown"));
}

static int read_cpuinfo(const char *root, struct machine *machine)
{
	cleanup(freep) char *text = NULL;
	const char *microcode;
	size_t length;
	char *end;
	int r;

	r = file_read_head(root, "/proc/cpuinfo", CPUINFO_BYTES, &text);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		text = strdup("");
		if (!text)
			return -ENOMEM;
	}
	end = strstr(text, "\n\n");
	if (end)
		*end = '\0';
	set_model(text, machine->cpu_model);
	microcode = find_value(text, "microcode", &length);
	if (!microcode) {
		microcode = "unknown";
		length = strlen(microcode);
	}
	set_text(machine->microcode, microcode, length);
	machine->hypervisor = has_word(text, "flags", "hypervisor");
	machine->constant_tsc = has_word(text, "flags", "constant_tsc");
	machine->nonstop_tsc = has_word(text, "flags", "nonstop_tsc");
	return 0;
}

static int read_tsc_available(const char *root, bool *ret)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	cleanup(freep) char *line = NULL;
	cleanup(freep) char *block = NULL;
	int r;

	r = file_read_line(root, path, &line);
	if (r == -ENOMEM)
		return r;
	/* Made a line of /proc/cpuinfo, so that words are looked for in one way only. */
	if (asprintf(&block, "available:%s", r == 0 ? line : "") < 0) {
		block = NULL;
		return -ENOMEM;
	}
	*ret = has_word(block, "available", "tsc");
	return 0;
}

static int read_cpufreq(const char *root, int cpu, struct machine *machine)
{
	char path[96];
	int r;

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
		       cpu);
	r = read_text(root, path, "none", machine->governor);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_driver",
		       cpu);
	return read_text(root, path, "none", machine->driver);
}

int machine_read(const char *root, int cpu, struct machine *ret)
{
	struct machine machine = {0};
	const struct {
		const char *path;
		char *text;
	} files[] = {
		{"/proc/sys/kernel/osrelease", machine.kernel},
		{"/proc/sys/kernel/random/boot_id", machine.boot_id},
		{"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		 machine.clocksource},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(files) / sizeof(files[0]); i++)
		r = read_text(root, files[i].path, "unknown", files[i].text);
	if (r == 0)
		r = read_cpuinfo(root, &machine);
	if (r == 0)
		r = read_cpufreq(root, cpu, &machine);
	if (r == 0)
		r = read_tsc_available(root, &machine.tsc_available);
	if (r < 0)
		return r;
	*ret = machine;
	return 0;
}

bool machine_has_steady_tsc(const struct machine *machine)
{
	return machine->constant_tsc && machine->nonstop_tsc && machine->tsc_available;
}
