#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# crawl --cluster: options that say when, how and by which rules pages are asked for, and a second run with other
# options, on two machines as on one.

# shellcheck disable=SC2154  # what the helpers say

load ../cli/helper
load machines

# shortest: prints the least number of pages that a host was asked for, and the least time in ms that the pages of a
# host took. (The first page of each host is left out: it waits for robots.txt, after the throttle has let it pass.)
shortest() {
  awk '$3 != "/robots.txt" { if (!begun[$2]++) next; if (!count[$2]++) first[$2] = $1; last[$2] = $1 }
    END { for (host in count) {
        if (!few || count[host] < few) few = count[host]
        took = (last[host] - first[host]) / 1e6; if (!least || took < least) least = took
      }
      printf "%d %d\n", few, least }' web.log
}

@test "throttle, hours, types, items, a list of parameters, a suffix list: two machines ask for what one asks for" {
  start_web
  start_one
  local count took
  printf 'field name h1\n' >rules
  echo "\$removeparam=from" >params
  cp /usr/share/publicsuffix/public_suffix_list.dat list 2>/dev/null || printf 'org\ncom\n' >list
  words+=(--params=params --psl=list)
  both_ways --items=rules --items-to=FILES/items --hours="$(date -d '-2 hours' +%H:%M)-$(date -d '+3 hours' +%H:%M)" \
    --types='text/*,application/xml'
  alike items
  (($(wc -l <one.files/items) > 15 * HOSTS))
  run grep -c 'from=' asked.many
  [[ $output == 0 && $(grep -c 'p?id=1' asked.many) == "$HOSTS" ]]
  # The same rules may have other file names on each machine.
  cp params mine
  cp list "$BATS_TEST_TMPDIR/its-own"
  url+=-2
  rm -r many
  agent a 4 --throttle=2/500ms
  words=("${words[@]/--params=params/--params=mine}")
  words=("${words[@]/--psl=list/--psl=$BATS_TEST_TMPDIR/its-own}")
  agent b 4 --throttle=2/500ms
  ended
  # Two pages in half a second, except where only the first or the last machine ran. The whole time is judged and not
  # single gaps, since on a busy machine each request is late by itself. At twice the rate it would take three seconds,
  # and at the delay alone one.
  read -r count took < <(shortest)
  ((count >= 24 && took >= 4000)) || { echo "$count pages took $took ms"; false; }
  asked >asked.throttled
  (($(wc -l <asked.throttled) > 20 * HOSTS))
  # Another list under the same name makes another crawl.
  echo foo.example >>its-own
  run -2 "$crawl" --cluster="$url" --partitions=4 --partition-lease=1s --state=more "${words[@]}" --throttle=2/500ms seeds
  [[ $output == *"this crawl was begun with"* ]]
}

@test "logins and a proxy: two machines ask as one does, and each may have its own" {
  start_web
  start_one
  sed 's/$/ basic me:word/; s|/ basic| basic|' seeds >logins
  both_ways --auth=logins
  (($(grep -c /within asked.many) == HOSTS))
  rm -r one many
  url+=-2
  # Any host of this web can be a proxy for the others.
  both_ways --proxy="$(head -n 1 seeds)"
  run grep -c /within asked.many
  [ "$output" = 0 ]
  rm -r many
  : >web.log
  url+=-3
  agent a 4 --proxy="$(head -n 1 seeds)"
  agent b 4
  ended
  (($(grep -c proxy web.log) < $(wc -l <web.log)))
  asked >asked.mixed
  diff <(sort -u asked.many) <(sort -u asked.mixed)
}

@test "bug: two machines whose policies included other files crawled by different rules, and nobody said so" {
  start_web
  start_one
  local one
  for one in a b; do
    mkdir "$one"
    printf 'include "mo\\"re"\ndeny-list list\n' >$one/policy
    echo 'allow-list allowed' >"$one/mo\"re"
    echo https://127.9.9.9/ >$one/list
    sed 's/$/*/' seeds >$one/allowed
  done
  agent a 4 --policy=a/policy
  agent b 4 --policy=b/policy
  ended
  for one in 'mo"re' list allowed; do
    cp "b/$one" kept
    echo '# more' >>"b/$one"
    run -2 "$crawl" --cluster="$url" --partitions=4 --partition-lease=3s --state=more "${words[@]}" --policy=b/policy seeds
    [[ $output == *"this crawl was begun with"* ]] || { echo "$one: $output"; false; }
    mv kept "b/$one"
  done
  # Where all policies are alike again, the crawl is the same.
  run -0 "$crawl" --cluster="$url" --partitions=4 --partition-lease=3s --node=b --state=many "${words[@]}" --policy=b/policy seeds
}

