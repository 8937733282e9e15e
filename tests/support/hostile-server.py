#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP server that misbehaves, one way for each path. Python 3, standard library only.

`/index` lists the paths with what each does; `/seen` tells how many requests each path has had, and `/last` shows the head
of the last request to another path. See tests/cli/fetch-hostile.bats for what a client has to make of each.
"""
import gzip
import os
import socket
import socketserver
import struct
import time
import zlib

from serving import serve

PAGE = b"<html><title>page</title><a href=/next>next</a></html>\n"
WAYS = {}
SEEN = {}
LAST = b""


def way(path):
    def register(function):
        WAYS[path] = function
        return function
    return register


def head(status="200 OK", *fields, length=None):
    lines = ["HTTP/1.1 " + status, *fields]
    if not any(f.startswith("Content-Type:") for f in fields):
        lines.append("Content-Type: text/html")
    if length is not None:
        lines.append("Content-Length: %d" % length)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def plain(status, *fields, body=PAGE):
    return lambda s: s.sendall(head(status, *fields, length=len(body)) + body)


def forever(s, piece, limit=4 << 30):
    sent = 0
    while sent < limit:
        s.sendall(piece)
        sent += len(piece)


def reset(s):
    """Close with RST instead of FIN."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionError


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


# --- good, for comparison ---------------------------------------------------------------------------
WAYS["/good"] = plain("200 OK")


@way("/chunked")
def _(s):
    """chunks with extensions, and a trailer"""
    s.sendall(head("200 OK", "Transfer-Encoding: chunked"))
    s.sendall(b"5;name=value\r\n" + PAGE[:5] + b"\r\n" + chunk(PAGE[5:]) + b"0\r\nX-Trailer: 1\r\n\r\n")


@way("/until-close")
def _(s):
    """no length: the body ends with the connection"""
    s.sendall(head("200 OK", "Connection: close") + PAGE)
    raise ConnectionError


@way("/continue")
def _(s):
    """interim answers first"""
    s.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
    s.sendall(head(length=len(PAGE)) + PAGE)


# --- slow ---------------------------------------------------------------------------------------------
@way("/silent")
def _(s):
    """takes the request and never answers"""
    time.sleep(60)


@way("/slow-headers")
def _(s):
    """a header byte now and then"""
    for byte in head("200 OK", *["X-%d: y" % i for i in range(200)]):
        s.sendall(bytes([byte]))
        time.sleep(1)


@way("/drip")
def _(s):
    """a body byte now and then"""
    s.sendall(head(length=1000))
    for _ in range(1000):
        s.sendall(b"x")
        time.sleep(0.2)


# --- endless -------------------------------------------------------------------------------------------
@way("/endless-body")
def _(s):
    s.sendall(head("200 OK", "Connection: close"))
    forever(s, b"x" * 65536)


@way("/endless-chunks")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked"))
    forever(s, chunk(b"x" * 65536))


@way("/endless-headers")
def _(s):
    s.sendall(b"HTTP/1.1 200 OK\r\n")
    forever(s, b"X-Flood: " + b"y" * 1000 + b"\r\n")


@way("/endless-header-line")
def _(s):
    s.sendall(b"HTTP/1.1 200 OK\r\nX-Flood: ")
    forever(s, b"y" * 65536)


@way("/endless-trailers")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + chunk(PAGE) + b"0\r\n")
    forever(s, b"X-Flood: " + b"y" * 1000 + b"\r\n")


@way("/endless-interim")
def _(s):
    forever(s, b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 100)


@way("/endless-chunk-extension")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + b"5;")
    forever(s, b"y" * 65536, 256 << 20)


@way("/endless-status-line")
def _(s):
    s.sendall(b"HTTP/1.1 200 ")
    forever(s, b"y" * 65536)


