#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site of a chain of pages, on every address of 127/8, whose moods try a crawler's manners.

usage: moodysite.py LOG [--pages=N] [--late-rules=N] [--late-status=N] [--busy=FIRST-LAST] [--retry-after=N] [--robots=TEXT] [--slow=SECONDS]

Each address is a host of its own: its requests are counted from 1. A line of the log is "start end host path
status", times in seconds by this server's clock.
"""
import argparse
import collections
import threading
import time

from serving import Handler, Log, serve


class Moody(Handler):
    def do_GET(self):
        start = time.time()
        rules = self.path == "/robots.txt"
        with lock:
            counts[self.host, rules] += 1
            count = counts[self.host, rules]
        status, body = self.result(count)
        wait = ["Retry-After: %d" % given.retry_after] if status == 429 and given.retry_after else []
        end = time.time()  # taken before anybody can have the answer; afterwards a busy machine may be late
        self.answer(status, body, *wait, type="text/plain" if rules else "text/html")
        log.write("%.4f %.4f" % (start, end), self.host, self.path, status)

    def result(self, count):
        if self.path == "/robots.txt":
            if count <= given.late_rules:
                return given.late_status, ""
            return 200, given.robots.replace("\\n", "\n")
        first, last = given.busy
        if first <= count <= last:
            return 429, ""
        time.sleep(given.slow)
        page = int(self.path.strip("/") or 0)
        return 200, '<a href="/%d">next</a>' % (page + 1) if page + 1 < given.pages else ""


parser = argparse.ArgumentParser()
parser.add_argument("log")
parser.add_argument("--slow", type=float, default=0)  # the time that making a page takes
parser.add_argument("--pages", type=int, default=10)
parser.add_argument("--late-rules", type=int, default=0)
# the status of robots.txt until the rules come
parser.add_argument("--late-status", type=int, default=503)
parser.add_argument("--busy", type=lambda text: tuple(map(int, text.split("-"))), default=(0, 0))
parser.add_argument("--retry-after", type=int, default=0)
parser.add_argument("--robots", default="")
given = parser.parse_args()
lock = threading.Lock()
counts = collections.Counter()
log = Log(given.log)
serve(Moody, "0.0.0.0")
