#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a page costs: fetch beside bare libcurl, curl --parallel, wget2 and aria2, on real pages of loopback nginx, in
# one run. All fetch 64 pages of the one host at a time; fetch needs --per-host=64, since its default of 6 is meant for
# hosts of others.
#
#   tests/bench/fetch.sh [PAGES] [ROUNDS]
#
# Then loads that must cost little: 2,000 at a time with half a second of latency, 100 hosts that never answer beside
# 100 good ones, three names that take eight seconds among 4,000 lines, 1,000 hosts over TLS, 10,000 hosts with pages of
# 240 KB, and the memory of ten times the list (LONGEST=1000000 for the long form).
#
# Pages are the HTML files below /usr/share/doc (python3-doc, debian-reference-en and the like); where there are too
# few, they are asked for again with other queries. Columns: user and system CPU in µs a page, pages a second, MB of
# memory, pages that came. Compare within one run; the machine may be noisy.
set -u
pages=${1:-20000}
rounds=${2:-3}
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
: "${SPINNERET_BIN:=$here/../../build/bin}"
# fetch takes as many from one host as the others do.
fetch=("$SPINNERET_BIN/fetch" --agent=bench --per-host=64 --allow-private)
head=('User-Agent: bench/0.2.0' 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  'Accept-Language: en,*;q=0.5' 'Accept-Encoding: gzip, br, zstd')
work=$(mktemp -d)
trap 'kill $(cat "$work/nginx.pid") $servers 2>/dev/null; rm -rf "$work"' EXIT
servers=
cd "$work" || exit 2

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port) tls1=$(free_port) tls2=$(free_port)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench \
  -keyout tls.key -out tls.pem 2>/dev/null
cat >nginx.conf <<CONF
worker_processes 1; pid $work/nginx.pid; error_log $work/error.log;
events { worker_connections 8192; }
http {
  access_log off; types { text/html html; } root /usr/share/doc; sendfile on; tcp_nopush on;
  keepalive_requests 10000000; open_file_cache max=5000;
  client_body_temp_path $work; proxy_temp_path $work; fastcgi_temp_path $work; uwsgi_temp_path $work; scgi_temp_path $work;
  server { listen 0.0.0.0:$port backlog=4096; location = /of-240-KB { default_type text/html; root $work; } }
  ssl_certificate $work/tls.pem; ssl_certificate_key $work/tls.key; ssl_protocols TLSv1.3;
  server { listen 0.0.0.0:$tls1 ssl backlog=4096; }
  server { listen 0.0.0.0:$tls2 ssl http2 backlog=4096; }
}
CONF
head -c 184320 /dev/urandom | base64 -w 79 >of-240-KB
PATH=$PATH:/usr/sbin nginx -c "$work/nginx.conf" -p "$work" || exit 2
base=http://127.0.0.1:$port
# Files have at most 300 KB: one page of 8 MB would be all that the memory column shows.
find -L /usr/share/doc -name '*.html' -type f -size -300k 2>/dev/null | grep -v '[^A-Za-z0-9._/-]' |
  sed "s|^/usr/share/doc|$base|" | head -n "$pages" >some
[[ -s some ]] || { echo "no pages below /usr/share/doc: scripts/setup bench" >&2; exit 2; }
: >urls
for ((i = 0; $(wc -l <urls) < pages; i++)); do sed "s|\$|?$i|" some >>urls; done
head -n "$pages" urls >list && mv list urls
sed 's|.*|url = "&"\noutput = "/dev/null"|' urls >curl.conf

# measure NAME COUNT COMMAND...: prints CPU and memory of one run; COUNT is evaluated afterwards and tells how many
# pages came.
measure() {
  local name=$1 count=$2
  shift 2
  rm -rf out
  /usr/bin/time -o times -f '%e %U %S %M' "$@" >out 2>err
  tail -n 1 times | awk -v name="$name" -v pages="$pages" -v came="$(eval "$count")" \
    '{printf "%-34s %7.1f µs/page  %8.0f pages/s  %7.1f MB  %7d came\n", name, ($2 + $3) * 1e6 / pages, pages / $1, $4 / 1024, came}'
}

