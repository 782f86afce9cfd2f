#!/usr/bin/env python3
"""Takes over from a server like `broadsheet serve --take-over`, up to the step at which it should
fail: fake_successor.py CONTROL-SOCKET STEP (Tests/EndToEndTests/Takeover/FakeSuccessor.swift)."""

import os
import signal
import socket
import sqlite3
import sys
import time

control, step = sys.argv[1:3]
database = control.removesuffix(".control")
channel = socket.socket(socket.AF_UNIX)
channel.connect(control)
pending = b""


def reach(name):
    """Prints the step, and fails if it is the requested one."""
    print(name, flush=True)
    if step == f"stop at {name}":
        os.kill(os.getpid(), signal.SIGSTOP)
    if step == f"die at {name}":
        os._exit(1)


def say(text):
    channel.sendall(f"{text}\n".encode())


def next_line():
    """The next line; the descriptors that come with it are closed."""
    global pending
    while b"\n" not in pending:
        data, descriptors, _, _ = socket.recv_fds(channel, 4_096, 16)
        for descriptor in descriptors:
            os.close(descriptor)
        if not data:
            sys.exit("the server has ended the conversation")
        pending += data
    text, pending = pending.split(b"\n", 1)
    return text.decode().rstrip("\r")


def wait_for(wanted):
    while (text := next_line()) != wanted:
        pass
    return text


def migrate(settles):
    """Migrates the file to a future version."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE of_the_future (x)")
    connection.execute("DROP TABLE keys")
    connection.execute("PRAGMA user_version = 99")
    connection.execute("COMMIT")
    if settles:
        connection.close()


reach("connected")
say("GET / HTTP/1.1\r\nHost: control\r\nConnection: upgrade\r\n"
    "Upgrade: broadsheet-takeover/1\r\n\r")
wait_for("")
schema = next_line().split()[2]
wait_for("end")
reach("offered")
if step == "lie":
    say(f"ready 1 {schema}")
else:
    say(f"ready {os.getpid()} {99 if step.startswith('migrate') else schema}")
reach("ready")
wait_for("yours")
reach("yours")
if step == "migrate and fail":
    migrate(settles=True)
    os._exit(1)
if step == "migrate and die":
    migrate(settles=False)
    os._exit(1)
if step == "migrate for long":
    for _ in range(5):
        time.sleep(5)
        say("migrating")
    say("serving")
    reach("serving")
