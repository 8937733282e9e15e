# SPDX-License-Identifier: Apache-2.0
"""What the HTTP servers of the tests have in common. Each listens on a free port, prints it once it listens, answers in a
thread of its own whoever connects, and serves until it is killed by its id.

    class Site(Handler):
        def do_GET(self):
            log.write(self.path)
            self.answer(200, "<p>hi", "Link: </x>; rel=next")

    log = Log(sys.argv[1])
    serve(Site)

tests/cli/servers.bash starts them: start_python NAME PORT_FILE [ARGUMENT]...
"""
import http.server
import socket
import socketserver
import ssl
import sys
import threading


def pump(source, target, passes=lambda data: True):
    """Hands on what one socket receives to the other, until one ends or a piece may not pass; then both are closed."""
    try:
        while (data := source.recv(65536)) and passes(data):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Log:
    """A file of lines, each whole whatever thread writes it; empty at first, and whoever reads it may empty it again."""

    def __init__(self, path):
        open(path, "w").close()
        self.file = open(path, "a", encoding="latin-1")
        self.lock = threading.Lock()

    def write(self, *words, sep=" "):
        with self.lock:
            print(*words, sep=sep, file=self.file, flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection of HTTP/1.1, kept. A subclass has do_GET()."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    disable_nagle_algorithm = True

    @property
    def host(self):
        return self.headers.get("Host", "").split(":")[0]

    def answer(self, status, body=b"", *fields, type="text/html", send=None):
        """`fields` are lines of the head beside Content-Type (none where `type` is None) and Content-Length. With `send` only
        so many bytes of the body go out, and the connection ends there."""
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for field in fields:
            self.send_header(*field.split(": ", 1))
        if type is not None:
            self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:send])
        self.wfile.flush()
        if send is not None:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingTCPServer):
    """`handler` is a Handler, or any other of socketserver. `certificate`: the words of SSLContext.load_cert_chain()."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, handler, host="127.0.0.1", port=0, certificate=()):
        super().__init__((host, port), handler)
        self.port = self.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, *_):
        """A client that goes away is none of the server's errors."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*_)


def say(*lines):
    """What whoever has started this waits for: in one write, so that nobody reads half of it."""
    print(*lines, sep="\n", flush=True)


def serve(handler, host="127.0.0.1", certificate=()):
    server = Server(handler, host, certificate=certificate)
    say(server.port)
    server.serve_forever()
