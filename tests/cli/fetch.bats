#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch against a real server (nginx) on loopback: records, order, bodies, stores, TLS, HTTP/2, names, signals.

load helper

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$2" -addext "subjectAltName=$3" \
    -keyout "$1.key" -out "$1.pem" 2>/dev/null
}

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir -p site/sub temp
  for i in {1..300}; do echo "<html>page $i <a href=/p$((i + 1)).html>next</a></html>" >"site/p$i.html"; done
  head -c 300000 /dev/urandom >site/large.bin
  printf 'a\tb\r\nc\\d\0e' >site/odd.txt
  : >site/empty.html
  export port tls h2 wrong other
  port=$(free_port) tls=$(free_port) h2=$(free_port) wrong=$(free_port)
  make_certificate good localhost IP:127.0.0.1,DNS:localhost
  make_certificate bad elsewhere.example DNS:elsewhere.example
  local user=
  # Its workers must read this folder.
  ((EUID != 0)) || user="user root;"
  cat >nginx.conf <<CONF
$user daemon on; worker_processes 1; pid $PWD/nginx.pid; error_log $PWD/error.log;
events { worker_connections 1024; }
http {
  access_log $PWD/access.log; default_type text/html; root $PWD/site; keepalive_requests 100000;
  types { text/html html; text/plain txt; application/octet-stream bin; }
  gzip on; gzip_min_length 1; gzip_types text/plain;
  client_body_temp_path $PWD/temp; proxy_temp_path $PWD/temp; fastcgi_temp_path $PWD/temp;
  uwsgi_temp_path $PWD/temp; scgi_temp_path $PWD/temp;
  ssl_certificate $PWD/good.pem; ssl_certificate_key $PWD/good.key;
  server { listen 127.0.0.1:$port; add_header Set-Cookie "seen=1";
    location = /moved { return 301 http://localhost:$port/p1.html; }
    location /echo { return 200 "\$request_method \$http_host|\$http_user_agent|\$http_from|\$http_referer|\$http_authorization|\$http_cookie|\$http_accept_encoding|\$http_x_mine"; }
    location /away { return 302 http://localhost:$port/echo; }
    location /crawl { limit_rate 1k; alias $PWD/site; }
  }
  server { listen 127.0.0.1:$tls ssl; }
  server { listen 127.0.0.1:$h2 ssl http2; keepalive_requests 20; }
  server { listen 127.0.0.1:$wrong ssl; ssl_certificate $PWD/bad.pem; ssl_certificate_key $PWD/bad.key; }
}
CONF
  nginx -c "$PWD/nginx.conf" -p "$PWD" 3>&-
  python3 "$SPINNERET_ROOT/tests/support/hostile-server-dns.py" dns-port dns-log 3>&- &
  echo $! >dns-pid
  for _ in {1..100}; do [[ -s dns-port && -s nginx.pid ]] && break; sleep 0.1; done
  export base=http://127.0.0.1:$port dns=127.0.0.1:$(cat dns-port) files=$PWD
}
teardown_file() {
  kill "$(cat "$BATS_FILE_TMPDIR/nginx.pid")" "$(cat "$BATS_FILE_TMPDIR/dns-pid")"
}

get() { fetch --allow-private "$@"; }
pages() { seq -f "$base/p%.0f.html" "$1"; }

@test "one record for one line, its fields first, the outcome last" {
  printf '%s\tdepth=2\tmine=\\q\t\todd column\n' "$base/p1.html" | get >out
  (($(wc -l <out) == 1))
  grep -qP '^\Q'"$base"'/p1.html\E\tdepth=2\tmine=\\q\t\todd column\tstatus=200\thttp=1.1\ttype=text/html\t' out
  grep -qP '\tsize=46\t.*\tdigest=[0-9a-f]{32}\tbody=<html>page 1 .*</html>\\n\toutcome=ok$' out
}

@test "300 pages: each once, each right" {
  pages 300 | get -j 20 >out
  (($(wc -l <out) == 300))
  (($(cut -f1 out | sort -u | wc -l) == 300))
  awk -F'\t' '{split($1, n, /p|\.html/); if ($0 !~ "body=<html>page " n[length(n) - 1] " ") exit 1}' out
}

@test "a body comes back byte for byte, whatever is in it" {
  get --json "$base/odd.txt" | python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["body"]))' >out
  [[ $(cat out) == "'a\\tb\\r\\nc\\\\d\\x00e'" ]]
  get "$base/odd.txt" | grep -qF 'body=a\tb\r\nc\\d\0e'
  get --raw "$base/large.bin" | cmp - "$files/site/large.bin"
}

