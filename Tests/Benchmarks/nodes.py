"""Benchmarks of PostgreSQL databases, compared to files with the same articles and to pgbench.

The node and all processes of the PostgreSQL server run on the servers' core, and their CPU time is
added up.
"""

import json
import os
import statistics
import time
import urllib.request

from cluster import Cluster
from defaults import UNLIMITED
from machine import LOAD_CORE, percentile
from search import SearchTrials
from trials import ARTICLES, connection_to, median, row, summary

CORPUS = 100_000
LIST = f"{ARTICLES}?limit=25"
LAG_WRITES = 500

# What one create writes, except for the counters and the clock of commits: concurrent transactions
# would wait for these rows.
TRANSACTION = r"""
\set random random(1, 9000000000000000000)
BEGIN;
INSERT INTO articles (id, state, revision, publication, created_at, updated_at)
    VALUES (int8send(:time) || int8send(:random), 1, 1, :time, :time, :time)
    RETURNING number, id AS uuid \gset
INSERT INTO slugs (slug, article, public_from) VALUES (:slug || :number, :number, :time);
INSERT INTO bodies (text) VALUES (:text) RETURNING number AS body \gset
INSERT INTO renderings (body, renderer, html) VALUES (:body, :renderer, :html);
INSERT INTO revisions (row, article, number, action, time, state, published_at, updated_at,
        slug, title, summary, language, authors, tags, word_count, reading_minutes, body,
        body_bytes, actor)
    VALUES (:number::bigint << 20 | 1, :number, 1, 0, :time, 1, :time, :time,
        :slug || :number, :title, :summary, :language, :authors, :tags, :words, :minutes, :body,
        :bytes, :actor);
INSERT INTO listings (facet, state, publication, id, article) VALUES LISTINGS;
INSERT INTO changes (kind, subject, revision, is_deletion) VALUES (0, :number, 1, 0)
    RETURNING sequence \gset
INSERT INTO transitions (audience, sequence, kind, subject, revision, is_departure)
    VALUES (0, :sequence, 0, :number, 1, 0), (1, :sequence, 0, :number, 1, 0);
COMMIT;
"""

# The values of the last create.
VALUES = """
SELECT json_build_object('time', time, 'slug', slug, 'text', text, 'renderer', renderer,
    'html', html, 'title', title, 'summary', summary, 'language', language, 'authors', authors,
    'tags', tags, 'words', word_count, 'minutes', reading_minutes, 'bytes', body_bytes,
    'actor', actor)
FROM revisions JOIN bodies ON bodies.number = body JOIN renderings USING (body)
ORDER BY row DESC LIMIT 1
"""


