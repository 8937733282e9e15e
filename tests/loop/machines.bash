# SPDX-License-Identifier: Apache-2.0
# Two machines of a crawl, and a crawl on one machine to compare, on the web of optionsite.py. bats loads this after
# ../cli/helper.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154  # conditions; what the helpers say, and what is said here is read there

HOSTS=6

setup() {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  . "$SPINNERET_ROOT/tests/support/partitions.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  crawl=$SPINNERET_ROOT/scripts/crawl
  agents=()
}
teardown() {
  end_jobs
  end_servers
}

# start_web [HOLD]: starts the web; its process is $web.
start_web() {
  local i at
  touch changed
  python3 "$SPINNERET_ROOT/tests/loop/optionsite.py" $HOSTS web.log "$PWD/changed" "$@" >web.port 3>&- &
  web=$!
  soon '[[ -s web.port ]]'
  read -r at <web.port
  for ((i = 1; i <= HOSTS; i++)); do echo "http://127.1.0.$i:$at/"; done >seeds
  identity=(--agent=x --contact=me@example.org)
  words=("${identity[@]}" --allow=127.0.0.0/8 --scope=any --delay=20ms --retry-delay=50ms -q)
}
# asked: prints what the web was asked for since the last call, without robots.txt.
asked() { awk '$3 != "/robots.txt" { print $2 $3 }' web.log | sort && : >web.log; }
# has_come NAME...: whether each of these machines has a partition; pauses first, as the answer costs a process.
has_come() {
  local said one
  nap .3
  said=$(politeness-sched --cluster="$url" --status 2>/dev/null) || return
  for one in "$@"; do [[ $said == *"node=$one."* ]] || return; done
}
# has_asked COUNT: whether more pages than that were asked for since the last asked().
has_asked() { more_than "$1" web.log '!(*/robots.txt *)'; }
# agent NAME PARTITIONS OPTION...: starts a machine in a session of its own.
agent() {
  setsid "$crawl" --cluster="$url" --partitions="$2" --partition-lease="${LEASE-3s}" --node="$1" --state="$PWD/many" "${words[@]}" "${@:3}" seeds \
    >"said.$1" 2>&1 3>&- &
  agents+=($!)
}
ended() {
  local one
  for one in "${agents[@]}"; do wait "$one" || { echo "status $?"; cat said.*; return 1; }; done
  agents=()
}
# both_ways OPTION...: crawls on one machine in one/, and on two in many/, with 4 partitions or $PARTS. FILES in an
# option stands for the folder one.files or many.files, {} for the name of each of the two. The requests are in
# asked.one and asked.many, which must be equal.
both_ways() {
  local here=("${@//FILES/$PWD/one.files}") there=("${@//FILES/$PWD/many.files}")
  mkdir -p one.files many.files
  : >web.log
  "$crawl" --state="$PWD/one" "${words[@]}" "${here[@]}" seeds >one.pages 2>one.said || { echo "status $?"; cat one.said; return 1; }
  asked >asked.one
  agent a "${PARTS-4}" "${there[@]}"
  agent b "${PARTS-4}" "${there[@]}"
  ended
  asked >asked.many
  # (A failing page is asked for as often as on one machine.)
  # On a busy machine a lease may run out, and URLs in flight are asked for again; or the second machine may come when
  # all is done.
  if grep -q 'the lease' said.[ab]; then diff <(sort -u asked.one) <(sort -u asked.many); else diff asked.one asked.many; fi
}
# alike FILE: compares the lines of both files, in any order.
alike() { diff <(sort -u one.files/"$1") <(sort -u many.files/"$1"); }
urls() { cut -f1 | sort -u; }
