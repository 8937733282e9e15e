#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster in rare cases: payments, a second visit with archives, an output that takes nothing, absurd values.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

@test "each machine pays from a ledger of its own, and no page is paid twice" {
  start_web
  start_one
  local i money=(--fetch:max-price='USD 0.01' --fetch:sign-key="$PWD/key" --fetch:signature-agent=https://bot.example)
  openssl genpkey -algorithm ed25519 -out key
  for ((i = 1; i <= HOSTS; i++)); do echo "http://127.1.0.$i:$(cat web.port)/priced"; done >>seeds
  echo 'budget USD 1' | tee ledger.a >ledger.b
  run -2 "$crawl" --cluster="$url" --state=many "${words[@]}" "${money[@]}" --fetch:ledger=ledger.a seeds
  [[ $output == "crawl: --cluster: --fetch:ledger wants {} in its name, where the name of the machine goes" && ! -e many ]]
  agent a 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}"
  agent b 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}"
  ended
  (($(grep -h ' charged ' ledger.[ab] | awk '{ print $NF }' | sort -u | wc -l) == HOSTS))
  (($(grep -hc ' offered ' ledger.[ab] | awk '{ n += $1 } END { print n }') == HOSTS && $(grep -c ' /priced .* 200' web.log) == HOSTS))
  (($(cat many/node-[ab]/pages | grep -c '/priced.*outcome=ok') == HOSTS))
  # A spent budget ends payments only: the pages say so, and are asked for again when there is more money.
  echo 'budget USD 0' | tee ledger.a >ledger.b
  url+=-2
  rm -r many
  agent a 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}"
  agent b 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}"
  ended
  (($(cat many/node-[ab]/pages | grep -c '/priced.*outcome=payment-required') == HOSTS))
  echo 'budget USD 1' | tee ledger.a >ledger.b
  agent a 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}" --retry-outcome=payment-required
  agent b 4 "${money[@]}" --fetch:ledger="$PWD/ledger.{}" --retry-outcome=payment-required
  ended
  (($(grep -h ' charged ' ledger.[ab] | awk '{ print $NF }' | sort | uniq -c | awk '$1 == 1' | wc -l) == HOSTS))
}

@test "what is asked for again, with archives and their packed form: two machines keep together what one keeps" {
  start_web
  start_one
  local archive=(--warc=FILES/c.warc.gz --wacz)
  both_ways "${archive[@]}" --fetch:max-size=200
  url+=-2
  both_ways "${archive[@]}" --retry-outcome=too-large
  (($(sort -u asked.many | wc -l) >= HOSTS))
  local kept
  for kept in c.wacz ''; do
    records --from-dir=one.files/$kept --where outcome=ok | urls >kept.one
    records --from-dir=many.files/$kept --where outcome=ok | urls >kept.many
    (($(wc -l <kept.one) > 20 * HOSTS))
    diff kept.one kept.many
  done
}

@test "a machine that cannot print its pages ends with what is wrong, and the other one has them all" {
  start_web
  start_one
  mkdir -p many/node-a
  ln -s /dev/full many/node-a/pages
  agent a 4
  local a=${agents[0]} status=0
  wait "$a" || status=$?
  ((status == 2)) || { echo "status $status"; cat said.a; false; }
  grep -q 'No space left on device' said.a
  agents=()
  agent b 4
  ended
  rm many/node-a/pages
  agent a 4
  ended
  (($(cut -f1 many/node-b/pages | sort -u | wc -l) > 20 * HOSTS))
  [[ $(cut -f1 many/node-b/pages | sort | uniq -d) == "" ]]
  "$crawl" --state="$PWD/one" "${words[@]}" seeds >one.pages
  diff <(urls <one.pages) <(urls <many/node-b/pages)
}

@test "bug: a machine whose program for copies hung did not stop when it was told to" {
  start_web
  start_one
  printf '#!/bin/sh\ncase $1 in list) echo >>%q/asked; exec sleep 1000 ;; esac\n' "$PWD" >hangs
  chmod +x hangs
  agent a 2 --copies="$PWD/hangs"
  soon '[[ -s asked ]]'
  local since=$SECONDS status=0
  kill -TERM "${agents[@]}"
  wait "${agents[@]}" || status=$?
  agents=()
  ((status == 143 && SECONDS - since < 20)) || { echo "status $status"; cat said.a; false; }
  ! grep 'copies\|hangs' said.a
}

