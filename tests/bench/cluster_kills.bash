# SPDX-License-Identifier: Apache-2.0
# `cluster.sh kills`, which sources this: a crawl on three machines that loses at random whatever can be lost.
#
# The site is tests/loop/manyhosts.py, whose log is the first witness; the second is what the partitions have in the
# end. Every page has one link to it, from another host, so that a lost link loses all pages behind it. A round is a
# crawl of its own: it is struck as its seed plans, a few pages apart, and may then end in peace. Every second round
# keeps copies of its states, and loses disks. A scheduler that trusts the engine also goes through the first round, and
# through one without faults.
# shellcheck shell=bash disable=SC2154,SC2034
machines=(a b c)
# There are 47 chains: with 60 each link led to its own host, none went through the engine, and the trusting scheduler
# lost nothing.
parts=6 hosts=60 chains=47 delay=100 in_flight=4
ttl_ms=2000
# The number of crawls at once.
at_once=${AT_ONCE-3}
kinds=(scheduler stage machine stopped emptied reader failover)
disk_kinds=(scheduler machine stopped reader failover disk copy)

# machine NAME: runs the agent again and again until the crawl is over.
machine() {
  local status=1 words=("--cluster=$url" "--partition-lease=${ttl_ms}ms" --node="$1")
  while [[ ! -e stop ]]; do
    "$sched" "${words[@]}" --partitions=$parts --state="$PWD/s.{}" -q \
      --delay=${delay}ms --delay-factor=0 --in-flight=$in_flight --retry-delay=200ms "${copying[@]}" seeds -- \
      sh -c 'echo >>starts; fetch -j 4 --agent=x --contact=me@example.org --allow-private | extract-links' >>"records.$1" 2>>"messages.$1" &
    echo $! >"pid.$1"
    status=0
    { wait $! || status=$?; } 2>/dev/null
    # Status 3: hosts were given up.
    ((status != 0 && status != 3)) || return 0
    sleep 0.1
  done
}

fetched() { grep -c ' /p/' web.log || true; }
linger() { # PAGES MS: until that many more pages were fetched, or that time has passed
  local goal=$(($(fetched) + $1)) end
  end=$(($(date +%s%3N) + $2))
  until (($(fetched) >= goal || $(date +%s%3N) >= end)); do sleep 0.1; done
}

