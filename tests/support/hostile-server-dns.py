#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A name server whose names say what it answers. Python 3, standard library only.

    hostile-server-dns.py LOG

good*.test      127.0.0.1, for an hour
both*.test      ::1 and 127.0.0.1
six*.test       ::1
other*.test     127.0.0.2
deadfirst.test  127.0.0.77 and 127.0.0.1
brief*.test     127.0.0.1, for no time at all
slow*.test      127.0.0.1, after eight seconds
-good*.test     127.0.0.1
foursonly*.test 127.0.0.1, and no answer to the question for IPv6
private.test    10.0.0.1
mixed.test      10.0.0.1 and 127.0.0.1
metadata.test   169.254.169.254
rebind.test     127.0.0.1 the first time, 10.0.0.1 then
fail.test       SERVFAIL
silent*.test    no answer
junk.test       bytes that are no message
anything else   NXDOMAIN

Each question is logged as one line: its type and name. Names not said to have an IPv6 address have none.
"""
import os
import socket
import struct
import sys
import threading
import time

from serving import Log, say

asked = {}
lock = threading.Lock()


def read_name(data, at):
    labels = []
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode("latin-1"))
        at += data[at] + 1
    return ".".join(labels).lower(), at + 1


def addresses_of(name, count):
    if name == "private.test":
        return ["10.0.0.1"], 60
    if name == "mixed.test":
        return ["10.0.0.1", "127.0.0.1"], 60
    if name == "deadfirst.test":
        return ["127.0.0.77", "127.0.0.1"], 60
    if name == "metadata.test":
        return ["169.254.169.254"], 60
    if name == "rebind.test":
        return ["127.0.0.1" if count == 1 else "10.0.0.1"], 0
    if name.endswith(".test") and name.startswith("other"):
        return ["127.0.0.2"], 3600
    if name.endswith(".test") and name.startswith(("good", "-good", "slow", "both", "foursonly")):
        return ["127.0.0.1"], 3600
    if name.endswith(".test") and name.startswith("brief"):
        return ["127.0.0.1"], 0
    return [], 0


def answer(server, data, peer, log):
    name, at = read_name(data, 12)
    kind = struct.unpack(">H", data[at : at + 2])[0]
    question = data[12 : at + 4]
    with lock:
        asked[name, kind] = count = asked.get((name, kind), 0) + 1
    log.write(kind, name)
    if name.startswith("silent") or (name.startswith("foursonly") and kind == 28):
        return
    if name == "junk.test":
        server.sendto(data[:2] + os.urandom(60), peer)
        return
    if name.startswith("slow"):
        while not os.path.exists("dns-release"):
            time.sleep(0.05)
    addresses, ttl = addresses_of(name, count)
    six = ["::1"] if name.startswith(("both", "six")) else []
    code = 2 if name == "fail.test" else 0 if addresses or six else 3
    family, addresses = {1: (socket.AF_INET, addresses), 28: (socket.AF_INET6, six)}.get(kind, (0, []))
    packed = [socket.inet_pton(family, a) for a in addresses]
    records = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, ttl, len(a)) + a for a in packed)
    head = data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(addresses), 0, 0)
    server.sendto(head + question + records, peer)


def main():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    server.bind(("127.0.0.1", 0))
    log = Log(sys.argv[1])
    say(server.getsockname()[1])
    while True:
        data, peer = server.recvfrom(4096)
        if b"\x04slow" in data or any(b"%cslow" % n in data for n in range(5, 20)):
            threading.Thread(target=answer, args=(server, data, peer, log), daemon=True).start()
        else:
            answer(server, data, peer, log)


main()
