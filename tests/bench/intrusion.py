#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What soakers take from CPU-bound work in another session.

One pinned thread per CPU (tests/bench/work.c), in a session of its own as a user's shell would
be, does the same amount of work with the soakers running and with them stopped (SIGSTOP to the
soaker process; soakd itself runs on). Pairs alternate in the order ABBA. The ratio of the elapsed
times is the slowdown; `not running` is the share of the time in which the work did not have its
CPUs, which does not depend on their frequency.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import time

import bench

TO_REACH_RATIO = 1.01
STOP_LIMIT_SECONDS = 5


def parse_options():
    parser = argparse.ArgumentParser(description="Slowdown of CPU-bound work beside soakers.")
    bench.add_common_options(parser)
    parser.add_argument("--work-program", default=bench.TREE / "build" / "tests" / "bench" / "work")
    parser.add_argument("--cpus", help="comma-separated (default: two of those allowed)")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a round, about")
    options = parser.parse_args()
    if options.pairs < 1 or options.seconds <= 0:
        parser.error("--pairs and --seconds must be positive")
    return options


class Work:
    """The work, for a `with` statement."""

    def __init__(self, options, cpus):
        command = [str(options.work_program), "--cpus", ",".join(map(str, cpus))]
        command += ["--seconds-hint", f"{options.seconds:.3f}"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=bench.die_with_parent,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def read(self):
        line = self._process.stdout.readline()
        if not line:
            raise bench.BenchError("work ended early")
        return json.loads(line)

    def round(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self.read()


def set_running(soaker_pid, running):
    """Stop or continue the soakers, and wait until each thread of them has."""
    os.kill(soaker_pid, signal.SIGCONT if running else signal.SIGSTOP)
    limit = time.monotonic() + STOP_LIMIT_SECONDS
    while any(is_stopped(task) == running for task in tasks_of(soaker_pid)):
        if time.monotonic() > limit:
            raise bench.BenchError("the soakers do not stop or continue")
        time.sleep(0.01)


def tasks_of(pid):
    return pathlib.Path(f"/proc/{pid}/task").iterdir()


def is_stopped(task):
    # The state follows the name, which is in parentheses and may hold anything.
    return (task / "stat").read_text().rpartition(")")[2].split()[0] == "T"


def run_pairs(options, work, soaker_pid):
    pairs = []
    try:
        for index in range(options.pairs):
            pair = {}
            for running in (True, False) if index % 2 == 0 else (False, True):
                set_running(soaker_pid, running)
                pair["with" if running else "without"] = work.round()
            pair["ratio"] = pair["with"]["elapsed_seconds"] / pair["without"]["elapsed_seconds"]
            pairs.append(pair)
    finally:
        set_running(soaker_pid, True)
    return pairs


def print_result(result):
    environment = result["environment"]
    print(
        f"CPU-bound work in another session on CPUs {','.join(map(str, result['cpus']))}, "
        f"isolation {environment['isolation']}"
    )
    print()
    print("  pair   with s  without s    ratio   not running with   without")
    for index, pair in enumerate(result["pairs"], 1):
        print(
            f"  {index:4}  {pair['with']['elapsed_seconds']:7.3f}"
            f"  {pair['without']['elapsed_seconds']:9.3f}  {pair['ratio']:7.4f}"
            f"   {100 * pair['with']['not_running_ratio']:14.3f} %"
            f"  {100 * pair['without']['not_running_ratio']:6.3f} %"
        )
    print()
    print(
        f"Median ratio {result['median_ratio']:.4f} (to reach: {TO_REACH_RATIO:.2f}); "
        f"not running {result['median_added_not_running_pp']:+.3f} pp with soakers; "
        f"soakd's own figure {100 * (environment['intrusion_ratio'] or 0):.2f} %"
    )


def run():
    options = parse_options()
    allowed = sorted(os.sched_getaffinity(0))
    cpus = [int(cpu) for cpu in options.cpus.split(",")] if options.cpus else allowed[:2]
    with bench.Daemon(options.soakd, cpus) as daemon:
        environment = daemon.environment()
        soaker_pid = daemon.client.call("status.get")["soaker_pid"]
        with Work(options, cpus) as work:
            steps = work.read()["steps"]
            work.round()  # not counted: caches, page faults, frequency
            pairs = run_pairs(options, work, soaker_pid)
    result = {
        "benchmark": "intrusion",
        "environment": environment,
        "cpus": cpus,
        "steps": steps,
        "median_ratio": statistics.median(pair["ratio"] for pair in pairs),
        "median_added_not_running_pp": 100
        * statistics.median(
            pair["with"]["not_running_ratio"] - pair["without"]["not_running_ratio"]
            for pair in pairs
        ),
        "pairs": pairs,
    }
    print_result(result)
    bench.write_json(options.json, result)


if __name__ == "__main__":
    bench.main(run)
