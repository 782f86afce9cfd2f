#!/usr/bin/env python3
"""Measures broadsheet against its performance goals: `make bench`.

The server runs on one core and the load generator on another. Compared programs run alternately, and
results are medians. On a machine with other load, only ratios are meaningful.
"""

import argparse
import os
import platform
import resource
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import report  # noqa: E402
from accounts import AccountTrials  # noqa: E402
from changes import ChangeTrials  # noqa: E402
from client import ClientTrials  # noqa: E402
from defaults import DefaultTrials  # noqa: E402
from http2 import HTTP2Trials  # noqa: E402
from instructions import InstructionTrials  # noqa: E402
from machine import Lab  # noqa: E402
from nodes import NodeTrials  # noqa: E402
from offline import OfflineTrials  # noqa: E402
from search import SearchTrials  # noqa: E402
from secure import SecureTrials  # noqa: E402
from streams import StreamTrials  # noqa: E402
from trials import Trials  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--broadsheet", default=".build/broadsheet")
    parser.add_argument("--store-bench", default=".build/release/broadsheet-store-bench")
    parser.add_argument("--client-bench", default=".build/release/broadsheet-client-bench")
    parser.add_argument("--output", default=".build/bench", help="folder for JSON and plots")
    parser.add_argument("--only", help="run a single group: cached, rested, logged, keyed, "
                        "instructions, uncached, changes, search, creates, published, nodes, footprint, crowds, "
                        "streams, accounts, secure, http2, client or offline")
    parser.add_argument("--seconds", type=int, default=3, help="duration of each run")
    parser.add_argument("--pairs", type=int, default=5, help="number of runs for each median")
    parser.add_argument("--seed", type=int, default=7, help="seed for the generated articles")
    parser.add_argument("--million", action="store_true", help="also measure growth to 1,000,000 articles")
    return parser.parse_args()


def main():
    wanted = options()
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("bench: requires two cores, one for the server and one for the load generator")
    sizes = [1_000, 100_000] + ([1_000_000] if wanted.million else [])
    # Each of ten thousand connections also requires a descriptor in this process.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    start = time.monotonic()
    with Lab(os.path.abspath(wanted.broadsheet), os.path.abspath(wanted.store_bench)) as lab:
        trials = Trials(lab, wanted.seconds, wanted.pairs, wanted.seed)
        defaults = DefaultTrials(lab, trials)
        plan = {"cached": trials.cached, "rested": trials.rested,
                "logged": defaults.logged, "keyed": defaults.keyed,
                "instructions": InstructionTrials(lab, trials).run,
                "uncached": lambda: trials.uncached(sizes), "changes": ChangeTrials(lab, trials).run,
                "search": SearchTrials(lab, trials).run, "creates": trials.creates,
                "published": defaults.creates, "nodes": NodeTrials(lab, trials, defaults).run,
                "footprint": trials.footprint,
                "crowds": trials.crowds, "streams": StreamTrials(lab, trials).run,
                "accounts": AccountTrials(lab, trials).run,
                "secure": SecureTrials(lab, trials).run,
                "http2": HTTP2Trials(lab, trials, os.path.abspath(wanted.client_bench)).run,
                "client": ClientTrials(lab, trials, os.path.abspath(wanted.client_bench)).run,
                "offline": OfflineTrials(lab, trials, os.path.abspath(wanted.client_bench)).run}
        rows = []
        for name, trial in plan.items():
            if wanted.only in (None, name):
                print(f"{name} …", file=sys.stderr, flush=True)
                rows += trial()
    print(report.table(rows))
    about = {"machine": platform.platform(), "cores": os.cpu_count(),
             "load": os.getloadavg()[0], "seconds": round(time.monotonic() - start)}
    report.write(rows, about, wanted.output)
    sys.exit(0 if all(row["gateHolds"] for row in rows) else 1)


if __name__ == "__main__":
    main()
