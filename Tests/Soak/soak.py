#!/usr/bin/env python3
"""Runs a server for a while under realistic conditions (`make soak`): reads, writes, slow and broken
clients, followers of the change stream, reloads, backups, and repeated upgrades in the second half, with
a limit on memory. At the end, every acknowledged write must exist, every follower must have what the lists
have, and no request of a well-behaved client may have failed."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from clients import Breaker, Client, Ledger, Reader, SlowClient, Writer

KEY = "the-admin-key-of-the-soak-test-0123456789"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broadsheet", required=True, help="path of the binary")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--ceiling-mib", type=float, default=128,
                        help="maximum resident memory of a server in MiB")
    parser.add_argument("--slowest", type=float, default=1,
                        help="maximum response time for well-behaved clients in seconds")
    parser.add_argument("--upgrade-every", type=float, default=20,
                        help="interval between upgrades in seconds")
    parser.add_argument("--followers", type=int, default=1_000,
                        help="number of clients of the change stream")
    return parser.parse_args()


class Deployment:
    """The servers of one database, each taking over from the previous one."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.database = os.path.join(folder, "articles.db")
        self.socket = os.path.join(folder, "articles.sock")
        self.log = open(os.path.join(folder, "log"), "ab")
        self.certify()
        command = [binary, "serve", "--database", self.database, "--listen", "127.0.0.1:0",
                   "--listen", f"unix:{self.socket}", "--tls-certificate", self.path("tls.pem"),
                   "--tls-key", self.path("tls.key"), "--log", "text", "--log-level", "warning",
                   "--head-timeout", "3", "--body-timeout", "5", "--write-timeout", "5"]
        first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                 env=dict(os.environ, BROADSHEET_ADMIN_KEY=KEY))
        self.process = first.pid
        self.first = first
        self.port = int(re.search(r":(\d+)$", first.stdout.readline()).group(1))
        # Its successors inherit the pipe, so it must be read continuously.
        threading.Thread(target=first.stdout.read, daemon=True).start()
        self.upgrades, self.highest = 0, {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        return subprocess.run([self.binary, *words], capture_output=True, text=True, check=False)

    def certify(self):
        for part in ("pem", "key"):
            if os.path.exists(self.path(f"new.{part}")):
                os.unlink(self.path(f"new.{part}"))
        made = self.run("certificate", "--self-signed", "localhost", "--out", self.path("new"))
        if made.returncode:
            sys.exit(f"soak: cannot create a certificate: {made.stderr}")
        for part in ("pem", "key"):
            os.replace(self.path(f"new.{part}"), self.path(f"tls.{part}"))

    def reload(self):
        self.certify()
        os.kill(self.process, signal.SIGHUP)

    def upgrade(self):
        done = self.run("upgrade", "--database", self.database)
        found = re.match(r"process (\d+) serves", done.stdout)
        if not found:
            return f"upgrade: {done.stderr.strip()}"
        self.process = int(found.group(1))
        self.upgrades += 1
        if self.first:
            status, self.first = self.first.wait(60), None
            if status:
                return f"upgrade: the first server ended with {status}"
        return None

    def backup(self, number):
        path = self.path(f"backup-{number}.db")
        done = self.run("backup", path, "--database", self.database)
        if done.returncode:
            return f"backup: {done.stderr.strip()}"
        os.unlink(path)
        return None

    def weigh(self):
        """Records the resident memory of the current server in MiB."""
        try:
            with open(f"/proc/{self.process}/status", encoding="ascii") as file:
                found = re.search(r"VmRSS:\s+(\d+)", file.read())
        except OSError:
            return
        if found:
            mib = int(found.group(1)) / 1024
            self.highest[self.process] = max(self.highest.get(self.process, 0), mib)

    def is_alive(self):
        try:
            with open(f"/proc/{self.process}/stat", encoding="ascii") as file:
                return ") Z " not in file.read()
        except OSError:
            return False

    def stop(self):
        os.kill(self.process, signal.SIGTERM)
        end = time.monotonic() + 60
        while self.is_alive() and time.monotonic() < end:
            time.sleep(0.05)


def operate(deployment, options, ledger):
    """Performs an operator's tasks until the time is over."""
    end = time.monotonic() + options.seconds
    # The first server runs for half of the time, so that memory growth becomes visible.
    upgrade, backup = time.monotonic() + options.seconds / 2, time.monotonic() + 10
    reload, number, told = time.monotonic() + 3, 0, time.monotonic()
    while time.monotonic() < end:
        deployment.weigh()
        now = time.monotonic()
        if now >= reload:
            reload = now + 3
            deployment.reload()
        if now >= upgrade:
            upgrade = now + options.upgrade_every
            ledger.fail(deployment.upgrade())
        if now >= backup:
            backup, number = now + 31, number + 1
            ledger.fail(deployment.backup(number))
        if now >= told + 30:
            told = now
            print(f"  {end - now:4.0f} s left: {ledger.text()}, {deployment.upgrades} upgrades, "
                  f"{max(deployment.highest.values()):.0f} MiB", flush=True)
        time.sleep(0.1)


class Followers:
    """Clients of the change stream, in a process of their own."""

    def __init__(self, path, count):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "followers.py")
        self.process = subprocess.Popen([sys.executable, "-B", program, path, str(count)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def verify(self, ledger):
        """Waits until all of them have caught up."""
        output, _ = self.process.communicate("now\n")
        report = json.loads(output) if output else {"ends": 0, "failures": ["the followers have ended"]}
        for failure in report["failures"]:
            ledger.fail(failure)
        print(f"soak: streams ended {report['ends']} times", flush=True)


def verify(deployment, ledger):
    """Compares acknowledged writes with an export."""
    export = deployment.path("everything.ndjson")
    done = deployment.run("export", export, "--database", deployment.database)
    if done.returncode:
        ledger.fail(f"export: {done.stderr.strip()}")
        return
    missing = ledger.missing(export)
    if missing:
        ledger.fail(f"{len(missing)} acknowledged writes are lost, such as {missing[:3]}")
    deployment.stop()
    check = deployment.run("check", "--database", deployment.database)
    if check.returncode:
        ledger.fail(f"check: {check.stdout} {check.stderr}")


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="broadsheet-soak-")
    deployment = Deployment(options.broadsheet, folder)
    ledger = Ledger()
    plain, secure = ("unix", deployment.socket), ("tls", deployment.port)
    crowd = [Reader(plain), Reader(secure), Reader(secure), Writer(plain, KEY, 0),
             Writer(secure, KEY, 1), Writer(plain, KEY, 2), SlowClient(plain), SlowClient(secure),
             Breaker(plain), Breaker(secure)]
    threads = [threading.Thread(target=client.live, args=(ledger,)) for client in crowd]
    for thread in threads:
        thread.start()
    followers = Followers(deployment.socket, options.followers)
    try:
        operate(deployment, options, ledger)
    finally:
        Client.is_over.set()
        for thread in threads:
            thread.join()
        followers.verify(ledger)
        verify(deployment, ledger)
    highest = max(deployment.highest.values())
    if highest > options.ceiling_mib:
        ledger.fail(f"a server used {highest:.0f} MiB, the limit is {options.ceiling_mib:.0f}")
    if ledger.slowest > options.slowest:
        ledger.fail(f"a response took {ledger.slowest:.2f} s, the limit is {options.slowest:g}")
    print(f"soak: {ledger.text()}, {deployment.upgrades} upgrades; at most {highest:.0f} MiB resident")
    if ledger.failures:
        print(f"soak: {len(ledger.failures)} failures; files are in {folder}")
        for failure in ledger.failures[:20]:
            print(f"  {failure}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
