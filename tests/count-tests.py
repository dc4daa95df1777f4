#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the cases of a `meson test`: PASSED FAILED SKIPPED from meson-logs/testlog.json.

A test that prints its cases (TAP, as bats does, or cmocka's own lines) counts as so many; any
other counts as one. A test that meson calls failed has at least one failed case, so a crash or a
timeout is never lost.
"""

import json
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}

TAP = re.compile(r"^(not )?ok \d+(.*)$", re.MULTILINE)
TAP_SKIP = re.compile(r"#\s*skip", re.IGNORECASE)
CMOCKA_PASSED = re.compile(r"^\[ +OK +\] ", re.MULTILINE)
CMOCKA_FAILED = re.compile(r"^\[ +FAILED +\] (\d+) test\(s\)", re.MULTILINE)
CMOCKA_SKIPPED = re.compile(r"^\[ +SKIPPED +\] (\d+) test\(s\)", re.MULTILINE)


def count_cases(output):
    passed = len(CMOCKA_PASSED.findall(output))
    failed = sum(map(int, CMOCKA_FAILED.findall(output)))
    skipped = sum(map(int, CMOCKA_SKIPPED.findall(output)))
    for is_bad, rest in TAP.findall(output):
        if TAP_SKIP.search(rest):
            skipped += 1
        elif is_bad:
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_test(test):
    passed, failed, skipped = count_cases(test.get("stdout", "") + "\n" + test.get("stderr", ""))
    if test["result"] in SKIPPED:
        return passed, failed, max(skipped, 1)
    if test["result"] not in GOOD:
        return passed, max(failed, 1), skipped
    if passed + failed + skipped == 0:
        return 1, 0, 0
    return passed, failed, skipped


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        counts = [count_test(json.loads(line)) for line in log if line.strip()]
    print(*(sum(column) for column in zip(*counts)) if counts else (0, 0, 0))


if __name__ == "__main__":
    main()
