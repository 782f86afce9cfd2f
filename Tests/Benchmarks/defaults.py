"""Benchmarks of the default configuration: with access log, requests with a key, creates over HTTP."""

import json
import os
import re
import statistics
import urllib.request

from machine import free_port
from trials import ARTICLES, SPARSE, Trials, row, summary

# Keys have their own rate limit, which is not measured here.
UNLIMITED = ("--key-rate-limit", "off")


class DefaultTrials:
    """Servers that log every request to a file, which is the default."""

    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def logged(self):
        """Compared to nginx, which writes the same fields of each request to a file."""
        admin = free_port()
        server = self.lab.serve(
            self.trials.corpus(1000), "--admin-listen", f"127.0.0.1:{admin}", logs=True)
        targets = self.targets(server)
        nginx = self.lab.nginx(
            [Trials.response(server, target) for target in targets.values()], logs=True)
        rows, lines = [], 0
        for number, (name, target) in enumerate(targets.items()):
            pairs = [(server.load(target, self.seconds), nginx.load(f"/{number}", self.seconds))
                     for _ in range(self.pairs)]
            lines += sum(ours["requests"] for ours, _ in pairs)
            rows.append(row(
                f"cached GET with the log, {name}: server CPU relative to nginx",
                self.ratio(pairs), "times", 1.3, 1.1, plot="cached",
                ours=summary([pair[0] for pair in pairs]),
                nginx=summary([pair[1] for pair in pairs])))
        dropped = self.dropped_lines(admin)
        rows.append(row("dropped log lines at full load", 100 * dropped / lines, "%", 1, 0,
                        lines=lines))
        server.stop()
        nginx.stop()
        return rows

    def keyed(self):
        """Requests with a reader's key, compared to anonymous ones."""
        database = self.trials.corpus(1000)
        fields = self.key(database, "reader")
        server = self.lab.serve(database, *UNLIMITED, logs=True)
        rows = []
        for name, target in self.targets(server).items():
            pairs = [(server.load(target, self.seconds, fields=fields),
                      server.load(target, self.seconds)) for _ in range(self.pairs)]
            rows.append(row(
                f"cached GET by a reader's key, {name}: server CPU relative to anonymous",
                self.ratio(pairs), "times", 1.5, 1.15,
                ours=summary([pair[0] for pair in pairs]),
                alone=summary([pair[1] for pair in pairs])))
        server.stop()
        return rows

    def creates(self):
        """Acknowledged creates with a key, compared to a loop of single commits on the same disk."""
        rates, runs = [], []
        for number in range(self.pairs):
            single = self.lab.store("commits", self.lab.path(f"beside-{number}.db"), 2000)
            database = self.lab.path(f"created-{number}.db")
            # The first start creates the file.
            self.lab.serve(database, logs=True).stop()
            fields = self.key(database, "editor")
            server = self.lab.serve(database, *UNLIMITED, logs=True)
            before = server.children_cpu_seconds()
            run = server.load(ARTICLES, self.seconds, script=self.script(), fields=fields)
            cost = server.children_cpu_seconds() - before
            run["children"] = cost / run["requests"] * 1e6
            server.stop()
            runs.append(run)
            rates.append((run["perSecond"], single["perSecond"]))
        ratio = statistics.median(ours / theirs for ours, theirs in rates)
        children = statistics.median(run["children"] for run in runs)
        return [
            row("durable creates over HTTP, 64 clients, relative to single commits", ratio, "times",
                1.0, 2.5, upward=True, ours=summary(runs),
                perSecond=statistics.median(ours for ours, _ in rates),
                singlePerSecond=statistics.median(theirs for _, theirs in rates)),
            row("CPU of a create, in the server itself", summary(runs)["cpu"], "µs"),
            row("CPU of a create, in its Markdown workers", children, "µs"),
        ]

    @staticmethod
    def targets(server):
        first = json.load(server.get(f"{ARTICLES}?limit=1"))["items"][0]
        return {"article": f"{ARTICLES}/{first['id']}", "list of 20": SPARSE}

    @staticmethod
    def ratio(pairs):
        return statistics.median(ours["cpu"] / theirs["cpu"] for ours, theirs in pairs)

    @staticmethod
    def dropped_lines(port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as page:
            text = page.read().decode()
        return int(re.search(r"^broadsheet_log_dropped_lines_total (\d+)$", text, re.M).group(1))

    def key(self, database, role):
        """The header field with a new key of this role."""
        made = self.lab.run("key", "create", "--role", role, "--database", database)
        return {"Authorization": f"Bearer {made.strip()}"}

    def script(self):
        """The wrk script that creates distinct articles of about 2 KB."""
        path = self.lab.path("create.lua")
        if not os.path.exists(path):
            text = "All that can be said of it, *with emphasis* and a [link](https://a.example). "
            article = {"title": "Article NUMBER", "status": "published", "tags": ["bench"],
                       "body": "\n\n".join(["## A part", text * 6] * 4)}
            start, end = json.dumps(article).split("NUMBER")
            with open(path, "w", encoding="ascii") as file:
                file.write("wrk.method = 'POST'\n"
                           "wrk.headers['Content-Type'] = 'application/json'\n"
                           "local number = 0\n"
                           "function request() number = number + 1\n"
                           f"return wrk.format(nil, nil, nil, [==[{start}]==] .. number .. "
                           f"[==[{end}]==]) end\n")
        return path
