#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A whole crawl of a real documentation site on loopback, beside wget2, wget and httrack in one run.
#
#   tests/bench/crawl.sh [PEER...]      crawl wget2 wget httrack (default: all that are installed)
#   tests/bench/crawl.sh start          from the command to its first request, in ms: the median of 15
#   tests/bench/crawl.sh hosts          what silent and slow hosts cost good ones: wall time until the last good page
#
# Prints for each: wall time, time until the last page, pages (distinct 200s in the server's log), pages/s until then,
# CPU per page summed over all processes, pages lost (reachable but never asked for, by tests/loop/reachable.py), pages
# doubled. The crawl's wall time includes its patience with a dead host that the manuals name, which others ask once.
# BENCH_DOCS names the site's parts as PACKAGE:FOLDER.... scripts/setup bench installs the packages.
set -euo pipefail

root=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${SPINNERET_BIN:=$root/build/bin}"
export SPINNERET_BIN
BATS_TEST_TMPDIR=$(mktemp -d)
BATS_RUN_TMPDIR=$BATS_TEST_TMPDIR
# shellcheck source=tests/loop/site.bash
source "$root/tests/loop/site.bash"
crowd=
trap 'stop_site; [[ -z $crowd ]] || kill "$crowd"; rm -rf -- "$BATS_TEST_TMPDIR"' EXIT

# hosts FIRST COUNT PORT: prints seeds, one a line.
hosts() { for ((host = 0; host < $2; ++host)); do echo "http://127.$1.$((host / 250)).$((host % 250 + 1)):$3/"; done; }

# beside NAME GOOD PAGES [COUNT SITE.py [ARGUMENT]...]: crawls GOOD hosts of that many pages beside COUNT others, which
# come first. Prints the time from the start until the last good answer, and the CPU of the whole crawl, which is the
# part that is not waiting: a silent host costs fetch 81 us, two thirds of it in the kernel. Sets `took`.
beside() {
  local name=$1 good=$2 pages=$3 others=${4-0} seen started
  mkdir "$BATS_TEST_TMPDIR/$name"
  : >"$BATS_TEST_TMPDIR/$name/seeds"
  if ((others != 0)); then
    coproc CROWD { exec python3 "$root/tests/support/$5" "${@:6}"; }
    crowd=$CROWD_PID
    read -r port <&"${CROWD[0]}"
    hosts 1 "$others" "$port" >"$BATS_TEST_TMPDIR/$name/seeds"
  fi
  hosts 2 "$good" "$PORT" >>"$BATS_TEST_TMPDIR/$name/seeds"
  seen=$(wc -l <"$LOG") started=$EPOCHREALTIME
  TIMEFORMAT='%U %S'
  { time { (cd "$BATS_TEST_TMPDIR/$name" && exec "$root/scripts/crawl" --state=state --allow-private --delay=0 --in-flight=64 \
    --max-depth=$((pages - 1)) --max-time="${BENCH_TIME:-15}s" seeds >pages 2>progress) || true; }; } 2>"$BATS_TEST_TMPDIR/$name/cpu"
  [[ -z $crowd ]] || { kill "$crowd"; wait "$crowd" 2>/dev/null || true; }
  crowd=
  took=$(tail -n +$((seen + 1)) "$LOG" | awk -v from="$started" '$1 > to { to = $1 } END { printf "%.2f", to - from }')
  printf '%-16s %8s s %6s s CPU %8d of %d requests' "$name" "$took" "$(awk '{ print $1 + $2 }' "$BATS_TEST_TMPDIR/$name/cpu")" \
    $(($(wc -l <"$LOG") - seen)) $((good * (pages + 1)))
}

if [[ ${1-} == hosts ]]; then
  docs=$BATS_TEST_TMPDIR/docs
  mkdir "$docs"
  for page in {1..100}; do echo "<a href=\"/p$((page + 1)).html\">next</a>" >"$docs/p$page.html"; done
  cp "$docs/p1.html" "$docs/index.html"
  start_site "$docs"
  for form in "100 100 100" "1000 10 1000"; do
    read -r good pages others <<<"$form"
    beside "$good-alone" "$good" "$pages" && echo
    alone=$took
    for crowd_of in "silent silentsite.py $others" "slow moodysite.py $BATS_TEST_TMPDIR/slow.log --pages=5 --slow=2"; do
      read -r name site arguments <<<"$crowd_of"
      # shellcheck disable=SC2086 # words
      beside "$good-beside-$name" "$good" "$pages" "$others" "$site" $arguments
      awk -v one="$alone" -v two="$took" 'BEGIN { printf "  %+.1f %%\n", (two / one - 1) * 100 }'
    done
  done
  exit
