"""Benchmarks of HTTP/2 over TLS, compared to nginx with the same certificate, bytes and fields, and of
the SDK over a slow network, compared to HTTP/1.1."""

import json
import re
import socket
import ssl
import statistics
import subprocess
import time

from delay import DelayProxy
from machine import LOAD_CORE
from secure import SecureTrials
from trials import ARTICLES, Trials, row

IDLE = 500
TOGETHER = 20
DELAY_SECONDS = 0.1

CLIENT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CLIENT.check_hostname, CLIENT.verify_mode = False, ssl.CERT_NONE
CLIENT.set_alpn_protocols(["h2"])

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
END_STREAM, END_HEADERS, DATA, HEADERS = 1, 4, 0, 1


class HTTP2Trials:
    """Cached responses by h2load, idle connections beside those of HTTP/1.1, and the SDK."""

    def __init__(self, lab, trials, client_bench):
        self.lab, self.trials, self.client_bench = lab, trials, client_bench
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        certificate = SecureTrials(self.lab, self.trials).certificate()
        database = self.trials.corpus(1000)
        plain = self.lab.serve(database)
        first = json.load(plain.get(f"{ARTICLES}?limit=1"))["items"][0]
        target = f"{ARTICLES}/{first['id']}"
        response = Trials.response(plain, target)
        plain.stop()
        ours = self.lab.serve(
            database, "--tls-certificate", certificate + ".pem", "--tls-key", certificate + ".key",
            scheme="https")
        nginx = self.lab.nginx([response], certificate, http2=True)
        sides = [(ours, target), (nginx, "/0")]
        rows = [self.requests(sides, 16, 32), self.requests(sides, 1, 100), self.idle(ours, target),
                self.together(ours, certificate)]
        ours.stop()
        nginx.stop()
        return rows

    def requests(self, sides, connections, streams):
        runs = [[], []]
        for _ in range(self.pairs):
            for number, (server, target) in enumerate(sides):
                runs[number].append(self.load(server, target, connections, streams))
        ratio = statistics.median(our["cpu"] / their["cpu"] for our, their in zip(*runs))
        best = [statistics.median(run["cpu"] for run in side) for side in runs]
        return row(
            f"HTTP/2, {connections} connections of {streams} streams: server CPU relative to nginx",
            ratio, "times", 1.15, 0.9, oursMicroseconds=best[0], nginxMicroseconds=best[1])

    def together(self, server, certificate):
        """Articles by the SDK, on one connection that passes a proxy with a delay each way."""
        proxy = DelayProxy(server.port, DELAY_SECONDS)
        command = ["taskset", "-c", LOAD_CORE, self.client_bench, "together",
                   f"https://localhost:{proxy.port}", str(TOGETHER), str(self.pairs),
                   certificate + ".pem"]
        times = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        proxy.stop()
        return row(
            f"SDK, {TOGETHER} articles with {1_000 * DELAY_SECONDS:.0f} ms each way: HTTP/1.1 "
            "relative to HTTP/2", times["http1"] / times["http2"], "times", 5, 8, upward=True,
            http1Milliseconds=times["http1"], http2Milliseconds=times["http2"])

    def load(self, server, target, connections, streams):
        command = ["taskset", "-c", LOAD_CORE, "h2load", "-t", "1", "-c", str(connections),
                   "-m", str(streams), "-D", str(self.seconds), "--warm-up-time=1",
                   f"https://127.0.0.1:{server.port}{target}"]
        before = server.cpu_seconds()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        cost = server.cpu_seconds() - before
        done = re.search(r"requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded", text)
        if not done or done.group(1) != done.group(2) or done.group(1) == "0":
            raise SystemExit(f"bench: some responses were errors\n{text}")
        # The requests before the measurement cost as much, and are not counted.
        share = (self.seconds + 1) / self.seconds
        return {"cpu": cost / int(done.group(1)) / share * 1e6}

    def idle(self, server, target):
        older = SecureTrials(self.lab, self.trials)
        costs = []
        for connect in (older.connect, self.connect):
            warm = [connect(server, target) for _ in range(32)]
            time.sleep(0.3)
            before = server.resident_bytes()
            connections = [connect(server, target) for _ in range(IDLE)]
            time.sleep(0.5)
            costs.append((server.resident_bytes() - before) / IDLE / 1000)
            for connection in warm + connections:
                connection.close()
            time.sleep(0.5)
        return row("memory of an idle HTTP/2 connection beside TLS", costs[1] - costs[0], "KB", 24, 16,
                   http1KB=costs[0], http2KB=costs[1])

    @staticmethod
    def connect(server, target):
        """A connection that has been used once."""
        plain = socket.create_connection(("127.0.0.1", server.port))
        connection = CLIENT.wrap_socket(plain)
        fields = [(":method", "GET"), (":scheme", "https"), (":path", target),
                  (":authority", "localhost")]
        block = b"".join(bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
                         for name, value in fields)
        head = len(block).to_bytes(3, "big") + bytes([HEADERS, END_STREAM | END_HEADERS, 0, 0, 0, 1])
        connection.sendall(PREFACE + head + block)
        reader = connection.makefile("rb")
        while True:
            frame = reader.read(9)
            reader.read(int.from_bytes(frame[:3], "big"))
            if frame[3] == DATA and frame[4] & END_STREAM:
                return connection
