# SPDX-License-Identifier: Apache-2.0
# Servers on loopback for the tests that need one: nginx, and those of tests/support, among them a name server whose
# names say what it answers. All live in BATS_FILE_TMPDIR, and stop_servers ends them by their ids.

PATH=$PATH:/usr/sbin  # nginx is there, which an ordinary user's PATH leaves out

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

wait_for_file() {
  # It waits a minute, since a machine may be busy, and a test without its server proves nothing.
  for _ in {1..600}; do [[ -s $1 ]] && return; sleep 0.1; done
  echo "no $1" >&2
  return 1
}

# Reads the http block's own directives and servers from stdin; the folder `site` is the root.
start_nginx() {
  local user=
  # nginx's workers must be able to read this folder.
  ((EUID != 0)) || user="user root;"
  {
    echo "$user daemon on; worker_processes 1; pid $PWD/nginx.pid; error_log $PWD/error.log;"
    echo "events { worker_connections 1024; } http { access_log $PWD/access.log; default_type text/html; root $PWD/site;"
    echo "types { text/html html; text/plain txt; application/octet-stream bin; }"
    mkdir -p temp
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $PWD/temp;"; done
    cat
    echo "}"
  } >nginx.conf
  nginx -c "$PWD/nginx.conf" -p "$PWD" 3>&-
  wait_for_file nginx.pid
}

# Goes to the test file's folder, makes an empty `site` there and chooses a port; the address is in $base.
new_site() {
  cd "$BATS_FILE_TMPDIR"
  mkdir site
  export files=$PWD port base
  port=$(free_port) base=http://127.0.0.1:$port
}

# start_python NAME PORT_FILE [ARGUMENT]...: starts tests/support/NAME.py, which writes its port to the file; its
# process id goes into NAME.pid.
start_python() {
  rm -f -- "$2"  # a file of an earlier server
  python3 "$SPINNERET_ROOT/tests/support/$1.py" "${@:3}" >"$2" 2>"$1.err" 3>&- &
  echo $! >"$1.pid"
  wait_for_file "$2" || { cat "$1.err" >&2; return 1; }
}

# Starts a server at $base that knows whose signature is good, and logs each request to $log. $key is the signing key;
# $x and $keyid are its x and thumbprint (RFC 7638), made by other means than our own code.
start_signed() {
  cd "$BATS_FILE_TMPDIR"
  openssl genpkey -algorithm ed25519 -out key.pem 2>/dev/null
  openssl pkey -in key.pem -pubout -out public.pem
  export x keyid base key=$PWD/key.pem log=$PWD/log
  x=$(openssl pkey -in key.pem -pubout -outform DER | tail -c 32 | basenc --base64url | tr -d =)
  keyid=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" | openssl dgst -sha256 -binary | basenc --base64url | tr -d =)
  start_python signed-server port "$log" "$PWD/public.pem" https://bot.example "$keyid"
  base=http://127.0.0.1:$(cat port)
}

# Starts the server that misbehaves; its address is in `hostile`.
start_hostile() {
  start_python hostile-server hostile-port
  export hostile=http://127.0.0.1:$(<hostile-port)
}

# Makes key.pem and cert.pem, a self-signed certificate for loopback.
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
    -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>/dev/null
}

# stop_python NAME: stops that server if it runs.
stop_python() {
  [[ -s $1.pid ]] || return 0
  kill "$(<"$1.pid")" || true
  wait "$(<"$1.pid")" 2>/dev/null || true
  rm -f "$1.pid"
}

# serve_folder [TYPE]: serves the folder ./site; its port is in `port`. stop_folder ends it.
serve_folder() {
  start_python folder-server folder-port "$@"
  port=$(<folder-port)
}
stop_folder() { stop_python folder-server; }

# Starts the name server; its address is in `dns`, and it writes each question to the file dns-log.
start_dns() {
  start_python hostile-server-dns dns-port dns-log
  dns=127.0.0.1:$(cat dns-port)
}

stop_servers() {
  local file
  for file in "$BATS_FILE_TMPDIR"/*.pid; do
    # A server that has ended already must not keep the others from being ended.
    [[ ! -s $file ]] || kill "$(cat "$file")" || true
  done
}

now_ms() { date +%s%3N; }