@test "gzip on the wire: size is that of the decoded body, wire-size what came" {
  get "$base/p7.html" >out
  grep -q 'size=46.*wire-size=[0-9]' out
  grep -q 'body=<html>page 7' out
}

@test "a record with an outcome passes untouched, at once" {
  printf 'http://x.example/\tbody=\\q\tstatus=1\toutcome=ok\n' | get >out
  [[ $(cat out) == 'http://x.example/'$'\t''body=\q'$'\t''status=1'$'\t''outcome=ok' ]]
}

@test "fields of an earlier fetch are replaced" {
  printf '%s\tstatus=999\tbody=old\terror=x\tsize=1\tmine=1\n' "$base/p1.html" | get >out
  (($(tr '\t' '\n' <out | grep -c '^status=') == 1))
  run ! grep -q 'error=' out
  ! grep -q 'body=old' out
}

@test "--ordered: records in the order of the input, slow ones and settled ones too" {
  {
    echo "$base/crawl/p1.html"
    pages 50
    printf 'http://settled.example/\toutcome=ok\n'
    echo "http://127.0.0.1:1/"
    pages 20
  } >in
  get --ordered --no-body <in >out
  cut -f1 in | cmp - <(cut -f1 out)
}

@test "a slow pipe: each line is answered while standard input stays open" {
  mkfifo to
  fetch --allow-private --no-body <to >out &
  local pid=$!
  exec 7>to
  for i in 1 2 3; do
    echo "$base/p$i.html" >&7
    for _ in {1..50}; do (($(wc -l <out) == i)) && break; sleep 0.1; done
    (($(wc -l <out) == i))
  done
  # Half a line holds nothing up.
  printf '%s' "$base/p4." >&7
  sleep 0.2
  exec 7>&-
  wait $pid
  (($(wc -l <out) == 4))
}

@test "redirects are facts: location is absolute, and nothing is followed" {
  get --no-body "$base/moved" >out
  grep -q "status=301.*location=http://localhost:$port/p1.html.*outcome=moved" out
}

@test "what is no URL and what is no http: a message, a record, status 1" {
  run -1 --separate-stderr get $'http://a b/\tx=1' ftp://x.example/
  [[ $output == *"x=1"*"outcome=blocked-by-policy"*"neither http nor https"*"outcome=blocked-by-policy" ]]
  (($(grep -c '^fetch: argument:[12]: ' <<<"$stderr") == 2))
}

@test "every spelling of loopback is refused, and private names too" {
  export SPINNERET_DNS=$dns
  run -1 fetch --fields=outcome,error "http://127.0.0.1:$port/" "http://localhost:$port/" "http://127.1:$port/" \
    "http://0x7f000001:$port/" "http://2130706433:$port/" "http://0177.0.0.1:$port/" "http://[::1]:$port/" \
    "http://[::ffff:127.0.0.1]:$port/" "http://[::ffff:7f00:1]:$port/" "http://[64:ff9b::7f00:1]:$port/" \
    "http://127.0.0.1.:$port/" "http://①②⑦.0.0.1:$port/" "http://0:$port/" "http://[fe80::1]/" "http://[fd00::1]/" \
    http://100.64.0.1/ http://169.254.169.254/ http://10.1.2.3/ http://172.31.0.1/ http://192.168.1.1/ \
    http://good1.test/ http://private.test/ http://metadata.test/ http://224.0.0.1/ http://255.255.255.255/
  (($(grep -c '^refused-address' <<<"$output") == 25))
}

@test "--allow opens one range, and no other" {
  export SPINNERET_DNS=$dns
  run -1 fetch --allow=127.0.0.0/8 --fields=url,outcome "http://good1.test:$port/p1.html" "http://private.test/"
  [[ $output == *"good1.test:$port/p1.html"$'\t'ok* && $output == *"private.test/"$'\t'refused-address* ]]
  # Of several addresses only those that are allowed are used.
  [[ $(fetch --allow=127.0.0.0/8 --fields=outcome,ip "http://mixed.test:$port/p1.html") == ok$'\t'127.0.0.1 ]]
  run -2 fetch --allow=10.0.0.1/8
  [[ $output == *"bits set"* ]]
}

