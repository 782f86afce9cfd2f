"""Benchmarks of the SDK: its overhead over a bare exchange, and the rate of its connections."""

import json
import re
import statistics
import subprocess

from machine import LOAD_CORE
from trials import ARTICLES, row


class ClientTrials:
    """Runs the SDK on the load generator's core, against a server on the other one."""

    def __init__(self, lab, trials, client_bench):
        self.lab, self.trials, self.client_bench = lab, trials, client_bench

    def run(self):
        server = self.lab.serve(self.trials.corpus(1000))
        base = f"http://127.0.0.1:{server.port}"
        # A round of the article benchmark takes about a second.
        rows = self.costs(base) + [self.rate(server, base)]
        server.stop()
        return rows

    # Gate and aim by transport and subject.
    limits = {("sockets", "article"): (1.4, 1.1), ("sockets", "list"): (2.0, 1.5)}

    def costs(self, base):
        found = self.client("costs", base, 4_000 * self.trials.seconds, self.trials.pairs)
        rows = []
        for transport, costs in found.items():
            for subject, cost in costs.items():
                # The gates cover what apps do most, over sockets.
                gate, aim = self.limits.get((transport, subject), (None, None))
                rows.append(row(
                    f"SDK, {subject}, {transport}: client CPU relative to a bare exchange",
                    cost["ratio"], "times", gate, aim,
                    send=cost["send"], bare=cost["bare"]))
        return rows

    def rate(self, server, base):
        """One connection with one request at a time, compared to the same request from h2load."""
        first = json.load(server.get(f"{ARTICLES}?limit=1&fields=id"))["items"][0]
        count = 5_000 * self.trials.seconds
        pairs = [(self.client("rate", base, count, 1),
                  self.h2load(f"{base}{ARTICLES}/{first['id']}", count))
                 for _ in range(self.trials.pairs)]
        ratio = statistics.median(ours["perSecond"] / theirs for ours, theirs in pairs)
        return row(
            "requests on one connection relative to h2load --h1", ratio, "times", upward=True,
            clientPerSecond=statistics.median(ours["perSecond"] for ours, _ in pairs),
            clientMicroseconds=statistics.median(ours["cpu"] for ours, _ in pairs),
            h2loadPerSecond=statistics.median(theirs for _, theirs in pairs))

    def client(self, *arguments):
        command = ["taskset", "-c", LOAD_CORE, self.client_bench, *map(str, arguments)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    @staticmethod
    def h2load(url, count):
        # It accepts gzip like the SDK, but does not decode it.
        command = ["taskset", "-c", LOAD_CORE, "h2load", "--h1", "-c1", "-m1", "-t1", f"-n{count}",
                   "-Haccept-encoding: gzip", url]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        if f"{count} succeeded" not in text:
            raise SystemExit(f"bench: some responses were errors\n{text}")
        return float(re.search(r"([\d.]+) req/s", text).group(1))
