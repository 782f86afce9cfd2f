"""Search in 100,000 articles, whose words are as frequent as in prose: the index, and first pages without the cache."""

import http.client
import json
import re
import statistics
import threading
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
            database, "--cache-bytes", "0", "--key-rate-limit", "off", "--admin-listen",
            f"127.0.0.1:{admin}", logs=True)
        with Bystander(server) as bystander:
            seconds, cpu = self.indexing(server)
            self.rest(admin)
        with Bystander(server) as after:
            time.sleep(10)
        index = self.metric(admin, "broadsheet_search_index_bytes")
        rows = [
            row("index relative to the text", index / prose["bytes"], "times", 1.5,
                indexBytes=index, textBytes=prose["bytes"]),
            row("indexing an article", cpu / SIZE * 1e6, "us", seconds=seconds),
            *(row(f"a {kind} while articles are indexed and segments merged: longest", longest, "ms",
                  20, requests=len(bystander.times[kind]), afterwards=after.longest(kind))
              for kind in bystander.times for longest in [bystander.longest(kind)]),
            row("resident memory, 100000 articles with an index", server.resident_bytes() / 1e6, "MB"),
        ]
        rows.append(self.rare(server, prose["queries"]["rare"]))
        for key, name in COSTLY.items():
            run = self.runs(server, key, prose["queries"][key], 1)
            rows.append(row(f"search for {name}: p99", run["p99"], "ms", 50, ours=run))
        server.stop()
        return rows

    def rare(self, server, queries):
        """Searches for rare words in pairs with nginx's `return 200`."""
        nginx = self.lab.nginx([({}, "{}")], logs=True)
        script = self.script("rare", queries)
        pairs = [(server.load("/", self.seconds, 64, script), nginx.load("/0", self.seconds))
                 for _ in range(self.pairs)]
        nginx.stop()
        ratio = statistics.median(our["cpu"] / their["cpu"] for our, their in pairs)
        return row("search for a rare word: CPU, of nginx's return 200", ratio, "times", 50, 30,
                   ours=summary([pair[0] for pair in pairs]),
                   nginx=summary([pair[1] for pair in pairs]))

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
        script = self.script(key, queries)
        return summary([server.load("/", self.seconds, connections, script)
                        for _ in range(self.pairs)])

    def script(self, key, queries):
        targets = [f"/v1/search?q={urllib.parse.quote(query)}" for query in queries]
        return self.trials.script(f"search-{key.replace(' ', '-')}", targets)

    @staticmethod
    def metric(port, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as page:
            return float(re.search(rf"^{name} (\S+)$", page.read().decode(), re.M).group(1))


class Bystander:
    """A client that reads and creates articles, in turn and with pauses, while something else
    happens."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        self.times = {"read": [], "create": []}
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.thread.join()

    def longest(self, kind):
        return max(self.times[kind])

    def run(self):
        article = json.dumps({"title": "Beside the index", "body": "An *article*. " * 40})
        made = json.loads(self.timed("create", "POST", "/v1/articles", article))
        while not self.is_done.wait(0.01):
            self.timed("read", "GET", f"/v1/articles/{made['id']}")
            self.timed("create", "POST", "/v1/articles", article)

    def timed(self, kind, method, target, body=None):
        start = time.perf_counter()
        self.connection.request(method, target, body, {
            "Authorization": f"Bearer {'k' * 40}", "Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise SystemExit(f"bench: {method} {target} was answered {response.status}: {text}")
        self.times[kind].append(1000 * (time.perf_counter() - start))
        return text
