#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What fetch writes into WARC records of the request: its URL however it was spelled, and what the origin was sent, with
# a proxy in between, by HTTP/2, by HEAD.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir site
  echo '<html>page</html>' >site/p.html
  export port tls
  port=$(free_port) tls=$(free_port)
  export base=http://127.0.0.1:$port
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=self -keyout key.pem -out cert.pem 2>/dev/null
  start_nginx <<CONF
server { listen 127.0.0.1:$port; location = /moved { return 302 "http://u:secret@127.0.0.1:$port/p.html?to#there"; } }
server { listen 127.0.0.1:$tls ssl http2; ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem; }
CONF
  start_python hostile-server hostile-port 2>/dev/null
  start_python connect-proxy proxy-port "$PWD/proxy-log"
  export hostile proxy proxy_log=$PWD/proxy-log
  hostile=http://127.0.0.1:$(cat hostile-port)
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
  # The request has the same.
  diff <(sort got) <(grep -P '\trequest' index | cut -f4 | sort)
  # The name of a file is no way in either.
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
  # The proxy was told.
  grep -q '^CONNECT' "$proxy_log"
  (($(grep -c '^Proxy-Authorization: Basic bWU6c2VjcmV0' "$proxy_log") == 4))
}

@test "--proxy: a URL that is none is wrong usage, and its password is not shown" {
  for url in '' foo://u:SECRET@h:1 127.0.0.1:1 http://u:SECRET@h http://u:SECRET@:1 http://u:SECRET@h:0 http://h:65536 \
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
  # Readers of pages take such a record for one without a page.
  run -0 --separate-stderr extract-links out
  [[ -z $stderr ]]
  # A 304 has the size of another answer, if any.
  printf '%s\tetag="v1"\n' "$hostile/conditional" | get >out
  grep -q outcome=not-modified out
  run ! grep -P '\t(size|digest)=' out
}
