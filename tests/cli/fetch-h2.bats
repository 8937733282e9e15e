#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch against HTTP/2 servers that misbehave (tests/support/hostile-h2.py): each kind of misbehaviour has its outcome.

load helper
load servers

# The way, the status if a head came, and the outcomes. Where no head came, libcurl may not tell a connection that ended
# from one that broke a rule. libcurl 8.14 hands on what came before a broken field, 7.88 does not.
catalogue() {
  cat <<'TABLE'
good 200 ok
interim 200 ok
endless-interim - bad-response|too-large
endless-continuation -|200 connect-failed|bad-response
empty-continuations -|200 connect-failed|bad-response
compressed-bomb -|200 connect-failed|bad-response|too-large
field-with-line-ends -|200 bad-response
field-with-nul -|200 bad-response
field-with-escapes -|200 bad-response
upper-case -|200 bad-response
space-in-name -|200 bad-response
no-status - bad-response
two-statuses -|200 bad-response
status-letters - bad-response
status-line-end - bad-response
status-101 - bad-response
status-behind - bad-response
pseudo-of-requests -|200 bad-response
connection-field -|200 bad-response
bad-index - connect-failed|bad-response
bad-huffman -|200 connect-failed|bad-response
large-table - connect-failed|bad-response
length-short 200 bad-response
length-long 200 bad-response
lengths-two -|200 bad-response
length-letters -|200 bad-response
bomb 200 too-large
endless-data 200 too-large
empty-data 200 timeout|bad-response
all-padding 200 timeout|bad-response
body-before-head - connect-failed|bad-response
trailers 200 ok
second-head 200 bad-response
drip 200 timeout
cut 200 bad-response
silent - timeout
endless-settings - timeout|connect-failed|bad-response
endless-pings - timeout|connect-failed|bad-response
endless-unknown - timeout|connect-failed|bad-response
endless-windows - timeout|connect-failed|bad-response
window-overflow - bad-response
no-streams 200 ok
odd-settings - connect-failed|bad-response
push - connect-failed|bad-response
other-stream - connect-failed|bad-response
cut-frame - connect-failed|bad-response
reset-refused - connect-failed|bad-response
reset-calm - rate-limited
reset-internal - connect-failed|bad-response
reset-internal-at-first 200 ok
reset-cancel-at-first 200 ok
reset-in-body 200 bad-response
frame-too-large-of-length 200 bad-response
reset-none-of-length 200 bad-response
goaway-at-once - connect-failed|bad-response
goaway-text - connect-failed|bad-response
goaway-then-page 200 ok
closed-under-second 200 ok
goaway-under-second 200 ok
reset-under-ack 200 ok
endless-goaway - timeout|connect-failed|bad-response
TABLE
}

# All ways are fetched together, so that none can harm another. Those that end by a time limit alone have short ones;
# the others have long ones, since the machine may be busy.
setup_file() {
  cd "$BATS_FILE_TMPDIR"
  make_certificate
  start_python hostile-h2 ports cert.pem key.pem
  catalogue >expected
  awk 'NR == FNR {if (/timeout/) slow[$1]; next}
       {print "https://127.0.0.1:" $2 "/\tway=" $1 > ($1 in slow ? "slow" : "quick")}' expected ports
  local common=(--insecure --allow-private --max-size=1M --headers --no-body)
  /usr/bin/time -f %M -o rss fetch "${common[@]}" --limit=first-byte=10 --limit=low-speed=100/5 --timeout=60 <slow >out || true
  /usr/bin/time -f %M -a -o rss fetch "${common[@]}" --limit=first-byte=60 --timeout=100 <quick >>out || true
}
teardown_file() { stop_servers; }
setup() { cd "$BATS_FILE_TMPDIR"; }

