#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What listens where an engine should is none: it answers with garbage, half an answer, none at all, what has no end, or what was not
# asked for. Each tool says so, with the server's name, in bounded time and memory; nothing crashes, and no link counts as sent.

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

# hostile KIND: one of that kind; its port in $port.
hostile() {
  python3 "$SPINNERET_ROOT/tests/support/hostile-engine.py" "$1" >"port.$1" 3>&- &
  soon "[[ -s port.$1 ]]"
  port=$(cat "port.$1")
}
# refuses WORD...: the tool ends by itself, with a status of its own that is no success, and names the server on one clean line.
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
  # Where it is no primary, says that another one is, which is itself, or is of another version: nothing is begun.
  for kind in moved replica version; do
    hostile $kind
    at=redis://127.0.0.1:$port/crawl
    refuses politeness-sched --cluster="$at" --status
    refuses link-bus --send="$at" --partition=0 --timeout=1s http://a.test/
  done
  # No number of partitions, or none that there may be.
  for kind in null numbers negative odd nested none below many beyond terms; do
    hostile $kind
    at=redis://127.0.0.1:$port/crawl
    run -2 python3 measured.py politeness-sched --cluster="$at" --status
    [[ $output == *'knows no crawl of that name'* || $output == *"127.0.0.1:$port: speaks no RESP"* ]] || { echo "$kind: $output"; false; }
    # A machine that would take part is told, and makes nothing but its own folder.
    run timeout 5 politeness-sched --cluster="$at" --partitions=4 --partition-lease=1s --state='s.{}' <(echo http://a.test/) -- cat
    ((status == 2 || status == 124)) || { echo "$kind: $status $output"; false; }
    [[ ! -e s.0 ]] && ! grep -q "$(printf '[\001-\010\013-\037]')" <<<"$output" || { echo "$kind: $output" | cat -v; false; }
  done
  # Reports of other shapes, of partitions that there are not; machines without a name.
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
