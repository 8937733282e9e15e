#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster: limits on pages, visits and hops hold for the whole crawl, on two machines as on one.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

@test "bug: --max-pages was each partition's, or overshot where machines heard of each other late; and one that moved began anew" {
  start_web
  start_one
  local one
  words=("${words[@]/--delay=20ms/--delay=0}")
  # Four machines ask as quickly as the web answers, and for no page beyond the limit.
  for one in a b c d; do agent $one 8 --max-pages=40; done
  ended
  asked >asked.first
  (($(sort -u asked.first | wc -l) == 40)) || { wc -l asked.first; false; }
  # The next run has a limit of its own, whatever earlier runs had.
  agent c 8 --max-pages=20
  ended
  asked >asked.second
  (($(sort -u asked.second | wc -l) == 20)) || { wc -l asked.second; false; }
  # A run without the limit fetches the rest.
  agent a 8
  ended
  asked >asked.third
  (($(cat asked.first asked.second asked.third | sort -u | wc -l) > 25 * HOSTS))
}

@test "bug: what a machine that was killed might have asked for of --max-pages was lost, and the crawl ended short" {
  # (The web is slow until the second machine has come.)
  start_web 30/1
  start_one
  local one
  agent a 8 --max-pages=80
  agent b 8 --max-pages=80
  soon 'has_asked 20 && has_come b'
  kill -9 "${agents[0]}"
  kill -USR1 "$web"
  agents=("${agents[1]}")
  ended
  # (URLs in flight are asked for again, or others in their place.)
  one=$("$crawl" --cluster="$url" --status | sed 's/.*pages=//; s/[^0-9].*//' | paste -sd+)
  ((one == 80)) || { "$crawl" --cluster="$url" --status; false; }
  one=$(asked | sort -u | wc -l)
  ((one >= 80 && one <= 86)) || { echo "$one"; false; }
}

@test "bug: a budget of visits was each partition's, so that four asked for four times as many pages again; and --max-total-pages was, in silence" {
  start_web
  start_one
  both_ways
  # Other options need another NAME; it gets the reports of the partitions.
  local rows
  mapfile -t rows < <("$client" -p "$port" hgetall 'spinneret:{crawl}:table:reports')
  "$client" -p "$port" hset 'spinneret:{crawl-2}:table:reports' "${rows[@]}" >/dev/null
  url+=-2
  both_ways --recrawl=best:8/d,least=1ms || true
  (($(wc -l <asked.one) == 8)) || { cat asked.one; false; }
  # Partitions share the budget by their pages: an empty one wastes nothing, each other one part of a visit.
  (($(wc -l <asked.many) >= 7 && $(wc -l <asked.many) <= 8)) || { cat asked.many; false; }
  url+=-3
  words=("${words[@]/-q/--json}")
  agent a 4 --sched:max-total-pages=5 --recrawl=best:8/d
  ended
  grep -q '^crawl: --sched:max-total-pages=5 counts for each of 4 partitions by itself$' said.a
}

@test "bug: pages off the site that another machine had were as far as may be, and all behind them was lost in silence" {
  start_web
  start_one
  # (There is one seed, and a delay long enough that the second machine has its part before pages of it are found.)
  sed -i 1q seeds
  words=("${words[@]/--delay=20ms/--delay=500ms}")
  words=("${words[@]/--scope=any/--scope=host}")
  echo 'max-offsite-hops 4' >policy
  PARTS=16 both_ways --policy=policy
  grep -q /in/3 asked.many
}

