#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 servers that misbehave, each in its own way on its own port. Python 3, standard library only.

    hostile-h2.py CERT KEY

listens on free ports of 127.0.0.1, prints "WAY PORT" lines, and serves until killed. Frames are made by hand
(RFC 9113, 4 and 6; RFC 7541, 5 and 6): no library would send them. A port for each way spares reading the requests, whose
heads are compressed. See tests/cli/fetch-h2.bats for what a client has to make of each.
"""
import gzip
import itertools
import os
import signal
import socket
import ssl
import struct
import sys
import threading
import time

from serving import say

DATA, HEADERS, _, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
PAGE = b"<html><title>page</title><a href=/next>next</a></html>\n"
BOMB = gzip.compress(bytes(64 << 20), 9)
WAYS = {}


def way(function):
    WAYS[function.__name__.replace("_", "-")] = function
    return function


def number(value, bits, first=0):
    """An integer with a prefix of so many bits (RFC 7541, 5.1)."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out = [first | limit]
    value -= limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out + [value])


def text(value):
    return number(len(value), 7) + value


def field(name, value):
    return b"\0" + text(name) + text(value)


OK = b"\x88" + field(b"content-type", b"text/html")


class Connection:
    def __init__(self, s):
        self.s = s
        self.stream = 0

    def frame(self, kind, flags=0, payload=b"", stream=None):
        stream = self.stream if stream is None else stream
        self.s.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def whole(self, block=OK, body=PAGE):
        self.frame(HEADERS, END_HEADERS, block)
        self.frame(DATA, END_STREAM, body)

    def read(self, size):
        out = b""
        while len(out) < size:
            piece = self.s.recv(size - len(out))
            if not piece:
                raise ConnectionError
            out += piece
        return out

    def request(self):
        """The next request's stream; what else the client says is read past."""
        while True:
            start = self.read(9)
            payload = self.read(int.from_bytes(start[:3], "big"))
            if start[3] == HEADERS:
                self.stream = struct.unpack(">I", start[5:])[0]
                return
            if start[3] == SETTINGS and not start[4] & ACK:
                self.frame(SETTINGS, ACK, stream=0)


def whole(block=OK, body=PAGE):
    return lambda c: c.whole(block, body)


def forever(action):
    """With a pause now and then, for the other floods of this process and the client want the processor too."""
    while True:
        for _ in range(100):
            action()
        time.sleep(0.005)


# --- heads -----------------------------------------------------------------------------------------------------------
WAYS["good"] = whole()


@way
def interim(c):
    c.frame(HEADERS, END_HEADERS, b"\x08\x03103" + field(b"link", b"</style.css>; rel=preload"))
    c.whole()


@way
def endless_interim(c):
    forever(lambda: c.frame(HEADERS, END_HEADERS, b"\x08\x03103" + field(b"x", b"y" * 100)))


@way
def endless_continuation(c):
    c.frame(HEADERS, 0, OK)
    forever(lambda: c.frame(CONTINUATION, 0, field(b"x", b"y" * 1000)))


@way
def empty_continuations(c):
    c.frame(HEADERS, 0, OK)
    forever(lambda: c.frame(CONTINUATION, 0))


@way
def compressed_bomb(c):
    # One field of 4,000 bytes goes into the table, and is then repeated by one byte each.
    c.frame(HEADERS, END_HEADERS, OK + b"\x40" + text(b"x") + text(b"y" * 4000) + b"\xbe" * 12000)
    c.frame(DATA, END_STREAM, PAGE)


