#!/usr/bin/env python3
"""Uses a server as a client whose HTTP/2 is another implementation (python3-h2).

Prints a line for each thing that worked, then "waiting", and ends when the server has announced the end
of the connection (GOAWAY).
"""

import argparse
import json
import socket
import ssl

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings

PATIENCE = 120
PIECE = 97


class Client:
    def __init__(self, port, authority, key):
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols(["h2", "http/1.1"])
        plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        expect(self.socket.selected_alpn_protocol() == "h2", "ALPN selects h2")
        self.key = key
        self.connection = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.connection.initiate_connection()
        # A small window, so that the server has to wait for it.
        self.connection.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1_000})
        self.responses = {}
        self.pongs = self.acknowledged = 0
        self.is_leaving = False
        self.received = b""
        self.flush()

    def flush(self):
        self.socket.sendall(self.connection.data_to_send())

    def send(self, method, path, fields=(), body=None):
        """Sends a request; its body in small frames, the first of them padded."""
        stream = self.connection.get_next_available_stream_id()
        self.responses[stream] = {"fields": {}, "body": b"", "ended": False, "reset": None}
        head = [(":method", method), (":scheme", "https"), (":authority", "localhost"),
                (":path", path)]
        self.connection.send_headers(stream, head + list(fields), end_stream=body is None)
        for start in range(0, len(body or b""), PIECE):
            self.connection.send_data(
                stream, body[start:start + PIECE], pad_length=9 if start < 3 * PIECE else None)
        if body is not None:
            self.connection.send_headers(stream, [("x-trailer", "1")], end_stream=True)
        self.flush()
        return stream

    def advance(self):
        received = self.socket.recv(65_536)
        if not received:
            raise SystemExit("the server has closed the connection")
        self.received += received
        # One frame at a time: python3-h2 accepts none after GOAWAY, not even what RFC 9113 §6.8 allows.
        while len(self.received) >= 9 and not self.is_leaving:
            end = 9 + int.from_bytes(self.received[:3], "big")
            if len(self.received) < end:
                break
            frame, self.received = self.received[:end], self.received[end:]
            for event in self.connection.receive_data(frame):
                self.note(event)
        if not self.is_leaving:
            self.flush()

    def note(self, event):
        response = self.responses.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.ResponseReceived):
            response["fields"] = dict(event.headers)
        elif isinstance(event, h2.events.DataReceived):
            response["body"] += event.data
            self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            response["ended"] = True
        elif isinstance(event, h2.events.StreamReset):
            response["reset"] = event.error_code
        elif isinstance(event, h2.events.PingAckReceived):
            self.pongs += 1
        elif isinstance(event, h2.events.SettingsAcknowledged):
            self.acknowledged += 1
        elif isinstance(event, h2.events.ConnectionTerminated):
            expect(event.error_code == h2.errors.ErrorCodes.NO_ERROR, "the end is no error")
            self.is_leaving = True

    def response(self, stream):
        response = self.responses[stream]
        while not response["ended"]:
            expect(response["reset"] is None, f"stream {stream} goes on")
            self.advance()
        return int(response["fields"][":status"]), response["fields"], response["body"]

    def exchange(self, *request, **more):
        return self.response(self.send(*request, **more))

    def run(self):
        while self.acknowledged == 0:
            self.advance()
        print("settings", flush=True)
        self.write()
        self.read()
        self.control()
        print("waiting", flush=True)
        while not self.is_leaving:
            self.advance()
        print("leaving", flush=True)

    def write(self):
        fields = [("authorization", f"Bearer {self.key}"), ("content-type", "application/json")]
        for number in range(5):
            text = json.dumps({"title": f"Bread {number}", "body": "x" * 5_000,
                               "status": "published"})
            status, head, _ = self.exchange("POST", "/v1/articles", fields, text.encode())
            expect(status == 201 and head["location"].startswith("/v1/articles/"), "a create")
        print("writes", flush=True)

    def read(self):
        paths = [f"/v1/articles?limit={1 + number % 5}&fields=id,body" for number in range(60)]
        streams = [self.send("GET", path, [("priority", f"u={index % 8}, i")])
                   for index, path in enumerate(paths)]
        for index, stream in enumerate(streams):
            status, fields, body = self.response(stream)
            expect(status == 200 and len(body) == int(fields["content-length"]), "a list")
            expect(len(json.loads(body)["items"]) == 1 + index % 5, "the items of a list")
        status, fields, _ = self.exchange("GET", paths[0])
        status, _, body = self.exchange("GET", paths[0], [("if-none-match", fields["etag"])])
        expect(status == 304 and body == b"", "a response that has not changed")
        status, fields, body = self.exchange("HEAD", paths[0])
        expect(status == 200 and body == b"" and int(fields["content-length"]) > 0, "a head")
        expect(self.exchange("GET", "/nothing")[0] == 404, "something that does not exist")
        print("reads", flush=True)

    def control(self):
        dropped = self.send("GET", "/v1/changes/stream?since=now")
        while not self.responses[dropped]["body"]:
            self.advance()
        self.connection.reset_stream(dropped, h2.errors.ErrorCodes.CANCEL)
        self.connection.ping(b"12345678")
        self.flush()
        while self.pongs == 0:
            self.advance()
        expect(self.exchange("GET", "/v1/articles?limit=1")[0] == 200, "a read behind a reset")
        print("control", flush=True)


def expect(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--authority", required=True, help="PEM file to trust")
    parser.add_argument("--key", required=True)
    options = parser.parse_args()
    Client(options.port, options.authority, options.key).run()


if __name__ == "__main__":
    main()
