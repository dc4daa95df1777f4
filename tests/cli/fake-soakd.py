#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A soakd that measures nothing: it speaks daemon/PROTOCOL.md and answers what a test wants to see.

    fake-soakd.py run --private FD [--cpus LIST] [--body NAME] [--force]     as soakctl starts it
    fake-soakd.py run --socket PATH                                          one connection at a time

It knows CPUs 0 and 1. The environment says what it does:

    FAKE_SOAKD_LOG=FILE           a line of JSON for the start, each request, and the end
    FAKE_SOAKD_LOADS=A,B,...      load of the first, second, ... window; the last one stays
    FAKE_SOAKD_STATUS=OBJECT      members put over what status.get answers
    FAKE_SOAKD_RUN_END=OBJECT     members put over what run.end answers
    FAKE_SOAKD_CALIBRATING=N      so many status.get are answered before it samples
    FAKE_SOAKD_DIE_AFTER=METHOD   be gone once METHOD has been answered
    FAKE_SOAKD_REFUSE=TEXT        say this on stderr and end with status 1
    FAKE_SOAKD_SAMPLES=N          send N samples to a subscriber before each answer to run.end: loads
                                  of 5.17 %, of several the last one 100 %
"""

import json
import os
import socket
import sys
import time

CPUS = [0, 1]
METHODS = ["calibration.get", "report.get", "run.begin", "run.end", "samples.subscribe",
           "server.info", "status.get"]


class Refusal(Exception):
    def __init__(self, code, message, data):
        super().__init__(message)
        self.error = {"code": code, "message": message, "data": data}


class Fake:
    def __init__(self, options):
        self.options = options
        self.loads = [float(x) for x in os.environ.get("FAKE_SOAKD_LOADS", "0.05").split(",")]
        self.calibrating = int(os.environ.get("FAKE_SOAKD_CALIBRATING", "0"))
        self.begun = {}
        self.n_runs = 0
        self.subscribed = False

    def cpus(self):
        return parse_cpus(self.options["--cpus"]) if "--cpus" in self.options else CPUS

    def status_get(self, _params):
        self.calibrating -= 1
        sampling = self.calibrating < 0
        return {"state": "sampling" if sampling else "calibrating", "sampling": sampling, "paused": False,
                "version": "fake", "pid": os.getpid(), "socket": None, "time": now(),
                "uptime_seconds": 1.0, "soaker_pid": os.getpid(), "soaker_restarts": 0,
                "cpus": self.cpus(), "cpus_left_out": [], "interval_seconds": 1.0,
                "history_seconds": 3600.0, "samples": 9, "late_ticks": 0, "missed_ticks": 0,
                "memory_bytes": 4096, "connections": 1, "subscribers": 0, "open_runs": 0,
                "isolation": "plain", "isolation_detail": "none at all", "intrusion_ratio": 0.003,
                "body": self.options.get("--body", "alu"), "body_version": 1, "clock": "tsc",
                "idle_floor_ratio": 0.0102, "idle_floor_uncertainty_ratio": 0.0004,
                "calibration_source": "measured", "quiet": True, "notes": [],
                **over("FAKE_SOAKD_STATUS")}

    def calibration_get(self, _params):
        return {"state": "done", "time": now(), "source": "measured", "quiet": True, "seconds": 3,
                "cpus": [],
                "provenance": {"version": "fake", "body": "alu", "body_version": 1,
                               "cpu_model": "Fake CPU", "microcode": "0x1", "kernel": "fake",
                               "governor": "none", "boot_id": "fake", "clock": "tsc"}}

    def server_info(self, _params):
        return {"name": "soakd", "version": "fake", "protocol_version": "1.0", "pid": os.getpid(),
                "socket": None, "methods": METHODS,
                "limits": {"line_bytes": 1048576, "batch": 1, "connections": 1,
                           "output_bytes": 4194304, "subscriber_bytes": 262144, "runs": 64}}

    def samples_subscribe(self, _params):
        self.subscribed = True
        return {"subscription": "s1"}

    def report_get(self, params):
        return self.figures(params, 60.0, self.loads[0])

    def run_begin(self, params):
        for cpu in params.get("cpus", []):
            if cpu not in self.cpus():
                allowed = "a list of measured CPUs"
                raise Refusal(-32602, f"cpus must be {allowed}",
                              {"member": "cpus", "allowed": allowed})
        self.n_runs += 1
        name = f"r{self.n_runs}"
        self.begun[name] = time.monotonic(), self.loads[min(self.n_runs, len(self.loads)) - 1]
        return {"run": name, "monotonic_seconds": self.begun[name][0]}

    def run_end(self, params):
        if params["run"] not in self.begun:
            raise Refusal(3, "no such run", {"reason": params["run"]})
        begin, load = self.begun.pop(params["run"])
        elapsed = time.monotonic() - begin
        return {"run": params["run"], **self.figures(params, elapsed, load),
                "taken_cpu_seconds": load * elapsed * len(self.cpus()),
                "accounted_ratio": load / 2, "unaccounted_ratio": load / 2, "steal_ratio": 0.0,
                "read_bytes": 0, "written_bytes": 0, "soaker_restarts": 0,
                "interruption_histogram": [], **over("FAKE_SOAKD_RUN_END")}

    def figures(self, params, elapsed, load):
        trim = {k: params[k] for k in ("trim_ratio", "trim_count") if k in params}
        trim = trim or {"trim_ratio": 0.1}
        ratios = {"load_ratio": load, "untrimmed_load_ratio": load, "taken_ratio": load + 0.01,
                  "slowed_ratio": 0.003, "lost_ratio": load + 0.013, "idle_floor_ratio": 0.0102,
                  "interruptions_per_second": 1804.0, "mean_interruption_seconds": 2.5e-5,
                  "longest_interruption_seconds": 0.004}
        return {"start": now(), "end": now(), "elapsed_seconds": elapsed, "interval_seconds": 1.0,
                "samples": 12, "samples_kept": 10, "samples_cut": 2, "samples_invalid": 0,
                "samples_lost": False, "short": False,
                "late_ticks": 0, "missed_ticks": 0, "notes": [], **ratios, **trim,
                "cpus": [{"cpu": cpu, **ratios} for cpu in self.cpus()]}

    def samples(self):
        """Return the notifications of samples that end just now."""
        n = int(os.environ.get("FAKE_SOAKD_SAMPLES", "0"))
        return [{"jsonrpc": "2.0", "method": "samples.update",
                 "params": {"subscription": "s1", "dropped": 0,
                            "sample": self.sample(1.0 if 0 < i == n - 1 else 0.0517)}}
                for i in range(n)]

    def sample(self, load):
        cpu = {"elapsed_seconds": 0.0, "passes": 9, "taken_ratio": 1 - (1 - load) * (1 - 0.0102),
               "load_ratio": load, "slowed_ratio": 0.003, "interruptions": 1804, "valid": True,
               "flags": []}
        return {"monotonic_seconds": time.monotonic(), "elapsed_seconds": 0.0, "load_ratio": load,
                "cpus": [{"cpu": number, **cpu} for number in self.cpus()]}

    def answer(self, request):
        """Return the lines that answer a request."""
        method, lines = request["method"], []
        head = {"jsonrpc": "2.0", "id": request["id"]}
        if method == "run.end" and self.subscribed:
            lines = self.samples()
        try:
            if method not in METHODS:
                raise Refusal(-32601, "no such method", {"method": method})
            handle = getattr(self, method.replace(".", "_"))
            answer = {**head, "result": handle(request.get("params", {}))}
        except Refusal as refusal:
            answer = {**head, "error": refusal.error}
        return lines + [answer]

    def serve(self, connection):
        for line in connection.makefile("rb"):
            request = json.loads(line)
            log(method=request["method"], params=request.get("params"))
            for message in self.answer(request):
                connection.sendall(json.dumps(message).encode() + b"\n")
            if os.environ.get("FAKE_SOAKD_DIE_AFTER") == request["method"]:
                os._exit(9)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def over(name):
    return json.loads(os.environ.get(name, "{}"))


def log(**event):
    if "FAKE_SOAKD_LOG" in os.environ:
        with open(os.environ["FAKE_SOAKD_LOG"], "a", encoding="utf-8") as file:
            file.write(json.dumps({"pid": os.getpid(), **event}) + "\n")


def parse_cpus(text):
    cpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def fail(text):
    print(f"soakd: {text}", file=sys.stderr)
    sys.exit(1)


def read_options(arguments):
    if not arguments or arguments.pop(0) != "run":
        fail("the fake can only run")
    options = {}
    while arguments:
        name = arguments.pop(0)
        if name == "--force":
            options[name] = True
        elif name in ("--private", "--socket", "--cpus", "--body", "--interval") and arguments:
            options[name] = arguments.pop(0)
        else:
            fail(f"unknown option {name}")
    return options


def main():
    options = read_options(sys.argv[1:])
    if "FAKE_SOAKD_REFUSE" in os.environ:
        fail(os.environ["FAKE_SOAKD_REFUSE"])
    fake = Fake(options)
    for cpu in fake.cpus():
        if cpu not in CPUS:
            fail(f"CPU {cpu} is not online: --cpus takes 0-1")
    log(start=options)
    if "--private" in options:
        with socket.socket(fileno=int(options["--private"])) as connection:
            fake.serve(connection)
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(options["--socket"])
            listener.listen()
            while True:
                with listener.accept()[0] as connection:
                    fake.serve(connection)
    log(end=True)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, ConnectionResetError):
        log(end=True)