@test "values that nobody can mean are refused by their name" {
  local word
  for word in --partition-lease=0 --partition-lease=1ms --partition-lease=999999999d --partitions=0 --partitions=4097 --node=a/b '--node=a b'; do
    run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --state=none --agent=x --contact=me@example.org -q "$word" http://127.0.0.1/
    [[ $output == *"${word%%=*}"* ]] || { echo "$word: $output"; false; }
  done
  run -2 link-bus --receive=redis://127.0.0.1:1/x --partition=0 --ttl=0
  [[ ${lines[0]} == 'link-bus: --ttl is a second at least' ]]
}

@test "bug: a machine with a shell's few file descriptors opened states until one failed, and told nobody before" {
  start_one
  echo http://127.1.0.1:1/ >seeds
  # The soft limit is raised. What the hard limit forbids is reported, and the remaining partitions are left to others.
  run bash -c 'ulimit -n 100 && exec politeness-sched --cluster="$1" --partitions=16 --partition-lease=1s --max-time=3s --state="s.{}" -q seeds -- sed "s/$/\toutcome=ok/"' _ "$url"
  [[ $status == [02] && $output == *"100 file descriptors (ulimit -n) are for 1 of 16 partitions: others must have the rest"* ]] || { echo "$output"; false; }
  run -0 bash -c 'ulimit -Sn 64 && exec politeness-sched --cluster="$1-2" --partitions=8 --partition-lease=1s --max-time=30s --state="t.{}" -q seeds -- sed -u "s/$/\toutcome=ok/"' _ "$url"
  [[ $output != *"file descriptors"* && $output == *outcome=ok ]] || { echo "$output"; false; }
}

@test "bug: a machine with file descriptors for some partitions never ended where it was alone, and nobody else took the rest" {
  start_web
  start_one
  words+=(--partition-lease=3s)
  local few status=0
  few="ulimit -n 120 && exec '$crawl' --cluster='$url' --partitions=8 --node=a --state='$PWD/many' ${words[*]} seeds"
  bash -c "$few" >said 2>&1 || status=$?
  grep -q 'this machine can have 1 of 8 partitions, and there is no other: raise ulimit -n, or start others' said || { cat said; false; }
  ((status == 2))
  # A machine with enough descriptors takes more than its share.
  bash -c "$few" >said.a 2>&1 3>&- &
  agents+=($!)
  agent b 8
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
  run -2 bash -c "ulimit -n 70 && exec politeness-sched --cluster='$url-2' --partitions=8 --state='s.{}' -q seeds -- cat"
  [[ $output == *"none can be run here: raise ulimit -n" ]]
}

@test "a machine whose script alone is killed leaves nothing behind, and one that is suspended asks for nothing without its leases" {
  # (The web is slow until both things have been done.)
  start_web 40/1
  start_one
  agent a 4
  agent b 4
  soon 'has_asked 20'
  kill -9 "${agents[0]}"
  kill -USR1 "$web"
  soon '! pgrep -f -- "--state=$PWD/many/node-a" >/dev/null'
  agents=("${agents[1]}")
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
  rm -r many
  url+=-2
  kill -USR2 "$web"
  agent a 4
  soon 'has_asked 10'
  kill -TSTP "${agents[0]}"
  # Nobody holds a partition, and by then the URLs in flight are over, too.
  soon 'nap .3; ! politeness-sched --cluster="$url" --status | grep -v state=unowned'
  local before
  before=$(wc -l <web.log)
  nap 1
  (($(wc -l <web.log) == before))
  kill -CONT "${agents[0]}"
  kill -USR1 "$web"
  ended
  grep -q 'the engine has forgotten the lease\|the lease has run out\|given up: ' said.a
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
}

