# SPDX-License-Identifier: MIT
"""The other programs that a CPU's idle time is measured with, as their users would run them."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import bench

END_LIMIT_SECONDS = 10
FIO_JOB = ["--name=idle", "--ioengine=null", "--size=1g", "--rate_iops=1", "--time_based"]


def find(name):
    """Return the program's path, or None."""
    return shutil.which(name)


def end(process):
    """End a process that may stand still."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    try:
        process.wait(END_LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def spinning(command, folder, nice=None):
    """A competitor that runs until the block ends, as a bench.Stoppable that stands still."""

    def prepare():
        bench.die_with_parent()
        if nice is not None:
            os.nice(nice)

    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=prepare,
    )
    try:
        time.sleep(1)  # for fio: to calibrate
        if process.poll() is not None:
            raise bench.BenchError(f"{command[0]} ended early, with status {process.returncode}")
        stoppable = bench.Stoppable(process.pid)
        stoppable.set_running(False)
        yield stoppable
    finally:
        end(process)


def spinning_fio(folder):
    command = ["fio", "--idle-prof=percpu", "--thread", "--runtime=3600", *FIO_JOB]
    return spinning(command, folder)


def spinning_nice(duty_program, folder):
    """A loop on each CPU, at nice 19."""
    command = [str(duty_program), "--cpus", "all", "--duty", "100", "--period", "1s"]
    return spinning([*command, "--seconds", "3600"], folder, nice=19)


class FioIdle:
    """One measurement of `fio --idle-prof`: it calibrates, calls back through a fifo when it
    begins, and measures until its only job, which does next to nothing, is over."""

    def __init__(self, seconds, other_cpus):
        self._folder = tempfile.mkdtemp(prefix="soak-fio.")
        fifo = os.path.join(self._folder, "begun")
        os.mkfifo(fifo)
        # Open for both, so that neither side waits for the other to come or sees it go.
        self._begun = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        command = ["fio", "--idle-prof=percpu", "--thread", "--output-format=json"]
        command += [*FIO_JOB, f"--runtime={seconds:.3f}"]
        command += ["--exec_prerun=sh -c 'echo begun >begun'"]
        if other_cpus:
            command += ["--cpus_allowed=" + ",".join(map(str, sorted(other_cpus)))]
        self._process = subprocess.Popen(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=bench.die_with_parent,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self._process)
        self._process.stdout.close()
        self._process.stderr.close()
        os.close(self._begun)
        shutil.rmtree(self._folder, ignore_errors=True)

    def wait_until_it_begins(self):
        """Return CLOCK_MONOTONIC in ns."""
        limit = time.monotonic() + END_LIMIT_SECONDS
        os.set_blocking(self._begun, False)
        while True:
            try:
                if os.read(self._begun, 64):
                    return time.monotonic_ns()
            except BlockingIOError:
                pass
            if self._process.poll() is not None or time.monotonic() > limit:
                raise bench.BenchError("fio did not begin")
            time.sleep(0.0005)

    def read(self, cpus):
        """Wait for its end. Return the mean load of the CPUs, 0..1, and when it was over in ns."""
        output, errors = self._process.communicate(timeout=60)
        end_ns = time.monotonic_ns()
        if self._process.returncode != 0:
            raise bench.BenchError(f"fio: {errors.strip() or self._process.returncode}")
        # What it says of its job may come before the document.
        idleness = json.loads(output[output.index("{") :])["cpu_idleness"]
        idle = sum(idleness[f"cpu-{cpu}"] for cpu in cpus) / len(cpus)
        return 1 - idle / 100, end_ns


class Mpstat:
    """`mpstat` over whole seconds, begun now."""

    def __init__(self, cpus, seconds):
        command = ["mpstat", "-P", ",".join(map(str, cpus)), "-o", "JSON", str(seconds), "1"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, preexec_fn=bench.die_with_parent
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self._process)
        self._process.stdout.close()

    def read(self):
        """Return the load: what is neither idle nor waiting for I/O, 0..1."""
        output, _ = self._process.communicate(timeout=60)
        if self._process.returncode != 0:
            raise bench.BenchError(f"mpstat ended with status {self._process.returncode}")
        # {"sysstat": {"hosts": [{"statistics": [{"cpu-load": [...]}]}]}}
        loads = json.loads(output)["sysstat"]["hosts"][0]["statistics"][0]["cpu-load"]
        busy = [100 - load["idle"] - load["iowait"] for load in loads]
        return sum(busy) / len(busy) / 100


class Cyclesoak:
    """The classic: calibrated once in a folder of its own, then a line each second.

    It says the load of all CPUs together ("System load: 61.4%"), so only loads on all are its
    own figure; on one CPU of n, it is n times what it says.
    """

    LINE = re.compile(r"System load:\s*(-?[0-9.]+)%")

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="soak-cyclesoak.")
        self._run(["cyclesoak", "-C"], 8)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, command, seconds):
        """Its children outlive it when it is killed: they are ended as a group."""
        process = subprocess.Popen(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
            preexec_fn=bench.die_with_parent,
        )
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
        return output

    def measure(self, n_cpus, n_measured):
        """Two seconds of it: the last line's load, of the CPUs that are loaded."""
        loads = self.LINE.findall(self._run(["cyclesoak"], 2.5))
        if not loads:
            raise bench.BenchError("cyclesoak said no load")
        return float(loads[-1]) / 100 * n_cpus / n_measured
