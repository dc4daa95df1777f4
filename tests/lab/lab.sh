# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The lab: boot a kernel under qemu without hardware virtualisation, run a scenario inside, and
# carry out what it wrote. To be sourced; LAB_BUILD is the build folder.
#
# One initramfs holds soakd, soakctl, the generators of tests/bench and every scenario; which one
# runs is a word of the kernel's command line. What the scenario writes into /out comes back
# through the second serial port as a tar file: any kernel has that port, few have 9p built in.

LAB_MACHINE=$(dpkg --print-architecture 2>/dev/null || uname -m)
LAB_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) || exit 1
LAB_BUILD=${LAB_BUILD:-$LAB_TREE/build}
LAB_WORK=$LAB_BUILD/lab
LAB_LIMIT_SECONDS=${LAB_LIMIT_SECONDS:-300} # of one boot
LAB_SKIPPED=77				    # what meson takes as skipped
LAB_META_PACKAGE=linux-image-cloud-amd64

lab_skip() {
	printf 'lab: skipped: %s\n' "$*"
	exit "$LAB_SKIPPED"
}

lab_die() {
	printf 'lab: %s\n' "$*" >&2
	exit 1
}

lab_need_tools() {
	local tool

	[ "$LAB_MACHINE" = amd64 ] || lab_skip "the lab's kernel is for amd64, this is $LAB_MACHINE"
	for tool in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio; do
		command -v "${tool%:*}" >/dev/null || lab_skip "no ${tool%:*}: install ${tool#*:}"
	done
	ldd "$(command -v busybox)" >/dev/null 2>&1 &&
		lab_skip "busybox is not static: install busybox-static"
	mkdir -p "$LAB_WORK" || lab_die "cannot make $LAB_WORK"
}

# The newest kernel package of this release. Package lists may be missing in a fresh container.
lab_kernel_package() {
	local try

	for try in 1 2; do
		apt-cache depends "$LAB_META_PACKAGE" 2>/dev/null |
			awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; found = 1; exit }
				END { exit !found }' && return 0
		[ "$try" = 1 ] && [ "$(id -u)" -eq 0 ] || return 1
		apt-get -qq update </dev/null >/dev/null 2>&1 || return 1
	done
}

