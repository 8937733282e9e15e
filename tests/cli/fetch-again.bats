#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# When fetch asks a host once more, and how long it waits before that: signatures on demand, prices, cut bodies, waits.
# Also walls, where it does not ask again.

load helper
load servers

setup_file() { start_signed; }
teardown_file() { stop_servers; }
setup() { : >"$log"; }

get() { fetch --allow-private "$@"; }
signed() { get --sign-key="$key" --signature-agent=https://bot.example "$@"; }
# Prints the least time between two requests of the log, in ms. A busy server may have stamped the first of two late, so
# bounds leave a margin.
least_gap() { cut -d' ' -f5 "$log" | awk 'NR > 1 && (least == "" || $1 - last < least) {least = $1 - last} {last = $1} END {print least}'; }
column() { cut -d' ' -f"$1" "$log" | paste -sd' '; }

@test "--sign=asked leaves the host alone for a second, or as long as is asked for, before it asks again" {
  signed --sign=asked --no-body "$base/asks" | grep -q outcome=ok
  [[ $(column 3) == 'unsigned good' ]]
  (($(least_gap) >= 800))
  : >"$log"
  printf '%s\tcrawl-delay=1.5\n' "$base/asks?2" | signed --sign=asked --no-body | grep -q outcome=ok
  (($(least_gap) >= 1300))
  : >"$log"
  signed --sign=asked --again-after=1.3 --no-body "$base/asks?3" | grep -q outcome=ok
  (($(least_gap) >= 1100))
}

@test "--wait spaces the requests to a host, hops and all; --random-wait does by half to one and a half" {
  printf '%s\n' "$base/free?"{1..5} | get --wait=0.5 --no-body >out
  (($(grep -c outcome=ok out) == 5 && $(least_gap) >= 300))
  : >"$log"
  printf '%s\n' "$base/free?"{1..8} | get --wait=0.2 --random-wait --no-body >out
  (($(grep -c outcome=ok out) == 8 && $(least_gap) >= 60))
  # No two gaps are alike.
  (($(cut -d' ' -f5 "$log" | awk 'NR > 1 {print $1 - last} {last = $1}' | sort -u | wc -l) > 1))
  # Another host does not wait.
  printf '%s\n' "$base/free" "http://localhost:${base##*:}/free" | get --wait=30 --no-body >out
  (($(grep -c outcome=ok out) == 2))
  run -2 --separate-stderr get --random-wait "$base/free"
  [[ $stderr == *--wait* ]]
}

@test "bug: a page of a host that the robots.txt of another had just led to went right behind that, whatever the delay" {
  {
    printf '%s\tpurpose=robots\tgap=1\n' "$base/other"
    soon 'grep -q "^/free " "$log"'
    echo "http://localhost:${base##*:}/free?own"
  } | get --per-host=1 --no-body >out
  (($(grep -c outcome=ok out) == 2))
  [[ $(column 1) == '/other /free /free?own' ]]
  cut -d' ' -f5 "$log" | awk 'NR == 3 && $1 - last < 800 {exit 1} {last = $1}'
}

@test "bug: what a robots.txt of another host leads to was asked for by the delay of that one, however long its own is" {
  local gap
  for gap in $'\tgap=0.1' ''; do
    : >"$log"
    {
      printf '%s\tcrawl-delay=1.5\n' "http://localhost:${base##*:}/free?own"
      soon 'grep -q "^/free?own " "$log"'
      printf '%s\tpurpose=robots%s\n' "$base/other" "$gap"
    } | get --per-host=1 --no-body >out
    (($(grep -c outcome=ok out) == 2))
    [[ $(column 1) == '/free?own /other /free' ]]
    cut -d' ' -f5 "$log" | awk 'NR == 1 {first = $1} NR == 3 && $1 - first < 1300 {exit 1}'
  done
  # So was a host that had just asked for a pause.
  : >"$log"
  {
    echo "http://localhost:${base##*:}/busy"
    soon 'grep -q "^/busy " "$log"'
    printf '%s\tpurpose=robots\tgap=0.1\n' "$base/other"
  } | get --per-host=1 --no-body | grep outcome=ok
  [[ $(column 1) == '/busy /other /free' ]]
  cut -d' ' -f5 "$log" | awk 'NR == 1 {first = $1} NR == 3 && $1 - first < 1700 {exit 1}'
}

@test "bug: where a domain counts as one host, what its robots.txt led to on another name of it was asked for at once" {
  printf 'http://x.a.localhost:%s/other?y.a.localhost\tpurpose=robots\tgap=1.2\tlane=7\n' "${base##*:}" | get --per-host=1 --no-body | grep outcome=ok
  [[ $(column 1) == '/other?y.a.localhost /free' ]]
  (($(least_gap) >= 1000))
  # Another domain has had no request.
  : >"$log"
  printf 'http://x.a.localhost:%s/other?y.b.localhost\tpurpose=robots\tgap=60\tlane=7\n' "${base##*:}" | timeout 30 fetch --allow-private --per-host=1 --no-body | grep outcome=ok
}

@test "bug: a request that a kept connection ended under was sent again at once, whatever the delay" {
  printf '%s\n' "$base/drops?"{1..3} | get --per-host=1 --retry-connect=0 --again-after=0.7 --no-body >out
  (($(grep -c outcome=ok out) == 3))
  [[ $(column 1) == '/drops?1 /drops?2 /drops?2 /drops?3 /drops?3' ]]
  # The server hangs up on the second request and the fourth.
  cut -d' ' -f5 "$log" | awk 'NR % 2 && NR > 1 && $1 - last < 550 {exit 1} {last = $1}'
  # The signature is made anew, as for every request.
  : >"$log"
  printf '%s\n' "$base/drops?"{1..2} | signed --per-host=1 --retry-connect=0 --again-after=0 --no-body >out
  (($(grep -c outcome=ok out) == 2))
  [[ $(column 3) == 'good good good' ]]
  (($(cut -d' ' -f4 "$log" | sort -u | wc -l) == 3))
}

@test "bug: the 408 by which a server ends a kept connection was the answer of the page that was just asked for" {
  printf '%s\n' "$base/late?"{1..3} | get --per-host=1 --again-after=0.7 --fields=status,outcome >out
  diff <(printf '200\tok\n%.0s' 1 2 3) out
  [[ $(column 1) == '/late?1 /late?2 /late?2 /late?3 /late?3' ]]
  cut -d' ' -f5 "$log" | awk 'NR % 2 && NR > 1 && $1 - last < 550 {exit 1} {last = $1}'
  # On a new connection the 408 is the answer; on a kept one the page is asked for once more.
  : >"$log"
  printf '%s\n' "$base/"{free,late?never} | get --per-host=1 --again-after=0 --fields=status,outcome >out
  diff <(printf '200\tok\n408\tserver-error\n') out
  [[ $(column 1) == '/free /late?never /late?never' ]]
  # The archive has both answers, and the record points to the last.
  printf '%s\n' "$base/late?"{1..2} | get --per-host=1 --again-after=0 --warc=late.warc >out
  python3 "$SPINNERET_ROOT/tests/support/warc-check.py" --records out late.warc
  (($(grep -ac '^HTTP/1.1 408' late.warc) == 1 && $(grep -ac '^HTTP/1.1 200' late.warc) == 2))
}

@test "bug: an offer for a page whose kept connection ended in a 408 was made twice, or given up" {
  printf 'budget USD 0.02\n' >ledger
  printf '%s\n' "$base/"late-priced{,?2} | signed --per-host=1 --again-after=0 --max-price='USD 0.01' --ledger=ledger --fields=charged,outcome >out
  diff <(printf 'USD 0.01\tok\n%.0s' 1 2) out
  # The offer that met the end of a connection stands until its page has come: the budget was enough for two.
  (($(grep -c '^/late-priced' "$log") > 5 && $(grep -c offered ledger) == 2 && $(grep -c charged ledger) == 2)) || { cat "$log" ledger; false; }
}

@test "--continue: the rest of a cut body, where it is of the same; else the page is as broken as it was" {
  python3 -c 'import sys; sys.stdout.write("".join(chr(48 + i % 10) for i in range(1000)))' >whole
  get --no-body "$base/cut" | grep -q 'outcome=bad-response'
  [[ $(column 6) == - ]]
  : >"$log"
  get --continue=1 --raw "$base/cut" | cmp - whole
  [[ $(column 6) == '- bytes=400-' ]]
  (($(least_gap) >= 800))
  printf '%s\n' "$base/"cut{,-thrice,-changed,-gzip} | get --continue=3 --fields=url,size,continued,outcome >out
  grep -qx "$base/cut"$'\t1000\t1\tok' out
  grep -qx "$base/cut-thrice"$'\t1000\t2\tok' out
  grep -qx "$base/cut-changed"$'\t1000\t1\tok' out
  grep -qx "$base/cut-gzip"$'\t103001\t1\tok' out
  # The digest is that of the whole body, even where the body is not kept.
  [[ $(get --continue=1 --no-body --digest=sha256 --fields=digest "$base/cut") == $(sha256sum <whole | cut -c1-64) ]]
  [[ $(get --continue=1 --raw "$base/cut-changed" | head -c 4) == abcd ]]
}

@test "--continue: parts of something else, and servers that promise nothing" {
  for path in cut-lies cut-off cut-gone; do
    run -0 get --continue=3 --fields=outcome,error "$base/$path"
    [[ $output == bad-response$'\t''body was cut, and the rest could not be fetched' ]]
  done
  : >"$log"
  for path in cut-weak cut-dumb; do get --continue=3 --no-body "$base/$path" | grep -q outcome=bad-response; done
  [[ $(column 6) == '- -' ]]
  run -2 --separate-stderr get --continue=1 --warc=x.warc "$base/cut"
  [[ $stderr == *exclude* && ! -e x.warc ]]
}

@test "a wall that wants a browser is challenged, whatever its status, and a robots.txt behind it is not reached" {
  printf '%s\n' "$base/"{wall,waf} | get --ordered --fields=status,outcome >out
  diff out - <<<$'403\tchallenged\n202\tchallenged'
  printf '%s\tpurpose=robots\n' "$base/wall" | get --fields=outcome | grep -qx challenged
  for status in 200 202 403; do
    printf 'http://h/robots.txt\tpurpose=robots\tstatus=%s\tbody=User-agent: *\\nAllow: /\toutcome=challenged\n' $status |
      robots-check --learn --cache=cache >/dev/null
    echo http://h/a | robots-check --gate --cache=cache --agent=bot --explain | grep -q $'robots=disallow.*robots-reason=challenged' || false
  done
}

@test "a price is told, and nothing is paid without --max-price and a ledger" {
  get --no-body --fields=status,price,outcome "$base/priced" | grep -qx $'402\tUSD 0.01\tpayment-required'
  signed --no-body --fields=price,outcome "$base/priced" | grep -qx $'USD 0.01\tpayment-required'
  [[ $(column 7) == '- -' ]]
  echo 'budget USD 1' >ledger
  for options in '--max-price=USD_0.01' --ledger=ledger; do
    run -2 --separate-stderr signed "${options/_/ }" "$base/priced"
    [[ $stderr == *'without both'* ]]
  done
  run -2 --separate-stderr get --max-price='USD 1' --ledger=ledger "$base/priced"
  [[ $stderr == *--sign-key* ]]
  [[ $(cat ledger) == 'budget USD 1' ]]
}

@test "a page is paid for where ledger and --max-price allow it, and the ledger has each step" {
  echo 'budget USD 0.03' >ledger
  pay() { signed --max-price='USD 0.02' --ledger=ledger --ordered "$@"; }
  run -0 pay --raw "$base/priced"
  [[ $output == bought ]]
  [[ $(column 7) == '- USD_0.01' ]]
  [[ $(cut -d' ' -f2- ledger | paste -sd,) == "USD 0.03,offered USD 0.01 $base/priced,charged USD 0.01 $base/priced" ]]
  # A page that costs more than the maximum for one page, and a price that cannot be read.
  printf '%s\n' "$base/"{dear,odd} | pay --fields=outcome,price >out
  diff out - <<<$'payment-required\tUSD 9.00\npayment-required\tone cent'
  # Money of an offer that was not taken is available again.
  pay --fields=outcome "$base/broke" | grep -qx server-error
  tail -n 1 ledger | grep -q "not-charged USD 0.01 $base/broke"
  # Two cents are left, which pay for two pages of four.
  printf '%s\n' "$base/priced?"{1..4} | pay --fields=outcome,charged | sort | uniq -c >out
  diff <(awk '{$1 = $1} 1' out) - <<<$'2 ok USD 0.01\n2 payment-required'
  (($(grep -c ' charged ' ledger) == 3))
}

@test "ledgers that are none, in other money, torn, busy or not there" {
  bad() { run -2 --separate-stderr signed --max-price="${1:-USD 1}" --ledger=ledger "$base/priced"; [[ $stderr == *ledger* || $stderr == *--max-price* ]]; }
  bad
  : >ledger; bad
  [[ $stderr == *'budget USD 5.00'* ]]
  echo 'budget 5' >ledger; bad
  [[ $stderr == *'ledger:1: '* ]]
  echo 'budget EUR 5' >ledger; bad
  [[ $stderr == *EUR*USD* ]]
  printf 'budget USD 5\n2026-01-01T00:00:00Z offered USD 0.0' >ledger; bad
  [[ $stderr == *'does not end'* ]]
  printf 'budget USD 5\n2026-01-01T00:00:00Z gave USD 0.01 x\n' >ledger; bad
  [[ $stderr == *'ledger:2: '* ]]
  echo 'budget USD 5' >ledger
  for amount in 1 'usd 1' 'USD 1.' 'USD -1' 'USD 1e9' 'USD 0.0000001'; do bad "$amount"; done
  exec 8<ledger
  flock 8
  bad
  exec 8>&-
  [[ $stderr == *'another process'* ]]
  [[ ! -s $log ]]
}

@test "--cookie-jar: what was read stays as it is; curl reads what is written" {
  printf '# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\tyes\n' >cookies
  cp cookies before
  get --cookies=cookies --cookie-jar=jar --no-body "$base/free" | grep -q outcome=ok
  cmp cookies before
  grep -q $'mine\tyes' jar
  curl -s -b jar -c jar2 -o page "$base/free"
  diff <(grep -v '^# ' jar | grep .) <(grep -v '^# ' jar2 | grep .)
  run -2 get --cookies=none --cookie-jar=jar "$base/free"
  run -2 get --cookie-jar=/dev/full/x "$base/free"
}

@test "bug: each cookie of a site that set fifty a page cost time for all that it had set before" {
  printf '# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tlogin\tyes\n' >crumbs
  printf '%s\n' "$base/crumbs?"{1..40} | get --cookies=crumbs -j1 --no-body --fields=outcome >out
  (($(grep -cx ok out) == 40))
  # Some 180 cookies of a domain are kept, and those of six pages in between; it used to be all 2,001. Those from the
  # file stay, and so do the latest.
  (($(grep -c ^127 crumbs) <= 530))
  grep -q $'\tlogin\tyes' crumbs
  for page in 38 39 40; do (($(grep -c $'\t'$page- crumbs) >= 25)); done
}

@test "bug: a page behind a redirect to itself, which sets a cookie, was never seen, and nothing said so" {
  get --cookies=jar --again-after=1.1 --no-body --fields=status,outcome,error "$base/enter?1" >out
  [[ $(<out) == $'200\tok\t' ]]
  [[ $(column 1) == '/enter?1 /enter?1' ]]
  (($(least_gap) >= 900))
  # By now the cookie is in the jar. A cookie that changes nothing leads to one more request only.
  : >"$log"
  get --cookies=jar -j1 --no-body --again-after=0 --fields=outcome,error "$base/enter?2" "$base/session" "$base/round" "$base/bare" >out
  [[ $(column 1) == '/enter?2 /session /session /round /round /bare' ]]
  [[ $(<out) == $'ok\t\nok\t\nredirect\tredirect to itself\nredirect\tredirect to itself' ]]
  get --no-body --fields=outcome,error "$base/enter?3" >out
  [[ $(<out) == $'redirect\tredirect to itself, with a cookie that --cookies would keep' ]]
}

@test "bug: a page that redirects to itself over another URL, with a cookie, was never seen" {
  local page
  # The URLs are asked for one after the other, as in a crawl.
  round() { for page in "" /by /over; do echo "$base${page:-/$1}${page:+?/$1}"; done; }
  for page in first last; do
    : >"$log"
    round "$page" | get --cookies="jar-$page" -j1 --wait=0.6 --no-body --fields=url,status,hop,outcome >out
    [[ $(column 1) == "/$page /by?/$page /over?/$page /$page" ]]
    (($(least_gap) >= 500))
    [[ $(tail -1 out) == "$base/over?/$page"$'\t200\t302 '"$base/$page"$'\tok' ]]
  done
  # Where the jar does not take the cookie the page is asked for once more; where no jar is kept, the error says so.
  : >"$log"
  round never | get --cookies=jar -j1 --no-body --again-after=0 --fields=hop,location,outcome >out
  [[ $(column 1) == '/never /by?/never /over?/never /never' ]]
  [[ $(tail -1 out) == "302 $base/never"$'\t'"$base/by?/never"$'\tredirect' ]]
  round first | get -j1 --no-body --fields=outcome,error >out
  [[ $(tail -1 out) == $'redirect\tredirect back to where it began, with a cookie that --cookies would keep' ]]
}

@test "bug: redirects in a circle without a cookie, or with one that is not taken, were not told" {
  local told='redirect back to where it began'
  errors() { printf "$base%s\n" "$@" | get -j1 --no-body --fields=error | tr '\n' ,; }
  [[ $(errors /still '/by?/still' '/over?/still') == ",,$told," ]]
  [[ $(errors /into '/by?/still' '/over?/still' /still) == ",,,$told," ]]
  # A jar refuses the cookie.
  printf '%s\n' "$base/never" "$base/by?/never" "$base/over?/never" |
    get --cookies=jar -j1 --no-body --again-after=0 --fields=outcome,error >out
  [[ $(tail -1 out) == $'redirect\t'"$told" ]]
  # A URL that is asked for twice makes no circle.
  [[ $(errors /still '/by?/still' /still '/by?/still') == ",,,," ]]
}
