#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web of HOSTS hosts on loopback addresses for crawls with options: each host has what some option is about.

optionsite.py HOSTS LOG CHANGED [HOLD]: prints its port. Every host has the same paths, some of which the one before it links to. LOG gets a
line a request: when (ns, CLOCK_MONOTONIC), host, path, its cookie or -, the status, and proxy where one host was asked in another's
place. Until a file CHANGED is there, /flaky fails. What has not changed is answered with 304 to who asks so, and /login with 401 to who
does not say who he is. /priced, to which nothing leads, costs USD 0.01. HOLD is what loopback.py says of it.
"""
import os
import sys
import time
import urllib.parse
import zlib

import loopback

HOSTS, CHANGED = int(sys.argv[1]), sys.argv[3]
log = open(sys.argv[2], "a", buffering=1, encoding="ascii")


def links(*targets):
    return "".join(f'<p>Some words of text about {target}, and a link to <a href="{target}">it</a>.</p>' for target in targets)


def page(index, path, port, known, offered):
    """Status, type, body and further fields of the head."""
    own, following = (f"http://{loopback.host(at % HOSTS)}:{port}" for at in (index, index + 1))
    html = "text/html"
    if path == "/flaky" and not os.path.exists(CHANGED):
        return 503, html, "away"
    if path == "/login" and not known:
        return 401, html, "who are you?", "WWW-Authenticate: Basic realm=x"
    if path == "/priced":
        return (200, html, "bought", "crawler-charged: USD 0.01") if offered else (402, html, "pay", "crawler-price: USD 0.01")
    if path == "/robots.txt":
        return 200, "text/plain", f"User-agent: *\nDisallow: /private\nSitemap: {own}/map.xml\n"
    if path in ("/map.xml", "/sitemap.xml"):
        return 200, "application/xml", f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{own}/mapped</loc></url></urlset>"
    bodies = {
        "/": links("/a/1", "/dup1", "/dup2", "/private/x", "/dead", "/redirect", "/deep/1", "/flaky", "/file.bin", "/cookie", "/login", "/p?id=1&from=a", "/p?id=1&from=b",
                   following + "/in") + '<img src="/logo.png"><a rel="nofollow" href="/unfollowed">x</a>',
        "/in": links("/in/1", following + "/in/2"), "/in/1": "", "/in/2": links(following + "/in/3"), "/in/3": "",
        "/a/1": links("/a/2", "/a/3?utm_source=x"), "/a/2": "", "/a/3": "", "/a/3?utm_source=x": "",
        "/unfollowed": "", "/mapped": "", "/below": "", "/cookie": links("/below"), "/login": links("/within"),
        "/within": "", "/p?id=1": "", "/p?id=1&from=a": "", "/p?id=1&from=b": "",
    }
    for depth in range(1, 6):
        bodies[f"/deep/{depth}"] = links(f"/deep/{depth + 1}") if depth < 5 else ""
    if path.startswith("/dup") and path[4:] in ("1", "2"):
        return 200, html, f"<title>twins of {own}</title>" + links("/leaf")
    if path == "/redirect":
        return 302, html, "", f"Location: {following}/landed"
    if path in ("/file.bin", "/logo.png"):
        return 200, "application/octet-stream" if path == "/file.bin" else "image/png", "binary"
    if path in bodies or path in ("/flaky", "/leaf", "/landed"):
        more = ("Set-Cookie: seen=1; Path=/",) if path == "/cookie" else ()
        return 200, html, f"<title>{path} of {own}</title><h1>{path} of {own}</h1>{bodies.get(path, '')}", *more
    return 404, html, "not here"


def answer(index, path, head, port):
    cookie = "".join(line[7:] for line in head.split("\r\n") if line.lower().startswith("cookie:")).replace(" ", "")
    way = ""
    if path.startswith("http:"):
        way, url = " proxy", urllib.parse.urlsplit(path)
        index, path = loopback.index_of(url.hostname), url.path + ("?" + url.query if url.query else "")
    status, kind, body, *fields = page(index, path, port, "authorization: basic " in head.lower(), "crawler-exact-price: usd 0.01" in head.lower())
    if status == 200 and path not in ("/robots.txt", "/cookie"):
        tag = f'"{zlib.crc32(body.encode())}"'
        fields.append(f"ETag: {tag}")
        if f"if-none-match: {tag}" in head.lower():
            status, body = 304, ""
    log.write(f"{time.monotonic_ns()} {loopback.host(index)} {path} {cookie or '-'} {status}{way}\n")
    fields += [f"Content-Type: {kind}", f"Content-Length: {len(body.encode())}"]
    return (f"HTTP/1.1 {status} It\r\n" + "".join(field + "\r\n" for field in fields) + "\r\n" + body).encode()


loopback.run(HOSTS, answer, "".join(sys.argv[4:]))
