#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch against a server that misbehaves (tests/support/hostile-server.py): a catalogue of the ways, each with the
# outcome that it must have. One run fetches them all at once, so that none can harm another.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  start_hostile
  export base=$hostile
}
teardown_file() { stop_servers; }

# A good page has a minute, since the machine may be busy.
run_fetch() { fetch --agent=catalogue --per-host=64 --allow-private --max-size=1M --limit=first-byte=60 --limit=low-speed=100/60 "$@"; }

# Path, outcome, status, and size of the body where it is whole.
catalogue() {
  cat <<'TABLE'
/good ok 200 55
/chunked ok 200 55
/until-close ok 200 55
/continue ok 200 55
/silent timeout - -
/slow-headers timeout - -
/drip timeout 200 -
/endless-body too-large 200 -
/endless-chunks too-large 200 -
/endless-headers too-large 200 -
/endless-header-line too-large 200 -
/endless-trailers too-large 200 -
/endless-interim too-large - -
/endless-status-line too-large - -
/bomb-gzip too-large 200 -
/bomb-twice too-large 200 -
/bomb-deflate too-large 200 -
/bomb-brotli too-large 200 -
/bomb-zstd too-large 200 -
/empty-blocks too-large 200 -
/gzip ok 200 11000
/deflate ok 200 11000
/raw-deflate ok 200 11000
/br ok 200 11000
/zstd ok 200 11000
/cut-gzip bad-response 200 -
/cut-deflate bad-response 200 -
/cut-raw-deflate bad-response 200 -
/cut-br bad-response 200 -
/cut-zstd bad-response 200 -
/garbage-gzip bad-response 200 -
/surplus-behind-gzip ok 200 11000
/unknown-coding ok 200 55
/foreign-coding bad-response 200 -
/many-codings bad-response 200 -
/short-body bad-response 200 -
/short-chunk bad-response 200 -
/no-last-chunk bad-response 200 -
/bad-chunk-size bad-response 200 -
/huge-chunk-size bad-response 200 -
/short-head bad-response 200 -
/length-letters bad-response 200 -
/length-plus bad-response 200 -
/length-minus bad-response 200 -
/length-hex bad-response 200 -
/length-two bad-response 200 -
/length-list bad-response 200 -
/length-huge bad-response 200 -
/length-empty bad-response 200 -
/length-dot bad-response 200 -
/length-spaces bad-response 200 -
/length-same ok 200 54
/length-and-chunked ok 200 55
/gzip-transfer-coding bad-response 200 -
/length-behind-space bad-response 200 -
/coding-behind-space bad-response 200 -
/two-transfer-codings bad-response 200 -
/coding-folded bad-response 200 -
/coding-folded-and-length bad-response 200 -
/length-folded bad-response 200 -
/located ok 200 55
/surplus ok 200 55
/http-0.9 bad-response - -
/garbage bad-response - -
/ssh bad-response - -
/icy bad-response - -
/version-two bad-response - -
/version-two-late bad-response - -
/http-3.7 bad-response - -
/status-letters bad-response - -
/status-four bad-response - -
/status-two bad-response - -
/status-minus bad-response - -
/status-000 bad-response - -
/status-600 bad-response 600 0
/status-999 bad-response 999 0
/status-only connect-failed - -
/empty-answer connect-failed - -
/only-continue connect-failed - -
/blank-lines bad-response - -
/nul-in-header bad-response 200 -
/trailer-without-colon bad-response 200 -
/gzip-folded ok 200 11000
/no-colon bad-response 200 -
/bare-lf ok 200 2
/no-reason ok 200 2
/switch bad-response 101 -
/partial bad-response 206 55
/not-modified bad-response 304 -
/201 ok 201 55
/204 ok 204 0
/205 ok 205 0
/205-gzip bad-response 205 -
/305 bad-response 305 55
/308-torn bad-response 308 -
/300 ok 300 55
/400 client-error 400 55
/401 forbidden 401 55
/403 forbidden 403 55
/404 not-found 404 55
/410 gone 410 55
/418 client-error 418 55
/429 rate-limited 429 55
/429-retry rate-limited 429 55
/451 forbidden 451 55
/500 server-error 500 55
/502 server-error 502 55
/503 server-error 503 55
/retry-seconds rate-limited 503 55
/to-good redirect 302 0
/to-file redirect 302 0
/to-ftp redirect 302 0
/to-gopher redirect 302 0
/to-data redirect 302 0
/to-javascript redirect 302 0
/to-dict redirect 302 0
/to-smb redirect 302 0
/to-metadata redirect 302 0
/to-mapped redirect 302 0
/to-nothing redirect 302 0
/to-no-url redirect 302 0
/to-control redirect 302 0
/to-mark redirect 302 0
/no-location redirect 302 0
/chain-0 moved 301 0
/reset-at-once connect-failed - -
/reset-in-head bad-response 200 -
/reset-in-body bad-response 200 -
/reset-first ok 200 55
/escapes ok 200 55
/folded ok 200 55
/charset ok 200 55
/image ok 200 55
/big too-large 200 -
TABLE
}

