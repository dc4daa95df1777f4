#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Accuracy without noise: two boots in virtual time, see README.md. Prints TAP; status 77 when
# there is no qemu or no kernel.
#
#     LAB_BUILD=build tests/lab/accuracy.sh

set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab.sh"

lab_need_tools
lab_need_kernel
lab_make_initramfs accuracy
# Two CPUs, two boots; the seeds differ, so that the boots do: addresses, boot_id, hash tables.
lab_boot_virtual accuracy-1 accuracy nowatchdog -seed 1 &
first=$!
lab_boot_virtual accuracy-2 accuracy nowatchdog -seed 2
second=$?
wait "$first" || lab_die "a scenario failed: see $LAB_WORK/accuracy-1/log"
[ "$second" -eq 0 ] || lab_die "a scenario failed: see $LAB_WORK/accuracy-2/log"
exec python3 -B "$LAB_TREE/tests/lab/accuracy.py" "$LAB_WORK/accuracy-1" "$LAB_WORK/accuracy-2"
