#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# url-normalize against the line copier, and beside the peers in Debian, in one run: user and system CPU
# time, best of several, as ratios.
#
#   tests/bench/url-normalize.sh [ROUNDS]      (7)
#
# Input: ../shared/data/url/urls.txt.gz 25 times over, 2.2 M lines; its links relative to one base.
# Peers (python3-w3lib, python3-url-normalize) run on the list once, and count per line.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
rounds=${1:-7}
list=$root/../shared/data/url/urls.txt.gz
[[ -r $list ]] || { echo "no $list: nothing to measure with"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

zcat "$list" >"$work/once"
for ((i = 0; i < 25; i++)); do cat "$work/once"; done >"$work/urls"
sed -nE 's#^https?://[^/]*/##p' "$work/urls" | grep -v '^[^/?]*:' >"$work/links"

# `cpu FILE COMMAND...`: the least CPU seconds of a run with FILE as input.
cpu() {
  local file=$1
  shift
  for ((i = 0; i < rounds; i++)); do
    { TIMEFORMAT='%U %S'; time "$@" <"$file" >/dev/null 2>&1; } 2>&1 || true
  done | awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}

lines=$(wc -l <"$work/urls")
copy=$(cpu "$work/urls" "$SPINNERET_BIN/bench-linecopy")
report() { # NAME SECONDS LINES
  awk -v name="$1" -v t="$2" -v n="$3" -v copy="$copy" -v all="$lines" 'BEGIN {
    printf "%-34s %7.3f s %8.1f ns/line %8.2f M lines/s %6.3f of linecopy\n",
      name, t, t / n * 1e9, n / t / 1e6, (copy / all) / (t / n) }'
}

report linecopy "$copy" "$lines"
for profile in whatwg safe crawl aggressive roboto surt; do
  report "url-normalize -p $profile" \
    "$(cpu "$work/urls" "$SPINNERET_BIN/url-normalize" -p "$profile")" "$lines"
done
report 'url-normalize --base, relative' \
  "$(cpu "$work/links" "$SPINNERET_BIN/url-normalize" -b https://example.com/a/b/c.html)" \
  "$(wc -l <"$work/links")"
report "url-normalize --get '{host}'" \
  "$(cpu "$work/urls" "$SPINNERET_BIN/url-normalize" --get '{host}')" "$lines"

once=$(wc -l <"$work/once")
rounds=1
peer() { # MODULE CODE-OF-ONE-LINE
  /usr/bin/python3 -c "import $1" 2>/dev/null || { echo "$1: not installed"; return; }
  report "$1" "$(cpu "$work/once" /usr/bin/python3 -c "
import sys
from $1 import $2 as f
for line in open(0, errors='surrogateescape'):
    try: print(f(line.rstrip('\n')))
    except Exception as error: print(error, file=sys.stderr)
")" "$once"
}
peer w3lib.url canonicalize_url
peer url_normalize url_normalize
