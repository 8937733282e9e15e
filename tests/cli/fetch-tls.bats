#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch over TLS: which certificates are trusted, sessions, HTTP/2.

load helper
load servers

# certificate NAME SUBJECT-ALT-NAME [START END]: signed by the authority ca.pem.
certificate() {
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  printf 'subjectAltName=%s\n' "$2" >"$1.ext"
  openssl ca -batch -notext -config ca.conf -extfile "$1.ext" -in "$1.csr" -out "$1.pem" \
    -startdate "${3:-20200101000000Z}" -enddate "${4:-20491231000000Z}" 2>/dev/null
}

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir -p site certs
  for i in {1..200}; do echo "<html>page $i</html>" >"site/p$i.html"; done
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=authority" -keyout ca.key -out ca.pem 2>/dev/null
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=self" -addext "subjectAltName=IP:127.0.0.1" \
    -keyout self.key -out self.pem 2>/dev/null
  : >certs/index
  echo 01 >certs/serial
  cat >ca.conf <<CONF
[ca]
default_ca = this
[this]
new_certs_dir = certs
database = certs/index
serial = certs/serial
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
CONF
  certificate good IP:127.0.0.1,DNS:localhost
  certificate expired IP:127.0.0.1 20200101000000Z 20210101000000Z
  certificate future IP:127.0.0.1 20480101000000Z
  certificate wrong DNS:elsewhere.example
  certificate client DNS:crawler.example
  export good expired future wrong self h2 brief plain old closed
  for name in good expired future wrong self h2 brief plain old closed; do printf -v "$name" %s "$(free_port)"; done
  {
    echo "ssl_session_cache shared:s:1m; log_format tls '\$ssl_session_reused \$server_port'; access_log $PWD/tls.log tls;"
    for name in good expired future wrong self; do
      echo "server { listen 127.0.0.1:${!name} ssl; ssl_certificate $PWD/$name.pem; ssl_certificate_key $PWD/$name.key; }"
    done
    echo "ssl_certificate $PWD/good.pem; ssl_certificate_key $PWD/good.key;"
    echo "server { listen 127.0.0.1:$h2 ssl http2; keepalive_requests 20; }"
    echo "server { listen 127.0.0.1:$brief ssl; keepalive_requests 1; }"
    echo "server { listen 127.0.0.1:$old ssl; ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0; }"
    echo "server { listen 127.0.0.1:$plain; }"
    echo "server { listen 127.0.0.1:$closed ssl; ssl_client_certificate $PWD/ca.pem; ssl_verify_client on; }"
  } | start_nginx
  export SSL_CERT_FILE=$PWD/ca.pem
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
# verdict NAME [OPTION]...: prints outcome and error for a page of the server whose port is in $NAME.
verdict() { get --fields=outcome,error "${@:2}" "https://127.0.0.1:${!1}/p1.html"; }

@test "a certificate of an authority that is trusted, for this name, in its time" {
  [[ $(get --fields=outcome,status "https://127.0.0.1:$good/p1.html") == ok$'\t'200 ]]
  [[ $(get --fields=outcome,status "https://localhost:$good/p1.html") == ok$'\t'200 ]]
}

@test "each certificate that is not to be believed has its reason told" {
  [[ $(verdict expired) == tls-failed$'\t'*"has expired" ]]
  [[ $(verdict future) == tls-failed$'\t'*"not yet valid" ]]
  [[ $(verdict wrong) == tls-failed$'\t'*"no alternative certificate subject name matches"*127.0.0.1* ]]
  [[ $(verdict self) == tls-failed$'\t'*"self-signed certificate" ]]
  export SSL_CERT_FILE=$BATS_FILE_TMPDIR/self.pem
  [[ $(verdict self) == ok$'\t' ]]
  [[ $(verdict good) == tls-failed$'\t'*"unable to get local issuer certificate" ]]
}

@test "a server that speaks no TLS, or only an old one" {
  [[ $(verdict plain) == tls-failed$'\t'*"wrong version number" ]]
  [[ $(verdict old) == tls-failed$'\t'* ]]
}

@test "--insecure: each record says so, whatever the certificate" {
  for name in good expired future wrong self; do
    [[ $(get --insecure --fields=outcome,insecure "https://127.0.0.1:${!name}/p1.html") == ok$'\t'true ]]
  done
  [[ $(get --fields=insecure "https://127.0.0.1:$good/p1.html") == "" ]]
}

@test "no body and no second host's secret crosses a connection that failed" {
  printf 'https://127.0.0.1:%s bearer sesame\n' "$wrong" >auth
  : >"$BATS_FILE_TMPDIR/tls.log"
  verdict wrong --auth=auth
  run ! grep -q " $wrong" "$BATS_FILE_TMPDIR/tls.log"
}

@test "HTTP/2, over connections that end after 20 requests (GOAWAY): every page comes" {
  for i in {1..200}; do echo "https://127.0.0.1:$h2/p$i.html"; done >urls
  get -j 32 <urls >out
  (($(grep -cP '\tstatus=200\thttp=2\t.*\toutcome=ok$' out) == 200))
  awk -F'\t' '{split($1, n, /p|\.html/); if ($0 !~ "body=<html>page " n[length(n) - 1] "<") exit 1}' out
}

@test "TLS sessions are resumed where a connection could not be kept" {
  : >"$BATS_FILE_TMPDIR/tls.log"
  for i in {1..40}; do echo "https://127.0.0.1:$brief/p$i.html"; done | get -j 4 --no-body | grep -c outcome=ok | grep -qx 40
  # There is one full handshake for each of the four connections, and no more.
  (($(grep -c "^r $brief" "$BATS_FILE_TMPDIR/tls.log") >= 36))
}

