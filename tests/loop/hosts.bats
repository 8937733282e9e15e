#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many hosts side by side, and hosts that try to keep a crawler for ever. Every address of 127/8 is a host.

load ../cli/helper
load ../cli/servers
load site

# serve NAME [ARGUMENT]...: starts that server; sets PORT.
serve() {
  start_python "$1" port "${@:2}"
  PORT=$(<port)
}

crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private "$@" 3>&-
}

# When a test fails, the last messages of its crawl and servers tell why.
teardown() {
  [[ -n ${BATS_TEST_COMPLETED-} ]] || tail -n 5 -- progress ./*.err 2>/dev/null || true
  stop_site
  end_jobs
}

# check_log_gaps SECONDS <LOG: prints requests to a host of moodysite.py that came too soon after its last answer, by
# its own clock; 2 ms are the log's rounding.
check_log_gaps() {
  awk -v least="$1" '($3 in last) && $1 - last[$3] < least - 0.002 { print $3, $4, $1 - last[$3] } { last[$3] = $2 }'
}

# wired ROBOTS_OPTION... -- SCHEDULER_OPTION...: runs the loop by hand, with options that the driver does not have.
wired() {
  local rules=()
  while [[ $1 != -- ]]; do rules+=("$1") && shift; done
  mkdir -p cache
  politeness-sched --state=state "${@:2}" -- bash -c '
    robots-check --gate --cache=cache "$@" | fetch "$1" --allow-private | extract-links |
      robots-check --learn --cache=cache "$@"' stages "${rules[@]}" 3>&-
}

# make_chain: makes ten pages in a chain in docs/.
make_chain() {
  local page
  mkdir -p docs
  chmod 755 docs
  echo '<a href="p1.html">next</a>' >docs/index.html
  for page in {1..9}; do echo "<a href=\"p$((page + 1)).html\">next</a>" >"docs/p$page.html"; done
}

@test "a hundred hosts at 0.5 s delay run side by side and no gap is short, by the server's clock" {
  local host seeds=() started ended
  make_chain
  rm docs/p9.html
  start_site "$PWD/docs"
  for ((host = 1; host <= ${HOSTS:-100}; ++host)); do seeds+=("http://127.0.$((host / 200 + 1)).$((host % 200 + 1)):$PORT/"); done
  started=$(date +%s%N)
  crawl --delay=500ms --in-flight=200 "${seeds[@]}" >records 2>progress
  ended=$(date +%s%N)
  # A host has eleven requests (robots.txt, nine pages and the 404 at the end), so ten gaps of 0.5 s.
  log_is_whole
  (($(wc -l <"$LOG") == ${#seeds[@]} * 11))
  [[ -z $(check_gaps 0.5) ]] || { check_gaps 0.5 | head; false; }
  # One after the other they would take 500 s; the bound is generous, since the machine may be busy.
  ((ended - started < 150 * 1000000000)) || { echo "took $(((ended - started) / 1000000)) ms"; false; }
}

# The gap is halved after ten good answers; with PAGES=40 it gets back to the first delay.
@test "a storm of 429: each host's rate falls at once, stays low, and recovers, by the server's clock" {
  serve moodysite log --pages="${PAGES:=24}" --busy=8-8
  wired --agent=moody -- --delay=50ms --retry-delay=1s "http://127.0.0."{1..8}":$PORT/" >records 2>progress
  (($(grep -c "outcome=ok" records) == 8 * PAGES))
  # For each host: the mean gap before the storm, of the next five requests, and of the last five.
  awk '$4 == "/robots.txt" { next }
    { n = ++count[$3]; gap[$3, n] = $1 - last[$3]; last[$3] = $2; if ($5 == 429) storm[$3] = n }
    function mean(host, from, to, i, sum) { for (i = from; i <= to; ++i) sum += gap[host, i]; return sum / (to - from + 1) }
    END {
      for (host in storm) {
        at = storm[host]; n = count[host]
        printf "%s %.3f %.3f %.3f %.3f\n", host, mean(host, 2, at), gap[host, at + 1], mean(host, at + 1, at + 5), mean(host, n - 4, n)
      }
    }' log | tee means
  # No request comes sooner than 1 s, within a quarter.
  awk '$3 < 0.748 || $4 < 3 * $2 || $5 > 0.7 * $4 { bad = 1 } END { exit bad || NR != 8 }' means
}

@test "Retry-After is kept by every host, by the server's clock" {
  serve moodysite log --pages=4 --busy=2-2 --retry-after=2
  wired --agent=moody -- --delay=10ms --retry-delay=10ms "http://127.0.0."{1..5}":$PORT/" >records 2>progress
  (($(grep -c "outcome=ok" records) == 5 * 4))
  awk '$5 == 429 { at[$3] = $2; next } $3 in at { if ($1 - at[$3] < 1.998) bad = 1; delete at[$3]; ++n }
    END { exit bad || n != 5 }' log
}

@test "bug: redirects without end were followed without end, those of others by --check-links, too" {
  serve trapsite trap.log
  local far=http://127.0.0.1:$PORT/away/0
  crawl --delay=0 "$far" >records 2>progress
  [[ $(grep -c '^/away/' trap.log) == 21 && $(wc -l <records) == 21 ]]
  grep -q $'/away/20\t.*\tredirects=20\t.*outcome=redirect' records
  grep -q '1 link was refused: 1 by traps default' progress
  make_chain
  echo "<a href=$far>far</a>" >docs/p3.html
  start_site "$PWD/docs"
  : >trap.log
  run -1 --separate-stderr crawl --state=links --delay=0 --check-links "http://127.0.0.2:$PORT/"
  [[ $output == *$'/away/0\tverdict=dead\treason=redirects without end\t'* ]]
  (($(grep -c '^/away/' trap.log) < 25))
}

@test "a calendar, growing paths and session ids end by the default policy, ordinary pages all come, others keep their rate" {
  serve trapsite trap.log
  local trap_port=$PORT last
  make_chain
  start_site "$PWD/docs"
  crawl --delay=0 "http://127.0.0.1:$trap_port/" "http://127.0.0.2:$PORT/" >records 2>progress
  (($(grep -c '^/page/' trap.log) == 30))
  (($(wc -l <trap.log) < 5000)) || { cut -d/ -f2 trap.log | cut -d'?' -f1 | sort | uniq -c; false; }
  # The other host keeps its rate: a host has one request at a time, so its chain of eleven pages ends long before the
  # traps do.
  (($(grep -c '^http://127.0.0.2:' records) == 11))
  last=$(grep -n '^http://127.0.0.2:' records | tail -1 | cut -d: -f1)
  ((last * 3 < $(wc -l <records))) || { echo "the last at $last of $(wc -l <records)"; false; }
}

# The hosts of all sites used to wait in one row, where a site that answers for any name was always in front: 1 site of
# 5 was crawled.
@test "bug: a domain that answers for any name, with new ones on each page, kept a crawl from the sites of others" {
  serve trapsite trap.log
  crawl --delay=0 --scope=any --in-flight=8 --max-pages=1000 "http://a.wild.localhost:$PORT/" "http://www.good1.localhost:$PORT/" >records 2>progress
  (($(wc -l <records) >= 1000))
  (($(grep -c '^http://www\.good' records) == 5)) || { grep -n '^http://www\.good' records | cut -f1; false; }
}

# The crawl used to be finished for ever with status 0, its first page blocked by a robots.txt that nobody had seen.
@test "bug: a policy's budgets and hops off the site began anew with each run, and with each restart of the stages" {
  local far
  mkdir -p docs
  start_site "$PWD/docs"
  { printf '<a href="p%d.html">p</a>' {1..20}; echo "<a href=\"http://127.0.0.2:$PORT/far2.html\">far</a>"; } >docs/index.html
  for far in {1..20}; do cp docs/index.html "docs/p$far.html"; done
  for far in {2..5}; do echo "<a href=\"http://127.0.0.$((far + 1)):$PORT/far$((far + 1)).html\">far</a>" >"docs/far$far.html"; done
  printf 'budget ^http://127.0.0.1:[0-9]*/p 5\nmax-offsite-hops 3\n' >policy
  crawl --delay=5ms -q --policy=policy "http://127.0.0.1:$PORT/" >records
  cut -f1 records | sort >whole
  (($(grep -c /p whole) == 5 && $(grep -c /far whole) == 3)) || { cat whole; false; }
  rm -r state
  : >records
  for far in {1..6}; do crawl --delay=5ms -q --policy=policy --max-pages=2 "http://127.0.0.1:$PORT/" >>records; done
  diff whole <(cut -f1 records | sort)
}

