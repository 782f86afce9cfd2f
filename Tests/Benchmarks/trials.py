"""The main benchmarks: each returns rows with a result, its gate and its aim."""

import json
import random
import socket
import statistics
import struct
import threading
import time

ARTICLES = "/v1/articles"
SPARSE = f"{ARTICLES}?fields=id,slug,title,publishedAt"


def row(name, figure, unit, gate=None, aim=None, upward=False, **details):
    """A result with its limits; `upward` means that more is better."""
    def holds(bound):
        return bound is None or (figure >= bound if upward else figure <= bound)
    return {"name": name, "figure": figure, "unit": unit, "gate": gate, "aim": aim,
            "upward": upward, "gateHolds": holds(gate), "aimHolds": holds(aim), **details}


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def summary(runs):
    return {key: median(runs, key) for key in ("cpu", "perSecond", "p50", "p99")}


class Trials:
    """All benchmarks of one run, with corpora that are created once."""

    def __init__(self, lab, seconds, pairs, seed):
        self.lab, self.seconds, self.pairs, self.seed = lab, seconds, pairs, seed
        self.corpora = {}

    def corpus(self, count):
        if count not in self.corpora:
            path = self.lab.path(f"corpus-{count}.db")
            self.lab.store("fill", path, count, self.seed)
            self.corpora[count] = path
        return self.corpora[count]

    # Cached responses compared to static ones of nginx

    def cached(self):
        server = self.lab.serve(self.corpus(1000))
        first = json.load(server.get(f"{ARTICLES}?limit=1"))["items"][0]
        targets = {"article": f"{ARTICLES}/{first['id']}", "list of 20": SPARSE}
        nginx = self.lab.nginx([self.response(server, target) for target in targets.values()])
        rows = []
        for number, (name, target) in enumerate(targets.items()):
            pairs = [(server.load(target, self.seconds), nginx.load(f"/{number}", self.seconds))
                     for _ in range(self.pairs)]
            ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            ratio = statistics.median(our["cpu"] / their["cpu"] for our, their in pairs)
            rows.append(row(
                f"cached GET, {name}: server CPU relative to nginx", ratio, "times", 1.15, 0.95,
                ours=summary(ours), nginx=summary(theirs)))
        server.stop()
        nginx.stop()
        return rows

    def rested(self):
        """The first request after a rest, for which threads have to wake up."""
        server = self.lab.serve(self.corpus(1000))
        first = json.load(server.get(f"{ARTICLES}?limit=1"))["items"][0]
        target = f"{ARTICLES}/{first['id']}"
        nginx = self.lab.nginx([self.response(server, target)])
        pairs = [(server.rested(target, 20), nginx.rested("/0", 20)) for _ in range(self.pairs)]
        ours, theirs = [summary(side) for side in zip(*pairs)]
        server.stop()
        nginx.stop()
        return [row("cached GET, the first after a rest of 0.1 s: median", ours["p50"], "ms", 1, 0.2,
                    ours=ours, nginx=theirs)]

    @staticmethod
    def response(server, target):
        """The fields and the body that nginx should send as well."""
        found = server.get(target)
        names = ("Cache-Control", "Vary", "ETag", "Last-Modified", "Link", "X-Request-ID",
                 "X-Content-Type-Options", "Referrer-Policy")
        fields = {name: found.headers[name] for name in names if found.headers[name]}
        return fields, found.read().decode()

    # Uncached responses, and how their cost grows

    def uncached(self, sizes):
        costs = {}
        rows = []
        for size in sizes:
            server = self.lab.serve(self.corpus(size), "--cache-bytes", "0", logs=True)
            scripts = self.scripts(server, size)
            runs = {name: [server.load("/", self.seconds, script=script)
                           for _ in range(self.pairs)] for name, script in scripts.items()}
            costs[size] = {name: summary(found) for name, found in runs.items()}
            if size == 100_000:
                rows += self.multiples(server, scripts)
            server.stop()
        for size in sizes[1:]:
            for name in ("get", "list"):
                growth = costs[size][name]["cpu"] / costs[sizes[0]][name]["cpu"]
                gate = 1.5 if size == 100_000 else None
                rows.append(row(
                    f"growth of {name} from {sizes[0]} to {size} articles", growth, "times", gate,
                    1.2, ours=costs[size][name]))
        return rows

    def multiples(self, server, scripts):
        """What uncached responses cost as a multiple of nginx's `return 200`, in pairs, and how slow the
        slowest are at half the rate."""
        nginx = self.lab.nginx([({}, "{}")], logs=True)
        rows = []
        for name, gate, aim in (("get", 6, 4), ("list", 22, 14)):
            pairs = [(server.load("/", self.seconds, script=scripts[name]),
                      nginx.load("/0", self.seconds)) for _ in range(self.pairs)]
            ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            ratio = statistics.median(our["cpu"] / their["cpu"] for our, their in pairs)
            rows.append(row(
                f"uncached {name}, 100000 articles: CPU, of nginx's return 200", ratio, "times", gate,
                aim, ours=summary(ours), nginx=summary(theirs)))
            slow = self.paced(server, scripts[name], summary(ours)["perSecond"] / 2)
            rows.append(row(
                f"uncached {name} at half the rate: p99 of the median", slow["p99"] / slow["p50"],
                "times", 8, ours=slow))
        nginx.stop()
        return rows

    def scripts(self, server, size, listed=SPARSE):
        """Scripts for articles and pages from the whole corpus in random order."""
        pick = random.Random(self.seed)
        ids, pages = [], [listed]
        for _ in range(min(size // 100, 40)):
            page = json.load(server.get(
                f"{ARTICLES}?limit=100&fields=id&publishedBefore={self.moment(pick, size)}"))
            ids += [item["id"] for item in page["items"]]
            pages.append(f"{listed}&publishedBefore={self.moment(pick, size)}")
        return {"get": self.script("get", [f"{ARTICLES}/{id}" for id in ids]),
                "list": self.script("list", pages)}

    @staticmethod
    def moment(pick, size):
        """A random time after at least a hundred articles of the corpus were published."""
        minutes = pick.randrange(100, size)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_600_000_000 + 60 * minutes))

    def script(self, name, targets):
        """The wrk script that requests these targets in random order."""
        path = self.lab.path(f"{name}.lua")
        with open(path, "w", encoding="ascii") as file:
            file.write("local targets = {" + ",".join(f'"{target}"' for target in targets) + "}\n")
            file.write("local requests, number = {}, 0\n")
            file.write("function init() math.randomseed(7) for i, target in ipairs(targets) do "
                       'requests[i] = wrk.format("GET", target) end end\n')
            file.write("function request() return requests[math.random(#requests)] end\n")
        return path

    def paced(self, server, script, per_second):
        """Load at about this rate: each connection pauses between a response and the next request."""
        connections = 64
        path = script.replace(".lua", "-paced.lua")
        milliseconds = max(1, round(connections / per_second * 1000))
        with open(script, encoding="ascii") as source, open(path, "w", encoding="ascii") as file:
            file.write(source.read() + f"function delay() return {milliseconds} end\n")
        runs = [server.load("/", self.seconds, connections, path) for _ in range(self.pairs)]
        return summary(runs)

    # Writes

    def creates(self):
        ratios, shared, ours, theirs = [], [], [], []
        for number in range(self.pairs):
            single = self.lab.store("commits", self.lab.path(f"single-{number}.db"), 2000)
            many = self.lab.store("creates", self.lab.path(f"creates-{number}.db"), 64, 100)
            ratios.append(many["perSecond"] / single["perSecond"])
            shared.append(many["writesPerCommit"])
            ours.append(many["perSecond"])
            theirs.append(single["perSecond"])
        each = statistics.median(shared)
        return [row(f"durable creates, 64 writers, {each:.0f} per commit, relative to single commits",
                    statistics.median(ratios), "times", 1.0, 2.5, upward=True,
                    perSecond=statistics.median(ours), singlePerSecond=statistics.median(theirs),
                    writesPerCommit=each)]

    # Memory and start-up

    def footprint(self):
        server = self.lab.serve(self.corpus(100_000), logs=True)
        rows = [row("start-up, 100000 articles", server.start_seconds, "s", 1, 0.02),
                row("resident memory, 100000 articles, cache cold",
                    server.resident_bytes() / 1e6, "MB", 60, 20)]
        server.stop()
        return rows

    # Many connections and hostile ones

    def crowds(self):
        server = self.lab.serve(self.corpus(1000), "--max-connections", "12000", logs=True)
        before = [server.load(SPARSE, self.seconds) for _ in range(self.pairs)]
        resident = server.resident_bytes()
        idle = [connection_to(server) for _ in range(10_000)]
        time.sleep(0.5)
        each = (server.resident_bytes() - resident) / len(idle)
        beside = [server.load(SPARSE, self.seconds) for _ in range(self.pairs)]
        for connection in idle:
            connection.close()
        change = (median(beside, "perSecond") / median(before, "perSecond") - 1) * 100
        with Hostile(server):
            under = [server.load(SPARSE, self.seconds) for _ in range(self.pairs)]
        server.stop()
        return [
            row("memory of an idle connection", each / 1000, "KB", 12, 6),
            row("10000 idle connections: rate of 64 active ones", change, "%", -20, -5,
                upward=True, ours=summary(beside), alone=summary(before)),
            row("hostile clients: p99 of others", median(under, "p99") / median(before, "p99"),
                "times", 3, 1.5, ours=summary(under), alone=summary(before)),
        ]


