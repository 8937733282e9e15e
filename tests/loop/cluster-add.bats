#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster --add and --why: seeds from anywhere for a crawl that two machines have begun; and where a URL is, or
# why it is not there.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

# begin [HOLD]: starts the web and crawls all its hosts except the last. Other hosts are out of scope, and so is what
# --add names, before it is added.
begin() {
  start_web "$@"
  start_one
  added=$(tail -n 1 seeds)
  sed -i '$d' seeds
  words=("${words[@]/--scope=any/--scope=host}")
}
host_of() { sed -E 's|^http://([^:/]*).*|\1|' <<<"$1"; }

@test "--add from anywhere: two machines that see one folder have the seeds with their scope, each once, and what the engine forgets it is told" {
  # (The web is slow until the second machine has come.)
  begin 20/1
  agent a 4
  agent b 4
  soon 'has_asked 10 && has_come b'
  run -0 "$crawl" --cluster="$url" --state=elsewhere --add "$added" seeds
  [[ $output == "politeness-sched: $HOSTS seeds came to the crawl" && ! -e elsewhere ]] || { echo "$output"; false; }
  "$client" -p "$port" flushall >/dev/null
  kill -USR1 "$web"
  ended
  [[ $(cut -f1 many/adopted) == *"$added"* && $(sort many/adopted | uniq -d) == "" ]]
  asked >asked.many
  # One machine has the same pages.
  echo "$added" >>seeds
  "$crawl" --state="$PWD/one" "${words[@]}" seeds >one.pages
  asked >asked.one
  # (Links and redirects to the added host that were refused before do not come with a page any more.)
  diff <(grep -vE '/(in|landed)' asked.one | sort -u) <(grep -vE '/(in|landed)' asked.many | sort -u)
  (($(grep -c "^$(host_of "$added")/" asked.many) > 20))
  # Machines that come later know the seed, and so does an engine that has forgotten everything; known URLs are not
  # asked for again.
  sed -i '$d' seeds
  "$client" -p "$port" flushall >/dev/null
  agent a 4
  ended
  [[ -z $(asked) ]]
  (($("$client" -p "$port" hlen 'spinneret:{crawl}:table:added') >= HOSTS))
}

@test "--add to a crawl that is over, by machines that share nothing: the next run has the seeds, on whichever disk" {
  begin
  mkdir copies
  words=("${words[@]/--scope=host/--scope=host,fixed}" --copies="$PWD/copies")
  agent a 4
  ended
  asked >asked.first
  run -0 "$crawl" --cluster="$url" --state=elsewhere --add "$added" --agent=x --contact=me@example.org
  [[ $output == "politeness-sched: 1 seed for the crawl's next run" ]] || { echo "$output"; false; }
  rm -r many
  agent c 4
  ended
  asked >asked.next
  (($(grep -c "^$(host_of "$added")/" asked.next) > 20 && $(sort asked.first asked.next | uniq -d | wc -l) == 0)) || { cat asked.next; false; }
}

@test "--add is refused where nobody knows the crawl, what has no contact, and what is no URL" {
  start_one
  run -2 "$crawl" --cluster="$url" --state=none --add http://127.0.0.1/
  [[ $output == "politeness-sched: the engine knows no crawl of that name" ]]
  run -2 "$crawl" --cluster="$url" --state=none --add http://h.example/
  [[ $output == "crawl: --add: no state here says what contact the crawl gives to hosts other than loopback: give --contact, too" ]]
  run -2 "$crawl" --cluster="$url" --state=none --add
  [[ $output == "crawl: no crawl is kept in none: give a URL to begin one" ]]
  mkdir -p some/p0/frontier/db
  run -2 "$crawl" --state=some --add http://127.0.0.1/
  [[ $output == "crawl: --add: in some are partitions of a crawl on many machines: "*" --why and --add go with --cluster" ]]
}

@test "bug: a seed that was added to the state of one partition, and is another one's, was dropped" {
  start_one
  local p pids=()
  for p in 0 1; do
    politeness-sched --state=s.$p --cluster="$url" --partition=$p/2 --partition-lease=1s --continuous -q \
      -- sed -u 's/$/\tstatus=200\toutcome=ok/' >records.$p 2>messages.$p 3>&- &
    pids+=($!)
  done
  soon '[[ -d s.0/db && -d s.1/db ]] && nap .2 && (($(politeness-sched --cluster="$url" --status | grep -c pages=) == 2))'
  printf 'http://www.h%d.test/\n' {1..20} | politeness-sched --state=s.0 --add -q
  soon 'mapfile -t said < <(cat records.[01]) && ((${#said[@]} == 20))'
  run -2 politeness-sched --cluster="$url" --add http://www.h1.test/
  [[ $output == *"are run one by one: give --add the state of one of them"* ]]
  kill "${pids[@]}"
  wait "${pids[@]}" || true
  (($(wc -l <records.1) > 0 && $(cut -f1 records.[01] | sort -u | wc -l) == 20))
}

