#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site on loopback that writes down what it is asked: witness-server.py PORT_FILE LOG SITE [CERTIFICATE]

Serves the files of SITE, `index.html` for `/`. Each request is a line of LOG: time, host, request target and header
fields, tab-separated. Paths that begin otherwise than a file's: /down is 503 for ever, /slow answers after 3 s, /cut
closes the connection, /cookie sets one, /door wants a password, /to/URL redirects there."""
import os
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT_FILE, LOG, SITE = sys.argv[1:4]
TYPES = {"html": "text/html", "txt": "text/plain", "xml": "application/xml", "png": "image/png", "css": "text/css", "pdf": "application/pdf"}
log = open(LOG, "a", encoding="latin-1")
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", type_="text/html", **fields):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", type_)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        fields = "\t".join(f"{name}: {value}" for name, value in self.headers.items())
        with lock:
            print(f"{time.time():.4f}", self.headers.get("Host", "-"), self.path, fields, sep="\t", file=log, flush=True)
        path = self.path.split("?")[0]
        path = "/" + path.split("/", 3)[3] if path.startswith("http://") else path
        if path.startswith("/to/"):
            return self.answer(302, Location=self.path[4:])
        if path == "/down":
            return self.answer(503)
        if path == "/cut":
            self.close_connection = True
            return None
        if path == "/slow":
            time.sleep(3)
        if path == "/cookie":
            return self.answer(200, b"<a href=after-cookie.html>x</a>", Set_Cookie="taste=sweet")
        if path == "/door" and "Authorization" not in self.headers:
            return self.answer(401, WWW_Authenticate="Basic")
        name = "index.html" if path == "/" else path.lstrip("/")
        try:
            with open(os.path.join(SITE, os.path.basename(name)), "rb") as file:
                return self.answer(200, file.read(), TYPES.get(name.rsplit(".", 1)[-1], "text/html"))
        except OSError:
            return self.answer(200 if path in ("/slow", "/door") else 404, b"<p>none</p>")


server = ThreadingHTTPServer(("0.0.0.0", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(PORT_FILE, "w", encoding="ascii") as file:
    file.write(str(server.server_address[1]))
server.serve_forever()
