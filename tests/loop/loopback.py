# SPDX-License-Identifier: Apache-2.0
"""Sites on many loopback addresses, for the webs of tests: run(HOSTS, ANSWER) prints the port that all of them have, and serves until
SIGTERM. ANSWER(index of the host, path, head of the request, port) gives the bytes of an answer; a ValueError or IndexError ends the
connection."""
import asyncio
import signal
import socket


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


async def serve(sockets, answer):
    port = sockets[0].getsockname()[1]

    async def talk(reader, writer):
        index = index_of(writer.get_extra_info("sockname")[0])
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                writer.write(answer(index, head.split(" ", 2)[1], head, port))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, IndexError):
            pass
        finally:
            writer.close()

    servers = [await asyncio.start_server(talk, sock=each) for each in sockets]
    print(port, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    for each in servers:
        each.close()


def run(hosts, answer):
    asyncio.run(serve(listen(hosts), answer))
