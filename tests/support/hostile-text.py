#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server whose every text, in reason phrases, header fields, robots.txt and pages, tries to act on a terminal or
in a shell."""
import socketserver

from serving import serve

# Escape sequences (also as C1 bytes), the controls of a title, bidirectional overrides and marks, line ends.
TERMINAL = (b"\x1b[31mred\x1b]0;title\x07\x9b2J\xc2\x9b2J\x08\x7f\x00"
            b"\xe2\x80\xaeevil\xe2\x80\xac\xe2\x81\xa6x\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c")
SHELL = [b"$(touch pwned)", b"`touch pwned`", b";touch pwned;", b"|touch pwned", b"&touch pwned&", b">pwned",
         b"-rf", b"--help", b"-o/pwned", b"%0atouch%20pwned", b"a&#10;touch pwned", b"a&#13;&#10;b", b"a&#9;b",
         b"'\"$(touch pwned)", b"../../../../pwned", b"\\$(touch pwned)", b"*", b"~", b"!!", b"${IFS}"]


# libcurl gives up at a NUL in a head, which hostile-server.py tests.
def header_safe(text):
    return text.replace(b"\0", b"")


def respond(status, fields, body):
    head = b"HTTP/1.1 " + status + b"\r\n"
    for name, value in fields:
        head += header_safe(name) + b": " + header_safe(value) + b"\r\n"
    return head + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body


def index():
    links = b"".join(b'<a href="%s">%s</a>\n<a href="/%s">x</a>' % (href.replace(b'"', b"&quot;"), TERMINAL,
                                                                  href.replace(b'"', b"&quot;")) for href in SHELL)
    return (b"<title>" + TERMINAL + b"</title><meta name=description content='" + TERMINAL + b"'>"
            b"<meta name=robots content='noodp, " + TERMINAL + b"'><a href='/t/" + TERMINAL + b"'>t</a>"
            b"<a href='http://[" + TERMINAL + b"/'>bad</a><a href='http://" + TERMINAL + b".example/'>host</a>"
            b"<img src='" + TERMINAL + b"'><a href='/reason'>r</a><a href='/header'>h</a><a href='/moved'>m</a>"
            b"<a href='/private/" + TERMINAL + b"'>p</a>" + links)


PAGES = {
    b"/": lambda: respond(b"200 OK", [(b"Content-Type", b"text/html; charset=utf-8")], index()),
    b"/robots.txt": lambda: respond(b"200 OK", [(b"Content-Type", b"text/plain")],
                                    b"User-agent: *\nDisallow: /private/\nDisallow: /" + TERMINAL.replace(b"\n", b"") +
                                    b"\nCrawl-delay: 0" + TERMINAL + b"\n" + TERMINAL + b": x\nSitemap: /" + TERMINAL +
                                    b"\nCrawl-delay: \x1b[31m\n"),
    b"/reason": lambda: respond(b"404 " + header_safe(TERMINAL), [(b"Content-Type", b"text/html")], b"x"),
    b"/moved": lambda: respond(b"302 " + header_safe(TERMINAL), [(b"Location", b"/to/" + TERMINAL)], b""),
    b"/badmove": lambda: respond(b"302 x", [(b"Location", b"http://[" + TERMINAL)], b""),
    b"/length": lambda: respond(b"200 OK", [(b"Content-Length", b"5" + TERMINAL)], b"x"),
    b"/coding": lambda: respond(b"200 OK", [(b"Transfer-Encoding", TERMINAL)], b"x"),
    b"/status": lambda: TERMINAL + b"\r\n\r\n",
    b"/header": lambda: respond(b"200 OK", [
        (name, TERMINAL) for name in (b"Content-Type", b"ETag", b"Last-Modified", b"Expires", b"Link", b"X-Robots-Tag",
                                      b"Retry-After", b"Content-Language", b"Content-Encoding", b"X-" + b"a" * 9)] +
        [(b"Link", b"</l" + TERMINAL + b">; rel=next"), (TERMINAL, b"x")], b"x"),
}


class Hostile(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline(65536)
        while self.rfile.readline(65536).strip():
            pass
        path = line.split(b" ")[1].split(b"?")[0] if line.count(b" ") >= 2 else b"/"
        page = PAGES.get(path, lambda: respond(b"200 OK", [(b"Content-Type", b"text/html")], TERMINAL))
        self.wfile.write(page())


serve(Hostile)