# --- bombs: a few hundred KB that are a gigabyte ---------------------------------------------------------
def deflate_bomb():
    """One gibibyte of zeros, as 256 flushed pieces that are all the same bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (packer.compress(b"\0" * (4 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)) * 256


def gzip_bomb():
    return bytes.fromhex("1f8b0800000000000003") + deflate_bomb()


@way("/bomb-gzip")
def _(s):
    bomb = gzip_bomb()
    s.sendall(head("200 OK", "Content-Encoding: gzip", length=len(bomb)) + bomb)


@way("/bomb-twice")
def _(s):
    """gzip in gzip"""
    bomb = gzip.compress(gzip_bomb())
    s.sendall(head("200 OK", "Content-Encoding: gzip, gzip", length=len(bomb)) + bomb)


@way("/bomb-deflate")
def _(s):
    bomb = b"\x78\x9c" + deflate_bomb()
    s.sendall(head("200 OK", "Content-Encoding: deflate", length=len(bomb)) + bomb)


@way("/bomb-brotli")
def _(s):
    """64 MiB of zeros by meta-blocks that repeat; made by the reference encoder"""
    s.sendall(head("200 OK", "Content-Encoding: br", length=len(BROTLI_BOMB)) + BROTLI_BOMB)


@way("/bomb-zstd")
def _(s):
    """a frame of RLE blocks: four bytes for each 128 KiB"""
    body = bytearray(bytes.fromhex("28b52ffd") + b"\x00\x58")
    for i in range(800):
        last = 1 if i == 799 else 0
        body += struct.pack("<I", 0x20000 << 3 | 1 << 1 | last)[:3] + b"\0"
    s.sendall(head("200 OK", "Content-Encoding: zstd", length=len(body)) + bytes(body))


@way("/empty-blocks")
def _(s):
    """deflate blocks without content, for ever: wire bytes that decode to nothing"""
    s.sendall(head("200 OK", "Content-Encoding: deflate", "Connection: close") + b"\x78\x9c")
    forever(s, b"\x00\x00\x00\xff\xff" * 10000)


# 64 MiB of zero bytes by brotli -q 11
BROTLI_BOMB = bytes.fromhex(
    "cfffff7ff82700e2b14020f7fe9ffffffff04f00c4610180eefd3fffffffe19f0088c32200ddfbfffcffffc73f0110870500"
    "baf7ff")

# --- truncations ------------------------------------------------------------------------------------------
TEXT = PAGE * 200
CODED = {
    "gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "raw-deflate": zlib.compress(TEXT)[2:-4],
    "br": bytes.fromhex("1bf72a00041c729e4960270f5a9a631c387c5dd72a132d6883872c09cd76a1d8e04b4270e7597fc16a556b471b69f31eccf7"
    "44008402"),
    "zstd": bytes.fromhex("28b52ffd60f829c5010084023c68746d6c3e3c7469746c653e706167653c2f3c6120687265663d2f6e6578743e3c2f613e3c"
    "2f0a0400be4a2b2ea6920225a81f4a18"),
}


def coded(name, cut):
    coding = name.replace("raw-", "")

    def answer(s):
        body = CODED[name]
        body = body[: len(body) // 2] if cut else body
        s.sendall(head("200 OK", "Content-Encoding: " + coding, length=len(body)) + body)
    answer.__doc__ = "a body in %s%s" % (name, ", cut in the middle, with the right length" if cut else "")
    return answer


for _name in CODED:
    WAYS["/" + _name] = coded(_name, False)
    WAYS["/cut-" + _name] = coded(_name, True)


@way("/garbage-gzip")
def _(s):
    s.sendall(head("200 OK", "Content-Encoding: gzip", length=20) + b"this is not gzip at all!"[:20])


@way("/surplus-behind-gzip")
def _(s):
    """bytes behind the end of the stream: dropped, as browsers do"""
    body = CODED["gzip"] + b"garbage"
    s.sendall(head("200 OK", "Content-Encoding: gzip", length=len(body)) + body)


WAYS["/unknown-coding"] = plain("200 OK", "Content-Encoding: utf-8")
WAYS["/foreign-coding"] = plain("200 OK", "Content-Encoding: compress")
WAYS["/many-codings"] = plain("200 OK", "Content-Encoding: gzip, gzip, gzip, gzip, gzip")


@way("/short-body")
def _(s):
    s.sendall(head(length=len(PAGE) + 100) + PAGE)
    raise ConnectionError


@way("/short-chunk")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + b"ff\r\n" + PAGE)
    raise ConnectionError


@way("/no-last-chunk")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + chunk(PAGE))
    raise ConnectionError


@way("/bad-chunk-size")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + b"zz\r\n" + PAGE + b"\r\n0\r\n\r\n")


@way("/huge-chunk-size")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + b"fffffffffffffffff\r\n" + PAGE)


@way("/short-head")
def _(s):
    s.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    raise ConnectionError


# --- lengths that lie ------------------------------------------------------------------------------------------
def length(*values):
    def answer(s):
        fields = ["Content-Length: " + value for value in values]
        s.sendall(head("200 OK", *fields) + PAGE)
    answer.__doc__ = "Content-Length: " + " and ".join(values)
    return answer


for _path, _values in {
    "/length-letters": ["5abc"], "/length-plus": ["+5"], "/length-minus": ["-5"], "/length-hex": ["0x5"],
    "/length-two": ["5", "6"], "/length-list": ["5, 6"], "/length-huge": ["99999999999999999999"],
    "/length-empty": [""], "/length-dot": ["5.0"], "/length-same": ["54", "54"], "/length-spaces": ["5 5"],
}.items():
    WAYS[_path] = length(*_values)


@way("/length-and-chunked")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked", length=5) + chunk(PAGE) + b"0\r\n\r\n")


@way("/gzip-transfer-coding")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: gzip, chunked") + chunk(CODED["gzip"]) + b"0\r\n\r\n")


WAYS["/length-behind-space"] = lambda s: s.sendall(head("200 OK", "Content-Length : 5") + PAGE)


@way("/coding-behind-space")
def _(s):
    """a field that libcurl does not see and others do"""
    s.sendall(head("200 OK", "Transfer-Encoding : chunked", length=5) + chunk(PAGE) + b"0\r\n\r\n")


@way("/two-transfer-codings")
def _(s):
    s.sendall(head("200 OK", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunk(PAGE) + b"0\r\n\r\n")


WAYS["/length-folded"] = lambda s: s.sendall(head("200 OK", "Content-Length: 5\r\n 5") + PAGE)
# libcurl takes this as a coding without a name, and so a body that contains its chunks' sizes; others take it as
# chunked.
WAYS["/coding-folded"] = lambda s: s.sendall(
    head("200 OK", "Transfer-Encoding:\r\n chunked", "Connection: close") + chunk(PAGE) + b"0\r\n\r\n")
WAYS["/coding-folded-and-length"] = lambda s: s.sendall(
    head("200 OK", "Transfer-Encoding:\r\n chunked", length=5) + chunk(PAGE) + b"0\r\n\r\n")
WAYS["/located"] = plain("200 OK", "Location: /elsewhere")
WAYS["/305"] = plain("305 Use Proxy", "Location: /elsewhere")
WAYS["/308-torn"] = plain("308 Moved", "Location: /elsewhere", "Content-Encoding: gzip")
WAYS["/205"] = plain("205 Reset", body=b"")
WAYS["/205-gzip"] = plain("205 Reset", "Content-Encoding: gzip", body=CODED["gzip"])


@way("/surplus")
def _(s):
    """an answer too many, behind the body: it must not answer the next request"""
    s.sendall(head(length=len(PAGE)) + PAGE + head(length=6) + b"stolen")


@way("/surplus-late")
def _(s):
    """the same, a little later"""
    s.sendall(head(length=len(PAGE)) + PAGE)
    time.sleep(0.05)
    s.sendall(head(length=6) + b"stolen")
    open("surplus-sent", "w").close()


# --- not HTTP ------------------------------------------------------------------------------------------------------
def raw(data, doc):
    def answer(s):
        s.sendall(data)
        raise ConnectionError
    answer.__doc__ = doc
    return answer


for _path, _data in {
    "/http-0.9": b"<html>hello</html>",
    "/garbage": os.urandom(2000),
    "/ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "/status-letters": b"HTTP/1.1 abc OK\r\n\r\n",
    "/status-four": b"HTTP/1.1 2000 OK\r\n\r\n",
    "/status-two": b"HTTP/1.1 20 OK\r\n\r\n",
    "/status-minus": b"HTTP/1.1 -200 OK\r\n\r\n",
    "/status-600": b"HTTP/1.1 600 What\r\nContent-Length: 0\r\n\r\n",
    "/status-999": b"HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n",
    "/status-000": b"HTTP/1.1 000 Null\r\nContent-Length: 0\r\n\r\n",
    "/status-only": b"HTTP/1.1 200",
    "/http-3.7": b"HTTP/3.7 200 OK\r\n\r\n",
    "/icy": b"ICY 200 OK\r\n\r\n" + b"x" * 100,
    "/nul-in-header": b"HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n",
    "/no-colon": b"HTTP/1.1 200 OK\r\nthis is no header\r\nContent-Length: 0\r\n\r\n",
    "/bare-lf": b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 2\n\nhi",
    "/no-reason": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi",
    "/empty-answer": b"",
    "/only-continue": b"HTTP/1.1 100 Continue\r\n\r\n",
    "/blank-lines": b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
}.items():
    WAYS[_path] = raw(_data, "%r" % _data[:40])


@way("/version-two")
def _(s):
    """HTTP/1.1 that says it is HTTP/2, over which several may be asked for at a time"""
    s.sendall(head(length=len(PAGE)).replace(b"HTTP/1.1", b"HTTP/2.0") + PAGE)


@way("/version-two-late")
def _(s):
    """the same, behind an interim answer that does not"""
    s.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" + head(length=len(PAGE)).replace(b"HTTP/1.1", b"HTTP/2") + PAGE)


@way("/trailer-without-colon")
def _(s):
    """what libcurl calls a bad argument"""
    s.sendall(head("200 OK", "Transfer-Encoding: chunked") + chunk(PAGE) + b"0\r\nthis is no field\r\n\r\n")


@way("/blank-first")
def _(s):
    """a field that goes on from one that is not there"""
    s.sendall(b"HTTP/1.1 200 OK\r\n\tServer: old\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")


WAYS["/gzip-folded"] = plain("200 OK", "Content-Encoding:\r\n gzip", body=CODED["gzip"])


# --- statuses nobody asked for -----------------------------------------------------------------------------------------
WAYS["/switch"] = plain("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
WAYS["/partial"] = plain("206 Partial Content", "Content-Range: bytes 0-53/1000")


@way("/not-modified")
def _(s):
    s.sendall(b"HTTP/1.1 304 Not Modified\r\nETag: \"new\"\r\n\r\n")


for _status in (201, 204, 300, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503):
    WAYS["/%d" % _status] = plain("%d Some" % _status, body=b"" if _status == 204 else PAGE)
for _path, _value in {
    "/retry-seconds": "120", "/retry-date": "Fri, 31 Dec 1999 23:59:59 GMT", "/retry-far": "99999999999",
    "/retry-minus": "-5", "/retry-words": "in a while", "/retry-fraction": "1.5",
    "/retry-empty": "", "/retry-next-year": "Fri, 01 Jan 2100 00:00:00 GMT",
}.items():
    WAYS[_path] = plain("503 Busy", "Retry-After: " + _value)
WAYS["/429-retry"] = plain("429 Slow Down", "Retry-After: 7")


# --- redirects -------------------------------------------------------------------------------------------------------------
def redirect(target, status="302 Found"):
    return plain(status, "Location: " + target, body=b"")


for _path, _target in {
    "/to-good": "/good", "/to-relative": "good?x#y", "/to-loop": "/to-loop", "/to-pair": "/to-pair-back",
    "/to-pair-back": "/to-pair", "/to-file": "file:///etc/passwd", "/to-ftp": "ftp://127.0.0.1/x",
    "/to-gopher": "gopher://127.0.0.1:25/x", "/to-data": "data:text/html,hi", "/to-javascript": "javascript:alert(1)",
    "/to-dict": "dict://127.0.0.1:11211/stats", "/to-smb": "smb://127.0.0.1/x",
    "/to-metadata": "http://169.254.169.254/latest", "/to-mapped": "http://[::ffff:169.254.169.254]/",
    "/to-nothing": "", "/to-no-url": "http://[", "/to-control": "/a\tb\x01c",
    "/to-mark": "/wiki/a\xe2\x80\x8eb\tc d",
}.items():
    WAYS[_path] = redirect(_target)
for _i in range(10):
    WAYS["/chain-%d" % _i] = redirect("/chain-%d" % (_i + 1) if _i < 9 else "/good", "301 Moved")


@way("/no-location")
def _(s):
    s.sendall(head("302 Found", length=0))


# --- resets, by stage ----------------------------------------------------------------------------------------------------------
@way("/reset-at-once")
def _(s):
    reset(s)


@way("/reset-in-head")
def _(s):
    s.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: te")
    time.sleep(0.05)
    reset(s)


@way("/reset-in-body")
def _(s):
    s.sendall(head(length=100000) + PAGE)
    time.sleep(0.05)
    reset(s)


@way("/reset-first")
def _(s):
    """the first request is reset, the next one is answered"""
    if SEEN["/reset-first"] == 1:
        reset(s)
    s.sendall(head(length=len(PAGE)) + PAGE)


# --- header values ------------------------------------------------------------------------------------------------------------
WAYS["/escapes"] = plain("200 OK", "ETag: \"\x1b[31mred\x07\"", "Link: <x>;\x1b]0;title\x07", "X-Robots-Tag: no\x7findex")
WAYS["/c1"] = plain("200 OK", "ETag: \"\x9b31m\"", "Link: <\x84>; title=\"\xc3\x9b\"")
WAYS["/folded"] = plain("200 OK", "X-Robots-Tag: noindex,\r\n nofollow")
WAYS["/many-links"] = plain("200 OK", *["Link: </l%d>; rel=next" % i for i in range(50)])
WAYS["/charset"] = plain("200 OK", "Content-Type: TEXT/HTML; Charset=\"ISO-8859-1\"")
WAYS["/charset-behind-quotes"] = plain("200 OK", "Content-Type: text/html; x=\"a;charset=koi8-r\"; charset=utf-8")
WAYS["/image"] = plain("200 OK", "Content-Type: image/png")
WAYS["/fresh"] = plain("200 OK", "Cache-Control: public, max-age=3600", "Age: 600")
WAYS["/validators"] = plain("200 OK", "ETag: \"v1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT")


@way("/other-304")
def _(s):
    """a 304 of another version than was asked for"""
    s.sendall(b"HTTP/1.1 304 Not Modified\r\nETag: \"v2\"\r\nLast-Modified: Sun, 05 Nov 1995 08:49:37 GMT\r\n\r\n")


@way("/to-secret")
def _(s):
    """a redirect to a URL with user information"""
    redirect("http://user:secret@127.0.0.1:%d/good" % s.getsockname()[1])(s)


@way("/conditional")
def _(s):
    """304 if the request is conditional"""
    if b"if-none-match" in LAST.lower() or b"if-modified-since" in LAST.lower():
        s.sendall(b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n")
    else:
        plain("200 OK", "ETag: \"v1\"")(s)


# --- sizes ----------------------------------------------------------------------------------------------------------------------
WAYS["/robots-big"] = plain("200 OK", body=b"User-agent: *\nDisallow: /x\n" * 200000)
WAYS["/big"] = plain("200 OK", body=PAGE * 40000)


class Hostile(socketserver.BaseRequestHandler):
    def handle(self):
        global LAST
        s = self.request
        s.settimeout(120)
        try:
            while True:
                data = b""
                while b"\r\n\r\n" not in data:
                    piece = s.recv(65536)
                    if not piece:
                        return
                    data += piece
                target = data.split(b" ", 2)[1].decode("latin-1")
                path = target.split("?")[0]
                SEEN[path] = SEEN.get(path, 0) + 1
                if path == "/index":
                    text = "".join("%s\t%s\n" % (p, (f.__doc__ or "").strip()) for p, f in WAYS.items())
                    plain("200 OK", body=text.encode())(s)
                elif path == "/seen":
                    text = "".join("%s %d\n" % item for item in sorted(SEEN.items()))
                    plain("200 OK", body=text.encode())(s)
                elif path == "/last":
                    plain("200 OK", body=LAST)(s)
                else:
                    LAST = data
                    WAYS.get(path, plain("404 Not Found"))(s)
        except (OSError, IndexError):
            pass
        finally:
            try:
                s.close()
            except OSError:
                pass


serve(Hostile)