# Sets LAB_KERNEL, unless that names a bzImage already. Downloaded once a build folder.
lab_need_kernel() {
	local folder=$LAB_WORK/kernel partial=$LAB_WORK/kernel.partial package

	if [ -n "${LAB_KERNEL:-}" ]; then
		[ -r "$LAB_KERNEL" ] || lab_die "cannot read the kernel $LAB_KERNEL"
		return 0
	fi
	if [ ! -d "$folder" ]; then
		package=$(lab_kernel_package) || lab_skip "apt knows no $LAB_META_PACKAGE"
		rm -rf "$partial"
		mkdir -p "$partial" || lab_die "cannot make $partial"
		(cd "$partial" && apt-get -qq download "$package" </dev/null >/dev/null 2>&1) ||
			lab_skip "$package could not be downloaded"
		dpkg-deb -x "$partial"/*.deb "$partial" || lab_die "cannot unpack $package"
		rm -f "$partial"/*.deb
		mv "$partial" "$folder" || lab_die "cannot make $folder"
	fi
	LAB_KERNEL=$(echo "$folder"/boot/vmlinuz-*)
	[ -r "$LAB_KERNEL" ] || lab_die "no kernel in $folder: remove that folder"
}

# The libraries of the programs, and their loader.
lab_libraries() {
	ldd "$@" | awk '/=> \// { print $3 } $1 ~ /^\// && $1 !~ /:$/ { print $1 }' | sort -u
}

# lab_make_initramfs NAME [PATH...]: sets LAB_INITRAMFS to a file of $LAB_WORK with all that a boot
# needs, and these files in its root folder.
lab_make_initramfs() {
	local file=$LAB_WORK/$1.initramfs.gz root library program
	local -a programs=("$LAB_BUILD/soakd" "$LAB_BUILD/soakctl"
		"$LAB_BUILD/tests/bench/duty" "$LAB_BUILD/tests/bench/work" "$(command -v chrt)")

	shift
	root=$(mktemp -d "$LAB_WORK/root.XXXXXX") || lab_die "cannot write into $LAB_WORK"
	mkdir -p "$root"/{bin,dev,etc,lib,lib64,out,proc,run,sys,tmp,var/lib,root}
	for program in "${programs[@]}"; do
		[ -x "$program" ] || lab_die "no $program: build first"
		cp "$program" "$root/bin/"
	done
	for library in $(lab_libraries "${programs[@]}"); do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library" || lab_die "cannot copy $library"
	done
	cp "$(command -v busybox)" "$root/bin/busybox"
	printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n' >"$root/etc/passwd"
	cp "$LAB_TREE/tests/lab/init" "$root/init"
	chmod 755 "$root/init"
	cp "$LAB_TREE"/tests/lab/{inside,*.scenario}.sh "$@" "$root/" || lab_die "cannot fill $root"
	(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$file" ||
		lab_die "cannot write $file"
	rm -rf "$root"
	LAB_INITRAMFS=$file
}

# lab_boot NAME SCENARIO APPEND [QEMU OPTION...]: the scenario in a fresh machine. What it wrote
# is then in $LAB_WORK/NAME, the console in $LAB_WORK/NAME.console. Return: the scenario's status.
lab_boot() {
	local name=$1 scenario=$2 append=$3 out=$LAB_WORK/$1 console=$LAB_WORK/$1.console status

	shift 3
	rm -rf "$out" "$out.tar"
	mkdir -p "$out"
	timeout "$LAB_LIMIT_SECONDS" qemu-system-x86_64 -nodefaults -display none -no-reboot \
		-m 512 -accel tcg -kernel "$LAB_KERNEL" -initrd "$LAB_INITRAMFS" \
		-append "console=ttyS0 quiet panic=-1 LAB_SCENARIO=$scenario $append" \
		-serial "file:$console" -serial "file:$out.tar" "$@" </dev/null
	status=$?
	[ "$status" -ne 124 ] ||
		lab_die "$name: not done after $LAB_LIMIT_SECONDS s: see $console"
	[ "$status" -eq 0 ] || lab_die "$name: qemu ended with status $status"
	gzip -dc "$out.tar" 2>/dev/null | tar -x -C "$out" -f - 2>/dev/null
	[ -f "$out/status" ] || lab_die "$name: nothing came out: see $console"
	rm -f "$out.tar"
	return "$(cat "$out/status")"
}

# lab_boot_virtual, with the same arguments: one CPU in virtual time, where an instruction takes
# 2 ns and idle time none. qemu would hide the invariant TSC from a guest that it emulates, as it
# cannot keep it beside real time; in virtual time it can. -seed makes RDRAND repeat itself.
# LAB_CPU is another model than max.
lab_boot_virtual() {
	local name=$1 scenario=$2 append=$3

	shift 3
	lab_boot "$name" "$scenario" "tsc=reliable $append" -smp 1 \
		-cpu "${LAB_CPU:-max},+invtsc,x-force-features=on" -icount shift=1,sleep=off -rtc clock=vm "$@" \
		2> >(grep -v 'CPUID.80000007H:EDX.invtsc' >&2)
}

# lab_boot_smp, with the same arguments: four CPUs in two sockets, each one core with two threads,
# in real time and as noisy as this machine. The kernel looks for threads where this vendor has them.
lab_boot_smp() {
	local name=$1 scenario=$2 append=$3

	shift 3
	lab_boot "$name" "$scenario" "tsc=reliable $append" -smp 4,sockets=2,cores=1,threads=2 \
		-cpu max,vendor=GenuineIntel,+invtsc,x-force-features=on "$@" \
		2> >(grep -v 'CPUID.80000007H:EDX.invtsc' >&2)
}

# What the scenario printed. Return: 0 when all of its checks were good, and it came to its end.
lab_tap() {
	cat "$LAB_WORK/$1/log"
	! grep -q '^not ok' "$LAB_WORK/$1/log" && grep -q '^1\.\.[1-9]' "$LAB_WORK/$1/log"
}
