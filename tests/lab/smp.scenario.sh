# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Four CPUs, two sockets of one core with two threads: is the soaker in an idle cgroup, does it
# yield to another session, and what becomes of a CPU that goes away?

# shellcheck source=tests/lab/inside.sh
. /inside.sh

cpu1() {
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

# The last second of every CPU that has one.
reported_cpus() {
	soakctl rpc samples.get '{"last": 1}' | grep -o '"cpu": *[0-9]*' | grep -o '[0-9]*$' |
		tr '\n' ' '
}

reports() {
	same "$1 " "$(reported_cpus)"
}

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
echo 1 >/proc/sys/kernel/sched_autogroup_enabled
soakd start || exit 1

check "all CPUs are soaked" has_cpus 0-3
check "isolation is cgroup-v2" holds "cgroup-v2: /sys/fs/cgroup/soakd" "$(fact isolation)"
check "its cgroup is idle" same 1 "$(cat /sys/fs/cgroup/soakd/cpu.idle)"
check "nothing but the soaker is in it" same "$(pid_of soakd-soaker)" \
	"$(cat /sys/fs/cgroup/soakd/cgroup.procs)"
measure_intrusion
check "the soakers leave another session alone ($permille in 1000)" \
	[ "$permille" -le "$LAB_MOST_PERMILLE" ]
soakd doctor >/tmp/doctor 2>&1
check "doctor sees the threads" holds "0-1" "$(grep SMT /tmp/doctor)"

cpu1 0
check "a CPU that goes offline leaves the samples" wait_until 15 reports "0 2 3"
check "the soakers are in the idle cgroup still" same "$(pid_of soakd-soaker)" \
	"$(cat /sys/fs/cgroup/soakd/cgroup.procs)"
cpu1 1
check "and is back when it returns" wait_until 25 reports "0 1 2 3"
soakd stop >/dev/null
check "no cgroup is left" [ ! -e /sys/fs/cgroup/soakd ]

cpu1 0
check "CPU numbers may have holes" soakctl run --settle 0 -o /out/sparse.json -- sleep 3
check "a run file has those CPUs" same "0 2 3 " \
	"$(grep -o '"cpu":[0-9]*,"taken_ppm' /out/sparse.json | grep -o '[0-9]*' | tr '\n' ' ')"
check "an offline CPU cannot be asked for" same 125 \
	"$(soakctl run --settle 0 --cpus 1 -- true >/tmp/offline 2>&1; echo $?)"
check "and it is said why" holds "CPU 1" "$(cat /tmp/offline)"
echo "1..$lab_checks"
