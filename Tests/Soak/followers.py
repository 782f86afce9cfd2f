#!/usr/bin/env python3
"""Clients of the change stream, each with a copy of its own, in a process of their own.

Started by soak.py. When a line arrives on standard input, it waits until every copy is what a new client
would receive, and prints what failed; nothing if all is well.
"""

import heapq
import json
import re
import select
import socket
import sys
import time

PATIENCE = 60


class Follower:
    """Follows a stream by its tokens, and checks that each change comes once and in order."""

    seen = {}

    def __init__(self):
        self.socket, self.buffer, self.has_head = None, b"", False
        self.token, self.copy, self.newest, self.delay = None, {}, {}, 1

    def connect(self, path):
        self.buffer, self.has_head, self.delay = b"", False, 1
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        resumption = f"Last-Event-ID: {self.token}\r\n" if self.token else ""
        # Without chunks, as in HTTP/1.0 the end of the connection is the end of the response.
        self.socket.sendall(
            f"GET /v1/changes/stream?fields=title HTTP/1.0\r\n{resumption}\r\n".encode())
        self.socket.setblocking(False)

    def receive(self):
        """Takes what has arrived; false at the end of the stream."""
        try:
            received = self.socket.recv(1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.buffer += received
        if not self.has_head and b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            self.has_head = True
            status = int(head.split()[1])
            if status not in (200, 429, 503):
                raise ValueError(f"the stream's status is {status}")
            if status != 200:
                return False
        if self.has_head:
            *blocks, self.buffer = self.buffer.split(b"\n\n")
            for block in blocks:
                self.apply(block)
        return bool(received)

    def apply(self, block):
        kind, token, value = self.event(block)
        self.token = token or self.token
        if kind == "retry":
            self.delay = value / 1000
        elif kind == "change":
            key, action, revision = value
            if revision <= self.newest.get(key, 0):
                raise ValueError(f"{key} revision {revision} came after {self.newest[key]}")
            self.newest[key] = revision
            if action == "put":
                self.copy[key] = revision
            else:
                self.copy.pop(key, None)

    @classmethod
    def event(cls, block):
        """All followers receive the same events, so each is parsed once."""
        if block not in cls.seen:
            if len(cls.seen) > 10_000:
                cls.seen.clear()
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line)
            kind, value = fields.get("event"), None
            if kind == "change":
                change = json.loads(fields["data"])
                value = ((change["type"], change["id"]), change["action"], change["revision"])
            elif "retry" in fields:
                kind, value = "retry", int(fields["retry"])
            cls.seen[block] = (kind, fields.get("id"), value)
        return cls.seen[block]


class Crowd:
    def __init__(self, path, count):
        self.path, self.poll, self.followers = path, select.epoll(), {}
        self.due = [(0, number, Follower()) for number in range(count)]
        self.everyone = [entry[2] for entry in self.due]
        self.failures, self.ends = [], 0

    def step(self):
        while self.due and self.due[0][0] <= time.monotonic():
            _, number, follower = heapq.heappop(self.due)
            try:
                follower.connect(self.path)
            except OSError:
                self.later(follower, number)
                continue
            self.followers[follower.socket.fileno()] = (number, follower)
            self.poll.register(follower.socket.fileno(), select.EPOLLIN)
        for descriptor, _ in self.poll.poll(0.05, 256):
            number, follower = self.followers[descriptor]
            try:
                if follower.receive():
                    continue
            except ValueError as error:
                self.failures.append(f"follower {number}: {error}")
            self.ends += 1
            del self.followers[descriptor]
            follower.socket.close()
            self.later(follower, number)

    def later(self, follower, number):
        heapq.heappush(self.due, (time.monotonic() + follower.delay, number, follower))

    def snapshot(self):
        """The copy of a new client."""
        copy, target, more = {}, "/v1/changes?limit=500&fields=title", True
        while more:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(self.path)
                connection.sendall(f"GET {target} HTTP/1.0\r\n\r\n".encode())
                received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
            page = json.loads(re.split(b"\r\n\r\n", received, maxsplit=1)[1])
            for change in page["changes"]:
                key = (change["type"], change["id"])
                if change["action"] == "put":
                    copy[key] = change["revision"]
                else:
                    copy.pop(key, None)
            target = f"/v1/changes?limit=500&fields=title&since={page['next']}"
            more = page["more"]
        return copy

    def verify(self):
        expected, end = self.snapshot(), time.monotonic() + PATIENCE
        while time.monotonic() < end and any(each.copy != expected for each in self.everyone):
            self.step()
        different = sum(each.copy != expected for each in self.everyone)
        if different:
            self.failures.append(f"{different} followers do not have what the lists have")


def main():
    crowd = Crowd(sys.argv[1], int(sys.argv[2]))
    order = select.poll()
    order.register(sys.stdin, select.POLLIN)
    while not order.poll(0):
        crowd.step()
    crowd.verify()
    print(json.dumps({"ends": crowd.ends, "failures": crowd.failures[:20]}))


if __name__ == "__main__":
    main()
