#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""silentsite.py HOSTS: the addresses 127.1.0.1 and up, 250 of each 127.1.N, take connections on one port and never say a word.

The port is printed; the kernel takes the connections, for nobody accepts them."""
import signal
import socket
import sys

from serving import say

listening = []
port = 0
for host in range(1, int(sys.argv[1]) + 1):
    one = socket.socket()
    one.bind((f"127.1.{(host - 1) // 250}.{(host - 1) % 250 + 1}", port))
    one.listen(64)
    port = one.getsockname()[1]
    listening.append(one)
say(port)
signal.pause()