records() { grep -c 'outcome=ok$' out; }
for ((round = 1; round <= rounds; round++)); do
  echo "round $round, $pages pages"
  measure 'fetch --no-body' records "${fetch[@]}" --no-body <urls
  measure 'fetch (inline bodies to a file)' records "${fetch[@]}" <urls
  measure 'fetch --store' records "${fetch[@]}" --store="$work/store" <urls
  rm -rf "$work/store"
  if [[ -x $SPINNERET_BIN/bench-fetch_bare ]]; then
    measure 'bare libcurl, bodies dropped' 'cat out' "$SPINNERET_BIN/bench-fetch_bare" 64 <urls
    measure 'bare libcurl, with the head of fetch' 'cat out' "$SPINNERET_BIN/bench-fetch_bare" 64 "${head[@]}" <urls
  fi
  measure 'curl --parallel' 'grep -c 200 out' \
    curl --silent --parallel --parallel-max 64 --write-out '%{http_code}\n' --config curl.conf
  if command -v wget2 >/dev/null; then
    measure 'wget2' 'grep -c "HTTP response 200" out' \
      wget2 --max-threads=64 --no-robots --progress=none --input-file=urls --output-document=/dev/null
  fi
  if command -v aria2c >/dev/null; then
    # aria2 cannot discard what it fetches.
    measure 'aria2c (bodies to files)' 'find aria -type f | wc -l' \
      timeout 300 aria2c --quiet --max-concurrent-downloads=64 --input-file=urls --dir=aria --file-allocation=none
    rm -rf aria
  fi
done

# last NAME COMMAND...: prints the CPU of one run, and the time until the last page that is not slow by intention.
last() {
  local name=$1
  shift
  /usr/bin/time -o times -f '%U %S' "$@" | python3 -c '
import sys, time
began = time.monotonic()
last = count = 0
for line in sys.stdin.buffer:
    if line.endswith(b"outcome=ok\n") and not line.startswith(b"http://slow"):
        last, count = time.monotonic() - began, count + 1
print("%.2f %d" % (last, count))' >came
  tail -n 1 times | paste -d ' ' - came |
    awk -v name="$name" '{printf "%-34s %7.2f s CPU  %7.2f s until the last good page  %7d came\n", name, $1 + $2, $3, $4}'
}

if [[ -x $SPINNERET_BIN/bench-fetch_server ]]; then
  "$SPINNERET_BIN/bench-fetch_server" 20000 500 >slow-port &
  servers+=" $!"
  sleep 0.5
  seq -f "http://127.0.0.1:$(cat slow-port)/%.0f" "$pages" >slow
  measure '2,000 at a time, 500 ms latency' records "${fetch[@]}" --no-body --in-flight=2000 --per-host=2000 slow
  if [[ -x $SPINNERET_BIN/bench-fetch_bare ]]; then
    measure 'bare libcurl, 2,000 at a time, 500 ms latency' 'cat out' "$SPINNERET_BIN/bench-fetch_bare" 2000 <slow
  fi
fi

# 100 addresses of loopback whose queues of connections are full.
python3 -c '
import socket, time
keep, port = [], 0
for i in range(1, 101):
    s = socket.socket()
    s.bind(("127.1.0.%d" % i, port))
    port = s.getsockname()[1]
    s.listen(0)
    for _ in range(3):
        c = socket.socket()
        c.setblocking(False)
        c.connect_ex(s.getsockname())
        keep += [s, c]