@test "bug: a budget of the policy was each machine's, and began anew with the next one that had a partition" {
  start_web 14/1
  start_one
  local host
  echo 'budget host 8' >policy
  agent a 16 --policy=policy
  agent b 16 --policy=policy
  soon 'has_asked $((2 * HOSTS)) && has_come b'
  kill -9 "${agents[0]}"
  kill -USR1 "$web"
  agents=("${agents[1]}")
  ended
  # Seeds do not count. (If two pages find the last allowed URL at the same moment, both pass it on.)
  asked | sort -u | cut -d/ -f1 | uniq -c >asked.hosts
  (($(wc -l <asked.hosts) == HOSTS)) || { cat asked.hosts; false; }
  while read -r host _; do ((host <= 10)) || { cat asked.hosts; false; }; done <asked.hosts
  # Machines that share no folder are warned.
  mkdir copies
  words=("${words[@]/-q/--json}")
  url+=-2
  rm -r many
  agent c 4 --policy=policy --copies="$PWD/copies"
  ended
  grep -q '^crawl: --copies: each machine counts budgets' said.c
}

@test "bug: --max-time counted how long a machine waits for its first partition, so that a run shorter than that got no page" {
  start_web
  start_one
  # (A lease and its quarantine take as long.)
  agent a 1 --max-time=3s
  ended
  (($(asked | wc -l) > 0)) || { cat said.a; false; }
}

@test "bug: a page that took longer than a lease could not be had, however often that was renewed, and once ended the pipeline of its machine" {
  # A page takes three leases, on hosts that have no other page.
  serve_hosts 6 5 5 seeds 0/6
  start_one
  words=(--agent=x --contact=me@example.org --allow-private --scope=any --delay=20ms -q)
  local stages LEASE=2s
  agent a 4
  soon 'more_than 4 web.log "* /p/*"'
  stages=$(pgrep -s "${agents[0]}" -x fetch)
  soon 'more_than 0 many/node-a/pages "*/p/*"'
  [[ -n $stages && $(pgrep -s "${agents[0]}" -x fetch) == "$stages" ]] || { cat said.a; false; }
  ended
  [[ $(grep -o "/p/.*" many/node-a/pages | sed 's/\t.*outcome=/ /' | sort) == "$(printf '/p/%s ok\n' 0 1 2 3 4)" ]] || { cat many/node-a/pages said.a; false; }
  (($(grep -c ' /p/' web.log) == 5)) || { cat web.log said.a; false; }
}

@test "a page of minutes holds up neither the partitions that go to another machine nor those that stay" {
  # Nothing is answered until both machines have their part.
  serve_hosts 13 12 12 seeds 0
  start_one
  words=(--agent=x --contact=me@example.org --allow-private --scope=any --delay=20ms -q --fetch:timeout=30m --fetch:limit=first-byte=30m)
  local stages LEASE=2s
  agent a 4
  soon 'more_than 11 web.log "* /p/*"'
  stages=$(pgrep -s "${agents[0]}" -x fetch)
  agent b 4
  # The pipeline is replaced by a new one, for which it has to end.
  soon 'nap .3; [[ " $stages " != *" $(pgrep -s "${agents[0]}" -x fetch || echo "$stages") "* ]]'
  soon 'has_come a b'
  kill -USR1 "$web"
  ended
  (($(cat many/node-?/pages | grep -o '/p/[0-9]*.*outcome=ok' | sed 's/\t.*//' | sort -u | wc -l) == 12)) || { cat many/node-?/pages said.?; false; }
}

@test "bug: a robots.txt that was cut as its partition went to another machine held its host for five minutes" {
  # Not even robots.txt is answered until both machines have their part.
  serve_hosts 13 12 12 seeds -1
  start_one
  words=(--agent=x --contact=me@example.org --allow-private --scope=any --delay=20ms -q --fetch:timeout=30m --fetch:limit=first-byte=30m)
  local LEASE=2s
  agent a 4
  soon 'more_than 11 web.log "* /robots.txt"'
  agent b 4
  soon 'has_come a b'
  kill -USR1 "$web"
  ended
  run ! grep -h 'no robots.txt available' said.a said.b
  (($(cat many/node-?/pages | grep -o '/p/[0-9]*.*outcome=ok' | sed 's/\t.*//' | sort -u | wc -l) == 12)) || { cat many/node-?/pages said.?; false; }
}