WAYS.update({
    "field-with-line-ends": whole(OK + field(b"x", b"y\r\nlocation: http://127.0.0.1/evil")),
    "field-with-nul": whole(OK + field(b"etag", b"a\0b")),
    "field-with-escapes": whole(OK + field(b"etag", b'"\x1b[31mred\x07"') + field(b"link", b"<\x9b31m>")),
    "upper-case": whole(OK + field(b"Location", b"/evil")),
    "space-in-name": whole(OK + field(b"content length", b"5")),
    "no-status": whole(field(b"content-type", b"text/html")),
    "two-statuses": whole(b"\x88\x8d" + OK[1:]),
    "status-letters": whole(b"\x08" + text(b"2x0") + OK[1:]),
    "status-line-end": whole(b"\x08" + text(b"200\r\nlocation: /evil") + OK[1:]),
    "status-101": whole(b"\x08" + text(b"101") + OK[1:]),
    "status-behind": whole(OK[1:] + b"\x88"),
    "pseudo-of-requests": whole(OK + field(b":path", b"/evil")),
    "connection-field": whole(OK + field(b"connection", b"close") + field(b"transfer-encoding", b"chunked")),
    "bad-index": whole(b"\xff\xff\xff\xff\xff\xff\xff\x7f"),
    "bad-huffman": whole(OK + b"\0" + text(b"x") + b"\x84\xff\xff\xff\xff"),
    "large-table": whole(number(1 << 30, 5, 0x20) + OK),
})


# --- bodies ----------------------------------------------------------------------------------------------------------
WAYS.update({
    "length-short": whole(OK + field(b"content-length", b"1000")),
    "length-long": whole(OK + field(b"content-length", b"5")),
    "lengths-two": whole(OK + field(b"content-length", b"55") + field(b"content-length", b"56")),
    "length-letters": whole(OK + field(b"content-length", b"+55")),
})


@way
def bomb(c):
    c.frame(HEADERS, END_HEADERS, OK + field(b"content-encoding", b"gzip"))
    for at in range(0, len(BOMB), 16000):
        c.frame(DATA, 0, BOMB[at:at + 16000])
    c.frame(DATA, END_STREAM)


@way
def endless_data(c):
    c.frame(HEADERS, END_HEADERS, OK)
    forever(lambda: c.frame(DATA, 0, PAGE * 200))  # exceeding the window is an error of its own


@way
def empty_data(c):
    c.frame(HEADERS, END_HEADERS, OK)
    forever(lambda: c.frame(DATA, 0))


@way
def all_padding(c):
    c.frame(HEADERS, END_HEADERS, OK)
    forever(lambda: c.frame(DATA, PADDED, b"\xff" + bytes(255)))


@way
def padding_too_long(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, PADDED | END_STREAM, b"\xff" + bytes(10))


@way
def body_before_head(c):
    c.frame(DATA, END_STREAM, PAGE)


@way
def trailers(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, 0, PAGE)
    c.frame(HEADERS, END_HEADERS | END_STREAM, field(b"location", b"/evil"))


@way
def second_head(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, 0, PAGE)
    c.frame(HEADERS, END_HEADERS, b"\x8d")
    c.frame(DATA, END_STREAM, PAGE)


@way
def drip(c):
    c.frame(HEADERS, END_HEADERS, OK)
    while True:
        c.frame(DATA, 0, b"x")
        time.sleep(0.5)


@way
def cut(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, 0, PAGE)
    raise ConnectionError


# --- connections -----------------------------------------------------------------------------------------------------
@way
def silent(c):
    time.sleep(60)


@way
def endless_settings(c):
    forever(lambda: c.frame(SETTINGS, 0, struct.pack(">HI", 5, 16384), stream=0))


@way
def endless_pings(c):
    forever(lambda: c.frame(PING, 0, bytes(8), stream=0))


@way
def endless_unknown(c):
    forever(lambda: c.frame(0xBA, 0, bytes(1000)))


@way
def endless_windows(c):
    forever(lambda: c.frame(WINDOW_UPDATE, 0, struct.pack(">I", 1)))


@way
def window_overflow(c):
    for _ in range(3):
        c.frame(WINDOW_UPDATE, 0, struct.pack(">I", 0x7FFFFFFF))
    c.whole()


@way
def no_streams(c):
    c.frame(SETTINGS, 0, struct.pack(">HI", 3, 0), stream=0)
    c.whole()


@way
def odd_settings(c):
    c.frame(SETTINGS, 0, b"\0\4\xff\xff\xff\xff", stream=0)  # a window of 2^32 - 1
    c.whole()


@way
def push(c):
    c.frame(PUSH_PROMISE, END_HEADERS, struct.pack(">I", 2) + b"\x82\x84\x87" + field(b":authority", b"evil.example"))
    c.whole()


