# SPDX-License-Identifier: Apache-2.0
# What the benchmarks of whole tools share, to be sourced: where things are ($root, $SPINNERET_BIN, first in PATH, and
# the real data in $data), a folder that goes away ($work), CPU seconds.
root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
export SPINNERET_BIN PATH=$SPINNERET_BIN:$PATH
data=$root/../shared/data
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# need FILE: the input; where it is not on this machine, there is nothing to do.
need() { [[ -r $1 ]] || { echo "no $1: nothing to measure with"; exit 0; }; }

# need_tools PROGRAM...: what is measured, or measures. cpu takes a program that is missing for one that is fast.
need_tools() {
  local tool status=0
  for tool in "$@"; do
    command -v "$tool" >/dev/null && continue
    echo "${0##*/}: $tool is missing: build it (ninja -C build $tool), or install its package" >&2
    status=1
  done
  return "$status"
}

# cpu COMMAND...: seconds of one run, user and system, so that other work on the machine does not count. What it
# prints goes nowhere. A status of 2 or more, trouble, is told beside the figure: what stops early looks fast.
cpu() {
  {
    TIMEFORMAT='%U %S'
    time "$@" >/dev/null 2>&1 && echo 0 || echo "$?"
  } 2>&1 | awk -v what="$1" 'NR == 1 { print $1 + $2 }
    NR == 2 && $1 > 1 { print "trouble: " what " ended with status " $1 >"/dev/stderr" }'
}

# least_cpu RUNS FILE COMMAND...: the least of so many runs with FILE as input
least_cpu() {
  local runs=$1 file=$2 run
  shift 2
  for ((run = 0; run < runs; run++)); do cpu "$@" <"$file"; done | sort -g | head -n 1
}
