#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-items: reading and matching in memory with 10 selectors (bench-select), and as a whole process beside
# extract-links, on 258 dense pages and on those of today.
#
#   tests/bench/select.sh [PAGES]      (400 of ../shared/data/text)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need "$data/html/pages.tar.gz"
need "$data/text/wcxb-dev.tar.xz"
mkdir "$work/dense" "$work/today"
tar -xzf "$data/html/pages.tar.gz" -C "$work/dense"
tar -xJf "$data/text/wcxb-dev.tar.xz" -C "$work/today"
cat >"$work/plain" <<'END'
article h1
.product > .price
#content p
a.title[href]
ul.nav li
img[src^="http"]
table td:first-child
h2 + p
div.item:not(.hidden) span
[itemprop="name"]
END
sed 's/^article h1$/div:has(> a[href]) h2/; s/^ul.nav li$/li:last-child/' "$work/plain" >"$work/ahead"
items=()
while read -r selector; do items+=(--field="f${#items[@]}=$selector"); done <"$work/plain"
for set in dense today; do
  mapfile -t files < <(find "$work/$set" -type f -name '*.html' | sort | head -n "${1:-400}")
  bytes=$(cat -- "${files[@]}" | wc -c)
  for kind in plain ahead; do
    printf '%s, %s: ' "$set" "$kind"
    "$SPINNERET_BIN/bench-select" speed "$work/$kind" "${files[@]}"
  done
  for tool in "extract-items ${#items[@]} fields" "extract-links"; do
    words=(--base=http://e.example/d/p)
    [[ $tool == extract-links ]] || words+=("${items[@]}")
    for ((run = 0; run < 3; run++)); do cpu "${tool%% *}" "${words[@]}" "${files[@]}"; done | sort -g | head -n 1 |
      awk -v what="$set, $tool" -v n="$bytes" '{ printf "%s: %.0f MB/s\n", what, n / $1 / 1e6 }'
  done
done
