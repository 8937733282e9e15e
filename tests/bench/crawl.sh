#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole crawl of a real documentation site on loopback, beside wget2, wget and httrack in one run.
#
#   tests/bench/crawl.sh [PEER...]      crawl wget2 wget httrack (default: all that are installed)
#
# Prints for each: wall time, pages (distinct 200s in the server's log), pages/s, CPU per page summed over
# all processes, pages lost (reachable but never asked for, by tests/loop/reachable.py), pages doubled.
# BENCH_DOCS: what the site is made of, PACKAGE:FOLDER.... scripts/setup bench installs the packages.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
export SPINNERET_BIN
BATS_TEST_TMPDIR=$(mktemp -d)
BATS_RUN_TMPDIR=$BATS_TEST_TMPDIR
# shellcheck source=tests/loop/site.bash
source "$root/tests/loop/site.bash"
trap 'stop_site; rm -rf -- "$BATS_TEST_TMPDIR"' EXIT

docs=$BATS_TEST_TMPDIR/docs
mkdir "$docs"
# Patterns: which version it is, each release of Debian says.
for package in ${BENCH_DOCS:-python3:html postgresql-doc-[0-9]*:html openjdk-[0-9]*-doc:api python-django-doc:html}; do
  from=$(compgen -G "/usr/share/doc/${package%%:*}/${package##*:}" | head -n 1) || continue
  package=${from#/usr/share/doc/} package=${package%%/*}
  ln -s "$from" "$docs/$package"
  start=$(cd "$from" && find . -maxdepth 2 -name index.html | sort | head -1)
  printf '<a href="%s/%s">%s</a>\n' "$package" "${start#./}" "$package" >>"$docs/index.html"
done
python3 "$root/tests/loop/reachable.py" "$docs" | sort >"$BATS_TEST_TMPDIR/reachable"
printf 'site: %s reachable pages\n' "$(wc -l <"$BATS_TEST_TMPDIR/reachable")"

run_peer() {
  local work=$BATS_TEST_TMPDIR/$1 url=http://127.0.0.1:$PORT/
  mkdir "$work"
  cd "$work"
  case $1 in
    crawl) "$root/scripts/crawl" --state=state --allow-private --delay=0 --per-host=16 --in-flight=64 "$url" >pages 2>progress ;;
    wget2) wget2 -q -r -l inf --max-threads=16 --tries=1 "$url" || true ;;
    wget) wget -q -r -l inf --tries=1 "$url" || true ;;
    httrack) httrack -q -O out -c16 -%c1000 -A0 -r1000 "$url" >/dev/null 2>&1 || true ;;
  esac
}

peers=("$@")
((${#peers[@]})) || peers=(crawl wget2 wget httrack)
printf '%-8s %8s %8s %9s %12s %6s %8s\n' peer wall-s pages pages/s cpu-us/page lost doubled
for peer in "${peers[@]}"; do
  [[ $peer == crawl ]] || command -v "$peer" >/dev/null || { printf '%-8s not installed\n' "$peer"; continue; }
  start_site "$docs"
  TIMEFORMAT='%R %U %S'
  read -r wall user system < <({ time run_peer "$peer" >/dev/null 2>&1; } 2>&1)
  pages=$(awk '$2 == 200 {print $4}' "$LOG" | sort -u | wc -l)
  lost=$(asked | sort -u | comm -23 "$BATS_TEST_TMPDIR/reachable" - | wc -l)
  doubled=$(asked | grep -v '^/robots.txt$' | sort | uniq -d | wc -l)
  awk -v peer="$peer" -v w="$wall" -v u="$user" -v s="$system" -v p="$pages" -v l="$lost" -v d="$doubled" \
    'BEGIN { printf "%-8s %8.2f %8d %9.0f %12.0f %6d %8d\n", peer, w, p, p / w, (u + s) / p * 1e6, l, d }'
  stop_site
  mv "$LOG" "$LOG.$peer"
done
