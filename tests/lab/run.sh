#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every scenario of the lab, also those that take too long for tests/run-all.sh.
#
#     tests/lab/run.sh [SCENARIO...]
#
# LAB_BUILD is the build folder (default: build). The last line is `N passed, N failed`; the status
# is 0 when none failed, 77 when there is no qemu or no kernel.

set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab.sh"

ALL=" accuracy smp isolation nosmt maxcpus isolcpus burst kernel-ab"
passed=0
failed=0

# count NAME COMMAND...: run it and add up its TAP.
count() {
	local name=$1 log=$LAB_WORK/$1.tap status bad

	shift
	printf '\n==> %s\n' "$name"
	"$@" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	bad=$(grep -c '^not ok' "$log")
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	passed=$((passed + $(grep -c '^ok' "$log"))) failed=$((failed + bad))
}

# smp NAME SCENARIO APPEND
smp() {
	lab_boot_smp "$@" && lab_tap "$1"
}

# virtual NAME SCENARIO APPEND
virtual() {
	lab_boot_virtual "$@" && lab_tap "$1"
}

# Two boots a side are enough to see mitigations.
kernel_ab() {
	local log=$LAB_WORK/kernel-ab.log

	if "$LAB_TREE/examples/kernel-ab/kernel-ab.sh" -n 2 >"$log" 2>&1 &&
		[ "$(grep -c '^  LESS in B' "$log")" -ge 2 ]; then
		printf 'ok 1 a kernel without mitigations costs less\n'
	else
		cat "$log"
		printf 'not ok 1 a kernel without mitigations costs less\n'
	fi
}

run_scenario() {
	case $1 in
	accuracy | smp) count "$1" "$LAB_TREE/tests/lab/$1.sh" ;;
	isolation) count "$1" smp isolation isolation "" ;;
	nosmt) count "$1" smp nosmt cpus "nosmt LAB_CPUS=0,2 LAB_EACH=0,2" ;;
	maxcpus) count "$1" smp maxcpus cpus "maxcpus=1 LAB_CPUS=0 LAB_EACH=0" ;;
	isolcpus) count "$1" smp isolcpus cpus "isolcpus=2,3 LAB_CPUS=0-1 LAB_EACH=0,1 LAB_MORE=0-3" ;;
	burst) count "$1" virtual burst burst "" ;;
	kernel-ab) count "$1" kernel_ab ;;
	*) lab_die "no scenario $1: there are$ALL" ;;
	esac
}

lab_need_tools
lab_need_kernel
lab_make_initramfs run
# shellcheck disable=SC2086 # a list of names
[ $# -gt 0 ] || set -- $ALL
for scenario in "$@"; do
	run_scenario "$scenario"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
