# SPDX-License-Identifier: Apache-2.0
# `cluster.sh transcript`, which sources this: three agents crawl a web of 300 hosts, one is killed, one comes. It shows
# in a minute who has which partition and how far the crawl is, whenever that changes, the agents' messages, and what
# the site's log says of it all.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

partitions=12 agents=()
since=0
tell() { awk -v s="$(($(date +%s%N) - since))" -v text="$*" 'BEGIN { printf "%5.1f s  %s\n", s / 1e9, text }'; }

# agent NAME: starts an agent in a session of its own; its messages are shown with its name.
agent() {
  tell "$1 comes: crawl --cluster=redis://127.0.0.1/bench --partitions=$partitions --partition-lease=2s --node=$1 ... seeds"
  setsid "$root/scripts/crawl" --cluster="$url" --partitions=$partitions --partition-lease=2s --node="$1" --state="$work/state" \
    --allow-private --scope=any --delay=1s --agent=x --contact=me@example.org seeds >/dev/null 2>"said.$1" &
  agents+=($!)
  pids+=($!)
}
# standing: prints each machine with its partitions.
standing() {
  { "$root/scripts/crawl" --cluster="$url" --status 2>/dev/null || true; } | sort -V | awk -F'\t' '
    { p = substr($1, 2); who = "nobody"
      for (i = 2; i <= NF; i++) if ($i ~ /^node=/) { who = substr($i, 6); sub(/\..*/, "", who) }
      has[who] = has[who] (has[who] == "" ? "" : ",") p }
    END { line = ""
      for (c = 97; c < 101; c++) { name = sprintf("%c", c); if (has[name] != "") line = line "  " name ": " has[name] }
      if (has["nobody"] != "") line = line "  nobody: " has["nobody"]
      print line }'
}
fetched() { grep -c ' /p/' web.log || true; }
# Prints the agents' messages since the last call, without their progress and their last lines.
declare -A lines_told=()
tell_said() {
  local one line
  for one in a b c d; do
    [[ -e said.$one ]] || continue
    while IFS= read -r line; do
      lines_told[$one]=$((${lines_told[$one]-0} + 1))
      [[ $line =~ \ queued,|\ failed,|^crawl:\ page\ records ]] || tell "$one says: ${line#politeness-sched: }"
    done < <(tail -n +$((${lines_told[$one]-0} + 1)) "said.$one")
  done
}
# watch_until CONDITION: prints changes until it holds; $who has which partition.
watch_until() {
  who=''
  local now
  until eval "$1"; do
    tell_said
    now=$(standing)
    if [[ $now != "$who" ]]; then
      who=$now
      tell "$(printf '%4d pages%s' "$(fetched)" "$who")"
    fi
    sleep 0.2
  done
}
ended() { local one; for one in "$@"; do ! kill -0 "$one" 2>/dev/null || return 1; done; }

transcript() {
  local pages=${size:-6000} names=abcd i status
  start_engine no
  : >web.log
  python3 "$root/tests/loop/manyhosts.py" 300 "$pages" 317 web.log >web.port &
  pids+=($!)
  until [[ -s web.port ]]; do kill -0 $!; sleep 0.05; done
  for ((i = 0; i < 317; i++)); do echo "http://127.1.$((i % 300 / 250)).$((i % 300 % 250 + 1)):$(cat web.port)/p/$i"; done >seeds
  since=$(date +%s%N)
  for i in a b c; do agent $i; done
  watch_until '[[ $who == *a:*b:*c:* ]] && (($(fetched) > pages / 4)) || (($(fetched) >= pages))'
  tell "b is killed (kill -9, with all its programs)"
  kill -9 -- "-${agents[1]}"
  wait "${agents[1]}" 2>/dev/null || true
  watch_until '(($(fetched) > pages / 2))'
  agent d
  watch_until 'ended ${agents[0]} ${agents[2]} ${agents[3]}'
  for i in 0 2 3; do
    status=0
    wait "${agents[i]}" || status=$?
    tell "${names:i:1} ends with status $status; $(wc -l <"state/node-${names:i:1}/pages") records are in its pages"
  done
  echo
  sort -n web.log | awk -v pages="$pages" '$3 !~ /^\/p\// { robots++ }
    $2 in last && $1 - last[$2] < 998e6 { soon++ }
    { last[$2] = $1 }
    $3 ~ /^\/p\// && !seen[$3]++ { got++ }
    $3 ~ /^\/p\// { all++ }
    END { printf "by the log of the site: %d of %d pages, %d lost, %d fetched twice, %d requests sooner than 1 s behind another to that host, %d for robots.txt\n", got, pages, pages - got, all - got, soon, robots }'
}
