#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site on loopback that writes down what it is asked: witness-server.py LOG SITE [CERTIFICATE]

Serves the files of SITE, `index.html` for `/`. Each request is a line of LOG: time, host, request target and header
fields, tab-separated. Paths that begin otherwise than a file's: /down is 503 for ever, /slow answers after 3 s, /cut
closes the connection, /cookie sets one, /door wants a password, /to/URL redirects there."""
import os
import sys
import time

from serving import Handler, Log, serve

SITE = sys.argv[2]
TYPES = {"html": "text/html", "txt": "text/plain", "xml": "application/xml", "png": "image/png", "css": "text/css", "pdf": "application/pdf"}
log = Log(sys.argv[1])


class Witness(Handler):
    def do_GET(self):
        fields = (f"{name}: {value}" for name, value in self.headers.items())
        log.write(f"{time.time():.4f}", self.headers.get("Host", "-"), self.path, *fields, sep="\t")
        path = self.path.split("?")[0]
        path = "/" + path.split("/", 3)[3] if path.startswith("http://") else path
        if path.startswith("/to/"):
            return self.answer(302, b"", "Location: " + self.path[4:])
        if path == "/down":
            return self.answer(503)
        if path == "/cut":
            self.close_connection = True
            return None
        if path == "/slow":
            time.sleep(30)
        if path == "/cookie":
            return self.answer(200, "<a href=after-cookie.html>x</a>", "Set-Cookie: taste=sweet")
        if path == "/door" and "Authorization" not in self.headers:
            return self.answer(401, b"", "WWW-Authenticate: Basic")
        name = "index.html" if path == "/" else path.lstrip("/")
        try:
            with open(os.path.join(SITE, os.path.basename(name)), "rb") as file:
                return self.answer(200, file.read(), type=TYPES.get(name.rsplit(".", 1)[-1], "text/html"))
        except OSError:
            return self.answer(200 if path in ("/slow", "/door") else 404, "<p>none</p>")


serve(Witness, "0.0.0.0", sys.argv[3:])
