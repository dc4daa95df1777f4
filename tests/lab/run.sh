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

run_scenario() {
	case $1 in
	accuracy | smp) count "$1" "$LAB_TREE/tests/lab/$1.sh" ;;
	isolation) count "$1" smp isolation isolation "" ;;
	nosmt) count "$1" smp nosmt cpus "nosmt LAB_CPUS=0,2 LAB_EACH=0,2" ;;
	maxcpus) count "$1" smp maxcpus cpus "maxcpus=1 LAB_CPUS=0 LAB_EACH=0" ;;
	isolcpus) count "$1" smp isolcpus cpus "isolcpus=2,3 LAB_CPUS=0-1 LAB_EACH=0,1 LAB_MORE=0-3" ;;
	*) lab_die "no scenario $1: accuracy, smp, isolation, nosmt, maxcpus, isolcpus" ;;
	esac
}

lab_need_tools
lab_need_kernel
lab_make_initramfs run
[ $# -gt 0 ] || set -- accuracy smp isolation nosmt maxcpus isolcpus
for scenario in "$@"; do
	run_scenario "$scenario"
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
