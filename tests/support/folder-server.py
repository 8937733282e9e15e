# SPDX-License-Identifier: Apache-2.0
"""The files of the folder ./site on loopback.

folder-server.py PORT_FILE [TYPE]: writes its port there; each file is of TYPE, or where that is "-" of none that is
said. Header fields of its own are the lines of FILE.headers beside it.
"""
import http.server
import os
import sys

TYPE = sys.argv[2] if len(sys.argv) > 2 else 'text/html'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            with open('site' + self.path, 'rb') as file:
                body = file.read()
        except OSError:
            return self.send_error(404)
        fields = []
        if os.path.exists('site' + self.path + '.headers'):
            with open('site' + self.path + '.headers') as file:
                fields = [line.strip().split(': ', 1) for line in file]
        self.send_response(200)
        for name, value in fields:
            self.send_header(name, value)
        if TYPE != '-':
            self.send_header('Content-Type', TYPE)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
with open(sys.argv[1] + '.new', 'w') as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + '.new', sys.argv[1])
server.serve_forever()
