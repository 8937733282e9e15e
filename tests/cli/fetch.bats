#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch against a real server (nginx) on loopback: records, order, limits, signals.

load helper
load servers

setup_file() {
  new_site
  for i in {1..300}; do echo "<html>page $i <a href=/p$((i + 1)).html>next</a></html>" >"site/p$i.html"; done
  head -c 300000 /dev/urandom >site/large.bin
  printf 'a\tb\r\nc\\d\0e' >site/odd.txt
  : >site/empty.html
  start_nginx <<CONF
keepalive_requests 100000; gzip on; gzip_min_length 1; gzip_types text/plain;
server { listen 127.0.0.1:$port;
  location = /moved { return 301 http://localhost:$port/p1.html; }
  location /crawl { limit_rate 1k; alias $PWD/site; }
}
CONF
}
teardown_file() { stop_servers; }

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
    soon '(($(wc -l <out) == i))'
  done
  # Half a line delays nothing.
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

@test "--raw: bodies, and messages for what failed" {
  get --raw "$base/p1.html" "$base/p2.html" | sort | cmp - <(sort "$files/site/p1.html" "$files/site/p2.html")
  run -1 --separate-stderr get --raw "$base/none"
  [[ -z $output && $stderr == *"not-found, status 404"* ]]
}

@test "--head asks for headers only" {
  get --head "$base/p1.html" >out
  grep -q 'status=200' out
  run ! grep -q 'body=' out
  soon "tail -n 5 '$files/access.log' | grep -q '\"HEAD /p1.html'"
}

@test "--per-host bounds transfers, and an empty body is a body" {
  pages 50 | get --per-host=1 --no-body | grep -c outcome=ok | grep -qx 50
  get "$base/empty.html" | grep -qP 'size=0\t.*body=\toutcome=ok'
}

@test "--timeout and --max-size" {
  get --timeout=0.5 --fields=outcome,error "$base/crawl/large.bin" | grep -q $'timeout\tnot done within 0.5 s'
  get --max-size=1000 --fields=outcome,error "$base/large.bin" | grep -q 'too-large.*larger than 1000'
}

@test "SIGTERM: ends soon, every line that was taken answered" {
  mkfifo to
  fetch --allow-private -j 4 --no-body <to >out &
  local pid=$!
  exec 7>to
  { for i in {1..40}; do echo "$base/crawl/large.bin?$i"; done; pages 100; } >&7
  soon "takes_term $pid fetch"
  soon '(($(unread to) == 0))'
  SECONDS=0
  kill -TERM $pid
  status=0
  wait $pid || status=$?
  ((status == 1))
  ((SECONDS <= 60))  # each of the first four takes five minutes
  exec 7>&-
  (($(wc -l <out) == 140))
  (($(grep -c outcome=aborted out) >= 36))
  awk -F'\t' '$NF !~ /^outcome=/ {exit 1}' out
}

@test "SIGTERM with a reader that is stuck: still ends" {
  mkfifo full
  for i in {1..20}; do pages 300; done >in
  sleep 200 <full 3>&- &
  local reader=$!
  fetch --allow-private --headers <in >full 2>err &
  local pid=$!
  soon "takes_term $pid fetch"
  soon 'python3 -c "import os, select; to = os.open(\"full\", os.O_WRONLY | os.O_NONBLOCK)
exit(1 if select.select([], [to], [], 0)[1] else 0)"' # the pipe is full
  SECONDS=0
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  ((status == 2))
  ((SECONDS <= 60))
  kill "$reader"
  grep -q 'nobody reads standard output' err
}

@test "--limit=run: a deadline for all" {
  SECONDS=0
  run -1 get --limit=run=4 --fields=outcome "$base/crawl/large.bin" "$base/p1.html"
  ((SECONDS <= 60))
  [[ $output == *ok* && $output == *aborted* && $output == *"time of --limit=run is up"* ]]
}

@test "--stats: counts by outcome" {
  { pages 10; echo "$base/none"; } | get --no-body --progress 2>err >/dev/null
  grep -q '^fetch: 11 URLs in ' err
  grep -q ' ok=10 not-found=1' err || grep -q 'ok=10.*not-found=1' err
}

@test "--timing and --headers add their fields" {
  get --timing --headers --no-body "$base/p1.html" >out
  grep -q 'connect-ms=[0-9.]*.*first-byte-ms=[0-9.]*' out
  grep -q 'header=Server: nginx' out
}

@test "wrong usage is said, with what would be right" {
  for option in --limit=x=1 --limit=connect=soon --in-flight=0 --digest=md5 --types=html --max-size=big --allow=x \
    '--no-body --raw' --auth=none; do
    # shellcheck disable=SC2086
    run -2 fetch $option "$base/p1.html"
    [[ $output == "fetch: "* ]]
  done
}
