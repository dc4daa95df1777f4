# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# The kinds of isolation that a kernel of today offers, with and without autogroup.

# shellcheck source=tests/lab/inside.sh
. /inside.sh

# try AUTOGROUP ISOLATION
try() {
	echo "$1" >/proc/sys/kernel/sched_autogroup_enabled
	soakd start >/tmp/start || cat /tmp/start
	check "autogroup $1: isolation is $2" holds "$2" "$(fact isolation)"
	measure_intrusion
	check "autogroup $1: another session is left alone ($permille in 1000)" \
		[ "$permille" -le "$LAB_MOST_PERMILLE" ]
	soakd stop >/dev/null
}

check "the root has no cpu controller yet" same "" "$(cat /sys/fs/cgroup/cgroup.subtree_control)"
try 0 "plain: SCHED_IDLE alone; better: cgroup-v2, which has no cpu in the root's cgroup.subtree_control"
try 1 "autogroup: nice 19 in /proc/"
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
try 0 "cgroup-v2: /sys/fs/cgroup/soakd with cpu.idle=1"
try 1 "cgroup-v2: /sys/fs/cgroup/soakd with cpu.idle=1"
echo "1..$lab_checks"
