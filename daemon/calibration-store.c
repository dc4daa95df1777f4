/* SPDX-License-Identifier: MIT */
/*
 * The document is what calibration.get answers; reading takes from it only what fits.
 */
#include "calibration-store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "json.h"
#include "timestamp.h"

/* What must be the same for a stored floor to hold. The soakd version is told, not compared: the
 * body's version is what the loop depends on. */
static const struct {
	const char *name;
	size_t offset;
} compared[] = {
	{"body", offsetof(struct calibration_provenance, body)},
	{"clock", offsetof(struct calibration_provenance, clock)},
	{"cpu_model", offsetof(struct calibration_provenance, cpu_model)},
	{"microcode", offsetof(struct calibration_provenance, microcode)},
	{"kernel", offsetof(struct calibration_provenance, kernel)},
	{"governor", offsetof(struct calibration_provenance, governor)},
	{"boot_id", offsetof(struct calibration_provenance, boot_id)},
};

static json_t *cpu_to_json(const struct calibration_cpu *cpu)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:I, s:I, s:b}", "cpu", cpu->cpu, "pass_ns",
			 json_number(cpu->pass_ns), "pass_sd_ns", json_number(cpu->pass_sd_ns),
			 "idle_floor_ratio", json_number(cpu->idle_floor_ratio),
			 "idle_floor_uncertainty_ratio",
			 json_number(cpu->idle_floor_uncertainty_ratio), "windows",
			 (json_int_t)cpu->n_windows, "quiet_windows", (json_int_t)cpu->n_quiet,
			 "quiet", cpu->quiet);
}

static json_t *provenance_to_json(const struct calibration_provenance *provenance)
{
	return json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "version",
			 provenance->version, "body", provenance->body, "body_version",
			 provenance->body_version, "clock", provenance->clock, "cpu_model",
			 provenance->cpu_model, "microcode", provenance->microcode, "kernel",
			 provenance->kernel, "governor", provenance->governor, "boot_id",
			 provenance->boot_id);
}

json_t *calibration_to_json(const struct calibration *calibration,
			    const struct calibration_provenance *provenance)
{
	char time[TIMESTAMP_SIZE];
	json_t *cpus = json_array();

	for (size_t i = 0; i < calibration->n_cpus; i++)
		if (json_array_append_new(cpus, cpu_to_json(&calibration->cpus[i])) == -1) {
			json_decref(cpus);
			return NULL;
		}
	timestamp_format(calibration->wall_ns, time);
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "time", time, "source",
			 calibration->stored ? "stored" : "measured", "quiet", calibration->quiet,
			 "seconds", json_number(calibration->seconds), "cpus", cpus, "provenance",
			 provenance_to_json(provenance));
}

/* Make every folder on the way to @path, as mkdir -p. */
static int make_folders_of(const char *path)
{
	cleanup(freep) char *folder = strdup(path);

	if (!folder)
		return -ENOMEM;
	for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(folder, 0755) == -1 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* Write and make durable. Return: 0 or a negative errno. */
static int write_whole(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return fsync(fd) == -1 ? -errno : 0;
}

int calibration_save(const char *path, const struct calibration *calibration,
		     const struct calibration_provenance *provenance)
{
	cleanup(freep) char *text = NULL, *beside = NULL;
	json_t *document = calibration_to_json(calibration, provenance);
	cleanup(closep) int fd = -1;
	int r;

	text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
	json_decref(document);
	if (!text || asprintf(&beside, "%s.XXXXXX", path) == -1)
		return -ENOMEM;
	r = make_folders_of(path);
	if (r < 0)
		return r;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd == -1)
		return -errno;
	r = write_whole(fd, text);
	if (r == 0 && fchmod(fd, 0644) == -1)
		r = -errno;
	if (r == 0 && rename(beside, path) == -1)
		r = -errno;
	if (r < 0)
		(void)unlink(beside);
	return r;
}

static bool provenance_fits(const json_t *stored, const struct calibration_provenance *ours)
{
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		const char *theirs = json_get_string(stored, compared[i].name);
		const char *own = *(const char *const *)((const char *)ours + compared[i].offset);

		if (!theirs || strcmp(theirs, own) != 0)
			return false;
	}
	return json_get_integer(stored, "body_version", -1) == ours->body_version;
}

/* Return: whether the stored CPU was quiet and its floor is a number. */
static bool fill_cpu(const json_t *stored, struct calibration_cpu *cpu)
{
	double floor = json_get_number(stored, "idle_floor_ratio");

	if (!json_is_true(json_object_get(stored, "quiet")) || !(floor >= 0 && floor < 1))
		return false;
	cpu->idle_floor_ratio = floor;
	cpu->idle_floor_uncertainty_ratio = json_get_number(stored, "idle_floor_uncertainty_ratio");
	cpu->quiet = true;
	return true;
}

static const json_t *find_cpu(const json_t *cpus, int cpu)
{
	size_t index;
	json_t *entry;

	json_array_foreach (cpus, index, entry)
		if (json_get_integer(entry, "cpu", -1) == cpu)
			return entry;
	return NULL;
}

size_t calibration_fill_from(const char *path, const struct calibration_provenance *provenance,
			     struct calibration *calibration)
{
	json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const json_t *cpus = json_object_get(document, "cpus");
	size_t n_filled = 0;

	if (provenance_fits(json_object_get(document, "provenance"), provenance)) {
		for (size_t i = 0; i < calibration->n_cpus; i++) {
			struct calibration_cpu *cpu = &calibration->cpus[i];
			const json_t *stored = find_cpu(cpus, cpu->cpu);

			if (!cpu->quiet && stored && fill_cpu(stored, cpu))
				n_filled++;
		}
	}
	json_decref(document);
	if (n_filled > 0)
		calibration->stored = true;
	calibration->quiet = true;
	for (size_t i = 0; i < calibration->n_cpus; i++)
		if (!calibration->cpus[i].quiet && calibration->cpus[i].n_windows > 0)
			calibration->quiet = false;
	return n_filled;
}
