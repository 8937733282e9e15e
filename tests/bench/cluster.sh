#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A crawl in partitions, over a Valkey or Redis of its own on loopback, or with ENGINE=postgresql over a PostgreSQL:
# what it costs, and what faults cost it.
#
#   tests/bench/cluster.sh TASK [ARGUMENT...]
#
#   bus [LINKS]         CPU a link, of server and clients, sent and received (300000)
#   one [PAGES]         CPU of one scheduler with --cluster beside one without (20000)
#   whole [PAGES [PAGE]]
#                       CPU of a whole crawl, all programs, in 1 and 16 partitions beside one without (25000); pages
#                       have one link and nothing else, or the content of the file PAGE without its links
#   three [PAGES]       pages a second of three machines with 64 slots each beside one, 200 ms latency (12000)
#   takeover [URLS]     time from a machine's death until another one fetches with its state (1000000)
#   added [PAGES]       what changes hands when a fourth machine joins three with 16 partitions (60000)
#   backlog [LINKS]     memory of the engine when nobody reads (2000000)
#   faults [ROUNDS]     a table: faults of each kind, pages lost, doubled, visited too soon (1)
#   transcript [PAGES]  three agents crawl 300 hosts, one is killed, one comes: told as it goes (6000)
#   kills [STRIKES [SEED [ENGINE]]]
#                       the same with random faults of all kinds, including failovers of the engine and lost disks, and
#                       what a scheduler loses that trusts the engine (100, 1, sentinel; or cluster, one, postgresql);
#                       AT_ONCE=3 crawls at once
#
# For `faults` the site is a stage that notes what it was asked, and when, by a clock that all share; every page has one
# link to it, so that a lost link loses all pages behind it. Progress says when to strike; the round's seed chooses the
# kind of fault and its victim.
# shellcheck disable=SC2016,SC2034,SC2086,SC2094  # programs of awk; numbers; TIMEFORMAT is read by time
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
server=$(type -P valkey-server || type -P redis-server) || { echo "no valkey-server and no redis-server" >&2; exit 2; }
client=$(type -P valkey-cli || type -P redis-cli)
task=${1-} size=${2-} filling=${3:+$(realpath -- "$3")}
# shellcheck source=tests/support/engines.bash
. "$root/tests/support/engines.bash"
# shellcheck source=tests/support/postgres.bash
. "$root/tests/support/postgres.bash"
# shellcheck source=tests/support/partitions.bash
. "$root/tests/support/partitions.bash"
# shellcheck source=tests/bench/cluster_kills.bash
. "$root/tests/bench/cluster_kills.bash"
# shellcheck source=tests/bench/cluster_figures.bash
. "$root/tests/bench/cluster_figures.bash"
# shellcheck source=tests/bench/cluster_transcript.bash
. "$root/tests/bench/cluster_transcript.bash"
cd "$work"
engine='' pids=()
finish() {
  touch stop
  # Each round ends its own processes.
  if [[ $task == kills ]]; then
    jobs -rp | xargs -r kill 2>/dev/null || true
    wait 2>/dev/null || true
  fi
  end_servers
  end_postgres
  for pid in "${pids[@]}"; do kill -9 -- "-$pid" 2>/dev/null || kill -9 "$pid" 2>/dev/null || true; done
  [[ -z $engine ]] || kill -9 "$engine" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf -- "$work"
}
trap finish EXIT

start_engine() {
  if [[ ${ENGINE-} == postgresql ]]; then
    start_postgres
    engine=$pg_server
    url=$(url_of bench)
    return
  fi
  local given=${port-}
  for _ in {1..20}; do
    port=${given:-$((20000 + RANDOM % 30000))}
    if (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue; fi
    "$server" --port "$port" --bind 127.0.0.1 --save '' --appendonly "${1-yes}" --dir "$work" >engine.log &
    engine=$!
    # Another program may have taken the port meanwhile.
    until "$client" -p "$port" ping >/dev/null 2>&1; do kill -0 "$engine" 2>/dev/null || continue 2; sleep 0.05; done
    url=$(url_of bench)
    return
  done
  cat engine.log >&2
  return 1
}
# url_of NAME: prints the URL of a crawl of that name on this engine.
url_of() { if [[ ${ENGINE-} == postgresql ]]; then echo "${pg_url%/*}/$1"; else echo "redis://127.0.0.1:$port/$1"; fi; }
# cpu_ms PID: prints user and system time so far, of the process and its children, including those that have ended.
cpu_ms() {
  local one
  for one in "$1" $(pgrep -P "$1" || true); do cat "/proc/$one/stat"; done |
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); all += $12 + $13 + $14 + $15 } END { print int(all * 1000 / hz) }'
}

