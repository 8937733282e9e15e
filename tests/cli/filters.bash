# SPDX-License-Identifier: Apache-2.0
# All tools as filters of one kind, for tests that hold them to one contract (manners.bats, faults.bats).

# The tool as a filter: `as_filter TOOL [OPTION|OPERAND]...`, standard input where no operand is given.
# Nothing here waits: no network but loopback's port 9, where nobody answers, and no delay between hosts.
# `launch` may hold a command that starts the tool (env, timeout).
# The pipeline of the scheduler may die at every second line without a page being given up for that.
as_filter() {
  local tool=$1
  shift
  case $tool in
    robots-check) "${launch[@]}" robots-check --gate --cache="$PWD/cache" --agent=bot "$@" ;;
    fetch) "${launch[@]}" fetch --allow-private "$@" ;;
    extract-items) "${launch[@]}" extract-items --field=title=title "$@" ;;
    link-check) "${launch[@]}" link-check --show=all --ignore=/dev/null "$@" ;;
    politeness-sched)
      has_operand "$@" || set -- "$@" -
      "${launch[@]}" politeness-sched --quiet --state="$(mktemp -d -p .)" --delay=0 --retry-delay=10ms --tries=9 "$@" -- "$settle"
      ;;
    *) "${launch[@]}" "$tool" "$@" ;;
  esac
}

has_operand() {
  local word
  for word; do [[ $word != -?* ]] && return; done
  return 1
}

# The N-th line of a stream that the tool passes on. For most that is a settled record; the scheduler's
# seeds are URLs, and its pipeline settles them; link-check prints links.
good() {
  if [[ $1 == politeness-sched || $1 == link-check ]]; then
    printf 'http://h%s.example/' "$2"
  else
    printf 'http://h%s.example/\tx=%s\toutcome=not-found' "$2" "$2"
  fi
}

# Starts the tool between two pipes, 7 to write to and 8 to read from, its number in `pid`, and gives it one line.
with_pipes() {
  mkfifo to from
  as_filter "$1" <to >from 2>err &
  pid=$!
  exec 7>to 8<from
  { good "$1" 1; echo; } >&7
}

# Tools that pass settled records, byte for byte (the scheduler does not: it is where they end).
FILTERS=(url-normalize url-filter robots-check fetch extract-links extract-items extract-text dedupe records)

# Runs `check TOOL` for every tool given, each in a folder of its own; names those that fail.
each() {
  local check=$1 tool failed=()
  shift
  for tool; do
    mkdir -p "$BATS_TEST_TMPDIR/$tool"
    # In the background, because bash turns errexit off in whatever stands before a ||.
    (
      cd "$BATS_TEST_TMPDIR/$tool" && mkdir -p cache && set -eE
      trap 'echo "# $tool: line $LINENO: $BASH_COMMAND"' ERR
      "$check" "$tool"
    ) &
    wait $! || failed+=("$tool")
  done
  ((${#failed[@]} == 0)) || { echo "breach by: ${failed[*]}"; return 1; }
}

# errexit does not see a command behind !.
not() { ! "$@"; }

make_settle() {
  launch=()
  settle=$BATS_TEST_TMPDIR/settle
  printf '#!/bin/sh\nexec sed -u "s/$/\\toutcome=ok/"\n' >"$settle"
  chmod +x "$settle"
}

setup() { make_settle; }
