#!/bin/bash
# SPDX-License-Identifier: MIT
#
# From a fresh Debian 12 to a first report: what do two streams of O_DIRECT I/O cost in CPU?
#
#     sudo examples/quickstart.sh
#
# SOAK_DIR names the folder whose disk is measured (default: the current one). Two files of 1 GiB
# are made in it and removed at the end, however this ends.

set -u

PACKAGES="gcc meson ninja-build pkg-config libevent-dev libjansson-dev libsmartcols-dev fio jq"
NEEDED_KIB=2306868 # 2.2 GiB
RUNS=3

tree=$(cd "$(dirname "$0")/.." && pwd) || exit 1
folder=
started_soakd=no

step() {
	printf '\n==> %s\n' "$*"
}

die() {
	printf 'quickstart: %s\n' "$*" >&2
	exit 1
}

clean_up() {
	trap '' INT TERM HUP
	if [ "$started_soakd" = yes ]; then
		step "Stopping soakd"
		"$tree/build/soakd" stop
		started_soakd=no
	fi
	[ -z "$folder" ] || rm -rf -- "$folder"
	folder=
}

trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Whoever called sudo owns what is built, where that user may write.
as_owner() {
	if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ] &&
		sudo -u "$SUDO_USER" test -w "$tree" &&
		{ [ ! -e "$tree/build" ] || sudo -u "$SUDO_USER" test -w "$tree/build"; }; then
		sudo -u "$SUDO_USER" "$@"
	else
		"$@"
	fi
}

install_missing() {
	local package missing=""

	for package in $PACKAGES; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	step "Installing from Debian:$missing"
	[ "$(id -u)" -eq 0 ] || die "installing needs root: run it with sudo"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update </dev/null || die "apt-get update failed"
	# shellcheck disable=SC2086 # a list of names
	apt-get -qq -y --no-install-recommends install $missing </dev/null >/dev/null ||
		die "apt-get install failed"
}

build() {
	local tests=false log

	step "Building in build/"
	! { pkg-config --exists cmocka && command -v bats >/dev/null; } || tests=true
	cd "$tree" || die "no folder $tree"
	if [ ! -f build/build.ninja ]; then
		log=$(as_owner meson setup build "-Dtests=$tests" 2>&1) ||
			die "meson failed: $(tail -n 5 <<<"$log")"
	fi
	as_owner ninja -C build --quiet soakd soakctl || die "the build failed"
	cd "$OLDPWD" || exit 1
}

start_soakd() {
	if "$tree/build/soakd" status >/dev/null 2>&1; then
		step "A soakd runs already: using that one"
		return 0
	fi
	step "Starting soakd: it isolates its soakers, measures their intrusion and calibrates"
	started_soakd=yes # from here on, so that Ctrl-C during the start is cleaned up as well
	"$tree/build/soakd" start && return 0
	started_soakd=no
	die "soakd did not start; build/soakd doctor may tell why"
}

make_folder() {
	local parent=${SOAK_DIR:-$PWD} free

	if [ ! -d "$parent" ] || [ ! -w "$parent" ]; then
		die "cannot write into $parent: set SOAK_DIR"
	fi
	free=$(df -Pk -- "$parent" | awk 'NR == 2 { print $4 }')
	[ "${free:-0}" -ge "$NEEDED_KIB" ] ||
		die "$parent has $((${free:-0} / 1024)) MiB free, 2253 MiB are needed: set SOAK_DIR"
	folder=$(mktemp -d -- "$parent/soak-quickstart.XXXXXX") || die "cannot make a folder in $parent"
}

# Written blocks, not only allocated ones: reading unwritten extents costs the disk nothing.
make_file() {
	fallocate -l 1GiB "$1" 2>/dev/null
	dd if=/dev/urandom of="$1" bs=1M count=1024 iflag=fullblock conv=notrunc,fsync \
		${direct:+oflag=direct} 2>"$folder/dd.log" || die "dd: $(tail -n 1 "$folder/dd.log")"
}

make_files() {
	direct=yes
	if ! dd if=/dev/zero of="$folder/probe" bs=64k count=1 oflag=direct 2>/dev/null; then
		direct=
		step "No O_DIRECT on this file system: buffered I/O instead, so this measures the page cache"
	fi
	rm -f -- "$folder/probe"
	step "Making two files of 1 GiB in $folder"
	make_file "$folder/read"
	make_file "$folder/write"
}

measure() {
	local job=$folder/aio-direct.fio

	export SOAK_DIR=$folder
	if command -v aio-stress >/dev/null; then
		step "Measuring $RUNS runs of two aio-stress: 64k sequential reads and writes"
		# Operations of aio-stress: 0 writes, 1 reads.
		# shellcheck disable=SC2016 # the inner shell expands
		set -- sh -c 'aio-stress $1 -s 1g -r 64k -o 1 "$2/read" & reader=$!
			aio-stress $1 -s 1g -r 64k -o 0 "$2/write"; status=$?
			wait $reader && exit $status' sh "${direct:+-O}" "$folder"
	else
		step "Measuring $RUNS runs of two fio jobs: 64k sequential reads and writes, 15 s each"
		cp -- "$tree/examples/aio-direct/aio-direct.fio" "$job" || exit 1
		[ -n "$direct" ] || sed -i 's/^direct=1$/direct=0/' "$job"
		set -- fio --eta=never "$job"
	fi
	"$tree/build/soakctl" run -n "$RUNS" --label quickstart --output null -- "$@"
}

[ -n "$(command -v apt-get)" ] || die "this script is for Debian: see README.md for the build"
install_missing
build
make_folder
start_soakd
make_files
measure
status=$?
[ "$status" -eq 0 ] || die "soakctl ended with status $status"
step "Done. To measure your own: build/soakctl run -n 3 -- COMMAND"