@test "the catalogue: each way of misbehaving has its outcome, and harms no other" {
  catalogue | sed 's/ .*//' | sed "s|^|$base|" >urls
  # Ways that end by a time limit alone run beside the others, with short limits.
  run_fetch --limit=first-byte=10 --limit=low-speed=100/5 --fields=url,outcome,status,size "$base"/{silent,slow-headers,drip} >slow 3>&- &
  grep -vE '/(silent|slow-headers|drip)$' urls | run_fetch --fields=url,outcome,status,size >out
  wait $! || (($? == 1))
  cat slow >>out
  sed "s|^$base||" out | awk -F'\t' '{for (i = 1; i <= 4; i++) if ($i == "") $i = "-"; print $1, $2, $3, $4}' |
    LC_ALL=C sort >got
  catalogue | LC_ALL=C sort | diff - got
}

@test "bombs and floods cost memory for a page, not for what they pretend" {
  catalogue | grep -E '^/(endless|bomb|empty)' | sed "s|\([^ ]*\).*|$base\1|" >urls
  /usr/bin/time -f %M -o rss fetch --allow-private --no-body --timeout=10 --limit=low-speed=100/1 <urls >out
  (($(wc -l <out) == $(wc -l <urls)))
  is_sanitized || (($(cat rss) < 65536))
  # The 14 bodies have at most 10 MiB each and come all at once: the larger ones wait for each other, but not for ever.
  /usr/bin/time -f %M -o rss fetch --agent=test --per-host=64 --allow-private --timeout=10 --limit=low-speed=100/1 <urls >out
  (($(wc -l <out) == $(wc -l <urls)))
  is_sanitized || (($(cat rss) < 90000))
}

@test "no header value carries a control byte into a record" {
  run_fetch --headers --no-body "$base/escapes" "$base/folded" "$base/to-control" "$base/c1" >out
  run ! grep -nP '[\x00-\x08\x0b-\x1f\x7f]' out
  # A CSI of one byte is removed, too, but not where that byte is part of a letter.
  grep -qF $'\tetag=" 31m"\t' out
  grep -qF $'\tlink=< >; title="\xc3\x9b"\t' out
  grep -q 'x-robots-tag=noindex, *nofollow' out
  grep -q 'link=<x>; ]0;title' out
}

# libcurl before 8.1.1 appended the field to the last one of the previous answer, whose memory had been freed by then.
@test "bug: a server that began its fields with a blank wrote into memory that was free, and ended the run" {
  for i in {1..60}; do printf '%s\n' "$base/good?$i" "$base/blank-first?$i" "$base/escapes?$i"; done >urls
  run -0 --separate-stderr run_fetch -j4 --fields=url,outcome,status <urls
  (($(wc -l <<<"$output") == 180)) && [[ -z $stderr ]]
  (($(grep -cE '(good|escapes).*'$'\tok\t200$' <<<"$output") == 120))
  # Later versions take it for a field.
  (($(grep -cE 'blank-first.*'$'\t(bad-response|ok)\t200$' <<<"$output") == 60))
}

@test "bug: a trailer that is no field was taken for trouble of ours, and ended the run" {
  run -0 --separate-stderr run_fetch --fields=outcome,error "$base/trailer-without-colon"
  [[ $output == bad-response$'\t'"a header or trailer line is not a field" && -z $stderr ]]
}

@test "bug: answers of HTTP/1.1 that said HTTP/2 had each other's requests answered" {
  for i in {1..200}; do echo "$base/version-two?$i"; echo "$base/gzip?$i"; echo "$base/good?$i"; done >urls
  run_fetch --timeout=20 --fields=url,size,outcome <urls | sed -E 's,^http://[^/]*,,; s/[?][0-9]*//' | sort | uniq -c >out
  run -0 cat out
  [[ $(awk '{ print $1, $2, $3, $4 }' out) == '200 /good 55 ok'$'\n''200 /gzip 11000 ok'$'\n''200 /version-two bad-response ' ]]
}