@test "--why: which partition has a URL, with whom; why, where its state is here, and where to ask else; --live names what there is" {
  begin
  agent a 4
  ended
  local page one
  page=$(cut -f1 many/node-a/pages | grep /in/1 | head -n 1)
  run -0 "$crawl" --cluster="$url" --state=many --why="$page"
  [[ ${lines[0]} =~ ^partition:\ [0-3]$ && $output == *$'\n'"state: done"* ]] || { echo "$output"; false; }
  one=${output#*$'\n'}
  "$crawl" --state="$PWD/one" "${words[@]}" seeds >one.pages
  diff <("$crawl" --state=one --why="$page" | cut -d: -f1 | sort) <(cut -d: -f1 <<<"$one" | sort)
  # A URL that nobody has found.
  run -1 "$crawl" --cluster="$url" --state=many --why="${added}private/x"
  [[ $output == *"scope"* ]] || { echo "$output"; false; }
  run -2 "$crawl" --cluster="$url" --state=elsewhere --why="$page"
  [[ $output == "crawl: --why: the URL is of partition "[0-3]", which nobody has now and whose state is not in elsewhere: ask on the machine that had it" ]]
  words+=(--recrawl=1ms)
  kill -USR2 "$web"
  url+=-2
  agent b 4
  soon 'nap .3 && (($(politeness-sched --cluster="$url" --status | grep -c pages=) == 4))'
  run -2 "$crawl" --cluster="$url" --state=elsewhere --why="$page"
  [[ $output == "crawl: --why: the URL is of partition "[0-3]", which b has: ask there, with the --state that it was given" ]] || { echo "$output"; false; }
  run -0 "$crawl" --cluster="$url" --state=many --why="$page"
  [[ ${lines[0]} == "partition: "[0-3]", with b" ]] || { echo "$output"; false; }
  run -2 "$crawl" --cluster="$url" --state=many --live
  [[ $output == "crawl: --live shows one state: "*"--state=many/p0/frontier" ]]
  kill "${agents[@]}"
}

@test "bug: a machine that was killed as its crawl ended, and came back at once, took the old end for its own and did nothing" {
  begin
  agent a 4
  ended
  asked >asked.first
  run -0 "$crawl" --cluster="$url" --state=many --add "$added"
  # The lease that the machine held when it was killed.
  [[ $("$client" -p "$port" set 'spinneret:{crawl}:lease:p0' 'a.1 1000' px 2000) == OK ]]
  agent a 4
  ended
  (($(asked | grep -c "^$(host_of "$added")/") > 20))
}

@test "bug: one that came back with the same process id, as in a container, still took the old end for its own" {
  start_one
  echo http://127.1.0.1:1/ >seeds
  # What it held when it was killed is another process's by its epoch alone.
  again() {
    bash -c '"$2" -p "$3" set "spinneret:{crawl}:lease:p0" "a.$$ 1000" px 2000 >&2 &&
      exec politeness-sched --cluster="$1" --partitions=2 --partition-lease=1s --node=a --state="s.{}" -q seeds -- sed -u "s/\$/\toutcome=ok/"' _ "$url" "$client" "$port" 3>&-
  }
  politeness-sched --cluster="$url" --partitions=2 --partition-lease=1s --node=a --state='s.{}' -q seeds -- sed -u 's/$/\toutcome=ok/' >first 3>&-
  [[ $(wc -l <first) == 1 ]]
  echo http://127.1.0.2:1/ >>seeds
  again >second
  [[ $(cut -f1 second) == http://127.1.0.2:1/ ]]
}

@test "bug: --live of one partition of a machine said that it pauses, and the machine went on asking" {
  start_web 30/.2
  start_one
  words=("${words[@]/-q/--json}")
  agent a 2
  soon 'has_asked 10 && has_come a'
  local p at before page
  # A partition that has something left to ask for.
  p=$(politeness-sched --cluster="$url" --status | sed -nE 's/^p([01])\t.*\twaiting=[1-9].*/\1/p' | head -n 1)
  politeness-sched --live=0 --state="$PWD/many/p$p/frontier" >live 2>&1 3>&- &
  soon 'says "to steer: " live'
  at=$(sed 's/.*to steer: //' live)
  # A port belongs to one program.
  run -2 politeness-sched --live="$(sed -E 's|.*:([0-9]+)/.*|\1|' live)" --state="$PWD/many/p$p/frontier"
  curl -fsS -o /dev/null -d "token=${at#*token=}&do=pause" "${at%%\?*}control"
  soon 'says "partition $p: requests from now on: paused" said.a'
  page=$(curl -fsS "$at")
  [[ $page == *paused* ]]
  # Pages in flight, one of each host, still come; then only the other partition goes on, to its end.
  url-filter --shard="$p/2" seeds | sed -E 's|^http://([^:/]*).*|\1|' >its.hosts
  asked_of_it() { awk '$3 != "/robots.txt" { print $2 }' web.log | grep -cxFf its.hosts; }
  before=$(asked_of_it)
  kill -USR1 "$web"
  soon '[[ $(politeness-sched --cluster="$url" --status) == *p$((1 - p))$'"'\\t'"'*waiting=0* ]]'
  [[ $(politeness-sched --cluster="$url" --status) =~ p$p$'\t'[^$'\n']*waiting=[1-9] ]]
  (($(asked_of_it) <= before + HOSTS)) || { asked_of_it; echo "$before"; false; }
  curl -fsS -o /dev/null -d "token=${at#*token=}&do=go-on" "${at%%\?*}control"
  soon 'says "partition $p: requests from now on: no limit" said.a'
  ended
  (($(asked | sort -u | wc -l) > 25 * HOSTS))
  # The page outlives the crawl, until its server is ended.
  page=$(curl -fsS "$at")
  [[ $page == *'<main'* || $page == *'<h1'* ]]
}
