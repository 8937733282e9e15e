#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A crawl in two partitions becomes one in four: its states are split at rest, whatever kills that, and the crawl goes
# on. Every page has one link to it, so nobody fetches what a split loses.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper

HOSTS=60 PAGES=900 CHAINS=47 DELAY=20

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  start_one
  make_web
  helpers=()
}
teardown() {
  end_jobs
  end_servers
}

# crawl NAME P: starts all P partitions of that crawl, with states in NAME.p; the process ids are in helpers.
crawl() {
  local p
  helpers=()
  for ((p = 0; p < $2; p++)); do
    setsid politeness-sched --state "$1.$p" -q --cluster="${url%/*}/$1" --partition="$p/$2" --partition-lease=1s --delay ${DELAY}ms --delay-factor 0 \
      --in-flight 4 seeds -- perl site.pl $HOSTS $PAGES $CHAINS >>records 2>>"messages.$1.$p" 3>&- &
    helpers+=($!)
  done
}
split() { politeness-sched --state="two.$1" --cluster="${url%/*}/two" --partition="$1/2" --split='four.{}' "${@:2}"; }
# exported STATE...: prints what is known of all URLs, and what waits for other partitions.
exported() {
  local one
  for one in "$@"; do politeness-sched --state="$one" --export; done | sort
}

# half_a_crawl KILL: ends two partitions in the middle by that signal, with links of one for the other that nobody has
# taken.
half_a_crawl() {
  crawl two 2
  wait_for_progress 150
  kill "-$1" -- "-${helpers[1]}"
  wait "${helpers[1]}" || true
  # From now on partition 0 keeps the links that it has for the other one.
  soon '[[ $(politeness-sched --cluster="${url%/*}/two" --status | grep ^p0) == *outbox=[1-9]* ]]'
  kill "-$1" -- "-${helpers[0]}"
  wait "${helpers[0]}" || true
  helpers=()
  soon '(($(politeness-sched --cluster="${url%/*}/two" --status | grep -c state=unowned) == 2))'
  (($(lines) < PAGES))
}

goes_on() {
  crawl four 4
  local one
  for one in "${helpers[@]}"; do wait "$one" || { cat messages.four.*; return 1; }; done
  helpers=()
}

@test "two partitions are four: their URLs are what they were, the crawl goes on with twice as many, and no link is lost" {
  half_a_crawl TERM
  exported two.0 two.1 >before
  run -0 split 0
  [[ $output == *"partition 0 of 4: "*" URLs of "*" hosts, "[1-9]*" links on their way"*"partition 1 of 4: "* ]]
  run -0 --separate-stderr split 1 -q
  [[ -z $output && -z $stderr ]]
  exported four.? | cmp - before
  exported two.? | cmp - before
  for p in 0 1 2 3; do
    run -0 politeness-sched --state=four.$p --verify
    [[ $output == *" URLs, 0 problems" ]]
    politeness-sched --state=four.$p --list | cut -f1 >urls
    (($(wc -l <urls) > 30))
    url-filter --shard=$p/4 urls | cmp - urls
  done
  goes_on
  # Nothing was in flight, and finished pages stay so.
  judge 0
}

@test "of states that were killed, splits that are killed at any moment leave what was there, and the next one makes whole states" {
  half_a_crawl KILL
  exported two.0 two.1 >before
  local kills=0 p ms
  for p in 0 1; do
    # The time grows until a split gets to its end.
    for ((ms = 10; ms < 60000; ms += ms / 4)); do
      ! timeout -s KILL "$(awk -v ms=$ms 'BEGIN { print ms / 1000 }')" politeness-sched --state="two.$p" --cluster="${url%/*}/two" --partition="$p/2" \
        --split='four.{}' -q || break
      kills=$((kills + 1))
      [[ ! -e four.$((2 * p + 1)) ]] || break
      # A split that was killed between its last two steps has made one of the two.
      rm -rf "four.$((2 * p))"
    done
    [[ -d four.$((2 * p)) && -d four.$((2 * p + 1)) && ! -e four.$((2 * p)).new && ! -e four.$((2 * p + 1)).new ]] || { ls; false; }
    exported two.? | cmp - before
  done
  ((kills >= 2))
  exported four.? | cmp - before
  goes_on
  # Up to eight pages were in flight at the kills.
  judge 8
}

@test "what is no crawl at rest is not split: it is told why, and nothing is made" {
  crawl two 2
  wait_for_progress 20
  # The state is locked; seen from another machine, its lease is held.
  run -2 split 0
  [[ $output == *"two.0/lock"* && ! -e four.0 ]]
  # A state's files come and go while it is in use.
  soon 'rm -rf copy && cp -r two.0 copy 2>/dev/null'
  rm -f copy/lock
  run -2 politeness-sched --state=copy --cluster="${url%/*}/two" --partition=0/2 --split='four.{}'
  [[ $output == *"partition 0 is held by "*": a crawl is split once all of its machines have ended"* ]]
  kill -- "-${helpers[0]}" "-${helpers[1]}"
  wait "${helpers[@]}" || true
  local bad
  for bad in "two.0 --cluster=${url%/*}/two --partition=0/3|this crawl has 2 partitions, and not 3" \
    "two.0 --cluster=${url%/*}/none --partition=0/2|knows no crawl of that name" \
    "two.0 --cluster=${url%/*}/two --partition=1/2|partition 1 has its state elsewhere" \
    "none --cluster=${url%/*}/two --partition=0/2|there is no state in none" \
    "two.0 --cluster=${url%/*}/two|--split goes with --cluster and --partition" \
    "two.0 --partition=0/2|--split goes with --cluster and --partition" \
    "two.0 --cluster=${url%/*}/two --partition=0/2 --list|exclude each other"; do
    # shellcheck disable=SC2086
    run -2 politeness-sched --state=${bad%%|*} --split='four.{}'
    [[ $output == *"${bad#*|}"* ]] || { echo "$bad: $output"; false; }
  done
  run -2 politeness-sched --state=two.0 --cluster="${url%/*}/two" --partition=0/2 --split=four
  [[ $output == *"--split wants {} in its name"* ]]
  # Another list of public suffixes would make other partitions.
  printf 'test\n%s\n' h{0..60}.test >suffixes
  run -2 split 0 --psl=suffixes
  [[ $output == *"is of partition "*"another list of public suffixes?"* && ! -e four.0 ]]
  # Added seeds that wait, a target that exists, and a folder that no split has made.
  politeness-sched --state=two.0 --add http://www.h1.test/1 -q
  run -2 split 0
  [[ $output == *"seeds that were added wait in two.0/inbox"* ]]
  rm two.0/inbox
  mkdir four.1
  run -2 split 0
  [[ $output == *"four.1 is there already"* ]]
  rmdir four.1
  rm -rf four.0.new
  mkdir four.0.new
  : >four.0.new/mine
  run -2 split 0
  [[ $output == *"four.0.new/mine is in the way, which no split has made"* && -e four.0.new/mine && ! -e four.0 ]]
  # The engine is away.
  ask "$port" shutdown nosave || true
  run -2 split 0
  [[ $output == *"127.0.0.1:$port"* ]] || { echo "$output"; false; }
}
