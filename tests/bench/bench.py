# SPDX-License-Identifier: MIT
"""What the benchmarks share: a private soakd that ends with its benchmark, and a client of its
socket. Python's standard library only."""

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

    def __init__(self, soakd, cpus=None, interval="1s"):
        self._argv = [str(soakd), "run", "--interval", interval]
        if cpus is not None:
            self._argv += ["--cpus", ",".join(map(str, cpus))]
        self._dir = None
        self._process = None
        self.client = None

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
        path = os.path.join(self._dir, "s")
        with open(os.path.join(self._dir, "log"), "wb") as log:
            self._process = subprocess.Popen(
                self._argv + ["--socket", path],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        limit = time.monotonic() + START_LIMIT_SECONDS
        while not self._is_sampling(path):
            if self._process.poll() is not None:
                raise BenchError(f"soakd did not start: {self._log_end()}")
            if time.monotonic() > limit:
                raise BenchError(f"soakd is not sampling after {START_LIMIT_SECONDS} s")
            time.sleep(0.05)

    def _is_sampling(self, path):
        if self.client is None:
            try:
                self.client = Client(path)
            except OSError:
                return False
        return self.client.call("status.get")["state"] == "sampling"

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


def write_json(path, document):
    """Write the document, if there is somewhere to write it: wholly or not at all."""
    if path is None:
        return
    partial = f"{path}.partial"
    with open(partial, "w", encoding="ascii") as file:
        json.dump(document, file, indent=1, allow_nan=False)
        file.write("\n")
    os.replace(partial, path)


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
