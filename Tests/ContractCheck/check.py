#!/usr/bin/env python3
"""Checks the description of the API, and the server against it: `make contract-check`.

The description and each of its examples are validated, and schemathesis sends generated requests to a
server with samples: without credentials, with a key of each role, which acts for a user, and with a
session.
"""

import argparse
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request

import openapi_spec_validator
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ROLES = ["reader", "author", "editor", "admin"]
# No schema can say "a time in the future" or "a cursor of ours".
LEFT_OUT = "positive_data_acceptance,missing_required_header"
# It never ends.
STREAM = "/v1/changes/stream"
# What ends the session that the requests are sent in.
SIGN_OUT = "/v1/sessions/current"
# The short form is bounded by its requests: a busy machine takes longer, but sends the same.
SHORT = {"examples": 8, "seconds": None, "phases": "examples,coverage"}
LONG = {"examples": 60, "seconds": 120, "phases": "examples,coverage,fuzzing,stateful"}
SHORT_PRINCIPALS = ["anonymous", "author", "admin"]


class Examples:
    """Validates the examples of a description."""

    def __init__(self, description):
        self.description = description
        resource = Resource(contents=description, specification=DRAFT202012)
        self.registry = Registry().with_resource("urn:description", resource)
        self.count = 0
        self.faults = []

    def resolved(self, value):
        while "$ref" in value:
            target = self.description
            for name in value["$ref"].split("/")[1:]:
                target = target[name]
            value = target
        return value

    def check(self, schema, value, place):
        self.count += 1
        text = json.dumps(schema).replace('"#/', '"urn:description#/')
        validator = Draft202012Validator(
            json.loads(text), registry=self.registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER)
        for error in validator.iter_errors(value):
            self.faults.append(f"{place}: {error.json_path}: {error.message[:200]}")

    def check_all(self):
        for path, operations in self.description["paths"].items():
            for method, operation in operations.items():
                place = f"{method.upper()} {path}"
                for parameter in operation.get("parameters", []):
                    self.check(parameter["schema"], parameter.get("example"),
                               f"{place} {parameter['name']}")
                for content in operation.get("requestBody", {}).get("content", {}).values():
                    self.check(content["schema"], content.get("example"), f"{place} body")
                for status, response in operation["responses"].items():
                    for content in self.resolved(response).get("content", {}).values():
                        for name, example in content.get("examples", {}).items():
                            self.check(content["schema"], example["value"],
                                       f"{place} {status} {name}")
        return self.faults


class Server:
    """A server with samples, and a user and a key of each role."""

    def __init__(self, broadsheet, folder):
        self.broadsheet = broadsheet
        self.database = f"{folder}/contract.db"
        self.log = open(f"{folder}/server.log", "wb")
        self.process = subprocess.Popen(
            [broadsheet, "serve", "--listen", "127.0.0.1:0", "--log", "off", "--samples",
             "--database", self.database, "--sign-up", "open"],
            env=dict(os.environ, BROADSHEET_ADMIN_KEY=secrets.token_hex(20)),
            stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        address = re.search(r"127\.0\.0\.1:\d+", line)
        if not address:
            raise SystemExit(f"contract-check: the server did not start: {line}")
        self.url = f"http://{address.group()}"

    def run(self, *arguments, typed=None):
        result = subprocess.run(
            [self.broadsheet, *arguments, "--database", self.database], capture_output=True,
            input=typed, text=True, check=True)
        return result.stdout

    def tokens(self):
        """The principals with their credentials, the anonymous one first."""
        tokens = {"anonymous": None}
        for role in ROLES:
            password = secrets.token_hex(20)
            self.run("user", "create", role, "--role", role, typed=f"{password}\n")
            tokens[role] = self.run(
                "key", "create", "--role", role, "--owner", role).split()[-1]
            if role == "reader":
                tokens["session"] = self.sign_in(role, password)
        # Last, as an admin deletes users.
        tokens["admin"] = tokens.pop("admin")
        return tokens

    def sign_in(self, name, password):
        request = urllib.request.Request(
            f"{self.url}/v1/sessions", json.dumps({"name": name, "password": password}).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["accessToken"]

    def description(self):
        with urllib.request.urlopen(f"{self.url}/openapi.json", timeout=30) as response:
            return response.read()

    def stop(self):
        self.process.terminate()
        status = self.process.wait(30)
        self.log.close()
        if status != 0:
            raise SystemExit(f"contract-check: the server ended with {status}")


def schemathesis(url, token, principal, bounds, seed, folder):
    """Runs schemathesis as a principal; returns its output if something was found."""
    command = [
        os.path.join(os.path.dirname(sys.executable), "schemathesis"), "--no-color", "run",
        f"{url}/openapi.json", "--checks", "all", "--exclude-checks", LEFT_OUT,
        "--exclude-path", STREAM, "--max-examples", str(bounds["examples"]), "--seed", str(seed),
        "--request-timeout", "60", "--generation-database", "none", "--warnings", "off",
        "--continue-on-failure", "--phases", bounds["phases"]]
    if bounds["seconds"]:
        command += ["--max-time", str(bounds["seconds"])]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    if principal == "session":
        command += ["--include-path-regex", "^/v1/(me|sessions)", "--exclude-path", SIGN_OUT]
    began = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    cases = re.search(r"(\d+) generated", result.stdout)
    counts = re.search(r"Selected: (\d+)/\d+\s+Tested: (\d+)", result.stdout)
    words = f"{cases.group(1)} requests" if cases else "no requests"
    print(f"contract-check: {principal}: {words} in {time.monotonic() - began:.0f} s", flush=True)
    if result.returncode:
        return result.stdout + result.stderr
    if not counts or counts.group(1) != counts.group(2):
        return "not all operations were tested; increase --seconds"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--broadsheet", default=".build/broadsheet")
    parser.add_argument("--short", action="store_true", help="take about a minute")
    parser.add_argument("--seconds", type=int, help="for each principal")
    parser.add_argument("--principal", action="append", help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    broadsheet = os.path.abspath(options.broadsheet)
    bounds = dict(SHORT if options.short else LONG)
    if options.seconds is not None:
        bounds["seconds"] = options.seconds
    chosen = options.principal or (SHORT_PRINCIPALS if options.short else None)
    failed = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(broadsheet, folder)
        try:
            served = server.description()
            printed = subprocess.run([broadsheet, "openapi"], capture_output=True, check=True)
            if served != printed.stdout.rstrip(b"\n"):
                failed.append("the printed description differs from the served one")
            description = json.loads(served)
            openapi_spec_validator.validate(description)
            examples = Examples(description)
            failed += examples.check_all()
            print(f"contract-check: {examples.count} examples are valid", flush=True)
            for principal, token in server.tokens().items():
                if chosen and principal not in chosen:
                    continue
                found = schemathesis(
                    server.url, token, principal, bounds, options.seed, folder)
                if found:
                    failed.append(f"as {principal}:\n{found}")
            if server.process.poll() is not None:
                failed.append("the server ended by itself")
        finally:
            server.stop()
    if failed:
        raise SystemExit("contract-check:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
