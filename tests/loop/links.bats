#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --check-links on a site with a fault for each verdict: each link of each page gets the verdict and line of the
# site's oracle, whatever happens to bodies and whoever is killed; and no more is asked for than is needed.

load ../cli/helper
load ../cli/servers

PAGES=10

# start_faults: starts the site anew, and removes the state.
start_faults() {
  stop_python faultsite
  rm -rf state
  start_python faultsite port log oracle "$PAGES"
  PORT=$(<port)
}

# Without these a failure waits 30 s for its second try, and a host that is down must be silent five times.
HASTE=(--state=state --allow-private --retry-delay=100ms --timeout=2s --patience=2 --check-links --check:show=all)
check_links() { "$SPINNERET_ROOT/scripts/crawl" --delay=1ms "${HASTE[@]}" "$@" 3>&-; }

# judge FILE: compares the links with the oracle, each once. Seeds are on no page.
judge() {
  records --fields=url,verdict,via,line "$1" | awk -F'\t' '$3 != ""' | sort >got
  sort oracle | diff - got >wrong || { head -n 20 wrong; return 1; }
}

# judge_requests: only failures are asked for twice by one method, nothing forbidden is, and links that are only checked
# lead no further.
judge_requests() {
  [[ -z $(grep -vE '/robots.txt$| 127.0.0.[3-7] ' log | sort | uniq -d) ]]
  if grep -E '/(secret|hidden|never)$' log; then return 1; fi
  if grep -E '^GET 127.0.0.2 /(fine|far.css)$|^HEAD 127.0.0.1 /(style|more).css$' log; then return 1; fi
  grep -q '^HEAD 127.0.0.2 /lost.png$' log
}

@test "--check-links: the verdict on each link of each page, in every body mode" {
  local mode
  for mode in --quiet --store=bodies --warc=bodies.warc; do
    start_faults
    check_links "$mode" "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
    judge found || { echo "with $mode"; cat said; false; }
    judge_requests || { echo "with $mode"; sort log; false; }
    (($(grep -o ">http://127.0.0.1:$PORT/p[0-9]*</a>:$(awk -F'\t' '/missing/ { print $4; exit }' oracle):1<" state/report.html | sort -u | wc -l) == PAGES))
  done
}

@test "bug: --check-links --requisites: what is linked to first and then shown was not-checkable" {
  start_faults
  check_links --quiet --requisites "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
  # Style sheets of other hosts are read, too.
  printf 'http://127.0.0.2:%s/never\tdead\thttp://127.0.0.2:%s/far.css\t1\n' "$PORT" "$PORT" >>oracle
  judge found || { cat said; false; }
  grep -q '^GET 127.0.0.2 /both.css$' log
}

@test "--check-links after kill -9 of the whole group: the same verdicts, each link once" {
  PAGES=40
  start_faults
  local round goal group seen
  for round in 1 2 3; do
    goal=$(($(cat log 2>/dev/null | wc -l) + 20))
    # The delay is long enough that even a busy machine kills it before it is over.
    setsid "$SPINNERET_ROOT/scripts/crawl" --delay=50ms --robots:ttl=2s "${HASTE[@]}" "http://127.0.0.1:$PORT/" >killed 2>>said 3>&- &
    group=$!
    # Progress, not time, says when to kill.
    soon 'mapfile -t seen <log && ((${#seen[@]} >= goal))'
    pkill -9 -s "$group" || true
    wait "$group" 2>/dev/null || true
    [[ ! -s killed ]]
  done
  check_links "http://127.0.0.1:$PORT/" >found 2>>said && false || (($? == 1))
  judge found || { cat said; false; }
}

@test "--check-links: killed before it has read a page, the same command goes on, and is not refused" {
  start_faults
  local group
  setsid "$SPINNERET_ROOT/scripts/crawl" --delay=10s "${HASTE[@]}" "http://127.0.0.8:$PORT/" >killed 2>>said 3>&- &
  group=$!
  soon '[[ -d state/frontier ]]'
  pkill -9 -s "$group" || true
  wait "$group" 2>/dev/null || true
  [[ -e state/links ]]
  check_links --quiet "http://127.0.0.8:$PORT/" >found 2>>said
}

@test "bug: without options a crawl that checks links was refused for want of --check-links" {
  start_faults
  check_links --quiet "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
  "$SPINNERET_ROOT/scripts/crawl" --state=state >found 2>said 3>&- && false || (($? == 1))
  grep -q 'going on as the last run did: crawl --state=state .*--check-links' said
  judge found
}

