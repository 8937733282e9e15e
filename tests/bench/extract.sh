#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-links as a whole process on real pages, beside the limit (memchr of every '<') and the peers in Debian, in
# one run: GB/s of user and system CPU time, best of several, as ratios.
#
#   tests/bench/extract.sh [ROUNDS]      (7)
#
# Input: the 258 pages of ../shared/data/html/pages.tar.gz, 25 MB, four times over; as files, and as records that
# carry them as body=. Peers (libxml2's SAX parser, gumbo) print a[href] by tests/bench/extract_peers.cc.
#
# On 2 cores shared by twenty other processes: memchr 1.39 GB/s (reading included), a[href] 0.23, what leads to pages
# 0.28, all with text 0.18, libxml2 0.055, gumbo 0.014: 0.17, 0.20, 0.13, 0.04 and 0.01 of memchr.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
rounds=${1:-7}
pages=$root/../shared/data/html/pages.tar.gz
[[ -r $pages ]] || { echo "no $pages: nothing to measure with"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

tar -xzf "$pages" -C "$work"
mapfile -t files < <(find "$work" -type f -name '*.html' | sort)
files=("${files[@]}" "${files[@]}" "${files[@]}" "${files[@]}")
bytes=$(cat -- "${files[@]}" | wc -c)
for file in "${files[@]}"; do
  # The record's escapes; one URL stands for all of them.
  printf 'http://e.example/d/p\ttype=text/html\tbody='
  sed -z -e 's/\\/\\\\/g; s/\t/\\t/g; s/\n/\\n/g; s/\r/\\r/g' "$file" | sed -z '$ s/\x00$//' | tr -d '\0'
  printf '\toutcome=ok\n'
done >"$work/records"

# `cpu COMMAND...`: the least CPU seconds of a run.
cpu() {
  local i
  for ((i = 0; i < rounds; i++)); do
    { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 || true
  done | awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}
report() { # NAME SECONDS
  awk -v name="$1" -v t="$2" -v bytes="$bytes" -v limit="$limit" -v n="${#files[@]}" 'BEGIN {
    printf "%-34s %7.3f s %7.3f GB/s %8.1f us/page %6.3f of memchr\n",
      name, t, bytes / t / 1e9, t / n * 1e6, limit / t }'
}

echo "${#files[@]} pages, $bytes bytes"
peers=$SPINNERET_BIN/bench-extract_peers
limit=$(cpu "$peers" memchr "${files[@]}")
report "memchr('<')" "$limit"
extract=("$SPINNERET_BIN/extract-links" --base=http://e.example/d/p)
report 'extract-links, a[href]' "$(cpu "${extract[@]}" --only=a@href "${files[@]}")"
report 'extract-links, what leads to pages' "$(cpu "${extract[@]}" "${files[@]}")"
report 'extract-links, all with text' "$(cpu "${extract[@]}" --only=all "${files[@]}")"
report 'extract-links, records, default' "$(cpu "$SPINNERET_BIN/extract-links" "$work/records")"
for peer in libxml2 gumbo; do
  rounds=1
  status=0
  "$peers" "$peer" "${files[0]}" >/dev/null || status=$?
  if ((status == 3)); then
    echo "$peer: not installed"
  else
    report "$peer, a[href]" "$(cpu "$peers" "$peer" "${files[@]}")"
  fi
done