@test "a name that resolves differently the second time gets nowhere" {
  export SPINNERET_DNS=$dns
  { echo "http://rebind.test:$port/p1.html"; sleep 6; echo "http://rebind.test:$port/p2.html"; } |
    fetch --allow=127.0.0.0/8 --fields=outcome,error >out || true
  [[ $(cat out) == ok$'\t'$'\n'refused-address$'\t'"10.0.0.1 is private" ]]
}

@test "names: TTLs are kept, failures have their reasons" {
  export SPINNERET_DNS=$dns
  : >"$files/dns-log"
  for i in {1..40}; do echo "http://good2.test:$port/p$i.html"; done | get -j 1 --no-body | grep -c outcome=ok | grep -qx 40
  (($(grep -c '^1 good2.test' "$files/dns-log") == 1))
  get --fields=outcome,error http://nowhere.test/ http://fail.test/ >out
  grep -qx "dns-failed"$'\t'"no such host" out
  grep -qx "dns-failed"$'\t'"name server failed or is not there" out
}

@test "three names that take eight seconds cost 2,000 good ones nothing" {
  export SPINNERET_DNS=$dns
  { for i in 1 2 3; do echo "http://slow$i.test:$port/p$i.html"; done
    for i in {1..2000}; do echo "http://good$((i % 40)).test:$port/p$((i % 300 + 1)).html"; done; } >in
  get --no-body <in | while IFS= read -r line; do printf '%s\t%s\n' "$SECONDS" "$line"; done >out
  (($(grep -c outcome=ok out) == 2003))
  # The slow ones come last, and the last of the others long before.
  [[ $(tail -n 3 out | cut -f2 | grep -c slow) == 3 ]]
  last=$(tail -n 4 out | head -n 1 | cut -f1) first=$(head -n 1 out | cut -f1)
  ((last - first <= 4))
}

@test "a host that never answers does not hold up the others, nor its own list for long" {
  python3 -c '
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
fill = [socket.socket() for _ in range(4)]
for f in fill: f.setblocking(False); f.connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True); time.sleep(60)' >silent-port &
  local pid=$!
  for _ in {1..50}; do [[ -s silent-port ]] && break; sleep 0.1; done
  { for i in {1..50}; do echo "http://127.0.0.1:$(cat silent-port)/$i"; done; pages 200; } >in
  SECONDS=0
  get -j 4 --limit=connect=2 --no-body <in >out
  kill $pid
  ((SECONDS <= 6))
  (($(grep -c outcome=ok out) == 200))
  (($(grep -c outcome=timeout out) == 50))
}

@test "identity: agent, contact, headers; no secrets, no environment" {
  export http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
  HOME=$PWD
  printf 'machine 127.0.0.1 login u password p\n' >.netrc
  get --raw --agent=testbot --from=me@example.org -H 'X-Mine: yes' "$base/echo" >out
  [[ $(cat out) == "GET 127.0.0.1:$port|testbot/"*" (+me@example.org)|me@example.org||||gzip, br, zstd|yes" ]]
  get --raw "http://user:secret@127.0.0.1:$port/echo" >out
  run ! grep -q 'Basic' out
  printf '%s\tvia=http://u:p@127.0.0.1:%s/from?x#y\n' "$base/echo" "$port" | get --referer >out
  grep -q "|http://127.0.0.1:$port/from?x|" out
  printf '%s\tvia=https://secret.example/from\n' "$base/echo" | get --referer >out
  grep -q 'Spinneret/[0-9.]*||||' out
  run -2 get --agent= "$base/echo"
  [[ $output == *"--agent must name"* ]]
  run -2 get --agent=$'x\r\nEvil: 1' "$base/echo"
  run -2 get -H 'Host: other' "$base/echo"
}

@test "--auth: to its origin, and to no other, on a hop either" {
  printf '# mine\n%s basic me:pass\n' "$base" >auth
  get --raw --auth=auth "$base/echo" | grep -qF '|Basic bWU6cGFzcw==|'
  get --raw --auth=auth --follow=2 "$base/away" >out
  run ! grep -q Basic out
  printf '%s bearer to ken\nhttp://x/ digest a:b\n' "$base" >auth
  run -2 get --auth=auth "$base/echo"
  [[ $output == *"line 2: scheme must be basic or bearer"* && $output != *"a:b"* ]]
}

