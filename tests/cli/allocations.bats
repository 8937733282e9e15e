#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# For every tool, the N-th allocation fails. The tool then either reports it and ends with status 2, or goes on and
# leaves nothing out. It never crashes, and what it stores stays good. SPINNERET_FAULTS=long tries each N; otherwise
# about fifteen are tried.

load helper
load filters
load servers

setup() {
  [[ -f $SPINNERET_BIN/libfailing_malloc.so ]] || skip "no libfailing_malloc.so in this build"
  make_settle
}

teardown() {
  stop_servers
  end_jobs
}

# with_failure N [LENGTH]: sets `launch` so that a tool's N-th allocation fails, or LENGTH allocations from the N-th on.
with_failure() {
  launch=(timeout 60 env "LD_PRELOAD=$SPINNERET_BIN/libfailing_malloc.so" "FAIL_MALLOC_AT=$1" "FAIL_MALLOC_FOR=${2-1}")
}

# allocations COMMAND...: counts the allocations that the command makes.
allocations() {
  launch=(env "LD_PRELOAD=$SPINNERET_BIN/libfailing_malloc.so" "FAIL_MALLOC_COUNT=$PWD/count")
  "$@" >/dev/null 2>&1 || true
  launch=()
  cat count
}

stride() { if [[ ${SPINNERET_FAULTS-} == long ]]; then echo $(($1 / 3000 + 1)); else echo $(($1 / 15 + 1)); fi; }

# Status 0 or 1 means that the output is whole. Any other must be 2, with a message; threads of libraries may not crash
# either.
is_honest() {
  case $status in
    0 | 1) sort out | cmp -s sound - || { echo "$*: status $status, but the output is not whole"; return 1; } ;;
    2) grep -qE ': (out of memory|.+)$' err || { echo "$*: nothing said"; return 1; } ;;
    *) echo "$*: status $status"; head -c 500 err; return 1 ;;
  esac
}

check_tool() {
  local count n i length
  for i in 1 2 3 4 5 6; do good "$1" "$i"; echo; done >in
  as_filter "$1" in | sort >sound
  count=$(allocations as_filter "$1" in)
  ((count > 50))
  for length in 1 1000000; do
    for ((n = 1; n <= count; n += $(stride "$count"))); do
      with_failure "$n" "$length"
      status=0
      as_filter "$1" in >out 2>err || status=$?
      is_honest "$1: allocation $n of $count"
    done
  done
}

@test "an allocation that fails, or all from there on: 2 and a message, or nothing is missing" {
  each check_tool "${FILTERS[@]}"
}

@test "the scheduler: an allocation that fails loses no seed" {
  local count n
  printf 'http://h%s.example/\n' 1 2 3 4 5 6 >in
  cut -f1 in | sort >want
  schedule() { "${launch[@]}" politeness-sched --quiet --state="$1" --delay=0 in -- "$settle"; }
  count=$(allocations schedule counted)
  ((count > 50))
  for ((n = 1; n <= count; n += $(stride "$count"))); do
    rm -rf state
    with_failure "$n"
    status=0
    schedule state >first 2>err || status=$?
    # RocksDB's caches and threads may abort the process here; the state must then be as good as after kill -9.
    ((status <= 2 || status == 134 || status == 139)) || { echo "allocation $n of $count: status $status"; cat err; false; }
    launch=()
    schedule state >second 2>err || { echo "allocation $n: the state does not open again"; cat err; false; }
    cat first second | cut -f1 | sort -u | diff want -
  done
}

@test "the seen-set: an allocation that fails loses no URL and passes none twice" {
  local count n
  seq -f 'http://h%.0f.example/' 200 >in
  sort in >want
  seen() { "${launch[@]}" dedupe --store="$1" in; }
  count=$(allocations seen counted)
  # Each of the last eight allocations fails as well: whatever is stored by then must come out.
  for n in $(seq 1 "$(stride "$count")" "$count") $(seq $((count - 8)) "$count"); do
    rm -f store*
    with_failure "$n"
    status=0
    seen store >first 2>err || status=$?
    ((status == 0 || status == 2)) || { echo "allocation $n of $count: status $status"; cat err; false; }
    launch=()
    seen store >second
    sort first second | diff want -
  done
}

# What a record says of a page must be true of the page, whatever failed on this machine.
@test "fetch: an allocation that fails is no fault of the server" {
  local count n length outcome
  cd "$BATS_FILE_TMPDIR"
  start_python hostile-server port
  one=http://127.0.0.1:$(cat port)/good two=http://localhost:$(cat port)/chunked
  get() { "${launch[@]}" fetch --allow-private --no-body --timeout=5 --in-flight=1 --fields=outcome "$one" "$two"; }
  count=$(allocations get)
  ((count > 1000))
  for length in 1 3; do
    for ((n = 1; n <= count; n += $(stride "$count"))); do
      with_failure "$n" "$length"
      status=0
      get >out 2>err || status=$?
      while read -r outcome; do
        [[ $outcome == ok || ($outcome == aborted && $status == 2) ]]
      done <out
      ((status == 2 || $(grep -c ok out) == 2))
    done
  done
}

# The same with the kernel's limit on address space, which shrinks until the program cannot be loaded.
@test "fetch: no memory left is no fault of the server" {
  is_sanitized && skip "a sanitizer needs more than there is"
  cd "$BATS_FILE_TMPDIR"
  start_python hostile-server port
  seq -f "http://127.0.0.1:$(cat port)/good?%.0f" 100 >pages
  local limit short=0
  for ((limit = 60000; limit > 20000; limit -= 2000)); do
    status=0
    (ulimit -v "$limit"; timeout 60 fetch -A test --allow-private --no-body --per-host=64 --fields=outcome pages) >out 2>err || status=$?
    case $status in
      0) [[ $(grep -cx ok out) == 100 ]] || { echo "$limit KB"; sort out | uniq -c; cat err hostile-server.err; false; } ;;
      2) short=1; grep -qE '^fetch: (out of memory|cannot start a thread .*: )' err || { echo "$limit KB"; cat err; false; } ;;
      127) break ;;
      *) echo "$limit KB: status $status"; cat err; false ;;
    esac
    [[ -z $(grep -vxE 'ok|aborted' out) ]]
  done
  ((short))
}
