#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# frontier_killed.sh [URLS [HOSTS]]: fills a large frontier, kills it during puts and opens it again. By default there
# are 50 million URLs over a million hosts: some 15 minutes on two idle cores, and 5 GB in TMPDIR.
#
#   puts     as in bench-frontier, a line at 1, 2, 5, 10 ... million; after the last it kills itself with SIGKILL
#   open     the state that was left, a line by hosts
#   pops     a half of them, at most a million
#   bytes    of the files for each URL, once nothing is left to merge; disk: the most that was in the folder
#
# By default, on two idle cores: put 8.0 us of CPU in the first million and 11.8 in the last thirty (6.8 in its own
# thread), opened in .88 s, popped at 25 us (next 17), 41.4 bytes a URL, 535 MB of memory while it was filled.
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
source "${BASH_SOURCE[0]%/*}/measure.bash"
need_tools bench-frontier
urls=${1:-50000000} hosts=${2:-1000000}
state=$work/state most=0

size() { du -s --block-size=1M "$work" 2>/dev/null | cut -f 1; }

bench-frontier "$state" "$urls" "$hosts" 1000 killed &
filling=$!
while kill -0 "$filling" 2>/dev/null; do
  now=$(size) || true
  ((most = now > most ? now : most, 1))
  sleep 1
done
status=0
wait "$filling" || status=$?
((status == 128 + 9)) || { echo "${0##*/}: bench-frontier ended with status $status" >&2; exit 1; }
sync -f "$work"
bench-frontier "$state" 0
echo "disk     $most MB at the most until it was killed, $(size) MB at the end, load $(cut -d ' ' -f 1 /proc/loadavg)"
