"""Benchmarks of TLS, compared to nginx with the same certificate, bytes and fields."""

import json
import re
import socket
import ssl
import statistics
import subprocess
import time

from machine import LOAD_CORE
from trials import ARTICLES, Trials, row, summary

IDLE = 1_000

# Certificate verification is not measured, so the client accepts any.
CLIENT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CLIENT.check_hostname, CLIENT.verify_mode = False, ssl.CERT_NONE


class SecureTrials:
    """Requests on persistent connections, full handshakes, and idle connections."""

    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        certificate = self.certificate()
        database = self.trials.corpus(1000)
        plain = self.lab.serve(database)
        first = json.load(plain.get(f"{ARTICLES}?limit=1"))["items"][0]
        target = f"{ARTICLES}/{first['id']}"
        response = Trials.response(plain, target)
        plain.stop()
        ours = self.lab.serve(
            database, "--tls-certificate", certificate + ".pem", "--tls-key", certificate + ".key",
            "--max-connections", str(2 * IDLE), scheme="https")
        nginx = self.lab.nginx([response], certificate)
        sides = [(ours, target), (nginx, "/0")]
        rows = [self.requests(sides), self.handshakes(sides), self.idle(sides)]
        ours.stop()
        nginx.stop()
        return rows

    def certificate(self):
        """An ECDSA P-256 certificate for localhost and its key."""
        path = self.lab.path("localhost")
        subprocess.run(
            [self.lab.broadsheet, "certificate", "--self-signed", "localhost", "--out", path],
            check=True, capture_output=True)
        return path

    def requests(self, sides):
        runs = self.turns(sides)
        return row(
            "TLS 1.3, persistent connections: server CPU relative to nginx", self.ratio(runs, "cpu"), "times",
            1.15, 1.0, ours=summary(runs[0]), nginx=summary(runs[1]))

    def handshakes(self, sides):
        runs = [[], []]
        for _ in range(self.pairs):
            for number, (server, target) in enumerate(sides):
                runs[number].append({"cpu": self.handshake_cost(server, target)})
        perSecond = [1e6 / statistics.median(run["cpu"] for run in side) for side in runs]
        return row(
            "full ECDSA P-256 handshakes per second of CPU, relative to nginx",
            1 / self.ratio(runs, "cpu"), "times", 0.85, 1.0, upward=True,
            oursPerSecond=perSecond[0], nginxPerSecond=perSecond[1])

    def handshake_cost(self, server, target):
        """Server CPU in microseconds per connection with one request, without resumption."""
        command = ["taskset", "-c", LOAD_CORE, "openssl", "s_time", "-new", "-tls1_3", "-connect",
                   f"127.0.0.1:{server.port}", "-www", target, "-time", str(self.seconds)]
        before = server.cpu_seconds()
        clients = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    text=True) for _ in range(8)]
        texts = [client.communicate()[0] for client in clients]
        cost = server.cpu_seconds() - before
        count = sum(int(re.search(r"(\d+) connections in \d+ real", text).group(1))
                    for text in texts)
        return cost / max(1, count) * 1e6

    def idle(self, sides):
        costs = []
        for server, target in sides:
            # Warms up, so that one-time allocations are not measured.
            server.load(target, 1, connections=64)
            before = server.resident_bytes()
            connections = [self.connect(server, target) for _ in range(IDLE)]
            time.sleep(0.5)
            costs.append((server.resident_bytes() - before) / IDLE / 1000)
            for connection in connections:
                connection.close()
        return row("memory of an idle TLS connection", costs[0], "KB", 24, 12,
                   nginxKB=costs[1])

    @staticmethod
    def connect(server, target):
        """A connection that has been used once."""
        plain = socket.create_connection(("127.0.0.1", server.port))
        connection = CLIENT.wrap_socket(plain)
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        connection.recv(1 << 16)
        return connection

    def turns(self, sides, **load):
        """Runs both sides alternately, so that other load affects both."""
        runs = [[], []]
        for _ in range(self.pairs):
            for number, (server, target) in enumerate(sides):
                runs[number].append(server.load(target, self.seconds, **load))
        return runs

    @staticmethod
    def ratio(runs, key):
        return statistics.median(our[key] / their[key] for our, their in zip(*runs))
