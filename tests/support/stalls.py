#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stalls.py FETCH RUNS: does fetch ever wait while there is something to start?

A server in this process redirects; fetch is given one URL at a time, so that nothing but the URL's own events can wake it.
A run is one URL: five hops to a page, or a loop that ends at the limit of hops; from one fetch for all, over kept
connections, or from a new one each. An answer takes microseconds, and the limit is 5 s: what takes 4 has stalled (on a
busy machine a second is no sign). One line for each kind: name, runs, stalled, longest in ms. Status 1 where any stalled.

Answers are sent while the request still is being sent, one CPU for both being best at that: run it under taskset(1)."""
import socket
import subprocess
import sys
import threading
import time

FETCH, RUNS = sys.argv[1], int(sys.argv[2])
STALL = 4.0
OPTIONS = ["--allow=127.0.0.0/8", "--no-body", "--follow=10", "--timeout=5", "--retry-connect=0"]


def answer(path):
    left = path.rsplit(b"/", 1)[1]
    if path.startswith(b"/loop"):
        where = b"/loop/x"
    elif left == b"0":
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
    else:
        where = b"/hops/%d" % (int(left) - 1)
    return b"HTTP/1.1 302 Found\r\nLocation: " + where + b"\r\nContent-Length: 0\r\n\r\n"


def serve(connection):
    data = b""
    while True:
        try:
            block = connection.recv(65536)
        except OSError:
            block = b""
        if not block:
            return connection.close()
        data += block
        while b"\r\n\r\n" in data:
            head, data = data.split(b"\r\n\r\n", 1)
            connection.sendall(answer(head.split(b" ", 2)[1]))


def listen():
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def accept():
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def kept(url):
    """Seconds of each run, all from one process."""
    process = subprocess.Popen([FETCH, *OPTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for _ in range(RUNS):
        began = time.monotonic()
        process.stdin.write(url + b"\n")
        record = b""
        while not record.endswith(b"\n"):
            block = process.stdout.read(65536)
            if not block:
                sys.exit("fetch ended before its input")
            record += block
        yield time.monotonic() - began
    process.stdin.close()
    process.wait()


def anew(url):
    for _ in range(RUNS):
        began = time.monotonic()
        subprocess.run([FETCH, *OPTIONS, url], stdout=subprocess.DEVNULL, check=False)
        yield time.monotonic() - began


def main():
    port = listen()
    stalled_at_all = False
    for path in ("/hops/5", "/loop/x"):
        url = b"http://127.0.0.1:%d%s" % (port, path.encode())
        for name, way in (("one process", kept), ("a process each", anew)):
            times = list(way(url))
            stalled = sum(taken > STALL for taken in times)
            stalled_at_all |= stalled > 0
            print(f"{path} {name}: {len(times)} runs, {stalled} stalled, longest {max(times) * 1000:.0f} ms", flush=True)
    return 1 if stalled_at_all else 0


sys.exit(main())
