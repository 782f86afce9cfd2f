"""Accounts: what sign-ins cost other clients and searches those who sign in, requests of a session, and
what times disclose."""

import concurrent.futures
import json
import random
import signal
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from defaults import UNLIMITED, DefaultTrials
from machine import LOAD_CORE, SERVER_CORE
from search import SearchTrials
from trials import row, summary

PASSWORD = "correct horse"
# Each user accepts ten wrong passwords at once.
USERS, ATTEMPTS = 250, 4
CLIENTS = 64
ATTEMPTS_IF_BUSY = 60
# Those who sign in at once, how often in each run, and who searches what meanwhile.
TOGETHER, TIMES = 8, 5
SEARCHERS, SEARCHED = 24, 12_000


class AccountTrials:
    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        corpus = self.trials.corpus(1_000)
        server = self.lab.serve(corpus, *UNLIMITED, logs=True)
        self.hire(server, USERS)
        rows = [*self.sessions(server), self.crowd(server, "cached"), self.times(server)]
        server.stop()
        server = self.lab.serve(corpus, "--cache-bytes", "0", *UNLIMITED, logs=True)
        rows.append(self.crowd(server, "uncached"))
        server.stop()
        return [*rows, self.searches()]

    @staticmethod
    def hire(server, count):
        for number in range(count):
            send(server, "/v1/users", name(number), {"Authorization": f"Bearer {'k' * 40}"})

    def sessions(self, server):
        """Requests of a reader who is signed in, compared to anonymous ones."""
        token = json.loads(send(server, "/v1/sessions", name(0)))["accessToken"]
        fields = {"Authorization": f"Bearer {token}"}
        for label, target in DefaultTrials.targets(server).items():
            pairs = [(server.load(target, self.seconds, fields=fields),
                      server.load(target, self.seconds)) for _ in range(self.pairs)]
            yield row(
                f"cached GET in a session, {label}: server CPU relative to anonymous",
                DefaultTrials.ratio(pairs), "times", 1.5, 1.15,
                ours=summary([pair[0] for pair in pairs]),
                alone=summary([pair[1] for pair in pairs]))

    def crowd(self, server, kind):
        """Readers beside clients that sign in as fast as they can."""
        target = DefaultTrials.targets(server)["article"]
        alone, beside = [], []
        for _ in range(self.pairs):
            alone.append(server.load(target, self.seconds))
            with Crowd(server, self.sign_ins(), CLIENTS):
                beside.append(server.load(target, self.seconds))
        ratio = statistics.median(
            with_them["p99"] / without["p99"] for with_them, without in zip(beside, alone))
        return row(f"{kind} GET, article, beside {CLIENTS} clients that sign in: p99", ratio, "times", 3,
                   1.5, ours=summary(beside), alone=summary(alone))

    def sign_ins(self):
        """The script of clients that sign in."""
        path = self.lab.path("sign-in.lua")
        with open(path, "w", encoding="ascii") as file:
            file.write("wrk.method = 'POST'\n"
                       "wrk.headers['Content-Type'] = 'application/json'\n"
                       "local number = 0\n"
                       f"function request() number = (number + 1) % {USERS}\n"
                       "return wrk.format(nil, '/v1/sessions', nil, '{\"name\":\"user-' .. number .. "
                       f"'\",\"password\":\"{PASSWORD}\"}}') end\n")
        return path

    def searches(self):
        """A few who sign in at once, beside clients that search as fast as they can. The server shares a
        second core with the load: on a single one, each search that runs takes as much as a hash."""
        database = self.lab.path("searched.db")
        prose = self.lab.store("prose", database, SEARCHED, self.trials.seed)
        server = self.lab.serve(database, "--cache-bytes", "0", *UNLIMITED, logs=True,
                                cores=f"{SERVER_CORE},{LOAD_CORE}")
        SearchTrials.indexing(server)
        self.hire(server, TOGETHER)
        queries = prose["queries"]["prefix"] + prose["queries"]["letter"]
        script = self.trials.script(
            "beside-sign-ins", [f"/v1/search?limit=100&q={query}" for query in queries])
        alone, beside = [], []
        for _ in range(self.pairs):
            alone.append(self.together(server))
            with Crowd(server, script, SEARCHERS) as crowd:
                beside.append(self.together(server))
            if "Non-2xx" in crowd.report:
                raise SystemExit(f"bench: some searches were answered with errors\n{crowd.report}")
        server.stop()
        ratio = statistics.median(
            with_them / without for with_them, without in zip(beside, alone))
        return row(f"{TOGETHER} sign-ins at once beside {SEARCHERS} clients that search: time", ratio,
                   "times", 3, 2, seconds=statistics.median(beside),
                   aloneSeconds=statistics.median(alone))

    @staticmethod
    def together(server):
        """The seconds until all who sign in at once have a session: the median of a few times."""
        def once(pool):
            start = time.perf_counter()
            list(pool.map(lambda number: send(server, "/v1/sessions", name(number)), range(TOGETHER)))
            return time.perf_counter() - start
        with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
            return statistics.median(once(pool) for _ in range(TIMES))

    def times(self, server):
        """Whether the times of rejections tell that a name is known: the probability that a known
        name takes longer than an unknown one, less one half."""
        kinds = {True: [], False: []}
        attempts = [(number, is_known) for number in range(USERS) for is_known in (True, False)]
        for _ in range(ATTEMPTS):
            random.Random(self.trials.seed).shuffle(attempts)
            for number, is_known in attempts:
                account = dict(name(number), password="incorrect")
                if not is_known:
                    account["name"] = f"nobody-{number}"
                _, seconds = exchange(server, "/v1/sessions", account, expecting=401)
                kinds[is_known].append(seconds)
        advantage = abs(area(kinds[True], kinds[False]) - 0.5)
        return row("known names told from unknown ones by time, better than by chance",
                   100 * advantage, "%", 4, 2, attempts=len(kinds[True]) + len(kinds[False]),
                   known=1000 * statistics.median(kinds[True]),
                   unknown=1000 * statistics.median(kinds[False]))


