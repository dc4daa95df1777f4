#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Many subscribers of one soakd: connect N times, subscribe, and read what comes.

Says that all have subscribed in a line of JSON; answers each line of stdin with what was read so
far; ends with stdin.
"""

import json
import selectors
import socket
import sys

SUBSCRIBE = b'{"jsonrpc":"2.0","id":1,"method":"samples.subscribe"}\n'


def subscribe(path):
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.connect(path)
    peer.sendall(SUBSCRIBE)
    answer = peer.makefile("rb", buffering=0).readline()
    if b'"subscription"' not in answer:
        sys.exit(f"subscribers.py: soakd answered {answer!r}")
    return peer


def main():
    path, n_peers = sys.argv[1], int(sys.argv[2])
    selector = selectors.DefaultSelector()
    for _ in range(n_peers):
        selector.register(subscribe(path), selectors.EVENT_READ)
    selector.register(sys.stdin, selectors.EVENT_READ)
    n_bytes = n_updates = 0
    print(json.dumps({"subscribers": n_peers}), flush=True)
    while True:
        for key, _ in selector.select():
            if key.fileobj is sys.stdin:
                if not sys.stdin.readline():
                    return
                print(json.dumps({"bytes": n_bytes, "updates": n_updates}), flush=True)
                continue
            data = key.fileobj.recv(1 << 16)
            if not data:
                sys.exit("subscribers.py: soakd closed a connection")
            n_bytes += len(data)
            n_updates += data.count(b"\n")


if __name__ == "__main__":
    main()