# holder PARTITION: prints the process that has it.
holder() {
  { "$sched" --cluster="$url" --status 2>/dev/null || true; } | awk -F'\t' -v name="p$1" '$1 == name { for (i = 2; i <= NF; i++) if (sub(/^node=.*\./, "", $i)) print $i }'
}
# of_us PID: whether that is (still) a process of this crawl, all of which have its folder as their own.
of_us() { [[ $(readlink "/proc/$1/cwd" 2>/dev/null) == "$PWD" ]]; }
# strike_holder PARTITION: kills its scheduler; $struck is that partition, or the next one that a machine has.
strike_holder() {
  local try pid
  for ((try = 0; try < 3 * parts; try++)); do
    struck=$((($1 + try) % parts))
    pid=$(holder $struck)
    if [[ -n $pid ]] && of_us "$pid"; then
      kill -9 "$pid" 2>/dev/null || true
      while of_us "$pid"; do sleep 0.02; done
      return
    fi
    ((try % parts)) || sleep 0.5
  done
  struck=$1
}
# unread: prints how many messages wait for the partition that was struck.
unread() {
  if [[ $kind_of_engine == postgresql ]]; then
    pg_sql "SELECT count(*) FROM spinneret.message WHERE stream = 'p$struck'" 2>/dev/null || true
  else
    ask "$(primary)" xlen "spinneret:{crawl}:stream:p$struck"
  fi
}
# Makes the engine forget everything.
empty() {
  local one
  if [[ $kind_of_engine == postgresql ]]; then
    pg_sql 'DROP SCHEMA IF EXISTS spinneret CASCADE'
  else
    for one in "${group[@]}"; do ask "$one" flushall >/dev/null || true; done
  fi
}
# await_unread MS [MORE]: waits until more than MORE messages wait for the struck partition, at most that time.
await_unread() {
  local end=$(($(date +%s%3N) + $1)) there
  until there=$(unread); [[ $there =~ ^[0-9]+$ ]] && ((there > ${2-0})) || (($(date +%s%3N) >= end)); do sleep 0.02; done
}
stages() { # PARTITION
  local pid one
  pid=$(holder "$1")
  [[ -z $pid ]] || for one in $(pgrep -P "$pid"); do pgrep -P "$one" || true; done
}
# all_of MACHINE: prints the agent and all processes that it has started.
all_of() {
  local todo=("$(cat "pid.$1")") one
  while ((${#todo[@]})); do
    one=${todo[0]}
    todo=("${todo[@]:1}")
    echo "$one"
    # shellcheck disable=SC2207
    todo+=($(pgrep -P "$one" || true))
  done
}
pages_of() { { [[ ! -d $1/db ]] || "$sched" --state="$1" --list --with-state=done 2>/dev/null || true; } | wc -l; }
# copies_of PARTITION: prints the copies that the next holder would try, newest first.
copies_of() {
  local row
  if [[ $kind_of_engine == postgresql ]]; then
    row=$(pg_sql "SELECT convert_from(value, 'UTF8') FROM spinneret.cell WHERE tab = 'copies' AND field = 'p$1'" 2>/dev/null) || true
  else
    row=$(ask "$(primary)" hget 'spinneret:{crawl}:table:copies' "p$1") || true
  fi
  if [[ -n $row ]]; then tr ' ' '\n' <<<"$row"; else find copies -maxdepth 1 -name "p$1-*-*[0-9]" -printf '%f\n' | sort -rV; fi
}

# hit KIND NUMBER: makes a fault of that kind; the number chooses its victim.
hit() {
  local name=${machines[$2 % 3]} p=$(($2 % parts)) pids=() before copies pid one there
  case $1 in
    scheduler) strike_holder $p ;;
    stage) for pid in $(stages $p | head -n $(($2 % 2 + 1)) | tail -n 1); do kill -9 "$pid" 2>/dev/null || true; done ;;
    machine) kill -9 "$(cat "pid.$name")" 2>/dev/null || true ;;
    stopped) # for half a lease to three leases: a machine, a scheduler or its stages
      case $(($2 / 7 % 3)) in
        0) mapfile -t pids < <(all_of "$name") ;;
        1) mapfile -t pids < <(holder $p) ;;
        *) mapfile -t pids < <(stages $p) ;;
      esac
      ((${#pids[@]})) || return 0
      kill -STOP "${pids[@]}" 2>/dev/null || true
      { sleep "$(awk -v ms=$((ttl_ms / 2 + $2 % 25 * ttl_ms / 10)) 'BEGIN { print ms / 1000 }')"; kill -CONT "${pids[@]}" 2>/dev/null; } &
      helpers+=($!) ;;
    emptied) empty ;;
    reader) # it is dead while its unread messages are forgotten, a fault that ordinary chaos misses
      strike_holder $p
      await_unread 4000
      empty ;;
    server) # the same, by a server that loses its unlogged tables when it dies
      strike_holder $p
      await_unread 1500
      if (($2 % 2)); then stop_postgres KILL; else stop_postgres QUIT; fi
      launch_postgres ;;
    failover) # the same, by a primary that dies before its replicas have heard of the messages
      # The replicas are cut off last: on a busy machine it takes a while to find and kill a holder, and Sentinel never
      # promotes replicas that have been without their primary for 20 s.
      before=$(primary) || return 0
      strike_holder $p
      cut_replicas_off "$before"
      there=$(unread) || true
      await_unread 1500 "${there:-0}"
      fail_over "$before" ;;
    disk | copy)
      strike_holder $p
      before=$(pages_of "s.$struck")
      mapfile -t copies < <(copies_of "$struck")
      # Two newest copies that cannot be read would be one too many.
      if [[ $1 == copy && -n ${copies[1]-} && -e copies/${copies[0]}/db/CURRENT && -e copies/${copies[1]}/db/CURRENT ]]; then
        rm -f "copies/${copies[0]}/db/CURRENT"
      fi
      # Pages that the copy does not know are fetched again.
      [[ -z ${copies[0]-} || -e copies/${copies[0]}/db/CURRENT ]] || copies=("${copies[@]:1}")
      again=$((again + before - $(pages_of "copies/${copies[0]-none}")))
      # A machine that has taken the partition meanwhile may be writing there.
      until rm -rf "s.$struck" 2>/dev/null; do sleep 0.02; done ;;
  esac
}

