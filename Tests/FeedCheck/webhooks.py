"""A receiver of webhooks that verifies them with Standard Webhooks' library, as the manual says."""

import http.server
import json
import pathlib
import queue
import re
import threading

import standardwebhooks.webhooks

MANUAL = pathlib.Path(__file__).parents[2] / "Resources/manual/webhooks.md"
SECRETS = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a-secret-that-is-not-in-that-form!"]


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps the fields and bodies of requests, for as long as it is a context."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.requests = queue.Queue()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.put((dict(self.headers.items()), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def check(receiver, secret):
    """Verifies the next request with the manual's example, and that nothing else is accepted."""
    examples = re.findall(r"```python\n(.*?)```", MANUAL.read_text(), re.S)
    scope = {}
    exec(next(e for e in examples if "standardwebhooks" in e), scope)
    fields, body = receiver.requests.get(timeout=60)
    changes = scope["changes_of"](secret, fields, body)
    assert changes == json.loads(body) and changes["changes"], changes
    for other, content in [(SECRETS[0][:-1] + "A", body), (secret, body + b" ")]:
        try:
            scope["changes_of"](other, fields, content)
        except standardwebhooks.webhooks.WebhookVerificationError:
            continue
        raise AssertionError("a wrong signature is accepted")
