# SPDX-License-Identifier: Apache-2.0
"""Records of WARC files, made by hand, for tests of what reads them:

    PYTHONPATH=tests/support python3 -c 'from warc_records import http, record; ...'

All blocks are bytes, so that a test can cut them or put anything into them. `fields` are whole lines with their ends.
"""

HTML = b"Content-Type: text/html\r\n"


def http(body=b"", fields=b"", status=b"200 OK", type=HTML):
    """An answer, the block of a response."""
    return b"HTTP/1.1 %s\r\n%s%s\r\n%s" % (status, type, fields, body)


def record(kind, url, block, fields="", version="1.1"):
    head = f"WARC/{version}\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{fields}Content-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"
