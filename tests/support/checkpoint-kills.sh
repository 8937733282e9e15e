#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests whether a copy of a state survives when the process that makes the next copy is killed.
#
#   tests/support/checkpoint-kills.sh [KILLS [SEED]]     default 150 random kills, seed 1; a minute of CPU
#
# A crawl with --checkpoint-every is killed at every nth rename, renameat2, fsync, fdatasync, unlink, link and mkdir, up
# to a thread's 25th (strace's inject); the same on a file system that cannot exchange names; then from outside at
# random moments. After each kill the copy must open, have no fault (--verify), and have each URL of the last whole
# copy. In the end all URLs are done. Prints how many kills hit, and what was lost; status 1 where anything was.
set -euo pipefail

kills=${1:-150} seed=${2:-1}
bin=${SPINNERET_BIN:-build/bin}
[[ $bin == /* ]] || bin=$PWD/$bin
command -v strace >/dev/null || { echo "checkpoint-kills: no strace" >&2; exit 2; }
at=$(mktemp -d)
trap 'rm -rf -- "$at"' EXIT
cd "$at"

lost=0 hit=0 misses=0
seq -f 'http://h%g.example/' 1 40 >seeds
# The pipeline's answer to each URL; slow enough for several copies a run.
# shellcheck disable=SC2016
settle='while IFS= read -r line; do sleep 0.004; printf "%s\toutcome=ok\n" "$line"; done'
run=("$bin/politeness-sched" -q --state=state --delay=0 --checkpoint=copy --checkpoint-every=5ms --max-pages=8
  seeds -- bash -c "$settle")

# crawl [TRACER...]
crawl() { { "$@" "${run[@]}" >/dev/null 2>err; } 2>/dev/null; }

# judge WHAT EXCHANGES: checks the copy, which is under its name or, where names cannot be exchanged, copy.old for a
# moment.
judge() {
  local copy=copy
  [[ -e copy || $2 == yes ]] || copy=copy.old
  if ! "$bin/politeness-sched" --state="$copy" --list 2>err | cut -f1 >now || [[ -s err ]] ||
    ! "$bin/politeness-sched" --state="$copy" --verify >said 2>&1; then
    echo "lost at $1: $(cat err said 2>/dev/null | head -n 2 | tr '\n' ' ')"
    ((++lost))
  elif [[ -n $(comm -23 had now) ]]; then
    echo "lost at $1: the copy is older than the one before: $(comm -23 had now | wc -l) URLs"
    ((++lost))
  fi
}

# begin: makes a state with a whole copy, and notes the copy's URLs.
begin() {
  rm -rf state copy copy.old copy.new
  crawl
  "$bin/politeness-sched" --state=state --checkpoint=copy
  "$bin/politeness-sched" --state=copy --list | cut -f1 >had
}

# each_call CALL EXCHANGES [OTHER]...
each_call() {
  local n status
  for ((n = 1; n <= 25; ++n)); do
    # All URLs are settled by then; a new state gives the next runs as much to do.
    ((n % 5 != 1)) || begin
    status=0
    crawl strace -f -qq -o /dev/null -e "trace=$1,renameat2" "${@:3}" -e "inject=$1:signal=KILL:when=$n" || status=$?
    ((status > 128)) || break
    ((++hit))
    judge "$1 $n" "$2"
  done
  echo "$1: killed at the first $((n - 1))$([[ $2 == yes ]] || echo ', names not exchanged')"
}

for call in rename renameat2 fsync fdatasync unlink link mkdir; do each_call "$call" yes; done
for call in rename unlink mkdir; do each_call "$call" no -e inject=renameat2:error=EINVAL; done
RANDOM=$seed
for ((i = 0; i < kills; ++i)); do
  ((i % 20)) || begin
  "${run[@]}" >/dev/null 2>err &
  child=$!
  sleep "0.0$((RANDOM % 90 + 10))"
  status=0
  kill -KILL "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || status=$?
  if ((status == 137)); then ((++hit)); else ((++misses)); fi
  judge "random kill $i" yes
done
crawl && "$bin/politeness-sched" -q --state=state --delay=0 -- bash -c "$settle" >/dev/null
left=$("$bin/politeness-sched" --state=state --list --with-state=waiting | wc -l)
echo "$hit kills hit, $misses came too late; $lost copies lost; $left of 40 URLs left in the state"
((lost == 0 && left == 0))
