# SPDX-License-Identifier: Apache-2.0
"""A site of a chain of pages, on every address of 127/8, whose moods try a crawler's manners.

usage: moodysite.py LOGFILE [--pages=N] [--late-rules=N] [--late-status=N] [--busy=FIRST-LAST] [--retry-after=N] [--robots=TEXT] [--slow=SECONDS]
prints its port on stdout, serves until killed

Each address is a host of its own: its requests are counted from 1. A line of the log is "start end host path
status", times in seconds by this server's clock.
"""
import argparse
import collections
import http.server
import socketserver
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        start = time.time()
        host = self.headers.get("Host", "").split(":")[0]
        with lock:
            counts[host, self.path == "/robots.txt"] += 1
            count = counts[host, self.path == "/robots.txt"]
        status, body = self.answer(count)
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        if status == 429 and given.retry_after:
            self.send_header("Retry-After", str(given.retry_after))
        self.end_headers()
        self.wfile.write(body.encode())
        with lock:
            log.write("%.4f %.4f %s %s %d\n" % (start, time.time(), host, self.path, status))
            log.flush()

    def answer(self, count):
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

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 1000


parser = argparse.ArgumentParser()
parser.add_argument("log")
parser.add_argument("--slow", type=float, default=0)  # that making a page takes
parser.add_argument("--pages", type=int, default=10)
parser.add_argument("--late-rules", type=int, default=0)
parser.add_argument("--late-status", type=int, default=503)  # of the late rules until they come
parser.add_argument("--busy", type=lambda text: tuple(map(int, text.split("-"))), default=(0, 0))
parser.add_argument("--retry-after", type=int, default=0)
parser.add_argument("--robots", default="")
given = parser.parse_args()
lock = threading.Lock()
counts = collections.Counter()
log = open(given.log, "w", encoding="utf-8")
with Server(("0.0.0.0", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
