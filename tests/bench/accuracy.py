#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""How well the load matches a generator of known duty (tests/bench/duty.c).

For every window soakd takes its two readings, and the generator's own trace gives the CPU time
it used between exactly these two moments: the truth. The windows of all duties are interleaved,
so that a machine that drifts does so under each of them, and the windows of duty 0 give the
background: what the machine does to the CPU without the generator.

    error   load - truth
    net     the same with the background of the same repetition taken out of the load

What waking costs outside the generator's thread is in the load and not in the truth (see duty.c),
so a positive error at 1 ms is expected. `accounted` is /proc/stat's view of the same windows.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import bench

PERIODS = ("10ms", "1ms")
LEAD_SECONDS = 0.3  # the generator runs alone before and after the window
TO_REACH_PP = 0.10


def parse_options():
    parser = argparse.ArgumentParser(description="Accuracy of the load against known duties.")
    bench.add_common_options(parser)
    parser.add_argument("--duty-program", default=bench.TREE / "build" / "tests" / "bench" / "duty")
    parser.add_argument("--cpu", type=int, help="the CPU to measure (default: the last)")
    parser.add_argument("--duties", default="0.2,1,5,20,60", metavar="LIST", help="in percent")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of a window")
    parser.add_argument("--random-phase", action="store_true", help="start bursts at random")
    parser.add_argument("--interval", default="200ms", help="of a sample")
    parser.add_argument("--trim", type=float, default=0.1, help="share cut from each end")
    options = parser.parse_args()
    if options.repetitions < 1 or options.seconds <= 0:
        parser.error("--repetitions and --seconds must be positive")
    return options


def truth_between(trace_path, begin_ns, end_ns):
    """The generator's CPU time in the window over the window; a burst across an edge counts in
    part."""
    used_ns = 0.0
    with open(trace_path, encoding="ascii") as trace:
        for line in trace:
            _, burst_begin, burst_end, cpu_ns = map(int, line.split())
            inside = min(burst_end, end_ns) - max(burst_begin, begin_ns)
            if inside > 0:
                used_ns += cpu_ns * inside / (burst_end - burst_begin)
    return used_ns / (end_ns - begin_ns)


def run_window(options, client, duty, period, seed):
    """One window under one duty."""
    with tempfile.NamedTemporaryFile(prefix="soak-duty.") as trace:
        command = [str(options.duty_program), "--cpu", str(options.cpu), "--duty", duty]
        command += ["--period", period, "--trace", trace.name]
        command += ["--seconds", f"{options.seconds + 3 * LEAD_SECONDS:.3f}"]
        if options.random_phase:
            command += ["--random-phase", str(seed)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, preexec_fn=bench.die_with_parent
        ) as generator:
            try:
                time.sleep(LEAD_SECONDS)
                begun = client.call("run.begin")
                time.sleep(options.seconds)
                ended = client.call("run.end", run=begun["run"], trim_ratio=options.trim)
                output, _ = generator.communicate(timeout=30)
            except BaseException:
                generator.kill()
                raise
        if generator.returncode != 0:
            raise bench.BenchError(f"duty ended with status {generator.returncode}")
        begin_ns = begun["monotonic_seconds"] * 1e9
        truth = truth_between(trace.name, begin_ns, begin_ns + ended["elapsed_seconds"] * 1e9)
    names = (
        "load_ratio untrimmed_load_ratio taken_ratio slowed_ratio accounted_ratio steal_ratio "
        "interruptions_per_second elapsed_seconds samples_kept samples_cut short"
    )
    window = {name: ended[name] for name in names.split()}
    window["truth_ratio"] = truth
    window["generator"] = json.loads(output)
    for name in ("load_ratio", "untrimmed_load_ratio", "accounted_ratio"):
        if window[name] is None:
            raise bench.BenchError(f"{name} is null under duty {duty} %")
    return window


def run_windows(options, client):
    """All windows, by (duty, period): lists in the order of the repetitions."""
    cases = [("0", PERIODS[0])]
    cases += [(duty, period) for period in PERIODS for duty in options.duties.split(",")]
    windows = {case: [] for case in cases}
    for repetition in range(options.repetitions):
        # There and back again, so that a slow drift hits both ends of the list alike.
        for case in cases if repetition % 2 == 0 else reversed(cases):
            windows[case].append(run_window(options, client, *case, seed=repetition))
    return windows