@test "bug: a link that the policy refuses for its text, page or depth took the next one to the same URL with it" {
  local step rule
  mkdir -p docs
  # This page takes three seconds; by then links four levels deep have been seen.
  start_site "$PWD/docs" 'location = /slow.html { limit_rate 1000; }'
  echo "<a href=c1.html>1</a> <a href=\"http://127.0.0.2:$PORT/slow.html\">s</a> <a href=own.html>bad</a> <a href=own.html>good</a>" >docs/index.html
  for step in 1 2 3; do echo "<a href=c$((step + 1)).html>c</a>" >"docs/c$step.html"; done
  echo '<a href=wanted.html>bad</a>' >docs/c4.html
  { printf '<!-- %03000d -->' 0; echo "<a href=\"http://127.0.0.1:$PORT/wanted.html\">good</a>"; } >docs/slow.html
  echo '<p>here' | tee docs/own.html >docs/wanted.html
  for rule in 'max-depth 4' 'deny-text ^bad$' 'deny-via /c4\.' 'deny-url nothing'; do
    echo "$rule" >policy
    crawl --delay=5ms -q --scope=any --policy=policy "http://127.0.0.1:$PORT/" >records
    (($(cut -f1 records | grep -c 'own\|wanted') == 2 && $(wc -l <records) == 8)) || { echo "$rule"; cut -f1 records; false; }
    rm -r state
  done
}

