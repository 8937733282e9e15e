#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wire.py PORT [WORD]: a way to a server of loopback, whose own port it prints. It breaks once where WORD is sent through it; what
stops it makes the server silent."""
import socket
import sys
import threading

from serving import pump

breaks = [word.encode() for word in sys.argv[2:]]


def passes(data):
    if breaks and breaks[0] in data:
        breaks.clear()
        return False
    return True


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    near = listener.accept()[0]
    try:
        far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    except OSError:
        near.close()
        continue
    for words in ((near, far, passes), (far, near)):
        threading.Thread(target=pump, args=words, daemon=True).start()