def name(number):
    return {"name": f"user-{number}", "password": PASSWORD}


def area(left, right):
    """The probability that a value on the left is greater (Mann and Whitney's U, normalized)."""
    ranked = sorted([(value, 1) for value in left] + [(value, 0) for value in right])
    ranks = sum(rank for rank, (_, is_left) in enumerate(ranked, 1) if is_left)
    return (ranks - len(left) * (len(left) + 1) / 2) / (len(left) * len(right))


def send(server, target, body, fields=None):
    """Sends a request that creates something; returns the body of the response."""
    return exchange(server, target, body, fields, expecting=201)[0]


def exchange(server, target, body, fields=None, expecting=201):
    """Sends a request, again while the server is busy hashing the passwords of a crowd that has ended;
    returns the body of the response and the seconds that it took."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{target}", json.dumps(body).encode(), method="POST",
        headers={"Content-Type": "application/json", **(fields or {})})
    for _ in range(ATTEMPTS_IF_BUSY):
        start = time.perf_counter()
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                status, text, wait = response.status, response.read(), 0
        except urllib.error.HTTPError as error:
            status, text, wait = error.code, error.read(), int(error.headers["Retry-After"] or 1)
        if status != 503:
            break
        time.sleep(wait)
    if status != expecting:
        raise SystemExit(f"bench: POST {target} gave {status}: {text.decode()}")
    return text, time.perf_counter() - start


class Crowd:
    """Clients that send the requests of a script, each the next as soon as it has a response, until the
    end of the block. Then `report` is what `wrk` says about them."""

    # No block lasts as long: it ends them.
    SECONDS = 600

    def __init__(self, server, script, connections):
        self.command = [
            "taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{self.SECONDS}s", "-s",
            script, f"http://127.0.0.1:{server.port}/"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.report, _ = self.process.communicate()