# --- bus ------------------------------------------------------------------------------------------

# carry LINKS: sends the links, and prints the CPU in ms of server, sender and receivers.
carry() {
  local links=$1 before p receivers=() TIMEFORMAT='%U %S'
  awk -v n="$links" 'BEGIN { for (i = 0; i < n; i++)
    printf "http://www.h%d.test/some/path/of/usual/length/%d.html\tdepth=3\tvia=http://www.other.test/page/%d\ttag=a@href\n", i % 1000, i, i }' >links
  url=$(url_of "b$links")
  before=$(cpu_ms "$engine")
  for p in 0 1 2; do
    { time link-bus --receive="$url" --partition=$p --partitions=3 --ttl=3s --idle=8s >"got.$p" 2>"said.$p"; } 2>"time.$p" &
    receivers+=($!)
  done
  { time link-bus --send="$url" --partitions=3 links 2>sent; } 2>time.s
  wait "${receivers[@]}"
  (($(cat got.? | wc -l) == links)) || { echo "lost: $((links - $(cat got.? | wc -l)))" >&2; return 1; }
  awk -v server=$(($(cpu_ms "$engine") - before)) 'FNR == NR { sender += ($1 + $2) * 1000; next } { receivers += ($1 + $2) * 1000 }
    END { print server, sender, receivers }' time.s time.0 time.1 time.2
}
# Prints what a link costs, and what few links cost: connections, tables, looking for more.
bus() {
  local links=${size:-300000} few=1000
  start_engine
  carry $few >cpu.few
  carry "$links" >cpu.all
  printf 'links\tserver us/link\tsender us/link\treceivers us/link\tserver ms with %d links\n' $few
  awk -v n=$((links - few)) -v links="$links" 'NR == 1 { split($0, few); next }
    { printf "%d\t%.2f (1.5 at most)\t%.2f (0.4 for both)\t%.2f\t%d\n", links, ($1 - few[1]) * 1000 / n, ($2 - few[2]) * 1000 / n, ($3 - few[3]) * 1000 / n, few[1] }' cpu.few cpu.all
}

# --- schedulers -----------------------------------------------------------------------------------

seeds_of() { awk -v n="$1" 'BEGIN { for (i = 0; i < n / 4; i++) printf "http://www.h%d.test/%d\n", i % 997, i }' >seeds; }

one() {
  local pages=${size:-20000} turn with
  start_engine
  seeds_of "$pages"
  for turn in 1 2 3; do
    for with in none cluster; do
      rm -rf s.0
      local words=(--state s.0 -q --delay 0 --delay-factor 0 --in-flight 64) TIMEFORMAT='%U %S'
      [[ $with == none ]] || words+=("--cluster=$(url_of o$turn)" --partition=0/1 --partition-lease=1s)
      { time politeness-sched "${words[@]}" seeds -- awk -v pages="$pages" '{ split($1, part, "/"); n = part[4] + pages / 4
        if (n < pages) printf "http://www.h%d.test/%d\tvia=%s\n", n % 997, n, $1; print $0 "\tstatus=200\toutcome=ok"; fflush() }' >records 2>said; } 2>"time.$with.$turn"
      (($(wc -l <records) == pages)) || { echo "pages: $(wc -l <records)"; exit 1; }
    done
  done
  for with in none cluster; do printf '%s\t' "$with"; cat time.$with.* | awk '{ print $1 + $2 }' | sort -n | head -n 1; done
}

# --- faults ---------------------------------------------------------------------------------------

