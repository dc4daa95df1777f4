#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""How well the load matches a generator of known duty (tests/bench/duty.c).

For every window soakd takes its two readings, and the generator's own trace gives what it used
between exactly these two moments: by its CPU clock, and by its gaps, from when a burst was due to
its end. The CPU clock leaves out what waking costs, which a soaker does lose (see duty.c), so at
short periods a load above it is expected; the gaps contain it. What a virtual
machine loses to its host wanders by more than is to be shown, so every window under a duty is
followed by one without, its background, and duties are interleaved.

    error   load - truth by the CPU clock
    gap     load - truth by the gaps
    net     that with the background taken out of the load: the instrument's own error

`accounted` is /proc/stat's view of the same windows.
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
LEAD_SECONDS = 0.1  # the generator runs alone before and after the window
TO_REACH_PP = 0.10


def parse_options():
    parser = argparse.ArgumentParser(description="Accuracy of the load against known duties.")
    bench.add_common_options(parser)
    parser.add_argument("--duty-program", default=bench.TREE / "build" / "tests" / "bench" / "duty")
    parser.add_argument("--cpu", type=int, help="the CPU to measure (default: the last)")
    parser.add_argument("--duties", default="0.2,1,5,20,60", metavar="LIST", help="in percent")
    parser.add_argument("--periods", default=",".join(PERIODS), metavar="LIST")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=5, help="windows of each kind a repetition")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a window")
    parser.add_argument("--random-phase", action="store_true", help="start bursts at random")
    parser.add_argument("--interval", default="200ms", help="of a sample")
    parser.add_argument("--trim", type=float, default=0.1, help="share cut from each end")
    options = parser.parse_args()
    if options.repetitions < 1 or options.pairs < 1 or options.seconds <= 0:
        parser.error("--repetitions, --pairs and --seconds must be positive")
    options.first_period = options.periods.split(",")[0]
    return options


def truths_between(trace_path, begin_ns, end_ns):
    """The generator's share of the window, by its CPU clock and by its gaps (from when a burst was
    due to its end); a burst across an edge counts in part."""
    used_ns = gap_ns = 0.0
    with open(trace_path, encoding="ascii") as trace:
        for line in trace:
            _, due, burst_begin, burst_end, cpu_ns = map(int, line.split())
            inside = min(burst_end, end_ns) - max(burst_begin, begin_ns)
            if inside > 0:
                used_ns += cpu_ns * inside / (burst_end - burst_begin)
            gap_ns += max(0, min(burst_end, end_ns) - max(due, begin_ns))
    return used_ns / (end_ns - begin_ns), gap_ns / (end_ns - begin_ns)


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
        truths = truths_between(trace.name, begin_ns, begin_ns + ended["elapsed_seconds"] * 1e9)
    names = (
        "load_ratio untrimmed_load_ratio taken_ratio slowed_ratio accounted_ratio steal_ratio "
        "interruptions_per_second elapsed_seconds samples_kept samples_cut short"
    )
    window = {name: ended[name] for name in names.split()}
    window["truth_ratio"], window["gap_truth_ratio"] = truths
    window["generator"] = json.loads(output)
    for name in ("load_ratio", "untrimmed_load_ratio", "accounted_ratio"):
        if window[name] is None:
            raise bench.BenchError(f"{name} is null under duty {duty} %")
    return window


def average(windows):
    """One window of several: means, member by member."""
    mean = dict(windows[0])
    for name, value in mean.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            mean[name] = statistics.fmean(window[name] for window in windows)
    return mean


def run_pairs(options, client, duty, period, seed):
    """Windows under the duty, each followed by one without: both averaged over the pairs."""
    loaded, idle = [], []
    for pair in range(options.pairs):
        loaded.append(run_window(options, client, duty, period, seed + pair))
        idle.append(run_window(options, client, "0", period, seed + pair))
    return average(loaded), average(idle)


def run_windows(options, client):
    """All windows with their backgrounds, by (duty, period): lists in the order of the
    repetitions."""
    cases = [
        (duty, period)
        for period in options.periods.split(",")
        for duty in options.duties.split(",")
    ]
    windows = {case: [] for case in cases}
    for repetition in range(options.repetitions):
        # There and back again, so that a slow drift hits both ends of the list alike.
        for case in cases if repetition % 2 == 0 else reversed(cases):
            windows[case].append(run_pairs(options, client, *case, seed=repetition))
    return windows


