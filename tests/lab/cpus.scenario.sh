# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Which CPUs are soaked on a kernel that was told to keep some: LAB_CPUS says which it should be,
# LAB_EACH the same one by one, LAB_MORE what a daemon soaks that is allowed to run everywhere.

# shellcheck source=tests/lab/inside.sh
. /inside.sh

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
soakd start >/tmp/start || exit 1
check "CPUs $LAB_CPUS are soaked" has_cpus "$LAB_CPUS"
check "isolation is cgroup-v2" holds "cgroup-v2: /sys/fs/cgroup/soakd" "$(fact isolation)"
check "a command is measured on them" soakctl run --settle 0 -o /out/run.json -- sleep 2
check "and only on them" same "$LAB_EACH" \
	"$(grep -o '"cpu":[0-9]*,"taken_ppm' /out/run.json | grep -o '[0-9]*' | tr '\n' ',' | sed 's/,$//')"
soakd stop >/dev/null
if [ -n "${LAB_MORE:-}" ]; then
	taskset f soakd start >/tmp/start
	check "CPUs $LAB_MORE are to be had as well" has_cpus "$LAB_MORE"
	soakd stop >/dev/null
fi
echo "1..$lab_checks"
