#!/bin/bash
# SPDX-License-Identifier: MIT
#
# All benchmarks, one after the other, as the body of tests/bench/RESULTS.md on stdout: the machine,
# a table or two for each part, and one of all numbers to reach. Every figure goes into a JSON
# document a part, and all of them into results.json. Half an hour, on a machine that does nothing
# else.
#
#     tests/bench/run.sh > tests/bench/RESULTS.md
#     tests/bench/run.sh accuracy scale
#
# BUILD: the build folder (build). OUT: where the JSON documents go (BUILD/bench).
#
# Exit status: 0 when all parts ran, whatever the figures; 1 when one failed or left something
# behind; 2 for a part that is none.

set -uo pipefail

PARTS="accuracy precision intrusion scale bodies run-file"

cd "$(dirname "$0")/../.." || exit 1
build=$(realpath -m "${BUILD:-build}")
out=$(realpath -m "${OUT:-$build/bench}")
mark=SOAK_BENCH_MARK=$$.$(date +%s%N)
folder=
part_pid=
failed=0

# Whoever was started here, directly or not, has the mark in its environment.
survivors() {
	local process

	for process in /proc/[0-9]*; do
		if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "$mark"; then
			echo "${process#/proc/}"
		fi
	done 2>/dev/null
}

# Return: 1 when something survived for 2 s; it is ended then, by its pid.
end_survivors() {
	local pid tries found=0

	for ((tries = 0; tries < 20; tries++)); do
		[ -n "$(survivors)" ] || return 0
		sleep 0.1
	done
	for pid in $(survivors); do
		found=1
		echo "run.sh: still running, ended: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")" >&2
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null
	done
	return "$found"
}

# shellcheck disable=SC2317 # by the traps
on_exit() {
	trap - EXIT INT TERM
	if [ -n "$part_pid" ]; then
		kill -TERM "$part_pid" 2>/dev/null
		wait "$part_pid"
	fi
	end_survivors
	rm -rf "$folder"
}

arguments_of() {
	case $1 in
	accuracy) echo "--duty-program $build/tests/bench/duty" ;;
	precision) echo "--duty-program $build/tests/bench/duty --soakctl $build/soakctl" ;;
	intrusion)
		echo "--work-program $build/tests/bench/work" \
			"--sleepers-program $build/tests/bench/sleepers" \
			"--duty-program $build/tests/bench/duty"
		;;
	scale) echo "--scale-program $build/tests/bench/scale --timer-program $build/tests/bench/timer" ;;
	bodies) echo "--neighbour-program $build/tests/bench/neighbour" ;;
	run-file) echo "--soakctl $build/soakctl" ;;
	esac
}

# part NAME: its text on stdout.
part() {
	local name=$1 begin=$SECONDS status

	# shellcheck disable=SC2046 # a list of words
	env "$mark" TMPDIR="$folder" "tests/bench/$name.py" --soakd "$build/soakd" --json "$out/$name.json" \
		$(arguments_of "$name") &
	part_pid=$!
	wait "$part_pid"
	status=$?
	part_pid=
	if [ "$status" -ne 0 ]; then
		printf '## %s\n\nFAILED with status %d.\n' "$name" "$status"
	fi
	end_survivors || status=1
	echo "run.sh: $name: $((SECONDS - begin)) s, status $status" >&2
	echo
	return "$status"
}

first_line() {
	head -n 1 "$1" 2>/dev/null
}

describe() {
	local model peer

	model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	echo "# Results"
	echo
	echo "| what | on |"
	echo "| ---- | -- |"
	echo "| date | $(date -u +%Y-%m-%dT%H:%MZ), load average $(cut -d' ' -f1-3 /proc/loadavg) before |"
	echo "| machine | $(nproc) x ${model:-unknown CPU}, $(virtualisation) |"
	echo "| kernel | $(uname -r), tick $(tick), clock $(
		first_line /sys/devices/system/clocksource/clocksource0/current_clocksource
	), autogroup $(first_line /proc/sys/kernel/sched_autogroup_enabled || echo absent) |"
	echo "| soakd | $("$build/soakd" --version), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown) |"
	for peer in fio mpstat cyclesoak; do
		echo "| $peer | $(version "$peer") |"
	done
	echo
}

virtualisation() {
	if grep -qw hypervisor /proc/cpuinfo; then
		echo "a virtual machine"
	else
		echo "no hypervisor seen"
	fi
}

tick() {
	python3 -c 'import time; print(f"{1e3 * time.clock_getres(6):g} ms")'
}

version() {
	case $1 in
	fio) fio --version 2>/dev/null || echo "not here" ;;
	mpstat) mpstat -V 2>/dev/null | head -n 1 | grep . || echo "not here" ;;
	*) command -v "$1" || echo "not here" ;;
	esac
}

chosen=("$@")
[ $# -gt 0 ] || read -ra chosen <<<"$PARTS"
for name in "${chosen[@]}"; do
	if [[ " $PARTS " != *" $name "* ]]; then
		echo "run.sh: $name: no such part: one of $PARTS" >&2
		exit 2
	fi
done
if [ ! -x "$build/tests/bench/duty" ]; then
	echo "run.sh: $build: nothing is built there: meson setup build && ninja -C build" >&2
	exit 1
fi
mkdir -p "$out" || exit 1
trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
folder=$(mktemp -d -t soak-bench.XXXXXX) || exit 1

describe
documents=()
for name in "${chosen[@]}"; do
	rm -f "$out/$name.json"
	part "$name" || failed=1
	[ ! -e "$out/$name.json" ] || documents+=("$out/$name.json")
done
tests/bench/sum-up.py --json "$out/results.json" "${documents[@]}" || failed=1
echo
echo "In $SECONDS s."
exit "$failed"
