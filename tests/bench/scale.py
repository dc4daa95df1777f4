#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What soakd itself costs, here and on larger machines.

- Made-up CPUs: its sampler, history and reports over slots that nothing spins on (scale.c).
- Here: the CPU time of its main process, not of the soakers, at one sample a second while nobody
  asks it anything, and beside it that of a process that a timer wakes as often for nothing; how
  fast it answers report.get while others subscribe; how fast it starts.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import bench

SIZES = ((1, 3600), (2, 3600), (64, 3600), (256, 3600), (1024, 3600), (4096, 600))
SUBSCRIBERS = (0, 1, 10, 100)
SUBSCRIBED_INTERVAL = "100ms"
HOUR = 3600
OWN_COST_US = 50
TICK_MS = 10
HOUR_MIB = 64
P99_MS = 2
LINEAR_LIMIT = 1.5
BUILD = bench.TREE / "build" / "tests" / "bench"


def parse_options():
    parser = argparse.ArgumentParser(description="soakd's own cost, and how it grows.")
    bench.add_common_options(parser)
    parser.add_argument("--scale-program", default=BUILD / "scale")
    parser.add_argument("--timer-program", default=BUILD / "timer")
    parser.add_argument("--seconds", type=int, default=20, help="to watch an idle soakd for")
    parser.add_argument("--calls", type=int, default=1000, help="of report.get a case")
    options = parser.parse_args()
    if options.seconds <= 0 or options.calls < 100:
        parser.error("--seconds must be positive, --calls 100 or more")
    return options


