# SPDX-License-Identifier: MIT
"""A connection to soakd for the tests that speak to its socket themselves.

Every line that it reads is kept below SOAK_COLLECTED, where common.bash's check_collected holds it
against schema/: the reply to a request that was sent by send() as what its method answers, any
other as a line of the protocol.
"""

import json
import os
import pathlib
import socket
import tempfile


def collect(name, value):
    folder = pathlib.Path(os.environ["SOAK_COLLECTED"], name)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".json", delete=False) as file:
        json.dump(value, file)


class Peer:
    def __init__(self, path, timeout=10, receive_bytes=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect(path)
        self.stream = self.socket.makefile("r")
        self.methods = {}  # of the requests that were sent, by id

    def send(self, message):
        """Send a request or a batch."""
        for request in message if isinstance(message, list) else [message]:
            self.methods[request.get("id")] = request["method"]
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def read(self):
        """Return the next line."""
        line = json.loads(self.stream.readline())
        for message in line if isinstance(line, list) else [line]:
            method = self.methods.get(message.get("id"))
            collect(f"protocol/{method}/reply" if method else "protocol", message)
        return line

    def call(self, method, params=None):
        """Return the whole reply; what comes before it are notifications."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method}
        self.send(request if params is None else {**request, "params": params})
        while True:
            line = self.read()
            if "id" in line:
                return line
