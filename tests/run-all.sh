#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Install what is missing from Debian, build in build-test/, run every test, and see to it that
# no process, cgroup or socket is left.
#
#     sudo tests/run-all.sh
#
# The last line is `N passed, N failed` (and `, N skipped`); the status is 0 when none failed.

set -u

PACKAGES="gcc meson ninja-build pkg-config libevent-dev libjansson-dev libsmartcols-dev
	libcmocka-dev bats fio jq socat netcat-openbsd python3
	python3-jsonschema nodejs npm procps util-linux"
# Where these cannot be had, the lab's tests skip.
LAB_PACKAGES="qemu-system-x86 busybox-static cpio"
GONE_LIMIT_SECONDS=5

tree=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$tree/build-test
passed=0
failed=0
skipped=0

finish() {
	local line="$passed passed, $failed failed"

	[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
	printf '%s\n' "$line"
	[ "$failed" -eq 0 ]
	exit
}

fail() {
	printf 'run-all: %s\n' "$*" >&2
	failed=$((failed + 1))
}

# list_missing PACKAGE...
list_missing() {
	local package

	for package in "$@"; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			command -v "$package" >/dev/null ||
			printf ' %s' "$package"
	done
}

# apt_install LIST
apt_install() {
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of names
	apt-get -qq update </dev/null &&
		apt-get -qq -y --no-install-recommends install $1 </dev/null >/dev/null
}

install_missing() {
	local missing

	# shellcheck disable=SC2086 # a list of names
	missing=$(list_missing $PACKAGES)
	[ -n "$missing" ] || return 0
	printf 'Installing from Debian:%s\n' "$missing"
	if [ "$(id -u)" -ne 0 ]; then
		fail "installing needs root: run it with sudo"
		return 1
	fi
	apt_install "$missing" && return 0
	fail "apt-get failed"
	return 1
}

install_lab() {
	local missing

	[ "$(dpkg --print-architecture)" = amd64 ] || return 0
	# shellcheck disable=SC2086 # a list of names
	missing=$(list_missing $LAB_PACKAGES)
	[ -n "$missing" ] || return 0
	printf 'Installing from Debian, for the lab:%s\n' "$missing"
	if [ "$(id -u)" -ne 0 ] || ! apt_install "$missing"; then
		printf 'could not install them: the lab tests will be skipped\n'
	fi
}

# What a soakd leaves when it leaves anything, one a line.
list_leftovers() {
	local file name path

	for file in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$file" || continue
		case $name in
		soakd | soakd-soaker)
			grep -q '^State:[[:space:]]*Z' "${file%comm}status" 2>/dev/null ||
				printf 'process %s (%s)\n' "${file//[!0-9]/}" "$name"
			;;
		esac
	done
	for path in /sys/fs/cgroup/soakd /sys/fs/cgroup/unified/soakd /sys/fs/cgroup/cpu*/soakd; do
		[ ! -d "$path" ] || printf 'cgroup %s\n' "$path"
	done
	[ ! -e /run/soakd/soakd.sock ] || printf 'socket /run/soakd/soakd.sock\n'
}

# An ending soakd may need a moment. Says what is still there after it.
has_leftovers() {
	local limit=$((SECONDS + GONE_LIMIT_SECONDS)) left

	while left=$(list_leftovers) && [ -n "$left" ]; do
		if [ "$SECONDS" -ge "$limit" ]; then
			printf '%s\n' "$left" >&2
			return 0
		fi
		sleep 0.1
	done
	return 1
}

build_all() {
	local again=""

	[ ! -f "$build/build.ninja" ] || again=--reconfigure
	meson setup $again --werror -Db_sanitize=none "$build" "$tree" </dev/null >/dev/null &&
		ninja -C "$build" --quiet </dev/null && return 0
	fail "the build failed"
	return 1
}

# A client that the protocol is tested with, and a validator of JSON Schema. A test skips what it
# cannot have.
install_from_npm() {
	local npm=$build/npm

	mkdir -p "$npm" || return 0
	if [ ! -d "$npm/node_modules/jayson" ] || [ ! -d "$npm/node_modules/ajv" ]; then
		(cd "$npm" && npm install --no-save --no-audit --no-fund --loglevel=error \
			--prefix "$npm" jayson ajv@8 </dev/null >"$npm/log" 2>&1) ||
			printf 'npm could not install jayson and ajv: what needs them will be skipped\n'
	fi
	export NODE_PATH=$npm/node_modules
}

run_tests() {
	local log=$build/meson-logs/testlog.json counts before=$failed status

	rm -f "$log"
	meson test -C "$build" --no-rebuild --print-errorlogs </dev/null
	status=$?
	if counts=$(python3 -B "$tree/tests/count-tests.py" "$log"); then
		# shellcheck disable=SC2086 # three numbers
		set -- $counts
		passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	else
		fail "no test log"
	fi
	[ "$status" -eq 0 ] || [ "$failed" -gt "$before" ] ||
		fail "meson test ended with status $status"
}

install_missing || finish
if has_leftovers; then
	fail "a soakd runs or left something: these tests need the machine to themselves"
	finish
fi
build_all || finish
install_from_npm
install_lab
run_tests
if has_leftovers; then
	fail "the tests left something behind"
else
	passed=$((passed + 1))
fi
finish
