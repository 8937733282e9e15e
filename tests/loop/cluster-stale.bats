#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster on states, rules and engines that have changed: what would lose pages silently is refused.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

# filters_wait SESSION: whether both filters of a machine have read their rules and sleep until links come.
filters_wait() {
  local process state waiting=0
  nap .1
  for process in $(pgrep -s "$1" -x url-filter); do
    { read -r _ _ state _ <"/proc/$process/stat"; } 2>/dev/null && [[ $state != S ]] || waiting=$((waiting + 1))
  done
  ((waiting == 2))
}

@test "bug: a policy that was changed while two machines crawled was read by stages that started anew, and pages were lost" {
  # The web is slow until everything is ready: on a busy machine the second one would otherwise find nothing left.
  start_web 40/1
  start_one
  echo 'deny-path ^/never' >policy
  cp policy was
  words+=(--policy="$PWD/policy")
  agent a 4
  agent b 4
  # The policy must not change while a filter reads it.
  soon 'filters_wait "${agents[0]}" && filters_wait "${agents[1]}"'
  soon 'has_asked 30'
  echo 'deny-path ^/deep' >>policy
  # Each machine's fetch is killed.
  local process status=0
  for process in "${agents[@]}"; do pkill -9 -s "$process" -x fetch; done
  for process in "${agents[@]}"; do
    wait "$process" || status=$?
    ((status == 2)) || { echo "status $status"; cat said.?; false; }
  done
  agents=()
  grep -q '^crawl: the files of rules have changed since this machine began: ' said.a
  mv was policy
  kill -USR1 "$web"
  agent a 4
  agent b 4
  ended
  asked | sort -u >asked.many
  "$crawl" --state="$PWD/one" "${words[@]}" seeds >one.pages
  diff <(asked | sort -u) asked.many
}

@test "bug: rules that had changed ended stages whose page was blamed for it, and given up" {
  mkdir many
  echo 'deny-path ^/deep' >policy
  exec {lock}<>many/lock
  echo 'http://127.0.0.1/	depth=0' >record
  run -2 --separate-stderr env SPINNERET_STAGES="$lock" SPINNERET_AGENT=x SPINNERET_CONTACT=me@example.org SPINNERET_RULES=other \
    "$crawl" --state=many --policy=policy http://127.0.0.1/ <record
  expect 2 'http://127.0.0.1/	depth=0	error=the rules have changed	outcome=aborted'
  [[ $stderr == 'crawl: the files of rules have changed'* ]]
}

@test "bug: states of four partitions were taken for eight under another name, hosts were in two of them, and the crawl never ended" {
  start_web
  start_one
  agent a 4 --max-pages=40
  ended
  asked >asked.first
  url+=-2
  run -2 "$crawl" --cluster="$url" --partitions=8 --partition-lease=1s --node=a --state="$PWD/many" "${words[@]}" seeds
  [[ $output == "crawl: --partitions: the states in "*" are of a crawl in 4 partitions, and not in 8: "* ]] || { echo "$output"; false; }
  run -2 politeness-sched --state=many/p1/frontier --cluster="$url" --partition=1/8 --partition-lease=1s -q seeds -- cat
  [[ $output == *"the state is that of partition 1/4, and here it is to be 1/8: name another --state, or split it"* ]] || { echo "$output"; false; }
  [[ -z $(asked) ]]
  # A state is also refused with another list of suffixes, and one of a crawl on a single machine.
  printf 'org\ncom\n' >list
  url+=-3
  run -2 politeness-sched --state=many/p1/frontier --cluster="$url" --partition=1/4 --partition-lease=1s -q --psl="$PWD/list" seeds -- cat
  [[ $output == *"hosts would be in other partitions"* ]] || { echo "$output"; false; }
  "$crawl" --state="$PWD/one" "${words[@]}" --max-pages=5 seeds >one.pages
  run -2 politeness-sched --state=one/frontier --cluster="$url-4" --partition=0/4 --partition-lease=1s -q seeds -- cat
  [[ $output == *"the state is that of a crawl on one machine"* ]] || { echo "$output"; false; }
}

@test "bug: a copy of a state from before was taken for what the crawl goes by, and links that others had given since were lost" {
  start_web
  start_one
  agent a 4 --max-pages=40
  ended
  cp -a many before
  agent a 4
  ended
  asked >asked.first
  mv many after
  mv before many
  run -2 "$crawl" --cluster="$url" --partitions=4 --partition-lease=3s --node=a --state="$PWD/many" "${words[@]}" seeds
  [[ $output == *"is older than the one that the crawl goes by"*"--begin-anew="* ]] || { echo "$output"; false; }
  [[ -z $(asked) ]]
  # Somebody may say that the crawl goes on from this state; then the newer one is refused.
  local p
  for p in 0 1 2 3; do run -0 "$crawl" --cluster="$url" --begin-anew=$p; done
  agent a 4
  ended
  asked >asked.again
  (($(wc -l <asked.again) > 40))
  run -2 "$crawl" --cluster="$url" --partitions=4 --partition-lease=3s --node=a --state="$PWD/after" "${words[@]}" seeds
  [[ $output == *"is older than the one that the crawl goes by"* ]] || { echo "$output"; false; }
  # States that are all from one moment are a crawl of their own.
  url+=-2
  agent c 4
  ended
}