def net_of(load, background):
    """What the load would be without the background: shares of what is left, not sums."""
    return 1 - (1 - load) / (1 - background)


def summarise(duty, period, pairs):
    """One row: medians over the repetitions; errors and spread in percentage points."""
    windows = [loaded for loaded, _ in pairs]
    backgrounds = [idle for _, idle in pairs]

    def median(value):
        return statistics.median(map(value, windows))

    errors = [window["load_ratio"] - window["truth_ratio"] for window in windows]
    nets = [
        net_of(window["load_ratio"], background["load_ratio"]) - window["gap_truth_ratio"]
        for window, background in zip(windows, backgrounds)
    ]
    return {
        "duty_percent": float(duty),
        "period": period,
        "truth_ratio": median(lambda w: w["truth_ratio"]),
        "gap_truth_ratio": median(lambda w: w["gap_truth_ratio"]),
        "gap_error_pp": 100 * median(lambda w: w["load_ratio"] - w["gap_truth_ratio"]),
        "load_ratio": median(lambda w: w["load_ratio"]),
        "untrimmed_load_ratio": median(lambda w: w["untrimmed_load_ratio"]),
        "accounted_ratio": median(lambda w: w["accounted_ratio"]),
        "steal_ratio": median(lambda w: w["steal_ratio"] or 0.0),
        "error_pp": 100 * statistics.median(errors),
        "background_ratio": statistics.median(idle["load_ratio"] for idle in backgrounds),
        "net_error_pp": 100 * statistics.median(nets),
        "net_spread_pp": 100 * (max(nets) - min(nets)),
        "untrimmed_error_pp": 100 * median(lambda w: w["untrimmed_load_ratio"] - w["truth_ratio"]),
        "accounted_error_pp": 100 * median(lambda w: w["accounted_ratio"] - w["truth_ratio"]),
        "spread_pp": 100 * (max(errors) - min(errors)),
        "windows": windows,
        "backgrounds": backgrounds,
    }


def worst(rows, name, period):
    return max((row[name] for row in rows if row["period"] == period), key=abs)


def print_table(options, rows):
    print(
        f"Load against a generator of known duty: CPU {options.cpu}, medians of "
        f"{options.repetitions} times {options.pairs} pairs of {options.seconds:g} s"
    )
    print()
    print("  duty  period    truth     gaps     load    idle   error     gap     net  spread  accounted")
    print("     %                %        %        %       %      pp      pp      pp      pp          %")
    for row in rows:
        print(
            f"{row['duty_percent']:6.1f}  {row['period']:>6}"
            f"  {100 * row['truth_ratio']:7.3f}  {100 * row['gap_truth_ratio']:7.3f}"
            f"  {100 * row['load_ratio']:7.3f}  {100 * row['background_ratio']:6.3f}"
            f"  {row['error_pp']:+6.3f}  {row['gap_error_pp']:+6.3f}"
            f"  {row['net_error_pp']:+6.3f}  {row['net_spread_pp']:6.3f}"
            f"  {100 * row['accounted_ratio']:9.3f}"
        )
    print()
    print(
        f"Worst error at {options.first_period}: "
        f"{worst(rows, 'error_pp', options.first_period):+.3f} pp by the CPU clock, "
        f"{worst(rows, 'gap_error_pp', options.first_period):+.3f} pp by the gaps, "
        f"{worst(rows, 'net_error_pp', options.first_period):+.3f} pp net of the background"
    )
    print(f"  (to reach: {TO_REACH_PP:.2f} pp)")
    for period in options.periods.split(","):
        print(
            f"Worst error of kernel accounting at {period}: "
            f"{worst(rows, 'accounted_error_pp', period):+.3f} pp"
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
    rows = [summarise(*case, windows[case]) for case in windows]
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
            "pairs": options.pairs,
            "worst_error_pp": worst(rows, "error_pp", options.first_period),
            "worst_gap_error_pp": worst(rows, "gap_error_pp", options.first_period),
            "worst_net_error_pp": worst(rows, "net_error_pp", options.first_period),
            "rows": rows,
        },
    )


if __name__ == "__main__":
    bench.main(run)
