#!/usr/bin/env python3
"""Uses a server from a page of another origin in a browser: over HTTP/1.1, and over HTTP/2 with TLS.

The browser follows the change stream by EventSource, while it fetches many articles at the same time and
posts one, over HTTP/2 on a single connection. The server is killed, stopped and started again meanwhile:
the browser has to resume by itself, by the id of the last event, and to receive each change once. Another
process takes over while the browser fetches and posts without a pause: no request may fail.
"""

import argparse
import http.server
import json
import os
import queue
import select
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request

from devtools import DevTools

KEY = "k" * 40
PATIENCE = 120
ARTICLES = 50

PAGE = """<!doctype html><title>Changes</title><script>
const server = "SERVER";
const source = new EventSource(server + "/v1/changes/stream?since=now&types=article&fields=title");
let reported = Promise.resolve();
// One after the other, so that they arrive in order.
const report = (type, event) => reported = reported.then(() => fetch("/" + type, {
    method: "POST", body: JSON.stringify({ data: event.data, id: event.lastEventId }) }));
for (const type of ["ready", "change"]) source.addEventListener(type, event => report(type, event));
const json = async response => { if (!response.ok) throw response.status; return response.json(); };
// All at the same time.
const fetchAll = ids => Promise.all(
    ids.map(id => fetch(server + "/v1/articles/" + id, { cache: "no-store" }).then(json)));
// The browser asks first whether it may (preflight). The text is larger than the window of a stream.
const post = (title, status, key) => fetch(server + "/v1/articles", {
    method: "POST", headers: { "Authorization": "Bearer " + key, "Content-Type": "application/json" },
    body: JSON.stringify({ title, status, body: "bread ".repeat(50000) }) }).then(json);
let use;
// Fetches all articles and posts a draft, again and again, and returns once that was done for the first time.
const beginUse = async (ids, key) => {
    const round = number => Promise.all([fetchAll(ids), post("Draft " + number, "draft", key)]);
    await round(0);
    use = { isOver: false };
    use.rounds = (async () => {
        let count = 1;
        do await round(count++); while (!use.isOver);
        return count;
    })();
    return true;
};
// Returns how often it was done.
const endUse = () => { use.isOver = true; return use.rounds; };
</script>"""

# The versions over which the browser has loaded a page and all that belongs to it.
OWN_VERSIONS = """[...new Set(["navigation", "resource"].flatMap(kind =>
    performance.getEntriesByType(kind).map(entry => entry.nextHopProtocol)))]"""


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


