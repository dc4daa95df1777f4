#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What soakd itself costs: the CPU time of its main process, not of the soakers, while it samples
once a second and nobody asks it anything.

The time is the scheduler's own, in ns (/proc/PID/task/TID/schedstat, first field): ticks would
miss nearly all of it.
"""

import argparse
import pathlib
import time

import bench

TO_REACH_US = 50
SETTLE_SECONDS = 2


def parse_options():
    parser = argparse.ArgumentParser(description="soakd's own CPU time.")
    bench.add_common_options(parser)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--interval", default="1s", help="of a sample")
    options = parser.parse_args()
    if options.seconds <= 0:
        parser.error("--seconds must be positive")
    return options


def cpu_ns_of(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def run():
    options = parse_options()
    with bench.Daemon(options.soakd, interval=options.interval) as daemon:
        environment = daemon.environment()
        before = daemon.client.call("status.get")
        time.sleep(SETTLE_SECONDS)
        begin, begin_ns = time.monotonic(), cpu_ns_of(before["pid"])
        time.sleep(options.seconds)
        used_ns, elapsed = cpu_ns_of(before["pid"]) - begin_ns, time.monotonic() - begin
        after = daemon.client.call("status.get")
    result = {
        "benchmark": "own-cost",
        "environment": environment,
        "elapsed_seconds": elapsed,
        "cpu_seconds": used_ns / 1e9,
        "cpu_us_per_second": used_ns / 1e3 / elapsed,
        "late_ticks": after["late_ticks"] - before["late_ticks"],
        "missed_ticks": after["missed_ticks"] - before["missed_ticks"],
        "memory_bytes": after["memory_bytes"],
    }
    print(
        f"soakd's own cost: {result['cpu_us_per_second']:.1f} us of CPU a second for "
        f"{len(environment['cpus'])} CPUs at {options.interval} (to reach for 2: {TO_REACH_US} us)"
    )
    bench.write_json(options.json, result)


if __name__ == "__main__":
    bench.main(run)
