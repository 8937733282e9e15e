#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web of HOSTS hosts on loopback addresses for crawls with options: each host has what some option is about.

optionsite.py HOSTS LOG CHANGED: prints its port. Every host has the same paths, some of which the one before it links to. LOG gets a
line a request: when (ns, CLOCK_MONOTONIC), host, path, its cookie or -. Until a file CHANGED is there, /flaky fails.
"""
import asyncio
import os
import signal
import socket
import sys
import time

HOSTS, CHANGED = int(sys.argv[1]), sys.argv[3]
log = open(sys.argv[2], "a", buffering=1, encoding="ascii")


def host(index):
    return f"127.1.0.{index % HOSTS + 1}"


def links(*targets):
    return "".join(f'<p>Some words of text about {target}, and a link to <a href="{target}">it</a>.</p>' for target in targets)


def page(index, path):
    """Status, type, body and further fields of the head."""
    following = f"http://{host(index + 1)}:{port}"
    html = "text/html"
    if path == "/flaky" and not os.path.exists(CHANGED):
        return 503, html, "away"
    if path == "/robots.txt":
        return 200, "text/plain", f"User-agent: *\nDisallow: /private\nSitemap: http://{host(index)}:{port}/map.xml\n"
    if path in ("/map.xml", "/sitemap.xml"):
        return 200, "application/xml", f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://{host(index)}:{port}/mapped</loc></url></urlset>"
    bodies = {
        "/": links("/a/1", "/dup1", "/dup2", "/private/x", "/dead", "/redirect", "/deep/1", "/flaky", "/file.bin", "/cookie",
                   following + "/in") + '<img src="/logo.png"><a rel="nofollow" href="/unfollowed">x</a>',
        "/in": links("/in/1", following + "/in/2"), "/in/1": "", "/in/2": links(following + "/in/3"), "/in/3": "",
        "/a/1": links("/a/2", "/a/3?utm_source=x"), "/a/2": "", "/a/3": "", "/a/3?utm_source=x": "",
        "/unfollowed": "", "/mapped": "", "/below": "", "/cookie": links("/below"),
    }
    for depth in range(1, 6):
        bodies[f"/deep/{depth}"] = links(f"/deep/{depth + 1}") if depth < 5 else ""
    if path.startswith("/dup") and path[4:] in ("1", "2"):
        return 200, html, f"<title>twins of {host(index)}</title>" + links("/leaf")
    if path == "/redirect":
        return 302, html, "", f"Location: {following}/landed"
    if path in ("/file.bin", "/logo.png"):
        return 200, "application/octet-stream" if path == "/file.bin" else "image/png", "binary"
    if path in bodies or path in ("/flaky", "/leaf", "/landed"):
        more = ("Set-Cookie: seen=1; Path=/",) if path == "/cookie" else ()
        return 200, html, f"<title>{path} of {host(index)}</title><h1>{path} of {host(index)}</h1>{bodies.get(path, '')}", *more
    return 404, html, "not here"


async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ", 2)[1]
            cookie = [line[7:].strip() for line in head.split("\r\n") if line.lower().startswith("cookie:")]
            name = writer.get_extra_info("sockname")[0]
            log.write(f"{time.monotonic_ns()} {name} {path} {''.join(cookie).replace(' ', '') or '-'}\n")
            status, kind, body, *fields = page(int(name.rsplit(".", 1)[1]) - 1, path)
            fields += [f"Content-Type: {kind}", f"Content-Length: {len(body.encode())}"]
            writer.write((f"HTTP/1.1 {status} It\r\n" + "".join(field + "\r\n" for field in fields) + "\r\n" + body).encode())
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ValueError, IndexError):
        pass
    finally:
        writer.close()


def listen():
    """One port of all hosts: that which is free at the first may be taken at another."""
    global port
    while True:
        sockets = [socket.create_server((host(0), 0))]
        port = sockets[0].getsockname()[1]
        try:
            return sockets + [socket.create_server((host(index), port)) for index in range(1, HOSTS)]
        except OSError:
            sockets[0].close()


async def main():
    sockets = listen()
    servers = [await asyncio.start_server(serve, sock=each) for each in sockets]
    print(port, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    for each in servers:
        each.close()


asyncio.run(main())
