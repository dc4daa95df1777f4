#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""How well the load matches a generator of known duty, beside every peer that is here.

Each case is a load (tests/bench/duty.c). In turns, under the same load: soakd between two exact
moments; the same without load, its background; `fio --idle-prof`; mpstat; cyclesoak where there
is one. soakd's soakers stand still while another measures. /proc/stat is read over soakd's own
windows, the soakers left out.

The truth is the generator's own: by its gaps (from when a burst was due to its end, which is what
a soaker cannot have), and by its CPU clock, which leaves out what waking costs. What a virtual
machine loses to its host is in no truth, so beside each raw error there is the net one, with the
tool's own figure of the idle machine taken out. Hosts do things of their own every few seconds
(seen: 2000 interrupts a second more for one second in five), so windows last that long.
"""

import argparse
import contextlib
import dataclasses
import os
import statistics
import time

import bench
import generator
import peers

LEAD_SECONDS = 0.1  # the load runs alone before a window
TAIL_SECONDS = 0.4  # and after it, as a peer's window is not known to the millisecond
TO_REACH_PP = 0.10
TO_REACH_TICK_PP = 0.2
TO_REACH_SHARE = 0.1
HEADLINE = "10ms"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    duty: str
    period: str
    repetitions: int
    arguments: tuple = ()
    all_cpus: bool = False
    seconds: int = 0  # 0: as the others


def make_cases(options):
    few = min(3, options.repetitions)
    tick = generator.tick_period()
    return [
        *(
            Case(HEADLINE, duty, HEADLINE, options.repetitions)
            for duty in options.duties
        ),
        Case("0.1ms", "5", "0.1ms", few),
        Case("1ms", "5", "1ms", few),
        Case("100ms", "5", "100ms", few),
        Case("10ms random", "5", HEADLINE, few, ("--random-phase", "1")),
        Case("10ms all CPUs", "20", HEADLINE, few, all_cpus=True),
        Case("tick-locked", "20", tick, options.repetitions, ("--tick-locked",)),
        Case(
            f"{options.burst_seconds / 2:g} s bursts",
            "50",
            f"{options.burst_seconds}s",
            1,
            seconds=options.burst_seconds,
        ),
    ]


def duties(text):
    return [f"{bench.duty(one):g}" for one in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(description="Accuracy of the load against known duties.")
    bench.add_common_options(parser)
    parser.add_argument("--duty-program", default=bench.TREE / "build" / "tests" / "bench" / "duty")
    parser.add_argument("--cpu", type=int, help="the CPU to load (default: the last)")
    parser.add_argument(
        "--duties", type=duties, default="0.2,1,5,20,60", metavar="LIST", help="at 10 ms, in %%"
    )
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="length of a window")
    parser.add_argument("--burst-seconds", type=int, default=10, help="of those with bursts")
    options = parser.parse_args()
    if min(options.repetitions, options.seconds, options.burst_seconds) < 1:
        parser.error("--repetitions, --seconds and --burst-seconds must be positive")
    options.cpu = bench.choose_cpu(parser, options.cpu)
    return options


class Bench:
    """What the tools share: the CPUs, the daemon, the lengths."""

    def __init__(self, options, daemon, cyclesoak):
        self.options = options
        self.client = daemon.client
        self.soakers = daemon.soakers()
        self.cyclesoak = cyclesoak
        self.all_cpus = sorted(os.sched_getaffinity(0))
        self.other_cpus = set(self.all_cpus) - {options.cpu}

    def cpus(self, case):
        return self.all_cpus if case.all_cpus else [self.options.cpu]

    def seconds(self, case):
        return case.seconds or self.options.seconds

    def load(self, case, duty):
        length = self.seconds(case) + LEAD_SECONDS + TAIL_SECONDS
        return generator.Generator(
            self.options.duty_program, self.cpus(case), duty, case.period, length, case.arguments
        )

    @contextlib.contextmanager
    def soakers_stopped(self):
        self.soakers.set_running(False)
        try:
            yield
        finally:
            self.soakers.set_running(True)


def figure(load, truths):
    return {"load_ratio": load, "truth_ratio": truths[0], "gap_truth_ratio": truths[1]}


def measure_soakd(setup, case, duty):
    with setup.load(case, duty) as load:
        load.start()
        time.sleep(LEAD_SECONDS)
        begun = setup.client.call("run.begin", cpus=setup.cpus(case))
        time.sleep(setup.seconds(case))
        ended = setup.client.call("run.end", run=begun["run"])
        load.finish()
        begin_ns = begun["monotonic_seconds"] * 1e9
        truths = load.truths(begin_ns, begin_ns + ended["elapsed_seconds"] * 1e9)
    result = figure(ended["untrimmed_load_ratio"], truths)
    for name in ("accounted_ratio", "steal_ratio", "slowed_ratio", "interruptions_per_second"):
        result[name] = ended[name]
    if result["load_ratio"] is None or result["accounted_ratio"] is None:
        raise bench.BenchError(f"no load of a window under {case.name}")
    return result


def measure_fio(setup, case, duty):
    """The load begins when fio has calibrated and runs longer than it, always alike."""
    seconds = setup.seconds(case)
    with setup.soakers_stopped(), setup.load(case, duty) as load:
        with peers.FioIdle(seconds, setup.other_cpus) as fio:
            begin_ns = fio.wait_until_it_begins()
            load.start()
            value, _ = fio.read(setup.cpus(case))
        load.finish()
        return figure(value, load.truths(begin_ns, begin_ns + seconds * 10**9))


def measure_mpstat(setup, case, duty):
    seconds = setup.seconds(case)
    with setup.soakers_stopped(), setup.load(case, duty) as load:
        load.start()
        time.sleep(LEAD_SECONDS)
        begin_ns = time.monotonic_ns()
        with peers.Mpstat(setup.cpus(case), seconds) as mpstat:
            value = mpstat.read()
        load.finish()
        return figure(value, load.truths(begin_ns, begin_ns + seconds * 10**9))


def measure_cyclesoak(setup, case, duty):
    long = dataclasses.replace(case, seconds=max(3, setup.seconds(case)))
    with setup.soakers_stopped(), setup.load(long, duty) as load:
        load.start()
        time.sleep(LEAD_SECONDS)
        begin_ns = time.monotonic_ns()
        cpus = setup.cpus(case)
        value = setup.cyclesoak.measure(len(setup.all_cpus), len(cpus))
        load.finish()
        return figure(value, load.truths(begin_ns, begin_ns + 2 * 10**9))


def pick_tools(setup):
    tools = {"soakd": measure_soakd}
    if peers.find("fio"):
        tools["fio"] = measure_fio
    if peers.find("mpstat"):
        tools["mpstat"] = measure_mpstat
    if setup.cyclesoak:
        tools["cyclesoak"] = measure_cyclesoak
    return tools


def measure_repetition(setup, tools, case):
    """soakd under the load and, next to that, without; then each peer under the load."""
    results = {"soakd": measure_soakd(setup, case, case.duty)}
    results["background"] = measure_soakd(setup, case, "0")
    for name, measure in tools.items():
        if name not in results:
            results[name] = measure(setup, case, case.duty)
    return results


def measure_all(setup, tools, cases):
    """Results of every repetition by case, and the peers' figures of the idle machine."""
    results = {case: [] for case in cases}
    idle = {name: [] for name in tools if name != "soakd"}
    for repetition in range(setup.options.repetitions):
        # There and back again, so that a slow drift hits both ends of the list alike.
        for case in cases if repetition % 2 == 0 else cases[::-1]:
            if repetition < case.repetitions:
                results[case].append(measure_repetition(setup, tools, case))
        for name, values in idle.items():
            values.append(tools[name](setup, cases[0], "0")["load_ratio"])
    return results, idle


