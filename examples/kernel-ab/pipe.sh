# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# A fixed number of system calls: single bytes through a pipe from one process to another, in bursts
# with pauses between them, so that a busy CPU does not hide what one of them costs.

for _ in 1 2 3 4 5; do
	dd if=/dev/zero bs=1 count=10000 2>/dev/null | dd of=/dev/null bs=1 2>/dev/null
	sleep 0.5
done
