#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP server that verifies the signatures of requests by the letter of RFC 9421 and the drafts of Web Bot Auth. The
base of each signature is built anew here from the request, and openssl verifies it; shares no code with the signer.

    signed-server.py PORT_FILE LOG PUBLIC_KEY_PEM AGENT KEYID

/free answers anybody; /asks answers 403 with Accept-Signature to whom does not sign; /asks429 and /asks401 alike; /wants
answers 403 to whom does not sign, and asks for nothing; /refuses answers 403 with Accept-Signature to all; /other leads to
/free of another name of this host.

What else is asked for again: /priced costs USD 0.01 (402 and crawler-price) to whom does not offer that, /dear USD 9,
/odd what is no price; /broke takes the offer and answers 503. /cut sends the first 400 of its 1,000 bytes and closes,
and the rest to whom asks for that with its ETag; /cut-thrice 400 of what is asked for; /cut-changed has another ETag and
other bytes when it is asked again; /cut-lies sends bytes of another ETag, /cut-off a part from elsewhere, /cut-gone 416;
/cut-weak has a weak ETag, /cut-dumb none; /cut-gzip is in gzip. /wall and /waf are the walls of two known makers.
/drops answers the first request of a connection, and hangs up on any other.

A line of LOG for each request: path, host, verdict ("unsigned", "good" or what is wrong), nonce, milliseconds, range and
offer ("-": none).
"""
import base64
import gzip
import http.server
import os
import re
import subprocess
import sys
import tempfile
import time

PORT_FILE, LOG, KEY, AGENT, KEYID = sys.argv[1:]
INPUT = re.compile(
    r'([a-z0-9]+)=(\(([^()]*)\);created=(\d+);expires=(\d+);nonce="([^"\\]+)";keyid="([^"\\]+)";alg="ed25519";tag="web-bot-auth")'
)
ASK = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;keyid;tag="web-bot-auth"'


def component(name, headers):
    if name == '"@authority"':
        return headers["Host"].lower()
    match = re.fullmatch(r'"([a-z-]+)";key="([a-z0-9]+)"', name)
    members = dict(m.strip().split("=", 1) for m in headers[match.group(1)].split(","))
    return members[match.group(2)]


def verdict(headers):
    if "Signature" not in headers and "Signature-Input" not in headers:
        return "unsigned", "-"
    match = INPUT.fullmatch(headers.get("Signature-Input", ""))
    if not match:
        return "input", "-"
    label, parameters, names, created, expires, nonce, keyid = match.groups()
    if headers.get("Signature-Agent") != '%s="%s"' % (label, AGENT):
        return "agent", nonce
    names = names.split(" ")
    if names != ['"@authority"', '"signature-agent";key="%s"' % label]:
        return "components", nonce
    if keyid != KEYID or not int(created) <= time.time() + 1 <= int(expires) + 1 or int(expires) - int(created) > 300:
        return "parameters", nonce
    signature = re.fullmatch(label + "=:([A-Za-z0-9+/=]+):", headers["Signature"])
    base = "".join("%s: %s\n" % (name, component(name, headers)) for name in names) + '"@signature-params": ' + parameters
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/base", "wb") as file:
            file.write(base.encode())
        with open(folder + "/signature", "wb") as file:
            file.write(base64.b64decode(signature.group(1)))
        verified = subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", KEY, "-rawin", "-in", folder + "/base", "-sigfile",
             folder + "/signature"], capture_output=True)
    return ("good" if verified.returncode == 0 else "signature"), nonce


CUT = bytes(48 + i % 10 for i in range(1000))
OTHER = bytes(97 + i % 10 for i in range(1000))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        said, nonce = verdict(self.headers)
        with open(LOG, "a") as log:
            print(self.path, self.headers["Host"], said, nonce, int(time.time() * 1000),
                  (self.headers["Range"] or "-").replace(" ", "_"),
                  (self.headers["crawler-exact-price"] or "-").replace(" ", "_"), file=log)
        path = self.path.split("?")[0]
        self.asked = getattr(self, "asked", 0) + 1
        if path == "/drops" and self.asked > 1:
            self.close_connection = True
            return
        if path.startswith("/cut"):
            return self.cut(path)
        if path in ("/priced", "/dear", "/odd", "/broke"):
            return self.priced(path, said)
        if path in ("/wall", "/waf"):
            name, value, status = ("cf-mitigated", "challenge", 403) if path == "/wall" else ("x-amzn-waf-action", "challenge", 202)
            return self.answer(status, {name: value}, b"<html>wait</html>")
        wanted = {"/asks": 403, "/asks429": 429, "/asks401": 401, "/wants": 403}.get(path)
        status = wanted if wanted and said != "good" else 403 if path == "/refuses" else 302 if path == "/other" else 200
        self.send_response(status)
        if status in (401, 403, 429) and path != "/wants":
            self.send_header("Accept-Signature", ASK)
        if status == 302:
            self.send_header("Location", "http://localhost:%d/free" % self.server.server_port)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")

    def answer(self, status, fields, body, send=None):
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if send is None else body[:send])
        if send is not None:
            self.close_connection = True

    def priced(self, path, said):
        price = {"/dear": "USD 9.00", "/odd": "one cent"}.get(path, "USD 0.01")
        if self.headers["crawler-exact-price"] != price or said != "good":
            return self.answer(402, {"crawler-price": price}, b"pay")
        if path == "/broke":
            return self.answer(503, {}, b"later")
        self.answer(200, {"crawler-charged": price}, b"bought")

    def cut(self, path):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        fields = {"ETag": '"one"', "Accept-Ranges": "bytes"}
        whole = CUT
        if path == "/cut-weak":
            fields["ETag"] = 'W/"one"'
        if path == "/cut-dumb":
            fields = {}
        if path == "/cut-gzip":
            whole = gzip.compress(os.urandom(1) + CUT * 3 + b"x" * 100000, mtime=0) if not hasattr(server, "packed") else server.packed
            server.packed = whole
            fields["Content-Encoding"] = "gzip"
        if not asked or self.headers["If-Range"] != '"one"':
            return self.answer(200, fields, whole, 400 if len(whole) > 400 else 100)
        begin = int(asked.group(1))
        if path == "/cut-changed":
            return self.answer(200, {**fields, "ETag": '"two"'}, OTHER)
        if path == "/cut-gone":
            return self.answer(416, {"Content-Range": "bytes */1000"}, b"")
        if path == "/cut-lies":
            fields["ETag"] = '"two"'
        if path == "/cut-off":
            begin += 1
        fields["Content-Range"] = "bytes %d-%d/%d" % (begin, len(whole) - 1, len(whole))
        self.answer(206, fields, whole[begin:], 400 if path == "/cut-thrice" and len(whole) - begin > 400 else None)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(PORT_FILE + ".new", "w") as file:
    print(server.server_port, file=file)
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