# judge: prints lost, doubled, allowed and too soon. Each page was asked for, and not too often (URLs in flight at a
# kill may be asked for twice, and as many whose results were not durable yet), none sooner than its host's delay (2 ms
# are the log's rounding); and each page is done in the state of one partition and no other.
judge() {
  local p
  for ((p = 0; p < parts; p++)); do "$sched" --state="s.$p" --list --with-state=done | cut -f1 | grep /p/ || true; done | sort >had
  sort -n web.log | awk -v pages="$pages" -v allowed=$((2 * in_flight * ($(wc -l <starts) - parts) + again)) -v least=$((delay - 2)) \
    -v had="$(sort -u had | wc -l)" -v twice="$(uniq -d had | wc -l)" '
    $3 ~ /^\/p\// { if ($2 in last && $1 - last[$2] < least * 1e6) gaps++
      last[$2] = $1
      if (!seen[$3]++) got++; else doubled++ }
    END { printf "%d\t%d\t%d\t%d\t%d\t%d\n", pages - got, pages - had, twice, doubled, allowed, gaps }'
}

# crawl_round SEED STRIKES COPIES LINE: prints a row of the table, after LINE.
crawl_round() {
  local seed=$1 count=$2 line=$4 i last=0 begun=$SECONDS plan=() numbers=() among=("${kinds[@]}") site web row=()
  copying=() helpers=() again=0 workers=()
  local fails=failover
  [[ $kind_of_engine != postgresql ]] || fails=server
  pages=$((count * 100 + 600))
  if [[ $3 == yes ]]; then among=("${disk_kinds[@]}") copying=("--copies=$PWD/copies" --checkpoint-every=1s); fi
  [[ $kind_of_engine != one ]] || among=("${among[@]/failover/reader}")
  RANDOM=$seed
  for ((i = 0; i < count; i++)); do plan+=("${among[RANDOM % ${#among[@]}]}") numbers+=($RANDOM); done
  # Faults that chance seldom makes are in each round.
  ((count < 1)) || plan[0]=reader
  ((count < 2)) || [[ $kind_of_engine == one ]] || plan[1]=failover
  plan=("${plan[@]/failover/$fails}")
  rm -rf s.* copies stop starts web.* messages.* pid.*
  mkdir copies && : >web.log && : >starts
  empty
  python3 "$root/tests/loop/manyhosts.py" $hosts $pages $chains web.log >web.port &
  site=$!
  helpers+=("$site")
  until [[ -s web.port ]]; do kill -0 $site; sleep 0.05; done
  web=$(cat web.port)
  for ((i = 0; i < chains; i++)); do echo "http://127.1.0.$((i % hosts + 1)):$web/p/$i"; done >seeds
  for i in "${machines[@]}"; do machine "$i" & workers+=($!); done
  linger 60 15000
  for ((i = 0; i < count; i++)); do
    hit "${plan[i]}" "${numbers[i]}"
    # The next fault follows as soon as something goes on, whether or not everything has recovered.
    linger 25 4000
  done
  # There are no more faults until the machines say that it is over, or nothing has come for a minute: then it never
  # ends.
  last=$SECONDS i=$(fetched)
  while kill -0 "${workers[@]}" 2>/dev/null && ((SECONDS - last < 60)); do
    sleep 0.2
    (($(fetched) == i)) || { last=$SECONDS; i=$(fetched); }
  done
  ended=yes
  ! kill -0 "${workers[@]}" 2>/dev/null || ended=no
  end_crawl
  IFS=$'\t' read -ra row < <(judge)
  printf '%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\n' "$line" "$3" "$seed" "$count" "$pages" "${row[@]}" "$ended" $((SECONDS - begun)) \
    "$(printf '%s\n' "${plan[@]}" | sort | uniq -c | awk 'NF > 1 { printf "%s%d %s", (NR > 1 ? ", " : ""), $1, $2 }')"
}

