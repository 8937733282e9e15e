#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# url-normalize beside the line copier and the peers in Debian, in one run: user and system CPU time, the best of
# several, as ratios.
#
#   tests/bench/url-normalize.sh [ROUNDS]      (7)
#
# Input: ../shared/data/url/urls.txt.gz 25 times over, 2.2 M lines; relative links have one base. Peers (python3-w3lib,
# python3-url-normalize) run on the list once and are counted per line.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
rounds=${1:-7}
list=$data/url/urls.txt.gz
need "$list"
need_tools bench-linecopy url-normalize || exit 1

zcat "$list" >"$work/once"
for ((i = 0; i < 25; i++)); do cat "$work/once"; done >"$work/urls"
sed -nE 's#^https?://[^/]*/##p' "$work/urls" | grep -v '^[^/?]*:' >"$work/links"

lines=$(wc -l <"$work/urls")
copy=$(least_cpu "$rounds" "$work/urls" bench-linecopy)
report() { # NAME SECONDS LINES
  awk -v name="$1" -v t="$2" -v n="$3" -v copy="$copy" -v all="$lines" 'BEGIN {
    printf "%-34s %7.3f s %8.1f ns/line %8.2f M lines/s %6.3f of linecopy\n",
      name, t, t / n * 1e9, n / t / 1e6, (copy / all) / (t / n) }'
}

report linecopy "$copy" "$lines"
for profile in whatwg safe crawl aggressive roboto surt cdx; do
  report "url-normalize -p $profile" \
    "$(least_cpu "$rounds" "$work/urls" url-normalize -p "$profile")" "$lines"
done
report 'url-normalize --base, relative' \
  "$(least_cpu "$rounds" "$work/links" url-normalize -b https://example.com/a/b/c.html)" \
  "$(wc -l <"$work/links")"
report "url-normalize --get '{host}'" \
  "$(least_cpu "$rounds" "$work/urls" url-normalize --get '{host}')" "$lines"

once=$(wc -l <"$work/once")
peer() { # MODULE CODE-OF-ONE-LINE
  /usr/bin/python3 -c "import $1" 2>/dev/null || { echo "$1: not installed"; return; }
  report "$1" "$(cpu /usr/bin/python3 -c "
import sys
from $1 import $2 as f
for line in open(0, errors='surrogateescape'):
    try: print(f(line.rstrip('\n')))
    except Exception as error: print(error, file=sys.stderr)
" <"$work/once")" "$once"
}
peer w3lib.url canonicalize_url
peer url_normalize url_normalize
