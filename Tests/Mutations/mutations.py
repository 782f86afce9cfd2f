#!/usr/bin/env python3
"""Checks that the tests notice mistakes in the sources (`make mutations`). Each mistake of `mutations.toml`
breaks one promise. All of them are compiled into one build of a copy of this checkout, each behind a
condition that an environment variable switches on. Without any, the suites that the table names must pass;
with each one, its suites must fail."""

import argparse
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build" / "mutations"
VARIABLE = "BROADSHEET_MUTATION"
# The condition, in each file that has mutations: no target has to depend on another one for it.
SWITCH = f"""
import Glibc

private let mutation = getenv("{VARIABLE}").map {{ atoi($0) }} ?? 0

/// Whether the mutation with this number is switched on.
private func isOn(mutation number: Int32) -> Bool {{ mutation == number }}
"""

# Programs under test inherit only what the tests name.
INHERITED = "Tests/TestSupport/RunningProgram.swift", '"PATH", "HOME",', f'"PATH", "HOME", "{VARIABLE}",'


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flags", default="", help="flags of `swift build` and `swift test`")
    parser.add_argument("--only", default="", help="numbers of mutations, such as 3,17")
    parser.add_argument("--filter", help="tests to run instead of the table's (a regular expression)")
    parser.add_argument("--minutes", type=float, default=20, help="limit of a run, after which it has failed")
    return parser.parse_args()


def files():
    """The files of the checkout, as they are in the work tree."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def mutated(mutations):
    """The texts of the files that have mutations, and of what passes the switch on."""
    file, old, new = INHERITED
    texts = {file: (ROOT / file).read_text().replace(old, new)}
    if new not in texts[file]:
        sys.exit(f"{file} does not have the text: {old}")
    for number, mutation in enumerate(mutations, 1):
        old, new = mutation["old"], mutation["new"]
        found = [str(path.relative_to(ROOT)) for path in ROOT.glob(mutation["file"])]
        if len(found) != 1:
            sys.exit(f"mutation {number}: {len(found)} files match {mutation['file']}")
        file = found[0]
        text = texts.get(file) or (ROOT / file).read_text() + SWITCH
        if text.count(old) != 1:
            sys.exit(f"mutation {number}: {file} has the text {text.count(old)} times: {old}")
        if "MUTATED" not in new:
            sys.exit(f"mutation {number} has no condition")
        texts[file] = text.replace(old, new.replace("MUTATED", f"isOn(mutation: {number})"))
    return texts


def copy(texts):
    """Brings the copy up to date. Files that are the same keep their times, so they are not compiled."""
    names = set(files())
    for name in names:
        target = COPY / name
        content = texts[name].encode() if name in texts else (ROOT / name).read_bytes()
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod((ROOT / name).stat().st_mode)
    for folder, folders, present in os.walk(COPY):
        folders[:] = [name for name in folders if name != ".build"]
        for name in present:
            path = pathlib.Path(folder, name)
            if str(path.relative_to(COPY)) not in names:
                path.unlink()


def environment(number=0, proof=False):
    variables = dict(os.environ)
    variables.pop(VARIABLE, None)
    variables.setdefault("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16")
    if "TMPDIR" not in variables:
        folder = subprocess.run([ROOT / ".ci" / "test-folder"], check=True, capture_output=True, text=True)
        variables["TMPDIR"] = folder.stdout.strip()
    if number:
        variables[VARIABLE] = str(number)
    if proof:
        variables["BROADSHEET_ALL_FAULTS"] = "1"
    return variables


class Run:
    """One run of tests, and what became of it."""

    # The verdict is known with the first failure. Other tests may wait in vain for what does not happen.
    GRACE = 60
    FAILED = re.compile(r'✘ Test "?(.+?)"? (?:recorded an issue|with \d+ test cases failed|failed after)')

    def __init__(self, suites, flags, variables, minutes):
        pattern = suites if isinstance(suites, str) else "^(%s)/" % "|".join(map(re.escape, suites))
        command = ["swift", "test", "--skip-build", *flags, "--disable-xctest", "--filter", pattern]
        self.log = COPY / ".build" / "tests.log"
        start = time.monotonic()
        with self.log.open("wb") as output:
            process = subprocess.Popen(command, cwd=COPY, env=variables, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        status = self.wait(process, start + minutes * 60)
        self.seconds = time.monotonic() - start
        self.passed = status == 0
        failed = self.FAILED.search(self.output)
        if failed:
            self.failure = failed[1]
        elif status is None:
            self.failure = "does not end"
        elif "unexpected signal" in self.output:
            self.failure = "the tests crash"
        elif not self.passed:
            sys.exit(f"{self.output}\nno test failed, but the run did")

    @property
    def output(self):
        return self.log.read_text(errors="replace")

    def wait(self, process, deadline):
        """The status of the process; `None` if it was ended here."""
        has_failed = False
        while process.poll() is None:
            if not has_failed and self.FAILED.search(self.output):
                has_failed, deadline = True, min(deadline, time.monotonic() + self.GRACE)
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None
            time.sleep(1)
        return process.returncode


def check_names(mutations, flags):
    """Checks that the suites exist: a filter that matches no test succeeds."""
    listed = subprocess.run(["swift", "test", "list", "--skip-build", *flags], cwd=COPY, check=True,
                            env=environment(), capture_output=True, text=True).stdout.splitlines()
    for number, mutation in enumerate(mutations, 1):
        for suite in mutation["suites"]:
            if not any(test.startswith(suite + "/") for test in listed):
                sys.exit(f"mutation {number}: there is no suite {suite}")


def check_unmutated(mutations, flags, minutes):
    """Runs all suites without a mutation."""
    for proof in (False, True):
        suites = {suite for mutation in mutations for suite in mutation["suites"]
                  if mutation.get("proof", False) == proof}
        if not suites:
            continue
        run = Run(sorted(suites), flags, environment(proof=proof), minutes * 3)
        if not run.passed:
            sys.exit(f"{run.output}\nwithout a mutation, tests fail: {run.failure}")
        print(f"without a mutation, {len(suites)} suites pass ({run.seconds:.0f} s)", flush=True)


def main():
    options = arguments()
    flags = shlex.split(options.flags)
    start = time.monotonic()
    mutations = tomllib.loads((pathlib.Path(__file__).parent / "mutations.toml").read_text())["mutation"]
    copy(mutated(mutations))
    subprocess.run(["swift", "build", "--build-tests", *flags], cwd=COPY, check=True, env=environment())
    print(f"{len(mutations)} mutations are built ({time.monotonic() - start:.0f} s)", flush=True)

    check_names(mutations, flags)
    numbers = [int(number) for number in options.only.split(",") if number]
    chosen = [(number, mutation) for number, mutation in enumerate(mutations, 1)
              if not numbers or number in numbers]
    if not options.filter:
        check_unmutated([mutation for _, mutation in chosen], flags, options.minutes)
    survivors = []
    for number, mutation in chosen:
        proof = mutation.get("proof", False)
        suites = mutation["suites"]
        run = Run(options.filter or suites, flags, environment(number, proof), options.minutes)
        if run.passed:
            survivors.append(number)
        suites = ("proof " if proof else "") + (options.filter or ", ".join(suites))
        result = "SURVIVES" if run.passed else f"noticed: {run.failure}"
        print(f"{number:2}  {run.seconds:4.0f} s  {mutation['breaks']}\n            {suites}  {result}",
              flush=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutations are noticed "
          f"({time.monotonic() - start:.0f} s in all)")
    sys.exit(1 if survivors else 0)


main()
