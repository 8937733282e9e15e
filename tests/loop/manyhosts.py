#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web of HOSTS hosts on loopback addresses, PAGES pages in all, for crawls on several machines.

manyhosts.py HOSTS PAGES CHAINS LOG [HOLD]: prints its port. Page i is on host i % HOSTS and has one link, to page i + CHAINS, which
is on another host: a link that is lost loses all behind it. LOG gets a line a request: when (ns, CLOCK_MONOTONIC), host, path.
HOLD is what loopback.py says of it. In the environment, PAGE is a file whose bytes each page has ahead of its link.
"""
import os
import sys
import time

import loopback

HOSTS, PAGES, CHAINS = (int(word) for word in sys.argv[1:4])
if CHAINS % HOSTS == 0:
    sys.exit("CHAINS must be no multiple of HOSTS: each link would lead to its own host")
FILLING = b""
if "PAGE" in os.environ:
    with open(os.environ["PAGE"], "rb") as file:
        FILLING = file.read()
log = open(sys.argv[4], "a", buffering=1, encoding="ascii")


def answer(index, path, _, port):
    log.write(f"{time.monotonic_ns()} {loopback.host(index)} {path}\n")
    status, body = "404 Not Found", b""
    if path.startswith("/p/"):
        after = int(path[3:]) + CHAINS
        status = "200 OK"
        link = f'<a href="http://{loopback.host(after % HOSTS)}:{port}/p/{after}">next</a>' if after < PAGES else ""
        body = f"<title>{path[3:]}</title>".encode() + FILLING + link.encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


loopback.run(HOSTS, answer, "".join(sys.argv[5:]))