def net_of(load, background):
    """What the load would be without the background: shares of what is left, not sums."""
    return 1 - (1 - load) / (1 - background)


def spread_of(errors):
    """worst: the one that is furthest from 0, with its sign."""
    return {
        "median_pp": statistics.median(errors),
        "mean_pp": statistics.fmean(errors),
        "worst_pp": max(errors, key=abs),
    }


def errors_of(name, repetitions, idle):
    """Raw and net errors by the gaps, in pp, over the repetitions."""
    raw, net = [], []
    for results in repetitions:
        result = results[name]
        background = (
            results["background"]["load_ratio"]
            if name == "soakd"
            else statistics.median(idle[name])
        )
        raw.append(100 * (result["load_ratio"] - result["gap_truth_ratio"]))
        net.append(100 * (net_of(result["load_ratio"], background) - result["gap_truth_ratio"]))
    return {"raw": spread_of(raw), "net": spread_of(net)}


def summarise(case, repetitions, tools, idle):
    def median(name, member):
        return statistics.median(results[name][member] for results in repetitions)

    accounted = [
        100 * (results["soakd"]["accounted_ratio"] - results["soakd"]["gap_truth_ratio"])
        for results in repetitions
    ]
    return {
        "case": case.name,
        "duty_percent": float(case.duty),
        "truth_ratio": median("soakd", "truth_ratio"),
        "gap_truth_ratio": median("soakd", "gap_truth_ratio"),
        "load_ratio": median("soakd", "load_ratio"),
        "background_ratio": median("background", "load_ratio"),
        "errors": {name: errors_of(name, repetitions, idle) for name in tools},
        "accounted_errors": spread_of(accounted),
        "repetitions": repetitions,
    }


def sizes(rows, name, kind):
    """How far the medians are from 0."""
    return [abs(row["errors"][name][kind]["median_pp"]) for row in rows]


