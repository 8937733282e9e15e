#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site whose pages all hold the same links: one or more of each verdict of link-check, on hosts of their own in 127/8.

usage: faultsite.py LOG ORACLE PAGES

A line of the log is "method host path". The oracle is what a checker has to say: a line for each link, tab-separated:
target, verdict, page, line.
"""
import socket
import sys
import threading

from serving import Handler, Log, Server, say

SITE, OTHER, SLOW, LIMIT, BROKEN, BUSY, DEAD, ANY = ("127.0.0.%d" % i for i in range(1, 9))
RULES = {SITE: "User-agent: *\nDisallow: /secret\n", OTHER: "User-agent: *\nDisallow: /hidden\n"}
# Status and other header fields; paths that are not here are 404.
ANSWERS = {
    (SITE, "/gone"): (410, {}),
    (SITE, "/moved"): (301, {"Location": "/p1"}),
    (SITE, "/temp"): (302, {"Location": "/p1"}),
    (SITE, "/round"): (302, {"Location": "/about"}),
    (SITE, "/about"): (302, {"Location": "/round"}),
    (SITE, "/nowhere"): (302, {}),
    (SITE, "/wall"): (403, {"CF-Mitigated": "challenge"}),
    (SITE, "/members"): (401, {}),
    (SITE, "/price"): (402, {"Crawler-Price": "USD 0.01"}),
    (SITE, "/app"): (200, {}),
    (SITE, "/style.css"): (200, {"Content-Type": "text/css"}),
    (SITE, "/more.css"): (200, {"Content-Type": "text/css"}),
    (OTHER, "/far.css"): (200, {"Content-Type": "text/css"}),
    (OTHER, "/fine"): (200, {}),
    (OTHER, "/doc"): (200, {}),
    (OTHER, "/frame"): (200, {}),
    (OTHER, "/moved"): (301, {"Location": "/fine"}),
    (OTHER, "/wall"): (200, {"X-Amzn-Waf-Action": "challenge"}),
    (OTHER, "/price"): (402, {}),
    (LIMIT, "/"): (429, {"Retry-After": "0"}),
    (BROKEN, "/"): (500, {}),
}
NEVER = '<a href="/never">n</a>'
# A style sheet of the site itself is read, and so is what it imports; one of another host is not.
SHEETS = {"/style.css": [("/more.css", "ok"), ("/nofont.woff", "dead")], "/more.css": [("/nobg.png", "dead")]}
BODIES = {(SITE, sheet): "".join("%s url(%s);\n" % ("@import" if target[-4:] == ".css" else "b {} a { c:", target) for target, _ in found)
          for sheet, found in SHEETS.items()}
BODIES |= {(OTHER, "/far.css"): "b { background: url(/never) }", (OTHER, "/doc"): "<h1 id=known>x</h1> " + NEVER, (OTHER, "/frame"): NEVER, (SITE, "/app"): "<p id=x>"}


def links(port, dead):
    def at(host, path):
        return "http://%s:%d%s" % (host, port, path)

    yield from [("/missing", "a", "dead"), ("/gone", "a", "dead"), ("/round", "a", "dead"), ("/nowhere", "a", "dead")]
    yield from [("/moved", "a", "moved"), ("/temp", "a", "ok"), ("/moved#none", "a", "dead-fragment")]
    yield from [("/p1#here", "a", "ok"), ("/p1#top", "a", "ok"), ("/p1#none", "a", "dead-fragment")]
    yield from [("/app#/route", "a", "not-checkable"), ("/nofollow", "a rel=nofollow", "dead")]
    yield from [("/img.png", "img", "dead"), ("/style.css", "link rel=stylesheet", "ok"), (at(OTHER, "/far.css"), "link rel=stylesheet", "ok"), ("/lost.js", "script", "dead")]
    yield from [("/secret", "a", "blocked-by-robots"), ("/wall", "a", "challenged"), ("/members", "a", "forbidden")]
    yield from [("/price", "a", "payment-required")]
    yield from [(at(OTHER, "/both.css"), "a", "ok"), (at(OTHER, "/both.css"), "link rel=stylesheet", "ok")]
    yield at(OTHER, "/frame"), "iframe", "ok"
    for path in ("/fine", "/headsilent", "/head403", "/head404", "/head405", "/head501", "/doc", "/doc#known"):
        yield at(OTHER, path), "a", "ok"
    yield from [(at(OTHER, "/lost"), "a", "dead"), (at(OTHER, "/lost.png"), "img", "dead")]
    yield from [(at(OTHER, "/doc#none"), "a", "dead-fragment"), (at(OTHER, "/moved"), "a", "moved")]
    yield from [(at(OTHER, "/wall"), "a", "challenged"), (at(OTHER, "/price"), "a", "payment-required")]
    yield from [(at(OTHER, "/hidden"), "a", "blocked-by-robots"), (at(SLOW, "/"), "a", "timeout")]
    yield from [(at(LIMIT, "/"), "a", "rate-limited"), (at(BROKEN, "/"), "a", "dead"), (at(BUSY, "/"), "a", "ok")]
    for i in range(3):
        yield "http://%s:%d/%d" % (DEAD, dead, i), "a", "dead"


class Faulty(Handler):
    def do_GET(self):
        at = (self.host, self.path)
        log.write(self.command, *at)
        with lock:
            counts[at] = counts.get(at, 0) + 1
        if self.host == SLOW and self.path != "/robots.txt" or self.command + self.path == "HEAD/headsilent":
            never.wait()
        status, fields, body = self.result(at)
        type = fields.get("Content-Type", "text/html")
        self.answer(status, body, *("%s: %s" % field for field in fields.items() if field[0] != "Content-Type"), type=type)

    do_HEAD = do_GET

    def result(self, at):
        host, path = at
        if path == "/robots.txt":
            return (200, {}, RULES[host]) if host in RULES else (404, {}, "")
        if path.startswith("/head"):
            return (int(path[5:]) if self.command == "HEAD" else 200), {}, ""
        if path == "/both.css":
            return 200, {"Content-Type": "text/css"}, ""
        if host == ANY:
            return 200, {}, '<a href="/x">x</a>'
        if host == BUSY:
            return (503 if counts[at] == 1 else 200), {}, ""
        if host == SITE and path == "/":
            return 200, {}, "".join('<a href="/p%d">p</a>\n' % i for i in range(pages))
        if host == SITE and path[:2] == "/p" and path[2:].isdigit():
            return 200, {}, page
        return *ANSWERS.get(at, (404, {})), BODIES.get(at, "")


def write_oracle(out, port, faults):
    base = "http://%s:%d" % (SITE, port)
    for i in range(pages):
        out.write("%s/p%d\tok\t%s/\t%d\n" % (base, i, base, i + 1))
        for line, (target, _, verdict) in enumerate(faults):
            target = target if "://" in target else base + target
            out.write("%s\t%s\t%s/p%d\t%d\n" % (target, verdict, base, i, line + 2))


    for sheet, found in SHEETS.items():
        for line, (target, verdict) in enumerate(found):
            out.write("%s%s\t%s\t%s%s\t%d\n" % (base, target, verdict, base, sheet, line + 1))


def element(target, tag):
    name = tag.split()[0]
    attribute = "src" if name in ("img", "script", "iframe") else "href"
    return "<%s %s='%s'>%s\n" % (tag, attribute, target, "</%s>" % name if name in ("script", "iframe") else "")


log = Log(sys.argv[1])
pages = int(sys.argv[3])
lock = threading.Lock()
never = threading.Event()
counts = {}
server = Server(Faulty, "0.0.0.0")
refusing = socket.socket()  # bound, but not listening
refusing.bind((DEAD, 0))
found = list(links(server.port, refusing.getsockname()[1]))
page = "<h1 id=here>h</h1>\n" + "".join(element(target, tag) for target, tag, _ in found)
with open(sys.argv[2], "w") as oracle:
    write_oracle(oracle, server.port, found)
say(server.port)
server.serve_forever()