@test "--check-links: a site that says ok to everything is named" {
  start_faults
  check_links --quiet "http://127.0.0.8:$PORT/" >found 2>said
  (($(grep -c . said) == 1))
  grep -q "^link-check: http://127.0.0.8 says ok to what cannot be there" said
  (($(grep -cE '^HEAD 127.0.0.8 /[0-9a-f]{32}$' log) == 1))
  # The state's links are judged again, in another form; nothing is asked for.
  local before
  before=$(wc -l <log)
  echo "*/x known" >.linkignore
  check_links --format=text >text 2>said
  grep -q "^3 links on 2 pages: ok 1, ignored 2$" text || { cat text said; false; }
  (($(wc -l <log) == before))
  check_links --fail-on=ok >text 2>said && false || (($? == 1))
  # The report is the same, whenever it is written.
  "$SPINNERET_ROOT/scripts/crawl" --state=state --report >report.html
  diff <(grep -o '<section id="links">.*' report.html) <(grep -o '<section id="links">.*' state/report.html)
}

@test "--check-links: what was left undone says what has ended the crawl" {
  start_faults
  check_links --quiet --max-pages=3 "http://127.0.0.1:$PORT/" >found 2>said && false || (($? <= 1))
  local end=$'\tverdict=not-checkable\treason=the crawl ended before it was asked for (--max-pages=3)\t'
  (($(grep -cF "$end" found) > 5))
  [[ $(grep -cE 'not asked for|ended before' found) == "$(grep -cF "$end" found)" ]]
}

@test "bug: a check that a limit had ended looked like one of the whole site, status 0" {
  start_faults
  "$SPINNERET_ROOT/scripts/crawl" --check-links --state=state --delay=0 --allow-private --max-pages=1 "http://127.0.0.1:$PORT/" >found 2>said 3>&- || (($? == 1))
  grep -qE '^crawl: not all is checked: when --max-pages=1 ended the crawl, [1-9][0-9]* of its URLs waited; the same command goes on$' said
  check_links --fail-on=none "http://127.0.0.1:$PORT/" >found 2>said
  run ! grep 'not all' said
}

@test "--check-links --cache: what was there beyond the site is not asked for again by another state" {
  start_faults
  check_links --quiet --cache=cache "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
  judge found
  grep -q '^HEAD 127.0.0.2 /fine$' log
  rm -r state
  : >log
  check_links --quiet --cache=cache "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
  judge found || { cat said; false; }
  if grep -E ' 127.0.0.2 /(fine|head...)$' log; then false; fi
  # Dead links are asked for again, and so are pages that are looked into.
  grep -q '^HEAD 127.0.0.2 /lost.png$' log && grep -q '^GET 127.0.0.2 /doc$' log
  # A state keeps what it has taken from a cache. Hosts that were down are asked at once, although the state knows of
  # it.
  check_links --quiet "http://127.0.0.1:$PORT/" >found 2>said && false || (($? == 1))
  judge found
}

@test "--check-links: what does not go with it, and states of the other kind, are refused" {
  local option
  for option in --fail-on=dead --format=text --ignore=x --baseline=x --cache=x --max-age=1d --check:show=all; do
    run -2 "$SPINNERET_ROOT/scripts/crawl" --state=state "$option" http://127.0.0.1:1/
    [[ $output == *"goes with --check-links"* && ! -e state ]]
  done
  run -2 check_links --max-age=5m http://127.0.0.1:1/
  [[ $output == *"--max-age goes with --cache"* && ! -e state ]]
  for option in --check-links --quiet; do
    run -2 "$SPINNERET_ROOT/scripts/crawl" --state=state "$option" --links=./state/../state/links http://127.0.0.1:1/
    [[ $output == *"--links: "*"name another file"* && ! -e state ]]
  done
  run -2 check_links --fail-on=deaf http://127.0.0.1:1/
  [[ $output == *"nothing is crawled: link-check: --fail-on takes "*"not \"deaf\""* && ! -e state ]]
  # Equal pages in two folders have links to different pages: dead ones of the second were not named.
  run -2 check_links --content-seen http://127.0.0.1:1/
  [[ $output == *"--check-links reads every page, and --content-seen leaves those alone that are alike"* && ! -e state ]]
  run -2 check_links --cluster=redis://127.0.0.1:1/x http://127.0.0.1:1/
  [[ $output == *"--check-links is for one machine"* ]]
  mkdir -p state/frontier
  run -2 check_links http://127.0.0.1:1/
  [[ $output == *"was begun without --check-links"* ]]
  : >state/links
  run -2 "$SPINNERET_ROOT/scripts/crawl" --state=state http://127.0.0.1:1/
  [[ $output == *"checks links: go on with --check-links"* ]]
}
