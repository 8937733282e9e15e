#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many hosts side by side, and hosts that try to keep a crawler for ever. Every address of 127/8 is a host.

load ../cli/helper
load site

teardown() {
  stop_site
  [[ -z ${TRAP_PID-} ]] || kill "$TRAP_PID"
}

crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private "$@" 3>&-
}

# docs/: ten pages in a chain.
make_chain() {
  local page
  mkdir -p docs
  chmod 755 docs
  echo '<a href="p1.html">next</a>' >docs/index.html
  for page in {1..9}; do echo "<a href=\"p$((page + 1)).html\">next</a>" >"docs/p$page.html"; done
}

@test "twenty hosts at 0.2 s delay run side by side and no gap is short" {
  local host seeds=() started ended
  make_chain
  rm docs/p9.html
  start_site "$PWD/docs"
  for host in {2..21}; do seeds+=("http://127.0.0.$host:$PORT/"); done
  started=$(date +%s%N)
  crawl --delay=200ms "${seeds[@]}" >records 2>progress
  ended=$(date +%s%N)
  # robots.txt, nine pages and the 404 at the end: eleven requests a host, ten gaps of 0.2 s.
  (($(wc -l <"$LOG") == 20 * 11))
  [[ -z $(check_gaps 0.2) ]] || { check_gaps 0.2 | head; false; }
  # Side by side, not one after the other (44 s); generous, since the machine may be busy.
  ((ended - started < 10 * 1000000000)) || { echo "took $(((ended - started) / 1000000)) ms"; false; }
}

@test "a calendar, growing paths and session ids end by the default policy, ordinary pages all come" {
  coproc TRAPS { exec python3 "$SPINNERET_ROOT/tests/loop/trapsite.py" trap.log 3>&-; }
  TRAP_PID=$TRAPS_PID
  read -r PORT <&"${TRAPS[0]}"
  crawl --delay=0 "http://127.0.0.1:$PORT/" >records 2>progress
  (($(grep -c '^/page/' trap.log) == 30))
  (($(wc -l <trap.log) < 5000)) || { cut -d/ -f2 trap.log | cut -d'?' -f1 | sort | uniq -c; false; }
}

@test "a host that is down is retried, given up with a reason, and does not hold the others" {
  make_chain
  start_site "$PWD/docs"
  crawl --delay=10ms http://127.0.0.9:1/ "http://127.0.0.2:$PORT/" >records 2>progress
  (($(grep -c '/p[0-9].html' "$LOG") == 9))
  # RFC 9309 section 2.3.1.4: a robots.txt that cannot be had forbids all.
  grep -q $'^http://127.0.0.9:1/\t.*outcome=blocked-by-robots' records
}
