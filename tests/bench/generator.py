# SPDX-License-Identifier: MIT
"""The generator of known duty (duty.c) and the truth that its trace tells of a stretch of time."""

import os
import tempfile
import time

import bench

CLOCK_MONOTONIC_COARSE = 6


def tick_period():
    """The kernel's tick as duty.c takes a period."""
    return f"{1e3 * time.clock_getres(CLOCK_MONOTONIC_COARSE):g}ms"


class Generator:
    """A load that waits for start(), for a `with` statement.

    cpus: those to load, each alike. arguments: more of duty's own.
    """

    def __init__(self, program, cpus, duty, period, seconds, arguments=()):
        handle, self._trace = tempfile.mkstemp(prefix="soak-duty.")
        os.close(handle)
        self._cpus = cpus
        command = [str(program), "--cpus", ",".join(map(str, cpus)), "--duty", str(duty)]
        command += ["--period", period, "--seconds", f"{seconds:.3f}", "--trace", self._trace]
        self._program = bench.LineProgram([*command, "--wait-for-line", *arguments])

    def __enter__(self):
        self._program.__enter__()
        try:
            self._program.read()  # that it is ready
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *exception):
        self._program.__exit__(*exception)
        os.unlink(self._trace)

    def start(self):
        self._program.send()

    def finish(self):
        """Wait for its end."""
        self._program.read()
        self._program.wait()

    def truths(self, begin_ns, end_ns):
        """The shares of a stretch of CLOCK_MONOTONIC that were the load's, means over its CPUs: by
        its CPU clock, and by its gaps, from when a burst was due to its end. A burst across an
        edge counts in part. The CPU clock leaves out what waking costs, which a soaker loses."""
        used_ns = gap_ns = 0.0
        with open(self._trace, encoding="ascii") as trace:
            for line in trace:
                _, due, burst_begin, burst_end, cpu_ns = map(int, line.split())
                inside = min(burst_end, end_ns) - max(burst_begin, begin_ns)
                if inside > 0:
                    used_ns += cpu_ns * inside / (burst_end - burst_begin)
                gap_ns += max(0, min(burst_end, end_ns) - max(due, begin_ns))
        whole_ns = (end_ns - begin_ns) * len(self._cpus)
        return used_ns / whole_ns, gap_ns / whole_ns
