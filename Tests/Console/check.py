#!/usr/bin/env python3
"""Uses the console as people do: in Chromium, with a real server."""

import argparse
import os
import pathlib
import tempfile
import time
import traceback

import flows_admin
import flows_large
import flows_looks
import flows_operate
import flows_safety
import flows_write
from browser import Browser
from server import KEY, Server

FLOWS = [*flows_write.FLOWS, *flows_operate.FLOWS, *flows_admin.FLOWS, *flows_looks.FLOWS,
         *flows_safety.FLOWS, *flows_large.FLOWS]


# A few minutes' worth: what most changes would break.
SHORT = [flows_write.signing_in, flows_write.writing, flows_write.conflicting, flows_write.restarting,
         flows_write.expiring, flows_write.by_keyboard, flows_operate.history, flows_admin.keys,
         flows_looks.looks_short, flows_looks.dialogs, flows_safety.over_tls]


class World:
    """What flows share: a server with some users, and a browser that is signed out."""

    def __init__(self, server, axe, pictures):
        self.server, self.axe, self.pictures = server, axe, pictures
        self.key = KEY
        self.browser = None


def run(world, flow):
    world.browser = Browser(world.server.url)
    try:
        flow(world)
        world.browser.check_log()
    finally:
        world.browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broadsheet", required=True)
    parser.add_argument("--axe", required=True, help="the file of axe-core")
    parser.add_argument("--short", action="store_true", help="some flows only")
    parser.add_argument("--only", action="append", default=[], help="the name of a flow")
    parser.add_argument("--pictures", help="a folder for screenshots of each page")
    options = parser.parse_args()
    axe = pathlib.Path(options.axe).read_text()
    flows = SHORT if options.short else FLOWS
    if options.only:
        flows = [flow for flow in [*FLOWS, flows_looks.looks_short] if flow.__name__ in options.only]
    failures = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(os.path.abspath(options.broadsheet), folder)
        server.start()
        try:
            for name, role in (("mina", "admin"), ("jun", "editor"), ("rita", "reader")):
                server.user(name, role)
            world = World(server, axe, options.pictures and pathlib.Path(options.pictures))
            for flow in flows:
                start = time.monotonic()
                name = flow.__name__.replace("_", " ")
                try:
                    run(world, flow)
                    print(f"{name} ({time.monotonic() - start:.0f} s)", flush=True)
                except Exception:
                    failures.append(name)
                    print(f"FAILED: {name}\n{traceback.format_exc()}", flush=True)
        finally:
            server.kill()
    if failures:
        raise SystemExit("console-test: FAILED: " + ", ".join(failures))
    print(f"console-test: {len(flows)} flows ({time.monotonic() - begin:.0f} s)")


if __name__ == "__main__":
    main()
