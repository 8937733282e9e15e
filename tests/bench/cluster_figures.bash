# SPDX-License-Identifier: Apache-2.0
# Figures of several machines, for `cluster.sh whole`, `three`, `takeover`, `added` and `backlog`, which sources this.
# Each prints the hoped-for value beside its figure.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

# Makes a fetcher with the latency of a far site and no other cost: each URL is answered MS later, with a link to page n
# + STEP. The time of each goes to the log (ns, CLOCK_MONOTONIC).
slots() {
  cat >slots.pl <<'EOF2'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
my ($ms, $pages, $step, $log) = @ARGV;
open my $times, '>>', $log or die;
$times->autoflush(1);
$| = 1;
my ($in, $open, @due) = ('', 1);
while ($open || @due) {
  my $now = clock_gettime(CLOCK_MONOTONIC);
  my $out = '';
  while (@due && $due[0][0] <= $now) {
    my ($url) = split /\t/, my $line = (shift @due)->[1];
    my $next = ($url =~ m{/(\d+)$})[0] + $step;
    $out .= sprintf "http://www.h%d.test/%d\tdepth=1\tvia=%s\n", $next % 997, $next, $url if $next < $pages;
    $out .= "$line\tstatus=200\toutcome=ok\n";
  }
  print $out if $out ne '';
  vec(my $ready = '', 0, 1) = 1;
  my $wait = @due ? $due[0][0] - $now : undef;
  $wait = 0 if defined $wait && $wait < 0;
  if (!$open) { select undef, undef, undef, $wait; next }
  next unless select $ready, undef, undef, $wait;
  $open = sysread STDIN, $in, 65536, length $in;
  $now = clock_gettime(CLOCK_MONOTONIC);
  printf $times "%d\n", $now * 1e9 and push @due, [$now + $ms / 1000, $1] while $in =~ s/^(.*)\n//;
}
EOF2
}
# rate PAGES <LOG: prints pages a second between a tenth and eight tenths of them, without the start and the long tail.
rate() { sort -n | awk -v pages="$1" 'NR == int(pages / 10) { first = $1 } NR == int(pages * 8 / 10) { printf "%.0f\n", pages * 0.7 / (($1 - first) / 1e9) }'; }

# node NAME PARTITIONS OPTION... -- COMMAND...: starts a machine in a session of its own; its pid is in $!.
node() {
  local name=$1 count=$2
  shift 2
  setsid politeness-sched "--cluster=$url" --partitions="$count" --partition-lease="$ttl" --node="$name" -q --state='s.{}' \
    --delay 0 --delay-factor 0 "$@" >>records 2>>said &
  pids+=($!)
}

three() {
  local pages=${size:-12000} turn p one three ttl=1s
  start_engine
  slots
  seeds_of "$pages"
  printf 'pages a second\tone scheduler\tthree machines\tratio\n'
  for turn in 1 2; do
    rm -rf s.* fetched_at
    politeness-sched --state s -q --delay 0 --delay-factor 0 --in-flight 64 seeds -- perl slots.pl 200 "$pages" $((pages / 4)) fetched_at >records
    (($(wc -l <fetched_at) == pages)) || { echo "pages: $(wc -l <fetched_at)"; exit 1; }
    one=$(rate "$pages" <fetched_at)
    rm -rf s s.* fetched_at
    url=$(url_of t$turn) pids=()
    for p in a b c; do node $p 3 --in-flight 64 seeds -- perl slots.pl 200 "$pages" $((pages / 4)) fetched_at; done
    wait "${pids[@]}"
    pids=()
    (($(wc -l <fetched_at) == pages)) || { echo "pages: $(wc -l <fetched_at)"; cat said; exit 1; }
    three=$(rate "$pages" <fetched_at)
    printf '200 ms latency, 64 slots each\t%d\t%d\t%s (2.7 at least)\n' "$one" "$three" "$(awk -v a="$one" -v b="$three" 'BEGIN { printf "%.2f", b / a }')"
  done
}

