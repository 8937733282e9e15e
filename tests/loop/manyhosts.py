#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web of HOSTS hosts on loopback addresses, PAGES pages in all, for crawls on several machines.

manyhosts.py HOSTS PAGES CHAINS LOG: prints its port. Page i is on host i % HOSTS and has one link, to page i + CHAINS, which
is on another host: a link that is lost loses all behind it. LOG gets a line a request: when (ns, CLOCK_MONOTONIC), host, path.
"""
import asyncio
import signal
import socket
import sys
import time

HOSTS, PAGES, CHAINS = (int(word) for word in sys.argv[1:4])
if CHAINS % HOSTS == 0:
    sys.exit("CHAINS must be no multiple of HOSTS: each link would lead to its own host")
log = open(sys.argv[4], "a", buffering=1, encoding="ascii")


def host(index):
    return f"127.1.{index % HOSTS // 250}.{index % HOSTS % 250 + 1}"


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii")
            name = writer.get_extra_info("sockname")[0]
            log.write(f"{time.monotonic_ns()} {name} {path}\n")
            status, body = "404 Not Found", b""
            if path.startswith("/p/"):
                index = int(path[3:])
                after = index + CHAINS
                status = "200 OK"
                link = f'<a href="http://{host(after)}:{port}/p/{after}">next</a>' if after < PAGES else ""
                body = f"<title>{index}</title>{link}".encode()
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ValueError, IndexError):
        pass
    finally:
        writer.close()


async def main():
    global port
    first = socket.create_server((host(0), 0))
    port = first.getsockname()[1]
    sockets = [first] + [socket.create_server((host(index), port)) for index in range(1, HOSTS)]
    servers = [await asyncio.start_server(serve, sock=each) for each in sockets]
    print(port, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    for each in servers:
        each.close()


asyncio.run(main())