@test "surplus bytes never answer the next request" {
  for i in {1..200}; do echo "$base/surplus?$i"; echo "$base/good?$i"; done >urls
  run_fetch -j4 <urls >out
  (($(grep -c 'size=55' out) == 400))
  ! grep -q stolen out
}

@test "late surplus bytes that come while a connection rests make it unfit for reuse" {
  local sent=$BATS_FILE_TMPDIR/surplus-sent
  rm -f "$sent"
  { echo "$base/surplus-late"; soon '[[ -e $sent ]]'; echo "$base/good"; } | run_fetch >out
  (($(grep -c 'size=55' out) == 2))
  ! grep -q stolen out
}

@test "a Location is one of redirects alone: elsewhere it is no target, and no link" {
  run_fetch "$base/located" "$base/to-good" "$base/305" "$base/308-torn" >out
  [[ $(grep -o 'location=.*/good' out | wc -l) == 1 ]]
  run ! grep -q location=.*elsewhere out
  printf '%s\tetag="v1"\n' "$base/conditional" | run_fetch >out
  run ! grep -q location= out
}

@test "a Location is resolved as it came: no character goes, and a tab goes as the URL Standard says" {
  [[ $(run_fetch --fields=location "$base/to-mark") == "$base/wiki/a%E2%80%8Ebc%20d" ]]
  run_fetch -L1 "$base/to-mark" >/dev/null
  run_fetch --raw "$base/seen" | grep -qF '/wiki/a%E2%80%8Ebc%20d 1'
}

@test "Retry-After: seconds, dates, nonsense; bounded" {
  retry() { run_fetch --fields=retry-after "$base/$1"; }
  [[ $(retry retry-seconds) == 120 ]]
  [[ $(retry retry-date) == 0 ]]
  [[ $(retry retry-far) == 2592000 ]]
  [[ $(retry retry-next-year) == 2592000 ]]
  [[ $(retry retry-fraction) == 2 ]]
  for way in minus words empty; do [[ -z $(retry retry-$way) ]]; done
  [[ $(run_fetch --fields=outcome,retry-after "$base/429-retry") == "rate-limited"$'\t'7 ]]
}

# This runs alone, because its outcome depends on how much comes; beside a hundred others it would be too slow on a busy
# machine.
@test "what is received has a bound, and not its body only: chunk extensions without end" {
  run_fetch --max-size=100K --limit=low-speed=100/30 --fields=outcome,error "$base/endless-chunk-extension" >out
  grep -qx $'too-large\tfar more was received than a body of 102400 bytes takes' out
}

@test "--follow: hop by hop, each one a field, and only so many" {
  run_fetch --follow=10 --no-body "$base/chain-0" >out
  (($(tr '\t' '\n' <out | grep -c '^hop=301 ') == 10))
  grep -q "hop=301 $base/good"$'\t'.*outcome=ok out
  run_fetch --follow=9 --no-body "$base/chain-0" >out
  grep -q "error=more than 9 redirects"$'\t'.*outcome=moved out
  run_fetch --follow=5 "$base/to-loop" "$base/to-pair" >out
  (($(grep -c 'outcome=redirect' out) == 2))
}

@test "--follow: a hop shows no password" {
  run_fetch --follow=1 --no-body "$base/to-secret" >out
  grep -q "hop=302 $base/good"$'\t' out
  run ! grep -q 'user\|:secret' out
}

@test "--follow: no hop waits for anything but its answer, also where nothing else is under way" {
  python3 "$SPINNERET_ROOT/tests/support/stalls.py" "$SPINNERET_BIN/fetch" 25 >out
  cat out
  (($(grep -c ': 25 runs, 0 stalled' out) == 4))
}

