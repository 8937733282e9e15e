#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where fetch puts bodies, and what happens where it cannot: stores, WARC files, standard output.

load helper
load servers

setup_file() {
  new_site
  for i in {1..100}; do echo "<html>page $i</html>" >"site/p$i.html"; done
  for i in {1..40}; do head -c 30000 /dev/urandom >"site/r$i.bin"; done
  : >site/empty.html
  export tls
  tls=$(free_port)
  make_certificate
  start_nginx <<CONF
keepalive_requests 100000; gzip on; gzip_min_length 1;
server { listen 127.0.0.1:$port; location = /moved { return 301 $base/p1.html; } location = /to { return 302 "/p2.html?a=\$arg_a"; } }
server { listen 127.0.0.1:$tls ssl http2; ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem; }
CONF
  start_hostile
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
pages() { seq -f "$base/p%.0f.html" "$1"; }
blobs() { seq -f "$base/r%.0f.bin" "$1"; }
check_warc() { python3 "$SPINNERET_ROOT/tests/support/warc-check.py" "$@"; }

@test "--store-as=files: files named by digest, each once, whole" {
  { pages 20; echo "$base/p1.html?again"; echo "$base/p999.html"; } | get --store-as=files --store=store >out
  (($(find store -type f | wc -l) == 20))
  (($(grep -c body-file= out) == 21))
  run ! grep -q 'body=' out
  file=$(grep 'p5.html' out | tr '\t' '\n' | sed -n 's/^body-file=//p')
  cmp "$file" "$files/site/p5.html"
  [[ ${file//\/} == store$(grep 'p5.html' out | tr '\t' '\n' | sed -n 's/^digest=//p') ]]
  # An existing file stays; if it has the right name but other bytes it is not taken for the body.
  echo wrong >"$file"
  get --store-as=files --store=store "$base/p5.html" >out
  grep -q "body-file=$file.1" out
  cmp "$file.1" "$files/site/p5.html"
}

@test "--digest=sha256 is sha256" {
  [[ $(get --digest=sha256 --fields=digest "$base/p3.html") == $(sha256sum <"$files/site/p3.html" | cut -d' ' -f1) ]]
  if command -v xxh128sum >/dev/null; then
    [[ $(get --fields=digest "$base/p3.html") == $(xxh128sum <"$files/site/p3.html" | cut -d' ' -f1) ]]
  fi
}

@test "--store-as=files: a symbolic link in the place of a body is neither followed nor replaced" {
  get --store-as=files --store=store "$base/p5.html" | tr '\t' '\n' | sed -n 's/^body-file=//p' >place
  echo precious >victim
  ln -sf "$PWD/victim" "$(cat place)"
  get --store-as=files --store=store "$base/p5.html" | grep -q "body-file=$(cat place).1"
  [[ $(cat victim) == precious && -L $(cat place) ]]
}

@test "--store in a folder that cannot be one: said at once, and nothing is fetched" {
  : >file
  : >"$files/access.log"
  run -2 get --store=file "$base/p1.html"
  [[ $output == *file* && ! -s $files/access.log ]]
  run -2 get --warc=nowhere/x.warc "$base/p1.html"
  [[ $output == *nowhere/x.warc* ]]
}

# full SIZE COMMAND...: runs the command where the folder `disk` is a file system of SIZE.
full() {
  mkdir -p disk
  unshare -m bash -c 'mount -t tmpfs -o size="$0" tmpfs disk && "$@"' "$@"
}

@test "a full disk: what could not be kept is not ok, the rest is aborted, status 2" {
  unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null || skip "may not mount"
  blobs 40 >in
  for way in --store=disk/store "--store-as=files --store=disk/store" --warc=disk/x.warc; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr full 300k fetch --allow-private -j 4 $way in
    (($(wc -l <<<"$output") == 40))
    kept=$(grep -c $'\toutcome=ok$' <<<"$output")
    ((kept >= 3 && kept <= 12))
    (($(grep -c $'\toutcome=aborted$' <<<"$output") == 40 - kept))
    (($(grep -c 'error=cannot write disk/.*No space left' <<<"$output") >= 1))
    # The full disk is reported once.
    (($(grep -c 'No space left' <<<"$stderr") == 1))
  done
}

@test "standard output that is full or closed: status 2, whatever becomes of the bodies" {
  for way in --no-body --raw --store=store --warc=x.warc --ordered; do
    run -2 bash -c 'fetch --allow-private "$0" "$1" >/dev/full' "$way" "$base/p1.html"
    [[ $output == *"No space left"* ]]
    run -2 bash -c 'fetch --allow-private "$0" "$1" >&-' "$way" "$base/p1.html"
  done
  # fetch does not go on when nobody can read its records.
  : >"$files/access.log"
  for i in {1..50}; do pages 100; done >in
  run -2 bash -c 'fetch --allow-private -j 4 in >/dev/full'
  (($(wc -l <"$files/access.log") < 2500))
}

@test "--raw --ordered: bodies in the order of the input" {
  pages 60 >in
  get --raw --ordered -j 16 in | cmp - <(for i in {1..60}; do cat "$files/site/p$i.html"; done)
}

@test "--warc: every record as WARC 1.1 has it, every offset right, read by another reader" {
  {
    pages 60
    pages 20 | sed 's/$/?again/'
    printf '%s\n' "$base/moved" "$base/to?a=b" "$base/empty.html" "$base/p999.html" "http://127.0.0.1:1/"
    printf '%s\tetag="v1"\n' "$hostile/conditional"
    for way in chunked until-close continue escapes folded bare-lf length-and-chunked gzip br surplus-behind-gzip 404 500; do
      echo "$hostile/$way"
    done
    printf '%s\tpurpose=robots\n' "$hostile/robots-big" "$hostile/chain-5"
  } >in
  for name in a.warc.gz b.warc; do
    get --warc="$name" --contact=me@example.org --follow=3 in >out
    check_warc --records out "$name" >index
    (($(wc -l <out) == $(wc -l <in)))
    (($(cut -f3 index | grep -cx warcinfo) == 1))
    # There is a request for each exchange, and hops are exchanges. URLs that never answered are absent.
    (($(cut -f3 index | grep -cx request) == $(cut -f3 index | grep -cxE 'response|revisit')))
    (($(cut -f3 index | grep -cx request) == $(wc -l <in) - 1 + $(tr '\t' '\n' <out | grep -c '^hop='))) 
    (($(cut -f3 index | grep -cx revisit) >= 21))
    run ! grep -q '127.0.0.1:1/$' index
  done
  zcat a.warc.gz | grep -aq '^operator: me@example.org'
  (($(zcat a.warc.gz | grep -ac '^WARC-Truncated: length') == 1))
  # The payload keeps its content coding.
  zcat a.warc.gz | grep -aiq '^content-encoding: gzip'
}

# Makes pages in many encodings, declared by a meta element or not at all, with bytes that records escape, and in
# formats that have no links.
odd_pages() {
  python3 - "$1" <<'EOF'
import gzip, os, sys
os.makedirs(sys.argv[1])
def page(i):
    return "<title>\u00e4 \u0436 %d</title><i class=t>%d</i><p>text\\n \u00e9<a href='/%d?\u00e4&b#f' id=f>\u0444</a>" % (i, i, i)
bodies = [b"", b"\0", b"\r", b"\n", b"\t", b"\\", b"\\n\\0", b"\xef\xbb", b"\xef\xbb\xbf", bytes(range(256)) * 9, b"x" * 300000,
          b"<p>\xed\xa0\x80\xf4\x90\x80\x80", b"outcome=ok\tstatus=404\n<p>x", b"<a href='/q\r\nq\tq'>q</a>\r\n" * 9,
          gzip.compress(b"<a href=/gz>g</a>"), b"%PDF-1.4\n(http://x.test/)",
          b"<svg xmlns='http://www.w3.org/2000/svg'><a id='q' href='/s'/></svg>", b"<rss><channel><item><link>/r</link></item></channel></rss>",
          b"<urlset><url><loc>http://x.test/s</loc></url></urlset>", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
          b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"]
for name in ("utf-8 utf-16 utf-16le cp1252 iso-8859-2 iso-8859-15 koi8-r cp1251 shift_jis euc-jp iso2022_jp gb18030 big5 euc-kr "
             "mac-roman cp866").split():
    for said in "", "<meta charset=%s>" % name:
        bodies.append((said + page(len(bodies))).encode(name, "replace"))
for i, body in enumerate(bodies):
    for end in "html", "txt", "bin":
        with open("%s/%d.%s" % (sys.argv[1], i, end), "wb") as file:
            file.write(body)
EOF
}

@test "odd pages are the same to each filter, whether bodies are inline, in a store or in an archive, and whatever ends a record" {
  odd_pages "$files/site/odd"
  find "$files/site/odd" -type f -printf "$base/odd/%f\n" | sort >urls
  # Removes the fields that say where a body is and how long it took.
  bare() { sed -E 's/\t(body|body-file|body-offset|warc-file|warc-offset|warc-body-file|warc-body-offset|time-ms|wire-size)=[^\t]*//g'; }
  local way filter zero number=0
  for way in "" --store=kept "--store=single --store-as=files" --warc=kept.warc --warc=kept.warc.gz -z; do
    number=$((number + 1)) zero=()
    [[ $way != -z ]] || zero=(-z)
    # shellcheck disable=SC2086
    if [[ $way == -z ]]; then tr '\n' '\0' <urls; else cat urls; fi | get --ordered $way >"pages$number"
    for filter in records "extract-links --only=all --ids --about --positions" extract-text "extract-items t=.t" "dedupe --content --mark" \
      "dedupe --similarity=0.9 --mark" "dedupe --paragraphs=3" "dedupe --content --keep=longest"; do
      # shellcheck disable=SC2086
      $filter "${zero[@]}" "pages$number" | tr '\0' '\n' | bare >"$filter"
      [[ $way != "" ]] || cp "$filter" "$filter.first"
      cmp "$filter.first" "$filter" || { echo "$filter: $way"; false; }
    done
  done
  # The comparison was not of empty files.
  (($(wc -l <records.first) == $(wc -l <urls)))
  grep -q 'title=ä ж' extract-text.first
}

@test "--warc: HTTP/2 becomes a message that readers of HTTP/1 read" {
  seq -f "https://127.0.0.1:$tls/p%.0f.html" 20 >in
  get --insecure --warc=h2.warc.gz in >out
  (($(grep -cP '\thttp=2\t.*\toutcome=ok$' out) == 20))
  check_warc --records out h2.warc.gz | cut -f3 | grep -cx response | grep -qx 20
  zcat h2.warc.gz | grep -aq '^WARC-Protocol: h2'
}

@test "--warc: a file that is there is never touched" {
  get --warc=out.warc.gz "$base/p1.html" >/dev/null
  cp out.warc.gz before
  get --warc=out.warc.gz "$base/p1.html" >out
  cmp before out.warc.gz
  grep -q 'warc-file=out-00001.warc.gz' out
  check_warc --records out out.warc.gz out-00001.warc.gz >/dev/null
}

@test "--limit=warc: a file that is full is followed by another" {
  { pages 30; pages 30 | sed 's/$/?again/'; } >in
  get --warc=w.warc.gz --limit=warc=4K in >out
  (($(find . -name 'w*.warc.gz' | wc -l) > 3))
  check_warc --records out w*.warc.gz | cut -f3 | grep -cx warcinfo | grep -qx "$(find . -name 'w*.warc.gz' | wc -l)"
  # Each file except the last has reached the limit, and none was begun after another had reached it.
  for file in $(cut -f2- out | tr '\t' '\n' | sed -n 's/^warc-file=//p' | sort -u | head -n -1); do
    size=$(stat -c %s "$file")
    ((size >= 4096 && size < 6000))
  done
}

@test "killed in the middle, a WARC file is good up to its last whole record" {
  mkfifo to
  fetch --allow-private -j 4 --warc=k.warc.gz <to >out &
  pid=$!
  exec 7>to
  pages 100 >&7
  soon '(($(wc -l <out) == 100))'
  kill -KILL $pid
  wait $pid || true
  exec 7>&-
  # The response that a record points to is in the file, whatever the page cache held.
  check_warc --records out k.warc.gz >/dev/null
}
