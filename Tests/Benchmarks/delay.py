"""A proxy that delays what it passes on, as a distant network does."""

import queue
import socket
import threading
import time


class DelayProxy:
    """Listens on a free port of this machine and passes everything on after `seconds`, both ways."""

    def __init__(self, port, seconds):
        self.target, self.seconds = ("127.0.0.1", port), seconds
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink in ((client, server), (server, client)):
                held = queue.Queue(1_000)
                threading.Thread(target=self.receive, args=(source, held), daemon=True).start()
                threading.Thread(target=self.send, args=(sink, held), daemon=True).start()

    def receive(self, source, held):
        while True:
            try:
                data = source.recv(65_536)
            except OSError:
                data = b""
            held.put((time.monotonic() + self.seconds, data))
            if not data:
                return

    @staticmethod
    def send(sink, held):
        while True:
            due, data = held.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if data:
                    sink.sendall(data)
                else:
                    sink.shutdown(socket.SHUT_WR)
                    return
            except OSError:
                # The reader still ends at the end of its source.
                pass

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
