#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What fetch writes into WARC records of a request: the URL, however it was spelled, and what the origin was sent, also
# through a proxy, by HTTP/2 and by HEAD.

load helper
load servers

setup_file() {
  new_site
  echo '<html>page</html>' >site/p.html
  mkdir site/{a,b}
  echo '<a href=1.html>1</a> <a href=2.html>2</a>' | tee site/a/index.html >site/b/index.html
  export tls
  tls=$(free_port)
  make_certificate
  start_nginx <<CONF
server { listen 127.0.0.1:$port; location = /moved { return 302 "http://u:secret@127.0.0.1:$port/p.html?to#there"; } }
server { listen 127.0.0.1:$tls ssl http2; ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem; }
CONF
  start_hostile
  start_python connect-proxy proxy-port "$PWD/proxy-log"
  export proxy proxy_log=$PWD/proxy-log
  proxy=127.0.0.1:$(cat proxy-port)
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
check_warc() { python3 "$SPINNERET_ROOT/tests/support/warc-check.py" "$@"; }

@test "the target is the URL that was asked for, however it was spelled: no line end, no password, no fragment" {
  {
    printf '%s/p.html?a\r\nWARC-Type: warcinfo\r\nX-Injected: yes\0' "$base"
    printf '%s\0' "$base/p.html?a b" "$base/go/../p.html?é" "HTTP://user:secret@127.0.0.1:$port/p.html?u#frag"
  } | get -z --warc=a.warc >out
  get --follow=1 --warc=b.warc "$base/moved?from#x" >>out
  check_warc a.warc b.warc >index
  grep -P '\tresponse|\trevisit' index | cut -f4 >got
  printf '%s\n' "$base/p.html?"{a%20b,aWARC-Type:%20warcinfoX-Injected:%20yes,%C3%A9,to,u} "$base/moved?from" | sort |
    diff - <(sort got)
  # The request record has the same target.
  diff <(sort got) <(grep -P '\trequest' index | cut -f4 | sort)
  # A file's name cannot inject a header either.
  get --warc=$'c\r\nX-Injected: yes\r\n.warc' "$base/p.html" >>out
  run ! grep -alE '^X-Injected|^WARC-[A-Za-z-]*URI:.*(secret|#)' ./*.warc
}

@test "behind a proxy: the request of the origin, and nothing that the proxy alone was told" {
  for url in "$base/p.html" "https://127.0.0.1:$tls/p.html"; do
    for way in "" --head; do
      rm -f a.warc
      # shellcheck disable=SC2086
      get $way --insecure --proxy="http://me:secret@$proxy" --warc=a.warc "$url" | grep -q outcome=ok
      check_warc a.warc | cut -f3 | tr '\n' ' ' | grep -qx 'warcinfo response request '
      run ! grep -aiE '^CONNECT |^proxy-authorization|secret|bWU6c2VjcmV0|X-Proxy' a.warc
      grep -aqE '^(GET|HEAD) .* HTTP/1\.1'$'\r''$' a.warc
    done
  done
  # The proxy did get the password.
  grep -q '^CONNECT' "$proxy_log"
  (($(grep -c '^Proxy-Authorization: Basic bWU6c2VjcmV0' "$proxy_log") == 4))
}

@test "bug: a proxy's password could only stand in the command line, which ps shows to everybody" {
  printf 'http://%s basic me:se@c:r%%41t\n' "$proxy" >auth
  for url in "$base/p.html" "https://127.0.0.1:$tls/p.html"; do
    get --insecure --proxy="http://$proxy" --auth=auth --warc=a.warc "$url" >out
    grep -q outcome=ok out
  done
  (($(grep -c "^Proxy-Authorization: Basic $(printf 'me:se@c:r%%41t' | base64)" "$proxy_log") == 2))
  run ! grep -aiE '^proxy-authorization|se@c' a.warc out
  # The password is not for the site.
  run ! grep -qi '^authorization' "$proxy_log"
}

@test "--proxy: a URL that is none is wrong usage, and its password is not shown" {
  for url in foo://u:SECRET@h:1 127.0.0.1:1 http://u:SECRET@h http://u:SECRET@:1 http://u:SECRET@h:0 http://h:65536 \
    http://u:SECRET@@h:1 'http://u:SECRET%0d@h:1' 'http://u:SECRET%zz@h:1' 'http://u:SEC RET@h:1' 'http://[::1:1' \
    http://h:1/x http://h:1?x file://h:1; do
    run -2 --separate-stderr get --proxy="$url" "$base/p.html"
    [[ -z $output && $stderr == "fetch: --proxy takes "* && $stderr != *SEC* ]]
  done
  for url in HTTP://127.0.0.1:1 "socks5h://u:SECRET%21@[::1]:1/" socks4a://localhost:1; do
    get --proxy="$url" "$base/p.html" >out
    grep -q outcome=connect-failed out
    run ! grep -q SEC out
  done
}

@test "HTTP/2 requests are written as HTTP/1.1, as their answers are" {
  get --insecure --warc=a.warc "https://127.0.0.1:$tls/p.html" | grep -q 'http=2'
  check_warc a.warc >/dev/null
  grep -aq '^GET /p.html HTTP/1.1'$'\r''$' a.warc
  run ! grep -a '^GET.*HTTP/2' a.warc
}

@test "--head: no chunk that did not come, no size and no digest of what was not asked for" {
  get --head --warc=a.warc "$hostile/chunked" "$base/p.html" >out
  (($(grep -c outcome=ok out) == 2))
  check_warc --records out a.warc >/dev/null
  run ! grep -aE '^0'$'\r''$|^WARC-Payload-Digest' a.warc
  run ! grep -P '\t(size|wire-size|digest|body)=' out
  # Readers of pages treat such a record as one without a page.
  run -0 --separate-stderr extract-links out
  [[ -z $stderr ]]
  # The size of a 304, if it has one, is that of another answer.
  printf '%s\tetag="v1"\n' "$hostile/conditional" | get >out
  grep -q outcome=not-modified out
  run ! grep -P '\t(size|digest)=' out
}

# Their links used to be lost: an archive keeps such a page as a revisit, and readers must find its body.
@test "pages with the same body at several URLs: each has its links, in whatever file the body is" {
  printf '%s/%s/\n' "$base" a "$base" b "$base" a >in
  printf '%s\n' "$base"/{a/1,a/1,a/2,a/2,b/1,b/2}.html >want
  for way in --warc=a.warc.gz "--warc=b.warc --limit=warc=1K" "--warc=c.warc.gz --limit=warc=1"; do
    # shellcheck disable=SC2086
    get -j 1 $way in >out
    extract-links out | grep -v outcome= | cut -f1 | sort | diff want -
    (($(grep -c 'warc-body-offset=' out) == 2))
  done
  # The first file is full with its warcinfo record alone and holds no exchange.
  (($(find . -name 'c*.warc.gz' | wc -l) == 4))
  check_warc --records out c*.warc.gz >/dev/null
  # The links are also found when the archive is read later.
  records --from-dir='c*.warc.gz' | extract-links --links | cut -f1 | sort | diff want -
  run -0 dedupe --content --fields=url,duplicate-of out
  [[ ${lines[1]} == "$base/b/"$'\t'"$base/a/" ]]
  # A missing file that a record names is reported.
  rm c-00001.warc.gz
  run -1 --separate-stderr extract-links out
  [[ $stderr == *out:2:*c-00001.warc.gz* && $(grep -c $'\terror=.*\toutcome=aborted$' <<<"$output") == 3 && ${#lines[@]} == 3 ]]
}

# Links were also lost where chunks were archived, and where the lines of a head end with LF alone.
@test "chunks, bare LF, codings: what is read from the archive is what came inline" {
  for way in chunked until-close continue bare-lf length-and-chunked gzip-folded gzip br; do echo "$hostile/$way"; done >in
  get --ordered --warc=a.warc.gz in >out
  run ! grep -v outcome=ok out
  # Each reader compares the body that it reads with the digest of the one that came.
  run -0 --separate-stderr dedupe --content out
  [[ -z $stderr ]]
}

@test "--cdxj: a sorted index beside each file, with what another indexer makes of it" {
  for way in chunked until-close bare-lf gzip 404 conditional; do echo "$hostile/$way"; done >in
  printf '%s\tetag="v1"\n' "$hostile/conditional" >>in
  printf '%s\n' "$base"/{a/,"a/?b=2&A=1&b",a/%C3%89/../,moved} >>in
  echo "https://127.0.0.1:$tls/p.html" >>in
  for way in --warc=a.warc.gz --warc=b.warc "--warc=c.warc.gz --limit=warc=2K"; do
    # shellcheck disable=SC2086
    get --insecure --follow=2 $way --cdxj in >out
    check_warc --cdxj "${way:7:1}"*.warc* >/dev/null
  done
  (($(find . -name 'c*.cdxj' | wc -l) == $(find . -name 'c*.warc.gz' | wc -l)))
  # The check does find an incomplete index.
  sed -i '2d' a.cdxj
  run -1 check_warc --cdxj a.warc.gz
  [[ -z $(find . -name '*.part') ]]
}

@test "--cdxj: killed, it leaves what sort makes an index of" {
  mkfifo to
  fetch --allow-private --warc=k.warc.gz --cdxj <to >out &
  pid=$!
  exec 7>to
  for i in {1..40}; do echo "$base/p.html?$i"; done >&7
  soon '(($(wc -l <out) == 40))'
  kill -KILL $pid
  wait $pid || true
  exec 7>&-
  [[ ! -e k.cdxj ]]
  LC_ALL=C sort k.cdxj.part >k.cdxj
  check_warc --cdxj --records out k.warc.gz >/dev/null
}

@test "--wacz: all files of the name, index, pages and digests in one, also after a kill" {
  for i in {1..30}; do echo "$base/p.html?$i"; done >in
  printf '%s\n' "$base"/{a/,b/,moved} "$hostile/"{gzip,404} >>in
  get --follow=1 --warc=w.warc.gz --limit=warc=4K --wacz in >out
  check_warc --wacz w.wacz | sed 's|.*/archive/||' | sort >index
  # The WACZ file holds the files beside it, and nothing else.
  check_warc --records out --cdxj w*.warc.gz | sort | diff - index
  python3 -c 'import zipfile; print(zipfile.ZipFile("w.wacz").read("pages/pages.jsonl").count(b"\n"))' | grep -qx $((1 + 30 + 3 + 1))
  # After a kill the index of the last file is incomplete and unsorted.
  printf '%s\n' "$base/a/" "$base/p.html" >more
  get --warc=w.warc.gz --cdxj more >>out
  last=$(ls w-*.cdxj | tail -n 1)
  { sort -r "$last"; printf 'net,exa'; } >"$last.part"
  rm "$last"
  get --warc=w.warc.gz --wacz </dev/null
  check_warc --wacz w.wacz | sed 's|.*/archive/||' | sort >index
  (($(grep -c $'\tresponse\|\trevisit' index) == 36 + 2))
  # The check does find a changed byte.
  python3 -c 'import sys; b = bytearray(open("w.wacz", "rb").read()); b[200] ^= 1; open("bad.wacz", "wb").write(b)'
  run -1 check_warc --wacz bad.wacz
  [[ -z $(find . -name 'w.wacz.part') ]]
}

@test "--wacz: a file without an index, a plain file, a name that is a folder" {
  get --warc=n.warc "$base/p.html" >out
  run -2 --separate-stderr get --warc=n.warc --wacz "$base/p.html"
  [[ $stderr == *"n.warc has no index n.cdxj"* && ! -e n.wacz && ! -e n.wacz.part ]]
  get --warc=m.warc --wacz "$base/p.html" >out
  check_warc --wacz m.wacz >index
  mkdir d.wacz
  run -2 --separate-stderr get --warc=d.warc --wacz "$base/p.html"
  [[ $stderr == *"cannot rename d.wacz.part"* ]]
  run -2 --separate-stderr get --wacz "$base/p.html"
  [[ $stderr == *--warc* ]]
}

@test "a generated site, captured by crawl as WACZ, has each page in the archive as it is on disk" {
  python3 - "$BATS_FILE_TMPDIR/site/gen" <<'PY'
import os, random, sys
random.seed(3)
os.mkdir(sys.argv[1])
for i in range(60):
    links = "".join('<a href="%d.html?q=%d">%d</a>' % (j, j % 3, j) for j in random.sample(range(60), 5) + [(i + 1) % 60])
    # Some pages are equal but for their names.
    open("%s/%d.html" % (sys.argv[1], i), "w").write("<title>%d</title>%s%s" % (i % 50, links, "é" * random.randrange(2000)))
PY
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=0 --warc=site.warc.gz --wacz \
    "$base/gen/0.html" >records 2>progress
  check_warc --wacz site.wacz >index
  cut -f4 index | grep -oE 'gen/[0-9]+[.]html' | sort -u | wc -l | grep -qx 60
  python3 - <<'PY'
import gzip, json, os, re, zipfile
package = zipfile.ZipFile("site.wacz")
got = {}
for line in package.read("indexes/index.cdxj").decode().splitlines():
    entry = json.loads(line.split(" ", 2)[2])
    with package.open("archive/" + entry["filename"]) as file:
        file.seek(int(entry["offset"]))
        record = gzip.decompress(file.read(int(entry["length"])))
    assert ("WARC-Target-URI: " + entry["url"]).encode() in record
    if entry["mime"] != "warc/revisit" and "/gen/" in entry["url"]:
        head, http, body = record.split(b"\r\n\r\n", 2)
        got[re.sub(r".*/|[?].*", "", entry["url"])] = body[:-4]
folder = os.environ["BATS_FILE_TMPDIR"] + "/site/gen/"
for name in os.listdir(folder):
    assert got[name] == open(folder + name, "rb").read(), name
PY
}

# full SIZE COMMAND...: runs the command where the folder `disk` is a file system of SIZE.
full() {
  mkdir -p disk
  unshare -m bash -c 'mount -t tmpfs -o size="$0" tmpfs disk && "$@"' "$@"
}

# A crawl tries again and again, and each try used to leave a file.
@test "a full disk leaves no empty files and no torn record, and an index that cannot be written is said" {
  unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null || skip "may not mount"
  for i in {1..300}; do echo "$base/p.html?$i"; done >in
  cat >fill <<'SH'
fetch --allow-private --warc=disk/x.warc --cdxj in >out 2>err; echo $? >status
for i in 1 2 3; do fetch --allow-private --warc=disk/x.warc --cdxj in >/dev/null 2>err2; echo $? >>status; done
ls disk >names; cp disk/x.warc . ; find disk -empty >empty
SH
  full 40k bash fill
  [[ $(sort -u status) == 2 ]]
  grep -q 'No space left' err
  [[ $(cat names) == $'x.cdxj.part\nx.warc' || $(cat names) == x.warc ]]
  [[ ! -s empty ]]
  check_warc x.warc >index
  (($(grep -c outcome=ok out) >= 1))
  (($(grep -c outcome=aborted out) > 1))
}

@test "--warc-info: fields of warcinfo; wrong ones, and options of an archive without one, are refused" {
  get --warc=a.warc --warc-info=robots=obey --warc-info="isPartOf=a = b" "$base/p.html" >out
  grep -qx $'robots: obey\r' a.warc
  grep -qx $'isPartOf: a = b\r' a.warc
  grep -q '^conformsTo: http://iipc.github.io/warc-specifications/' a.warc
  grep -qE '^WARC-Date: .{19}\.[0-9]{3}Z' a.warc
  check_warc a.warc >/dev/null
  for options in --cdxj --warc-info=a=b '--warc=z.warc --warc-info=a' '--warc=z.warc --warc-info=a=' '--warc=z.warc --warc-info=a:b=c' \
    $'--warc=z.warc\t--warc-info=a=b\rc'; do
    IFS=$' \t' read -r -a words <<<"$options"
    run -2 get "${words[@]}" "$base/p.html"
    [[ ! -e z.warc ]]
  done
}