class NodeTrials:
    def __init__(self, lab, trials, defaults):
        self.lab, self.trials, self.defaults = lab, trials, defaults
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        self.cluster = Cluster()
        try:
            return self.reads() + self.creates() + self.lag()
        finally:
            self.cluster.stop()

    # Reads of the same database in both engines

    def reads(self):
        file = self.trials.corpus(CORPUS)
        key = self.defaults.key(file, "reader")
        url = self.cluster.create("corpus")
        self.lab.run("migrate", "--from", file, "--to", url)
        # The server does the first two by itself after some minutes, and reads keep the buffers
        # full; the file is in the cache of the kernel, too.
        for statement in ("VACUUM ANALYZE", "CHECKPOINT", "CREATE EXTENSION pg_prewarm",
                          "SELECT pg_prewarm(oid) FROM pg_class WHERE relkind IN ('r', 't', 'i')"):
            self.cluster.run("corpus", statement)
        rows = []
        sides = self.sides(file, url, "--cache-bytes", "0")
        scripts = self.trials.scripts(sides[0], CORPUS, LIST)
        for who, fields in (("anonymous", None), ("by a key", key)):
            for name, script in zip(("article", "list of 25"), scripts.values()):
                rows.append(self.compare(f"uncached {name}, {who}", sides, "/", 2.0,
                                         script=script, fields=fields))
        self.stop(sides)
        sides = self.sides(file, url)
        first = json.load(sides[0].get(f"{ARTICLES}?limit=1"))["items"][0]
        for name, target in (("article", f"{ARTICLES}/{first['id']}"), ("list of 25", LIST)):
            rows.append(self.compare(f"cached {name}", sides, target, 1.05))
        self.stop(sides)
        return rows

    def sides(self, file, url, *options):
        """Servers of both databases, which have indexed them for searches."""
        servers = [self.lab.serve(database, *UNLIMITED, *options, logs=True)
                   for database in (url, file)]
        for server in servers:
            SearchTrials.indexing(server)
        return servers

    @staticmethod
    def stop(sides):
        for server in sides:
            server.stop()

    def compare(self, name, sides, target, gate, **load):
        """The CPU time of a request in the node and the cluster, relative to that with a file."""
        pairs = []
        for _ in range(self.pairs):
            before = self.cluster.cpu_seconds()
            ours = sides[0].load(target, self.seconds, **load)
            ours["node"] = ours["cpu"]
            ours["cpu"] += (self.cluster.cpu_seconds() - before) / ours["requests"] * 1e6
            pairs.append((ours, sides[1].load(target, self.seconds, **load)))
        ours, theirs = zip(*pairs)
        return row(f"PostgreSQL, {name}: CPU relative to a file", self.defaults.ratio(pairs),
                   "times", gate, ours=summary(ours), alone=summary(theirs),
                   node=median(ours, "node"))

    # Writes

    def creates(self):
        """Acknowledged creates with a key, compared to single commits of the same rows."""
        empty = self.cluster.create("empty")
        # The first start creates the tables.
        self.lab.serve(empty, logs=True).stop()
        key = self.defaults.key(empty, "editor")
        script, values = self.transaction(key)
        runs, singles = [], []
        for number in range(self.pairs):
            singles.append(self.single(number, script, values))
            runs.append(self.create(number, key))
        ratio = statistics.median(
            ours["perSecond"] / theirs["perSecond"] for ours, theirs in zip(runs, singles))
        rows = [row(
            "PostgreSQL, creates over HTTP, 64 clients, relative to single commits of pgbench",
            ratio, "times", 0.7, 2.0, upward=True, ours=summary(runs),
            singlesPerSecond=median(singles, "perSecond"))]
        for place in ("node", "workers", "cluster"):
            rows.append(row(f"PostgreSQL, CPU of a create: {place}", median(runs, place), "µs"))
        rows.append(row("PostgreSQL, CPU of a single commit of pgbench: cluster",
                        median(singles, "cpu"), "µs"))
        return rows

    def transaction(self, key):
        """The script of pgbench that writes what a create writes, and the values of one."""
        url = self.cluster.create("sample", "empty")
        server = self.lab.serve(url, *UNLIMITED, logs=True)
        server.load(ARTICLES, 1, 1, self.defaults.script(), key)
        server.stop()
        values = json.loads(self.cluster.run("sample", VALUES))
        facets = self.cluster.run(
            "sample", "SELECT facet FROM listings WHERE article = (SELECT max(number) FROM articles)")
        listings = [f"({facet}, 1, :time, :uuid, :number)" for facet in facets.split()]
        script = TRANSACTION.replace("LISTINGS", ", ".join(listings))
        for name in [name for name, value in values.items() if value == ""]:
            # pgbench has no empty variables.
            script = script.replace(f":{name},", "'',")
            del values[name]
        path = self.lab.path("single.sql")
        with open(path, "w", encoding="ascii") as file:
            file.write(script)
        # Each transaction takes the next number, without waiting for the others.
        self.cluster.run("sample", """
            CREATE SEQUENCE singles;
            SELECT setval('singles', max(sequence)) FROM changes;
            ALTER TABLE changes ALTER sequence SET DEFAULT nextval('singles')""")
        return path, values

    def single(self, number, script, values):
        self.cluster.create(f"single-{number}", "sample")
        self.cluster.run("postgres", "CHECKPOINT")
        return self.cluster.transactions(f"single-{number}", script, self.seconds, values)

    def create(self, number, key):
        url = self.cluster.create(f"created-{number}", "empty")
        server = self.lab.serve(url, *UNLIMITED, logs=True)
        self.cluster.run("postgres", "CHECKPOINT")
        before = self.cluster.cpu_seconds(), server.children_cpu_seconds()
        run = server.load(ARTICLES, self.seconds, script=self.defaults.script(), fields=key)
        run["node"] = run["cpu"]
        after = self.cluster.cpu_seconds(), server.children_cpu_seconds()
        run["cluster"], run["workers"] = [
            (end - start) / run["requests"] * 1e6 for start, end in zip(before, after)]
        run["cpu"] += run["cluster"] + run["workers"]
        server.stop()
        return run

    # Several servers

    def lag(self):
        """How long it takes from a write at one server until a stream of another one has it."""
        url = self.cluster.create("pair")
        nodes = [self.lab.serve(url, *UNLIMITED, logs=True) for _ in range(2)]
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {int(LOAD_CORE)})
        times = []
        with connection_to(nodes[1]) as stream:
            stream.settimeout(20)
            stream.sendall(b"GET /v1/changes/stream?since=now HTTP/1.1\r\nHost: localhost\r\n\r\n")
            receive(stream, b"event: ready")
            for number in range(LAG_WRITES):
                start = time.perf_counter()
                publish(nodes[0], number)
                receive(stream, b"event: change")
                times.append(1000 * (time.perf_counter() - start))
                time.sleep(0.02)
        os.sched_setaffinity(0, cores)
        self.stop(nodes)
        return [row("PostgreSQL, from a write at one server to a stream of another one, p99",
                    percentile(times, 99), "ms", 100, p50=percentile(times, 50))]


def receive(stream, text):
    """Reads until the text has arrived."""
    received = b""
    while text not in received:
        more = stream.recv(1 << 16)
        if not more:
            raise SystemExit("bench: a stream has ended")
        received += more


def publish(server, number):
    """Publishes an article; returns when that is durable."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{ARTICLES}",
        json.dumps({"title": f"Article {number}", "status": "published"}).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {'k' * 40}"})
    urllib.request.urlopen(request, timeout=20).read()
