# SPDX-License-Identifier: Apache-2.0
"""A site that never ends: a calendar, paths that grow, session ids, redirects; and thirty ordinary pages.

usage: trapsite.py LOGFILE    prints its port on stdout, serves until killed
"""
import http.server
import random
import socketserver
import sys


def links(path):
    parts = path.split("?")[0].strip("/").split("/")
    if parts[0] == "calendar":
        year, month = (int(parts[1]), int(parts[2])) if len(parts) == 3 else (2026, 11)
        after = (year + month // 12, month % 12 + 1)
        before = (year - (month == 1), (month - 2) % 12 + 1)
        return ["/calendar/%d/%d" % after, "/calendar/%d/%d" % before]
    if parts[0] == "grow":
        return ["/" + "/".join(parts + ["more"]), "/" + "/".join(parts + ["a", "b"])]
    if parts[0] == "session":
        return ["/session?sid=%032x" % random.getrandbits(128) for _ in range(3)]
    if parts[0] == "page":
        number = int(parts[1])
        return ["/page/%d" % (number + 1)] if number < 30 else []
    return ["/calendar/2026/11", "/grow", "/session", "/page/1", "/away/0"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        log.write(self.path + "\n")
        log.flush()
        found = self.path != "/robots.txt"
        if self.path.startswith("/away/"):
            self.send_response(302)
            self.send_header("Location", "/away/%d" % (int(self.path[6:]) + 1))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = "".join('<a href="%s">x</a>\n' % link for link in links(self.path)) if found else ""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


random.seed(1)
log = open(sys.argv[1], "w", encoding="utf-8")
with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
