#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The server in the place of the engine is not one: it answers with garbage, half an answer, nothing, an endless answer,
# or something that was not asked for. Each tool reports it with the server's name, in bounded time and memory; nothing
# crashes, and no link counts as sent.

# shellcheck disable=SC2154

load ../cli/helper

setup() {
  command -v python3 >/dev/null || skip "no python3"
  ! link-bus --check=redis://127.0.0.1:1/t 2>&1 | grep -q 'no engine' || skip "built without hiredis"
  cat >measured.py <<'EOF2'
import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, timeout=120)
print("rss", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(ended.returncode if ended.returncode >= 0 else 128 - ended.returncode)
EOF2
}
teardown() {
  end_jobs
  ! declare -F end_postgres >/dev/null || end_postgres
}

# hostile KIND: starts a server of that kind; its port is in $port.
hostile() {
  python3 "$SPINNERET_ROOT/tests/support/hostile-engine.py" "$1" >"port.$1" 3>&- &
  soon "[[ -s port.$1 ]]"
  port=$(cat "port.$1")
}
# refuses WORD...: the tool ends by itself with a failure status of its own, and names the server on one clean line.
refuses() {
  run python3 measured.py "$@"
  ((status == 1 || status == 2 || status == 5)) || { echo "$*: $status $output"; return 1; }
  [[ $output == *"127.0.0.1:$port"* ]] || { echo "$*: $output"; return 1; }
  ! grep -q "$(printf '[\001-\010\013-\037]')" <<<"$output" || { echo "$*: $output" | cat -v; return 1; }
  is_sanitized || (($(sed -n 's/^rss //p' <<<"$output") <= ${most-200})) || { echo "$*: $output"; return 1; }
}

@test "what answers as no Redis does is named, in bounded time and memory" {
  local kind at
  for kind in garbage half silence closed length array deep endless errors types; do
    hostile $kind
    at=redis://127.0.0.1:$port/crawl
    refuses link-bus --check="$at"
    refuses link-bus --send="$at" --partition=0 --timeout=1s http://a.test/
    refuses politeness-sched --cluster="$at" --status
    refuses politeness-sched --cluster="$at" --drain=x
  done
}

@test "an answer that comes byte by byte for ever is given up" {
  hostile trickle
  refuses politeness-sched --cluster="redis://127.0.0.1:$port/crawl" --status
  [[ $output == *"does not come to an end"* ]] || { echo "$output"; false; }
}

