"""Accounts: what sign-ins cost other clients, requests of a session, and what times disclose."""

import json
import os
import random
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from defaults import UNLIMITED, DefaultTrials
from machine import LOAD_CORE
from trials import row, summary

PASSWORD = "correct horse"
# Each user accepts ten wrong passwords at once.
USERS, ATTEMPTS = 250, 4
CLIENTS = 64
ATTEMPTS_IF_BUSY = 60


class AccountTrials:
    def __init__(self, lab, trials):
        self.lab, self.trials = lab, trials
        self.seconds, self.pairs = trials.seconds, trials.pairs

    def run(self):
        server = self.lab.serve(self.trials.corpus(1_000), *UNLIMITED, logs=True)
        for number in range(USERS):
            send(server, "/v1/users", name(number), {"Authorization": f"Bearer {'k' * 40}"})
        rows = [*self.sessions(server), self.crowd(server), self.times(server)]
        server.stop()
        return rows

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

    def crowd(self, server):
        """Readers beside clients that sign in as fast as they can."""
        target = DefaultTrials.targets(server)["article"]
        alone, beside = [], []
        for _ in range(self.pairs):
            alone.append(server.load(target, self.seconds))
            with Crowd(server, self.lab, self.seconds):
                beside.append(server.load(target, self.seconds))
        ratio = statistics.median(
            with_them["p99"] / without["p99"] for with_them, without in zip(beside, alone))
        return row(f"p99 of readers beside {CLIENTS} clients that sign in", ratio, "times", 3, 1.5,
                   ours=summary(beside), alone=summary(alone))

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
    """Clients that sign in, each again as soon as it has a response."""

    def __init__(self, server, lab, seconds):
        script = lab.path("sign-in.lua")
        if not os.path.exists(script):
            with open(script, "w", encoding="ascii") as file:
                file.write("wrk.method = 'POST'\n"
                           "wrk.headers['Content-Type'] = 'application/json'\n"
                           "local number = 0\n"
                           f"function request() number = (number + 1) % {USERS}\n"
                           "return wrk.format(nil, nil, nil, '{\"name\":\"user-' .. number .. "
                           f"'\",\"password\":\"{PASSWORD}\"}}') end\n")
        self.command = [
            "taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{CLIENTS}", f"-d{seconds + 2}s", "-s",
            script, f"http://127.0.0.1:{server.port}/v1/sessions"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        time.sleep(1)

    def __exit__(self, *_):
        self.process.wait()
