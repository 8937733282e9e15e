#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An HTTP server that verifies the signatures of requests by the letter of RFC 9421 and the drafts of Web Bot Auth. The
base of each signature is built anew here from the request, and openssl verifies it; shares no code with the signer.

    signed-server.py LOG PUBLIC_KEY_PEM AGENT KEYID

/free answers anybody; /asks answers 403 with Accept-Signature to whom does not sign; /asks429 and /asks401 alike; /wants
answers 403 to whom does not sign, and asks for nothing; /refuses answers 403 with Accept-Signature to all; /other leads to
/free of another name of this host, /other?NAME of that one; /busy asks for a pause of two seconds.

What else is asked for again: /priced costs USD 0.01 (402 and crawler-price) to whom does not offer that, /dear USD 9,
/odd what is no price; /broke takes the offer and answers 503. /cut sends the first 400 of its 1,000 bytes and closes,
and the rest to whom asks for that with its ETag; /cut-thrice 400 of what is asked for; /cut-changed has another ETag and
other bytes when it is asked again; /cut-lies sends bytes of another ETag, /cut-off a part from elsewhere, /cut-gone 416;
/cut-weak has a weak ETag, /cut-dumb none; /cut-gzip is in gzip. /wall and /waf are the walls of two known makers.
/enter leads to itself, with a cookie, and answers whom brings that; /session, too, with an id in the URL; /round leads to itself whatever comes, with a cookie, and
/bare without one. /first, /last and /never lead back to themselves by two redirects, the last of which sets a cookie, or /last
itself; to /never that does not come. /crumbs?NAME sets fifty cookies of that name, and answers with how many came. /still does so without a cookie, and /into leads into that circle.
/drops answers the first request of a connection, and hangs up on any other; /late answers that with 408 and closes, as a server does
whose connection has been idle for too long, and a request for /late?never in any case; /late-priced costs
what /priced does, and ends in that way each second time.

A line of LOG for each request: path, host, verdict ("unsigned", "good" or what is wrong), nonce, milliseconds, range and
offer ("-": none).
"""
import base64
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time

from serving import Handler, Log, serve

LOG, KEY, AGENT, KEYID = sys.argv[1:]
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
GZIPPED = gzip.compress(os.urandom(1) + CUT * 3 + b"x" * 100000, mtime=0)
OTHER = bytes(97 + i % 10 for i in range(1000))


class Signed(Handler):
    asked = 0

    def do_GET(self):
        said, nonce = verdict(self.headers)
        log.write(self.path, self.headers["Host"], said, nonce, int(time.time() * 1000),
                  *((self.headers[name] or "-").replace(" ", "_") for name in ("Range", "crawler-exact-price")))
        path = self.path.split("?")[0]
        self.asked += 1
        if path == "/drops" and self.asked > 1:
            self.close_connection = True
            return None
        if path == "/late" and (self.asked > 1 or self.path.endswith("never")):
            self.close_connection = True
            return self.answer(408, "idle", "Connection: close")
        if path.startswith("/cut"):
            return self.cut(path)
        if path == "/late-priced":
            if self.asked > 1 and self.asked % 2 == 0:
                self.close_connection = True
                return self.answer(408, "idle", "Connection: close")
            return self.priced(path, said)
        if path in ("/priced", "/dear", "/odd", "/broke"):
            return self.priced(path, said)
        if path == "/wall":
            return self.answer(403, "<html>wait</html>", "cf-mitigated: challenge")
        if path == "/waf":
            return self.answer(202, "<html>wait</html>", "x-amzn-waf-action: challenge")
        if path in ("/round", "/bare") or path in ("/enter", "/session") and "entered=1" not in (self.headers["Cookie"] or ""):
            session = "?PHPSESSID=0123456789abcdef0123456789abcdef" if path == "/session" else ""
            return self.answer(302, "hi", "Location: %s%s#in" % (self.path, session),
                               *([] if path == "/bare" else ["Set-Cookie: entered=1; Path=" + path]))
        if path == "/crumbs":
            name, came = self.path.split("?")[1], (self.headers["Cookie"] or "").count("=")
            return self.answer(200, str(came), *["Set-Cookie: %s-%d=1" % (name, i) for i in range(50)])
        if path in ("/still", "/into"):
            return self.answer(302, "hi", "Location: /by?/still")
        if path in ("/first", "/last", "/never") and "back=1" not in (self.headers["Cookie"] or ""):
            return self.answer(302, "hi", "Location: /by?" + path, *(["Set-Cookie: back=1; Path=/last"] if path == "/last" else []))
        if path == "/by":
            return self.answer(302, "hi", "Location: /over?" + self.path.split("?")[1])
        if path == "/over":
            to = self.path.split("?")[1]
            return self.answer(302, "hi", "Location: " + to, *(["Set-Cookie: back=1; Path=/first"] if to not in ("/last", "/still") else []))
        if path == "/busy":
            return self.answer(429, "hi", "Retry-After: 2")
        if path == "/other":
            name = self.path.split("?")[1] if "?" in self.path else "localhost"
            return self.answer(302, "hi", "Location: http://%s:%d/free" % (name, self.server.port))
        refused = {"/asks": 403, "/asks429": 429, "/asks401": 401, "/wants": 403}.get(path) if said != "good" else None
        if path == "/refuses":
            refused = 403
        if refused is None:
            return self.answer(200, "hi")
        return self.answer(refused, "hi", *([] if path == "/wants" else ["Accept-Signature: " + ASK]))

    def priced(self, path, said):
        price = {"/dear": "USD 9.00", "/odd": "one cent"}.get(path, "USD 0.01")
        if self.headers["crawler-exact-price"] != price or said != "good":
            return self.answer(402, "pay", "crawler-price: " + price)
        if path == "/broke":
            return self.answer(503, "later")
        return self.answer(200, "bought", "crawler-charged: " + price)

    def cut(self, path):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        tag = {"/cut-weak": 'W/"one"'}.get(path, '"one"')
        whole = GZIPPED if path == "/cut-gzip" else CUT
        fields = ["Accept-Ranges: bytes"] + (["Content-Encoding: gzip"] if path == "/cut-gzip" else [])
        if not asked or self.headers["If-Range"] != '"one"':
            return self.answer(200, whole, *([] if path == "/cut-dumb" else ["ETag: " + tag, *fields]), send=len(whole) * 2 // 5)
        begin = int(asked.group(1))
        if path == "/cut-changed":
            return self.answer(200, OTHER, 'ETag: "two"', *fields)
        if path == "/cut-gone":
            return self.answer(416, b"", "Content-Range: bytes */1000")
        if path == "/cut-lies":
            tag = '"two"'
        if path == "/cut-off":
            begin += 1
        fields += ["ETag: " + tag, "Content-Range: bytes %d-%d/%d" % (begin, len(whole) - 1, len(whole))]
        return self.answer(206, whole[begin:], *fields,
                           send=400 if path == "/cut-thrice" and len(whole) - begin > 400 else None)


log = Log(LOG)
serve(Signed)