@test "HTTP/2, the catalogue: each way of misbehaving has its outcome, and harms no other" {
  (($(wc -l <out) == $(wc -l <ports)))
  awk 'NR == FNR {status[$1] = $2; outcomes[$1] = $3; next}
       {way = state = outcome = "-"
        for (i = 2; i <= NF; ++i) {
          key = substr($i, 1, index($i, "=") - 1); value = substr($i, index($i, "=") + 1)
          if (key == "way") way = value
          if (key == "status") state = value
          if (key == "outcome") outcome = value
        }}
       way in status {
         if (index("|" outcomes[way] "|", "|" outcome "|") == 0 || index("|" status[way] "|", "|" state "|") == 0) {
           print; bad = 1
         }
         ++seen
       }
       END {exit bad || seen != length(status)}' FS=' ' expected FS='\t' out
}

@test "bug: a page under whose request a kept HTTP/2 connection was closed, or given up by GOAWAY, was a broken answer, and not asked for again" {
  local once=(--insecure --allow-private --per-host=1 --again-after=0.1 --fields=status,outcome) way retry
  for way in closed goaway; do
    seq -f "https://127.0.0.1:$(sed -n "s/^$way-under-second //p" ports)/%.0f" 4 >pages
    for retry in 0 1; do
      run -0 fetch "${once[@]}" --retry-connect=$retry pages
      [[ $(sort <<<"$output" | uniq -c) =~ ^\ *4\ 200$'\t'ok$ ]]
    done
  done
}

@test "bug: a page whose HTTP/2 connection was reset while its answer lay unread was a broken answer" {
  local retry
  for retry in 0 1; do
    seq -f "https://127.0.0.1:$(sed -n 's/^reset-under-ack //p' ports)/%.0f" 4 >pages
    run -0 bash -c 'echo $$ >fetch.pid; exec fetch "$@"' - --insecure --allow-private --per-host=1 --again-after=0.1 \
      --fields=status,outcome --retry-connect=$retry pages
    [[ $(sort <<<"$output" | uniq -c) =~ ^\ *4\ 200$'\t'ok$ ]]
  done
}

@test "bug: a page whose HTTP/2 stream was reset before an answer was a broken answer, and not asked for again" {
  local once=(--insecure --allow-private --per-host=1 --again-after=0.1 --fields=status,outcome) way retry
  for retry in 0 1; do
    for way in internal cancel; do
      seq -f "https://127.0.0.1:$(sed -n "s/^reset-$way-at-first //p" ports)/%.0f" 4 >pages
      run -0 fetch "${once[@]}" --retry-connect=$retry pages
      [[ $(sort <<<"$output" | uniq -c) =~ ^\ *4\ 200$'\t'ok$ ]]
    done
    run -0 fetch "${once[@]}" --retry-connect=$retry "https://127.0.0.1:$(sed -n "s/^reset-internal //p" ports)/"
    [[ $output == $'\tconnect-failed' ]]
  done
}

@test "bug: an HTTP/2 stream that was reset with ENHANCE_YOUR_CALM was a broken answer, and slowed nobody down" {
  run -0 fetch --insecure --allow-private --fields=status,outcome "https://127.0.0.1:$(sed -n "s/^reset-calm //p" ports)/"
  [[ $output == $'\trate-limited' ]]
}

@test "bug: an HTTP/2 head that is too large was a failed connection, which is asked again and counts against the host" {
  # libcurl 8.14 has nghttp2's message for broken frames as well; those are broken answers.
  run ! grep -E '(user callback function failed|Too large response headers).*outcome=connect-failed' out
}

@test "HTTP/2: floods cost memory for a page" {
  (($(grep -cxE '[0-9]+' rss) == 2))
  is_sanitized || (($(grep -xE '[0-9]+' rss | sort -n | tail -n 1) < 200000))
}

@test "HTTP/2: no field that breaks the rules becomes one of the record, and no trailer" {
  run ! grep -E $'(location|link)=[^\t]*evil|[\x01-\x08\x0b-\x1f\x7f]' out
}

# With a libcurl up to 7.88 these pages count as whole, as DEVIATIONS.md says. None of them may hang, or bring bytes
# that were not sent.
@test "HTTP/2: a session that libcurl gives up, and a stream reset without an error" {
  grep -P '\tway=(frame-too-large|padding-too-long|reset-none-in-body)(\t|$)' out >whole
  (($(grep -cP '\tsize=(0|55)\t.*\toutcome=ok$|\toutcome=bad-response$' whole) == 3))
}
