#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A forward proxy for HTTP/1.1 on loopback: CONNECT makes a tunnel, a request for an absolute URL goes on to its host
as it came. Python 3, standard library only.

    connect-proxy.py LOG

writes the head of each request to LOG.
"""
import socket
import socketserver
import sys
import threading
from urllib.parse import urlsplit

from serving import pump, serve


class Proxy(socketserver.BaseRequestHandler):
    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.request.recv(65536)
            if not piece:
                return
            data += piece
        with open(sys.argv[1], "ab") as log:
            log.write(data)
        method, target = data.split(b" ", 2)[:2]
        tunnel = method == b"CONNECT"
        place = urlsplit(("//" if tunnel else "") + target.decode("ascii"))
        with socket.create_connection((place.hostname, place.port or 80)) as origin:
            if tunnel:
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
            else:
                origin.sendall(data)
            threading.Thread(target=pump, args=(self.request, origin), daemon=True).start()
            pump(origin, self.request)


serve(Proxy)
