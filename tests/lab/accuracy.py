#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Judge what accuracy.scenario.sh measured in two boots: TAP, one line a check.

In virtual time an instruction takes 2 ns and nothing else takes any, so what differs from the
truth is the kernel's own work or wrong arithmetic. The truth of a sample is the generator's CPU
clock between exactly the sample's two readings (its trace has every burst).

    net    the load with that of the idle machine taken out of it: 1 - (1 - load) / (1 - idle)
    slope  of net on truth, by least squares; the intercept is what waking costs outside the thread
"""

import json
import pathlib
import statistics
import sys

DUTIES = (2, 5, 20, 40, 60, 80)
MOST_SLOPE_ERROR = 1e-4
MOST_RESIDUAL = 1e-4
MOST_BOOT_DIFFERENCE = 5e-5
MOST_SLOWDOWN = 1.004
# soakd runs once a sample: what that takes beyond its CPU time is a timer interrupt and two
# switches. The kernel's own housekeeping is not in every sample, so the least one is looked at.
MOST_WAKING_NS = 60_000


class Checks:
    """TAP lines, and whether all were good."""

    def __init__(self):
        self._n = 0
        self.failed = 0

    def __call__(self, good, text):
        self._n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self._n} {text}")

    def end(self):
        print(f"1..{self._n}")
        return 1 if self.failed else 0


def read_json(path):
    return json.loads(path.read_text(encoding="ascii"))


def read_trace(path):
    """Bursts: (begin, end, CPU time), in ns on CLOCK_MONOTONIC."""
    bursts = []
    for line in path.read_text(encoding="ascii").splitlines():
        _, _, begin, end, cpu_ns = map(int, line.split())
        bursts.append((begin, end, cpu_ns))
    return bursts


def window_of(sample):
    end = sample["monotonic_seconds"] * 1e9
    return end - sample["elapsed_seconds"] * 1e9, end


def truth_of(bursts, begin, end):
    used_ns = 0.0
    for burst_begin, burst_end, cpu_ns in bursts:
        inside = min(burst_end, end) - max(burst_begin, begin)
        if inside > 0:
            used_ns += cpu_ns * inside / (burst_end - burst_begin)
    return used_ns / (end - begin)


def point_of(samples, bursts):
    """Load and truth over the samples that lie wholly under this duty."""
    loads, truths = [], []
    for sample in samples:
        begin, end = window_of(sample)
        if begin >= bursts[1][0] and end <= bursts[-1][0]:
            loads.append(sample["load_ratio"])
            truths.append(truth_of(bursts, begin, end))
    return statistics.fmean(loads), statistics.fmean(truths), len(loads)


def read_schedstat(path):
    cpu_ns, _, n_runs = map(int, path.read_text(encoding="ascii").split())
    return cpu_ns, n_runs


class Boot:
    """What came out of one boot."""

    def __init__(self, folder):
        self.status = read_json(folder / "status.json")
        self.samples = read_json(folder / "samples.json")["samples"]
        self.run = read_json(folder / "run.json")["runs"][0]
        work = (folder / "work.json").read_text(encoding="ascii").splitlines()
        self.rounds = [json.loads(line)["elapsed_seconds"] for line in work[1:]]
        traces = [read_trace(folder / f"duty-{duty}.trace") for duty in DUTIES]
        self.points = [point_of(self.samples, trace) for trace in traces]
        before, after = (read_schedstat(folder / f"idle.{when}") for when in ("before", "after"))
        self.own_ns = (after[0] - before[0]) / max(1, after[1] - before[1])
        self.idle_loads = self._idle_loads(traces[0][0][0])

    def _idle_loads(self, until_ns):
        """Samples of duty 0: those before the first burst, but for those that saw a program
        start."""
        loads = [s["load_ratio"] for s in self.samples if window_of(s)[1] < until_ns]
        quiet = [load for load in loads if load < 0.002]
        if len(quiet) < 3:
            raise SystemExit(f"accuracy: only {len(quiet)} samples of an idle machine")
        return quiet

    @property
    def idle(self):
        return statistics.fmean(self.idle_loads)

    @property
    def nets(self):
        return [1 - (1 - load) / (1 - self.idle) for load, _, _ in self.points]

    @property
    def slowdown(self):
        beside, without = self.rounds
        return beside / without


def pp(ratio, digits=4):
    return f"{100 * ratio:+.{digits}f} pp"


def check_setting(check, boot):
    status = boot.status
    check(status["clock"] == "tsc", f"the clock is the TSC ({status['clock']})")
    check(status["isolation"] == "cgroup-v2", f"isolation is cgroup-v2 ({status['isolation']})")
    floor, unsure = status["idle_floor_ratio"], status["idle_floor_uncertainty_ratio"]
    check(
        status["quiet"] and 0 < floor < 0.01 and unsure <= 5e-5,
        f"idle floor {100 * floor:.4f} % +- {100 * unsure:.4f} pp, calibrated in quiet",
    )


def check_idle(check, boot):
    """The anchor of the line: without it, a constant added to every load would not be seen."""
    seconds = boot.status["interval_seconds"]
    least, own = min(boot.idle_loads), boot.own_ns / (seconds * 1e9)
    most = own + MOST_WAKING_NS / (seconds * 1e9)
    check(
        own <= least <= most,
        f"an idle machine reads {100 * least:.4f} %: what soakd itself takes"
        f" (from {100 * own:.4f} % by its CPU clock to {100 * most:.4f} % with its waking)",
    )


def check_line(check, boot):
    truths = [truth for _, truth, _ in boot.points]
    slope, intercept = statistics.linear_regression(truths, boot.nets)
    residuals = [net - slope * t - intercept for t, net in zip(truths, boot.nets)]
    print("#  samples      truth        load         net    residual")
    for (load, truth, n), net, residual in zip(boot.points, boot.nets, residuals):
        print(
            f"#  {n:7}  {100 * truth:8.4f} %  {100 * load:8.4f} %  {100 * net:8.4f} %"
            f"  {pp(residual)}"
        )
    check(
        abs(slope - 1) <= MOST_SLOPE_ERROR,
        f"the load is linear in the truth: slope {slope:.6f}, waking {pp(intercept)}",
    )
    worst = max(residuals, key=abs)
    check(abs(worst) <= MOST_RESIDUAL, f"no duty is further from the line than {pp(worst)}")


def check_run(check, boot):
    """soakctl's run file against what the daemon sampled, and its load against arithmetic done
    here."""
    daemon = {sample["monotonic_seconds"]: sample["load_ratio"] for sample in boot.samples}
    kept = boot.run["samples"]
    pairs = list(zip(kept["monotonic_seconds"], kept["load_ratio"]))
    check(
        len(pairs) >= 7 and all(daemon.get(when) == load for when, load in pairs),
        f"the run file holds the daemon's {len(pairs)} samples",
    )
    # --trim 1, over the samples that lie wholly in the run.
    trimmed = statistics.fmean(sorted(load for _, load in pairs)[1:-1])
    error = boot.run["load_ratio"] - trimmed
    check(abs(error) <= 1e-9, f"its load is their trimmed mean ({pp(error, 7)})")


def check_boots(check, one, other):
    """Loads beyond their truths, as the windows do not begin at the same place of a burst."""
    differences = [
        (load - truth) - (other_load - other_truth)
        for (load, truth, _), (other_load, other_truth, _) in zip(one.points, other.points)
    ]
    differences.append(one.idle - other.idle)
    differences.append(one.status["idle_floor_ratio"] - other.status["idle_floor_ratio"])
    worst = max(differences, key=abs)
    check(abs(worst) <= MOST_BOOT_DIFFERENCE, f"two boots read the same ({pp(worst)})")


def main():
    check = Checks()
    boots = [Boot(pathlib.Path(folder)) for folder in sys.argv[1:]]
    for boot in boots:
        check_setting(check, boot)
        check_idle(check, boot)
        check_line(check, boot)
        check_run(check, boot)
        check(
            boot.slowdown <= MOST_SLOWDOWN,
            f"CPU-bound work in another session is slowed down {boot.slowdown:.5f}x",
        )
    check_boots(check, *boots)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
