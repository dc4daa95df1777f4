# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# A fixed amount of O_DIRECT reads, 4 KiB each, from a disk that is memory and answers each request
# by a timer interrupt 100 us later.

exec dd if=/dev/nullb0 of=/dev/null bs=4k count=18000 iflag=direct 2>/dev/null