def pp(value):
    return f"{value:+.3f}"


def print_medians(rows, tools):
    peers_here = [name for name in tools if name != "soakd"]
    headings = ["load", "duty, %", "CPU clock, %", "gaps, %", "soakd, %", "idle, %"]
    for name in ("soakd", *peers_here):
        headings += [name, "net"]
    table = []
    for row in rows:
        ratios = (row[f"{name}_ratio"] for name in ("truth", "gap_truth", "load", "background"))
        cells = [row["case"], f"{row['duty_percent']:g}", *(f"{100 * x:.3f}" for x in ratios)]
        for name in ("soakd", *peers_here):
            cells += [pp(row["errors"][name][kind]["median_pp"]) for kind in ("raw", "net")]
        table.append([*cells, pp(row["accounted_errors"]["median_pp"])])
    headline = [row for row in rows if row["case"] == HEADLINE]
    for word, pick in (("worst", max), ("mean", statistics.fmean)):
        cells = [f"{word} at {HEADLINE}", "", "", "", "", ""]
        for name in ("soakd", *peers_here):
            cells += [f"{pick(sizes(headline, name, kind)):.3f}" for kind in ("raw", "net")]
        accounted = pick(abs(row["accounted_errors"]["median_pp"]) for row in headline)
        table.append([*cells, f"{accounted:.3f}"])
    bench.print_table([*headings, "/proc/stat"], table)


def print_spreads(rows, tools):
    headings, table = ["load", "duty, %", "windows"], []
    for name in tools:
        headings += [f"{name} mean", "worst", "net mean", "worst"]
    for row in rows:
        cells = [row["case"], f"{row['duty_percent']:g}", len(row["repetitions"])]
        for name in tools:
            for kind in ("raw", "net"):
                spread = row["errors"][name][kind]
                cells += [pp(spread["mean_pp"]), pp(spread["worst_pp"])]
        spread = row["accounted_errors"]
        table.append([*cells, pp(spread["mean_pp"]), pp(spread["worst_pp"])])
    bench.print_table([*headings, "/proc/stat mean", "worst"], table)


def print_targets(rows, tools):
    headline = [row for row in rows if row["case"] == HEADLINE]
    worst = max(sizes(headline, "soakd", "net"))
    targets = [
        bench.print_target("worst error at 10 ms, net of the background", worst, TO_REACH_PP, "pp"),
        bench.print_target(
            "worst error at 10 ms, raw", max(sizes(headline, "soakd", "raw")), TO_REACH_PP, "pp"
        ),
    ]
    for kind in ("raw", "net") if "fio" in tools else ():
        share = max(sizes(headline, "soakd", kind)) / max(sizes(headline, "fio", kind))
        what = f"worst error at 10 ms, of fio's ({kind})"
        targets.append(bench.print_target(what, share, TO_REACH_SHARE, "times"))
    tick = [row for row in rows if row["case"] == "tick-locked"]
    worst = max(sizes(tick, "soakd", "net"))
    targets.append(
        bench.print_target("tick-locked load, net, by the gaps", worst, TO_REACH_TICK_PP, "pp")
    )
    return targets


def run():
    options = parse_options()
    with contextlib.ExitStack() as stack:
        # Before the soakers are there, as it calibrates.
        cyclesoak = None
        if peers.find("cyclesoak"):
            cyclesoak = stack.enter_context(peers.Cyclesoak())
        daemon = stack.enter_context(bench.Daemon(options.soakd))
        setup = Bench(options, daemon, cyclesoak)
        bench.keep_away_from(options.cpu)
        tools = pick_tools(setup)
        results, idle = measure_all(setup, tools, make_cases(options))
        environment = daemon.environment()
    rows = [summarise(case, results[case], tools, idle) for case in results]
    print("## Accuracy\n")
    print(
        f"A load of known duty on CPU {options.cpu}; windows of {options.seconds} s, in turns, "
        f"medians of {options.repetitions} (others than 10 ms and tick-locked: fewer). Errors "
        "in pp, load - the generator's gaps; `net`: the tool's own idle figure taken out. Going "
        "to sleep is in no truth, and at 1 ms and below that shows in the loads of all soakers.\n"
    )
    print_medians(rows, tools)
    print("\nThe same errors: mean and worst of all windows.\n")
    print_spreads(rows, tools)
    print()
    targets = print_targets(rows, tools)
    missing = [name for name in ("fio", "mpstat", "cyclesoak") if name not in tools]
    if missing:
        print(f"- not on this machine: {', '.join(missing)}")
    bench.write_json(
        options.json,
        {
            "benchmark": "accuracy",
            "environment": environment,
            "cpu": options.cpu,
            "window_seconds": options.seconds,
            "peers_idle_ratios": idle,
            "rows": rows,
            "targets": targets,
        },
    )


if __name__ == "__main__":
    bench.main(run)
