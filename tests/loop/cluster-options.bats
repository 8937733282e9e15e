#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With each option, crawl --cluster on two machines does what one machine does with the same web: the same pages, none
# twice, and both together keep what the one keeps. Options for which that is impossible are refused by name.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

@test "archives, texts, items, links and what was refused: two machines keep together what one keeps" {
  start_web
  start_one
  both_ways --warc=FILES/c.warc.gz --wacz --text-to=FILES/text --links=FILES/links --rejected=FILES/rejected --exclude=/in/3 \
    '--fetch:cookies=FILES/jar.{}' --requisites --sitemaps --types='text/*,image/*,application/xml' '--report=FILES/{}.html' '--metrics=FILES/m.{}'
  alike text
  alike links
  alike rejected
  (($(grep -c . one.files/rejected) == HOSTS))
  # Each machine has a file of its own, although both were given one name; the packed file has all of them.
  local kept
  for kept in c.wacz ''; do
    records --from-dir=one.files/$kept | urls >kept.one
    records --from-dir=many.files/$kept | urls >kept.many
    (($(wc -l <kept.one) > 20 * HOSTS))
    diff kept.one kept.many
  done
  # The cookies of each host are in the jar of the machine that had the host.
  diff <(grep -h seen one.files/jar.* | sort) <(grep -h seen many.files/jar.[ab] | sort)
  (($(ls many.files/[0-3].html many.files/m.[0-3] | wc -l) == 8))
}

@test "a store, depth, known content, links not to follow, what a host may have: the same pages" {
  start_web
  start_one
  both_ways --store=FILES/bodies --max-depth=3 --follow-nofollow --order=priority
  fetch --store=one.files/bodies --list | urls >kept.one
  fetch --store=many.files/bodies --list | urls >kept.many
  (($(wc -l <kept.one) > 15 * HOSTS))
  diff kept.one kept.many
  # The records of both machines lead to the bodies, as those of one machine do.
  diff <(records --where 'outcome=ok' <one.pages | extract-links | records --links | urls) \
    <(cat many/node-?/pages | records --where 'outcome=ok' | extract-links | records --links | urls)
}

@test "what failed, or was kept out, is tried again by two machines as by one; and what is visited again" {
  start_web
  start_one
  rm changed
  both_ways --exclude=/in/3
  run ! grep /in/3 asked.many
  touch changed
  # bug: what a machine knew of a robots.txt that could not be fetched was not forgotten, as it is on one machine
  mkdir -p many/node-{a,b}/robots
  echo 'unreachable: test' | tee many/node-a/robots/planted >many/node-b/robots/planted
  # The name is another one because the rules are.
  url+=-2
  both_ways --retry-failed --retry-outcome=blocked-by-policy,blocked-by-robots
  (($(sort -u asked.many | grep -c flaky) == HOSTS && $(sort -u asked.many | grep -c /in/3) <= HOSTS && $(sort -u asked.many | wc -l) < 3 * HOSTS)) || { cat asked.many said.*; false; }
  [[ ! -e many/node-a/robots/planted && ! -e many/node-b/robots/planted ]]
  url+=-3
  both_ways --recrawl=1ms
  (($(wc -l <asked.many) > 15 * HOSTS))
}

@test "four partitions on one machine and two on each of two: the same pages, the same exports" {
  start_web
  start_one
  local name=$url p one
  url=$name-1
  agent a 4
  ended
  mv many first
  asked >asked.first
  url=$name-2
  agent a 4
  agent b 4
  ended
  asked >asked.many
  diff <(sort -u asked.first) <(sort -u asked.many)
  (($(cut -f1 first/node-a/pages | sort -u | wc -l) == $(cat many/node-[ab]/pages | cut -f1 | sort -u | wc -l)))
  for one in first many; do
    for p in 0 1 2 3; do
      # A URL's partition does not depend on the machine that has it.
      politeness-sched --state=$one/p$p/frontier --list --fields=url,state,status,outcome,digest | sort >"$one.$p"
      politeness-sched --state=$one/p$p/frontier --export
    done | politeness-sched --state=$one.all --import 2>/dev/null
    politeness-sched --state=$one.all --list --fields=url,state,status,outcome,digest | sort >"$one.list"
  done
  for p in 0 1 2 3; do diff first.$p many.$p; done
  diff first.list many.list
  (($(wc -l <many.list) > 20 * HOSTS))
}

@test "bug: two machines wrote one jar of cookies, and what is of one run or one machine had to be said alike by all" {
  start_web
  start_one
  run -2 "$crawl" --cluster="$url" --state=many "${words[@]}" --cookies=jar seeds
  [[ $output == "crawl: --cluster: --cookies wants {} in its name, where the name of the machine goes" && ! -e many ]]
  # Machines may differ in messages, --in-flight, their own limits, and names of files.
  cp seeds others
  mkdir policies && echo 'deny-url /never' >policies/a && cp policies/a policies/b
  agent a 4 --policy=policies/a --in-flight=8 --max-time=1h '--metrics=m.{}' --warc="$PWD/a.warc.gz"
  words=("${words[@]/-q/--json}")
  agent b 4 --policy=policies/b --max-bytes=1G --warc="$PWD/b.warc.gz"
  ended
  grep -q '^crawl: --max-bytes=1G counts for each of 4 partitions by itself$' said.b
  run -2 "$crawl" --cluster="$url" --partitions=4 --partition-lease=1s --state=many "${words[@]}" --policy=policies/b seeds
  [[ $output == *"this crawl was begun with"* ]]
}

