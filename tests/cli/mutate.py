#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run soakctl on run files that were broken at random.

    mutate.py SOAKCTL TIMES FILE...    MUTATE_SEED=N repeats a series

Whatever a file holds: no crash, no hang, no status 0 without output, no other status without a word,
and nothing but printable ASCII for people. Status 1 when soakctl did otherwise; the broken files stay.
"""

import copy
import json
import os
import random
import subprocess
import sys

LIMIT_SECONDS = 60
VALUES = [None, True, False, 0, -1, 1, 0.5, 1e308, -1e308, 5e-324, 2**63 - 1, -2**63, "", "x", "ratio",
          "\x1b[31m\n|,\"'`", "\u00e4" * 50, "y" * 5000, [], {}, [[]], [1, "a", None], {"a": 1}, [{}],
          "2.0", "abba", [None] * 3, {"cpu": 0}]
MEMBERS = ["", "load_ratio", "failed", "metrics", "runs", "sides", "design", "label", "\x1b"]
COMMANDS = [["compare"], ["compare", "--force"], ["compare", "--force", "--format", "mail"],
            ["compare", "--force", "--format", "markdown"], ["compare", "--force", "--format", "csv"],
            ["compare", "--force", "--format", "json"], ["compare", "--force", "--robust"],
            ["compare", "--force", "--trim", "1"], ["compare", "--min-effect", "2%", "--fail-on", "more"],
            ["report"], ["report", "--per-cpu"], ["report", "--json"]]
STATUSES = (0, 2, 3, 4, 125)


def places(value, path=()):
    """All places below the top, as paths of members and indices."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:6]) \
        if isinstance(value, list) else ()
    for key, below in items:
        yield path + (key,)
        yield from places(below, path + (key,))


def mutate(document, rng):
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        paths = list(places(document))
        if not paths:
            break
        *above, last = rng.choice(paths)
        parent = document
        for key in above:
            parent = parent[key]
        kind = rng.random()
        if kind < 0.15:
            del parent[last]
        elif kind < 0.25 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))
        elif kind < 0.32 and isinstance(parent, dict):
            parent[rng.choice(MEMBERS)] = copy.deepcopy(rng.choice(VALUES))
        else:
            parent[last] = copy.deepcopy(rng.choice(VALUES))
    return document


def is_plain(text):
    return all(byte == 10 or 32 <= byte < 127 for byte in text)


def fault(command, run):
    """What is wrong with how soakctl took it; None: nothing."""
    if run.returncode not in STATUSES or b"Sanitizer" in run.stderr:
        return f"status {run.returncode}"
    if run.returncode in (0, 3, 4) and not run.stdout:
        return "no output"
    if run.returncode in (2, 125) and not run.stderr:
        return "no word"
    if not is_plain(run.stderr):
        return "raw bytes on stderr"
    if {"json", "csv", "--json"} & set(command):
        return None
    if not is_plain(run.stdout):
        return "raw bytes on stdout"
    if b"(null)" in run.stdout or b"nan " in run.stdout:
        return "nan or null on stdout"
    return None


def try_once(soakctl, bases, rng):
    for name in ("broken-a.json", "broken-b.json"):
        with open(name, "w", encoding="utf-8") as file:
            json.dump(mutate(rng.choice(bases), rng), file)
    command = rng.choice(COMMANDS)
    files = ["broken-a.json"] if command[0] == "report" or rng.random() < 0.2 \
        else ["broken-a.json", "broken-b.json"]
    try:
        run = subprocess.run([soakctl, *command, *files], capture_output=True, check=False,
                             timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{command}: no end"
    what = fault(command, run)
    return what and f"{command}: {what}\n{run.stderr.decode(errors='replace')[:3000]}"


def main():
    soakctl, times, *paths = sys.argv[1:]
    seed = int(os.environ.get("MUTATE_SEED") or random.randrange(2**32))
    rng = random.Random(seed)
    bases = [json.load(open(path, encoding="utf-8")) for path in paths]
    print(f"MUTATE_SEED={seed}")
    for number in range(int(times)):
        what = try_once(soakctl, bases, rng)
        if what:
            sys.exit(f"{number + 1}: {what}")


if __name__ == "__main__":
    main()