# Measures a whole crawl on one machine, all its programs, without a cluster and with that many partitions: what its
# start costs, and what a page costs after that. The site is not counted.
whole() {
  local pages=${size:-25000} few=1018 chains=509 turn with web n words TIMEFORMAT='%U %S'
  start_engine
  if [[ -n $filling ]]; then
    sed -E 's/ (href|src|srcset|action|cite)=/ data-\1=/g' -- "$filling" >page
    export PAGE=$PWD/page
  fi
  for n in $few "$pages"; do
    : >"web.$n"
    python3 "$root/tests/loop/manyhosts.py" 300 "$n" $chains "web.$n" >"port.$n" &
    pids+=($!)
    until [[ -s port.$n ]]; do kill -0 $!; sleep 0.05; done
    web=$(cat "port.$n")
    for ((turn = 0; turn < chains; turn++)); do echo "http://127.1.$((turn % 300 / 250)).$((turn % 300 % 250 + 1)):$web/p/$turn"; done >"seeds.$n"
  done
  for turn in 1 2; do
    for n in $few "$pages"; do
      for with in none 1 16; do
        rm -rf state && : >"web.$n"
        words=(--state="$work/state" --allow-private --scope=any --delay=0 --agent=x --contact=me@example.org -q)
        [[ $with == none ]] || words+=("--cluster=$(url_of "w$turn-$with-$n")" --partitions="$with" --partition-lease=5s)
        { time "$root/scripts/crawl" "${words[@]}" "seeds.$n" >/dev/null 2>said; } 2>"time.$n.$with.$turn"
        (($(grep -c ' /p/' "web.$n") == n)) || { echo "pages: $(grep -c ' /p/' "web.$n")"; cat said; exit 1; }
      done
    done
  done
  printf 'partitions\tCPU s, %d pages\t%d pages\tus/page behind the start\tbeside none\n' $few "$pages"
  for with in none 1 16; do
    printf '%s' "$with"
    for n in $few "$pages"; do cat time."$n".$with.* | awk '{ print $1 + $2 }' | sort -n | head -n 1 | sed 's/^/\t/' | tr -d '\n'; done
    echo
  done | awk -F'\t' -v pages=$((pages - few)) '{ us = ($3 - $2) / pages * 1e6; if (NR == 1) none = us
    printf "%s\t%.2f\t%.2f\t%.1f\t%+.1f %% (3 at most)\n", $1, $2, $3, us, (us / none - 1) * 100 }'
}

# machines_are N: whether that many have a lease.
machines_are() {
  if [[ ${ENGINE-} == postgresql ]]; then
    [[ $(pg_sql "SELECT count(*) FROM spinneret.lease WHERE crawl = 'bench' AND name LIKE 'node-%' AND until > now()") == "$1" ]]
  else
    [[ $("$client" -p "$port" --scan --pattern 'spinneret:{bench}:lease:node-*' | wc -l) == "$1" ]]
  fi
}
# Measures from the kill of a machine until another one fetches with its state. The lease runs out, and then the same
# time passes again.
takeover() {
  local urls=${size:-1000000} ttl=2s begun
  start_engine
  slots
  awk -v n="$urls" 'BEGIN { for (i = 0; i < n; i++) printf "http://www.h%d.test/some/path/of/usual/length/%d\n", i % int(n / 50 + 1), i }' |
    politeness-sched --state s.0 -q --delay 0 --max-pages 1 - -- perl slots.pl 0 0 0 first >records
  pids=()
  node a 1 --in-flight 4 -- perl slots.pl 200 0 0 fetched_at
  until [[ -s fetched_at ]]; do sleep 0.1; done
  node b 1 --in-flight 4 -- perl slots.pl 200 0 0 fetched_then
  # The other machine is there and waits.
  until machines_are 2; do sleep 0.1; done
  begun=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
  { kill -9 -- "-${pids[0]}" && wait "${pids[0]}" || true; } 2>/dev/null
  until [[ -s fetched_then ]]; do sleep 0.01; done
  printf 'take-over of URLs\tseconds\tof them leases\tabove\n%d\t' "$urls"
  awk -v begun="$begun" 'NR == 1 { s = $1 / 1e9 - begun / 1000; printf "%.2f\t4\t%.2f (1 at most)\n", s, s - 4 }' fetched_then
}

