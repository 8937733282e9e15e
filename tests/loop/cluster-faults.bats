#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Faults around a machine, for a crawl in partitions over either engine: its network is cut, its clock is wrong, its
# disk is full.
# The site is a stage that notes what it was asked, when, and by which machine; every page has one link to it.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper

# Pages asked for twice were in flight when a machine ended, which may be one page of each chain: --in-flight bounds
# only hosts that answer, and this site may stand still.
HOSTS=23 PAGES=600 CHAINS=30 DELAY=60 LEASE_MS=2000

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/postgres.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  make_web
  helpers=()
}
teardown() {
  end_jobs
  end_servers
  end_postgres
}

start() { # redis | postgresql
  if [[ $1 == redis ]]; then
    [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
    start_one
  else
    [[ -n $pg_programs ]] || skip "no PostgreSQL"
    ! link-bus --check=postgresql://127.0.0.1:1/d/t 2>&1 | grep -q 'no PostgreSQL' || skip "built without libpq"
    start_postgres
    url=$pg_url port=$pg_port
  fi
}
# sched MACHINE PARTITION URL [COMMAND...]: runs the scheduler under that command.
sched() {
  "${@:4}" politeness-sched --state "s.$2" -q --cluster="$3" --node="$1" --partition="$2/3" --partition-lease=${LEASE_MS}ms --delay ${DELAY}ms \
    --delay-factor 0 --in-flight 4 seeds -- env -u LD_PRELOAD perl site.pl $HOSTS $PAGES $CHAINS "$1"
}
# worker MACHINE PARTITION URL [COMMAND...]: runs sched again and again until that partition is done. If COMMAND begins
# with `once`, the rest of it is used for the first run only.
worker() {
  local status=1 words=("$@")
  [[ ${4-} != once ]] || words=("${@:1:3}" "${@:5}")
  while [[ ! -e stop.$1 ]]; do
    sched "${words[@]}" >>"records.$1.$2" 2>>"messages.$1.$2" && return
    [[ ${4-} != once ]] || words=("${@:1:3}")
  done
}
work() {
  worker "$@" 3>&- &
  helpers+=($!)
}
# A machine reaches the engine through a program that stops: nothing is refused, and nothing comes back. The machine
# sees silence alone, and must itself be silent before the other one asks for anything.
split_test() {
  # (The site also stands still until the second machine waits.)
  export HOLD=60
  start "$1"
  python3 "$SPINNERET_ROOT/tests/support/wire.py" "$port" >wire.port 3>&- &
  local wire=$! p cut after
  helpers+=($wire)
  soon '[[ -s wire.port ]]'
  for p in 0 1 2; do work a $p "${url/:$port\//:$(cat wire.port)\/}"; done
  wait_for_progress 60
  for p in 0 1 2; do work b $p "$url"; done
  soon 'says "is held by a" messages.b.0 && says "is held by a" messages.b.1 && says "is held by a" messages.b.2'
  touch released
  wait_for_progress 30
  kill -STOP $wire
  cut=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
  soon 'grep -q " b$" asked'
  wait_for_progress 60
  kill -CONT $wire
  for p in 0 1 2; do wait "${helpers[p + 4]}"; done
  touch stop.a
  judge "$CHAINS"
  # Machine a was silent by nine tenths of the lease; b waited for its end, and then as long again.
  after=$(awk '$4 == "a" { last = $3 } END { print last }' asked)
  ((after <= cut + LEASE_MS)) || { echo "a asked $((after - cut)) ms behind the cut"; false; }
  after=$(awk '$4 == "b" { print $3; exit }' asked)
  ((after >= cut + LEASE_MS)) || { echo "b asked $((after - cut)) ms behind the cut"; false; }
  grep -qE 'lease' messages.a.*
}
@test "a machine is cut off from Redis: it is silent in time, another takes over, and nothing is lost when it is back" { split_test redis; }
@test "a machine is cut off from PostgreSQL: it is silent in time, another takes over, and nothing is lost when it is back" { split_test postgresql; }

# The clock is two minutes ahead on one machine and two behind on another, and partitions move between them.
clocks_test() {
  command -v faketime >/dev/null || skip "no faketime"
  is_sanitized && skip "a sanitizer's tools do not run under faketime"
  local library p
  library=$(faketime -f +0 env 2>/dev/null | sed -n 's/^LD_PRELOAD=//p')
  [[ -n $library ]] || skip "no faketime"
  start "$1"
  export HOLD=60
  local off=(env "LD_PRELOAD=$library" DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
  for p in 0 1 2; do work ahead $p "$url" once bash -c "echo \$\$ >pid.$p; exec \"\$@\"" - "${off[@]}" FAKETIME=+120; done
  wait_for_progress 60
  for p in 0 1; do work behind $p "$url" "${off[@]}" FAKETIME=-120; done
  work right 2 "$url"
  soon 'says "is held by ahead" messages.behind.0 && says "is held by ahead" messages.behind.1 && says "is held by ahead" messages.right.2'
  touch stop.ahead
  kill -9 $(cat pid.0 pid.1 pid.2)
  touch released
  for p in 0 1 2; do wait "${helpers[p]}" || true; done
  soon 'grep -q " behind$" asked && grep -q " right$" asked'
  for p in 3 4 5; do wait "${helpers[p]}"; done
  judge "$CHAINS"
}
@test "clocks two minutes ahead and behind: partitions go from one machine to another, and no delay is cut short, nor stretched" { clocks_test redis; }
@test "the same with PostgreSQL, whose own clock decides about leases" { clocks_test postgresql; }

# One machine may only write files of some KiB, which its partition's outbox reaches; later it may write more. Besides
# its link, each page has many that others know already, and these fill the outbox.
full_test() {
  command -v prlimit >/dev/null || skip "no prlimit"
  PAGES=900
  start "$1"
  sed 's|^  my $next|  printf "http://www.h%d.test/%d\\tdepth=1\\tvia=%s\\n", $_, $_, $url for 0 .. $hosts - 1;\n&|' site.pl >fat.pl
  # machine NAME KIB: becomes a machine with that limit on its files.
  machine() {
    trap '' XFSZ
    ulimit -S -f "$2"
    exec politeness-sched --cluster="$url" --partitions=3 --partition-lease=${LEASE_MS}ms --node="$1" --state 's.{}' -q \
      --delay ${DELAY}ms --delay-factor 0 --in-flight 4 seeds -- \
      prlimit --fsize=unlimited perl fat.pl $HOSTS $PAGES $CHAINS "$1"
  }
  local m
  for m in a b c; do
    machine $m "$([[ $m == b ]] && echo 96 || echo unlimited)" >/dev/null 2>messages.$m 3>&- &
    helpers+=($!)
  done
  soon 'says " rests for 10 s" messages.b'
  grep -qE 'cannot write the state: .*File too large.*; make room there' messages.b
  # The others go as far as they can, and keep their links for it.
  local resting
  resting=$(sed -nE 's/.*partition ([0-9]) rests.*/\1/p' messages.b)
  politeness-sched --cluster="$url" --status >status
  grep -q "^p$resting.*state=unowned" status || { cat status; false; }
  soon 'nap .3; politeness-sched --cluster="$url" --status | grep -qE "node=[ac]\..*outbox=[1-9]"'
  (($(cut -d' ' -f2 asked | sort -u | wc -l) < PAGES))
  # (Another machine may have taken the partition before there is space.)
  prlimit --fsize=unlimited --pid "${helpers[1]}"
  for m in 0 1 2; do wait "${helpers[m]}"; done
  judge 12
}
@test "a partition's outbox comes to a full disk: it rests, and says why; with room again no link is lost" { full_test redis; }
