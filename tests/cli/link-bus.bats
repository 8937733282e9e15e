#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Links over a real engine on loopback, which is killed, emptied and set up wrongly.

load helper
load servers
load examples

# engine [OPTION]...: starts a server of our own; its port is in `port`, its process id in `server`.
engine() {
  redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$PWD" --daemonize no "$@" >server.log 2>&1 3>&- 5>&- &
  server=$!
  until redis-cli -p "$port" ping 2>&1 | grep -qE 'PONG|NOAUTH'; do
    kill -0 "$server" || { cat server.log; return 1; }
    sleep 0.05
  done
  # It must not be another test's server, which got the port first.
  grep -q 'Ready to accept connections' server.log
}
end() { kill "${2--TERM}" "$1" 2>/dev/null && wait "$1" 2>/dev/null || true; }

setup() {
  command -v redis-server >/dev/null || skip "no redis-server"
  ! link-bus --check=redis://127.0.0.1:1/t 2>&1 | grep -q 'no engine' || skip "built without hiredis"
  port=$(free_port)
  at=redis://127.0.0.1:$port/mycrawl
  engine
  seq 3000 | sed 's|.*|http://h&.example/p\tdepth=0|' >links
}
teardown() {
  local pid
  for pid in ${pids[@]+"${pids[@]}"} ${server-}; do end "$pid" -KILL; done
  end_jobs
}

# receive N [OPTION]...: receives partition N into the file got-N, in the background.
receive() {
  link-bus --receive="$at" --partition="$1" "${@:2}" >>"got-$1" 2>>"said-$1" 3>&- 5>&- &
  pids+=($!)
  # A signal that bash gets between its fork and the program's start would be lost.
  for _ in {1..500}; do [[ $(<"/proc/$!/comm") != link-bus ]] || break; sleep 0.01; done
}
# Ends the receivers, which give their leases back.
stop_receivers() {
  local pid
  for pid in "${pids[@]}"; do end "$pid"; done
  pids=()
}
all_came() { sort -u got-* | cmp - <(sort links); }
# until_lines N FILE...: waits until the files have that many lines.
until_lines() {
  local n=$1
  shift
  for _ in {1..1200}; do (($(cat "$@" 2>/dev/null | wc -l) < n)) || return 0; sleep 0.05; done
  echo "not $n lines in $*"
  return 1
}

@test "what is sent comes, once, by registrable domain; send ends when all is kept" {
  receive 0; receive 1; receive 2; receive 3
  run -0 --separate-stderr link-bus --send="$at" --partitions=4 links
  [[ -z $output$stderr ]]
  stop_receivers
  cat got-* | sort | cmp - <(sort links)
  for n in 0 1 2 3; do
    url-filter --shard=$n/4 links | sort >own
    (($(wc -l <own) > 600))
    sort "got-$n" | cmp - own
  done
  # Only names and numbers stay in the engine.
  [[ $(redis-cli -p "$port" hlen 'spinneret:{mycrawl}:table:acks') == 0 ]]
  (($(redis-cli -p "$port" info memory | sed -n 's/^used_memory:\([0-9]*\).*/\1/p') < 8000000))
}

@test "links come as they were read, and what has no URL is refused" {
  printf 'http://a.example/\tk=\\t\xff\0x\n\tdepth=1\nhttp://b.example/' >in
  receive 7
  run -1 --separate-stderr link-bus --send="$at" --partition=7 in
  [[ $stderr == 'link-bus: in:2: no URL: '* ]]
  stop_receivers
  cmp got-7 <(printf 'http://a.example/\tk=\\t\xff\0x\nhttp://b.example/\n')
}

@test "the engine is killed in the middle: nothing is lost, and both sides say so" {
  mkfifo pipe
  receive 0
  link-bus --send="$at" --partition=0 --timeout=100s <pipe 2>sent 3>&- &
  local sender=$!
  exec 5>pipe
  head -n 1000 links >&5
  until_lines 500 got-0
  end "$server" -KILL
  sed -n '1001,2000p' links >&5
  until_lines 1 sent
  engine
  sed -n '2001,$p' links >&5
  exec 5>&-
  wait "$sender"
  stop_receivers
  all_came
  grep -q "^link-bus: 127.0.0.1:$port: .*: trying again" sent
  grep -q '^link-bus: the engine is back' sent
}

