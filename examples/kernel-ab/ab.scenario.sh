# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# One boot of a side: both workloads, their runs added to those of the boots before.

# shellcheck source=tests/lab/inside.sh
. /inside.sh

# measure NAME
measure() {
	append=
	if [ -f "/before/$1.json" ]; then
		cp "/before/$1.json" "/out/$1.json"
		append=--append
	fi
	soakctl run --settle 0 -o "/out/$1.json" $append -- sh "/$1.sh"
}

# The disk is described on the kernel's command line, for those that have the driver built in.
for module in configfs null_blk; do
	[ -f "/$module.ko" ] || continue
	# shellcheck disable=SC2046 # a list of parameters
	insmod "/$module.ko" $(tr ' ' '\n' </proc/cmdline | sed -n "s/^$module\.//p")
done
if [ ! -b /dev/nullb0 ]; then
	echo "no null_blk: neither built in nor found as a module"
	exit 1
fi
dd if=/dev/zero of=/dev/nullb0 bs=1M count=96 oflag=direct 2>/dev/null || exit 1

uname -rv
grep -H . /sys/devices/system/cpu/vulnerabilities/* >/out/vulnerabilities
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
soakd start || exit 1
measure reads || exit 1
measure pipe || exit 1
soakd stop
