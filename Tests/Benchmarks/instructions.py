"""Counts instructions of the server for each request, with callgrind.

Times vary with what else a machine is doing; the number of instructions does not. Those of the kernel
are not counted.
"""

import glob
import json
import os
import re
import shutil
import socket
import subprocess
import time

from machine import Server, free_port
from trials import ARTICLES, SPARSE, row

# Requests of each kind: some to reach a steady state, and those that are counted.
WARMING, COUNTED = 200, 500


class CountedServer:
    """A server under callgrind, with one loop and the default log, which counts on demand."""

    def __init__(self, lab, database, *options):
        self.port = free_port()
        self.folder = lab.path(f"callgrind-{self.port}")
        os.mkdir(self.folder)
        binary = os.path.join(self.folder, "broadsheet")
        # Without debug information, which callgrind would read for a minute.
        subprocess.run(["strip", "--strip-debug", "-o", binary, lab.broadsheet], check=True)
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no",
                   f"--callgrind-out-file={self.folder}/out", binary, "serve", "--loops", "1",
                   "--listen", f"127.0.0.1:{self.port}", "--database", database, *options]
        environment = dict(os.environ, BROADSHEET_ADMIN_KEY="k" * 40, SWIFT_BACKTRACE="enable=no")
        self.server = lab.keep(
            Server(command, self.port, os.path.join(self.folder, "log"), environment, patience=120))

    def instructions(self, requests):
        """The instructions of each of these requests, which are sent on one connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as connection:
            stream = connection.makefile("rb")
            for number in range(WARMING):
                exchange(connection, stream, requests(number))
            self.control("--zero")
            for number in range(WARMING, WARMING + COUNTED):
                exchange(connection, stream, requests(number))
            self.control("--dump")
        newest = max(glob.glob(f"{self.folder}/out.*"), key=lambda path: int(path.rsplit(".", 1)[1]))
        with open(newest, encoding="utf-8") as file:
            total = int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1))
        os.remove(newest)
        return total / COUNTED

    def begin(self):
        """Waits until the server does nothing, and begins to count: starting takes a minute with it."""
        before, now = None, self.server.cpu_seconds()
        while before is None or now - before > 0.02:
            time.sleep(1)
            before, now = now, self.server.cpu_seconds()
        self.control("--instr=on")

    def control(self, option):
        subprocess.run(["callgrind_control", option, str(self.server.process.pid)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def get(target):
    """A request for each number that fetches this target."""
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    return lambda number: request


def create(number):
    """A request that creates an article with a key. It has no body, as Markdown is rendered by another
    process, which does not start under callgrind."""
    body = json.dumps({"title": f"Counted {number}", "status": "published", "tags": ["counted"],
                       "summary": "A summary of a typical article. " * 8}).encode()
    return (b"POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + b"k" * 40
            + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def exchange(connection, stream, request):
    """Sends a request and reads its response, which must be a success."""
    connection.sendall(request)
    status = stream.readline()
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = stream.read(length)
    if not status.startswith(b"HTTP/1.1 2"):
        raise SystemExit(f"bench: a counted request failed: {status} {body}")


class InstructionTrials:
    """Instructions for each request of the cached, the uncached and the write rows."""

    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials

    def run(self):
        rows = []
        for label, options in (("cached", []), ("uncached", ["--cache-bytes", "0"])):
            server = CountedServer(self.lab, self.trials.corpus(1000), *options)
            first = json.load(server.server.get(f"{ARTICLES}?limit=1"))["items"][0]
            targets = {"article": f"{ARTICLES}/{first['id']}", "list of 20": SPARSE}
            # The index of the articles has to be complete.
            server.begin()
            for name, target in targets.items():
                count = server.instructions(get(target))
                rows.append(row(f"{label} GET, {name}: instructions", count, "per request"))
            if not options:
                rows.append(row("create with a key, without a body: instructions",
                                server.instructions(create), "per request"))
            server.stop()
        return rows
