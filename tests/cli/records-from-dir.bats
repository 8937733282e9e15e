#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# records --from-dir: tar archives, WARC and WACZ files, as link-check and extract-links read them.

load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "records --from-dir: a tar archive says what its folder does, a pattern a part of it" {
  local form name
  mkdir -p public/d/e public/.hidden
  echo '<a href=d/#new>n</a> <a href="d/e/b.html">' >public/index.html
  echo '<h1 id=news>N</h1>' >public/d/index.html
  echo x | tee public/.hidden/x.html >public/d/e/b.html
  ln public/d/e/b.html public/d/hard.html
  ln -s index.html public/soft.html
  ln -s x "public/d/%20 "$'\t'
  name=$(printf '%0180d' 0)
  read_all() { records "--from-dir=$1" --base=http://h/ "${@:2}"; }
  : >"public/d/$name.html"
  read_all public --fields=url,status,size,location 2>said | grep -v soft | sort >folder
  for form in gnu posix; do
    tar -C public --format="$form" --owner=0 --group=0 -cf site.tar .
    read_all site.tar --fields=url,status,size,location 2>said | sort >got
    diff folder got
    grep -qF 'site.tar: "soft.html": a symbolic link: left out' said
  done
  read_all site.tar 2>/dev/null | extract-links --ids --positions | link-check --base=http://h/ --fields=url,verdict,file >got && false || (($? == 1))
  [[ $(<got) == $'http://h/d/#new\tdead-fragment\tsite.tar/index.html' ]]
  # Damage: each byte of a header, and an end at every place.
  local at size
  size=$(stat -c %s site.tar)
  for at in 0 100 124 148 156 257 600; do
    cp site.tar bad.tar
    printf '\377' | dd of=bad.tar bs=1 seek="$at" conv=notrunc status=none
    read_all bad.tar >/dev/null 2>said || (($? <= 2))
  done
  for ((at = 0; at < size; at += 700)); do
    head -c "$at" site.tar >bad.tar
    read_all bad.tar >/dev/null 2>said || (($? <= 2))
  done
  head -c 1100 site.tar >bad.tar
  run -2 read_all bad.tar
  [[ $output == *"bad.tar is cut off"* ]]
  gzip -k site.tar
  run -2 read_all site.tar.gz
  [[ $output == *"gunzip it"* ]]
  [[ $(read_all 'public/*/e' --fields=url) == http://h/d/e/b.html ]]
  [[ $(read_all 'public/d/[h]*.html' --fields=url) == http://h/hard.html ]]
  [[ $(cd public/d && read_all '*' --fields=url 2>/dev/null | sort | head -n 2) == $'http://h/\nhttp://h/'0* ]]
  run -2 read_all 'public/*.pdf'
  [[ $output == *"there is no file of that name"* ]]
}

@test "bug: a tar archive that is cut off between a file and what is said of it was whole" {
  local name form at
  name=$(printf 'n%.0s' {1..150})
  mkdir long
  echo x >"long/$name"
  for form in gnu pax; do
    tar -C long --format="$form" -cf long.tar "$name"
    run -0 records --from-dir=long.tar --base=http://h/ --fields=url
    [[ $output == "http://h/$name" ]]
    # The archive is cut after the header and text of the long name, and after the file's own
    # header.
    for at in 1024 1536; do
      head -c "$at" long.tar >cut.tar
      run -2 records --from-dir=cut.tar --base=http://h/
      [[ $output == *"cut.tar is cut off"* ]]
    done
  done
}

@test "bug: a tar archive leads out of itself nowhere" {
  python3 - <<'PY'
import io, tarfile
with tarfile.open("evil.tar", "w") as out:
    def add(name, kind=tarfile.REGTYPE, link="", body=b"<a href=x>"):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, link, len(body) if kind == tarfile.REGTYPE else 0
        out.addfile(info, io.BytesIO(body))
    add("../up.html"); add("a/../../up.html"); add("/etc/passwd.html"); add("./a//b.html")
    add("self.html", tarfile.LNKTYPE, "self.html"); add("out.html", tarfile.LNKTYPE, "../up.html")
    add("pipe.html", tarfile.FIFOTYPE); add("a/b.html", body=b"again"); add("esc\033[31m.html")
PY
  records --from-dir=evil.tar --base=http://h/ --fields=url,size >got 2>said || (($? == 1))
  diff got - <<<$'http://h/a/b.html\t5\nhttp://h/esc%1B[31m.html\t10\nhttp://h/etc/passwd.html\t10'
  (($(grep -c 'left out' said) == 4))
  [[ $(<said) != *$'\033'* ]]
}

# make_archive <PROGRAM: runs Python that has record() and http() for WARC.
make_archive() {
  { echo 'import functools; from warc_records import http, record' && cat; } |
    PYTHONPATH=$SPINNERET_ROOT/tests/support PYTHONDONTWRITEBYTECODE=1 python3 -
}

@test "records --from-dir: WARC files, compressed or not, a folder and a pattern of them" {
  make_archive <<'PY'
import gzip
html = b"Content-Type: text/html; charset=utf-8\r\n"
records = [record("warcinfo", "", b"x: y\r\n"), record("request", "http://h/", b"GET / HTTP/1.1\r\n\r\n"),
           record("response", "http://h/", http(b"<a href=/lost>l</a> <a href=/old>o</a> <a href=/same#n>s</a>", type=html)),
           record("response", "<http://h/lost>", http(status=b"404 Not Found")),
           record("response", "http://h/old", http(status=b"301", type=b"location: /\r\n")),
           record("revisit", "http://h/same", http()), record("response", "dns:h", b"x"),
           record("response", "http://h/robots.txt", http(type=b"Content-Type: text/plain\r\n"))]
open("plain.warc", "wb").write(b"".join(records))
open("packed.warc.gz", "wb").write(b"".join(map(gzip.compress, records)))
open("whole.gz", "wb").write(gzip.compress(b"".join(records)))
open("torn.warc.gz", "wb").write(open("packed.warc.gz", "rb").read()[:-5])
PY
  local file
  for file in plain.warc packed.warc.gz; do
    records --from-dir="$file" --fields=url,purpose,status,type,location,outcome >got
    diff got - <<<$'http://h/\t\t200\ttext/html\t\tok
http://h/lost\t\t404\ttext/html\t\tnot-found
http://h/old\t\t301\t\thttp://h/\tmoved
http://h/same\t\t200\ttext/html\t\tduplicate
http://h/robots.txt\trobots\t200\ttext/plain\t\tok'
    records --from-dir="$file" | extract-links --ids --positions | link-check --fields=url,verdict,via >got && false || (($? == 1))
    diff got - <<<$'http://h/lost\tdead\thttp://h/\nhttp://h/old\tmoved\thttp://h/'
  done
  mkdir archive
  mv plain.warc packed.warc.gz archive
  (($(records --from-dir=archive --count) == 10))
  (($(records --from-dir='archive/*.gz' --count) == 5))
  run -2 records --from-dir=archive --base=http://h/
  run -2 records --from-dir=torn.warc.gz
  [[ $output == *"torn.warc.gz at byte "*": no whole WARC record"* && $output == *"http://h/same"* ]]
  run -2 records --from-dir=whole.gz --base=http://h/
}

@test "records --from-dir: WARC files as others write them" {
  make_archive <<'PY'
def chunks(*parts):
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
chunked = b"Transfer-Encoding: chunked\r\n"
# The first was read from memory that had been given back.
record = functools.partial(record, version="1.0")
open("others.warc", "wb").write(b"".join([
    record("response", "http://h/chunks", http(chunks(b"<a href=/a", b"b>1</a><a h", b"ref=/cd>2</a>"), chunked)),
    record("response", "http://h/short", http(chunks(b"<a href=", b"/s>"), chunked)),
    record("response", "http://h/joined", http(b"<a href=/j>the field is kept, the coding is not", chunked)),
    record("response", "http://h/plain", http(b"<a href=/p>so it is here", b"Content-Encoding: gzip\r\n"), "WARC-IP-Address: 192.0.2.1\r\n"),
    record("resource", "http://h/resource", b"<a href=/r>", "Content-Type: text/html; charset=UTF-8\r\n"),
    record("revisit", "http://h/revisit", b""), record("resource", "urn:x:y", b"<a href=/no>"),
    record("response", "http://h/head", http(b"<a href=/h>", b"X: " + 100000 * b"x" + b"\r\n")),
    record("response", "http://h/none", b"<a href=/no>"), record("response", "", http(b"<a href=/no>")),
    record("response", "http://h/status", b"HTTP/1.1 000 x\r\n\r\n<a href=/no>")]))
PY
  records --from-dir=others.warc >got 2>said || (($? == 1))
  records --fields=url,type,charset,ip,outcome got | diff - <(printf '%s\n' $'http://h/chunks\ttext/html\t\t\tok' \
    $'http://h/short\ttext/html\t\t\tok' $'http://h/joined\ttext/html\t\t\tok' $'http://h/plain\ttext/html\t\t192.0.2.1\tok' \
    $'http://h/resource\ttext/html\tutf-8\t\tok' $'http://h/revisit\t\t\t\tduplicate' $'http://h/head\ttext/html\t\t\tok' $'http://h/status\t\t\t\tbad-response')
  extract-links got | records --links --fields=url | diff - <(printf 'http://h/%s\n' ab cd s j p r h)
  (($(wc -l <said) == 2))
  grep -q 'others.warc at byte [0-9]*: left out: no answer of HTTP is that of "http://h/none"$' said
  grep -q 'others.warc at byte [0-9]*: left out: no URL is ""$' said
}

@test "bug: a revisit in an archive was a page without a body, and its links were lost" {
  make_archive <<'PY'
head, lost = http(), http(status=b"404 Not Found")
def digest(of):
    return f"WARC-Payload-Digest: {of}\r\n"
open("1.warc", "wb").write(
    record("revisit", "http://h/early/", head, digest("sha1:A")) + record("response", "http://h/a/", head + b"<a href=1>", digest("sha1:A")) +
    record("response", "http://h/lost/", lost + b"<a href=2>", digest("sha1:L")) + record("revisit", "http://h/same/", head, digest("sha1:A")))
open("2.warc", "wb").write(
    record("revisit", "http://h/b/", head, digest("sha1:A")) + record("revisit", "http://h/found/", head, digest("sha1:L")) +
    record("revisit", "http://h/gone/", lost, digest("sha1:A")) + record("revisit", "http://h/bare/", b"", digest("sha1:A")) +
    record("revisit", "http://h/other/", head, digest("sha1:B")) + record("revisit", "http://h/none/", head) +
    record("revisit", "http://h/kept/", b"HTTP/1.1 304 Not Modified\r\n\r\n", digest("sha1:A")))
PY
  records --from-dir='*.warc' >got
  # A revisit that comes before the page that it repeats is printed last.
  sed 's:file=./:file=:g' got | records --fields=url,warc-file,warc-body-file,outcome | diff - <(printf 'http://h/%s/\t%s\t%s\t%s\n' \
    a 1.warc '' ok lost '' '' not-found same 1.warc 1.warc ok b 2.warc 1.warc ok found 2.warc 1.warc ok gone '' '' not-found \
    bare 2.warc 1.warc ok none '' '' duplicate kept '' '' not-modified early 1.warc 1.warc ok other '' '' duplicate)
  extract-links --links got | records --fields=url | diff - <(printf 'http://h/%s\n' a/1 same/1 b/1 found/2 bare/1 early/1)
}

@test "bug: pages of an archive that are not whole were read as whole ones, and parts of pages passed over, without a word" {
  make_archive <<'PY'
import gzip
packed = gzip.compress(b"<a href=/cut>" + b"".join(b"<p>%d" % i for i in range(2000)))[:-300]
chunks = b"9\r\n<a href=c\r\n9\r\n>"
coded, chunked, whole = b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", "WARC-Truncated: length\r\n"
open("parts.warc", "wb").write(
    record("response", "http://h/packed", http(packed, coded)) + record("response", "http://h/chunks", http(chunks, chunked)) +
    record("response", "http://h/said", http(packed, coded), whole) + record("response", "http://h/told", http(chunks, chunked), whole) +
    record("response", "http://h/short", http(b"<a href=short>", b"Content-Length: 30\r\n")) +
    record("response", "http://h/segment", http(b"<a href=s>"), "WARC-Segment-Number: 1\r\n") +
    record("continuation", "http://h/segment", b"</a>", "WARC-Segment-Number: 2\r\n") + record("request", "http://h/", b"GET / HTTP/1.1\r\n\r\n") +
    record("\033[31mnew", "http://h/", b"") + record("continuation", "http://h/segment", b"", "WARC-Segment-Number: 3\r\n"))
PY
  run -1 --separate-stderr records --from-dir=parts.warc
  printf '%s\n' "$output" >got
  # shellcheck disable=SC2154  # bats' own
  printf '%s\n' "$stderr" | sed 's/at byte [0-9]*/at byte N/' | diff - <(printf 'records: parts.warc%s\n' \
    ' at byte N: left out: in several segments is "http://h/segment"' ': 1 record of the type "\x1B[31mnew" not read' \
    ': 2 records of the type "continuation" not read')
  records --fields=url got | diff - <(printf 'http://h/%s\n' packed chunks said told short)
  run -1 --separate-stderr extract-links --fields=url,outcome,error got
  printf '%s\n' "$output" | sed 's/parts.warc: //' | diff - <(printf 'http://h/%s\n' $'packed\taborted\tpayload ends in the middle of its gzip' \
    $'chunks\taborted\tpayload ends in the middle of its chunks, or ahead of its Content-Length' $'cut\t\t' $'said\tok\t' \
    $'c\t\t' $'told\tok\t' $'short\taborted\tpayload ends in the middle of its chunks, or ahead of its Content-Length')
}

@test "bug: a resource whose text begins with HTTP/ was judged by that text, and a page behind an interim answer was none" {
  make_archive <<'PY'
html, text = "Content-Type: text/html\r\n", "Content-Type: text/plain\r\n"
def interim(status, field=b""):
    return b"HTTP/1.1 %s\r\n%s\r\n" % (status, field)
open("heads.warc", "wb").write(
    record("resource", "http://h/news", b"HTTP/2 is here\n\n<a href=/news2>", html) +
    record("resource", "http://h/log", b"HTTP/1.1 404 Not Found\r\n\r\n", text) +
    record("resource", "http://h/whole", http(b"<a href=/whole2>"), "Content-Type: application/http; msgtype=response\r\n") +
    record("response", "http://h/continue", interim(b"100 Continue") + http(b"<a href=/continue2>")) +
    record("response", "http://h/hints", 2 * interim(b"103 Early Hints", b"Link: </no>; rel=next\r\n") + http(b"<a href=/hints2>")) +
    record("response", "http://h/large", interim(b"103", b"X: " + 65400 * b"x" + b"\r\n") + http(b"<a href=/large2>" + 9000 * b"<p>x")) +
    record("response", "http://h/switched", interim(b"101 Switching Protocols") + b"HTTP/1.1 200 OK\r\n\r\n") +
    record("response", "http://h/alone", interim(b"102")))
PY
  run -1 --separate-stderr records --from-dir=heads.warc
  printf '%s\n' "$output" >got
  # shellcheck disable=SC2154  # bats' own
  [[ $stderr == 'records: heads.warc at byte '*': left out: no answer of HTTP is that of "http://h/alone"' ]]
  records --fields=url,status,type,outcome got | diff - <(printf 'http://h/%s\n' $'news\t\ttext/html\tok' $'log\t\ttext/plain\tok' \
    {whole,continue,hints,large}$'\t200\ttext/html\tok' $'switched\t101\t\tbad-response')
  extract-links --links --fields=url got | diff - <(printf 'http://h/%s2\n' news whole continue hints large)
}

@test "bug: a page in an archive that had undone its Brotli, Zstandard or deflate, and kept the field, could not be read" {
  make_archive <<'PY'
import zlib
def coded(name, coding, body, fields=b""):
    return record("response", f"http://h/{name}", http(body, b"Content-Encoding: " + coding + b"\r\n" + fields))
page = b"<title>caf\xc3\xa9</title>\r\n\t<a href=/%s>"
open("undone.warc", "wb").write(b"".join(
    [coded(name.decode(), name, page % name) for name in (b"br", b"zstd", b"deflate", b"gzip")] +
    [coded("chunked", b"br", b"10\r\n<a href=/chunked\r\n1\r\n>\r\n0\r\n\r\n", b"Transfer-Encoding: chunked\r\n"),
     coded("packed", b"deflate", zlib.compress(b"<a href=/packed>")), coded("damaged", b"deflate", zlib.compress(page)[:9] + 9 * b"\xff\x00"),
     coded("two", b"gzip, br", b"<a href=/two>")]))
PY
  records --from-dir=undone.warc >got
  run -1 --separate-stderr extract-links --fields=url,outcome got
  printf '%s\n' "$output" | diff - <(for name in br zstd deflate gzip chunked packed; do
    printf 'http://h/%s\t\nhttp://h/%s\tok\n' "$name" "$name"
  done && printf 'http://h/%s\taborted\n' damaged two)
  (($(extract-text --fields=title got 2>/dev/null | grep -c café) == 4))
}

@test "bug: an archive of nothing but texts, as Common Crawl has them, was empty without a word" {
  printf 'WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://h/\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n' |
    gzip >CC-MAIN.warc.wet.gz
  run -1 --separate-stderr records --from-dir=CC-MAIN.warc.wet.gz
  [[ -z $output && $stderr == 'records: CC-MAIN.warc.wet.gz: 1 record of the type "conversion" not read' ]]
}

@test "bug: behind one damaged record of a compressed archive, nothing was read" {
  make_archive <<'PY'
import gzip
def page(name, body=b"<p>x"):
    return gzip.compress(record("response", f"http://h/{name}", http(body)), mtime=0)
def write(name, parts, *damaged):
    with open(name, "wb") as out:
        for at, part in enumerate(parts):
            if at in damaged:
                part = part[:-6] + bytes([part[-6] ^ 1]) + part[-5:]  # of its checksum
            out.write(part)
pages = [page(name) for name in "abcde"]
write("whole.warc.gz", pages)
write("one.warc.gz", pages, 1)
write("two.warc.gz", pages, 1, 3)
write("first.warc.gz", pages, 0)
write("last.warc.gz", pages, 4)
write("torn.warc.gz", pages[:4] + [pages[4][:-3]], 1)
# A page that is such an archive itself, and stands in its record as it is: of that no page comes.
body = page("evil") + page("evil") + record("response", "http://h/evil", http(b"e" * 12))[:-16]
stored = gzip.compress(record("response", "http://h/b", http(body)), compresslevel=0, mtime=0)
write("page.warc.gz", [pages[0], stored, pages[2]], 1)
write("end.warc.gz", [pages[0], stored], 1)
PY
  local name expected
  while read -r name expected; do
    records --from-dir="$name.warc.gz" --fields=url 2>said | sed 's:.*/::' | tr -d '\n' >got || true
    [[ $(<got) == "$expected" ]] || { echo "$name: $(<got)" && false; }
    case $name in
      whole) [[ ! -s said ]] ;;
      one) [[ $(<said) =~ "one.warc.gz at byte "[0-9]+": a damaged record: nothing is read up to byte "[0-9]+$ ]] ;;
      last | torn | end) [[ $(<said) == *"no whole WARC record"*"what follows it is not read" ]] ;;
      *) [[ $(<said) == *"damaged record"* ]] ;;
    esac
  done <<<$'whole abcde\none acde\ntwo ae\nfirst bcde\nlast abcd\ntorn a\npage ac\nend a'
  run -2 records --from-dir=one.warc.gz
  # The bodies of the records after it are found.
  (($(records --from-dir=one.warc.gz 2>/dev/null | extract-text --fields=text | grep -c '^x$') == 4))
}

@test "bug: a member of a compressed archive that holds nothing ended the reading, and nothing was read behind damage ahead of one" {
  make_archive <<'PY'
import gzip
pages = [gzip.compress(record("response", f"http://h/{name}", http(b"<p>x")), mtime=0) for name in "abc"]
none = gzip.compress(b"", mtime=0)
torn = pages[1][:-6] + bytes([pages[1][-6] ^ 1]) + pages[1][-5:]
open("empty.warc.gz", "wb").write(none + pages[0] + none + none + pages[1] + pages[2] + none)
open("damaged.warc.gz", "wb").write(pages[0] + torn + none + pages[2] + none)
open("nothing.gz", "wb").write(none)
PY
  records --from-dir=empty.warc.gz --fields=url | diff - <(printf 'http://h/%s\n' a b c)
  (($(records --from-dir=empty.warc.gz | extract-text --fields=text | grep -c '^x$') == 3))
  run -2 --separate-stderr records --from-dir=damaged.warc.gz --fields=url
  [[ $output == $'http://h/a\nhttp://h/c' && $stderr == *"a damaged record"* ]]
  # Such a member alone does not make a file an archive.
  run -2 records --from-dir=nothing.gz
}

@test "records --from-dir: the archives in a WACZ file, read where they are" {
  make_archive <<'PY'
import gzip, zipfile
one, two = record("response", "http://h/", http(b"<a href=/two>2</a>")), record("response", "http://h/two", http(b"<a href=/lost>l</a>"))
with zipfile.ZipFile("site.wacz", "w") as all:
    all.writestr("datapackage.json", "{}", zipfile.ZIP_DEFLATED)
    all.writestr("archive/data.warc.gz", gzip.compress(one) + gzip.compress(two))
    with all.open("archive/more.warc", "w", force_zip64=True) as more:
        more.write(record("response", "http://h/three", http()))
with zipfile.ZipFile("packed.wacz", "w", zipfile.ZIP_DEFLATED) as all:
    all.writestr("archive/\033[31mdata.warc", one)
bytes = open("site.wacz", "rb").read()
open("cut.wacz", "wb").write(bytes[:-1])
PY
  records --from-dir=site.wacz --fields=url,status,type,warc-file >got
  diff got - <<<$'http://h/\t200\ttext/html\tsite.wacz
http://h/two\t200\ttext/html\tsite.wacz
http://h/three\t200\ttext/html\tsite.wacz'
  records --from-dir=site.wacz | extract-links | records --links --fields=url | diff - <(printf 'http://h/%s\n' two lost)
  run -2 records --from-dir=packed.wacz
  [[ $output == *'left out: "archive/\x1B[31mdata.warc" is compressed'* && $output == *"no WARC file can be read in it"* ]]
  run -2 records --from-dir=cut.wacz
  [[ $output == *"cut.wacz is not a ZIP archive, or is cut off"* ]]
}

@test "bug: archives of other kinds in a WACZ file were passed over without a word" {
  make_archive <<'PY'
import zipfile
page = record("response", "http://h/", http(b"<a href=/two>2</a>"))
for name, others in ("some", ["a.warc.zst", "\033[31mb.arc", "c.arc.gz"]), ("none", ["a.warc.zst"]):
    with zipfile.ZipFile(name + ".wacz", "w") as all:
        for each in others + (["d.warc"] if name == "some" else []):
            all.writestr("archive/" + each, page)
PY
  run -2 --separate-stderr records --from-dir=some.wacz --fields=url
  # shellcheck disable=SC2154  # bats' own
  [[ $output == http://h/ && $(wc -l <<<"$stderr") == 3 ]]
  [[ $stderr == *'some.wacz: "archive/\x1B[31mb.arc" is an archive of a kind that is not read'* ]]
  run -2 --separate-stderr records --from-dir=none.wacz
  [[ -z $output && $stderr == *'"archive/a.warc.zst" is an archive of a kind'*'none.wacz: no WARC file can be read in it' ]]
}

@test "bug: archives that are not read were pages, were passed over beside others, or wanted a --base" {
  local name record=$'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx'
  mkdir alone both
  for name in a.warc.zst b.arc c.arc.gz; do
    echo x | tee "both/$name" >"alone/$name"
    run -2 records "--from-dir=alone/$name"
    [[ $output == *"alone/$name\" is an archive of a kind that is not read"* ]]
  done
  run -2 records --from-dir=alone
  [[ $output == *'"alone/a.warc.zst" is an archive of a kind that is not read: unzstd it'* ]]
  run -1 --separate-stderr records --from-dir=alone --base=http://h/ --fields=url
  [[ $output == $'http://h/a.warc.zst\nhttp://h/b.arc\nhttp://h/c.arc.gz' && $(wc -l <<<"$stderr") == 3 ]]
  printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://w.test/\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
    "${#record}" "$record" >both/x.warc
  run -1 --separate-stderr records --from-dir=both --fields=url
  [[ $output == http://w.test/ && $(wc -l <<<"$stderr") == 3 ]]
  # For a file that is no archive, or does not exist, the message says so, and not that a URL is
  # missing.
  run -2 records --from-dir=nowhere
  [[ $output == *nowhere*'No such file'* ]]
  echo x >file
  run -2 records --from-dir=file
  [[ $output == *'"file" is not a folder, tar archive or WARC file'* ]]
}

@test "bug: a named pipe in a folder was left out without a word" {
  mkdir -p public/d
  echo x >public/a.html
  mkfifo public/d/b.html
  run -1 --separate-stderr records --from-dir=public --base=http://h/ --fields=url
  [[ $output == http://h/a.html && $stderr == *"public/d/b.html: neither file nor folder: left out" ]]
}
