#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/crawl promises, measured on a generated site (bench-site_server; every address of 127/8 is a host):
#
#   tests/bench/proofs.sh memory   memory of all stages together from 10,000 to PAGES (1,000,000) pages
#   tests/bench/proofs.sh hosts    50 hosts of 30 pages at 0.5 s delay: wall time beside the ideal
#   tests/bench/proofs.sh kill     kill -9 of a random stage, KILLS (10) times, on the documentation site:
#                                  the set of pages is that of a crawl left in peace
#
# Takes minutes; prints tables. Needs a build with SPINNERET_BENCH=ON in BUILD (build).
set -euo pipefail

root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${BUILD:=$root/build}" "${PAGES:=1000000}" "${KILLS:=10}"
export SPINNERET_BIN=$BUILD/bin
work=$(mktemp -d)
server=''
finish() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  [[ -z ${SITE_PID-} ]] || kill "$SITE_PID" 2>/dev/null || true
  rm -rf -- "$work"
}
trap finish EXIT
cd "$work"

serve() {
  mkfifo port
  "$BUILD/bin/bench-site_server" "$1" >port &
  server=$!
  read -r PORT <port
}

crawl() { "$root/scripts/crawl" --state=state --allow-private "$@"; }

# Prints PSS in MiB, in which shared pages count once: the sum over the session's processes, then the largest three.
memory_line() {
  local pid name pss
  for pid in $(pgrep -s "$1"); do
    { read -r name <"/proc/$pid/comm" && pss=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup"); } 2>/dev/null || continue
    printf '%s %s\n' "${pss:-0}" "$name"
  done | sort -rn | awk '{ sum += $1; if (NR <= 3) names = names sprintf("  %s %.0f", $2, $1 / 1024) }
    END { printf "%7.1f %s\n", sum / 1024, names }'
}

memory() {
  serve "$PAGES"
  printf '%10s %8s %9s  largest\n' pages seconds MiB
  setsid "$root/scripts/crawl" --state=state --allow-private --delay=0 --per-host=16 \
    "http://127.0.0.1:$PORT/" >pages 2>progress &
  local group=$! began=$SECONDS goal=10000 count
  while kill -0 "$group" 2>/dev/null; do
    sleep 0.5
    count=$(wc -l <pages)
    ((count >= goal)) || continue
    printf '%10d %8d %s\n' "$count" $((SECONDS - began)) "$(memory_line "$group")"
    while ((goal <= count)); do goal=$((goal < 100000 ? goal + 30000 : goal + 100000)); done
  done
  wait "$group" || true
  tail -2 progress
  printf 'pages: %d of %d, doubled: %d\n' "$(cut -f1 pages | sort -u | wc -l)" "$((PAGES + 1))" "$(cut -f1 pages | sort | uniq -d | wc -l)"
}

hosts() {
  local host seeds=() began ended
  serve 30
  for host in {2..51}; do seeds+=("http://127.0.0.$host:$PORT/a"); done
  began=$(date +%s%N)
  crawl --delay=500ms "${seeds[@]}" >pages 2>progress
  ended=$(date +%s%N)
  # robots.txt and thirty pages make thirty gaps.
  awk -v pages="$(wc -l <pages)" -v took=$(((ended - began) / 1000000)) \
    'BEGIN { ideal = 30 * 500; printf "%d pages of 50 hosts in %d ms, ideal %d ms: %.1f %% over\n", pages, took, ideal, (took / ideal - 1) * 100 }'
}

kill_stages() {
  BATS_TEST_TMPDIR=$work BATS_RUN_TMPDIR=$work
  # shellcheck source=tests/loop/site.bash
  source "$root/tests/loop/site.bash"
  local package from stages=(fetch extract-links url-normalize dedupe url-filter robots-check) killed=0 stage
  mkdir docs
  for from in /usr/share/doc/{python3,postgresql-doc-[0-9]*,python-django-doc}/html /usr/share/doc/openjdk-[0-9]*-doc; do
    [[ -d $from ]] || continue
    package=${from#/usr/share/doc/} package=${package%%/*}
    ln -s "$from" "docs/$package"
    (cd "$from" && find . -maxdepth 2 -name index.html | sort | head -1) | sed "s|^./|$package/|; s|.*|<a href=\"&\">&</a>|" >>docs/index.html
  done
  start_site "$work/docs"
  crawl --delay=0 --per-host=16 "http://127.0.0.1:$PORT/" 2>progress | cut -f1 | sort >peaceful
  mv state state.peaceful
  : >"$LOG"
  setsid "$root/scripts/crawl" --state=state --allow-private --delay=0 --per-host=16 "http://127.0.0.1:$PORT/" >pages 2>progress &
  local group=$! goal=500
  while ((killed < KILLS)) && kill -0 "$group" 2>/dev/null; do
    if (($(wc -l <"$LOG") < goal)); then
      sleep 0.01
      continue
    fi
    stage=${stages[RANDOM % ${#stages[@]}]}
    if pkill -9 -n -s "$group" -x "$stage"; then killed=$((killed + 1)); fi
    goal=$(($(wc -l <"$LOG") + 9000 / KILLS))
  done
  wait "$group"
  grep -o 'stage .* was killed by signal 9' progress | sort | uniq -c
  printf 'killed %d times; pages %d, of a crawl left in peace %d, different %d, asked twice %d\n' "$killed" \
    "$(cut -f1 pages | sort -u | wc -l)" "$(wc -l <peaceful)" \
    "$(cut -f1 pages | sort -u | comm -3 - peaceful | wc -l)" \
    "$(asked | grep -v '^/robots.txt$' | sort | uniq -d | wc -l)"
}

case ${1-} in
  memory) memory ;;
  hosts) hosts ;;
  kill) kill_stages ;;
  *) sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