print(port, flush=True)
time.sleep(3600)' >silent-port &
servers+=" $!"
until [[ -s silent-port ]]; do sleep 0.1; done
awk -v base="$base" -v port="$port" \
  '{sub(base, ""); printf "http://127.2.0.%d:%d%s\n", NR % 100 + 1, port, $0}' urls | head -n 10000 >good
awk -v port="$(cat silent-port)" '{print} NR % 5 == 0 {printf "http://127.1.0.%d:%d/%d\n", NR / 5 % 100 + 1, port, NR}' \
  good >mixed
for ((round = 1; round <= rounds; round++)); do
  last '100 good hosts' "${fetch[@]}" --no-body good
  last 'beside 100 that never answer' "${fetch[@]}" --no-body --limit=connect=2 mixed
done

python3 "$here/../support/hostile-server-dns.py" dns-log >dns-port &
servers+=" $!"
until [[ -s dns-port ]]; do sleep 0.1; done
awk -v base="$base" -v port="$port" '{sub(base, ""); printf "http://good%d.test:%d%s\n", NR % 40, port, $0}' urls |
  head -n 4000 >named
{ for i in 1 2 3; do sed "s/good[0-9]*/slow$i/;q" named; done; cat named; } >named-slow
SPINNERET_DNS=127.0.0.1:$(cat dns-port)
export SPINNERET_DNS
for ((round = 1; round <= rounds; round++)); do
  last '4,000 lines, 40 names' "${fetch[@]}" --no-body named
  last 'and three names that take 8 s' "${fetch[@]}" --no-body named-slow
done

# 1,000 hosts (addresses of loopback; HOSTS=N sets another number) over TLS 1.3: the first page of each, which needs a
# handshake, and ten of each in ten rounds, which use kept connections.
page=$(head -n 1 some)
page=${page#"$base"}
for ((k = 0; k < 10; k++)); do
  for ((i = 0; i < ${HOSTS:-1000}; i++)); do printf '127.3.%d.%d %s?%d\n' $((i / 250)) $((i % 250 + 1)) "$page" "$k"; done
done >hosts
for tls in "$tls1" "$tls2"; do
  version=HTTP/1.1
  [[ $tls == "$tls1" ]] || version=HTTP/2
  awk -v port="$tls" '{print "https://" $1 ":" port $2}' hosts >tens
  grep '?0$' tens >firsts
  for list in firsts tens; do
    sed 's|.*|url = "&"\noutput = "/dev/null"|' "$list" >curl.conf
    pages=$(wc -l <"$list")
    measure "fetch, TLS, $version, $list" records "${fetch[@]}" --insecure --no-body "$list"
    measure "curl --parallel, TLS, $version, $list" 'grep -c 200 out' \
      curl --silent --insecure --parallel --parallel-max 64 --write-out '%{http_code}\n' --config curl.conf
  done
done

# Pages of a common size, each of another host (address of loopback).
awk -v port="$port" 'BEGIN {for (i = 0; i < 10000; i++) printf "http://127.%d.%d.%d:%d/of-240-KB\n", 4 + int(i / 62500), int(i / 250) % 250, i % 250 + 1, port}' >large
sed 's|.*|url = "&"\noutput = "/dev/null"|' large >curl.conf
for ((round = 1; round <= rounds; round++)); do
  pages=10000 measure '240 KB of 10,000 hosts' records "${fetch[@]}" --no-body large
  pages=10000 measure '240 KB of 10,000 hosts, inline' records "${fetch[@]}" large
  pages=10000 measure 'curl --parallel, 240 KB of 10,000 hosts' 'grep -c 200 out' \
    curl --silent --parallel --parallel-max 64 --write-out '%{http_code}\n' --config curl.conf
done

for ((count = 10000; count <= ${LONGEST:-100000}; count *= 10)); do
  pages=$count measure "$count lines: memory" records "${fetch[@]}" --no-body \
    <(awk -v n="$count" '{u[NR] = $0} END {for (i = 0; i < n; i++) print u[i % NR + 1] "?" i}' urls)
done
