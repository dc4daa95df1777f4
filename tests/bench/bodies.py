#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What the three bodies of the soaker's loop see of a neighbour.

`slowed` is how much slower passes ran than calibrated, median over rounds in turns: alone, and
beside a neighbour (neighbour.c) that is busy half of the time, in registers (quiet) or all over
128 MiB (hungry), on another CPU or on the soaker's own. A body that sees memory pressure shows it
beside the hungry one; none should see the quiet one, but for what a hypervisor or a sibling does.
"""

import argparse
import contextlib
import os
import statistics
import time

import bench

BODIES = ("alu", "pause", "memory")


def parse_options():
    parser = argparse.ArgumentParser(description="Pass, floor and slowing of the bodies.")
    bench.add_common_options(parser)
    parser.add_argument(
        "--neighbour-program", default=bench.TREE / "build" / "tests" / "bench" / "neighbour"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.7, help="length of a window")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    return options


def make_places(cpus):
    """Where the neighbour is, by name: on the soaker's CPU, the last, or on the first."""
    places = {"alone": None}
    if len(cpus) > 1:
        places["quiet, other CPU"] = (cpus[0], "quiet")
        places["hungry, other CPU"] = (cpus[0], "hungry")
    places["quiet, same CPU"] = (cpus[-1], "quiet")
    places["hungry, same CPU"] = (cpus[-1], "hungry")
    return places


def measure_window(options, client, cpu, neighbour):
    with contextlib.ExitStack() as stack:
        if neighbour:
            where, kind = neighbour
            command = [str(options.neighbour_program), str(where), kind]
            stack.enter_context(bench.LineProgram(command)).read()
            time.sleep(0.05)
        begun = client.call("run.begin", cpus=[cpu])
        time.sleep(options.seconds)
        return client.call("run.end", run=begun["run"])


def measure_body(options, body, cpus):
    cpu = cpus[-1]
    places = make_places(cpus)
    windows = {name: [] for name in places}
    with bench.Daemon(options.soakd, cpus, body=body) as daemon:
        calibration = daemon.client.call("calibration.get")
        version = daemon.client.call("status.get")["body_version"]
        for index in range(options.rounds):
            for name in windows if index % 2 == 0 else reversed(windows):
                windows[name].append(measure_window(options, daemon.client, cpu, places[name]))
    baseline = next(entry for entry in calibration["cpus"] if entry["cpu"] == cpu)
    return {
        "body": body,
        "version": version,
        "pass_ns": baseline["pass_ns"],
        "idle_floor_ratio": baseline["idle_floor_ratio"],
        "idle_floor_uncertainty_ratio": baseline["idle_floor_uncertainty_ratio"],
        "slowed_ratio": medians(windows, "slowed_ratio"),
        "load_ratio": medians(windows, "untrimmed_load_ratio"),
    }


def medians(windows, member):
    """None where a window had no such number."""
    values = {name: [one[member] for one in part] for name, part in windows.items()}
    return {
        name: None if None in part else statistics.median(part) for name, part in values.items()
    }


def percent(value, decimals=2):
    return "-" if value is None else f"{100 * value:.{decimals}f}"


def print_result(rows):
    print("## Bodies\n")
    places = list(rows[0]["slowed_ratio"])
    print("`slowed`, in %, by what is beside the soaker, and what the calibration found:\n")
    bench.print_table(
        ["body", "pass, ns", "idle floor, %", "+-", *places],
        [
            [
                f"{row['body']} (version {row['version']})",
                "-" if row["pass_ns"] is None else f"{row['pass_ns']:.1f}",
                percent(row["idle_floor_ratio"]),
                percent(row["idle_floor_uncertainty_ratio"]),
                *(percent(row["slowed_ratio"][place]) for place in places),
            ]
            for row in rows
        ],
    )
    print("\nA neighbour is busy for half of every 10 ms, in registers or all over 128 MiB.")


def run():
    options = parse_options()
    cpus = sorted(os.sched_getaffinity(0))
    rows = [measure_body(options, body, cpus) for body in BODIES]
    print_result(rows)
    bench.write_json(
        options.json,
        {"benchmark": "bodies", "kernel": os.uname().release, "cpus": cpus, "rows": rows},
    )


if __name__ == "__main__":
    bench.main(run)
