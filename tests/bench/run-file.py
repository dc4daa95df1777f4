#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What reading a large run file takes: time and memory of `soakctl report FILE`, with and without
trimming anew, on a file of a million CPU samples: more than 4 hours on 64 CPUs.

The file has the columns and digits that `soakctl run -o` writes; its values are made up, from a
seed that is always the same.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import bench

TO_REACH_SECONDS = 1.0
TO_REACH_MIB = 300
SEED = 4


def parse_options():
    parser = argparse.ArgumentParser(description="Time and memory of reading a run file.")
    bench.add_common_options(parser)
    parser.add_argument("--soakctl", default=bench.TREE / "build" / "soakctl")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cpus", type=int, default=64)
    parser.add_argument("--samples", type=int, default=1_000_000, help="of CPUs, in all")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if min(options.runs, options.cpus, options.samples, options.repeat) < 1:
        parser.error("numbers must be positive")
    return options


def make_samples(dice, n_cpus, n_samples):
    return {
        "monotonic_seconds": [1000 + i + dice.random() * 1e-4 for i in range(n_samples)],
        "elapsed_seconds": [1 + dice.gauss(0, 1e-5) for _ in range(n_samples)],
        "load_ratio": [dice.random() for _ in range(n_samples)],
        "cpus": [
            {
                "cpu": cpu,
                "taken_ppm": [dice.randrange(1_000_000) for _ in range(n_samples)],
                "slowed_ppm": [dice.randrange(-9_999, 99_999) for _ in range(n_samples)],
                "interruptions": [dice.randrange(9_999) for _ in range(n_samples)],
            }
            for cpu in range(n_cpus)
        ],
        "flags": [],
    }


def make_run(dice, index, options):
    figures = {"load_ratio": dice.random(), "untrimmed_load_ratio": dice.random()}
    return {
        "run_index": index,
        "failed": False,
        "incomplete": False,
        "elapsed_seconds": 1600.0,
        "idle_floor_ratio": 0.01,
        **figures,
        "cpus": [
            {"cpu": cpu, "idle_floor_ratio": 0.01, **figures} for cpu in range(options.cpus)
        ],
        "samples": make_samples(
            dice, options.cpus, options.samples // options.runs // options.cpus
        ),
    }


def write_file(path, options):
    dice = random.Random(SEED)
    document = {
        "schema_version": "1.0",
        "kind": "side",
        "tool": {"name": "soakctl", "version": "0.1.0"},
        "label": "large",
        "command": ["true"],
        "runs_requested": options.runs,
        "partial": False,
        "trim_ratio": 0.1,
        "environment": {"cpus": list(range(options.cpus))},
        "metrics": [],
        "work": None,
        "runs": [make_run(dice, i + 1, options) for i in range(options.runs)],
        "warmups": [],
        "summary": {},
    }
    with open(path, "w", encoding="ascii") as file:
        json.dump(document, file, separators=(",", ":"), allow_nan=False)


def measure(argv):
    """Return wall seconds and peak MiB of a program that must succeed."""
    begin = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise bench.BenchError(f"{argv}: exit status {process.returncode}")
    return elapsed, usage.ru_maxrss / 1024


def measure_often(argv, repeat):
    results = [measure(argv) for _ in range(repeat)]
    return {
        "argv": [str(argument) for argument in argv],
        "seconds": statistics.median(seconds for seconds, _ in results),
        "rss_mib": max(mib for _, mib in results),
    }


def run():
    options = parse_options()
    with tempfile.TemporaryDirectory(prefix="soak-bench.") as folder:
        path = pathlib.Path(folder, "large.json")
        write_file(path, options)
        size = path.stat().st_size
        cases = {
            "report": [options.soakctl, "report", path],
            "report --trim 8": [options.soakctl, "report", "--trim", "8", path],
        }
        results = {
            name: measure_often(argv, options.repeat) for name, argv in cases.items()
        }
    print("## Run files\n")
    print(f"Reading {options.samples} CPU samples, {size / 1e6:.1f} MB, medians of {options.repeat}:\n")
    bench.print_table(
        ["command", "time, s", "memory, MiB"],
        [
            [f"soakctl {name} FILE", f"{result['seconds']:.2f}", f"{result['rss_mib']:.0f}"]
            for name, result in results.items()
        ],
    )
    print()
    targets = [
        bench.print_target(f"soakctl {name} FILE, {what}", result[member], limit, unit)
        for name, result in results.items()
        for what, member, limit, unit in (
            ("time", "seconds", TO_REACH_SECONDS, "s"),
            ("memory", "rss_mib", TO_REACH_MIB, "MiB"),
        )
    ]
    bench.write_json(
        options.json,
        {
            "benchmark": "run-file",
            "kernel": os.uname().release,
            "cpu_samples": options.samples,
            "file_bytes": size,
            "results": results,
            "targets": targets,
        },
    )


if __name__ == "__main__":
    bench.main(run)
