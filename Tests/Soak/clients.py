"""The clients of a soak test: well-behaved ones, none of whose requests may fail, and others."""

import http.client
import json
import random
import socket
import ssl
import struct
import threading
import time


class Ledger:
    """Records acknowledged writes and failures."""

    def __init__(self):
        self.lock = threading.Lock()
        # The last acknowledged title of each article, by slug.
        self.titles = {}
        self.failures, self.responses, self.cut, self.slowest = [], 0, 0, 0

    def fail(self, text):
        if text:
            with self.lock:
                self.failures.append(f"{time.strftime('%H:%M:%S')} {text}")

    def response(self, seconds):
        with self.lock:
            self.responses += 1
            self.slowest = max(self.slowest, seconds)

    def aborted(self):
        with self.lock:
            self.cut += 1

    def acknowledge(self, slug, title):
        with self.lock:
            self.titles[slug] = title

    def text(self):
        return (f"{self.responses} responses (the slowest took {self.slowest:.2f} s), "
                f"{len(self.titles)} articles written, {self.cut} connections aborted")

    def missing(self, export):
        """Slugs whose last acknowledged state is not in the export."""
        found = {}
        with open(export, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                if record.get("kind") == "revision":
                    article = record["article"]
                    found[article["slug"]] = article["title"]
        return [slug for slug, title in self.titles.items() if found.get(slug) != title]


class Client:
    """A client that runs in its own thread until the test ends."""

    is_over = threading.Event()

    def __init__(self, place):
        self.kind, self.where = place
        self.connection, self.seconds = None, 0

    def open(self):
        """A connected socket, after the handshake if it uses TLS."""
        if self.kind == "unix":
            raw = socket.socket(socket.AF_UNIX)
            raw.settimeout(60)
            raw.connect(self.where)
            return raw
        raw = socket.create_connection(("127.0.0.1", self.where), timeout=60)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(raw, server_hostname="localhost")

    def exchange(self, method, target, body=None, fields=None):
        """Sends one request on a connection that is persistent as long as the server allows."""
        start = time.monotonic()
        if self.connection is None:
            self.connection = http.client.HTTPConnection("localhost")
            self.connection.sock = self.open()
        try:
            self.connection.request(method, target, body, fields or {})
            response = self.connection.getresponse()
            content = response.read()
        except BaseException:
            self.connection.close()
            self.connection = None
            raise
        self.seconds = time.monotonic() - start
        if response.will_close:
            self.connection.close()
            self.connection = None
        return response, content

    def live(self, ledger):
        while not self.is_over.is_set():
            try:
                self.step(ledger)
            except (OSError, http.client.HTTPException) as error:
                self.stumbled(ledger, error)

    def stumbled(self, ledger, error):
        ledger.fail(f"{type(self).__name__} by {self.kind}: {error!r}")


class Reader(Client):
    targets = ["/v1/articles?limit=5", "/v1/articles?limit=20&fields=id,title", "/v1/tags",
               "/readyz", "/v1/articles?limit=2&count=exact"]

    def step(self, ledger):
        target = random.choice(self.targets)
        response, content = self.exchange("GET", target)
        if response.status != 200:
            ledger.fail(f"GET {target}: {response.status} {content[:200]!r}")
        ledger.response(self.seconds)
        # Sometimes pauses, leaving the connection idle.
        time.sleep(random.choice([0, 0, 0.01, 0.3]))


class Writer(Client):
    """Creates articles and edits them as their only writer."""

    def __init__(self, place, key, number):
        super().__init__(place)
        self.number, self.count = number, 0
        self.fields = {"Authorization": f"Bearer {key}"}
        self.own = []

    def step(self, ledger):
        self.count += 1
        if self.own and self.count % 3:
            slug, identifier, tag = self.own.pop(random.randrange(len(self.own)))
            self.write(ledger, "PATCH", f"/v1/articles/{identifier}", slug,
                       {"If-Match": tag, "Content-Type": "application/merge-patch+json"})
        else:
            self.write(ledger, "POST", "/v1/articles", f"soak-{self.number}-{self.count}",
                       {"Content-Type": "application/json"})
        time.sleep(0.02)

    def write(self, ledger, method, target, slug, fields):
        title = f"{slug} at {self.count}"
        article = {"title": title, "body": "word " * random.choice([1, 100, 2_000])}
        if method == "POST":
            article |= {"slug": slug, "status": "published", "tags": [f"tag-{self.count % 50}"]}
        response, content = self.exchange(
            method, target, json.dumps(article).encode(), self.fields | fields)
        if response.status not in (200, 201):
            ledger.fail(f"{method} {target}: {response.status} {content[:200]!r}")
            return
        ledger.acknowledge(slug, title)
        ledger.response(self.seconds)
        self.own.append((slug, json.loads(content)["id"], response.headers["ETag"]))
        del self.own[:-200]


class SlowClient(Client):
    """Sends and reads slowly; may be rejected, or disconnected by an upgrade."""

    def step(self, ledger):
        with self.open() as raw:
            request = b"GET /v1/articles?limit=50 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            pause = random.choice([0.02, 0.2])
            for byte in request:
                raw.send(bytes([byte]))
                if self.is_over.wait(pause):
                    return
            while raw.recv(random.choice([100, 10_000])) and not self.is_over.wait(0.05):
                pass

    def stumbled(self, ledger, error):
        ledger.aborted()


class Breaker(Client):
    """Resets connections, and sends garbage, half a body, or too much."""

    pieces = [b"", b"GET", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01garbage", b"\r\n" * 50,
              b"POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf",
              b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
              b"GET /v1/articles HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20]

    def step(self, ledger):
        ledger.aborted()
        with self.open() as raw:
            raw.sendall(random.choice(self.pieces))
            if random.random() < 0.5:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.02)

    def stumbled(self, ledger, error):
        """Ignores the failure, which is expected."""
