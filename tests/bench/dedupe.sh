#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dedupe beside Debian's programs for the job, in one run: CPU time (user and system, of all threads), lines a CPU
# second, wall time, memory, bytes a unique key. Each command runs ROUNDS times (3), and the run with the least CPU time
# counts, since a shared machine spoils the wall clock first. Ratios are to dedupe's defaults.
#
#   tests/bench/dedupe.sh [LINES [SHARE]]...     default: 10000000 0.3 10000000 0.9
#
# Needs build/bin (or SPINNERET_BIN), gawk, mawk, perl, GNU sort; missing programs are left out. Data and temporary
# files go to $TMPDIR.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need_tools bench-linecopy bench-urlstream dedupe || exit 1
export LC_ALL=C
rounds=${ROUNDS:-3}
(($#)) || set -- 10000000 0.3 10000000 0.9

# measure NAME COMMAND...: prints one line of the table; the input is $input.
measure() {
  local name=$1 best='' kb='' clock='' user system elapsed round memory
  shift
  command -v "$1" >/dev/null || { printf '%-28s not installed\n' "$name"; return; }
  for ((round = 0; round < rounds; round++)); do
    [[ -z ${before:-} ]] || $before
    /usr/bin/time -f '%U %S %e %M' -o "$work/time" "$@" <"$input" >/dev/null 2>"$work/err" ||
      { printf '%-28s failed: %s\n' "$name" "$(tail -1 "$work/err")"; return; }
    read -r user system elapsed memory <"$work/time"
    if [[ -z $best ]] || awk "BEGIN { exit !($user + $system < $best) }"; then
      best=$(awk "BEGIN { print $user + $system }") kb=$memory clock=$elapsed
    fi
  done
  : "${reference:=$best}"
  awk -v name="$name" -v s="$best" -v clock="$clock" -v kb="$kb" -v lines="$lines" -v keys="$keys" -v ref="$reference" 'BEGIN {
    printf "%-28s %7.2f s CPU %7.2f M lines/s %6.2fx %7.2f s %8.1f MB %7.1f B/key\n",
           name, s, (s > 0 ? lines / s / 1e6 : 0), (ref > 0 ? s / ref : 0), clock, kb / 1024, kb * 1024 / keys }'
}

forget_store() { rm -f "$work/seen"; }

while (($#)); do
  lines=$1 share=${2:-0.3} reference=''
  shift $(($# > 1 ? 2 : 1))
  input=$work/input
  keys=$(bench-urlstream "$lines" "$share" 2>&1 >"$input" | awk '{ print $3 }')
  printf '\n%s lines, %s distinct, %s bytes\n' "$lines" "$keys" "$(stat -c %s "$input")"
  measure 'dedupe' dedupe
  measure 'dedupe --bits=64' dedupe --bits=64
  measure 'dedupe --exact' dedupe --exact
  measure 'dedupe --memory=64M' dedupe --memory=64M
  measure 'dedupe --later' dedupe --later
  measure 'dedupe --later --memory=32M' dedupe --later --memory=32M
  measure 'dedupe --approximate=0.001' dedupe --approximate=0.001 --memory=32M
  before=forget_store measure 'dedupe --store' dedupe --store="$work/seen"
  before=forget_store measure 'dedupe --store --sync' dedupe --store="$work/seen" --sync
  input=/dev/null measure 'reopening that store' dedupe --store="$work/seen"
  measure 'dedupe --count' dedupe --count
  measure 'bench-linecopy' bench-linecopy
  measure 'sort -u (order lost)' sort -u
  # shellcheck disable=SC2016  # $0 is awk's
  measure 'mawk !seen[$0]++' mawk '!seen[$0]++'
  # shellcheck disable=SC2016
  measure 'gawk !seen[$0]++' gawk '!seen[$0]++'
  # shellcheck disable=SC2016
  measure 'perl print if !$seen{$_}++' perl -ne 'print if !$seen{$_}++'
done
