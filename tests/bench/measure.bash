# SPDX-License-Identifier: Apache-2.0
# What benchmarks of whole tools share; they source this: where things are ($root; $SPINNERET_BIN, first in PATH; the
# real data in $data), a temporary folder ($work), CPU seconds.
root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
export SPINNERET_BIN PATH=$SPINNERET_BIN:$PATH
data=$root/../shared/data
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# need FILE: ends the benchmark where this input is missing.
need() { [[ -r $1 ]] || { echo "no $1: nothing to measure with"; exit 0; }; }

# need_tools PROGRAM...: checks that these exist, since cpu would take a missing program for a fast one.
need_tools() {
  local tool status=0
  for tool in "$@"; do
    command -v "$tool" >/dev/null && continue
    echo "${0##*/}: $tool is missing: build it (ninja -C build $tool), or install its package" >&2
    status=1
  done
  return "$status"
}

# cpu COMMAND...: prints the seconds of one run, user and system, so that other work on the machine does not count. Its
# output is discarded. A status of 2 or more (trouble) is reported, since a program that stops early looks fast.
cpu() {
  {
    TIMEFORMAT='%U %S'
    time "$@" >/dev/null 2>&1 && echo 0 || echo "$?"
  } 2>&1 | awk -v what="$1" 'NR == 1 { print $1 + $2 }
    NR == 2 && $1 > 1 { print "trouble: " what " ended with status " $1 >"/dev/stderr" }'
}

# least_cpu RUNS FILE COMMAND...: prints the least of that many runs with FILE as input.
least_cpu() {
  local runs=$1 file=$2 run
  shift 2
  for ((run = 0; run < runs; run++)); do cpu "$@" <"$file"; done | sort -g | head -n 1
}
