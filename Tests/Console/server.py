"""A real server for the browser tests, and what tests need to know of it without a browser."""

import json
import os
import pathlib
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

KEY = "k" * 40
PATIENCE = 60
PASSWORD = "correct horse battery"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, broadsheet, folder, tls=False, options=()):
        self.broadsheet, self.folder = broadsheet, pathlib.Path(folder)
        self.port = free_port()
        self.process = None
        self.options = list(options)
        self.context = None
        if tls:
            certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                 "-nodes", "-days", "2", "-subj", "/CN=localhost",
                 "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                 "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
            self.options += ["--tls-certificate", str(certificate), "--tls-key", str(key)]
            self.context = ssl.create_default_context(cafile=str(certificate))

    @property
    def url(self):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(
            [self.broadsheet, "serve", "--listen", f"127.0.0.1:{self.port}", "--log", "off",
             "--database", str(self.folder / "console.db"), "--comments", "moderated",
             # Sources and receivers of the tests are on this machine.
             "--allow-private-sources", *self.options],
            env=dict(os.environ, BROADSHEET_ADMIN_KEY=KEY), stdout=subprocess.PIPE)
        if not self.process.stdout.readline().startswith(b"listening"):
            raise SystemExit("console-test: the server did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None, token=KEY):
        """The JSON of a response; of a failure, too."""
        data = None if body is None else json.dumps(body).encode()
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = urllib.request.Request(
            self.url + path, data, method=method, headers={
                "Content-Type": kind, **({"Authorization": f"Bearer {token}"} if token else {})})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=self.context) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            text = error.read()
        return json.loads(text) if text else None

    def article(self, **content):
        return self.call("POST", "/v1/articles", {"title": "Rye", **content})

    def fetch(self, article):
        return self.call("GET", f"/v1/articles/{article}")

    def user(self, name, role):
        return self.call("POST", "/v1/users", {"name": name, "password": PASSWORD, "role": role})

    def token(self, name):
        return self.call("POST", "/v1/sessions", {"name": name, "password": PASSWORD})["accessToken"]

    def until(self, condition, what):
        """Waits for something that only the server can tell."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never: {what}")