@test "--cookies: only with it" {
  printf '%s\n%s\n' "$base/p1.html" "$base/echo" | get -j 1 | grep echo >out
  run ! grep -q 'seen=1' out
  printf '%s\n%s\n' "$base/p1.html" "$base/echo" | get -j 1 --cookies=jar | grep -q '|seen=1|'
  grep -q seen jar
}

@test "--store: files named by digest, each once, whole" {
  { pages 20; echo "$base/p1.html?again"; echo "$base/p999.html"; } | get --store=store >out
  (($(find store -type f | wc -l) == 20))
  (($(grep -c body-file= out) == 21))
  run ! grep -q 'body=' out
  file=$(grep 'p5.html' out | tr '\t' '\n' | sed -n 's/^body-file=//p')
  cmp "$file" "$files/site/p5.html"
  [[ ${file//\/} == store$(grep 'p5.html' out | tr '\t' '\n' | sed -n 's/^digest=//p') ]]
  # What is there stays; a file with the name and other bytes is not taken for the body.
  echo wrong >"$file"
  get --store=store "$base/p5.html" >out
  grep -q "body-file=$file.1" out
  cmp "$file.1" "$files/site/p5.html"
}

@test "--digest=sha256 is sha256" {
  [[ $(get --digest=sha256 --fields=digest "$base/p3.html") == $(sha256sum <"$files/site/p3.html" | cut -d' ' -f1) ]]
  if command -v xxh128sum >/dev/null; then
    [[ $(get --fields=digest "$base/p3.html") == $(xxh128sum <"$files/site/p3.html" | cut -d' ' -f1) ]]
  fi
}

@test "--warc: request and response, revisit, offsets; never an old file" {
  printf '%s\n' "$base/p1.html" "$base/p2.html" "$base/p1.html?again" "$base/p999.html" >in
  get -j 1 --warc=out.warc.gz --from=me@example.org <in >out
  zcat out.warc.gz >plain
  (($(grep -c '^WARC/1.1' plain) == 9))
  (($(grep -ac '^WARC-Type: response' plain) == 3))
  (($(grep -ac '^WARC-Type: request' plain) == 4))
  (($(grep -ac '^WARC-Type: revisit' plain) == 1))
  while IFS=$'\t' read -r url file offset; do
    tail -c +$((offset + 1)) "$file" | gzip -dc 2>/dev/null | head -n 12 | tr -d '\r' >record
    grep -qxF "WARC-Target-URI: $url" record
  done < <(sed -E 's/\t.*warc-file=([^\t]*)\twarc-offset=([0-9]*).*/\t\1\t\2/' out)
  # The payload is the body as it came, in its coding.
  tail -c +1 out.warc.gz | python3 -c '
import gzip, hashlib, base64, re, sys
data = gzip.decompress(sys.stdin.buffer.read())
for record in re.split(rb"\r\n\r\n(?=WARC/1.1\r\n)", data):
    head, _, block = record.partition(b"\r\n\r\n")
    if b"Type: warcinfo" in head: continue
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    block = block[:length]
    assert len(block) == length
    digest = "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode()
    assert digest.encode() in head, head
'
  cp out.warc.gz before
  get --warc=out.warc.gz "$base/p1.html" >out
  cmp before out.warc.gz
  grep -q 'warc-file=out-00001.warc.gz' out
}

@test "--limit=warc: a file that is full is followed by another" {
  pages 30 | get --warc=w.warc --limit=warc=4K >out
  (($(ls w*.warc | wc -l) > 3))
  for file in w*.warc; do head -c 8 "$file" | grep -q WARC/1.1; done
}

@test "--raw: bodies, and messages for what failed" {
  get --raw "$base/p1.html" "$base/p2.html" | sort | cmp - <(sort "$files/site/p1.html" "$files/site/p2.html")
  run -1 --separate-stderr get --raw "$base/none"
  [[ -z $output && $stderr == *"not-found, status 404"* ]]
}

@test "--head asks for headers only" {
  get --head "$base/p1.html" >out
  grep -q 'status=200' out
  run ! grep -q 'body=' out
  get --head "$base/echo" >/dev/null
  tail -n 5 "$files/access.log" | grep -q '"HEAD /echo'
}

@test "--per-host bounds transfers, and an empty body is a body" {
  pages 50 | get --per-host=1 --no-body | grep -c outcome=ok | grep -qx 50
  get "$base/empty.html" | grep -qP 'size=0\t.*body=\toutcome=ok'
}

@test "TLS: trust is asked for; the wrong certificate is told" {
  run get --fields=outcome "https://127.0.0.1:$tls/p1.html"
  [[ $output == tls-failed ]]
  export SSL_CERT_FILE=$files/good.pem
  [[ $(get --fields=outcome,status "https://127.0.0.1:$tls/p1.html") == ok$'\t'200 ]]
  run get --fields=outcome "https://127.0.0.1:$wrong/p1.html"
  [[ $output == tls-failed ]]
  SSL_CERT_FILE=$files/bad.pem run get --fields=outcome,error "https://127.0.0.1:$wrong/p1.html"
  [[ $output == tls-failed$'\t'*"match"* ]]
  [[ $(get --insecure --fields=outcome,insecure "https://127.0.0.1:$wrong/p1.html") == ok$'\t'true ]]
  run get --fields=outcome "https://127.0.0.1:$port/p1.html"
  [[ $output == tls-failed ]]
}

@test "HTTP/2, over connections that end after 20 requests (GOAWAY)" {
  export SSL_CERT_FILE=$files/good.pem
  for i in {1..300}; do echo "https://127.0.0.1:$h2/p$i.html"; done | get -j 32 --fields=outcome,http,status |
    sort | uniq -c >out
  [[ $(tr -s ' ' <out) == " 300 ok"$'\t'2$'\t'200 ]]
}

@test "--proxy: explicit, and used" {
  run get --proxy=http://127.0.0.1:1 --fields=outcome "$base/p1.html"
  [[ $output == connect-failed ]]
}

@test "--limit=rate: no faster than that" {
  SECONDS=0
  get --limit=rate=100K --no-body "$base/large.bin" | grep -q outcome=ok
  ((SECONDS >= 2))
}

@test "--timeout and --max-size" {
  get --timeout=0.5 --fields=outcome,error "$base/crawl/large.bin" | grep -q $'timeout\tnot done within 0.5 s'
  get --max-size=1000 --fields=outcome,error "$base/large.bin" | grep -q 'too-large.*larger than 1000'
}

@test "SIGTERM: ends within five seconds, every line that was taken answered" {
  mkfifo to
  fetch --allow-private -j 4 --no-body <to >out &
  local pid=$!
  exec 7>to
  { for i in {1..40}; do echo "$base/crawl/large.bin?$i"; done; pages 100; } >&7
  sleep 1
  SECONDS=0
  kill -TERM $pid
  status=0
  wait $pid || status=$?
  ((status == 1))
  ((SECONDS <= 5))
  exec 7>&-
  (($(wc -l <out) == 140))
  (($(grep -c outcome=aborted out) >= 36))
  awk -F'\t' '$NF !~ /^outcome=/ {exit 1}' out
}

@test "SIGTERM with a reader that is stuck: still ends" {
  mkfifo full
  for i in {1..20}; do pages 300; done >in
  sleep 30 <full &
  local reader=$!
  fetch --allow-private --headers <in >full 2>err &
  local pid=$!
  sleep 2
  SECONDS=0
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  ((status == 2))
  ((SECONDS <= 6))
  kill "$reader"
  grep -q 'nobody reads standard output' err
}

@test "--limit=run: a deadline for all" {
  SECONDS=0
  run -1 get --limit=run=1 --fields=outcome "$base/crawl/large.bin" "$base/p1.html"
  ((SECONDS <= 3))
  [[ $output == *ok* && $output == *aborted* && $output == *"time of --limit=run is up"* ]]
}

@test "--stats: counts by outcome" {
  { pages 10; echo "$base/none"; } | get --no-body --stats 2>err >/dev/null
  grep -q '^fetch: 11 URLs in ' err
  grep -q ' ok=10 not-found=1' err || grep -q 'ok=10.*not-found=1' err
}

@test "--timing and --headers add their fields" {
  get --timing --headers --no-body "$base/p1.html" >out
  grep -q 'connect-ms=[0-9.]*.*first-byte-ms=[0-9.]*' out
  grep -q 'header=Server: nginx' out
}

@test "wrong usage is said, with what would be right" {
  for option in --limit=x=1 --limit=connect=soon --slots=0 --digest=md5 --types=html --max-size=big --allow=x \
    '--no-body --raw' --auth=none; do
    # shellcheck disable=SC2086
    run -2 fetch $option "$base/p1.html"
    [[ $output == "fetch: "* ]]
  done
}
