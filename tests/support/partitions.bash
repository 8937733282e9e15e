# SPDX-License-Identifier: Apache-2.0
# A made-up web for a crawl in partitions, to be sourced: a site that is a stage, writes down what it was asked, and when, and gives
# every page but the seeds one link that leads to it. So a link that is lost loses all pages behind it. $HOSTS, $PAGES, $CHAINS (that
# many seeds, each the first of a chain) and $DELAY (ms, of a host) are set by whoever sources it.
# shellcheck shell=bash disable=SC2154,SC2016

# make_web: site.pl, seeds, and an empty log, which is `asked`: host, page, milliseconds of a clock that all share, and what stood
# behind the numbers of the site's command line.
make_web() {
  local i
  cat >site.pl <<'EOF2'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
$| = 1;
my ($hosts, $pages, $chains, $machine) = (@ARGV, '-');
open my $log, '>>', 'asked' or die;
$log->autoflush(1);
while (my $line = <STDIN>) {
  chomp $line;
  my ($url) = split /\t/, $line;
  my ($host, $n) = $url =~ m{^http://www\.(h\d+\.test)/(\d+)$} or die "odd line $line";
  printf $log "%s %d %d %s\n", $host, $n, clock_gettime(CLOCK_MONOTONIC) * 1000, $machine;
  my $next = $n + $chains;
  printf "http://www.h%d.test/%d\tdepth=1\tvia=%s\n", $next % $hosts, $next, $url if $next < $pages;
  print "$line\tstatus=200\toutcome=ok\n";
}
EOF2
  for ((i = 0; i < CHAINS; i++)); do echo "http://www.h$((i % HOSTS)).test/$i"; done >seeds
  : >asked
}

# serve_web PAGES: the same by HTTP, on 45 hosts of loopback, all of which have one of the `seeds`, as no other is in the scope of a crawl;
# its log is web.log. In the background.
serve_web() {
  python3 "$SPINNERET_ROOT/tests/loop/manyhosts.py" 45 "$1" 47 web.log >web.port 3>&- &
  soon '[[ -s web.port ]]'
  local i
  for ((i = 0; i < 47; i++)); do echo "http://127.1.0.$((i % 45 + 1)):$(cat web.port)/p/$i"; done >seeds
  : >>web.log
}

lines() { wc -l <asked; }
# Progress, not time, says when to strike.
wait_for_progress() {
  local goal=$(($(lines) + $1))
  soon '(($(lines) >= goal || $(lines) >= PAGES))'
}

# judge_pages: every page, by the log.
judge_pages() {
  local got
  got=$(cut -d' ' -f2 asked | sort -u | wc -l)
  ((got == PAGES)) || { echo "lost: $((PAGES - got))"; cat messages.*; return 1; }
}
# judge_gaps: no host sooner than its delay. (2 ms are the log's.)
judge_gaps() {
  sort -n -k3,3 asked | awk -v least=$((DELAY - 2)) '$1 in last && $3 - last[$1] < least { print "gap", $0, $3 - last[$1]; bad = 1 }
    { last[$1] = $3 } END { exit bad }'
}
# judge DOUBLED: all of it, and so many pages twice at most.
judge() {
  judge_pages || return
  (($(lines) - PAGES <= $1)) || { echo "doubled: $(($(lines) - PAGES))"; return 1; }
  judge_gaps
}

# send_through_an_outage URL DOWN UP: 3,000 links to two receivers by link-bus; the engine is away for those in the middle, by these two
# commands. All come, once. What was said is in `sent` and said.?. (3, 7 and 8 are pipes of the test's.)
send_through_an_outage() {
  local i sender
  for ((i = 0; i < 3000; i++)); do echo "http://www.h$i.test/a/path"; done >links
  mkfifo in
  helpers=()
  for i in 0 1; do
    link-bus --receive="$1" --partition=$i --partitions=2 --ttl=1s >got.$i 2>said.$i 3>&- 7>&- &
    helpers+=($!)
  done
  link-bus --send="$1" --partitions=2 --timeout=100s <in 2>sent 3>&- 7>&- &
  sender=$!
  exec 8>in
  head -n 1000 links >&8
  soon '(($(cat got.? | wc -l) >= 500))'
  eval "$2"
  sed -n '1001,2000p' links >&8
  soon '[[ -s sent ]]'
  eval "$3"
  sed -n '2001,$p' links >&8
  exec 8>&-
  wait $sender || { cat sent said.*; return 1; }
  kill "${helpers[@]}"
  wait "${helpers[@]}" || true
  helpers=()
  sort got.? | cmp - <(sort links)
}