@test "bug: a crawl on one machine was begun again beside by --cluster, and partitions by a crawl without it, which gave one the hosts of all" {
  start_web
  start_one
  local at before
  "$crawl" --state=one "${words[@]}" --max-pages=20 seeds >/dev/null
  agent a 2 --max-pages=40
  ended
  asked >first
  run -2 "$crawl" --cluster="$url-2" --partitions=2 --node=a --state=one "${words[@]}" seeds
  [[ $output == "crawl: --state: in one is a crawl on one machine"*"name another --state" && ! -e one/p0 ]] || { echo "$output"; false; }
  run -2 "$crawl" --state=many "${words[@]}" seeds
  [[ $output == "crawl: in many are partitions of a crawl on many machines: give --cluster"* && ! -e many/seeds ]] || { echo "$output"; false; }
  run -2 "$crawl" --state=many --dry-run "${words[@]}" seeds
  [[ $output == *"are partitions of a crawl on many machines"* ]]
  run -2 "$crawl" --state=many/node-a "${words[@]}" seeds
  [[ $output == *"is a part of a crawl of several machines: go on with the command that began it" && ! -e many/node-a/frontier ]] || { echo "$output"; false; }
  before=$(politeness-sched --state=many/p0/frontier --list)
  run -2 politeness-sched --state=many/p0/frontier seeds
  [[ $output == "politeness-sched: the state is that of partition 0/2 of a crawl on many machines: go on with --cluster" ]] || { echo "$output"; false; }
  # crawl used to leave its files there before it was refused.
  run -2 "$crawl" --state=many/p0 "${words[@]}" seeds
  [[ $output == *"many/p0 is a part of a crawl of several machines: go on with the command that began it" && ! -e many/p0/seeds && ! -e many/p0/lock ]] || { echo "$output"; false; }
  [[ $(politeness-sched --state=many/p0/frontier --list) == "$before" && $(asked) == "" ]]
  # Each crawl goes on as it was begun.
  "$crawl" --state=one "${words[@]}" seeds >/dev/null
  (($(sort -u first <(asked) | wc -l) > 25 * HOSTS))
  agent a 2
  ended
  (($("$crawl" --state=many --list | cut -f1 | sort | tee urls | wc -l) > 25 * HOSTS)) && [[ $(uniq -d urls) == "" ]]
}

@test "bug: a machine that came where another one stood still found the states locked and ended, and nobody went on" {
  # (The web is slow until the first machine stands still.)
  start_web 30/1
  start_one
  agent a 4
  soon 'has_asked 20 && has_come a'
  local its
  mapfile -t its < <(pgrep -s "${agents[0]}")
  kill -STOP "${its[@]}"
  kill -USR1 "$web"
  agent b 4
  # The second machine is told who holds the states, and what to do.
  soon '(($(grep -c "p[0-3]/frontier/lock is held by process [0-9]* of a, which has not let go: partition [0-3] waits until it does, or is ended$" said.b) == 4))'
  kill -9 "${its[@]}"
  agents=("${agents[1]}")
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
}

@test "bug: a second machine of the same name was told that another crawl works on this state, and to wait for its end" {
  start_web 30/1
  start_one
  agent a 2
  soon 'has_asked 5 && has_come a'
  run -2 "$crawl" --cluster="$url" --partitions=2 --partition-lease=3s --node=a --state="$PWD/many" "${words[@]}" seeds
  [[ $output == *"node-a/lock is held by process "*"; a machine more takes another name (--node)" ]] || { echo "$output"; false; }
  kill -USR1 "$web"
  ended
}

@test "bug: a partition that was pinned to what stands before a dot in a machine's name was with nobody, for ever" {
  start_web 30/1
  start_one
  agent a.lan 2
  soon 'has_asked 5 && has_come a.lan'
  run -0 "$crawl" --cluster="$url" --pin=0=a
  [[ $output == *"no machine named a is in this crawl yet" ]] || { echo "$output"; false; }
  kill -USR1 "$web"
  soon '! kill -0 "${agents[0]}" 2>/dev/null'
  ended
  run -1 grep 'goes to another machine' said.a.lan
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
}

@test "bug: a report of copies alone said that no page has been fetched, and nobody why" {
  start_web
  start_one
  mkdir copies
  agent a 2 --copies="$PWD/copies" --checkpoint-every=1s
  ended
  run -0 "$crawl" --cluster="$url" --state=elsewhere --copies=copies --report=report.html
  [[ $output == "crawl: --report: without pages, as no machine's log is in elsewhere: ask where node-NAME is" ]] || { echo "$output"; false; }
  grep -q 'No page has been fetched' report.html
  run -0 "$crawl" --cluster="$url" --state=many --copies=copies --report=report.html
  [[ $output == "crawl: --report: with the pages of a, whose logs are in many" ]] || { echo "$output"; false; }
  run -1 grep 'No page has been fetched' report.html
}
