#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads WARC files by the letter of WARC 1.1 (ISO 28500:2017) and complains of what is not. Python 3, standard
library only; shares no code with the writer under test.

    warc-check.py [--records FILE] [--cdxj] [--wacz FILE] WARC...

Checks framing (section 4), one gzip member for each record (annex D), named fields and what each type of record must
have (sections 5 and 6), digests, that every record that is referred to is there, and that the HTTP messages in the
blocks are ones. With --records, FILE being the output of fetch, each warc-file and warc-offset there must lead to the
response or revisit of its URL. With --cdxj, the index beside each file (x.cdxj of x.warc.gz) must be sorted and have
one line for each response and revisit, with what other indexers would say of it. With --wacz, FILE must be a WACZ file:
stored members whose digests are as it says, WARC files that read well, the index of all of them, and a list of pages that
the index has; its WARC files are then checked as the others are. Prints one line for each record: file, offset, type, target; complaints go to stderr,
and the exit status is 1.
"""
import base64
import json
import hashlib
import http.client
import io
import os
import re
import sys
import tempfile
import urllib.parse
import zipfile
import zlib

FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
RECORD_ID = re.compile(r"<[a-z][a-z0-9+.-]*:[^\s<>]+>")
NEEDS_TARGET = {"response", "resource", "request", "revisit", "conversion"}
PROFILES = ("http://netpreserve.org/warc/1.1/revisit/", "http://netpreserve.org/warc/1.0/revisit/")
complaints = 0
answers_to_head = set()


def complain(where, text):
    global complaints
    complaints += 1
    print("%s: %s" % (where, text), file=sys.stderr)


def members(data, where):
    """(offset, bytes) of each gzip member, unpacked on its own."""
    at = 0
    while at < len(data):
        unpacker = zlib.decompressobj(31)
        try:
            text = unpacker.decompress(data[at:])
        except zlib.error as error:
            complain("%s:%d" % (where, at), "no gzip member: %s" % error)
            return
        if not unpacker.eof:
            complain("%s:%d" % (where, at), "gzip member is cut off")
            return
        yield at, text
        at = len(data) - len(unpacker.unused_data)


class Record:
    def __init__(self, where, offset, version, fields, block):
        self.where, self.offset, self.version, self.fields, self.block = where, offset, version, fields, block

    def get(self, name):
        values = [v for n, v in self.fields if n.lower() == name.lower()]
        if len(values) > 1 and name.lower() != "warc-concurrent-to":
            complain(self.where, "field %s more than once" % name)
        return values[0] if values else None

    def payload(self):
        """The entity body of an HTTP message, without its transfer coding; the block of anything else."""
        if not (self.get("Content-Type") or "").startswith("application/http"):
            return self.block
        head, body = re.split(rb"(?<=\n)\r?\n", self.block, maxsplit=1)
        if self.get("WARC-Record-ID") in answers_to_head or not re.search(rb"(?im)^transfer-encoding:[^\r]*chunked", head):
            return body
        out = b""
        while True:
            size, _, body = body.partition(b"\r\n")
            size = int(size.split(b";")[0], 16)
            if size == 0:
                return out
            out += body[:size]
            if body[size : size + 2] != b"\r\n":
                complain(self.where, "chunk does not end in CRLF")
                return out
            body = body[size + 2 :]


def parse(text, where, offset):
    """One record at the start of `text`: (Record, its length), or None."""
    here = "%s:%d" % (where, offset)
    end = text.find(b"\r\n\r\n")
    if end < 0:
        complain(here, "no end of the head")
        return None
    try:
        lines = text[:end].decode("utf-8").split("\r\n")
    except UnicodeDecodeError:
        complain(here, "head is not UTF-8")
        return None
    if lines[0] not in ("WARC/1.1", "WARC/1.0"):
        complain(here, "version line is %r" % lines[0][:40])
        return None
    fields = []
    for line in lines[1:]:
        match = FIELD.fullmatch(line)
        if not match or re.search(r"[\x00-\x08\x0a-\x1f\x7f]", line):
            complain(here, "no named field: %r" % line[:80])
            return None
        fields.append(match.groups())
    record = Record(here, offset, lines[0], fields, b"")
    length = record.get("Content-Length")
    if not length or not length.isdigit():
        complain(here, "Content-Length is %r" % length)
        return None
    start = end + 4
    record.block = text[start : start + int(length)]
    stop = start + int(length)
    if len(record.block) != int(length) or text[stop : stop + 4] != b"\r\n\r\n":
        complain(here, "block is not as long as Content-Length says, or no two CRLF follow")
        return None
    return record, stop + 4


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".gz"):
        for offset, text in members(data, path):
            parsed = parse(text, path, offset)
            if parsed is None:
                return
            if parsed[1] != len(text):
                complain(parsed[0].where, "gzip member holds more than a record")
            yield parsed[0]
        return
    at = 0
    while at < len(data):
        parsed = parse(data[at:], path, at)
        if parsed is None:
            return
        yield parsed[0]
        at += parsed[1]


def check_digest(record, name, data):
    value = record.get(name)
    if value is None:
        return
    algorithm, _, text = value.partition(":")
    if algorithm.lower() not in ("sha1", "sha256", "md5"):
        return complain(record.where, "%s: unknown algorithm %r" % (name, algorithm))
    digest = hashlib.new(algorithm.lower(), data).digest()
    if text not in (base64.b32encode(digest).decode(), digest.hex()):
        complain(record.where, "%s does not match" % name)


class Wire:
    """What http.client wants of a socket."""

    def __init__(self, data):
        self.data = data

    def makefile(self, *_):
        return io.BytesIO(self.data)


def check_http(record):
    kind = record.get("WARC-Type")
    if "msgtype=request" in record.get("Content-Type"):
        if not re.match(rb"[A-Z]+ \S+ HTTP/\d(\.\d)?\r\n([!-~]+:[^\r\n]*\r\n)*\r\n", record.block):
            complain(record.where, "block is no HTTP request")
        return
    method = "HEAD" if record.get("WARC-Record-ID") in answers_to_head else None
    response = http.client.HTTPResponse(Wire(record.block), method=method)
    try:
        response.begin()
        if kind == "response" and not record.get("WARC-Truncated"):
            response.read()
    except (http.client.HTTPException, ValueError) as error:
        complain(record.where, "block is no HTTP response: %r" % error)


def check_record(record):
    kind = record.get("WARC-Type")
    for name, pattern in (("WARC-Record-ID", RECORD_ID), ("WARC-Date", DATE), ("WARC-Type", re.compile("[a-z]+"))):
        if not pattern.fullmatch(record.get(name) or ""):
            complain(record.where, "%s is %r" % (name, record.get(name)))
    if record.block and not record.get("Content-Type"):
        complain(record.where, "block without Content-Type")
    target = record.get("WARC-Target-URI")
    if (kind in NEEDS_TARGET) != (target is not None) and kind != "metadata":
        complain(record.where, "%s and WARC-Target-URI %r" % (kind, target))
    if target is not None and not re.fullmatch(r"[a-z][a-z0-9+.-]*:[!-~]+", target.strip("<>")):
        complain(record.where, "WARC-Target-URI is no URI: %r" % target[:80])
    check_digest(record, "WARC-Block-Digest", record.block)
    if kind == "response":
        check_digest(record, "WARC-Payload-Digest", record.payload())
    if (record.get("Content-Type") or "").startswith("application/http"):
        check_http(record)


def check_references(record, by_id):
    """Those of a record to others, which may stand in another of the files."""
    info = by_id.get(record.get("WARC-Warcinfo-ID"))
    if record.get("WARC-Warcinfo-ID") and (info is None or info.get("WARC-Type") != "warcinfo"):
        complain(record.where, "WARC-Warcinfo-ID leads to no warcinfo")
    if record.get("WARC-Concurrent-To") and record.get("WARC-Concurrent-To") not in by_id:
        complain(record.where, "WARC-Concurrent-To leads nowhere")
    if record.get("WARC-Type") != "revisit":
        return
    profile = record.get("WARC-Profile") or ""
    if not profile.startswith(PROFILES):
        return complain(record.where, "WARC-Profile is %r" % profile)
    if not profile.endswith("identical-payload-digest"):
        return
    original = by_id.get(record.get("WARC-Refers-To"))
    if original is None:
        return complain(record.where, "WARC-Refers-To leads nowhere")
    for mine, its in (("WARC-Payload-Digest", "WARC-Payload-Digest"), ("WARC-Refers-To-Target-URI", "WARC-Target-URI"),
                      ("WARC-Refers-To-Date", "WARC-Date")):
        if record.get(mine) is None or record.get(mine) != original.get(its):
            complain(record.where, "%s is not the original's %s" % (mine, its))


def check_output(path, by_place):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            columns = [c.partition("=") for c in line.rstrip("\n").split("\t")[1:]]
            fields = {key: value for key, _, value in columns}
            if "warc-file" not in fields:
                continue
            hops = [value.split(" ", 1)[1] for key, _, value in columns if key == "hop"]
            url = (hops[-1] if hops else line.split("\t")[0]).split("#")[0]
            record = by_place.get((fields["warc-file"], int(fields["warc-offset"])))
            here = "%s:%d" % (path, number)
            if record is None:
                complain(here, "no record begins at %s:%s" % (fields["warc-file"], fields["warc-offset"]))
            elif record.get("WARC-Type") not in ("response", "revisit") or record.get("WARC-Target-URI") != url:
                complain(here, "record is %s of %s" % (record.get("WARC-Type"), record.get("WARC-Target-URI")))


def cdxj_key(url):
    parts = urllib.parse.urlsplit(url.lower())
    host = re.sub(r"^www\d*\.", "", parts.hostname if not parts.netloc.startswith("[") else parts.netloc.split("]")[0] + "]")
    port = ":%d" % parts.port if parts.port and parts.port != {"http": 80, "https": 443}[parts.scheme] else ""
    query = "?" + "&".join(sorted(parts.query.split("&"))) if parts.query else ""
    return ",".join(reversed(host.split("."))) + port + ")" + parts.path + query


def expected_line(record, next_offset, name):
    payload = record.get("WARC-Payload-Digest")
    status = re.match(rb"HTTP/\S+ (\d+)", record.block).group(1).decode()
    mime = re.search(rb"(?im)^content-type:[ \t]*([^;\r\n]*)", record.block.split(b"\r\n\r\n")[0])
    entry = {"url": record.get("WARC-Target-URI")}
    if record.get("WARC-Type") == "revisit":
        entry["mime"] = "warc/revisit"
    elif mime and mime.group(1).strip():
        entry["mime"] = mime.group(1).strip().decode("latin-1")
    entry["status"] = status
    if payload:
        entry["digest"] = payload.split(":")[1]
    length = next_offset - record.offset - (0 if name.endswith(".gz") else 4)
    entry.update(length=str(length), offset=str(record.offset), filename=name)
    time = re.sub(r"[-:T]", "", record.get("WARC-Date"))[:14]
    return "%s %s %s" % (cdxj_key(entry["url"]), time, json.dumps(entry, separators=(",", ":")))


def expected_lines(path, records):
    ends = [record.offset for record in records[1:]] + [os.path.getsize(path)]
    return [
        expected_line(record, end, os.path.basename(path)).encode()
        for record, end in zip(records, ends)
        if record.get("WARC-Type") in ("response", "revisit")
    ]


def check_cdxj(path, records):
    """The index beside a file, whose records are given in their order."""
    index = re.sub(r"(\.warc)?(\.gz)?$", "", path) + ".cdxj"
    with open(index, "rb") as file:
        check_index(index, file.read(), sorted(expected_lines(path, records)))


def check_wacz(path, folder):
    """Returns the WARC files that are in it."""
    with zipfile.ZipFile(path) as package:
        if package.testzip() is not None:
            complain(path, "a member is damaged")
        data = {info.filename: package.read(info) for info in package.infolist()}
        if any(info.compress_type != zipfile.ZIP_STORED for info in package.infolist()):
            complain(path, "a member is compressed")
        package.extractall(folder)
    described = json.loads(data["datapackage.json"])
    signed = json.loads(data["datapackage-digest.json"])
    if signed != {"path": "datapackage.json", "hash": "sha256:" + hashlib.sha256(data["datapackage.json"]).hexdigest()}:
        complain(path, "datapackage-digest.json is of another datapackage.json")
    if described["profile"] != "data-package" or described["wacz_version"] != "1.1.1":
        complain(path, "datapackage.json is not of WACZ 1.1.1")
    want = [{"name": os.path.basename(name), "path": name, "hash": "sha256:" + hashlib.sha256(data[name]).hexdigest(),
             "bytes": len(data[name])} for name in data if not name.startswith("datapackage")]
    if described["resources"] != want:
        complain(path, "datapackage.json does not have what is there")
    warcs = [os.path.join(folder, name) for name in data if name.startswith("archive/")]
    lines = []
    for warc in warcs:
        lines += expected_lines(warc, list(read(warc)))
    check_index(path, data["indexes/index.cdxj"], sorted(lines))
    pages = [json.loads(line) for line in data["pages/pages.jsonl"].splitlines()]
    if pages[0].get("format") != "json-pages-1.0":
        complain(path, "pages.jsonl has no first line")
    html = {}
    for line in lines:
        _, time, entry = line.decode().split(" ", 2)
        entry = json.loads(entry)
        if entry["status"] == "200" and entry.get("mime") in ("text/html", "warc/revisit"):
            html[entry["url"], re.sub(r"(....)(..)(..)(..)(..)(..)", r"\1-\2-\3T\4:\5:\6Z", time)] = entry
    if len(pages) == 1 or any((page["url"], page["ts"]) not in html for page in pages[1:]):
        complain(path, "pages.jsonl has no pages, or one that is not in the index")
    return warcs


def check_index(index, text, want):
    lines = text.split(b"\n")
    if lines.pop() != b"" or lines != sorted(lines):
        complain(index, "is not sorted, or its last line is cut")
    for line in sorted(set(want) ^ set(lines)):
        complain(index, "%s: %r" % ("missing" if line in want else "not expected", line))
    if len(want) != len(lines):
        complain(index, "has %d lines, not %d" % (len(lines), len(want)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(sys.argv[1:], folder)


def check(arguments, folder):
    output = None
    indexed = "--cdxj" in arguments
    if indexed:
        arguments.remove("--cdxj")
    if arguments[:1] == ["--records"]:
        output, arguments = arguments[1], arguments[2:]
    if arguments[:1] == ["--wacz"]:
        arguments = check_wacz(arguments[1], folder) + arguments[2:]
    records = []
    by_place = {}
    for path in arguments:
        first = len(records)
        for record in read(path):
            records.append(record)
            by_place[path, record.offset] = record
            print("%s\t%d\t%s\t%s" % (path, record.offset, record.get("WARC-Type"), record.get("WARC-Target-URI") or "-"))
        if first == len(records) or records[first].get("WARC-Type") != "warcinfo":
            complain(path, "does not begin with a warcinfo record")
        elif records[first].get("WARC-Filename") not in (None, os.path.basename(path)):
            complain(path, "WARC-Filename is %r" % records[first].get("WARC-Filename"))
        if indexed:
            check_cdxj(path, records[first:])
    by_id = {record.get("WARC-Record-ID"): record for record in records}
    if len(by_id) != len(records):
        complain("all", "two records share an ID")
    for record in records:
        if record.get("WARC-Type") == "request" and record.block.startswith(b"HEAD "):
            answers_to_head.add(record.get("WARC-Concurrent-To"))
    for record in records:
        check_record(record)
        check_references(record, by_id)
    if output:
        check_output(output, by_place)
    sys.exit(1 if complaints else 0)


main()
