# SPDX-License-Identifier: Apache-2.0
"""The site of tests/loop/matrix: six hosts on loopback, what a crawl must and must not ask of them, and their server.

The site is a table of pages, from which both the bytes that are served and the oracle are made: no page is
parsed to know its links, and nothing is shared with the tools. A line of the log is a Request, by this
server's own clock.
"""
import collections
import os
import sys
import threading
import time
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import serving  # noqa: E402

HOSTS = ["127.0.77.%d" % n for n in (1, 2, 3, 4)]
SLOW_HOST = HOSTS[3]  # its robots.txt asks for a delay of its own
CRAWL_DELAY = 0.05
OUTSIDE = "127.0.77.9"  # in no scope

POLICY = """deny-path ^/denied/
deny-extension zip
"""
LATE_POLICY = POLICY + "deny-path ^/late/\n"  # of a crawl that goes on after Ctrl-C
ROBOTS = "User-agent: *\nDisallow: /private/\n"

RECRAWL = 10  # phases from here on belong to a second visit

Request = collections.namedtuple("Request", "start end host path status phase")
Link = collections.namedtuple("Link", "target rel", defaults=("",))


class Page:
    def __init__(self, links=(), text="", status=200, location=None, meta="", changed=None):
        self.links = [link if isinstance(link, Link) else Link(link) for link in links]
        self.text, self.status, self.location, self.meta = text, status, location, meta
        self.changed = changed  # the page from its second visit on

    def body(self):
        head = '<meta name="robots" content="%s">' % self.meta if self.meta else ""
        anchors = "".join(
            '<a href="%s"%s>x</a>\n' % (link.target, ' rel="%s"' % link.rel if link.rel else "")
            for link in self.links
        )
        return "<!DOCTYPE html><title>%s</title>%s\n%s" % (self.text, head, anchors)

    def followed(self):
        """Targets that a crawler follows."""
        if "nofollow" in self.meta:
            return []
        bad = {"nofollow", "noindex"}
        links = [link.target for link in self.links if not bad & set(link.rel.split())]
        return links + ([self.location] if self.location else [])


def start_page(port, text):
    away = "http://%s:%d" % (OUTSIDE, port)
    return Page(
        ["/a/", "/b.html", "b.html#part", "/x/../b.html", "/c.html", "/dup1", "/dup2", "/redirect", "/away"]
        + ["/dead", "/private/x", "/denied/x", "/archive.zip", "/chain/1", "/meta", "/changing", "/self"]
        + ["/late/1", "/late/2", "/late/3", away + "/", "mailto:nobody@example.org"]
        + [Link("/nofollow-only", "nofollow"), Link("/noindex-only", "noindex external")],
        text,
    )


def pages_of(host, port):
    """The pages of one host, by path. Those without `host` in their text have equal bytes on every host."""
    following = HOSTS[(HOSTS.index(host) + 1) % len(HOSTS)]
    pages = {
        "/": start_page(port, host if host == SLOW_HOST else "start"),
        "/a/": Page(["/a/%d" % n for n in (1, 2, 3)], "a of " + host),
        "/b.html": Page(["/b/1"], "the same everywhere"),
        "/b/1": Page([], "b 1 of " + host),
        "/c.html": Page(["/c/1", "http://%s:%d/from-the-neighbour" % (following, port)], "c of " + host),
        "/c/1": Page(["/"], "c 1 of " + host),
        "/from-the-neighbour": Page([], "visited from elsewhere, " + host),
        "/dup1": Page(["/dup/leaf"], "twins of " + host),
        "/dup2": Page(["/dup/leaf"], "twins of " + host),
        "/dup/leaf": Page([], "leaf of twins, " + host),
        "/redirect": Page(status=302, location="/redirected"),
        "/redirected": Page(["/redirected/1"], "behind a redirect of " + host),
        "/redirected/1": Page([], "below a redirect of " + host),
        "/away": Page(status=301, location="http://%s:%d/landing" % (OUTSIDE, port)),
        "/dead": Page(status=404),
        "/meta": Page(["/meta/hidden"], "a page that asks for its links to be left, " + host, meta="nofollow"),
        "/changing": Page([], "first, " + host, changed=Page(["/new"], "second, " + host)),
        "/new": Page([], "new on the second visit, " + host),
        "/self": Page(["/self", "/"], "a loop of " + host),
    }
    for n in (1, 2, 3):
        pages["/a/%d" % n] = Page([], "a %d of %s" % (n, host))
        pages["/late/%d" % n] = Page([], "late %d of %s" % (n, host))
    for n in (1, 2, 3, 4, 5):
        pages["/chain/%d" % n] = Page(["/chain/%d" % (n + 1)] if n < 5 else [], "chain %d of %s" % (n, host))
    for path in ("/private/x", "/denied/x", "/archive.zip", "/nofollow-only", "/noindex-only", "/meta/hidden"):
        pages[path] = Page([], "never to be asked for")
    return pages


