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

import stages
from cluster import Cluster
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
        # Without debug information, which callgrind would read for a minute; with symbols.
        subprocess.run(["strip", "--strip-debug", "--keep-section=.gnu_debuglink", "-o", binary,
                        lab.broadsheet], check=True)
        if os.path.exists(f"{lab.broadsheet}.debug"):
            shutil.copy(f"{lab.broadsheet}.debug", self.folder)
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--dump-line=no",
                   f"--callgrind-out-file={self.folder}/out", binary, "serve", "--loops", "1",
                   "--listen", f"127.0.0.1:{self.port}", "--database", database, *options]
        environment = dict(os.environ, BROADSHEET_ADMIN_KEY="k" * 40, SWIFT_BACKTRACE="enable=no")
        self.server = lab.keep(
            Server(command, self.port, os.path.join(self.folder, "log"), environment, patience=120))

    def instructions(self, requests):
        """The instructions of each of these requests."""
        return sum(count for count, _ in self.stages(requests).values())

    def stages(self, requests):
        """The instructions and allocations of each of these requests by stage; they are sent on one
        connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as connection:
            stream = connection.makefile("rb")
            for number in range(WARMING):
                exchange(connection, stream, requests(number))
            self.control("--zero")
            for number in range(WARMING, WARMING + COUNTED):
                exchange(connection, stream, requests(number))
            self.control("--dump")
        newest = max(glob.glob(f"{self.folder}/out.*"), key=lambda path: int(path.rsplit(".", 1)[1]))
        with open(newest, encoding="utf-8", errors="replace") as file:
            text = file.read()
        os.remove(newest)
        return stages.stages(text, COUNTED)

    def create(self, count, title):
        """Creates articles before anything is counted; returns the identifier of one of them."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as connection:
            stream = connection.makefile("rb")
            made = [exchange(connection, stream, create(number, title)) for number in range(count)]
        return json.loads(made[0])["id"]

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


KEY = f"Authorization: Bearer {'k' * 40}\r\n"


def get(target, fields=""):
    """A request for each number that fetches this target."""
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()
    return lambda number: request


def create(number, title="Counted"):
    """A request that creates an article with a key. It has no body, as Markdown is rendered by another
    process, which does not start under callgrind."""
    return write("POST", ARTICLES, {
        "title": f"{title} {number}", "status": "published", "tags": ["counted"],
        "summary": "A summary of a typical article. " * 8})


def change(article):
    """A request for each number that changes the title of this article with a key."""
    return lambda number: write("PATCH", f"{ARTICLES}/{article}", {"title": f"Changed {number}"})


def write(method, target, content):
    body = json.dumps(content).encode()
    return (f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{KEY}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


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
    return body


class InstructionTrials:
    """Instructions for each request of the cached, the uncached and the write rows, those of the uncached ones and
    the writes by stage."""

    # A word of as many articles as a page has.
    RARE = "Zymurgy"

    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials

    def run(self):
        server = CountedServer(self.lab, self.trials.corpus(1000))
        article = self.newest(server)
        # The index of the articles has to be complete.
        server.begin()
        rows = [row(f"cached GET, {name}: instructions", server.instructions(get(target)), "per request")
                for name, target in (("article", f"{ARTICLES}/{article}"), ("list of 20", SPARSE))]
        server.stop()
        server = CountedServer(self.lab, self.trials.corpus(1000), "--cache-bytes", "0")
        article = self.newest(server)
        server.create(20, self.RARE)
        found = {"SQLite": self.counted(server, article)}
        server.stop()
        cluster = Cluster()
        server = CountedServer(self.lab, cluster.create("counted"), "--cache-bytes", "0")
        article = server.create(200, self.RARE)
        found["PostgreSQL"] = self.counted(server, article)
        server.stop()
        cluster.stop()
        rows += [row(f"{name}, {engine}: instructions", sum(count for count, _ in by_stage.values()), "per request",
                     stages=by_stage)
                 for engine, requests in found.items() for name, by_stage in requests.items()]
        stages.keep(found)
        return rows

    def counted(self, server, article):
        """The counts of all kinds of requests that are not cached, by stage."""
        requests = {
            "get": get(f"{ARTICLES}/{article}"), "list of 20": get(SPARSE),
            "100 changes": get("/v1/changes?types=article&limit=100"),
            "rare search": get(f"/v1/search?q={self.RARE}"),
            "editor's get": get(f"{ARTICLES}/{article}", KEY),
            "PATCH": change(article), "create": create}
        server.begin()
        return {name: server.stages(request) for name, request in requests.items()}

    @staticmethod
    def newest(server):
        return json.load(server.server.get(f"{ARTICLES}?limit=1"))["items"][0]["id"]
