#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch against HTTP/2 servers that misbehave (tests/support/hostile-h2.py): each way has its outcome.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 \
    -subj /CN=h2.test 2>openssl.log
  start_python hostile-h2 ports cert.pem key.pem 2>server.log
}
teardown_file() { stop_servers; }
setup() { cd "$BATS_FILE_TMPDIR"; }

run_fetch() {
  fetch --insecure --allow-private --limit=first-byte=3 --limit=low-speed=100/2 --timeout=20 "$@"
}

# WAY, status where a head came, outcomes: where no head came, a connection that ended and one that broke a rule look
# alike to libcurl at times.
catalogue() {
  cat <<'TABLE'
good 200 ok
interim 200 ok
endless-interim 103 bad-response|too-large
endless-continuation - connect-failed|bad-response
empty-continuations - connect-failed|bad-response
compressed-bomb - connect-failed|bad-response|too-large
field-with-line-ends - bad-response
field-with-nul - bad-response
field-with-escapes - bad-response
upper-case - bad-response
space-in-name - bad-response
no-status - bad-response
two-statuses - bad-response
status-letters - bad-response
status-line-end - bad-response
status-101 - bad-response
status-behind - bad-response
pseudo-of-requests - bad-response
connection-field - bad-response
bad-index - connect-failed|bad-response
bad-huffman - connect-failed|bad-response
large-table - connect-failed|bad-response
length-short 200 bad-response
length-long 200 bad-response
lengths-two - bad-response
length-letters - bad-response
bomb 200 too-large
endless-data 200 too-large
empty-data 200 timeout
all-padding 200 timeout
body-before-head - connect-failed|bad-response
trailers 200 ok
second-head 200 bad-response
drip 200 timeout
cut 200 bad-response
silent - timeout
endless-settings - timeout
endless-pings - timeout
endless-unknown - timeout
endless-windows - timeout
window-overflow - bad-response
no-streams 200 ok
odd-settings - connect-failed|bad-response
push - connect-failed|bad-response
other-stream - connect-failed|bad-response
cut-frame - connect-failed|bad-response
reset-refused - connect-failed|bad-response
reset-calm - bad-response
reset-in-body 200 bad-response
frame-too-large-of-length 200 bad-response
reset-none-of-length 200 bad-response
goaway-at-once - connect-failed|bad-response
goaway-text - connect-failed|bad-response
goaway-then-page 200 ok
endless-goaway - timeout
TABLE
}

urls() { awk '{print "https://127.0.0.1:" $2 "/\tway=" $1}' ports; }

@test "HTTP/2, the catalogue: each way of misbehaving has its outcome, and harms no other" {
  urls | run_fetch --max-size=1M --fields=way,status,outcome >out
  (($(wc -l <out) == $(wc -l <ports)))
  catalogue >expected
  awk 'NR == FNR {status[$1] = $2; outcomes[$1] = $3; next}
       $1 in status {
         split(outcomes[$1], any, "|"); met = 0
         for (i in any) met = met || any[i] == $3
         if (!met || status[$1] != $2) {print; bad = 1}
         ++seen
       }
       END {exit bad || seen != length(status)}' expected <(sed 's/\t\t/\t-\t/' out | tr '\t' ' ')
}

@test "HTTP/2: floods cost memory for a page" {
  urls >in
  /usr/bin/time -f %M -o rss fetch --insecure --allow-private --no-body --timeout=5 <in >out || true
  (($(wc -l <out) == $(wc -l <ports)))
  is_sanitized || (($(tail -n 1 rss) < 200000))
}

@test "HTTP/2: no field that breaks the rules becomes one of the record, and no trailer" {
  urls | run_fetch --headers --no-body >out
  run ! grep -E $'(location|link)=[^\t]*evil|[\x01-\x08\x0b-\x1f\x7f]' out
}

# With a libcurl up to 7.88 these pages count as whole: DEVIATIONS.md says so. What must not happen is that one of them hangs,
# or that bytes come which were not sent.
@test "HTTP/2: a session that libcurl gives up, and a stream reset without an error" {
  for way in frame-too-large padding-too-long reset-none-in-body; do
    port=$(awk -v way="$way" '$1 == way {print $2}' ports)
    run_fetch --fields=outcome,size "https://127.0.0.1:$port/"
  done >out
  (($(grep -cxE $'(ok\t0|ok\t55|bad-response\t[0-9]*)' out) == 3))
}
