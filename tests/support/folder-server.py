#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of the folder ./site on loopback.

folder-server.py [TYPE]: each file is of TYPE, or where that is "-" of none that is said. Header fields of its own are the
lines of FILE.headers beside it.
"""
import os
import sys

from serving import Handler, serve

TYPE = sys.argv[1] if len(sys.argv) > 1 else "text/html"


class Folder(Handler):
    def do_GET(self):
        name, fields = "site" + self.path, []
        try:
            with open(name, "rb") as file:
                body = file.read()
        except OSError:
            return self.answer(404)
        if os.path.exists(name + ".headers"):
            with open(name + ".headers", encoding="latin-1") as file:
                fields = file.read().splitlines()
        self.answer(200, body, *fields, type=None if TYPE == "-" else TYPE)


serve(Folder)
