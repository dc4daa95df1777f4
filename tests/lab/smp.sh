#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Cgroups and topology on four CPUs, see smp.scenario.sh. Prints TAP; status 77 when there is no
# qemu or no kernel.
#
#     LAB_BUILD=build tests/lab/smp.sh

set -u

# shellcheck source=tests/lab/lab.sh
. "$(dirname "$0")/lab.sh"

lab_need_tools
lab_need_kernel
lab_make_initramfs smp
lab_boot_smp smp smp ""
status=$?
lab_tap smp || status=1
exit "$status"
