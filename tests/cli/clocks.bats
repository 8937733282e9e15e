#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Time and signals: clocks that are set during a crawl or between its runs, processes that are stopped and continued,
# and SIGTERM.

load helper
load filters

# Finds the library to preload for a clock of the test's own; skips the test where there is none.
need_faketime() {
  command -v faketime >/dev/null || skip "no faketime"
  is_sanitized && skip "a sanitizer's tools do not run under faketime"
  clock_library=$(faketime -f +0 env 2>/dev/null | sed -n 's/^LD_PRELOAD=//p')
  [[ -n $clock_library ]] || skip "no faketime"
}

# with_clock OFFSET COMMAND...: runs the command with a wall clock that is off by whatever the file `offset` holds at
# that moment; the monotonic clock stays true.
with_clock() {
  echo "$1" >offset
  env LD_PRELOAD="$clock_library" DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_NO_CACHE=1 \
    FAKETIME_TIMESTAMP_FILE="$PWD/offset" "${@:2}"
}

# A stage that notes by the true clock when each URL came, and sets the wall clock to each of JUMPS in turn.
clocked() {
  cat <<'EOF'
unset LD_PRELOAD
jumps=($JUMPS)
while IFS= read -r line; do
  printf '%s\n' "$(($(date +%s%N) / 1000000))" >>times
  # Whole at once: the scheduler reads it at any moment.
  if ((${#jumps[@]})); then echo "${jumps[0]}" >new; mv new offset; jumps=("${jumps[@]:1}"); fi
  printf '%s\tstatus=200\toutcome=ok\n' "$line"
done
EOF
}

# Fails unless each line is at least that many milliseconds after the one before.
gaps_are() { awk -v least="$1" 'NR > 1 && $1 - last < least { print NR, $1 - last; bad = 1 } { last = $1 } END { exit bad }' times; }

@test "a wall clock that leaps by days, ahead and back, neither shortens a delay nor stops a crawl" {
  need_faketime
  export JUMPS="+40d -400d +0 -1d"
  run -0 with_clock +0 timeout 100 politeness-sched --state=s --quiet --delay=150ms http://a.test/{1..6} -- \
    bash -c "$(clocked)"
  (($(wc -l <times) == 6))
  gaps_are 149
}

@test "a state from the future is crawled on, after no more than its delay" {
  need_faketime
  export JUMPS=
  run -0 with_clock +400d timeout 100 politeness-sched --state=s --quiet --delay=150ms http://a.test/{1..3} -- \
    bash -c "$(clocked)"
  run -0 timeout 100 politeness-sched --state=s --quiet --delay=150ms http://a.test/{4..6} -- bash -c "$(clocked)"
  run -0 with_clock -400d timeout 100 politeness-sched --state=s --quiet --delay=150ms http://a.test/{7..9} -- \
    bash -c "$(clocked)"
  (($(wc -l <times) == 9))
  gaps_are 149
  run -0 politeness-sched --state=s --verify
}

@test "rules stored by a clock that was ahead are kept no longer than a clock that is right would keep them" {
  need_faketime
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=\toutcome=ok\n' >in
  with_clock +400d robots-check --learn --cache=c in >/dev/null
  run robots-check --gate --cache=c --agent=bot <<<"http://h.test/"
  [[ $output == *outcome=needs || $output == *robots=allow ]]
  run robots-check --gate --cache=c --agent=bot --now=$(($(date +%s) + 86400 * 440)) <<<"http://h.test/"
  [[ $output == *outcome=needs ]]
}

@test "stopped and continued: nothing is lost" {
  check() {
    local pid line=
    with_pipes "$1"
    read -r -t 100 line <&8
    kill -STOP "$pid"
    { good "$1" 2; echo; good "$1" 3; echo; } >&7
    kill -CONT "$pid"
    exec 7>&-
    cat <&8 >rest
    wait "$pid"
    [[ $line == http://h1.example/* ]]
    (($(wc -l <rest) == 2))
    [[ ! -s err ]]
  }
  each check "${FILTERS[@]}"
}

@test "SIGTERM while waiting: ends at once, and what came out are whole lines" {
  check() {
    local pid line=
    # as_filter is a function, and `exec` makes the signal reach the tool itself.
    launch=(exec)
    with_pipes "$1"
    read -r -t 100 line <&8
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    cat <&8 >rest
    exec 7>&-
    [[ $line == http://h1.example/* ]]
    [[ ! -s rest ]]
    # fetch answers the URLs that it has taken, and then ends by itself.
    ((status == 143)) || [[ $1 == fetch && $status -le 1 ]] || { echo "status $status"; false; }
  }
  each check "${FILTERS[@]}"
}