def run_scale(program, n_cpus, n_samples):
    output = subprocess.run(
        [str(program), str(n_cpus), str(n_samples)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
        preexec_fn=bench.die_with_parent,
    ).stdout
    size = json.loads(output)
    size["hour_bytes"] = size["history_bytes"] // n_samples * HOUR
    return size


def measure_own_cost(options):
    with bench.Daemon(options.soakd) as daemon:
        before = daemon.client.call("status.get")
        time.sleep(2)
        with bench.LineProgram([str(options.timer_program), str(options.seconds)]) as timer:
            begin, begin_ns = time.monotonic(), bench.cpu_ns_of(before["pid"])
            time.sleep(options.seconds)
            used_ns, elapsed = bench.cpu_ns_of(before["pid"]) - begin_ns, time.monotonic() - begin
            timer_us = timer.read()["cpu_us_per_second"]
        after = daemon.client.call("status.get")
        return {
            "environment": daemon.environment(),
            "answering_seconds": daemon.answering_seconds,
            "sampling_seconds": daemon.sampling_seconds,
            "elapsed_seconds": elapsed,
            "cpu_us_per_second": used_ns / 1e3 / elapsed,
            "bare_timer_cpu_us_per_second": timer_us,
            "late_ticks": after["late_ticks"] - before["late_ticks"],
            "missed_ticks": after["missed_ticks"] - before["missed_ticks"],
            "memory_bytes": after["memory_bytes"],
        }


def measure_answers(daemon, n_subscribers, n_calls):
    """Latencies of report.get in ms, beside subscribers of another process."""
    program = [sys.executable, "-B", str(pathlib.Path(__file__).with_name("subscribers.py"))]
    with bench.LineProgram([*program, daemon.path, str(n_subscribers)]) as subscribers:
        subscribers.read()
        took = []
        for _ in range(n_calls):
            begin = time.perf_counter()
            daemon.client.call("report.get")
            took.append(1e3 * (time.perf_counter() - begin))
            time.sleep(0.001)
        updates = subscribers.ask()["updates"]
    if n_subscribers > 0 and updates < n_subscribers:
        raise bench.BenchError(f"{n_subscribers} subscribers got {updates} samples")
    took.sort()
    return {
        "subscribers": n_subscribers,
        "calls": n_calls,
        "p50_ms": statistics.median(took),
        "p99_ms": took[int(0.99 * (n_calls - 1))],
        "max_ms": took[-1],
        "updates": updates,
    }


def print_sizes(sizes):
    bench.print_table(
        ["CPUs", "sample, us", "cold, us", "as JSON, us", "report 60 s, us", "whole, ms", "hour, MiB"],
        [
            [
                size["cpus"],
                f"{size['warm_tick_ns'] / 1e3:.1f}",
                f"{size['cold_tick_ns'] / 1e3:.1f}",
                f"{size['sample_json_ns'] / 1e3:.0f}",
                f"{size['report_ns'] / 1e3:.0f}",
                f"{size['whole_report_ns'] / 1e6:.2f}",
                f"{size['hour_bytes'] / 2**20:.1f}",
            ]
            for size in sizes
        ],
    )
    print(
        "\nCPU time of soakd's own code over made-up slots. `cold`: after the caches were swept, as "
        "after a busy second. `as JSON`: once a sample if anybody subscribed. `whole`: a report "
        f"of all samples ({', '.join(str(size['samples']) for size in sizes)})."
    )


def print_answers(answers):
    print()
    bench.print_table(
        ["subscribers", "report.get p50, ms", "p99, ms", "longest, ms"],
        [
            [
                answer["subscribers"],
                *(f"{answer[name]:.3f}" for name in ("p50_ms", "p99_ms", "max_ms")),
            ]
            for answer in answers
        ],
    )
    print(f"\nSamples every {SUBSCRIBED_INTERVAL}, soaked CPUs, times of a client in Python.\n")


def print_targets(sizes, own, answers):
    by_cpus = {size["cpus"]: size for size in sizes}
    grown = by_cpus[4096]["cold_tick_ns"] / by_cpus[256]["cold_tick_ns"] / (4096 / 256)
    n_cpus = len(own["environment"]["cpus"])
    return [
        bench.print_target(
            "a sample of 4096 CPUs", by_cpus[4096]["cold_tick_ns"] / 1e6, TICK_MS, "ms"
        ),
        bench.print_target(
            "growth from 256 to 4096 CPUs, by that of a line", grown, LINEAR_LIMIT, "times"
        ),
        bench.print_target(
            "an hour of 256 CPUs", by_cpus[256]["hour_bytes"] / 2**20, HOUR_MIB, "MiB"
        ),
        bench.print_target(
            f"soakd's own CPU time a second, {n_cpus} CPUs",
            own["cpu_us_per_second"],
            OWN_COST_US,
            "us",
        ),
        bench.print_target(
            f"report.get p99 beside {answers[-1]['subscribers']} subscribers",
            answers[-1]["p99_ms"],
            P99_MS,
            "ms",
        ),
    ]


def run():
    options = parse_options()
    sizes = [run_scale(options.scale_program, *size) for size in SIZES]
    own = measure_own_cost(options)
    with bench.Daemon(options.soakd, interval=SUBSCRIBED_INTERVAL) as daemon:
        time.sleep(1)
        answers = [measure_answers(daemon, n, options.calls) for n in SUBSCRIBERS]
    print("## Own cost and scale\n")
    print_sizes(sizes)
    print_answers(answers)
    targets = print_targets(sizes, own, answers)
    print(
        "- beside it, a process that a timer wakes once a second for nothing: "
        f"{own['bare_timer_cpu_us_per_second']:.3f} us\n"
        f"- start: answers after {1e3 * own['answering_seconds']:.0f} ms, samples after "
        f"{own['sampling_seconds']:.2f} s (isolation, intrusion, calibration); "
        f"{own['memory_bytes'] / 2**20:.2f} MiB; {own['late_ticks']} late samples"
    )
    bench.write_json(
        options.json,
        {
            "benchmark": "scale",
            "kernel": os.uname().release,
            "sizes": sizes,
            "own": own,
            "answers": answers,
            "targets": targets,
        },
    )


if __name__ == "__main__":
    bench.main(run)
