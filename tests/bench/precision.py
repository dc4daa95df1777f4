#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""How well the load repeats, and how small a difference it tells.

A generator holds a steady duty on one CPU. Repeatability is the standard deviation over windows
of 12 one-second samples, trimmed as a run is (seeds/004 had three of them: 0.13 pp). Resolution
is what `soakctl ab -n 10` makes of two duties that differ by little, and the smallest difference
that it says these runs could have shown.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import bench
import generator

WINDOW_SAMPLES = 12  # of a second each
TRIMMED_EACH_END = 1  # 10 % of 12
TO_REACH_SD_PP = 0.03


def parse_options():
    build = bench.TREE / "build"
    parser = argparse.ArgumentParser(description="Repeatability and resolution of the load.")
    bench.add_common_options(parser)
    parser.add_argument("--duty-program", default=build / "tests" / "bench" / "duty")
    parser.add_argument("--soakctl", default=build / "soakctl")
    parser.add_argument("--cpu", type=int, help="the CPU to load (default: the last)")
    parser.add_argument("--duty", type=bench.duty, default=5.0, help="in percent")
    parser.add_argument("--more", type=bench.duty, default=0.2, help="of the other duty, in pp")
    parser.add_argument("--windows", type=int, default=10)
    parser.add_argument("--runs", type=int, default=10, help="a side, even")
    parser.add_argument("--run-seconds", type=float, default=5.0)
    options = parser.parse_args()
    if options.windows < 2 or options.run_seconds <= 0:
        parser.error("two windows at least, and runs of positive length")
    if options.runs < 2 or options.runs % 2 != 0:
        parser.error(f"--runs {options.runs}: must be even, as runs come in blocks of A B B A")
    if options.duty + options.more > 100:
        parser.error("--duty and --more must not exceed 100 together")
    options.cpu = bench.choose_cpu(parser, options.cpu)
    return options


def collect_samples(client, n_samples):
    """The next n one-second samples."""
    last = client.call("samples.get", last=1)["samples"]
    since = last[-1]["seq"] if last else 0
    time.sleep(n_samples + 0.5)
    samples = client.call("samples.get", since=since)["samples"]
    if len(samples) < n_samples:
        raise bench.BenchError(f"{len(samples)} samples instead of {n_samples}")
    return samples[:n_samples]


def load_of(sample, cpu):
    part = next(part for part in sample["cpus"] if part["cpu"] == cpu)
    if not part["valid"]:
        raise bench.BenchError(f"a sample of CPU {cpu} is not valid: {part['flags']}")
    return part["load_ratio"]


def trimmed_mean(values):
    return statistics.fmean(sorted(values)[TRIMMED_EACH_END:-TRIMMED_EACH_END])


def measure_windows(options, client):
    n_samples = options.windows * WINDOW_SAMPLES
    load = generator.Generator(
        options.duty_program, [options.cpu], options.duty, "10ms", n_samples + 4
    )
    with load:
        load.start()
        time.sleep(1)
        samples = collect_samples(client, n_samples)
        load.finish()
        windows = []
        for first in range(0, n_samples, WINDOW_SAMPLES):
            part = samples[first : first + WINDOW_SAMPLES]
            begin_ns = 1e9 * (part[0]["monotonic_seconds"] - part[0]["elapsed_seconds"])
            truth = load.truths(begin_ns, 1e9 * part[-1]["monotonic_seconds"])[1]
            loads = [load_of(sample, options.cpu) for sample in part]
            window = {
                "load_ratio": trimmed_mean(loads),
                "untrimmed_load_ratio": statistics.fmean(loads),
                "gap_truth_ratio": truth,
                "samples": loads,
            }
            if options.idle_cpu is not None:
                loads = [load_of(sample, options.idle_cpu) for sample in part]
                window["idle_load_ratio"] = trimmed_mean(loads)
            windows.append(window)
    return windows


def sd_pp(values):
    return 100 * statistics.stdev(values)


def measure_resolution(options, daemon):
    """What soakctl says of two duties."""

    def command(duty):
        return (
            f"{options.duty_program} --cpu {options.cpu} --duty {duty:g} --period 10ms "
            f"--seconds {options.run_seconds:g} >/dev/null"
        )

    with tempfile.TemporaryDirectory(prefix="soak-bench.") as folder:
        path = os.path.join(folder, "ab.json")
        argv = [str(options.soakctl), "ab", "--socket", daemon.path, "-n", str(options.runs), "-q"]
        argv += ["--settle", "0", "--cpus", str(options.cpu), "-o", path]
        argv += ["--", command(options.duty), "--", command(options.duty + options.more)]
        run(argv)
        compare = ["compare", "--format", "json", "--metric", "untrimmed", path]
        output = run([str(options.soakctl), *compare])
    metric = json.loads(output)["pairs"][0]["metrics"][0]
    names = "difference ci_low ci_high p verdict detectable"
    return {name: metric[name] for name in names.split()}


def run(argv):
    """Run a program of ours. Return its output."""
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=600, preexec_fn=bench.die_with_parent
    )
    if done.returncode != 0:
        raise bench.BenchError(f"{argv[1]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def print_windows(options, windows):
    def column(member):
        return [window[member] for window in windows]

    untrimmed, gaps = column("untrimmed_load_ratio"), column("gap_truth_ratio")
    rows = [
        ("load, trimmed", column("load_ratio")),
        ("load, untrimmed", untrimmed),
        ("the generator's own gaps", gaps),
        ("load, untrimmed - gaps", [load - gap for load, gap in zip(untrimmed, gaps)]),
    ]
    if options.idle_cpu is not None:
        rows.append((f"load of idle CPU {options.idle_cpu}, trimmed", column("idle_load_ratio")))
    bench.print_table(
        [f"{len(windows)} windows of 12 s, duty {options.duty:g} %", "mean, %", "sd, pp"],
        [
            [name, f"{100 * statistics.fmean(values):.3f}", f"{sd_pp(values):.4f}"]
            for name, values in rows
        ],
    )


def main():
    options = parse_options()
    options.idle_cpu = min(os.sched_getaffinity(0) - {options.cpu}, default=None)
    with bench.Daemon(options.soakd) as daemon:
        bench.keep_away_from(options.cpu)
        windows = measure_windows(options, daemon.client)
        resolution = measure_resolution(options, daemon)
        environment = daemon.environment()
    print("## Precision\n")
    print_windows(options, windows)
    print(
        f"\n`soakctl ab -n {options.runs}`, {options.run_seconds:g} s a run, duty "
        f"{options.duty:g} % and {options.duty + options.more:g} %: "
        f"{100 * resolution['difference']:+.3f} pp "
        f"[{100 * resolution['ci_low']:+.3f}, {100 * resolution['ci_high']:+.3f}], "
        f"{resolution['verdict'].upper()}; smallest difference that these runs show in 4 of 5 "
        f"cases: {100 * resolution['detectable']:.3f} pp\n"
    )
    sd = sd_pp([window["load_ratio"] for window in windows])
    targets = [
        bench.print_target("sd of the load over windows of 12 s", sd, TO_REACH_SD_PP, "pp"),
        bench.print_target(
            f"smallest difference shown, {options.runs} a side",
            100 * resolution["detectable"],
            options.more,
            "pp",
        ),
    ]
    bench.write_json(
        options.json,
        {
            "benchmark": "precision",
            "environment": environment,
            "cpu": options.cpu,
            "duty_percent": options.duty,
            "windows": windows,
            "resolution": resolution,
            "targets": targets,
        },
    )


if __name__ == "__main__":
    bench.main(main)