fi

if [[ ${1-} == start ]]; then
  mkdir "$BATS_TEST_TMPDIR/docs"
  start_site "$BATS_TEST_TMPDIR/docs"
  for run in {1..15}; do
    : >"$LOG"
    started=$EPOCHREALTIME
    "$root/scripts/crawl" -q --state="$BATS_TEST_TMPDIR/$run" --allow-private --delay=0 "http://127.0.0.1:$PORT/" >/dev/null
    awk -v from="$started" 'NR == 1 { printf "%.0f\n", ($1 - $5 - from) * 1000 }' "$LOG"
  done | sort -n | awk '{ took[NR] = $1 } END { printf "first request after %d ms (%d to %d)\n", took[8], took[1], took[15] }'
  exit
fi

docs=$BATS_TEST_TMPDIR/docs
mkdir "$docs"
# The names are patterns, since versions depend on the Debian release.
for package in ${BENCH_DOCS:-python3:html postgresql-doc-[0-9]*:html openjdk-[0-9]*-doc:api python-django-doc:html}; do
  from=$(compgen -G "/usr/share/doc/${package%%:*}/${package##*:}" | head -n 1) || continue
  package=${from#/usr/share/doc/} package=${package%%/*}
  ln -s "$from" "$docs/$package"
  start=$(cd "$from" && find . -maxdepth 2 -name index.html | sort | head -1)
  printf '<a href="%s/%s">%s</a>\n' "$package" "${start#./}" "$package" >>"$docs/index.html"
done
python3 "$root/tests/loop/reachable.py" "$docs" | sort >"$BATS_TEST_TMPDIR/reachable"
printf 'site: %s reachable pages\n' "$(wc -l <"$BATS_TEST_TMPDIR/reachable")"

most=240  # seconds, for a peer that waits for an answer for ever, as httrack sometimes does
run_peer() {
  local url=http://127.0.0.1:$PORT/
  cd "$(mktemp -d "$BATS_TEST_TMPDIR/$1.XXXXXX")"
  case $1 in
    # Status 3: hosts were given up, such as one on another port that the manuals use as an example.
    crawl) "$root/scripts/crawl" --state=state --allow-private --delay=0 --per-host=16 --in-flight=64 "$url" >pages 2>progress || (($? == 3)) ;;
    wget2) timeout "$most" wget2 -q -r -l inf --max-threads=16 --tries=1 "$url" || true ;;
    wget) timeout "$most" wget -q -r -l inf --tries=1 "$url" || true ;;
    httrack) timeout -k 5 "$most" httrack -q -O out -c16 -%c1000 -A0 -r1000 "$url" >/dev/null 2>&1 || true ;;
  esac
}

peers=("$@")
((${#peers[@]})) || peers=(crawl wget2 wget httrack)
printf '%-8s %8s %8s %8s %9s %12s %6s %8s\n' peer wall-s last-s pages pages/s cpu-us/page lost doubled
for peer in "${peers[@]}"; do
  [[ $peer == crawl ]] || command -v "$peer" >/dev/null || { printf '%-8s not installed\n' "$peer"; continue; }
  start_site "$docs"
  TIMEFORMAT='%R %U %S' started=$EPOCHREALTIME
  read -r wall user system < <({ time run_peer "$peer" >/dev/null 2>&1; } 2>&1)
  pages=$(awk '$2 == 200 {print $4}' "$LOG" | sort -u | wc -l)
  lost=$(asked | sort -u | comm -23 "$BATS_TEST_TMPDIR/reachable" - | wc -l)
  doubled=$(asked | grep -v '^/robots.txt$' | sort | uniq -d | wc -l)
  awk -v peer="$peer" -v w="$wall" -v u="$user" -v s="$system" -v p="$pages" -v l="$lost" -v d="$doubled" -v from="$started" \
    '$2 == 200 && $1 > to { to = $1 }
     END { to -= from; printf "%-8s %8.2f %8.2f %8d %9.0f %12.0f %6d %8d\n", peer, w, to, p, p / to, (u + s) / p * 1e6, l, d }' "$LOG"
  stop_site
  mv "$LOG" "$LOG.$peer"
done
