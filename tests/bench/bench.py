# SPDX-License-Identifier: MIT
"""What the benchmarks share: a private soakd that ends with its benchmark, and a client of its
socket. Python's standard library only."""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parents[2]
START_LIMIT_SECONDS = 60
STOP_LIMIT_SECONDS = 10
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class BenchError(Exception):
    """Something that ends the benchmark, told in one line."""


def die_with_parent():
    """For preexec_fn: the child ends when this process does, however that ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Client:
    """One connection. Calls are made one after the other, so the next line is the answer."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(START_LIMIT_SECONDS)
        self._socket.connect(path)
        self._lines = self._socket.makefile("rb")
        self._id = 0

    def call(self, method, **params):
        self._id += 1
        request = {"jsonrpc": "2.0", "id": self._id, "method": method}
        if params:
            request["params"] = params
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        line = self._lines.readline()
        if not line:
            raise BenchError(f"{method}: soakd closed the connection")
        answer = json.loads(line)
        if "error" in answer:
            raise BenchError(f"{method}: {answer['error']}")
        return answer["result"]

    def close(self):
        self._lines.close()
        self._socket.close()


class Daemon:
    """A private soakd, for a `with` statement: sampling when entered, gone when left."""

    def __init__(self, soakd, cpus=None, interval="1s", body=None):
        self._argv = [str(soakd), "run", "--interval", interval]
        if cpus is not None:
            self._argv += ["--cpus", ",".join(map(str, cpus))]
        if body is not None:
            self._argv += ["--body", body]
        self._dir = None
        self._process = None
        self.path = None
        self.client = None
        self.answering_seconds = None  # from exec to the first answer
        self.sampling_seconds = None  # from exec to the first sample's beginning

    def __enter__(self):
        self._dir = tempfile.mkdtemp(prefix="soak-bench.")
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        self.path = os.path.join(self._dir, "s")
        begin = time.monotonic()
        with open(os.path.join(self._dir, "log"), "wb") as log:
            self._process = subprocess.Popen(
                self._argv + ["--socket", self.path],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        limit = begin + START_LIMIT_SECONDS
        while not self._is_sampling(begin):
            if self._process.poll() is not None:
                raise BenchError(f"soakd did not start: {self._log_end()}")
            if time.monotonic() > limit:
                raise BenchError(f"soakd is not sampling after {START_LIMIT_SECONDS} s")
            time.sleep(0.005)

    def _is_sampling(self, begin):
        if self.client is None:
            try:
                self.client = Client(self.path)
            except OSError:
                return False
        sampling = self.client.call("status.get")["state"] == "sampling"
        self.sampling_seconds = time.monotonic() - begin
        if self.answering_seconds is None:
            self.answering_seconds = self.sampling_seconds
        return sampling

    def _log_end(self):
        text = pathlib.Path(self._dir, "log").read_text(errors="replace").strip()
        return " / ".join(text.splitlines()[-3:]) or "it said nothing"

    def _stop(self):
        if self.client is not None:
            self.client.close()
            self.client = None
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self._dir, ignore_errors=True)

    def soakers(self):
        """The soakers as something that can be stopped and continued."""
        return Stoppable(self.client.call("status.get")["soaker_pid"])

    def environment(self):
        """What qualifies every figure of this daemon."""
        status = self.client.call("status.get")
        names = (
            "version cpus interval_seconds isolation intrusion_ratio body body_version clock "
            "idle_floor_ratio idle_floor_uncertainty_ratio calibration_source quiet notes"
        )
        environment = {name: status.get(name) for name in names.split()}
        environment["kernel"] = os.uname().release
        return environment


class Stoppable:
    """A process that is made to run or to stand still, each of its threads."""

    def __init__(self, pid):
        self.pid = pid

    def set_running(self, running):
        os.kill(self.pid, signal.SIGCONT if running else signal.SIGSTOP)
        limit = time.monotonic() + STOP_LIMIT_SECONDS
        while any(is_stopped(task) == running for task in tasks_of(self.pid)):
            if time.monotonic() > limit:
                raise BenchError(f"process {self.pid} does not stop or continue")
            time.sleep(0.002)


def tasks_of(pid):
    return pathlib.Path(f"/proc/{pid}/task").iterdir()


def is_stopped(task):
    # The state follows the name, which is in parentheses and may hold anything.
    return (task / "stat").read_text().rpartition(")")[2].split()[0] == "T"


def cpu_ns_of(pid):
    """The scheduler's own count of CPU time, in ns: ticks would miss nearly all of a daemon's."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks_of(pid))


class LineProgram:
    """A program that answers each line with one of JSON, for a `with` statement."""

    def __init__(self, command, setup=None, new_session=False):
        def prepare():
            die_with_parent()
            if setup:
                setup()

        self._name = os.path.basename(command[0])
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=new_session,
            preexec_fn=prepare,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def read(self):
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"{self._name} ended early")
        return json.loads(line)

    def send(self, text=""):
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def wait(self):
        """Wait for its end, which must be a success."""
        status = self._process.wait(START_LIMIT_SECONDS)
        if status != 0:
            raise BenchError(f"{self._name} ended with status {status}")

    def ask(self, text=""):
        self.send(text)
        return self.read()


def keep_away_from(cpu):
    """This client must not be the load it measures."""
    others = os.sched_getaffinity(0) - {cpu}
    if others:
        os.sched_setaffinity(0, others)


def print_table(headings, rows):
    """A table that reads as text and as Markdown. The first column is text, the rest numbers."""
    rows = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *rows)]

    def line(cells):
        first = cells[0].ljust(widths[0])
        others = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))
        return "| " + " | ".join([first, *others]) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    print("\n".join(map(line, [headings, rule, *rows])))


def print_target(what, value, limit, unit):
    """Say whether a number to reach was reached. Return the same for JSON."""
    reached = value is not None and value <= limit
    shown = "no value" if value is None else f"{value:.3f} {unit}"
    print(f"- {'reached' if reached else 'MISSED'}: {what}: {shown} (to reach: {limit:g} {unit})")
    return {"what": what, "value": value, "limit": limit, "unit": unit, "reached": reached}


def write_json(path, document):
    """Write the document, if there is somewhere to write it: wholly or not at all."""
    if path is None:
        return
    partial = f"{path}.partial"
    with open(partial, "w", encoding="ascii") as file:
        json.dump(document, file, indent=1, allow_nan=False)
        file.write("\n")
    os.replace(partial, path)


def choose_cpu(parser, wanted):
    """The CPU to load: the last one where none is wanted."""
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is not None and wanted not in allowed:
        parser.error(f"--cpu {wanted}: must be one of {', '.join(map(str, allowed))}")
    return allowed[-1] if wanted is None else wanted


def duty(text):
    """A type for options: a duty in percent, that duty.c takes."""
    try:
        percent = float(text)
    except ValueError:
        percent = -1
    if not 0 <= percent <= 100:
        raise argparse.ArgumentTypeError(f"{text}: must be a percentage from 0 to 100")
    return percent


def add_common_options(parser):
    parser.add_argument("--soakd", default=TREE / "build" / "soakd", help="the program to measure")
    parser.add_argument("--json", metavar="FILE", help="write every figure there")


def main(run):
    """Run a benchmark: SIGTERM unwinds like Ctrl-C, and a failure is one line."""

    def on_sigterm(_signal, _frame):
        raise SystemExit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, on_sigterm)
    try:
        run()
    except (BenchError, OSError, subprocess.SubprocessError) as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
