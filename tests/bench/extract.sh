#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-links as a whole process on real pages, beside the limit (memchr of every '<') and its peers in Debian, in one
# run: GB/s of user and system CPU time, the best of several, as ratios.
#
#   tests/bench/extract.sh [ROUNDS]      (7)
#
# Input: the 258 pages of ../shared/data/html/pages.tar.gz, 25 MB, four times over, as files and as records that carry
# them as body=: dense pages of 2012. Then, if present, 400 of the pages of 2025 in ../shared/data/text, 97 MB. Peers
# (libxml2's SAX parser, gumbo) print a[href] by tests/bench/extract_peers.cc. The cost of a page depends on its tags,
# not its bytes, so the bytes a tag are printed with the input.
#
# In one run on two cores under a load of 20: a[href] 0.88 GB/s on the dense pages (57 bytes a tag), 1.74 on those of
# today (126); everything with text 0.69 and 1.09; libxml2 0.16 and 0.20, memchr 2.5 and 3.5. By instructions
# (callgrind), which no load changes: a[href] 10.6 a byte of dense pages and 4.5 of those of today, everything 13.9 and
# 9.4.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
rounds=${1:-7}
pages=$data/html/pages.tar.gz
need "$pages"
need_tools extract-links bench-extract_peers || exit 1

tar -xzf "$pages" -C "$work"

# measure NAME COMMAND...: makes one run; its CPU seconds count if they are the least so far.
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
  awk -v name="$1" -v t="${least[$1]}" -v bytes="$bytes" -v limit="${least["${prefix}memchr('<')"]}" -v n="${#files[@]}" 'BEGIN {
    printf "%-38s %7.3f s %7.3f GB/s %8.1f us/page %6.3f of memchr\n",
      name, t, bytes / t / 1e9, t / n * 1e6, limit / t }'
}

peers=$SPINNERET_BIN/bench-extract_peers
extract=("$SPINNERET_BIN/extract-links" --base=http://e.example/d/p)

# corpus NAME PREFIX FILE...: measures everything on these files, in rows whose names begin with PREFIX.
corpus() {
  local name=$1 prefix=$2 tags round
  shift 2
  files=("$@")
  bytes=$(cat -- "${files[@]}" | wc -c)
  tags=$(cat -- "${files[@]}" | LC_ALL=C grep -ao '<[/A-Za-z]' | wc -l)
  least=()
  names=()
  echo "$name: ${#files[@]} pages, $bytes bytes, $((bytes / tags)) bytes a tag"
  # The commands take turns, so that other work on the machine affects all of them.
  for ((round = 0; round < rounds; round++)); do
    measure "${prefix}memchr('<')" "$peers" memchr "${files[@]}"
    measure "${prefix}extract-links, a[href]" "${extract[@]}" --only=a@href "${files[@]}"
    measure "${prefix}extract-links, a[href], URLs alone" "${extract[@]}" --only=a@href --fields=url "${files[@]}"
    measure "${prefix}extract-links, what leads to pages" "${extract[@]}" "${files[@]}"
    measure "${prefix}extract-links, all with text" "${extract[@]}" --only=all "${files[@]}"
    [[ ! -e $work/records ]] || measure "${prefix}extract-links, records, default" "$SPINNERET_BIN/extract-links" "$work/records"
  done
  for peer in libxml2 gumbo; do
    status=0
    "$peers" "$peer" "${files[0]}" >/dev/null || status=$?
    if ((status == 3)); then
      echo "$peer: not installed"
    else
      measure "$prefix$peer, a[href]" "$peers" "$peer" "${files[@]}"
    fi
  done
  for name in "${names[@]}"; do report "$name"; done
}

mapfile -t once < <(find "$work" -type f -name '*.html' | sort)
dense=("${once[@]}" "${once[@]}" "${once[@]}" "${once[@]}")
for file in "${dense[@]}"; do
  # The page as a record escapes it; all pages have the same URL.
  printf 'http://e.example/d/p\ttype=text/html\tbody='
  sed -z -e 's/\\/\\\\/g; s/\t/\\t/g; s/\n/\\n/g; s/\r/\\r/g' "$file" | sed -z '$ s/\x00$//' | tr -d '\0'
  printf '\toutcome=ok\n'
done >"$work/records"
corpus 'dense pages' '' "${dense[@]}"
rm "$work/records"
today=$data/text/wcxb-dev.tar.xz
if [[ -e $today ]]; then
  mkdir "$work/today"
  tar -xJf "$today" -C "$work/today"
  mapfile -t files < <(find "$work/today" -type f -name '*.html' | sort | head -n 400)
  corpus 'pages of today' 'today, ' "${files[@]}"
fi