@way
def other_stream(c):
    c.frame(HEADERS, END_HEADERS | END_STREAM, OK, stream=c.stream + 100)
    c.whole()


@way
def frame_too_large(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, END_STREAM, bytes(1 << 20))


@way
def frame_too_large_of_length(c):
    c.frame(HEADERS, END_HEADERS, OK + field(b"content-length", b"1000"))
    c.frame(DATA, END_STREAM, bytes(1 << 20))


@way
def cut_frame(c):
    c.s.sendall(b"\0\x10\0\0\0\0\0\0")
    raise ConnectionError


@way
def reset_refused(c):
    c.frame(RST_STREAM, 0, struct.pack(">I", 7))


@way
def reset_calm(c):
    c.frame(RST_STREAM, 0, struct.pack(">I", 11))


def reset_at_first(code):
    """Each second request is answered."""
    asked = itertools.count()

    def action(c):
        if next(asked) % 2:
            c.whole()
        else:
            c.frame(RST_STREAM, 0, struct.pack(">I", code))

    return action


WAYS["reset-internal-at-first"] = reset_at_first(2)
WAYS["reset-cancel-at-first"] = reset_at_first(8)


@way
def reset_internal(c):
    c.frame(RST_STREAM, 0, struct.pack(">I", 2))


@way
def reset_in_body(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, 0, PAGE)
    c.frame(RST_STREAM, 0, struct.pack(">I", 2))


@way
def reset_none_in_body(c):
    c.frame(HEADERS, END_HEADERS, OK)
    c.frame(DATA, 0, PAGE)
    c.frame(RST_STREAM, 0, struct.pack(">I", 0))


@way
def reset_none_of_length(c):
    c.frame(HEADERS, END_HEADERS, OK + field(b"content-length", b"1000"))
    c.frame(DATA, 0, PAGE)
    c.frame(RST_STREAM, 0, struct.pack(">I", 0))


@way
def goaway_at_once(c):
    c.frame(GOAWAY, 0, struct.pack(">II", 0, 0), stream=0)


@way
def goaway_text(c):
    c.frame(GOAWAY, 0, struct.pack(">II", 0, 11) + b"\x1b[31mgo\r\nlocation: /evil" * 100, stream=0)
    raise ConnectionError


@way
def goaway_then_page(c):
    c.frame(GOAWAY, 0, struct.pack(">II", c.stream, 0), stream=0)
    c.whole()


@way
def closed_under_second(c):
    if c.stream > 1:
        raise ConnectionError
    c.whole()


@way
def goaway_under_second(c):
    if c.stream == 1:
        return c.whole()
    c.frame(GOAWAY, 0, struct.pack(">II", 1, 0), stream=0)
    raise ConnectionError


@way
def reset_under_ack(c):
    """From stream 3 on. The head is read with a ping whose answer meets a reset: the client, of fetch.pid, stands still till then."""
    if c.stream == 1:
        return c.whole()
    with open("fetch.pid") as file:
        client = int(file.read())
    c.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.kill(client, signal.SIGSTOP)
    try:
        c.frame(HEADERS, END_HEADERS, OK)
        c.frame(PING, 0, bytes(8), stream=0)
        c.frame(DATA, END_STREAM, PAGE)
        c.s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        c.s.close()
    finally:
        os.kill(client, signal.SIGCONT)
    raise ConnectionError


@way
def endless_goaway(c):
    forever(lambda: c.frame(GOAWAY, 0, struct.pack(">II", c.stream, 0) + bytes(1000), stream=0))


def serve(listener, action, context):
    def handle(s):
        c = Connection(s)
        try:
            c.s = context.wrap_socket(s, server_side=True)
            c.s.settimeout(60)
            c.read(24)  # the preface
            c.frame(SETTINGS, stream=0)
            while True:
                c.request()
                action(c)
        except OSError:  # ssl.SSLError and ConnectionError are such
            pass
        finally:
            c.s.close()

    while True:
        threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:])
    context.set_alpn_protocols(["h2"])
    lines = []
    for name, action in WAYS.items():
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        lines.append("%s %d" % (name, listener.getsockname()[1]))
        threading.Thread(target=serve, args=(listener, action, context)).start()
    say(*lines)


main()