@test "--follow: no hop leaves http, or the address policy" {
  for to in file ftp gopher data javascript dict smb; do
    run_fetch --follow=5 --fields=outcome,error "$base/to-$to" >>out
  done
  (($(grep -c $'^redirect\tredirect not followed: neither http nor https' out) == 7))
  for to in metadata mapped; do
    fetch --allow=127.0.0.0/8 --follow=5 --fields=outcome,error "$base/to-$to" || true
  done >refused
  [[ $(cat refused) == "refused-address"$'\t'"169.254.169.254 is link-local
refused-address"$'\t'"::ffff:169.254.169.254 is IPv4-mapped" ]]
}

@test "purpose=robots follows five redirects, and cuts a body that is too large" {
  printf '%s\tpurpose=robots\n' "$base/chain-5" "$base/chain-4" "$base/robots-big" |
    run_fetch --ordered --no-body >out
  [[ $(cut -f1 out | sed "s|$base||" | tr '\n' ' ') == "/chain-5 /chain-4 /robots-big " ]]
  sed -n 1p out | grep -q 'body=.*outcome=ok'
  sed -n 2p out | grep -q 'error=more than 5 redirects'
  sed -n 3p out | grep -q 'size=4194304.*truncated=true.*body=User-agent.*outcome=ok'
}

@test "conditional requests: 304 is not-modified, and keeps the validators of the input" {
  printf '%s\tetag="v1"\tlast-modified=Sun, 06 Nov 1994 08:49:37 GMT\n' "$base/conditional" | run_fetch >out
  grep -q 'outcome=not-modified' out
  grep -q 'last-modified=Sun, 06 Nov 1994 08:49:37 GMT' out
  (($(tr '\t' '\n' <out | grep -c '^etag="v1"$') == 1))
  run_fetch --raw "$base/last" >last
  grep -qi '^if-none-match: "v1"' last
  grep -qi '^if-modified-since: Sun, 06 Nov 1994 08:49:37 GMT' last
  # An answer 304 that speaks of another version speaks of one that was never fetched.
  printf '%s\tetag="v1"\n' "$base/other-304" | run_fetch >out
  grep -q 'etag="v1".*outcome=not-modified' out
  run ! grep -q 'v2\|1995' out
  # A value that would be two lines is not sent.
  printf '%s\tetag="v1"\\r\\nX-Evil: 1\n' "$base/conditional" | run_fetch >out
  grep -q 'outcome=ok' out
  run_fetch --raw "$base/last" >last
  ! grep -qi evil last
}

@test "--types: of other types no body is read" {
  run_fetch --types=text/html "$base/image" >out
  grep -q 'type=image/png.*error=type is image/png.*outcome=unsupported-type' out
  run_fetch --types='image/*,text/plain' "$base/image" | grep -q outcome=ok
  # The same with --head; a page without a body needs no type.
  [[ $(run_fetch --ordered --head --types=text/html --fields=outcome "$base/image" "$base/good") == unsupported-type$'\n'ok ]]
  run_fetch --types='!image/*' "$base/image" | grep -q outcome=unsupported-type
  run_fetch --types='!text/*' "$base/image" | grep -q outcome=ok
  # A record's own list of types holds beside the option, and comes out with the record.
  run -0 run_fetch --fields=outcome,types < <(printf '%s\ttypes=!image/*\n' "$base/image")
  [[ $output == unsupported-type* ]]
  run -0 run_fetch --types=image/png --fields=outcome,types < <(printf '%s\ttypes=text/html\n' "$base/good")
  [[ $output == unsupported-type* ]]
  run_fetch --types=text/plain "$base/205" | grep -q outcome=ok
}

@test "expires, charset and type are read as the RFCs say" {
  now=$(date +%s)
  expires=$(run_fetch --fields=expires "$base/fresh")
  ((expires >= now + 2998 && expires <= now + 3010))
  [[ $(run_fetch --fields=type,charset "$base/charset") == "text/html"$'\t'"iso-8859-1" ]]
  [[ $(run_fetch --fields=type,charset "$base/charset-behind-quotes") == "text/html"$'\t'"utf-8" ]]
}

@test "bug: --warc kept answers that nobody had asked for: a 304 was a page that had not changed, a 206 one" {
  run_fetch --warc=odd.warc "$base"/{not-modified,partial,305,status-600} >out
  (($(grep -c outcome=bad-response out) == 4))
  run ! grep warc-file out
  run -0 records --from-dir odd.warc
  [[ -z $output ]]
  # An answer 304 that was asked for is archived as before.
  printf '%s\tetag="v1"\n' "$base/conditional" | run_fetch --warc=even.warc | grep -q warc-file=.*outcome=not-modified
}

@test "one second try where no answer came, and none after one" {
  run_fetch --no-body --retry-connect=1 "$base/reset-at-once?one" "$base/reset-in-body?one" >out
  run_fetch --raw "$base/seen" >seen
  before_reset=$(awk '$1 == "/reset-at-once" {print $2}' seen)
  before_body=$(awk '$1 == "/reset-in-body" {print $2}' seen)
  run_fetch --no-body --retry-connect=1 "$base/reset-at-once" "$base/reset-in-body" >out
  run_fetch --raw "$base/seen" >seen
  (($(awk '$1 == "/reset-at-once" {print $2}' seen) == before_reset + 2))
  (($(awk '$1 == "/reset-in-body" {print $2}' seen) == before_body + 1))
}
