# SPDX-License-Identifier: Apache-2.0
# nginx on loopback for the loop tests: real documentation, a robots.txt of our own, and an access log to judge the
# crawler by. bats loads this; start_site sets PORT, SITE and LOG; stop_site ends the server by pid.

declare -F nap >/dev/null || nap() { sleep "$1"; }

# start_site DOCROOT [EXTRA_SERVER_DIRECTIVES [EXTRA_HTTP_DIRECTIVES]]
start_site() {
  local docroot=$1 server_extra=${2-} http_extra=${3-} tries
  SITE=$BATS_TEST_TMPDIR/site
  LOG=$SITE/access.log
  mkdir -p "$SITE"
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$SITE"
  for tries in {1..20}; do
    PORT=$((20000 + (RANDOM + tries) % 30000))
    if (: >"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; then continue; fi
    cat >"$SITE/nginx.conf" <<EOF
daemon off; master_process off; pid $SITE/nginx.pid;
events { worker_connections 4096; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  sendfile on;
  keepalive_requests 1000000;
  # start of the request in seconds, status, host, URI, duration, which connection
  log_format judge '\$msec \$status \$host \$request_uri \$request_time \$connection';
  access_log $LOG judge;
  client_body_temp_path $SITE/t1; proxy_temp_path $SITE/t2; fastcgi_temp_path $SITE/t3;
  uwsgi_temp_path $SITE/t4; scgi_temp_path $SITE/t5;
  $http_extra
  server {
    listen 0.0.0.0:$PORT default_server;
    root $docroot;
    location = /.log-is-whole { access_log off; return 204; }
    $server_extra
  }
}
EOF
    restart_site && return 0
  done
  cat "$SITE/error.log" >&2
  return 1
}

# Starts the same site again after stop_site. It runs once it has written its pid file; before that another test's
# server may answer at its port.
restart_site() {
  rm -f -- "$SITE/nginx.pid"
  PATH=$PATH:/usr/sbin nginx -p "$SITE" -e "$SITE/error.log" -c "$SITE/nginx.conf" 3>&- &
  SITE_PID=$!
  until [[ -s $SITE/nginx.pid ]]; do
    kill -0 "$SITE_PID" 2>/dev/null || return 1
    nap 0.02
  done
}

stop_site() {
  [[ -n ${SITE_PID-} ]] || return 0
  kill "$SITE_PID" 2>/dev/null || true
  wait "$SITE_PID" 2>/dev/null || true
}

# A file with a teardown of its own calls these there.
teardown() {
  stop_site
  end_jobs
}

# log_is_whole: waits until the log has all answers. A line is written after its answer, so a client may look too soon;
# but the server does one thing at a time.
log_is_whole() {
  local wire line
  exec {wire}<>"/dev/tcp/127.0.0.1/$PORT"
  printf 'GET /.log-is-whole HTTP/1.0\r\n\r\n' >&"$wire"
  # shellcheck disable=SC2034
  while IFS= read -r line; do :; done <&"$wire"
  exec {wire}>&-
}

# asked: prints the paths that the server was asked for, one a line, in order.
asked() {
  log_is_whole
  awk '{print $4}' "$LOG"
}

# check_gaps SECONDS: prints each pair of requests to one host that are closer than that, from the end of one to the
# start of the next; 2 ms are the log's rounding.
check_gaps() {
  log_is_whole
  awk -v least="$1" '{
    start = $1 - $5
    if (($3 in last) && start - last[$3] < least - 0.002) print $3, $4, start - last[$3]
    last[$3] = $1
  }' "$LOG"
}