@test "bug: links to a host that a seed moves to later were known by then as out of scope, and were lost" {
  mkdir -p docs
  # robots.txt takes three seconds at the seed that moves; by then the other seed's links have been seen.
  start_site "$PWD/docs" 'location = /moved { return 301 http://127.0.0.2:$server_port/b.html; }
    location = /robots.txt { if ($host = 127.0.0.3) { set $limit_rate 1000; } }'
  printf '# %03000d\n' 0 >docs/robots.txt
  echo "<a href=\"http://127.0.0.2:$PORT/x.html\">x</a>" >docs/index.html
  echo '<a href=x.html>x</a>' >docs/b.html
  echo '<p>here' >docs/x.html
  crawl --delay=5ms -q "http://127.0.0.1:$PORT/" "http://127.0.0.3:$PORT/moved" >records
  grep -q "^http://127.0.0.2:$PORT/x.html" records
}

@test "a host that is down is retried, given up for this run with a reason, and does not hold the others" {
  make_chain
  start_site "$PWD/docs"
  status=0
  crawl --delay=10ms http://127.0.0.9:1/ "http://127.0.0.2:$PORT/" >records 2>progress || status=$?
  ((status == 3))
  log_is_whole
  (($(grep -c '/p[0-9].html' "$LOG") == 9))
  # RFC 9309 section 2.3.1.4: nothing is asked where robots.txt cannot be fetched. The outcome, however, is that the
  # host cannot be reached.
  grep -q $'^http://127.0.0.9:1/\t.*robots-reason=connect-failed.*outcome=connect-failed' records
  grep -q 'http://127.0.0.9:1 is finished: it has not answered 5 times in a row, the last connect-failed; 1 of' progress
  [[ $(tail -1 progress) == "politeness-sched: 1 host given up in this run, at which 1 URL waits for the next one; to go on: crawl --state="* ]]
}

# silent_beside SILENT GOOD: starts that many hosts that never answer, and hosts of the chain; writes both to `seeds`.
silent_beside() {
  local host
  make_chain
  start_site "$PWD/docs"
  start_python silentsite silent-port "$1"
  for ((host = 0; host < $1; ++host)); do echo "http://127.1.$((host / 250)).$((host % 250 + 1)):$(<silent-port)/"; done >seeds
  for ((host = 0; host < $2; ++host)); do echo "http://127.2.$((host / 250)).$((host % 250 + 1)):$PORT/"; done >>seeds
}

# beside COUNT SEED...: crawls until the good hosts have been asked COUNT times, at most two minutes; then ends the
# crawl.
beside() {
  local count=$1 crawl seen
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=0 --in-flight=64 --timeout=300s "${@:2}" \
    >records 2>progress 3>&- &
  crawl=$!
  soon 'mapfile -t seen <"$LOG" && ((${#seen[@]} >= count))' || true
  kill -TERM "$crawl"
  wait "$crawl" || true
  (($(wc -l <"$LOG") == count)) || { wc -l "$LOG"; tail -3 progress; false; }
}

# A hundred hosts take connections and never answer, and each is waited for five minutes, in which no good host used to
# be asked.
@test "silent hosts that come first hold up none of those that answer" {
  silent_beside 100 100
  # Each host has robots.txt, ten pages and the 404 at the end.
  beside 1200 --delay=100ms seeds
}

# Each silent host is waited for five minutes.
@test "a thousand silent hosts of two thousand hold up none of the others" {
  silent_beside 1000 1000
  beside 2000 --max-depth=0 seeds
}

# Waiting connections used to count as kept: with a thousand of them fetch closed the good hosts' connections after
# every page.
@test "bug: beside a thousand silent hosts every page of the others was a new connection" {
  silent_beside 1000 100
  beside 1200 seeds
  (($(cut -d' ' -f6 "$LOG" | sort -u | wc -l) < 200)) || { cut -d' ' -f6 "$LOG" | sort -u | wc -l; false; }
}

