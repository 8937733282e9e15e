#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A partition that has begun begins anew only where somebody said so: after a split under another name, where the engine
# has forgotten everything, and where a machine's disk is gone and no copy can be found. scripts/crawl runs on a server
# of its own. Every page of the site has one link to it, from another host.

# shellcheck disable=SC2016,SC2154  # conditions; what the helpers say

load ../cli/helper

PAGES=700

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  start_one
  # (The site is slow towards the end, until everything has been done to the crawl.)
  serve_web $PAGES 250/.5
}
teardown() {
  end_jobs
  end_servers
}

# machine NAME PARTITIONS [OPTION...]: starts a machine of that crawl, with its states in the folder NAME; its pid is
# $pid.
machine() {
  setsid "$SPINNERET_ROOT/scripts/crawl" --cluster="${url%/*}/$1" --partitions="$2" --state="$PWD/$1" "${@:3}" --partition-lease=3s --allow-private \
    --delay=100ms --in-flight=2 --scope=any --agent=x --contact=me@example.org -q seeds >/dev/null 2>>messages 3>&- &
  pid=$!
}
order() { "$SPINNERET_ROOT/scripts/crawl" --cluster="${url%/*}/$1" "$2"; }
asked() { grep -c ' /p/' web.log || true; }
pages() { grep -o ' /p/.*' web.log | sort -u | wc -l; }
# none_again: checks that none of the first fifty pages was asked for twice. A hundred others had been asked for before
# anything was stopped, so these were settled long ago, and a partition that begins anew would ask for some of them.
# (How many of the last pages are asked for again depends on the speed of the machine: they were in flight, or their
# answers were unread.)
none_again() {
  local again
  again=$(grep -o ' /p/.*' web.log | awk '!asked[$0]++ { of_the_first[$0] = ++n <= 50; next } of_the_first[$0]')
  [[ -z $again ]] || { printf 'twice:\n%s\n' "$again"; cat messages other.messages 2>/dev/null || true; false; }
}
# half_a_crawl NAME PARTITIONS [OPTION...]: runs until all of its partitions have begun, and stops it.
half_a_crawl() {
  machine "$@"
  # Each partition must know of the others; it is told of them until it does.
  soon 'more_than 150 web.log "* /p/*" && nap .2 && all_know '"$1 $2"
  kill $pid
  wait $pid || (($? == 143)) || { cat messages; false; }
  (($(pages) < PAGES))
}
# all_know NAME PARTITIONS: whether each has reported three times at least, and the engine has a name for each state.
all_know() {
  (($(ask "$port" hlen "spinneret:{$1}:table:states") == $2)) &&
    ! ask "$port" hvals "spinneret:{$1}:table:reports" | awk 'NF && $2 < 4 { few = 1 } END { exit !few && NR == '"$2"' ? 1 : 0 }'
}
ends() {
  kill -USR1 "$web"
  wait $pid || { cat messages; false; }
  (($(pages) == PAGES)) || { echo "lost: $((PAGES - $(pages)))"; cat messages; false; }
}
refused() { soon "grep -qE 'partition $1 has its state elsewhere.*$2.*--begin-anew=$1' messages"; }

@test "a split under another name, and a half that was left behind: it is named, and nothing is crawled twice" {
  half_a_crawl two 2
  local p
  for p in 0 1; do
    politeness-sched --state="two/p$p/frontier" --cluster="${url%/*}/two" --partition=$p/2 --split='four/p{}/frontier' -q
  done
  cp two/adopted four/adopted
  mv four/p2 away
  machine four 4
  refused 2 'the engine has forgotten which, and here is none'
  (($(order four --status | grep -c 'pages=') <= 3))
  kill $pid
  wait $pid || (($? == 143)) || { cat messages; false; }
  rm -r four/p2
  mv away four/p2
  machine four 4
  ends
  none_again
}

@test "an engine that has forgotten all, and a state that is not there: it is named, until somebody says that it begins anew" {
  half_a_crawl crawl 3
  ask "$port" flushall >/dev/null
  rm -r crawl/p1
  machine crawl 3
  refused 1 'the engine has forgotten which, and here is none'
  # --begin-anew is refused for partitions that are being crawled, and for numbers that do not exist.
  soon '[[ $(order crawl --status | grep -c "state=\(idle\|crawling\)") == 2 ]]'
  run -2 order crawl --begin-anew=0
  [[ $output == *"partition 0 is held by "*", which has its state: see --status" ]]
  for bad in 3 -1 x 1=a ''; do
    run -2 order crawl --begin-anew=$bad
    [[ $output == *"--begin-anew takes a partition of this crawl, 0 to 2"* || -z $bad ]] || { echo "$bad: $output"; false; }
  done
  run -2 politeness-sched --cluster="$url" --begin-anew=1 --pin=1=a
  [[ $output == *"--pin and --begin-anew exclude each other"* ]]
  run -2 order none --begin-anew=1
  [[ $output == *"the engine knows no crawl of that name"* ]]
  run -0 order crawl --begin-anew=1
  kill -USR1 "$web"
  wait $pid || { cat messages; false; }
  # Its pages were asked for again, and links from other partitions were lost.
  (($(asked) > $(pages) + 8))
  run ! none_again
  run -0 order crawl --status
  [[ $output == *"the crawl is over"* ]]
}

@test "an engine that has forgotten all while a machine works, and one comes that has nothing: it takes nothing, and says why" {
  machine crawl 3
  local worker=$pid
  soon 'more_than 150 web.log "* /p/*" && nap .2 && all_know crawl 3'
  mkdir other
  ask "$port" flushall >/dev/null
  setsid "$SPINNERET_ROOT/scripts/crawl" --cluster="$url" --partitions=3 --state="$PWD/other" --node=other --partition-lease=3s --allow-private \
    --delay=100ms --in-flight=2 --scope=any --agent=x --contact=me@example.org -q seeds >/dev/null 2>other.messages 3>&- &
  pid=$worker
  ends
  none_again
  # The machines race for partitions; if the new one got any, it has begun none.
  for p in 0 1 2; do
    [[ ! -d other/p$p/frontier/db ]] || [[ -z $(politeness-sched --state="other/p$p/frontier" --list) ]] || { cat other.messages; false; }
  done
}

@test "--copies: a disk is gone, and the place of the copies is not there or empty: it is named, and the copies make it go on" {
  mkdir copies
  local words=(--copies="$PWD/copies" --checkpoint-every=500ms)
  half_a_crawl crawl 2 "${words[@]}"
  # The folder of copies looks as after a failed mount.
  mv copies/p1-* .
  mv crawl/p1 dead
  ask "$port" flushall >/dev/null
  machine crawl 2 "${words[@]}"
  refused 1 'no copy of it is to be found: see to the place of the copies'
  mv p1-* copies/
  ends
  # URLs asked for after the copy was made are asked for again.
  grep -q 'partition 1 goes on from its copy p1-' messages
  # The engine knows of copies, which cannot be read; the partition begins anew only when somebody says so.
  rm -r copies/p1-* crawl/p1
  : >messages
  machine crawl 2 "${words[@]}"
  soon "grep -q 'no copy of its state can be read.*--begin-anew=1' messages"
  run -0 order crawl --begin-anew=1
  ends
  grep -q 'partition 1 begins anew, as it was told to' messages
}
