# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# What a soaker takes from work that sleeps and then runs for longer than the fair scheduler lets it
# at once: a known fault of the method on Linux 6.1, kept an eye on here, see README.md.

# shellcheck source=tests/lab/inside.sh
. /inside.sh

# share DUTY: of the CPU, in 0.1 %, that the generator came to.
share() {
	duty --cpu 0 --duty "$1" --period 10ms --seconds 2 |
		sed -n 's/{"truth_ratio": \([0-9.]*\).*/\1/p' | awk '{ printf "%.0f", 1000 * $1 }'
}

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || exit 1
echo 1 >/proc/sys/kernel/sched_autogroup_enabled || exit 1
soakd start >/tmp/start || exit 1
soaker=$(pid_of soakd-soaker)
short=$(share 30)
long=$(share 80)
kill -STOP "$soaker"
alone=$(share 80)
kill -CONT "$soaker"
soakd stop >/dev/null
check "bursts of 3 ms in 10 ms get what they ask for ($short in 1000)" [ "$short" -ge 299 ]
check "so do bursts of 8 ms where no soaker runs ($alone in 1000)" [ "$alone" -ge 799 ]
check "beside one they lose a tick of 4 ms at most ($long in 1000)" [ "$long" -ge 600 ]
echo "# on this kernel they lose $((alone - long)) in 1000"
echo "1..$lab_checks"