# Ends what is left, by process id.
end_crawl() {
  local one pid
  touch stop
  for one in "${machines[@]}"; do
    [[ -e pid.$one ]] || continue
    for pid in $(all_of "$one"); do kill -9 "$pid" 2>/dev/null || true; done
  done
  for pid in "${helpers[@]-}" "${workers[@]-}"; do
    [[ -z $pid ]] || kill -9 "$pid" 2>/dev/null || true
    [[ -z $pid ]] || wait "$pid" 2>/dev/null || true
  done
  # Stages that were stopped when their scheduler died.
  for one in /proc/[0-9]*; do
    pid=${one#/proc/}
    ((pid == BASHPID)) || ! of_us "$pid" || kill -9 "$pid" 2>/dev/null || true
  done
  helpers=() workers=()
}

start_postgresql() {
  kind_of_engine=postgresql
  start_postgres
  url=$pg_url
}
# round NUMBER SEED STRIKES COPIES WHO SCHEDULER: runs a crawl with an engine and a folder of its own; its row goes to
# row.NUMBER. It must run in a subshell.
round() {
  trap 'end_crawl; end_servers; end_postgres' EXIT
  mkdir "round.$1"
  cd "round.$1" || return
  # A server that died comes back at its port, which nobody else may have taken by then.
  first_port=$((20000 + $1 % 6 * 2000)) port_count=2000 sched=$6
  "start_$engine"
  crawl_round "$2" "$3" "$4" "$5" >row
  cat row
  mv row "../row.$1"
}
# judged ROW: whether it shows what it should.
judged() {
  awk -F'\t' '$1 == "ours" || $4 == 0 { exit !($6 == 0 && $7 == 0 && $8 == 0 && ($4 ? $9 <= $10 : $9 == 0) && $11 == 0 && $12 == "yes") }
    { exit !($6 > 0) }' "$1"
}
kills() {
  local left=${size:-100} seed=${3-1} engine=${4-sentinel} count keeping=no rounds=() n bad=0
  type -P bench-trusting_publish >/dev/null || { echo "bench-trusting_publish is not built: ninja bench-trusting_publish" >&2; return 2; }
  for ((; left > 0; left -= count, seed += 7919)); do
    count=$((left < 25 ? left : 25))
    rounds+=("$seed $count $keeping ours politeness-sched")
    if [[ $keeping == no ]]; then keeping=yes; else keeping=no; fi
  done
  # The first round again, with a scheduler that counts a link as sent once the engine has it: a test that finds nothing
  # lost there finds nothing. And a round without faults, to show that it is the faults that lose.
  rounds+=("${3-1} 0 no trusting bench-trusting_publish"
    "${3-1} $((${size:-100} < 25 ? ${size:-100} : 25)) no trusting bench-trusting_publish")
  printf 'who\tcopies\tseed\tstrikes\tpages\tlost\tnot in a state\tin two\tdoubled\tallowed\ttoo soon\tended\tseconds\tof them\n'
  # The rounds wait, above all for leases, ten times as long as they work.
  for n in "${!rounds[@]}"; do
    while (($(jobs -rp | wc -l) >= at_once)); do wait -n || true; done
    # shellcheck disable=SC2086  # its words
    (round "$n" ${rounds[n]}) 2>"said.$n" &
  done
  wait || true
  for n in "${!rounds[@]}"; do
    if [[ ! -e row.$n ]]; then
      echo "round ${rounds[n]}: broke off, and nothing is known of it" >&2
      tail -n 15 "said.$n" >&2
      bad=1
      continue
    fi
    judged "row.$n" || { echo "round ${rounds[n]}: not so" >&2; bad=1; }
  done
  return $bad
}
