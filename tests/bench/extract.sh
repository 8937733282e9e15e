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
# On two busy cores: memchr 1.97 GB/s (reading included). Of that a[href] 0.25, its URLs alone 0.29, what leads to pages
# 0.25, all with text 0.20, from records 0.18, libxml2 0.05, gumbo 0.01.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
rounds=${1:-7}
pages=$data/html/pages.tar.gz
need "$pages"

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

# `measure NAME COMMAND...`: one run; its CPU seconds count where they are the least so far.
declare -A least=()
names=()
measure() {
  local name=$1 seconds
  shift
  seconds=$(cpu "$@")
  [[ -n ${least[$name]:-} ]] || names+=("$name")
  least[$name]=$(awk -v a="${least[$name]:-9e9}" -v b="$seconds" 'BEGIN { print a + 0 < b + 0 ? a : b }')
}
report() { # NAME
  awk -v name="$1" -v t="${least[$1]}" -v bytes="$bytes" -v limit="${least["memchr('<')"]}" -v n="${#files[@]}" 'BEGIN {
    printf "%-38s %7.3f s %7.3f GB/s %8.1f us/page %6.3f of memchr\n",
      name, t, bytes / t / 1e9, t / n * 1e6, limit / t }'
}

echo "${#files[@]} pages, $bytes bytes"
peers=$SPINNERET_BIN/bench-extract_peers
extract=("$SPINNERET_BIN/extract-links" --base=http://e.example/d/p)
# In turn, so that what else the machine does meets all of them.
for ((round = 0; round < rounds; round++)); do
  measure "memchr('<')" "$peers" memchr "${files[@]}"
  measure 'extract-links, a[href]' "${extract[@]}" --only=a@href "${files[@]}"
  measure 'extract-links, a[href], URLs alone' "${extract[@]}" --only=a@href --fields=url "${files[@]}"
  measure 'extract-links, what leads to pages' "${extract[@]}" "${files[@]}"
  measure 'extract-links, all with text' "${extract[@]}" --only=all "${files[@]}"
  measure 'extract-links, records, default' "$SPINNERET_BIN/extract-links" "$work/records"
done
for peer in libxml2 gumbo; do
  status=0
  "$peers" "$peer" "${files[0]}" >/dev/null || status=$?
  if ((status == 3)); then
    echo "$peer: not installed"
  else
    measure "$peer, a[href]" "$peers" "$peer" "${files[@]}"
  fi
done
for name in "${names[@]}"; do report "$name"; done