HOSTS=23 PAGES=400 CHAINS=40 DELAY=60
make_web
worker() {
  local p=$1
  while [[ ! -e stop ]]; do
    setsid bash -c 'echo $$ >"pid.$1"; exec politeness-sched --state s.$1 -q --cluster='"$url"' --partition=$1/3 --partition-lease=2s \
      --delay '$DELAY'ms --delay-factor 0 --in-flight 4 '"${extra-}"' seeds -- perl site.pl '"$HOSTS $PAGES $CHAINS" _ "$p" >>"records.$p" 2>>"messages.$p" && return
  done
}
progress() {
  local goal=$(($(lines) + $1)) end=$((SECONDS + 120))
  until (($(lines) >= goal || $(sort -u -k2,2 asked | wc -l) >= PAGES)); do ((SECONDS < end)) || return 0; sleep 0.05; done
}
# scheduler P: prints its processes; stage P: those of its stage.
scheduler() { pgrep -s "$(cat pid.$1)" politeness || true; }
stage() { pgrep -s "$(cat pid.$1)" perl | head -n 1 || true; pgrep -P "$(cat pid.$1)" perl | head -n 1 || true; }
strike() {
  local p=$((RANDOM % 3)) pid
  case $1 in
    nothing) ;;
    scheduler) kill -9 -- "-$(cat pid.$p)" 2>/dev/null || true ;;
    stage) for pid in $(stage $p); do kill -9 "$pid" 2>/dev/null || true; done ;;
    stopped)
      pid=$(cat pid.$p)
      kill -STOP -- "-$pid" 2>/dev/null || true
      sleep $((1 + RANDOM % 6)) # half a lease to three leases
      kill -CONT -- "-$pid" 2>/dev/null || true ;;
    emptied) "$client" -p "$port" flushall >/dev/null ;;
    engine) kill -9 "$engine"; wait "$engine" 2>/dev/null || true; sleep 1; start_engine ;;
    reader) # it is dead while its unread messages are forgotten, a fault that ordinary chaos misses
      kill -9 -- "-$(cat pid.$p)" 2>/dev/null || true
      progress 15
      "$client" -p "$port" flushall >/dev/null ;;
    disk)
      kill -9 -- "-$(cat pid.$p)" 2>/dev/null || true
      rm -rf s.$p ;;
  esac
}
fault() {
  local kind=$1 seed=$2 p begun=$SECONDS times=4
  rm -rf s.? asked stop records.* messages.* copies pid.* && : >asked && mkdir copies
  RANDOM=$seed
  "$client" -p "$port" flushall >/dev/null
  extra=''
  [[ $kind != disk ]] || extra="--copies=$work/copies --checkpoint-every=500ms"
  for ((p = 0; p < CHAINS; p++)); do echo "http://www.h$((p % HOSTS)).test/$p"; done >seeds
  pids=()
  for p in 0 1 2; do worker $p & pids+=($!); done
  for ((p = 0; p < times; p++)); do progress 50; strike "$kind"; done
  wait "${pids[@]}"
  pids=()
  sort -n -k3,3 asked | awk -v kind="$kind" -v seed="$seed" -v pages=$PAGES -v least=$((DELAY - 2)) -v s=$((SECONDS - begun)) '
    $1 in last && $3 - last[$1] < least { gaps++ }
    { last[$1] = $3; if (!seen[$2]++) got++; else twice++ }
    END { printf "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", kind, seed, got, pages - got, twice, gaps, s }'
}
faults() {
  local round kind
  start_engine no
  printf 'fault, four times\tseed\tpages\tlost\tdoubled\ttoo soon\tseconds\n'
  for ((round = 1; round <= ${size:-1}; round++)); do
    for kind in nothing scheduler stage stopped emptied engine reader disk; do fault $kind $((round * 7919)); done
  done
}

case $task in
  bus | one | whole | three | takeover | added | backlog | faults | transcript) "$task" ;;
  kills) kills "$@" ;;
  *) sed -n '3,23s/^# \{0,1\}//p' "$root/tests/bench/cluster.sh" >&2; exit 2 ;;
esac
