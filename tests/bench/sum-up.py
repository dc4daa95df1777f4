#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""One table of all numbers to reach, of the documents that the parts wrote, and one document."""

import argparse
import json
import pathlib

import bench


def parse_options():
    parser = argparse.ArgumentParser(description="All numbers to reach of several benchmarks.")
    parser.add_argument("--json", metavar="FILE", help="write all documents as one there")
    parser.add_argument("documents", nargs="*", type=pathlib.Path, metavar="DOCUMENT")
    return parser.parse_args()


def read(path):
    try:
        document = json.loads(path.read_text(encoding="ascii"))
        return document["benchmark"], document
    except (ValueError, KeyError, TypeError) as error:
        raise bench.BenchError(f"{path}: not a benchmark's document: {error}") from error


def row_of(part, target):
    value = "-" if target["value"] is None else f"{target['value']:.3f}"
    verdict = "yes" if target["reached"] else "**missed**"
    return [part, target["what"], value, f"{target['limit']:g}", target["unit"], verdict]


def run():
    options = parse_options()
    parts = dict(map(read, options.documents))
    targets = [(name, target) for name, part in parts.items() for target in part.get("targets", ())]
    n_reached = sum(target["reached"] for _, target in targets)
    print(f"## In sum: {n_reached} of {len(targets)} numbers reached\n")
    headings = ["part", "number", "measured", "to reach", "unit", "reached"]
    bench.print_table(headings, [row_of(part, target) for part, target in targets])
    bench.write_json(options.json, {"parts": parts})


if __name__ == "__main__":
    bench.main(run)
