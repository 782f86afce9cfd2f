#!/usr/bin/env python3
"""Checks the types of the console's modules, and tests those that need no browser in Node."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CONSOLE = HERE.parent.parent / "Resources" / "console"


def run(*command):
    if subprocess.run(command).returncode:
        sys.exit(f"console-test: {command[0]} failed")


def main():
    run("tsc", "--project", str(HERE / "tsconfig.json"))
    # Node takes files as modules where a package says so.
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "package.json").write_text('{"type": "module"}')
        shutil.copytree(CONSOLE, folder / "console")
        shutil.copytree(HERE / "unit", folder / "unit")
        tests = sorted(str(path) for path in (folder / "unit").glob("*.test.mjs"))
        run("node", "--test", *tests)


if __name__ == "__main__":
    main()
