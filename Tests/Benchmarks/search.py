"""Search in 100,000 articles, whose words are as frequent as in prose: the index, and first pages without the cache."""

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request

from machine import free_port
from trials import row, summary

SIZE = 100_000
# The words of these are all in many articles.
COSTLY = {"common": "a common word", "two common": "two common words", "korean": "a Korean word",
          "prefix": "a prefix of two or three letters", "letter": "one letter"}


class SearchTrials:
    """Queries of a server on one core, which caches nothing."""

    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        database = self.lab.path("prose.db")
        prose = self.lab.store("prose", database, SIZE, self.trials.seed)
        admin = free_port()
        server = self.lab.serve(
            database, "--cache-bytes", "0", "--admin-listen", f"127.0.0.1:{admin}", logs=True)
        seconds, cpu = self.indexing(server)
        self.rest(admin)
        index = self.metric(admin, "broadsheet_search_index_bytes")
        rows = [
            row("index relative to the text", index / prose["bytes"], "times", 1.5,
                indexBytes=index, textBytes=prose["bytes"]),
            row("indexing an article", cpu / SIZE * 1e6, "us", seconds=seconds),
            row("resident memory, 100000 articles with an index", server.resident_bytes() / 1e6, "MB"),
        ]
        rare = self.runs(server, "rare", prose["queries"]["rare"], 64)
        rows.append(row("search for a rare word, one core", rare["perSecond"], "per second", 2_000,
                        upward=True, ours=rare))
        for key, name in COSTLY.items():
            run = self.runs(server, key, prose["queries"][key], 1)
            rows.append(row(f"search for {name}: p99", run["p99"], "ms", 50, ours=run))
        server.stop()
        return rows

    @staticmethod
    def indexing(server):
        """Waits until all is indexed; returns the seconds and the CPU seconds since the start."""
        start = time.monotonic()
        while True:
            try:
                server.get("/v1/search?q=swift").read()
                return time.monotonic() - start, server.cpu_seconds()
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    raise
                time.sleep(0.1)

    def rest(self, admin):
        """Waits until segments are no longer merged."""
        before, now = None, self.metric(admin, "broadsheet_search_segments")
        while now != before:
            time.sleep(5)
            before, now = now, self.metric(admin, "broadsheet_search_segments")

    def runs(self, server, key, queries, connections):
        targets = [f"/v1/search?q={urllib.parse.quote(query)}" for query in queries]
        script = self.trials.script(f"search-{key.replace(' ', '-')}", targets)
        return summary([server.load("/", self.seconds, connections, script)
                        for _ in range(self.pairs)])

    @staticmethod
    def metric(port, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as page:
            return float(re.search(rf"^{name} (\S+)$", page.read().decode(), re.M).group(1))