@test "bug: a second run that takes more from pages had nothing of those that answer 304, where its machines had other names" {
  start_web
  start_one
  both_ways
  words+=(--recrawl=1ms)
  url+=-2
  rm -r one
  both_ways --text-to=FILES/text
  # One machine began anew and two went on: the texts are the same.
  alike text
  (($(wc -l <many.files/text) > 20 * HOSTS))
  # This run takes nothing more, so unchanged pages do not come again.
  : >web.log
  url+=-3
  agent c 4 --text-to="$PWD/many.files/text"
  ended
  (($(grep -c ' 304$' web.log) > 15 * HOSTS))
}

@test "bug: two machines that paid from one ledger, where one at a time may, died of it one after the other" {
  local option
  for option in --fetch:ledger --fetch:cookie-jar --cookies --fetch:cookies; do
    run -2 "$SPINNERET_ROOT/scripts/crawl" --cluster=redis://127.0.0.1:1/x --state=none $option=file http://127.0.0.1/
    [[ $output == "crawl: --cluster: $option wants {} in its name, where the name of the machine goes" && ! -e none ]]
  done
}

@test "bug: --retry-failed did nothing on machines whose disks were empty, though copies brought what had failed, and said nothing" {
  start_web
  start_one
  rm changed
  mkdir copies
  agent a 4 --copies="$PWD/copies"
  ended
  (($(asked | grep -c /flaky) >= HOSTS))
  rm -r many
  touch changed
  # The machine that opens a partition first gives its failures another chance; one that gets the partition later does
  # not.
  agent c 4 --copies="$PWD/copies" --retry-failed
  agent d 4 --copies="$PWD/copies" --retry-failed
  ended
  asked >asked.again
  (($(grep -c /flaky asked.again) >= HOSTS && $(sort -u asked.again | wc -l) < 3 * HOSTS)) || { cat asked.again said.[cd]; false; }
  # A page that has come is not asked for again.
  agent a 4 --copies="$PWD/copies" --retry-failed
  ended
  run grep -c /flaky <(asked)
  [ "$output" = 0 ]
}

@test "bug: an engine that was restored from the end of an earlier run told machines amid their work that all was done" {
  start_web 99999/1
  start_one
  words+=(--recrawl=1ms)
  agent a 4
  agent b 4
  ended
  asked >asked.first
  local table='spinneret:{crawl}:table:crawl' said
  said=$("$client" -p "$port" hget "$table" finished)
  [[ $said =~ ^[0-9]{13}$ ]]
  # Known pages are visited again; meanwhile the engine says that all is done, as at the end when there was no lease.
  kill -USR2 "$web"
  agent a 4
  agent b 4
  soon 'has_asked 2'
  [[ $("$client" -p "$port" hexists "$table" finished) == 0 ]]
  "$client" -p "$port" hset "$table" finished "$said" >/dev/null
  # (This is repeated where a busy machine had let its leases run out by then.)
  forget() { "$client" -p "$port" --scan --pattern '*:lease:*' | xargs -r "$client" -p "$port" del >/dev/null && nap 1; }
  soon 'forget && says "has forgotten the lease" said.[ab]' || { cat said.[ab]; false; }
  kill -USR1 "$web"
  ended
  asked >asked.again
  diff <(sort -u asked.first) <(sort -u asked.again)
}

@test "bug: an engine that was restored from before named an old state, or copies that are gone: pages of others came again, or nobody went on" {
  # (The web is slow, so that something is left once the machine has been seen at work.)
  start_web 50/1
  start_one
  local keep="--copies=$PWD/copies" table rows
  mkdir copies
  agent a 4 "$keep"
  soon 'has_asked 30'
  kill "${agents[0]}"
  kill -USR1 "$web"
  wait "${agents[0]}" || true
  agents=()
  asked >asked.a
  mv many disk-of-a
  for table in states copies; do "$client" -p "$port" hgetall "spinneret:{crawl}:table:$table" >was.$table; done
  # Another machine fetches the rest; then the engine is restored.
  agent b 4 "$keep"
  ended
  asked >asked.b
  (($(wc -l <asked.b) > 30))
  "$client" -p "$port" flushall >/dev/null
  for table in states copies; do
    mapfile -t rows <was.$table
    "$client" -p "$port" hset "spinneret:{crawl}:table:$table" "${rows[@]}" >/dev/null
  done
  # The first machine comes back with its disk, then one without.
  mv many disk-of-b
  mv disk-of-a many
  agent a 4 "$keep"
  ended
  grep -q 'goes on from its copy' said.a
  [[ -z $(asked) ]]
  rm -r many
  for table in states copies; do
    mapfile -t rows <was.$table
    "$client" -p "$port" hset "spinneret:{crawl}:table:$table" "${rows[@]}" >/dev/null
  done
  agent c 4 "$keep"
  ended
  [[ -z $(asked) ]]
}
