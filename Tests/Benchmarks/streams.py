"""Change streams: how long a change takes to 10,000 subscribers, their memory, and their neighbours."""

import json
import os
import select
import shutil
import socket
import statistics
import threading
import time
import urllib.request

from machine import LOAD_CORE
from trials import ARTICLES, connection_to, row, summary

SUBSCRIBERS = 10_000
CHANGES = 10


class StreamTrials:
    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        # Enough for a few changes: each delays its readers, who then find nothing in the cache.
        self.seconds = max(5, trials.seconds)

    def run(self):
        # In all measurements, so that they differ in their subscribers only.
        os.sched_setaffinity(0, {int(LOAD_CORE)})
        corpus = self.trials.corpus(1_000)
        copy = self.lab.path("copy.db")
        shutil.copyfile(corpus, copy)
        server, control = self.lab.serve(corpus, logs=True), self.lab.serve(copy, logs=True)
        article = json.load(server.get(f"{ARTICLES}?limit=1&fields=id"))["items"][0]["id"]
        target = f"{ARTICLES}/{article}"
        resident = server.resident_bytes()
        subscribers = Subscribers(server)
        each = (server.resident_bytes() - resident) / SUBSCRIBERS
        times = []
        for number in range(CHANGES):
            time.sleep(1)
            start = time.perf_counter()
            change(server, target, number)
            times.append(1000 * (subscribers.receive() - start))
        alone, beside = [], []
        for _ in range(self.trials.pairs):
            with EverySecond(lambda number: change(control, target, number)):
                alone.append(control.load(target, self.seconds))
            # The subscribers' sockets keep what arrives, so that they take no time from the readers.
            subscribers.acknowledge_at_once()
            with EverySecond(lambda number: change(server, target, number)):
                beside.append(server.load(target, self.seconds))
        subscribers.close()
        server.stop()
        control.stop()
        ratio = statistics.median(
            with_them["p99"] / without["p99"] for with_them, without in zip(beside, alone))
        return [
            row(f"a change to the last of {SUBSCRIBERS} subscribers", statistics.median(times), "ms",
                1000, 250, times=times),
            row("memory of a subscriber", each / 1000, "KB", 16, 8),
            row(f"p99 of readers with a change a second, beside {SUBSCRIBERS} subscribers", ratio,
                "times", 2, 1, ours=summary(beside), alone=summary(alone)),
        ]


def change(server, target, number):
    """Edits an article; returns when that is durable."""
    body = json.dumps({"summary": f"Change {number} at {time.time()}"}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{target}", body, method="PATCH",
        headers={"Content-Type": "application/merge-patch+json", "Authorization": f"Bearer {'k' * 40}"})
    urllib.request.urlopen(request, timeout=20).read()


class Subscribers:
    """Clients of a change stream who have caught up."""

    def __init__(self, server):
        self.poll = select.epoll()
        self.sockets = {}
        request = (b"GET /v1/changes/stream?since=now&types=article&fields=title HTTP/1.1\r\n"
                   b"Host: localhost\r\n\r\n")
        for _ in range(SUBSCRIBERS):
            connection = connection_to(server)
            connection.sendall(request)
            self.sockets[connection.fileno()] = connection
            self.poll.register(connection.fileno(), select.EPOLLIN)
        self.await_all(b"event: ready")
        time.sleep(0.5)

    def receive(self):
        """Waits until all have received a change; returns when the last one did."""
        return self.await_all(b"event: change")

    def await_all(self, text):
        missing = set(self.sockets)
        end = time.monotonic() + 60
        while missing:
            if time.monotonic() > end:
                raise SystemExit(f"bench: {len(missing)} subscribers did not receive {text}")
            for number, _ in self.poll.poll(1, 1024):
                received = self.sockets[number].recv(1 << 16)
                if not received:
                    raise SystemExit("bench: a stream has ended")
                if text in received:
                    missing.discard(number)
        return time.perf_counter()

    def acknowledge_at_once(self):
        """Spares the servers' core the timers of delayed acknowledgements (`TCP_QUICKACK`), which run
        there on one machine, but are the clients' work."""
        for connection in self.sockets.values():
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def close(self):
        for connection in self.sockets.values():
            connection.close()
        self.poll.close()


class EverySecond:
    """Calls a function once a second while the body runs."""

    def __init__(self, work):
        self.work, self.end = work, threading.Event()
        self.thread = threading.Thread(target=self.loop)

    def loop(self):
        number = 0
        while not self.end.wait(1):
            number += 1
            self.work(number)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()