# A slow page takes as long as a quick host's whole chain; only the order of answers is judged.
@test "hosts whose pages are slow hold up none of the others, and lose no page themselves" {
  local host seeds=() slow_port
  serve moodysite slow.log --pages=3 --slow=4
  slow_port=$PORT
  make_chain
  start_site "$PWD/docs"
  for host in {1..20}; do seeds+=("http://127.1.0.$host:$slow_port/"); done
  for host in {1..20}; do seeds+=("http://127.2.0.$host:$PORT/"); done
  crawl --delay=0 --in-flight=16 "${seeds[@]}" >records 2>progress
  log_is_whole
  (($(wc -l <"$LOG") == 20 * 12))
  (($(grep -c ' 200$' slow.log) == 20 * 4))
  # The last of all 220 quick pages comes before every slow host has had its second. Had they shared the slots, each of
  # the eleven pages of a chain would have waited for one.
  awk -v second="$(awk '$4 != "/robots.txt" && ++n[$3] == 2 { print $2 }' slow.log | sort -n | tail -1)" \
    '$1 > to { to = $1 } END { print "the last quick page " second - to " s before"; exit to >= second }' "$LOG"
}

# hour OFFSET: prints HHMM in UTC, that many hours from now.
hour() { date -u -d "$1 hour" +%H%M; }

@test "a host is visited at its Visit-time only, and slowly at the hours of its Request-rate" {
  serve moodysite log --pages=3 \
    --robots="User-agent: shy\nVisit-time: $(hour +2)-$(hour +3)\nUser-agent: *\nRequest-rate: 10/4s $(hour -1)-$(hour +1)\nRequest-rate: 1/1d $(hour +2)-$(hour +3)"
  wired --agent=shy -- --delay=10ms --max-time=6s "http://127.0.0.2:$PORT/0" >records 2>progress
  [[ $(cut -d" " -f4 log) == /robots.txt && ! -s records ]]
  grep -q "does not want to be visited at this hour: held for" progress
  run -0 politeness-sched --state=state --show "http://127.0.0.2:$PORT/0"
  [[ $output == *"held until "*":00Z: its robots.txt asks not to be visited at this hour"* ]]
  rm -r state
  wired --agent=other -- --delay=10ms "http://127.0.0.2:$PORT/0" >records 2>progress
  (($(wc -l <records) == 3))
  [[ -z $(sed 1d log | check_log_gaps 0.4) ]] || { cat log; false; }
}

@test "pages wait for a robots.txt that cannot be had at first: nothing is asked without it, nothing is lost" {
  serve moodysite log --late-rules=2 --robots='User-agent: *\nDisallow: /3'
  run -0 --separate-stderr wired --agent=moody --ttl=4s -- --delay=10ms "http://127.0.0.2:$PORT/"{0..3}
  [[ $(cut -d" " -f4,5 log | head -4 | tr "\n" " ") == "/robots.txt 503 /robots.txt 503 /robots.txt 200 /0 200 " ]]
  [[ $(cut -d" " -f4 log | grep -v robots | sort | tr "\n" " ") == "/0 /1 /2 " ]]
  # robots.txt is asked for again when the gate's knowledge expires, four seconds after the request, and not at once.
  awk '$5 == 503 { at = $2 } $5 == 200 { exit ($1 - at < 1) }' log
  [[ $(grep -c "outcome=ok" <<<"$output") == 3 && $(grep -c "outcome=blocked-by-robots" <<<"$output") == 1 ]]
}

@test "bug: a robots.txt that was answered with what is none was asked for again and again, at the delay" {
  serve moodysite log --late-rules=2 --late-status=206 --robots='User-agent: *\nDisallow: /3'
  run -0 --separate-stderr wired --agent=moody --ttl=4s -- --delay=10ms "http://127.0.0.2:$PORT/"{0..3}
  [[ $(cut -d" " -f4,5 log | head -4 | tr "\n" " ") == "/robots.txt 206 /robots.txt 206 /robots.txt 200 /0 200 " ]]
  awk '$5 == 206 { if (NR > 1 && $1 - at < 1) exit 1; at = $2 }' log
  # If it stays so, the host is given up for this run.
  stop_site
  rm -r state cache
  serve moodysite log --late-rules=1000 --late-status=206
  run -3 --separate-stderr wired --agent=moody --ttl=4s -- --delay=10ms --tries=2 "http://127.0.0.2:$PORT/0"
  (($(grep -c /robots.txt log) == 2))
}
