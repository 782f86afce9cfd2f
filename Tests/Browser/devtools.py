"""Chromium without a window, controlled by the DevTools protocol over two pipes."""

import fcntl
import json
import os
import select
import subprocess

SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            # Servers of tests have self-signed certificates.
            "--ignore-certificate-errors", "--remote-debugging-pipe"]


class DevTools:
    """A browser with a profile of its own."""

    def __init__(self, program, profile, patience):
        self.patience = patience
        self.number, self.received, self.listeners = 0, b"", {}
        commands, self.output = pipe()
        self.input, events = pipe()
        # Chromium reads commands from descriptor 3, and writes to 4.
        script = f'exec "$@" 3<&{commands} 4>&{events}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, "bash", program, *SWITCHES, f"--user-data-dir={profile}"],
            pass_fds=(commands, events), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(events)

    def open(self, url):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url)

    def send(self, method, session=None, **parameters):
        """Sends a command, and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"devtools: {method}: {message['error']}")
                return message["result"]

    def receive(self):
        """The next message; an event has been delivered to its page."""
        while b"\0" not in self.received:
            if not select.select([self.input], [], [], self.patience)[0]:
                raise SystemExit("devtools: the browser does not respond")
            more = os.read(self.input, 1 << 16)
            if not more:
                raise SystemExit("devtools: the browser has ended")
            self.received += more
        text, self.received = self.received.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message and message.get("sessionId") in self.listeners:
            self.listeners[message["sessionId"]](message["method"], message["params"])
        return message

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)


class Page:
    """A page that has been loaded."""

    def __init__(self, browser, session, url):
        self.browser, self.session = browser, session
        # The address and the version of each response.
        self.responses = []
        # Why requests have failed.
        self.failures = []
        self.is_loaded = False
        browser.listeners[session] = self.note
        for domain in ("Network", "Page"):
            browser.send(f"{domain}.enable", session)
        browser.send("Page.navigate", session, url=url)
        while not self.is_loaded:
            browser.receive()

    def note(self, method, parameters):
        if method == "Network.responseReceived":
            response = parameters["response"]
            self.responses.append((response["url"], response["protocol"]))
        if method == "Network.loadingFailed":
            cors = parameters.get("corsErrorStatus", {}).get("corsError", "")
            self.failures.append(f"{parameters['errorText']} {cors}".strip())
        if method == "Page.loadEventFired":
            self.is_loaded = True

    def evaluate(self, script):
        """The value of an expression, or that of its promise."""
        result = self.browser.send("Runtime.evaluate", self.session, expression=script,
                                   awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"devtools: {script[:60]}: {result['exceptionDetails']['exception']}; "
                             f"failed requests: {self.failures}")
        return result["result"]["value"]


def pipe():
    """Descriptors that are neither 3 nor 4."""
    ends = os.pipe()
    copies = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return copies
