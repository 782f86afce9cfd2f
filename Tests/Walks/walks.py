#!/usr/bin/env python3
"""Counts the files that a request goes through: `make walks` (docs/walks.md).

A server and a client that were built with debug information run under callgrind. Each request is a window
on a connection that is kept alive; what idle windows execute is subtracted. Then each kind of write is sent,
on both engines: while its transaction is open, no function of the services may be executed.
"""

import argparse
import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Benchmarks"))

import writes                          # noqa: E402
from cluster import Cluster            # noqa: E402
from machine import Server, free_port  # noqa: E402
from sources import Sources            # noqa: E402
from walk import Walk, show            # noqa: E402
from windows import Windows            # noqa: E402

KEY = "k" * 40
NAME, PASSWORD = "walker", "correct horse"
# Windows of each kind, and requests before them that reach a steady state.
COUNTED, WARMING, IDLE = 3, 4, 4


class Connection:
    """One connection that is kept alive."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=300)
        self.stream = self.socket.makefile("rb")

    def send(self, method, target, body=None, **fields):
        """Sends a request; returns the fields and the body of the response, which must be a success."""
        status, found, response = self.exchange(method, target, body, **fields)
        if not 200 <= status < 300:
            raise SystemExit(f"walks: {method} {target}: {status} {response.decode()}")
        return found, json.loads(response) if response else None

    def accepts(self, target):
        return self.exchange("GET", target)[0] < 300

    def exchange(self, method, target, body=None, **fields):
        """Sends a request with its body in one piece; returns the response."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if body is not None:
            fields |= {"Content-Type": "application/json", "Content-Length": len(data)}
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.socket.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode() + data)
        status, found = self.head()
        return status, found, self.stream.read(int(found.get("content-length", 0)))

    def head(self):
        status = int(self.stream.readline().split()[1])
        fields = {}
        while (line := self.stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        return status, fields


class Subscriber:
    """A client of the stream of changes."""

    def __init__(self, port):
        self.connection = Connection(port)
        request = "GET /v1/changes/stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        self.connection.socket.sendall(request.encode())
        if self.connection.head()[0] != 200:
            raise SystemExit("walks: the stream of changes was not opened")

    def wait(self, word):
        """Reads until a line contains the word."""
        while word not in self.connection.stream.readline().decode():
            pass


class WalkedServer:
    """The server, and the requests to walk."""

    def __init__(self, binary, folder, database=None):
        port = free_port()
        os.makedirs(folder, exist_ok=True)
        database = database or os.path.join(folder, "walks.db")
        self.windows = Windows(binary, os.path.join(folder, "server"), separate_threads=True)
        command = [*self.windows.command, "serve", "--samples", "--loops", "1",
                   "--listen", f"127.0.0.1:{port}", "--database", database]
        environment = dict(
            os.environ, BROADSHEET_ADMIN_KEY=KEY, SWIFT_BACKTRACE="enable=no", **self.windows.environment)
        self.port = port
        self.server = Server(command, port, os.path.join(folder, "log"), environment, patience=120)
        self.windows.attach(self.server.process.pid, self.rest)
        self.connection = Connection(port)

    def prepare(self):
        """Creates what requests need, once the server has started and does nothing."""
        self.rest()
        admin = self.admin = {"Authorization": f"Bearer {KEY}"}
        key = f"bsk_{'0' * 16}_{'w' * 43}"
        self.connection.send("POST", "/v1/admin/keys", {
            "id": "0" * 16, "digest": hashlib.sha256(key.encode()).hexdigest(), "name": "walks",
            "role": "editor"}, **admin)
        self.editor = {"Authorization": f"Bearer {key}"}
        self.connection.send("POST", "/v1/users", {"name": NAME, "password": PASSWORD}, **admin)
        body = {"title": "Walked", "status": "published", "tags": ["walked"], "summary": "A summary."}
        fields, article = self.connection.send("POST", "/v1/articles", body, **self.editor)
        self.article, self.tag = f"/v1/articles/{article['id']}", fields["etag"]
        self.number = 0

    def rest(self):
        """Waits until the server does nothing."""
        before, now = None, self.server.cpu_seconds()
        while before is None or now - before > 0.01:
            time.sleep(0.5)
            before, now = now, self.server.cpu_seconds()

    def get(self):
        self.connection.send("GET", self.article)

    def patch(self):
        self.number += 1
        fields, _ = self.connection.send(
            "PATCH", self.article, {"title": f"Walked {self.number}"}, If_Match=self.tag,
            Idempotency_Key=f'"walk-{self.number}"', **self.editor)
        self.tag = fields["etag"]

    def sign_in(self):
        self.connection.send("POST", "/v1/sessions", {"name": NAME, "password": PASSWORD})

    def walk(self):
        """The profiles of idle windows, and of those of each request."""
        self.windows.begin()
        found = {"idle": self.windows.of(lambda: time.sleep(1), IDLE, warming=0)}
        for name, request in (("get", self.get), ("patch", self.patch), ("sign-in", self.sign_in)):
            found[name] = self.windows.of(request, COUNTED, WARMING)
        subscriber = Subscriber(self.port)

        def follow():
            self.patch()
            subscriber.wait(f"Walked {self.number}")
        found["follow"] = self.windows.of(follow, COUNTED, WARMING)
        found["idle"] += self.windows.of(lambda: time.sleep(1), IDLE, warming=0)
        return found, writes.windows(self)


class WalkedClient:
    """A program with the SDK, which sends a request by a new service for each line that it reads."""

    def __init__(self, binary, folder, port):
        self.windows = Windows(binary, os.path.join(folder, "client"))
        self.process = subprocess.Popen(
            [*self.windows.command, "steps", f"http://127.0.0.1:{port}", "1", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.windows.attach(self.process.pid, lambda: time.sleep(1))

    def send(self):
        self.process.stdin.write("walked\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "1\n":
            raise SystemExit("walks: the client did not get the article")

    def walk(self):
        self.send()
        self.windows.begin()
        return {"send": self.windows.of(self.send, COUNTED, WARMING),
                "idle": self.windows.of(lambda: time.sleep(1), IDLE, warming=0)}

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


def walks(arguments):
    with tempfile.TemporaryDirectory(prefix="broadsheet-walks-") as folder:
        server = WalkedServer(arguments.broadsheet, folder)
        client = WalkedClient(arguments.client, folder, server.port)
        try:
            server.prepare()
            of_client = client.walk()
            of_server, written = server.walk()
        finally:
            client.stop()
            server.server.stop()
        with_postgres = write_with_postgres(arguments.broadsheet, os.path.join(folder, "postgres"))
        # Kinds of writes have the names of some walks.
        code = Sources(ROOT, arguments.broadsheet, [
            *of_server.values(), *written.values(), *with_postgres.values()])
        found = [Walk(title, code, of_server[name], of_server["idle"], gate) for title, name, gate in (
            ("cached GET", "get", 30), ("PATCH with key and If-Match", "patch", 90),
            ("sign-in, POST /v1/sessions", "sign-in", 85))]
        patch, subscriber = found[1], Walk("to a subscriber", code, of_server["follow"], of_server["idle"])
        sdk = Sources(ROOT, arguments.client, of_client.values())
        found.insert(2, Walk("send(FetchArticlesRequest(tag:))", sdk, of_client["send"], of_client["idle"], 58))
        faults = writes.show("SQLite", code, written) + writes.show("PostgreSQL", code, with_postgres)
        print(f"{len(written)} kinds of writes on each engine ({', '.join(written)}): {faults} of "
              f"{len(written) + len(with_postgres)} execute services while a transaction is open\n")
        return found, subscriber.beyond(patch), faults


def write_with_postgres(binary, folder):
    """The profile of each kind of write to a PostgreSQL database."""
    cluster = Cluster()
    try:
        server = WalkedServer(binary, folder, cluster.create("walks"))
        try:
            server.prepare()
            server.windows.begin()
            return writes.windows(server)
        finally:
            server.server.stop()
    finally:
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broadsheet", required=True, help="the server, with debug information")
    parser.add_argument("--client", required=True, help="client-bench, with debug information")
    parser.add_argument("--files", action="store_true", help="also list the files of each walk")
    arguments = parser.parse_args()
    found, subscriber, faults = walks(arguments)
    sys.exit(show(found, subscriber, arguments.files) or faults > 0)


if __name__ == "__main__":
    main()