# Regression: a redirect that left a host too little time made timeouts of all URLs waiting for that host, without
# asking for them.
@test "a hop that is out of time does not speak for its host" {
  python3 -c '
import socket, ssl, sys, threading, time
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(*sys.argv[1:])
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
ports = [listener.getsockname()[1] for listener in listeners]
def late(s):
    time.sleep(6.5)
    s.sendall(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: https://127.0.0.1:%d/hop\r\n\r\n" % ports[1])
def slow(s):
    time.sleep(2)
    with tls.wrap_socket(s, server_side=True) as t:
        t.recv(65536)
        t.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
def serve(listener, way):
    while True:
        s = listener.accept()[0]
        threading.Thread(target=way, args=(s,), daemon=True).start()
threading.Thread(target=serve, args=(listeners[0], late), daemon=True).start()
print(*ports, flush=True)
serve(listeners[1], slow)' "$BATS_FILE_TMPDIR"/self.{pem,key} >slow-ports 2>/dev/null 3>&- &
  local pid=$! first second
  wait_for_file slow-ports
  read -r first second <slow-ports
  # The hop has a second and a half for an answer that takes two; the other pages have eight seconds each.
  { echo "http://127.0.0.1:$first/"; seq -f "https://127.0.0.1:$second/%.0f" 5; } |
    fetch --allow-private --insecure --follow=1 --per-host=1 --timeout=8 --fields=url,outcome >out
  kill $pid
  (($(grep -c $'\tok$' out) == 5))
  grep -q "^http://127.0.0.1:$first/"$'\ttimeout' out
}

@test "--cert and --key open a server that asks; what is no key, or another's, is trouble of ours" {
  cd "$BATS_FILE_TMPDIR"
  closed() { fetch --allow-private --fields=outcome,error "$@" "https://127.0.0.1:$closed/p1.html"; }
  [[ $(closed) == client-error* ]]
  [[ $(closed --cert=client.pem --key=client.key) == ok$'\t' ]]
  cat client.pem client.key >both.pem
  [[ $(closed --cert=both.pem) == ok$'\t' ]]
  for key in self.key client.pem; do
    run -2 --separate-stderr closed --cert=client.pem --key="$key"
    [[ $output == aborted$'\t'* && $stderr == *key* ]]
  done
}

@test "bug: trust anchors were read anew for each connection, and the system's folder beside those of SSL_CERT_FILE" {
  need_strace
  seq -f "https://127.0.0.1:$brief/p%.0f.html" 5 >urls
  local file
  for file in "$BATS_FILE_TMPDIR/ca.pem" ''; do
    SSL_CERT_FILE=$file strace -f -qq -e trace=file -o trace "$SPINNERET_BIN/fetch" --allow-private -j1 --no-body urls >out
    [[ -n $file ]] || file=$(sed -n 's/.*"\([^"]*ca-certificates.crt\)".*/\1/p' trace | head -n 1)
    [[ -n $file ]] || continue
    (($(grep openat trace | grep -cF "\"$file\"") <= 2))
    run ! grep -E '"/etc/ssl/certs/[0-9a-f]{8}\.[0-9]' trace
  done
}

# tls_server ALPN BODY: starts a server of that protocol on a free port, which it writes to tls-port; the Python code
# BODY talks over `t`.
tls_server() {
  python3 -c '
import socket, ssl, sys, threading, time
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(*sys.argv[1:3])
tls.set_alpn_protocols([sys.argv[3]])
listener = socket.create_server(("127.0.0.1", 0), backlog=128)
def handle(s):
    try:
        with tls.wrap_socket(s, server_side=True) as t:
            exec(sys.argv[4], {"t": t, "time": time})
    except OSError:
        pass
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()' \
    "$BATS_FILE_TMPDIR"/self.{pem,key} "$@" >tls-port 2>tls-server.err 3>&- &
  wait_for_file tls-port
}

@test "bug: answers over TLS of HTTP/1.1 that said HTTP/2 had each other's requests answered" {
  tls_server http/1.1 '
rest = b""
while True:
    while b"\r\n\r\n" not in rest:
        rest += t.recv(65536) or time.sleep(1)
    head, rest = rest.split(b"\r\n\r\n", 1)
    path = head.split()[1]
    t.sendall(b"HTTP/2 200 \r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n" % len(path))
    time.sleep(0.1)
    t.sendall(path)'
  run -0 get --insecure --fields=outcome,body < <(seq -f "https://127.0.0.1:$(<tls-port)/%.0f" 12)
  [[ $(sort <<<"$output" | uniq -c) =~ ^\ *12\ bad-response$'\t'$ ]]
}

# tests/unit/http/tls_guard_test.cc tests what OpenSSL reads by itself. A libcurl after 7.88 reads in turns by itself.
@test "bug: an HTTP/2 server that sent GOAWAY faster than it was read had the run to itself, whatever --timeout said" {
  tls_server h2 '
t.recv(65536)
t.sendall(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
frames = bytes([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]) * 60000
while True:
    t.sendall(frames)'
  run -0 get --insecure --timeout=3 --retry-connect=0 --fields=outcome,error,time-ms "https://127.0.0.1:$(<tls-port)/"
  [[ $output == @(connect-failed|timeout|bad-response)$'\t'* ]] && ((${output##*$'\t'} < 15000))
  # libcurl's own message used to be shown: a stream "was not closed cleanly".
  [[ $output != connect-failed$'\t'* || $output == *$'\tthe server sent more TLS records than can be read in a turn\t'* ]]
}
