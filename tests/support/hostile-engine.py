#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that is no engine, and answers a client of Redis or PostgreSQL with what may do harm. Prints its port.

  hostile-engine.py KIND      garbage, half, silence, closed, length, array, deep, endless, trickle, errors, types;
                              for PostgreSQL pg-length, pg-rows;
                              what greets as an engine does, and lies then: one of LIES, or moved, replica, version
"""
import itertools
import os
import random
import socket
import struct
import sys
import threading
import time

kind = sys.argv[1]
chance = random.Random(1)
ANSWERS = [b":7\r\n", b"*0\r\n", b"$-1\r\n", b"*-1\r\n", b"+OK\r\n", b"$0\r\n\r\n", b"*2\r\n$1\r\na\r\n:5\r\n",
           b"*1\r\n*1\r\n*1\r\n:1\r\n", b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n", b"-ERR no\r\n", b"-MOVED 1 127.0.0.1:1\r\n", b"$3\r\n1 2\r\n"]


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def table(*words):
    return b"*%d\r\n" % len(words) + b"".join(map(bulk, words))


# The answer about each table, and the answer to every other question.
TERMS = b"partitions=4 suffixes=0"
LIES = {
    "null": (b"*-1\r\n", b"$-1\r\n"),
    "numbers": (b":-9223372036854775808\r\n", b":9223372036854775807\r\n"),
    "negative": (b"*-9\r\n", b"$-7\r\n"),
    "odd": (table(b"terms"), bulk(b"x")),
    "nested": (b"*2\r\n*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n", b"*1\r\n*1\r\n*0\r\n"),
    "none": (table(b"terms", b"partitions=0"), b"$-1\r\n"),
    "below": (table(b"terms", b"partitions=-1"), b"$-1\r\n"),
    "many": (table(b"terms", b"partitions=4294967295"), b"$-1\r\n"),
    "beyond": (table(b"terms", b"partitions=99999999999999999999"), b"$-1\r\n"),
    "terms": (table(b"terms", b"\x1b[31m\xff\x00 partitions=4"), bulk(b"\x1b[31m\xff\x00")),
    "rows": (table(b"terms", TERMS, b"0", b"1 2 3", b"1", b"9 " * 40, b"99", b"1 1 1 1 1 1 1 1 1", b"", b"",
                   b"2", b"18446744073709551615 " * 12, b"p0", b" \x07 ", b"p1", b"../../etc p1"), bulk(b"a.1 2")),
    "holders": (table(b"terms", TERMS), bulk(b"\x1b]0;\x07x.1 -5 99999999999999999999")),
}
VERSION = {"version": bulk(b"2\x1b[31m")}


def commands(data):
    """The commands, each as its words, that clients send: whole ones, in one piece."""
    rest = data
    while rest.startswith(b"*"):
        count, rest = rest[1:].split(b"\r\n", 1)
        words = []
        for _ in range(int(count)):
            size, rest = rest[1:].split(b"\r\n", 1)
            words.append(rest[:int(size)])
            rest = rest[int(size) + 2:]
        yield words


def lie(words, port):
    name = words[0].upper()
    if name == b"ROLE":
        if kind == "replica":
            return b"*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:%d\r\n$9\r\nconnected\r\n:1\r\n" % port
        return b"*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
    if name == b"GET" and b"version" in words[1]:
        return b"-MOVED 1 127.0.0.1:%d\r\n" % port if kind == "moved" else VERSION.get(kind, bulk(b"1"))
    if name in (b"SET", b"PING"):
        return b"+OK\r\n"
    if name == b"SCRIPT":
        return bulk(b"0" * 40)
    rows, other = LIES.get(kind, (b"*0\r\n", b"$-1\r\n"))
    return rows if name == b"HGETALL" else other


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


def rows(link):
    """Says that it is ready, and then answers each question with a row of another shape than was asked for."""
    link.recv(65536)
    link.sendall(message(b"R", struct.pack("!i", 0)) + message(b"Z", b"I"))
    for turn in itertools.count():
        data = link.recv(65536)
        if not data:
            return
        shapes = [[], [b"x"], [b"1", b"f", b"off"], [b"160000", b"f", b"off", b"on"], [None] * 6, [b"\xff" * 9]]
        shape = shapes[turn % len(shapes)]
        if data[:1] == b"P" and turn % 2:  # questions after the greeting
            shape = shapes[chance.randrange(len(shapes))]
        described = struct.pack("!h", len(shape))
        row = struct.pack("!h", len(shape))
        for number, cell in enumerate(shape):
            described += b"c%d\0" % number + struct.pack("!ihihih", 0, 0, 16384, -1, -1, 0)
            row += struct.pack("!i", -1) if cell is None else struct.pack("!i", len(cell)) + cell
        link.sendall(message(b"T", described) + message(b"D", row) + message(b"C", b"SELECT 1\0") + message(b"Z", b"I"))


def serve(link):
    try:
        if kind == "pg-rows":
            return rows(link)
        while True:
            data = link.recv(65536)
            if not data or kind == "closed":
                return
            if kind in LIES or kind in ("moved", "replica", "version"):
                link.sendall(b"".join(lie(words, link.getsockname()[1]) for words in commands(data)))
            elif kind == "garbage":
                link.sendall(os.urandom(4096))
            elif kind == "half":
                link.sendall(b"*2\r\n$100\r\nabc")
                return
            elif kind == "length":
                link.sendall(b"$400000000\r\n")
                while True:
                    link.sendall(b"x" * 65536)
            elif kind == "pg-length":
                link.sendall(b"R" + struct.pack("!i", 0x7FFFFFF0))
                while True:
                    link.sendall(b"x" * 65536)
            elif kind == "array":
                link.sendall(b"*2000000000\r\n")
                while True:
                    link.sendall(b":1\r\n" * 16384)
            elif kind == "deep":
                link.sendall(b"*1\r\n" * 100000)
            elif kind == "endless":
                while True:
                    link.sendall(b"*200000\r\n" + b":1\r\n" * 200000)
            elif kind == "trickle":
                link.sendall(b"$100000\r\n")
                while True:
                    link.sendall(b"x")
                    time.sleep(0.2)
            elif kind == "errors":
                link.sendall(b"-ERR \x1b[31mno\x07 \xff\xfe\r\n" * max(data.count(b"\r\n*"), 1) * 3)
            elif kind == "types":
                # There are as many answers as commands, or one too many.
                count = (b"\r\n" + data).count(b"\r\n*")
                link.sendall(b"".join(chance.choice(ANSWERS) for _ in range(count)))
    except OSError:
        pass
    finally:
        link.close()


server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
