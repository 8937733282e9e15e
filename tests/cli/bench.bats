#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/bench: it makes one table from the output of every benchmark, and keeps a history. No figure is judged here.

load helper

bench=$SPINNERET_ROOT/scripts/bench

setup() {
  [[ -x $SPINNERET_BIN/bench-linecopy ]] || skip "no benchmarks were built"
  # Programs that print what tests/bench prints, and take no time.
  mkdir bin
  cat >bin/bench-frontier <<'SH'
#!/bin/sh
echo "plain        200000 in    1.00 s     200000/s  cpu   ${PLAIN:-1.00} us each, of one thread   1.00  rss   43.7 MB"
echo "puts         200000 in    9.99 s      20000/s  cpu   0.50 us each, of one thread   0.40  rss   80.3 MB"
echo "puts         300000 in    9.99 s      20000/s  cpu   0.75 us each, of one thread   0.40  rss   80.3 MB"
echo "disk     72.4 bytes a URL"
SH
  cat >bin/bench-html <<'SH'
#!/bin/sh
echo "200 pages, 5.1 MB"
echo "memchr('<')                     4.000 GB/s    1.000 of memchr    178005 found"
echo "a[href], no text                1.000 GB/s    0.141 of memchr     12002 found"
echo "a[href], no text                2.000 GB/s    0.141 of memchr     12002 found"
SH
  chmod +x bin/*
  cp "$SPINNERET_BIN/bench-linecopy" bin/
  export SPINNERET_BIN=$PWD/bin XDG_STATE_HOME=$PWD/state
}

# rows: prints name, figure, ratio and change of each line of the table.
rows() { tail -n +2 | awk '{ $1 = ""; print }' | sed 's/^ //'; }

@test "a row a figure, with its ratio to the baseline; of rounds the best one counts" {
  run -0 "$bench" --quick html frontier
  diff <(rows <<<"$output") - <<'ROWS'
memchr('<') 4 GB/s 1.000
a[href], no text 2 GB/s 0.500
plain 1 µs CPU 1.000
puts to 0.2 M 0.5 µs CPU 0.500
puts to 0.5 M 0.75 µs CPU 0.750
ROWS
}

@test "the next run says how far each ratio has moved, quick ones beside quick ones" {
  run -0 "$bench" --quick frontier
  PLAIN=2.00 run -0 "$bench" --quick frontier
  [[ $(rows <<<"$output") == *'plain 2 µs CPU 1.000 +0 %'* ]]
  [[ $(rows <<<"$output") == *'puts to 0.2 M 0.5 µs CPU 0.250 -50 %'* ]]
  run -0 "$bench" frontier
  [[ $output != *%* ]]
  (($(wc -l <state/spinneret/bench.tsv) == 9))
  run awk -F'\t' 'NF != 9' state/spinneret/bench.tsv
  [[ -z $output ]]
}

@test "bug: a row was measured of a tool that was not there" {
  for name in text select; do
    mkdir -p empty
    run -1 env SPINNERET_BIN="$PWD/empty" PATH="$PWD/empty:/usr/bin:/bin" "$SPINNERET_ROOT/tests/bench/$name.sh"
    [[ $output == *"$name.sh: extract-"*' is missing: build it'* && $output != *MB/s* ]]
  done
}

@test "a benchmark that fails is named, with where its words are, and the others run" {
  printf '#!/bin/sh\necho broken >&2; exit 3\n' >bin/bench-html
  run -1 "$bench" --quick html frontier
  [[ $output == *"html           failed: see $PWD/state/spinneret/html.txt"* && $output == *puts* ]]
  grep -q broken state/spinneret/html.txt
}

@test "every benchmark script is run by one of them" {
  local file name
  for file in "$SPINNERET_ROOT"/tests/bench/*.sh; do
    [[ $file != */proofs.sh ]] || continue  # it holds promises against limits: there is no figure to compare
    [[ $file != */frontier_killed.sh ]] || continue  # it is run by hand: it takes a quarter of an hour and 5 GB
    grep -qF "tests/bench/${file##*/}" "$bench" || { echo "$file is not run"; false; }
  done
  run -2 "$bench" nosuch
  [[ $output == *'no benchmark nosuch; there are: url-normalize'* ]]
  run -0 "$bench" --list
  for name in $(awk '{ print $1 }' <<<"$output"); do grep -q "^run_$name()" "$bench"; done
}
