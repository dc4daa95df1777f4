/* SPDX-License-Identifier: MIT */
/*
 * See environment.h.
 */
#include "environment.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "cleanup.h"
#include "file.h"
#include "json.h"
#include "machine.h"
#include "parse.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

/* What of status.get belongs to the environment of a result. */
static const char *const status_members[] = {
	"isolation",
	"isolation_detail",
	"intrusion_ratio",
	"body",
	"body_version",
	"clock",
	"cpus",
	"idle_floor_ratio",
	"idle_floor_uncertainty_ratio",
	"calibration_source",
	"quiet",
	"interval_seconds",
	"notes",
};

/* Files of one line that are a fact each. */
static const struct {
	const char *member;
	const char *path;
	const char *otherwise;
} files[] = {
	{"kernel_version", "/proc/sys/kernel/version", "unknown"},
	{"kernel_command_line", "/proc/cmdline", "unknown"},
	{"hostname", "/proc/sys/kernel/hostname", "unknown"},
	/* Documentation/ABI/testing/sysfs-devices-system-cpu: on, off, notsupported, ... */
	{"smt", "/sys/devices/system/cpu/smt/control", "unknown"},
};

static json_t *text_to_json(const char *text)
{
	cleanup(freep) char *escaped = ascii_escape(text);

	return escaped ? json_string(escaped) : NULL;
}

static json_t *line_to_json(const char *root, const char *path, const char *otherwise)
{
	cleanup(freep) char *line = NULL;
	int r = file_read_line(root, path, &line);

	return text_to_json(r == 0 && line[0] ? line : otherwise);
}

/* Each file names a weakness; its line says what is done about it. */
static json_t *mitigations_to_json(const char *root)
{
	const char *folder = "/sys/devices/system/cpu/vulnerabilities";
	json_t *mitigations = json_object();
	cleanup(freep) char *path = NULL;
	struct dirent *entry;
	DIR *list;

	if (asprintf(&path, "%s%s", root, folder) < 0) {
		path = NULL;
		return mitigations;
	}
	list = opendir(path);
	while (list && (entry = readdir(list))) {
		char file[512];

		if (entry->d_name[0] == '.' || snprintf(file, sizeof(file), "%s/%s", folder,
							entry->d_name) >= (int)sizeof(file))
			continue;
		(void)json_object_set_new(mitigations, entry->d_name,
					  line_to_json(root, file, "unknown"));
	}
	if (list)
		(void)closedir(list);
	return mitigations;
}

/* Its first line: "MemTotal:       16318480 kB". */
static json_t *memory_to_json(const char *root)
{
	static const char label[] = "MemTotal:", unit[] = " kB";
	cleanup(freep) char *line = NULL;
	uint64_t kib, bytes;
	char *number, *end;

	if (file_read_line(root, "/proc/meminfo", &line) < 0 ||
	    strncmp(line, label, strlen(label)) != 0)
		return json_null();
	number = line + strlen(label) + strspn(line + strlen(label), " ");
	end = strstr(number, unit);
	if (!end || end[strlen(unit)] != '\0')
		return json_null();
	*end = '\0';
	if (parse_u64(number, 0, INT64_MAX / 1024, &kib) < 0)
		return json_null();
	bytes = kib * 1024;
	return json_integer((json_int_t)bytes);
}

#ifdef __x86_64__
/* CPUID 0x40000000 is the hypervisor's own: Documentation/virt/kvm/x86/cpuid.rst. */
static const char *hypervisor_name(void)
{
	static const struct {
		char signature[13];
		const char *name;
	} known[] = {
		{"KVMKVMKVM", "kvm"},	     {"TCGTCGTCGTCG", "qemu"},
		{"VMwareVMware", "vmware"},  {"XenVMMXenVMM", "xen"},
		{"Microsoft Hv", "hyper-v"}, {"VBoxVBoxVBox", "virtualbox"},
		{"bhyve bhyve ", "bhyve"},
	};
	unsigned int a = 0, registers[4] = {0};

	__cpuid(0x40000000, a, registers[0], registers[1], registers[2]);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].signature, (const char *)registers) == 0)
			return known[i].name;
	return "unknown hypervisor";
}
#define WITHOUT_FLAG "none"
#else
static const char *hypervisor_name(void)
{
	return "unknown hypervisor";
}
/* Only x86 has a flag for it. */
#define WITHOUT_FLAG "unknown"
#endif

/* Xen says so itself, also where the CPU does not: Documentation/ABI/stable/sysfs-hypervisor-xen.
 */
static json_t *virtualisation_to_json(const char *root, const struct machine *machine)
{
	return line_to_json(root, "/sys/hypervisor/type",
			    machine->hypervisor ? hypervisor_name() : WITHOUT_FLAG);
}

json_t *environment_of_machine(const char *root, int cpu)
{
	json_t *environment = json_object();
	struct machine machine;
	int r = 0;

	if (machine_read(root, cpu, &machine) < 0) {
		json_decref(environment);
		return NULL;
	}
	r |= json_object_set_new(environment, "cpu_model", text_to_json(machine.cpu_model));
	r |= json_object_set_new(environment, "microcode", text_to_json(machine.microcode));
	r |= json_object_set_new(environment, "kernel", text_to_json(machine.kernel));
	r |= json_object_set_new(environment, "boot_id", text_to_json(machine.boot_id));
	r |= json_object_set_new(environment, "governor", text_to_json(machine.governor));
	r |= json_object_set_new(environment, "driver", text_to_json(machine.driver));
	r |= json_object_set_new(environment, "clocksource", text_to_json(machine.clocksource));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		r |= json_object_set_new(environment, files[i].member,
					 line_to_json(root, files[i].path, files[i].otherwise));
	r |= json_object_set_new(environment, "mitigations", mitigations_to_json(root));
	r |= json_object_set_new(environment, "memory_bytes", memory_to_json(root));
	r |= json_object_set_new(environment, "virtualisation",
				 virtualisation_to_json(root, &machine));
	if (r != 0) {
		json_decref(environment);
		return NULL;
	}
	return environment;
}

json_t *environment_new(const json_t *status, const json_t *calibration, bool is_private)
{
	json_t *first_cpu = json_array_get(json_object_get(status, "cpus"), 0);
	json_t *environment = environment_of_machine("", (int)json_integer_value(first_cpu));
	int r = environment ? 0 : -1;

	for (size_t i = 0; r == 0 && i < sizeof(status_members) / sizeof(status_members[0]); i++) {
		json_t *member = json_object_get(status, status_members[i]);

		if (member)
			r = json_object_set(environment, status_members[i], member);
	}
	if (r == 0 && json_object_get(status, "version"))
		r = json_object_set(environment, "soakd_version",
				    json_object_get(status, "version"));
	if (r == 0)
		r = json_object_set(environment, "calibration", (json_t *)calibration);
	if (r == 0)
		r = json_object_set_new(environment, "private_daemon", json_boolean(is_private));
	if (r != 0) {
		json_decref(environment);
		return NULL;
	}
	return environment;
}
