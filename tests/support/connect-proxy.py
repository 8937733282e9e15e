#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A forward proxy for HTTP/1.1 on loopback: CONNECT makes a tunnel, a request for an absolute URL goes on to its host
as it came. Python 3, standard library only.

    connect-proxy.py PORTFILE LOG

writes its port to PORTFILE, and the head of each request to LOG.
"""
import os
import socket
import socketserver
import sys
import threading
from urllib.parse import urlsplit


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.request.recv(65536)
            if not piece:
                return
            data += piece
        with open(sys.argv[2], "ab") as log:
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


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request, client_address):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write("%d\n" % server.server_address[1])
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


main()