def require(condition, problem):
    if not condition:
        raise SystemExit(f"browser-check: {problem}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Check:
    def __init__(self, broadsheet, browser, folder, version):
        self.broadsheet, self.browser, self.folder = broadsheet, browser, folder
        self.version = version
        self.port, self.admin_port = free_port(), free_port()
        self.options, self.context = [], None
        if version == "h2":
            self.use_tls()
        self.url = f"{'https' if self.context else 'http'}://localhost:{self.port}"
        self.page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reports)
        self.page.reports = queue.Queue()
        self.page.page = PAGE.replace("SERVER", self.url)
        self.origin = f"http://127.0.0.1:{self.page.server_port}"
        threading.Thread(target=self.page.serve_forever, daemon=True).start()

    def use_tls(self):
        files = f"{self.folder}/server"
        subprocess.run([self.broadsheet, "certificate", "--self-signed", "localhost", "--out", files],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.options = ["--tls-certificate", files + ".pem", "--tls-key", files + ".key"]
        self.context = ssl.create_default_context(cafile=files + ".pem")

    def serve(self):
        server = subprocess.Popen(
            [self.broadsheet, "serve", "--listen", f"127.0.0.1:{self.port}", "--log", "off",
             "--admin-listen", f"127.0.0.1:{self.admin_port}",
             "--database", f"{self.folder}/a.db", "--cors-origin", self.origin, *self.options],
            env=dict(os.environ, BROADSHEET_ADMIN_KEY=KEY), stdout=subprocess.PIPE)
        require(any(line.startswith(b"listening") for line in server.stdout), "the server did not start")
        return server

    def send(self, target, article=None):
        """The JSON of a response to GET, or to POST with an article."""
        request = urllib.request.Request(
            self.url + target, json.dumps(article).encode() if article else None,
            {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(request, timeout=PATIENCE, context=self.context) as response:
            return json.load(response)

    def publish(self, title):
        return self.send("/v1/articles", {"title": title, "status": "published"})["id"]

    def drafts(self):
        page = self.send("/v1/articles?status=draft&fields=title&limit=100")
        return [article["title"] for article in page["items"]]

    def connections(self):
        """The number of connections of clients, as the server counts them."""
        page = urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=PATIENCE)
        lines = page.read().decode().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("broadsheet_connections "))

    def expect(self, kind, title=None):
        try:
            found, report = self.page.reports.get(timeout=PATIENCE)
        except queue.Empty:
            raise SystemExit(f"browser-check: the browser never reported {kind} {title or ''}")
        shown = json.loads(report["data"]).get("article", {}).get("title")
        require(found == kind and shown == title and report["id"],
                f"expected {kind} {title or ''}, received {found} {report}")

    def expect_exchanges(self, page, title, articles):
        """Beside the stream, the page fetches all articles at the same time, and posts one."""
        found = page.evaluate(f"fetchAll({json.dumps(list(articles))})")
        require([article["title"] for article in found] == list(articles.values()),
                "the browser received other articles")
        posted = page.evaluate(f"post({json.dumps(title)}, 'published', {json.dumps(KEY)})")
        require(len(posted["body"]) == 300_000, "the text was cut")
        self.expect("change", title)
        if self.version == "h2":
            # Those of `publish` have ended; others would be idle for longer.
            end = time.monotonic() + 10
            while self.connections() != 1 and time.monotonic() < end:
                time.sleep(0.1)
            require(self.connections() == 1, f"the browser has {self.connections()} connections")

    def expect_upgrade(self, server, page, articles):
        """Another process takes over while the page uses the server."""
        page.evaluate(f"beginUse({json.dumps(list(articles))}, {json.dumps(KEY)})")
        upgrade = subprocess.run([self.broadsheet, "upgrade", "--database", f"{self.folder}/a.db"],
                                 check=True, stdout=subprocess.PIPE, text=True)
        successor = os.pidfd_open(int(upgrade.stdout.split()[1]))
        try:
            require(server.wait() == 0, "the old process did not end as it should")
            rounds = page.evaluate("endUse()")
            drafts = self.drafts()
            require(sorted(drafts) == sorted(f"Draft {number}" for number in range(rounds)),
                    f"after {rounds} rounds there are these drafts: {drafts}")
            self.expect("ready")
        finally:
            signal.pidfd_send_signal(successor, signal.SIGKILL)
            select.select([successor], [], [], PATIENCE)
            os.close(successor)

    def run(self):
        server = self.serve()
        browser = DevTools(self.browser, f"{self.folder}/profile", PATIENCE)
        try:
            articles = {self.publish(f"Article {number}"): f"Article {number}"
                        for number in range(ARTICLES)}
            page = browser.open(self.origin + "/")
            self.expect("ready")
            for title in ("First", "Second"):
                self.publish(title)
                self.expect("change", title)
            self.expect_exchanges(page, "Posted", articles)
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
            require(server.wait() == 0, "the server did not end as it should")
            server = self.serve()
            self.expect("ready")
            self.expect_exchanges(page, "Posted again", articles)
            own = browser.open(self.url + "/console").evaluate(OWN_VERSIONS)
            require(own == [self.version], f"the console was served over {own}")
            self.expect_upgrade(server, page, articles)
            used = {version for url, version in page.responses if url.startswith(self.url)}
            require(used == {self.version}, f"the page was served over {used}")
        finally:
            browser.close()
            server.kill()
            server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--broadsheet", default=".build/broadsheet")
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    for version in ("http/1.1", "h2"):
        start = time.monotonic()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            Check(os.path.abspath(options.broadsheet), options.browser, folder, version).run()
        print(f"browser-check: a browser used the server over {version} ({time.monotonic() - start:.0f} s)")


if __name__ == "__main__":
    main()