def net_of(load, background):
    """What the load would be without the background: shares of what is left, not sums."""
    return 1 - (1 - load) / (1 - background)


def summarise(duty, period, windows, backgrounds):
    """One row: medians over the repetitions; errors and spread in percentage points."""

    def median(value):
        return statistics.median(map(value, windows))

    errors = [window["load_ratio"] - window["truth_ratio"] for window in windows]
    nets = [
        net_of(window["load_ratio"], background["load_ratio"]) - window["truth_ratio"]
        for window, background in zip(windows, backgrounds)
    ]
    return {
        "duty_percent": float(duty),
        "period": period,
        "truth_ratio": median(lambda w: w["truth_ratio"]),
        "load_ratio": median(lambda w: w["load_ratio"]),
        "untrimmed_load_ratio": median(lambda w: w["untrimmed_load_ratio"]),
        "accounted_ratio": median(lambda w: w["accounted_ratio"]),
        "steal_ratio": median(lambda w: w["steal_ratio"] or 0.0),
        "error_pp": 100 * statistics.median(errors),
        "net_error_pp": 100 * statistics.median(nets),
        "untrimmed_error_pp": 100 * median(lambda w: w["untrimmed_load_ratio"] - w["truth_ratio"]),
        "accounted_error_pp": 100 * median(lambda w: w["accounted_ratio"] - w["truth_ratio"]),
        "spread_pp": 100 * (max(errors) - min(errors)),
        "windows": windows,
    }


def worst(rows, name, period=PERIODS[0]):
    return max((row[name] for row in rows if row["period"] == period), key=abs)


def print_table(options, rows):
    print(
        f"Load against a generator of known duty: CPU {options.cpu}, medians of "
        f"{options.repetitions} windows of {options.seconds:g} s"
    )
    print()
    print("  duty  period    truth     load   error     net  spread   untrimmed   error   accounted")
    print("     %                %        %      pp      pp      pp           %      pp           %")
    for row in rows:
        print(
            f"{row['duty_percent']:6.1f}  {row['period']:>6}"
            f"  {100 * row['truth_ratio']:7.3f}  {100 * row['load_ratio']:7.3f}"
            f"  {row['error_pp']:+6.3f}  {row['net_error_pp']:+6.3f}  {row['spread_pp']:6.3f}"
            f"   {100 * row['untrimmed_load_ratio']:9.3f}  {row['untrimmed_error_pp']:+6.3f}"
            f"   {100 * row['accounted_ratio']:9.3f}"
        )
    print()
    print(
        f"Worst error at 10 ms: {worst(rows, 'error_pp'):+.3f} pp, "
        f"net of the background {worst(rows, 'net_error_pp'):+.3f} pp, "
        f"untrimmed {worst(rows, 'untrimmed_error_pp'):+.3f} pp"
    )
    print(f"  (to reach: {TO_REACH_PP:.2f} pp)")
    print(
        f"Worst error of kernel accounting: {worst(rows, 'accounted_error_pp'):+.3f} pp at 10 ms, "
        f"{worst(rows, 'accounted_error_pp', PERIODS[1]):+.3f} pp at 1 ms"
    )


def keep_away_from(cpu):
    """This client must not be the load it measures."""
    others = os.sched_getaffinity(0) - {cpu}
    if others:
        os.sched_setaffinity(0, others)


def run():
    options = parse_options()
    if options.cpu is None:
        options.cpu = max(os.sched_getaffinity(0))
    with bench.Daemon(options.soakd, [options.cpu], options.interval) as daemon:
        keep_away_from(options.cpu)
        windows = run_windows(options, daemon.client)
        environment = daemon.environment()
    backgrounds = windows[("0", PERIODS[0])]
    rows = [summarise(*case, windows[case], backgrounds) for case in windows]
    print_table(options, rows)
    bench.write_json(
        options.json,
        {
            "benchmark": "accuracy",
            "environment": environment,
            "cpu": options.cpu,
            "repetitions": options.repetitions,
            "window_seconds": options.seconds,
            "trim_ratio": options.trim,
            "worst_error_pp_10ms": worst(rows, "error_pp"),
            "worst_net_error_pp_10ms": worst(rows, "net_error_pp"),
            "worst_untrimmed_error_pp_10ms": worst(rows, "untrimmed_error_pp"),
            "rows": rows,
        },
    )


if __name__ == "__main__":
    bench.main(run)