@test "bug: what is of a crawl on one machine was answered for a machine of many as if it were none" {
  local mode
  for mode in --dry-run --demo; do
    run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --state=none "$mode" ${identity+x}
    [[ $output == "crawl: ${mode%%=*} is of a crawl on one machine: with --cluster there are --status, --report, --list, --hosts, --show, --why and --add" ]] || { echo "$output"; false; }
  done
  # A machine without any partition's state has nothing to show, and seeds are needed to begin.
  for mode in --list --hosts --show=http://127.0.0.1/; do
    run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --state=none "$mode"
    [[ $output == "crawl: ${mode%%=*}: no partition's state is in none: "* ]] || { echo "$output"; false; }
  done
  run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --state=none --retry-failed
  [[ $output == "crawl: --cluster: give the seeds of the crawl: all machines are given the same" && ! -e none ]]
  for mode in --check-links --order=inlinks --order=opic; do
    run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --state=none --agent=x --contact=me@example.org $mode http://127.0.0.1/
    [[ $output == *"${mode#--check-links}"* && $output == *"for one machine"* || $output == *"counts links of one scheduler"* ]] || { echo "$mode: $output"; false; }
  done
}

@test "bug: a machine's folder, taken for the state of a crawl, ended with a command not found" {
  start_web
  start_one
  agent a 1
  ended
  run -2 "$crawl" --state=many/node-a
  [[ $output == "crawl: many/node-a is a part of a crawl of several machines: go on with the command that began it" ]]
}

@test "bug: a machine that was refused for what its scheduler says left a folder, and its options in the place of those of the last run" {
  start_web
  start_one
  mkdir copies
  local one
  for one in --delay=abc --retry-outcome=never --partition-lease=1ms --partition-lease=x --sched:politeness-key=ip; do
    run -2 "$crawl" --cluster="$url" --partitions=2 --node=a --state="$PWD/many" "${words[@]}" "$one" seeds
    [[ $output == *"crawl: nothing is crawled: politeness-sched: "* && ! -e many ]] || { echo "$one: $output"; false; }
  done
  # Options that crawl sets itself used to be accepted, and changed number, name or engine, or made copies where a
  # seed's redirect widens the scope.
  for one in --sched:partitions=3 --sched:partition=1/2 --sched:cluster=redis://h/y --sched:node=b --sched:copies="$PWD/copies" --sched:terms=x; do
    run -2 "$crawl" --cluster="$url" --partitions=2 --node=a --state="$PWD/many" "${words[@]}" "$one" seeds
    [[ $output == *"--cluster: ${one%%=*} is set by crawl itself"* && ! -e many ]] || { echo "$one: $output"; false; }
  done
  for one in --sched:stats=x --sched:report-file=x --sched:checkpoint=x --sched:metrics=x --metrics=x --report=x; do
    run -2 "$crawl" --cluster="$url" --partitions=2 --node=a --state="$PWD/many" "${words[@]}" --checkpoint-every=1h "$one" seeds
    [[ $output == "crawl: --cluster: ${one%%=*} wants {} in its name, where the number of the partition goes" && ! -e many ]] || { echo "$one: $output"; false; }
  done
  # Its partitions' states would be elsewhere than its machines' folders.
  run -2 "$crawl" --cluster="$url" --partitions=2 --node=a --state="$PWD/many/{}" "${words[@]}" seeds
  [[ $output == "crawl: --state: {} is the number of a partition"* && ! -e many ]] || { echo "$output"; false; }
  [[ $(ask "$port" dbsize) == 0 ]]
  agent a 2 --retry-failed
  ended
  cp many/node-a/options options
  run -2 "$crawl" --cluster="$url" --partitions=2 --node=a --state="$PWD/many" "${words[@]}" --retry-outcome=never seeds
  cmp options many/node-a/options
}

@test "bug: the command that gives hosts another chance lacked seeds and name, so that a machine of many refused it; that of a report named a folder that was gone" {
  start_web
  start_one
  echo http://127.1.0.77:1/ >more-seeds
  local again
  # (The @ of the contact comes after the engine's address, but marks no password.)
  words+=(--exclude=/none)
  run -3 "$crawl" --cluster="$url" --partitions=2 --partition-lease=1s --node=a --state="$PWD/many" "${words[@]}" --tries=1 --patience=1 seeds more-seeds
  again=${output##*to go on: }
  [[ $again == "crawl --state=$PWD/many --cluster=$url "*" --retry-failed seeds more-seeds" ]] || { echo "$output"; false; }
  "$crawl" --cluster="$url" --state="$PWD/many" --report=report.html
  grep -qF -- "$again" report.html || { grep -o 'crawl --state[^<]*' report.html; false; }
  # The report has the delay of the crawl.
  grep -q '20 ms' report.html
  run bash -c "${again/#crawl/$crawl} -q"
  ((status == 3)) || { echo "$output"; false; }
  [[ $output == *"http://127.1.0.77:1 is finished"* ]] || { echo "$output"; false; }
}