@test "an engine that greets as one does and lies then: what it says is refused by name, or shown for what it is" {
  local kind at
  # Nothing is begun where the server is no primary, names itself as the primary, or is of another version.
  for kind in moved replica version; do
    hostile $kind
    at=redis://127.0.0.1:$port/crawl
    refuses politeness-sched --cluster="$at" --status
    refuses link-bus --send="$at" --partition=0 --timeout=1s http://a.test/
  done
  # The number of partitions is missing, or not a possible one.
  for kind in null numbers negative odd nested none below many beyond terms; do
    hostile $kind
    at=redis://127.0.0.1:$port/crawl
    run -2 python3 measured.py politeness-sched --cluster="$at" --status
    [[ $output == *'knows no crawl of that name'* || $output == *"127.0.0.1:$port: speaks no RESP"* ]] || { echo "$kind: $output"; false; }
    # A machine that wants to take part is told, and makes nothing but its own folder.
    run timeout 5 politeness-sched --cluster="$at" --partitions=4 --partition-lease=1s --state='s.{}' <(echo http://a.test/) -- cat
    ((status == 2 || status == 124)) || { echo "$kind: $status $output"; false; }
    [[ ! -e s.0 ]] && ! grep -q "$(printf '[\001-\010\013-\037]')" <<<"$output" || { echo "$kind: $output" | cat -v; false; }
  done
  # Reports of another form, or of partitions that do not exist; machines without a name.
  for kind in rows holders; do
    hostile $kind
    run -0 python3 measured.py politeness-sched --cluster="redis://127.0.0.1:$port/crawl" --status
    (($(grep -c '^p[0-3]'$'\t' <<<"$output") == 4)) || { echo "$kind: $output"; false; }
    ! grep -q "$(printf '[\001-\010\013-\037]')" <<<"${output//$'\t'/}" || { echo "$kind: $output" | cat -v; false; }
    run ! grep -E 'lag=-|epoch=-' <<<"$output"
  done
}

@test "what answers as no PostgreSQL does is named, in bounded time and memory" {
  ! link-bus --check=postgresql://127.0.0.1:1/d/t 2>&1 | grep -q 'no PostgreSQL' || skip "built without libpq"
  local kind at
  for kind in garbage half silence closed pg-length pg-rows; do
    hostile $kind
    at=postgresql://me@127.0.0.1:$port/d/crawl?sslmode=disable
    refuses link-bus --check="$at"
    refuses link-bus --send="$at" --partition=0 --timeout=1s http://a.test/
    refuses politeness-sched --cluster="$at" --status
  done
}

@test "bug: an epoch that no crawl writes had a lease change hands for ever, and a number of words ended in a script's error" {
  . "$SPINNERET_ROOT/tests/support/engines.bash"
  [[ -n $server && -n $client ]] || skip "no valkey-server and no redis-server"
  start_one
  local at=$url value receiver key=spinneret:{crawl}:epoch:p0
  for value in 18446744073709551615 4503599627370495 words nan inf; do
    ask "$port" set "$key" "$value"
    rm -f said
    link-bus --receive="$at" --partition=0 --ttl=1s >got 2>said 3>&- &
    receiver=$!
    soon '[[ -s said ]]'
    # The key is named once and left as it is, and nobody gets the lease; once it is deleted, the same process goes on.
    [[ $(<said) == "link-bus: 127.0.0.1:$port: another program has written the key $key: delete that key, and nothing is lost: trying again" ]] ||
      { cat said; false; }
    [[ $(ask "$port" get "$key") == "$value" && $(ask "$port" exists 'spinneret:{crawl}:lease:p0') == 0 ]]
    ask "$port" del "$key"
    link-bus --send="$at" --partition=0 http://a.test/
    kill $receiver && wait $receiver
    [[ $(<got) == http://a.test/ && $(wc -l <said) == 2 ]] || { cat said; false; }
  done
  # A machine that cannot get its own lease ends and begins nothing.
  ask "$port" set "spinneret:{crawl}:epoch:node-0" words
  run -2 timeout 60 politeness-sched --cluster="$at" --partitions=1 --partition-lease=1s --state='s.{}' <(echo http://a.test/) -- cat
  [[ $output == *"has written the key spinneret:{crawl}:epoch:node-0: delete"* && ! -e s.0 ]] || { echo "$output"; false; }
  # The fields of a stream's room.
  for value in 'g words' 'g 99999999999999999999999' 'b words' 'e words' 'e nan' 'e -5'; do
    ask "$port" flushall
    : >got
    run -2 link-bus --send="$at" --partition=0 --timeout=100ms http://b.test/
    # shellcheck disable=SC2086  # field and value
    ask "$port" hset 'spinneret:{crawl}:room:p0' $value
    run -2 link-bus --send="$at" --partition=0 --timeout=300ms http://a.test/
    [[ $output == *"has written the key spinneret:{crawl}:room:p0: delete that key, and nothing is lost"* && $output != *script* ]] || { echo "$value: $output"; false; }
    ask "$port" del 'spinneret:{crawl}:room:p0'
    rm -f said
    link-bus --receive="$at" --partition=0 --ttl=1s >got 2>said 3>&- &
    receiver=$!
    link-bus --send="$at" --partition=0 http://a.test/
    kill $receiver && wait $receiver
    grep -qx http://a.test/ got
  done
}

@test "bug: an epoch in PostgreSQL that no crawl writes had every link behind it taken for damaged" {
  ! link-bus --check=postgresql://127.0.0.1:1/d/t 2>&1 | grep -q 'no PostgreSQL' || skip "built without libpq"
  . "$SPINNERET_ROOT/tests/support/postgres.bash"
  [[ -n $pg_programs ]] && type -P psql >/dev/null || skip "no PostgreSQL"
  start_postgres
  run -0 link-bus --receive="$pg_url" --partition=0 --ttl=1s --idle=100ms
  local value receiver
  for value in 9223372036854775807 4503599627370495; do
    pg_sql "UPDATE spinneret.lease SET epoch = $value, until = '-infinity'"
    rm -f said
    link-bus --receive="$pg_url" --partition=0 --ttl=1s >got 2>said 3>&- &
    receiver=$!
    soon '[[ -s said ]]'
    [[ $(head -n 1 said) == "link-bus: 127.0.0.1:$pg_port: another program has written the epoch of p0 in the table spinneret.lease: delete that row of crawl crawl, and nothing is lost: trying again" ]] ||
      { cat said; false; }
    pg_sql "DELETE FROM spinneret.lease"
    link-bus --send="$pg_url" --partition=0 http://a.test/
    kill $receiver && wait $receiver
    [[ $(<got) == http://a.test/ ]]
  done
}