def connection_to(server):
    """A connection that is reset when it is closed (`SO_LINGER` of 0)."""
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return connection


class Hostile:
    """Clients that send heads and bodies byte by byte, read nothing, or do not send HTTP."""

    def __init__(self, server):
        self.server = server
        self.is_on, self.is_over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.is_on.wait()

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def run(self):
        head = b"GET /v1/articles HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        # The beginning of a request that is not rejected because of its head.
        body = b"GET /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
        greedy = b"GET /v1/articles?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50
        firsts = [head] * 400 + [body] * 200
        slow = [self.open(first) for first in firsts]
        deaf = [self.open(greedy) for _ in range(100)]
        self.is_on.set()
        # Each sends a byte every fifth of a second: a few at a time, as this shares a core with the
        # load generator and would block it for milliseconds.
        at_a_time = 20
        while not self.is_over.is_set():
            for start in range(0, len(slow), at_a_time):
                for number in range(start, start + at_a_time):
                    if not self.push(slow[number], b"x"):
                        slow[number] = self.open(firsts[number])
                self.open(b"\x16\x03\x01 no HTTP\r\n\r\n").close()
                self.is_over.wait(0.2 * at_a_time / len(slow))
        for connection in slow + deaf:
            connection.close()

    def open(self, first):
        connection = connection_to(self.server)
        connection.setblocking(False)
        self.push(connection, first)
        return connection

    @staticmethod
    def push(connection, data):
        try:
            connection.send(data)
            return True
        except BlockingIOError:
            return True
        except OSError:
            connection.close()
            return False
