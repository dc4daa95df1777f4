#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold JSON documents against a schema, with python3-jsonschema.

    validate.py SCHEMA[#NAME] FILE...    one JSON text a FILE; NAME is one of the schema's $defs
    validate.py SCHEMA                   the schema itself: is it valid 2020-12?
    validate.py SCHEMA... -- SCHEMA...   one after the other

One line on stdout for each fault. Status 0: none; 1: some; 2: it could not be looked at.
validate.mjs does the same with ajv.
"""

import json
import pathlib
import sys
import warnings

CANNOT_LOOK = 2

warnings.simplefilter("ignore", DeprecationWarning)  # RefResolver: Debian 12 has nothing newer

from jsonschema import Draft202012Validator, RefResolver, SchemaError  # noqa: E402


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def fail(text):
    print(f"validate.py: {text}", file=sys.stderr)
    sys.exit(CANNOT_LOOK)


def load(path):
    return json.loads(pathlib.Path(path).read_text("utf-8"), parse_constant=no_constant)


def pick(schema, name, uri):
    if not name:
        return {"$ref": uri}
    if name not in schema["$defs"]:
        fail(f"{uri}: no {name} in its $defs")
    return {"$ref": f"{uri}#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}


def faults(validator, path):
    try:
        document = load(path)
    except (OSError, ValueError) as error:
        return [str(error)]
    return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
            for error in validator.iter_errors(document)]


def check(target, files):
    """Print the faults. Return how many there are."""
    schema_path, _, name = target.partition("#")
    path = pathlib.Path(schema_path).resolve()
    n_faults = 0
    try:
        schema = load(path)
        Draft202012Validator.check_schema(schema)
    except (OSError, ValueError) as error:
        fail(f"{schema_path}: {error}")
    except SchemaError as error:
        print(f"{schema_path}: /{'/'.join(map(str, error.absolute_path))}: {error.message}")
        return 1
    # References to other schemas are to the files beside this one.
    resolver = RefResolver(path.as_uri(), schema)
    validator = Draft202012Validator(pick(schema, name, path.as_uri()), resolver=resolver)
    for file in files:
        for fault in faults(validator, file):
            print(f"{file}: {fault}")
            n_faults += 1
    return n_faults


def split(arguments):
    groups = [[]]
    for argument in arguments:
        if argument == "--":
            groups.append([])
        else:
            groups[-1].append(argument)
    return groups


def main():
    groups = split(sys.argv[1:])
    if not all(groups):
        fail("no schema given")
    return 1 if sum(check(target, files) for target, *files in groups) else 0


if __name__ == "__main__":
    sys.exit(main())
