# SPDX-License-Identifier: Apache-2.0
# All tools as filters, for tests that hold them to one contract (manners.bats, faults.bats).

# as_filter TOOL [OPTION|OPERAND]...: runs the tool as a filter, which reads standard input if no operand is given.
# `launch` may hold a command that starts it (env, timeout). Nothing here waits: the network is port 9 of loopback,
# where nobody answers, and there is no delay between hosts. The scheduler's pipeline may die at every second line
# without a page being given up.
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

# good TOOL N: prints the N-th line of a stream that the tool passes on. For most tools it is a settled record; the
# scheduler takes URLs, which its pipeline settles, and link-check prints links.
good() {
  if [[ $1 == politeness-sched || $1 == link-check ]]; then
    printf 'http://h%s.example/' "$2"
  else
    printf 'http://h%s.example/\tx=%s\toutcome=not-found' "$2" "$2"
  fi
}

# with_pipes TOOL: starts the tool between two pipes, 7 to write to and 8 to read from, with its number in `pid`; gives
# it one line.
with_pipes() {
  mkfifo to from
  as_filter "$1" <to >from 2>err &
  pid=$!
  exec 7>to 8<from
  { good "$1" 1; echo; } >&7
}

# Tools that pass settled records unchanged. The scheduler is not among them, since records end there.
FILTERS=(url-normalize url-filter robots-check fetch extract-links extract-items extract-text dedupe records)

# each CHECK TOOL...: runs `CHECK TOOL` for each tool in a folder of its own; names those that fail.
each() {
  local check=$1 tool failed=()
  shift
  for tool; do
    mkdir -p "$BATS_TEST_TMPDIR/$tool"
    # This runs in the background because bash turns errexit off in a command before ||.
    (
      cd "$BATS_TEST_TMPDIR/$tool" && mkdir -p cache && set -eE
      trap 'echo "# $tool: line $LINENO: $BASH_COMMAND"' ERR
      "$check" "$tool"
    ) &
    wait $! || failed+=("$tool")
  done
  ((${#failed[@]} == 0)) || { echo "breach by: ${failed[*]}"; return 1; }
}

# errexit ignores a command after !.
not() { ! "$@"; }

make_settle() {
  launch=()
  settle=$BATS_TEST_TMPDIR/settle
  printf '#!/bin/sh\nexec sed -u "s/$/\\toutcome=ok/"\n' >"$settle"
  chmod +x "$settle"
}

setup() { make_settle; }