class Site:
    """The table, and the oracle over it. A URL is a pair of host and path."""

    def __init__(self, port):
        self.port = port
        self.pages = {host: pages_of(host, port) for host in HOSTS}

    def url(self, key):
        return "http://%s:%d%s" % (key[0], self.port, key[1])

    def key(self, url):
        prefix = "http://"
        if not url.startswith(prefix):
            return None
        host, _, path = url[len(prefix):].partition("/")
        return (host.partition(":")[0], "/" + path)

    def resolve(self, host, target):
        """The few forms of links that this site has."""
        target = target.partition("#")[0]
        if target.startswith("mailto:"):
            return None
        if target.startswith("http://"):
            return self.key(target)
        path = target if target.startswith("/") else "/" + target
        return (host, path.replace("/x/../", "/"))

    @staticmethod
    def allowed(key, late=False):
        host, path = key
        if host not in HOSTS or path.startswith(("/private/", "/denied/")) or path.endswith(".zip"):
            return False
        return not (late and path.startswith("/late/"))

    def reachable(self, max_depth=None, second_visit=False, stop_at=lambda key: False):
        """What a crawl from all start pages asks for: keys, robots.txt aside. Links of pages that `stop_at` names
        are not followed."""
        depth = {(host, "/"): 0 for host in HOSTS}
        queue = list(depth)
        for key in queue:
            page = self.pages[key[0]].get(key[1])
            if page is None or stop_at(key) or (max_depth is not None and depth[key] >= max_depth):
                continue
            if second_visit and page.changed:
                page = page.changed
            for target in page.followed():
                to = self.resolve(key[0], target)
                if to is not None and self.allowed(to) and to not in depth:
                    depth[to] = depth[key] + 1
                    queue.append(to)
        return set(depth)

    def twins(self):
        """Pages whose bytes occur more than once: lists of keys."""
        by_body = collections.defaultdict(list)
        for host, pages in self.pages.items():
            for path, page in pages.items():
                if page.status == 200:
                    by_body[page.body()].append((host, path))
        return [keys for keys in by_body.values() if len(keys) > 1]


class Handler(serving.Handler):
    timeout = 30

    def do_GET(self):
        server = self.server.owner
        start = time.monotonic()
        server.arrived(self.host)
        status, body, *fields = self.result()
        try:
            self.answer(status, body, *fields, type="text/plain" if self.path == "/robots.txt" else "text/html")
        except OSError:  # the crawler was killed
            self.close_connection = True
        server.log(Request(start, time.monotonic(), self.host, self.path, status, server.phase))

    def result(self):
        """Status, body, fields of the head."""
        if self.path == "/robots.txt" and self.host in HOSTS:
            return 200, ROBOTS + ("Crawl-delay: %g\n" % CRAWL_DELAY if self.host == SLOW_HOST else "")
        page = self.server.owner.visit(self.host, self.path)
        if page is None or page.status == 404:
            return 404, "not here\n"
        if page.location:
            return page.status, "", "Location: " + page.location
        body = page.body()
        tag = '"%08x"' % zlib.crc32(body.encode())
        return (304, "", "ETag: " + tag) if self.headers.get("If-None-Match") == tag else (200, body, "ETag: " + tag)


class Server:
    """Serves the site on all its addresses; `requests` is the log."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests, self.phase, self.count = [], 0, 0
        self.goal, self.reached, self.go_on = None, threading.Event(), threading.Event()
        self.listeners = []
        for attempt in range(50):
            try:
                self.listen()
                break
            except OSError:
                self.close()
        else:
            raise OSError("no port is free on all addresses")
        self.site = Site(self.port)
        for listener in self.listeners:
            listener.owner = self
            threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def listen(self):
        self.listeners = [serving.Server(Handler, HOSTS[0])]
        self.port = self.listeners[0].port
        self.listeners += [serving.Server(Handler, host, self.port) for host in HOSTS[1:] + [OUTSIDE]]

    def close(self):
        for listener in self.listeners:
            listener.server_close()

    def hold_at(self, more):
        """From now on the request that is `more` ones ahead, and all behind it, wait for release()."""
        with self.lock:
            self.reached.clear()
            self.go_on.clear()
            self.goal = self.count + more

    def release(self):
        with self.lock:
            self.goal = None
            self.go_on.set()

    def arrived(self, host):
        with self.lock:
            self.count += 1
            waits = self.goal is not None and self.count >= self.goal
        if waits:
            self.reached.set()
            self.go_on.wait(20)

    def visit(self, host, path):
        """The page as it is now: one changes between the runs, not between two tries of one."""
        page = self.site.pages.get(host, {}).get(path)
        return page.changed if page is not None and page.changed and self.phase >= RECRAWL else page

    def log(self, request):
        with self.lock:
            self.requests.append(request)
