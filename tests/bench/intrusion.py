#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""What soakers do to a workload: to one that fills the CPUs, and to those that sleep.

Each workload does a fixed amount of work alone, beside soakd's soakers, beside those of
`fio --idle-prof`, and beside a loop at nice 19 on each CPU; in turns, each of the four standing
still (SIGSTOP) while another's turn is. It runs in the session of the competitors, in one of its
own as a user's shell would be, and in a cgroup of its own. A figure is the median over the rounds
of time beside / time alone of the same round.

What a soaker does to a sleeper is no intrusion in that sense, and has either sign: a soaked CPU
never idles, so a sleeper's waking needs no idle state left, but a running thread interrupted and
switched from.
"""

import argparse
import contextlib
import os
import pathlib
import statistics
import tempfile

import bench
import peers

TO_REACH_RATIO = 1.01
PLACES = ("same session", "another session", "another cgroup")
CGROUP_V1 = pathlib.Path("/sys/fs/cgroup/cpu")
CGROUP_V2 = pathlib.Path("/sys/fs/cgroup")
FIRST_TIMES = 200
BUILD = bench.TREE / "build" / "tests" / "bench"


def parse_options():
    parser = argparse.ArgumentParser(description="Slowdown of workloads beside soakers.")
    bench.add_common_options(parser)
    parser.add_argument("--work-program", type=os.path.abspath, default=BUILD / "work")
    parser.add_argument("--sleepers-program", type=os.path.abspath, default=BUILD / "sleepers")
    parser.add_argument("--duty-program", type=os.path.abspath, default=BUILD / "duty")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.8, help="of CPU-bound work alone")
    parser.add_argument("--sleepers-seconds", type=float, default=0.3, help="of the others")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0 or options.sleepers_seconds <= 0:
        parser.error("numbers must be positive")
    return options


@contextlib.contextmanager
def own_cgroup():
    """A cpu cgroup, or None where none can be made: cgroup v1, or v2 with the controller on."""
    made = None
    for base, marker in ((CGROUP_V1, "cpu.shares"), (CGROUP_V2, "cgroup.subtree_control")):
        try:
            if base == CGROUP_V2 and "cpu" not in (base / marker).read_text().split():
                continue
            if (base / marker).exists():
                made = base / f"soak-bench.{os.getpid()}"
                made.mkdir()
                break
        except OSError:
            made = None
    try:
        yield made
    finally:
        if made:
            made.rmdir()


class Work:
    """A workload: how it is started, and asked for a round."""

    def __init__(self, name, command, seconds, counts):
        self.name = name
        self._command = command
        self._seconds = seconds
        self._counts = counts  # whether a line says how often, found out when it starts
        self._times = ""

    @contextlib.contextmanager
    def running(self, place, cgroup):
        setup = None
        if place == "another cgroup":
            setup = lambda: (cgroup / "cgroup.procs").write_text(str(os.getpid()))
        new_session = place == "another session"
        with bench.LineProgram(self._command, setup, new_session) as program:
            if self._counts:
                took = self._ask(program, FIRST_TIMES)
                took = self._ask(program, FIRST_TIMES)
                self._times = max(1, round(FIRST_TIMES * self._seconds / took))
            else:
                program.read()
            yield program

    @staticmethod
    def _ask(program, times):
        return program.ask(times)["elapsed_seconds"]

    def round(self, program):
        return self._ask(program, self._times)


def make_works(options, folder):
    sleepers = str(options.sleepers_program)
    hint = f"{options.seconds:.3f}"
    return [
        Work("CPU-bound", [str(options.work_program), "--seconds-hint", hint], None, False),
        Work("messages", [sleepers, "messages"], options.sleepers_seconds, True),
        Work("pipe", [sleepers, "pipe"], options.sleepers_seconds, True),
        Work("disk", [sleepers, "disk", f"{folder}/disk"], options.sleepers_seconds, True),
    ]


def measure_turns(work, program, competitors, n_rounds):
    """Seconds of each turn: lists by the name of what ran beside, None for alone."""
    took = {name: [] for name in (None, *competitors)}
    work.round(program)  # not counted: caches, page faults, frequency
    for index in range(n_rounds):
        names = list(took)
        for name in names if index % 2 == 0 else reversed(names):
            if name:
                competitors[name].set_running(True)
            try:
                took[name].append(work.round(program))
            finally:
                if name:
                    competitors[name].set_running(False)
    return took


def summarise(work, place, took):
    alone = took.pop(None)
    ratios = {
        name: statistics.median(beside / single for beside, single in zip(times, alone))
        for name, times in took.items()
    }
    return {
        "work": work.name,
        "place": place,
        "alone_seconds": alone,
        "beside_seconds": took,
        "ratios": ratios,
    }


def measure_all(options, competitors, cgroup):
    rows = []
    # Not /tmp, which may be a file system without O_DIRECT.
    with tempfile.TemporaryDirectory(prefix="soak-bench.", dir=options.folder) as folder:
        for work in make_works(options, folder):
            for place in PLACES:
                if place == "another cgroup" and not cgroup:
                    continue
                with work.running(place, cgroup) as program:
                    took = measure_turns(work, program, competitors, options.rounds)
                rows.append(summarise(work, place, took))
    return rows


def print_result(rows, names, environment):
    print("## Intrusion\n")
    print("Time beside soakers / time alone, medians of rounds in turns:\n")
    bench.print_table(
        ["workload", "in", "alone, s", *names],
        [
            [
                row["work"],
                row["place"],
                f"{statistics.median(row['alone_seconds']):.3f}",
                *(f"{row['ratios'][name]:.3f}" for name in names),
            ]
            for row in rows
        ],
    )
    print(
        f"\nIsolation {environment['isolation']}; by soakd's own measurement at its start its "
        f"soakers take {100 * (environment['intrusion_ratio'] or 0):.2f} %. Sleepers are below 1 "
        "where leaving an idle state takes longer than interrupting a soaker, above 1 where that "
        "is what takes longer.\n"
    )


def run():
    options = parse_options()
    options.folder = pathlib.Path(options.work_program).parent
    with contextlib.ExitStack() as stack:
        cgroup = stack.enter_context(own_cgroup())
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-bench."))
        daemon = stack.enter_context(bench.Daemon(options.soakd))
        environment = daemon.environment()
        competitors = {"soakd": daemon.soakers()}
        stack.callback(competitors["soakd"].set_running, True)
        competitors["soakd"].set_running(False)
        if peers.find("fio"):
            competitors["fio"] = stack.enter_context(peers.spinning_fio(folder))
        competitors["nice 19"] = stack.enter_context(
            peers.spinning_nice(options.duty_program, folder)
        )
        rows = measure_all(options, competitors, cgroup)
        names = list(competitors)
    print_result(rows, names, environment)
    if not cgroup:
        print("- not measured: another cgroup, as none could be made here")
    targets = [
        bench.print_target(
            f"{row['work']} in {row['place']}, beside soakd",
            row["ratios"]["soakd"],
            TO_REACH_RATIO,
            "times",
        )
        for row in rows
        if row["work"] == "CPU-bound"
    ]
    bench.write_json(
        options.json,
        {"benchmark": "intrusion", "environment": environment, "rows": rows, "targets": targets},
    )


if __name__ == "__main__":
    bench.main(run)
