#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch and the network: names, address policy, slow hosts, identity and secrets, proxy, bandwidth.

load helper
load servers

setup_file() {
  new_site
  for i in {1..300}; do echo "<html>page $i</html>" >"site/p$i.html"; done
  head -c 120000 /dev/urandom >site/large.bin
  export proxy dns
  proxy=$(free_port)
  listen=$(seq -f "listen 127.0.0.%.0f:$port;" 12)
  # The same port of ::1, if the machine has one.
  export six=
  if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
    six=$(free_port)
    listen+="listen [::1]:$six; listen 127.0.0.1:$six;"
  fi
  start_nginx <<CONF
keepalive_requests 100000;
server { $listen add_header Set-Cookie "seen=1";
  location /echo { return 200 "\$request_method \$http_host|\$http_user_agent|\$http_from|\$http_referer|\$http_authorization|\$http_cookie|\$http_accept_encoding|\$http_x_mine|\$http_via"; }
  location /away { return 302 http://localhost:$port/echo; }
  location /out { add_header Set-Cookie "sid=x;Max-Age=0"; return 200 out; }
  location /wants-407 { return 407; }
  location /home { return 302 $base/echo; }
}
server { listen 127.0.0.1:$proxy; location / { proxy_pass http://\$http_host\$request_uri; proxy_set_header Via proxied;
  proxy_set_header Host \$http_host; } }
CONF
  start_dns
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
pages() { seq -f "$base/p%.0f.html" "$1"; }

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

@test "bug: a name server of SPINNERET_DNS could have a port that is none" {
  local server
  for server in 127.0.0.1:{0,99999,65536} 127.0.0.1:53,[::1]:0; do
    SPINNERET_DNS=$server run -2 fetch http://good1.test/
    [[ $output == "fetch: the port of a name server is from 1 to 65535: $server" ]]
    SPINNERET_DNS=$server run -3 --separate-stderr robots-check -A x http://good1.test/
    [[ $stderr == *"is from 1 to 65535: $server"* ]]
  done
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
  mkfifo to
  fetch --allow=127.0.0.0/8 --fields=outcome,error <to >out 3>&- &
  local pid=$!
  exec 7>to
  echo "http://rebind.test:$port/p1.html" >&7
  soon '[[ -s out ]]'
  sleep 6  # longer than the first answer may be kept
  echo "http://rebind.test:$port/p2.html" >&7
  exec 7>&-
  wait $pid || true
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

@test "three names that are slow to resolve cost 2,000 good ones nothing" {
  export SPINNERET_DNS=$dns
  rm -f "$files/dns-release"
  { for i in 1 2 3; do echo "http://slow$i.test:$port/p$i.html"; done
    for i in {1..2000}; do echo "http://good$((i % 40)).test:$port/p$((i % 300 + 1)).html"; done; } >in
  fetch --allow-private --limit=connect=100 --no-body <in >out 3>&- &
  local pid=$!
  # The name server answers for the slow names only once all the others have come.
  soon '(($(wc -l <out) == 2000))'
  touch "$files/dns-release"
  wait $pid
  (($(grep -c outcome=ok out) == 2003))
  [[ $(tail -n 3 out | grep -c slow) == 3 ]]
}

@test "bug: redirects of other hosts to a host held up all of its own pages" {
  for i in {1..4}; do seq -f "http://127.0.0.%.0f:$port/home?$i" 2 12; done >urls
  for i in {1..30}; do echo "$base/echo?$i"; done >>urls
  get --follow=1 --per-host=1 --wait=0.1 --no-body --fields=url,outcome urls >out
  (($(grep -c $'\tok$' out) == 74))
  # Redirects and own pages took turns while both waited.
  awk '/echo/ {own++; hops = 0} !/echo/ && own < 30 && ++hops > most {most = hops} END {exit most > 3}' out
}

@test "a host that never answers does not hold up the others, nor its own list for long" {
  python3 -c '
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(0)
fill = [socket.socket() for _ in range(4)]
for f in fill: f.setblocking(False); f.connect_ex(s.getsockname())
print(s.getsockname()[1], flush=True); time.sleep(900)' >silent-port &
  local pid=$!
  soon '[[ -s silent-port ]]'
  { seq -f "http://127.0.0.1:$(<silent-port)/%.0f" 400; pages 200; } >in
  SECONDS=0
  get -j 4 --limit=connect=2 --no-body <in >out
  kill $pid
  ((SECONDS < 120))  # 400 URLs, four at a time, would take 200 s if each timed out by itself
  (($(grep -c outcome=ok out) == 200))
  (($(grep -c outcome=timeout out) == 400))
}

@test "bug: a host whose first address does not answer was a timeout, though the next one does" {
  python3 -c '
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.77", int(sys.argv[1]))); s.listen(0)
fill = [socket.socket() for _ in range(4)]
for f in fill: f.setblocking(False); f.connect_ex(s.getsockname())
print("full", flush=True); time.sleep(900)' "$port" >dead-address &
  local pid=$!
  soon '[[ -s dead-address ]]'
  SPINNERET_DNS=$dns run -0 get --limit=connect=6 --fields=outcome,ip "http://deadfirst.test:$port/p1.html"
  kill $pid
  [[ $output == ok$'\t'127.0.0.1 ]]
}

@test "bug: a host of whose machines one closes each connection had no page, though the others have" {
  python3 -c '
import socket, sys
s = socket.create_server(("127.0.0.77", int(sys.argv[1])))
print("open", flush=True)
while True: s.accept()[0].close()' "$port" >closing-address &
  local pid=$!
  soon '[[ -s closing-address ]]'
  SPINNERET_DNS=$dns run -0 get --fields=outcome,ip "http://deadfirst.test:$port/p1.html" "http://deadfirst.test:$port/p2.html"
  kill $pid
  [[ $output == ok$'\t'127.0.0.1$'\n'ok$'\t'127.0.0.1 ]]
}

@test "bug: a name whose server answers no question for IPv6 had no address" {
  SPINNERET_DNS=$dns run -0 get --fields=outcome,ip "http://foursonly1.test:$port/p1.html" "http://foursonly1.test:$port/p2.html"
  [[ $output == ok$'\t'127.0.0.1$'\n'ok$'\t'127.0.0.1 ]]
}

@test "bug: a host whose name begins with a minus sign could not be resolved" {
  SPINNERET_DNS=$dns run -0 get --fields=outcome,ip "http://-good1.test:$port/p1.html" "http://-good1.test:$port/p2.html"
  [[ $output == ok$'\t'127.0.0.1$'\n'ok$'\t'127.0.0.1 ]]
}

@test "identity: agent, contact, headers; no secrets, no environment" {
  export http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
  HOME=$PWD
  printf 'machine 127.0.0.1 login u password p\n' >.netrc
  get --raw --agent=testbot --contact=me@example.org -H 'X-Mine: yes' "$base/echo" >out
  [[ $(cat out) == "GET 127.0.0.1:$port|testbot/"*" (+me@example.org)|me@example.org||||gzip, br, zstd|yes|" ]]
  get --raw "http://user:secret@127.0.0.1:$port/echo" >out
  run ! grep -q 'Basic' out
  printf '%s\tvia=http://u:p@127.0.0.1:%s/from?x#y\n' "$base/echo" "$port" | get --referer >out
  grep -q "|http://127.0.0.1:$port/from?x|" out
  printf '%s\tvia=https://secret.example/from\n' "$base/echo" | get --referer >out
  grep -q 'Spinneret/[0-9.]*||||' out
  run -2 get --agent=' ' "$base/echo"
  [[ $output == *"--agent must name"* ]]
  run -2 get --agent=$'x\r\nEvil: 1' "$base/echo"
  run -2 get -H 'Host: other' "$base/echo"
}

@test "--auth: to its origin, and to no other, on a hop either" {
  printf '# mine\n%s basic me:pass\n' "$base" >auth
  get --raw --auth=auth "$base/echo" | grep -qF '|Basic bWU6cGFzcw==|'
  get --raw --auth=auth --follow=2 "$base/away" >out
  grep -q "^GET localhost:$port|" out
  run ! grep -q Basic out
  # The password goes to no other port, scheme or name, nor to a name that begins with the same letters.
  get --raw --auth=auth "http://127.0.0.2:$port/echo" "http://localhost:$port/echo" >out
  run ! grep -q Basic out
  # Another origin's page cannot make fetch send it anywhere else; after a redirect to its own origin it is sent.
  get --raw --auth=auth --follow=2 "http://127.0.0.2:$port/home" >out
  grep -qF "GET 127.0.0.1:$port|" out
  grep -qF '|Basic bWU6cGFzcw==|' out
  # The password is in no record.
  get --headers --timing --auth=auth "$base/p1.html" >out
  run ! grep -qE 'me:pass|bWU6cGFzcw' out
  printf '%s bearer to ken\nhttp://x/ digest a:b\n' "$base" >auth
  run -2 get --auth=auth "$base/echo"
  [[ $output == *":2: scheme must be basic or bearer"* && $output != *"a:b"* ]]
}

@test "--cookies: only with it" {
  printf '%s\n%s\n' "$base/p1.html" "$base/echo" | get -j 1 | grep echo >out
  run ! grep -q 'seen=1' out
  printf '%s\n%s\n' "$base/p1.html" "$base/echo" | get -j 1 --cookies=jar | grep -q '|seen=1|'
  grep -q seen jar
}

# Regression: each new connection read the file again, so that a cookie came back that a server had deleted.
@test "--cookies: what a server deletes stays deleted" {
  printf '127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\told\n127.0.0.1\tFALSE\t/\tFALSE\t0\tother\tkept\n' >jar
  { echo "$base/echo?0"; echo "$base/out"; seq -f "$base/echo?%.0f" 20; } >in
  get -j 1 --ordered --cookies=jar in >out
  sed -n 1p out | grep -q 'sid=old'
  (($(grep -c 'sid=' out) == 1))
  (($(grep -c 'other=kept' out) == 21))
  grep -q kept jar
  run ! grep -q sid jar
}

# Regression: everybody could read the file.
@test "--cookies: the file is its owner's, and keeps its mode" {
  umask 022
  get --no-body --cookies=new "$base/p1.html" >out
  [[ $(stat -c %a new) == 600 ]]
  grep -q seen new
  chmod 640 new
  get --no-body --cookies=new "$base/p1.html" >out
  [[ $(stat -c %a new) == 640 ]]
}

@test "--cookies: a file that cannot be written is told at once, one that fails at the end, too" {
  run -2 --separate-stderr get --cookies=none/jar "$base/p1.html"
  [[ -z $output && $stderr == "fetch: cannot open none/jar: No such file or directory" ]]
  run -2 --separate-stderr get --cookies=. "$base/p1.html"
  [[ -z $output ]]
  run -2 --separate-stderr get --cookies=/dev/full "$base/p1.html"
  [[ $output == *outcome=ok && $stderr == "fetch: cannot write /dev/full: No space left on device" && -c /dev/full ]]
  run -0 get --cookies=/dev/null "$base/p1.html"
  [[ -c /dev/null ]]
}

@test "bug: a file of 100,000 cookies was read for minutes, without a word" {
  seq 1 10001 | awk '{print "h" $1 ".test\tTRUE\t/\tFALSE\t2000000000\tname\tvalue"}' >many
  run -2 fetch --cookies=many "$base/"
  [[ $output == "fetch: many has more than 10,000 lines, and no more than some 3,300 cookies are kept: leave those in it that are needed" ]]
  (($(wc -l <many) == 10001))
  # To be written to, it may be as it is.
  fetch --allow-private --cookie-jar=many "$base/" >/dev/null
  (($(wc -l <many) < 10))
}

@test "bug: --cookies and --cookie-jar wrote cookies over a list or a table that was named by mistake" {
  local file option
  printf 'name,url\n1,http://h/\n' >list.csv
  printf '# mine\r\n\r\nhttp://h/\tdepth=0\r\n' >urls
  printf '\0\1\2' >binary
  cp list.csv before
  for file in list.csv urls binary; do
    for option in --cookies --cookie-jar; do
      run -2 --separate-stderr get --no-body "$option=$file" "$base/p1.html"
      [[ -z $output && $stderr == "fetch: $file is not a cookie file (Netscape format), and stays as it is" ]]
    done
  done
  cmp list.csv before
  # These may be cookie files: comments alone, words in lower case, and the forms that browsers write.
  for text in '' '# x\n' '\n#HttpOnly_h\tFALSE\t/\tFALSE\t0\ta\tb\n' '.h\ttrue\t/\tFALSE\t0\ta\t\r\n'; do
    printf "$text" >jar
    run -0 get --no-body --cookies=jar "$base/p1.html"
    grep -q seen jar
  done
}

@test "--proxy: explicit, and used; what the environment names is not" {
  get --raw --proxy="http://127.0.0.1:$proxy" "$base/echo" | grep -qF "GET 127.0.0.1:$port|"
  get --raw --proxy="http://127.0.0.1:$proxy" "$base/echo" | grep -q 'proxied$'
  # The proxy resolves names itself, and our name server is not asked.
  : >"$files/dns-log"
  SPINNERET_DNS=$dns get --no-body --proxy="http://127.0.0.1:$proxy" "http://good7.test:$port/echo" >out
  [[ ! -s $files/dns-log ]]
  run get --proxy=http://127.0.0.1:1 --fields=outcome "$base/p1.html"
  [[ $output == connect-failed ]]
  export http_proxy=http://127.0.0.1:$proxy https_proxy=http://127.0.0.1:$proxy ALL_PROXY=http://127.0.0.1:$proxy
  get --raw "$base/echo" >out
  run ! grep -q proxied out
}

@test "bug: 407 of the proxy was an answer of each host, and as robots.txt allowed all" {
  python3 -c '
import http.server
class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.send_error(407)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
print(server.server_port, flush=True); server.serve_forever()' >wants-password &
  local pid=$!
  soon '[[ -s wants-password ]]'
  run -0 get --proxy="http://127.0.0.1:$(<wants-password)" --fields=outcome,error http://h.test/a
  kill $pid
  [[ $output == connect-failed$'\t'"the proxy wants to know who asks: status 407" ]]
  # Where no proxy is used, the 407 is the host's answer.
  run -0 get --fields=outcome "$base/wants-407"
  [[ $output == client-error ]]
}

@test "--limit=rate: no faster than that, all together" {
  began=$(now_ms)
  get --limit=rate=100K --no-body "$base/large.bin" "http://127.0.0.2:$port/large.bin" >out
  (($(grep -c outcome=ok out) == 2))
  # 240 kB, of which a tenth of a second's share and the last piece of each body come at once.
  (($(now_ms) - began >= 1400))
}

@test "--limit=host-rate: no faster than that from each, and hosts side by side" {
  began=$(now_ms)
  seq -f "http://127.0.0.%.0f:$port/large.bin" 12 | get --limit=host-rate=50K --no-body >out
  took=$(($(now_ms) - began))
  (($(grep -c outcome=ok out) == 12))
  # Each host takes two seconds; one after the other the twelve would take 24.
  ((took >= 1000 && took < 15000))
}

@test "IPv6, and IPv4 where nothing listens there" {
  [[ -n $six ]] || skip "no ::1"
  export SPINNERET_DNS=$dns
  [[ $(get --fields=outcome,ip "http://[::1]:$six/p1.html") == ok$'\t'::1 ]]
  [[ $(get --fields=outcome,ip "http://six.test:$six/p1.html") == ok$'\t'::1 ]]
  get --fields=outcome "http://both.test:$six/p1.html" | grep -qx ok
  # Of the name's two addresses only 127.0.0.1 answers at this port.
  [[ $(get --fields=outcome,ip "http://both1.test:$port/p1.html") == ok$'\t'127.0.0.1 ]]
  # The policy holds for each address of a name.
  [[ $(fetch --allow=127.0.0.0/8 --fields=outcome,ip "http://both2.test:$six/p1.html") == ok$'\t'127.0.0.1 ]]
  run -1 fetch --fields=outcome "http://six1.test:$six/p1.html"
  [[ $output == refused-address ]]
}

@test "a name server that does not answer is given up after --limit=connect, or --timeout" {
  export SPINNERET_DNS=$dns
  get --limit=connect=1 --fields=outcome,error http://silent.test/ >out
  get --timeout=1 --fields=outcome,error http://silent.test/ >>out
  (($(grep -cx "dns-failed"$'\t'"name server does not answer within 1 s" out) == 2))
  # c-ares 1.18 goes on waiting after a malformed answer; 1.34 reports it.
  run get --limit=connect=1 --fields=outcome,error http://junk.test/
  [[ $output == dns-failed$'\t'@("name server does not answer within 1 s"|"Misformatted DNS reply") ]]
}

@test "hundreds of names that nobody answers for hold up no good one" {
  export SPINNERET_DNS=$dns
  {
    seq -f 'http://silent%.0f.test/' 300
    for i in {1..40}; do echo "http://good$i.test:$port/p$i.html"; done
  } >in
  get --no-body --limit=connect=12 in >out
  # All good names come before the first that is given up.
  (($(head -n 40 out | grep -c outcome=ok) == 40))
  (($(grep -c outcome=dns-failed out) == 300))
}

@test "who does not say who he is gets six transfers of a host, and is told how to" {
  fetch --help | grep -q 'SPINNERET_AGENT'
  # Nobody answers; only the notice is tested.
  fetch --per-host=7 --timeout=1 --retry-connect=0 --allow-private http://127.0.0.1:1/ >out 2>err
  grep -qx 'fetch: a host gets 6 transfers at a time, not 7, from a crawler without a name: give --agent or SPINNERET_AGENT' err
  SPINNERET_AGENT=bot fetch --per-host=7 --retry-connect=0 --allow-private http://127.0.0.1:1/ >out 2>err
  fetch --agent=bot --per-host=7 --retry-connect=0 --allow-private http://127.0.0.1:1/ >out 2>>err
  [[ ! -s err ]]
}

@test "-4, -6 and --interface say where connections go" {
  one() { fetch --allow-private --retry-connect=0 --fields=outcome,error "$@" http://127.0.0.1:1/; }
  [[ $(one -6) == $'refused-address\t127.0.0.1 is IPv4' ]]
  [[ $(one -4) == connect-failed* ]]
  # bug: with a proxy these two had no effect
  [[ $(one -6 --proxy=http://127.0.0.1:1) == $'refused-address\t127.0.0.1 is IPv4' ]]
  [[ $(one -4 --proxy='http://[::1]:1') == $'refused-address\t::1 is IPv6' ]]
  [[ $(one -4 --proxy=http://127.0.0.1:1) == connect-failed* ]]
  [[ $(one -4 --interface=127.0.0.9) == connect-failed* ]]
  run -2 --separate-stderr one --interface=nosuch0
  [[ $output == $'aborted\tcannot make a socket: No such device' ]]
  run -2 --separate-stderr one --interface=::1
  [[ $output == aborted* ]]
  run -2 one -4 -6
  [[ $output == *"--ipv4 and --ipv6 exclude each other"* ]]
  run -2 one --interface='a b'
  [[ $output == *"--interface takes a name such as eth0 or an address, not"* ]]
}

@test "options that cannot be had as they were given are wrong usage" {
  run -2 fetch --key=some http://127.0.0.1:1/
  [[ $output == *"--key needs its --cert"* ]]
  run -2 fetch --cert=missing.pem http://127.0.0.1:1/
  [[ $output == *"--cert: "*missing.pem* ]]
  # bug: a folder, which can be opened, was reported in each record only
  run -2 fetch --cert=. http://127.0.0.1:1/
  [[ $output == "fetch: --cert: cannot read .: Is a directory"* ]]
  # bug: a crawl lost its pipeline to each https page, and was told the reason only at the fifth
  for file in missing.pem .; do
    SSL_CERT_FILE=$file run -2 fetch http://127.0.0.1:1/
    [[ $output == "fetch: SSL_CERT_FILE: cannot "*" $file: "* ]]
  done
  run -2 fetch -L --raw http://127.0.0.1:1/
  [[ $output == *'--follow (-L) takes a number of redirects, but what follows it is "--raw"'* ]]
  # Debian's libcurl has no HTTP/3; where it has, the option is taken.
  run fetch --http3 --retry-connect=0 --allow-private http://127.0.0.1:1/
  [[ $output == *"was built without it"* || $output == *outcome=connect-failed ]]
}
