#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The same workloads under two kernels, or under one with two command lines: what does the change
# cost, in instructions? See README.md.
#
#     examples/kernel-ab/kernel-ab.sh                         Debian's kernel, mitigations auto and off
#     examples/kernel-ab/kernel-ab.sh BZIMAGE_A BZIMAGE_B
#     examples/kernel-ab/kernel-ab.sh -a quiet -b 'quiet nopti' BZIMAGE
#
#   -n BOOTS       boots a side (default 5)
#   -a, -b APPEND  added to the kernel's command line of A, of B
#   -o FOLDER      where the run files go (default: kernel-ab in the build folder)
#
# LAB_BUILD is the build folder (default: build). No root is needed, but for what is missing:
# apt-get install qemu-system-x86 busybox-static cpio

set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/../../tests/lab/lab.sh"

HERE=$LAB_TREE/examples/kernel-ab
# Of a driver that is built in; ab.scenario.sh gives the same to a module.
DISK="null_blk.gb=1 null_blk.memory_backed=1 null_blk.irqmode=2 null_blk.completion_nsec=100000"
# The emulated CPU has no vendor's mitigations but this one's.
export LAB_CPU=max,vendor=GenuineIntel
WORKLOADS="reads pipe"
boots=5
append_a=
append_b=
out=$LAB_BUILD/kernel-ab

usage() {
	sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
	exit "$1"
}

# find_module BZIMAGE NAME: where a distribution or a built tree has it; nothing where it is none.
find_module() {
	local folder release

	folder=$(dirname "$(readlink -f "$1")")
	release=${1##*/vmlinuz-}
	find "$folder/../lib/modules/$release" "/lib/modules/$release" \
		"$folder"/../../../{fs/configfs,drivers/block/null_blk} \
		-name "$2.ko" -o -name "$2.ko.xz" 2>/dev/null | head -n 1
}

# prepare SIDE BZIMAGE: the initramfs of a side, with the modules of its kernel.
prepare() {
	local side=$1 folder=$LAB_WORK/ab-$1.files name module

	rm -rf "$folder"
	mkdir -p "$folder" || lab_die "cannot make $folder"
	for name in configfs null_blk; do
		module=$(find_module "$2" "$name")
		case $module in
		*.xz) xz -dc "$module" >"$folder/$name.ko" || lab_die "cannot unpack $module" ;;
		*.ko) cp "$module" "$folder/" || lab_die "cannot read $module" ;;
		esac
	done
	cp "$HERE"/{ab.scenario,reads,pipe}.sh "$folder/" || lab_die "cannot fill $folder"
	LAB_KERNEL=$2
	lab_make_initramfs "ab-$side" "$folder"/*
}

# add_before SIDE: the run files so far, as a second archive that the kernel unpacks over the first.
add_before() {
	local folder=$LAB_WORK/ab-$1.before archive=$LAB_WORK/ab-$1.with.gz name

	rm -rf "$folder"
	mkdir -p "$folder/before"
	for name in $WORKLOADS; do
		[ ! -f "$out/$name-$1.json" ] || cp "$out/$name-$1.json" "$folder/before/$name.json"
	done
	(cd "$folder" && find . | cpio -o -H newc --quiet | gzip -1 |
		cat "$LAB_WORK/ab-$1.initramfs.gz" - >"$archive") || lab_die "cannot write $archive"
	LAB_INITRAMFS=$archive
}

# measure SIDE BZIMAGE APPEND FIRST_SEED: all boots of a side, each with a seed of its own.
measure() {
	local side=$1 append=$3 first=$4 boot name

	prepare "$side" "$2"
	for ((boot = 1; boot <= boots; boot++)); do
		add_before "$side"
		if ! lab_boot_virtual "ab-$side" ab "$DISK $append" \
			-seed "$((first + boot))"; then
			cat "$LAB_WORK/ab-$side/log" >&2
			lab_die "side $side, boot $boot: the workload failed"
		fi
		for name in $WORKLOADS; do
			cp "$LAB_WORK/ab-$side/$name.json" "$out/$name-$side.json"
		done
		cp "$LAB_WORK/ab-$side/vulnerabilities" "$out/vulnerabilities-$side"
		printf 'side %s, boot %d of %d: done after %d s\n' "$side" "$boot" "$boots" "$SECONDS"
	done
}

while getopts n:a:b:o:h option; do
	case $option in
	n) boots=$OPTARG ;;
	a) append_a=$OPTARG ;;
	b) append_b=$OPTARG ;;
	o) out=$OPTARG ;;
	h) usage 0 ;;
	*) usage 2 >&2 ;;
	esac
done
shift $((OPTIND - 1))
[[ $boots =~ ^[1-9][0-9]{0,2}$ ]] || lab_die "-n $boots: give a number from 1 to 999"
[ $# -le 2 ] || usage 2 >&2

lab_need_tools
LAB_KERNEL=${1:-${LAB_KERNEL:-}}
lab_need_kernel
if [ $# -eq 0 ] && [ -z "$append_a$append_b" ]; then
	append_a=mitigations=auto
	append_b=mitigations=off
fi
kernel_b=${2:-$LAB_KERNEL}
[ -r "$kernel_b" ] || lab_die "cannot read the kernel $kernel_b"
mkdir -p "$out" || lab_die "cannot make $out"
for name in $WORKLOADS; do
	rm -f "$out/$name-A.json" "$out/$name-B.json"
done

printf 'A: %s %s\nB: %s %s\n' "$LAB_KERNEL" "$append_a" "$kernel_b" "$append_b"
measure A "$LAB_KERNEL" "$append_a" 0 &
side_a=$!
measure B "$kernel_b" "$append_b" 1000 &
side_b=$!
wait "$side_a" || status=1
wait "$side_b" || status=1
[ "${status:-0}" -eq 0 ] || exit 1
for name in $WORKLOADS; do
	printf '\n==> %s\n' "$name"
	"$LAB_BUILD/soakctl" compare --label A,B "$out/$name-A.json" "$out/$name-B.json" || exit 1
done