@test "the engine forgets everything, again and again: nothing is lost" {
  mkfifo pipe
  receive 0; receive 1
  link-bus --send="$at" --partitions=2 --timeout=100s <pipe 2>sent 3>&- &
  local sender=$! i
  exec 5>pipe
  for i in 0 1 2 3 4 5; do
    sed -n "$((i * 500 + 1)),$((i * 500 + 500))p" links >&5
    redis-cli -p "$port" flushall >/dev/null
  done
  exec 5>&-
  wait "$sender"
  stop_receivers
  all_came
}

@test "a receiver that is killed goes on where it was, with --state" {
  receive 0 --state=inbox --ttl=1s
  link-bus --send="$at" --partition=0 --timeout=60s links 2>sent 3>&- &
  local sender=$! i
  for i in 1 2 3; do
    until_lines $((i * 200)) got-0
    end "${pids[0]}" -KILL
    pids=()
    receive 0 --state=inbox --ttl=1s
  done
  wait "$sender"
  stop_receivers
  [[ ! -s sent ]]
  all_came
  # Links that were printed but not yet noted in the state come twice, at most one message for each kill.
  (($(wc -l <got-0) < 3000 + 3 * 2200))
  # A file that is no state.
  echo rubbish >inbox
  run -2 link-bus --receive="$at" --partition=0 --state=inbox
  [[ $output == 'link-bus: inbox: is not a state of link-bus --receive' ]]
}

@test "bug: a receiver that could not remember what it printed said that it was kept" {
  printf 'http://a.example/%s\n' 1 2 3 >few
  link-bus --send="$at" --partition=0 --timeout=2s few 2>sent 3>&- &
  local sender=$!
  run -2 --separate-stderr link-bus --receive="$at" --partition=0 --state=none/inbox
  [[ $output == "$(cat few)" && $stderr == 'link-bus: cannot write none/inbox: '* ]]
  local status=0
  wait "$sender" || status=$?
  ((status == 2))
  grep -q 'not all is kept' sent
}

