# SPDX-License-Identifier: Apache-2.0
"""Sites on many loopback addresses, for the webs of tests: run(HOSTS, ANSWER) prints the port that all of them have, and serves until
SIGTERM. ANSWER(index of the host, path, head of the request, port) gives the bytes of an answer; a ValueError or IndexError ends the
connection. Where HOLD is given, N/S or N, so many requests are answered at once but those for robots.txt, and each later one after S
seconds, or never, and all of them once SIGUSR1 has come: until then the crawl is not soon over, however slow the machine of a test is.
SIGUSR2 holds them again, from the next one on."""
import asyncio
import signal
import socket
import sys


def host(index):
    return f"127.1.{index // 250}.{index % 250 + 1}"


def index_of(name):
    return int(name.split(".")[2]) * 250 + int(name.split(".")[3]) - 1


def listen(hosts):
    """What is free at the first may be taken at another."""
    while True:
        sockets = [socket.create_server((host(0), 0))]
        try:
            for index in range(1, hosts):
                sockets.append(socket.create_server((host(index), sockets[0].getsockname()[1])))
            return sockets
        except OSError:
            for each in sockets:
                each.close()


async def serve(sockets, answer, hold):
    port = sockets[0].getsockname()[1]
    released = asyncio.Event()
    left, _, seconds = hold.partition("/")
    left, seconds = int(left) if left else sys.maxsize, float(seconds) if seconds else None

    def hold_again():
        nonlocal left
        left = 0
        released.clear()

    async def talk(reader, writer):
        nonlocal left
        index = index_of(writer.get_extra_info("sockname")[0])
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                said = answer(index, path, head, port)
                left -= not path.endswith("/robots.txt")
                if left < 0 and not released.is_set():
                    await asyncio.wait([asyncio.ensure_future(released.wait())], timeout=seconds)
                writer.write(said)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, IndexError):
            pass
        finally:
            writer.close()

    servers = [await asyncio.start_server(talk, sock=each) for each in sockets]
    print(port, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, released.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, hold_again)
    await stop.wait()
    for each in servers:
        each.close()


def run(hosts, answer, hold=""):
    asyncio.run(serve(listen(hosts), answer, hold))
