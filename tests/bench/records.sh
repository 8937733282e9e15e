#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# records as a whole process, beside grep, which a page's words can fool, and awk: records/s of user and system CPU
# time; also jq and miller, where they are installed.
#
#   tests/bench/records.sh [RECORDS]      (1000000: two links and a result of three)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need_tools records || exit 1
lines=${1:-1000000}
awk -v n="$lines" 'BEGIN {
  for (i = 0; i < n; i++)
    if (i % 3 == 2)
      printf "http://host%d.example/page/%d\tdepth=2\tstatus=%d\ttype=text/html\tcharset=utf-8\tsize=%d\tdigest=sha256:0123456789abcdef%d\ttime-ms=12\tip=192.0.2.7\toutcome=%s\n", i % 97, i, i % 7 ? 200 : 404, i, i, i % 7 ? "ok" : "not-found"
    else printf "http://host%d.example/page/%d\tdepth=2\tvia=http://host%d.example/\ttag=a@href\ttext=Some words of a link\n", i % 97, i, i % 97 }' >"$work/in"
figure() { # NAME COMMAND...
  local name=$1 seconds
  shift
  seconds=$(least_cpu 5 "$work/in" "$@")
  awk -v name="$name" -v n="$lines" -v t="$seconds" 'BEGIN { printf "%-44s %6.2f M records/s\n", name, n / t / 1e6 }'
}
figure 'cat' cat
# With /dev/null as its output grep would print nothing, and stop at the first match.
all_by_grep() { grep outcome=ok >"$work/by-grep"; }
figure 'grep outcome=ok' all_by_grep
figure "awk -F'\\t', last field" awk -F'\t' '$NF == "outcome=ok"'
! command -v jq >/dev/null || {
  records --json <"$work/in" >"$work/json"
  json() { jq -c "$1" <"$work/json"; }
  figure "jq, of JSON Lines" json 'select(.outcome == "ok")'
}
! command -v mlr >/dev/null || {
  sed 's/^/url=/' "$work/in" >"$work/dkvp"
  miller() { mlr --idkvp --ojson --ifs tab filter '$outcome == "ok"' "$work/dkvp"; }
  figure 'miller' miller
}
figure 'records' records
figure 'records --links' records --links
figure 'records --where outcome=ok' records --where outcome=ok
figure 'records --where outcome=ok and status<300' records --where 'outcome=ok and status<300 and type~^text/'
figure 'records --fields=url,status' records --fields=url,status
figure 'records --csv' records --csv --fields=url,status,type
figure 'records --count-by=outcome' records --count-by=outcome
