#!/usr/bin/env python3
"""Follows the change stream with a browser's EventSource, from a page of another origin.

The server is killed and started again meanwhile: the browser has to resume by itself, by the id of the
last event, and to receive each change once.
"""

import argparse
import http.server
import json
import os
import queue
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

KEY = "k" * 40
PATIENCE = 120

PAGE = """<!doctype html><title>Changes</title><script>
const source = new EventSource("SERVER/v1/changes/stream?since=now&types=article&fields=title");
const report = (type, event) => fetch("/" + type, {
    method: "POST", body: JSON.stringify({ data: event.data, id: event.lastEventId }) });
for (const type of ["ready", "change"]) source.addEventListener(type, event => report(type, event));
</script>"""


class Reports(http.server.BaseHTTPRequestHandler):
    """Serves the page, and receives what it reports."""

    def do_GET(self):
        body = self.server.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.reports.put((self.path[1:], json.loads(text)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Check:
    def __init__(self, broadsheet, browser, folder):
        self.broadsheet, self.browser, self.folder = broadsheet, browser, folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reports)
        self.page.reports = queue.Queue()
        self.page.page = PAGE.replace("SERVER", f"http://127.0.0.1:{self.port}")
        self.origin = f"http://127.0.0.1:{self.page.server_port}"
        threading.Thread(target=self.page.serve_forever, daemon=True).start()

    def serve(self):
        server = subprocess.Popen(
            [self.broadsheet, "serve", "--listen", f"127.0.0.1:{self.port}", "--log", "off",
             "--database", f"{self.folder}/a.db", "--cors-origin", self.origin],
            env=dict(os.environ, BROADSHEET_ADMIN_KEY=KEY), stdout=subprocess.PIPE)
        if not server.stdout.readline().startswith(b"listening"):
            raise SystemExit("browser-check: the server did not start")
        return server

    def publish(self, title):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/articles",
            json.dumps({"title": title, "status": "published"}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"})
        urllib.request.urlopen(request, timeout=PATIENCE).read()

    def expect(self, kind, title=None):
        try:
            found, report = self.page.reports.get(timeout=PATIENCE)
        except queue.Empty:
            raise SystemExit(f"browser-check: the browser never reported {kind} {title or ''}")
        shown = json.loads(report["data"]).get("article", {}).get("title")
        if found != kind or shown != title or not report["id"]:
            raise SystemExit(f"browser-check: expected {kind} {title or ''}, received {found} {report}")

    def run(self):
        server = self.serve()
        browser = subprocess.Popen(
            [self.browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder}/profile", "--remote-debugging-port=0",
             self.origin + "/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.expect("ready")
            for title in ("First", "Second"):
                self.publish(title)
                self.expect("change", title)
            server.kill()
            server.wait()
            server = self.serve()
            # The browser returns after some seconds, and has missed this.
            self.publish("Third")
            self.expect("change", "Third")
            self.expect("ready")
            self.publish("Fourth")
            self.expect("change", "Fourth")
            server.terminate()
            if server.wait() != 0:
                raise SystemExit("browser-check: the server did not end as it should")
            server = self.serve()
            self.expect("ready")
        finally:
            browser.kill()
            browser.wait()
            server.kill()
            server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--broadsheet", default=".build/release/broadsheet")
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Check(os.path.abspath(options.broadsheet), options.browser, folder).run()
    print(f"browser-check: a browser followed the changes ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
