#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site that never ends: a calendar, paths that grow, session ids, redirects; and thirty ordinary pages.

As NAME.wild.localhost, of any name: each page has links to thirty such hosts that nobody has heard of yet. As
www.goodN.localhost it is one of five sites, whose page has a link to the next one.

usage: trapsite.py LOG, of paths, one a line
"""
import random
import sys

from serving import Handler, Log, serve


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


def far_links(host):
    name, _, port = host.partition(":")
    if name.endswith(".wild.localhost"):
        return ["http://w%016x.wild.localhost:%s/" % (random.getrandbits(64), port) for _ in range(30)]
    number = int(name.split(".")[1][4:])
    return ["http://www.good%d.localhost:%s/" % (number + 1, port)] if number < 5 else []


class Trap(Handler):
    def do_GET(self):
        log.write(self.path)
        host = self.headers["Host"]
        # A kept connection keeps a thread, and one for each of a thousand hosts may be too many.
        is_one_of_many = self.close_connection = ".localhost:" in host
        if self.path.startswith("/away/"):
            return self.answer(302, b"", "Location: /away/%d" % (int(self.path[6:]) + 1))
        if self.path == "/robots.txt":
            return self.answer(404)
        found = far_links(host) if is_one_of_many else links(self.path)
        self.answer(200, "".join('<a href="%s">x</a>\n' % link for link in found))


random.seed(1)
log = Log(sys.argv[1])
serve(Trap)