# holders MACHINES: prints each partition, its machine, epoch and pages, once all are held and that many machines share
# them.
holders() {
  { politeness-sched --cluster="$url" --status 2>/dev/null || true; } | sort -V |
    sed -nE 's/^p([0-9]+)\t.*node=([a-z])\.[^\t]*.*epoch=([0-9]+).*pages=([0-9]+).*/\1 \2 \3 \4/p' |
    awk -v machines="$1" -v most=$(((16 + $1 - 1) / $1)) '{ all[NR] = $0; if (!has[$2]++) count++ }
      END { for (one in has) if (has[one] > most) exit; if (NR == 16 && count == machines) for (n = 1; n <= NR; n++) print all[n] }'
}
# A fourth machine joins three. A state made anew would have another identity, a partition begun anew another epoch.
added() {
  local pages=${size:-60000} ttl=1s begun settled one
  start_engine
  slots
  seeds_of "$pages"
  pids=()
  for one in a b c; do node $one 16 --in-flight 16 seeds -- perl slots.pl 200 "$pages" $((pages / 4)) fetched_at; done
  until holders 3 >before && [[ -s before ]] && awk '$4 == 0 { bad = 1 } END { exit bad }' before; do sleep 0.1; done
  sort s.*/db/IDENTITY >made
  begun=$(date +%s%3N)
  node d 16 --in-flight 16 seeds -- perl slots.pl 200 "$pages" $((pages / 4)) fetched_at
  until holders 4 >after && [[ -s after ]]; do sleep 0.1; done
  settled=$(date +%s%3N)
  # All partitions go on from their earlier pages.
  until holders 4 >later && [[ -s later ]] && paste -d' ' after later | awk '$8 <= $4 { bad = 1 } END { exit bad }'; do
    (($(wc -l <fetched_at) < pages)) || { echo "over before all had gone on: more PAGES" >&2; exit 1; }
    sleep 0.1
  done
  printf 'partitions\tchanged hands\tstates made anew\tepochs without a move\tpages fetched twice\tseconds until it had its share\n'
  paste -d' ' before after | awk -v anew="$(sort s.*/db/IDENTITY | comm -13 made - | wc -l)" -v twice="$(grep -aoE '^[^[:space:]]+' records | sort | uniq -d | wc -l)" \
    -v ms=$((settled - begun)) '$2 != $6 { moved++ } ($2 == $6) != ($3 == $7) { odd++ }
    END { printf "16\t%d (4 at most)\t%d (0)\t%d (0)\t%d\t%.1f\n", moved, anew, odd, twice, ms / 1000 }'
}

# Links for sixteen partitions that nobody reads.
backlog() {
  local links=${size:-2000000}
  start_engine
  awk -v n="$links" 'BEGIN { for (i = 0; i < n; i++)
    printf "http://www.h%d.test/some/path/of/usual/length/%d.html\tdepth=3\tvia=http://www.other.test/page/%d\ttag=a@href\n", i % 1000, i, i }' >links
  link-bus --send="$url" --partitions=16 --timeout=10s links 2>said || true
  grep -q 'not all is kept' said || { cat said; exit 1; }
  if [[ ${ENGINE-} == postgresql ]]; then
    printf 'links that nobody reads\tits tables, MB\n%d\t' "$links"
    pg_sql "SELECT round(sum(pg_total_relation_size(c.oid)) / 1048576, 1) || ' (64 at most)' FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = 'spinneret' AND relkind = 'r'"
    return
  fi
  printf 'links that nobody reads\tengine, MB\tat most\tresident\n%d\t' "$links"
  "$client" -p "$port" info memory | tr -d '\r' | awk -F: '{ mb[$1] = $2 / 1048576 } END {
    printf "%.1f (64 at most)\t%.1f\t%.1f\n", mb["used_memory"], mb["used_memory_peak"], mb["used_memory_rss"] }'
}