@test "bug: lines to read, and options of other jobs, did nothing, and a tail of a partition that is not there waited" {
  local row job
  for row in "check partition=0" "check partitions=2" "check ttl=2s" "receive timeout=2s" "tail state=x" "tail timeout=2s" "send idle=2s" "send ttl=2s"; do
    job=${row% *}
    run -2 --separate-stderr timeout 60 link-bus "--$job=$at" "--${row#* }" </dev/null
    [[ $stderr == "link-bus: --$(cut -d= -f1 <<<"${row#* }") does not go with --$job"* ]] || { echo "$row: $stderr"; false; }
  done
  for job in check receive tail; do
    run -2 --separate-stderr timeout 60 link-bus "--$job=$at" links
    [[ $stderr == "link-bus: --$job reads no URL and no FILE"* ]]
  done
  run -2 --separate-stderr timeout 60 link-bus --tail="$at" --partition=3 --partitions=3
  [[ $stderr == 'link-bus: --partition=3: partitions are 0 to 2'* ]]
}

@test "bug: a value that cannot be was told once the engine was reached, and not before" {
  local job wrong
  for job in send receive tail; do
    for wrong in 1000000 x; do
      run -2 --separate-stderr timeout 60 link-bus "--$job=redis://127.0.0.1:1/t" --partition=$wrong
      [[ $stderr == "link-bus: --partition takes a whole number from 0 to "* ]] || { echo "$job: $stderr"; false; }
    done
    run -2 --separate-stderr timeout 60 link-bus "--$job=redis://127.0.0.1:1/t" --partition=4 --partitions=4
    [[ $stderr == "link-bus: --partition=4: partitions are 0 to 3"* ]] || { echo "$job: $stderr"; false; }
    run -2 --separate-stderr timeout 60 link-bus "--$job=redis://127.0.0.1:1/t" --partition=0 --partitions=0
    [[ $stderr == "link-bus: --partitions takes "* ]] || { echo "$job: $stderr"; false; }
  done
  for wrong in "receive --idle" "tail --idle" "send --timeout" "receive --ttl"; do
    run -2 --separate-stderr timeout 60 link-bus "--${wrong% *}=redis://127.0.0.1:1/t" --partition=0 "${wrong#* }=soon"
    [[ $stderr == "link-bus: ${wrong#* } takes a duration"* ]] || { echo "$wrong: $stderr"; false; }
  done
}

@test "without a receiver: it says what is not kept, the engine keeps a bounded part, the next try brings all" {
  yes "$(printf 'x%.0s' {1..80})" | head -n 100000 | awk '{ print "http://h" NR ".example/" $1 }' >many
  run -2 link-bus --send="$at" --partitions=2 --timeout=2s many
  [[ $output =~ 'not all is kept: '[0-9]+' batches of the '[0-9]+' links are not (partition 0: '[0-9]+', 1: '[0-9]+'); send the whole list again' ]]
  (($(redis-cli -p "$port" info memory | sed -n 's/^used_memory:\([0-9]*\).*/\1/p') < 8000000))
  run -0 link-bus --tail="$at" --partition=0 --idle=5s
  [[ ${lines[0]} =~ ^http://h[0-9]+\.example/x+$'\t'batch=s-[0-9a-f]{16}/[0-9]+/1$ ]]
  # Reading with --tail changes nothing.
  run -0 link-bus --tail="$at" --partition=0 --idle=5s
  [[ ${lines[0]} == *'/1' ]]
  receive 0; receive 1
  run -0 link-bus --send="$at" --partitions=2 links
  stop_receivers
  sort -u got-* | comm -13 - <(sort links) >missing
  [[ ! -s missing ]]
}

@test "one owner a partition: the second waits, and takes over" {
  receive 0
  run -0 link-bus --send="$at" --partition=0 http://a.example/
  link-bus --receive="$at" --partition=0 >second 2>said-second 3>&- &
  local second=$!
  until_lines 1 said-second
  grep -qE '^link-bus: partition 0 is owned by link-bus-[0-9a-f]{16}: waiting$' said-second
  stop_receivers
  run -0 link-bus --send="$at" --partition=0 http://b.example/
  end "$second"
  [[ $(<second) == http://b.example/ ]]
}

@test "an engine that is away, and one with a password" {
  end "$server"
  for mode in "--send=$at --partition=0 http://a.example/" "--check=$at" "--receive=$at --partition=0"; do
    # shellcheck disable=SC2086
    run -2 link-bus $mode
    [[ $output == "link-bus: 127.0.0.1:$port: Connection refused" ]]
  done
  engine --requirepass geheim
  run -2 link-bus --check="$at"
  [[ $output == "link-bus: 127.0.0.1:$port: NOAUTH Authentication required. (the password goes into SPINNERET_REDIS_PASSWORD)" ]]
  run -2 link-bus --check="redis://:falsch@127.0.0.1:$port/mycrawl"
  [[ $output == *'refuses the password: WRONGPASS'* && $output != *falsch* ]]
  run -0 link-bus --check="redis://:geheim@127.0.0.1:$port/mycrawl"
  [[ $output != *geheim* ]]
  SPINNERET_REDIS_PASSWORD=geheim run -0 link-bus --check="$at"
}

@test "an address that is none is named, without its password" {
  local url
  for url in 'rediss://h/c?key=k' http://h/c redis://h redis:///c redis://h:x/c redis://h:99999/c redis://h/C redis://:geheim@h:0/c \
    'redis://h/c?x=1' 'redis://h,,i/c' "redis://:geheim@h/$(printf 'x%.0s' {1..65})"; do
    run -2 link-bus --check="$url"
    [[ ${lines[0]} == 'link-bus: --check: '* && $output != *geheim* ]] || { echo "$url: $output"; false; }
  done
}

@test "what is stored by another version, another number of partitions, a foreign key: each is named" {
  redis-cli -p "$port" set 'spinneret:{mycrawl}:version' 9 >/dev/null
  run -2 link-bus --send="$at" --partition=0 http://a.example/
  [[ $output == *'what is stored under spinneret:{mycrawl}: is of version "9", and this program'\''s is 1: use its release, or another NAME' ]]
  redis-cli -p "$port" flushall >/dev/null
  redis-cli -p "$port" hset 'spinneret:{mycrawl}:table:crawl' terms 'partitions=16 list=x' >/dev/null
  run -2 link-bus --send="$at" --partitions=4 http://a.example/
  [[ $output == *'this crawl has 16 partitions, and --partitions=4 is another number' ]]
  run -2 link-bus --receive="$at" --partition=16
  [[ $output == *'partitions are 0 to 15' ]]
  redis-cli -p "$port" set 'spinneret:{mycrawl}:stream:p3' x >/dev/null
  redis-cli -p "$port" set 'spinneret:{mycrawl}:other' x >/dev/null
  run -1 link-bus --check="$at"
  [[ $output == *'bad  key "spinneret:{mycrawl}:other" is not ours: another program uses our prefix; take another NAME'* ]]
  [[ $output == *'bad  key "spinneret:{mycrawl}:stream:p3" is a string, and ours is a stream: another program made it'* ]]
  [[ $output == *'crawl mycrawl: "terms" "partitions=16 list=x"'* ]]
  run -2 link-bus --receive="$at" --partition=3 --idle=1s 3>&- || true
  redis-cli -p "$port" del 'spinneret:{mycrawl}:stream:p3' >/dev/null
  # Messages in our streams that are foreign, damaged or of a later version are skipped and reported.
  receive 3
  soon "[[ -n \$(redis-cli -p $port get 'spinneret:{mycrawl}:lease:p3') ]]"
  redis-cli -p "$port" xadd 'spinneret:{mycrawl}:stream:p3' 1-1 m rubbish >/dev/null
  redis-cli -p "$port" xadd 'spinneret:{mycrawl}:stream:p3' 1-2 m $'S\x02x' >/dev/null
  redis-cli -p "$port" xadd 'spinneret:{mycrawl}:stream:p3' 1-3 other field more fields >/dev/null
  until_lines 2 said-3
  run -0 link-bus --send="$at" --partition=3 http://a.example/
  stop_receivers
  [[ $(<got-3) == http://a.example/ ]]
  grep -q "p3: a message that is damaged, or another program's: passed over" said-3
  grep -q 'p3: a message of a later version of this program: passed over' said-3
}

@test "--check: eviction, memory, replicas that do not confirm" {
  redis-cli -p "$port" config set maxmemory-policy allkeys-lru >/dev/null
  redis-cli -p "$port" config set maxmemory 10mb >/dev/null
  run -1 link-bus --check="$at"
  [[ $output == *'bad  maxmemory-policy is allkeys-lru: it may evict leases; set noeviction'* ]]
  [[ $output == *'bad  maxmemory 10485760: links on their way need 64 MB'* ]]
  redis-cli -p "$port" config set maxmemory-policy noeviction >/dev/null
  redis-cli -p "$port" config set maxmemory 0 >/dev/null
  run -0 link-bus --check="$at"
  [[ $output =~ "ok   "("Redis "[78]|"Valkey ") ]]
  local first=$port one two
  engine_at() { port=$(free_port); engine --replicaof 127.0.0.1 "$first"; }
  one=$server
  mkdir one two
  cd one; engine_at; pids+=("$server"); local replica=$port; cd ..
  soon "redis-cli -p $first role | grep -qx $replica"
  server=$one port=$first
  run -1 link-bus --check="$at"
  [[ $output == *'bad  1 replica: once the primary dies nobody can confirm a lease; take 2, or none'* ]]
  # Any of the addresses will do: the primary is found.
  run -1 link-bus --check="redis://127.0.0.1:$replica/mycrawl"
  [[ ${lines[0]} == "ok   primary 127.0.0.1:$first" ]]
}

@test "the primary of a Sentinel's set: a lease needs the replicas' word, and a failover loses nothing" {
  local first=$port one=$server all=() n
  pids+=("$one")
  for n in 1 2; do
    mkdir "r$n"; cd "r$n"; port=$(free_port); engine --replicaof 127.0.0.1 "$first"; cd ..
    all+=("$port"); pids+=("$server")
  done
  local replicas=("${pids[@]:1}")
  for n in "${all[@]}"; do soon "redis-cli -p $first role | grep -qx $n"; done
  local sentinels=() seeds=
  for n in 1 2 3; do
    port=$(free_port)
    mkdir "s$n"
    # On a busy machine nobody may answer for a second; and a replica cut off for ten times this period is not promoted.
    printf '%s\n' "port $port" "bind 127.0.0.1" "dir $PWD/s$n" "sentinel monitor m 127.0.0.1 $first 2" \
      "sentinel down-after-milliseconds m 4000" "sentinel failover-timeout m 5000" >"s$n/conf"
    redis-server "s$n/conf" --sentinel >"s$n/log" 2>&1 3>&- 5>&- &
    sentinels+=($!); pids+=($!); seeds+=,127.0.0.1:$port
  done
  at="redis://${seeds#,}/mycrawl?sentinel=m"
  # Waits until each Sentinel knows the others and the replicas.
  for _ in {1..600}; do
    redis-cli -p "$port" sentinel master m >knows || true
    [[ $(grep -x -A1 num-other-sentinels knows | tail -n1) == 2 && $(grep -x -A1 num-slaves knows | tail -n1) == 2 ]] && break
    sleep 0.1
  done
  run -0 link-bus --check="$at"
  [[ $output == *'ok   WAIT 1: '* ]]
  mkfifo pipe
  link-bus --receive="$at" --partition=0 --state=inbox --ttl=2s >>got-0 2>>said-0 3>&- 5>&- &
  local receiver=$!
  pids+=("$receiver")
  link-bus --send="$at" --partition=0 --timeout=100s <pipe 2>sent 3>&- &
  local sender=$!
  exec 5>pipe
  head -n 1000 links >&5
  until_lines 1000 got-0
  # The reader is dead and both replicas are cut off; the old primary alone acknowledges links, and then dies.
  end "$receiver" -KILL
  kill -STOP "${replicas[@]}"
  redis-cli -p "$first" client kill type replica >/dev/null
  sed -n '1001,$p' links >&5
  soon "redis-cli -p $first xlen 'spinneret:{mycrawl}:stream:p0' | grep -qv '^0\$'"
  local before
  before=$(redis-cli -p "$first" xlen 'spinneret:{mycrawl}:stream:p0')
  ((before > 0))
  [[ $(redis-cli -p "$first" set trusted yes) == OK ]]
  kill -KILL "$one"
  kill -CONT "${replicas[@]}"
  exec 5>&-
  for _ in {1..600}; do
    link-bus --check="$at" >now 2>&1 || true
    ! grep -q '^ok   primary' now || break
    sleep 0.1
  done
  # A write that the engine had acknowledged is gone: whoever trusts it loses links here.
  local next
  next=$(sed -n 's/^ok   primary 127.0.0.1:\([0-9]*\).*/\1/p' now)
  [[ -n $next && $next != "$first" && -z $(redis-cli -p "$next" get trusted) ]]
  link-bus --receive="$at" --partition=0 --state=inbox --ttl=2s >>got-0 2>>said-0 3>&- 5>&- &
  pids+=($!)
  wait "$sender"
  end "${pids[-1]}"
  all_came
}

@test "the examples of the page work" {
  sed "s|127\.0\.0\.1:6379|127.0.0.1:$port|g" "$SPINNERET_ROOT/man/link-bus.1" >page
  examples page | sed '/^# not run/d' >examples
  sed -i "s|^ok   primary .*|ok   primary 127.0.0.1:$port|" examples
  run_examples <examples
}

@test "bug: --tail printed what is on its way again and again, without end, where a key beside the stream was deleted" {
  run -2 link-bus --send="$at" --partition=0 --timeout=300ms http://a.example/ http://b.example/
  link-bus --tail="$at" --partition=0 >tailed 3>&- 5>&- &
  soon 'grep -q b.example tailed'
  redis-cli -p "$port" del 'spinneret:{mycrawl}:room:p0' >/dev/null
  # The next message begins the stream anew.
  run -2 link-bus --send="$at" --partition=0 --timeout=300ms http://c.example/
  soon 'grep -q c.example tailed'
  kill $!
  wait $!
  (($(grep -c b.example tailed) == 1)) || { sort tailed | uniq -c; false; }
  redis-cli -p "$port" del 'spinneret:{mycrawl}:room:p0' >/dev/null
  run -0 timeout 20 link-bus --tail="$at" --partition=0 --idle=300ms
  (($(grep -c c.example <<<"$output") == 1)) || { echo "$output" | sort | uniq -c; false; }
}

@test "bug: --send outlasted its --timeout by two seconds for each partition, where the engine hangs" {
  link-bus --send="$at" --partitions=30 --timeout=4s links 2>said 3>&- 5>&- &
  pids=($!)
  soon '[[ $(redis-cli -p "$port" exists "spinneret:{mycrawl}:stream:p29") == 1 ]]'
  kill -STOP "$server"
  local begin=$SECONDS status=0
  wait "${pids[0]}" || status=$?
  ((status == 2 && SECONDS - begin < 30)) || { echo "status $status after $((SECONDS - begin)) s"; cat said; false; }
  grep -q 'not all is kept: 30 batches' said
}
