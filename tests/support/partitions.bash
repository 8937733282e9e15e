# SPDX-License-Identifier: Apache-2.0
# A made-up web for a crawl in partitions; tests and benchmarks source this. The site is a stage that notes what it was
# asked, and when. Every page except the seeds has one link to it, so that a lost link loses all pages behind it. The
# script that sources this sets $HOSTS, $PAGES, $CHAINS (the number of seeds, each the first of a chain) and $DELAY (of
# a host, in ms).
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
declare -F nap >/dev/null || nap() { sleep "$1"; }

# more_than COUNT FILE [PATTERN]: whether more lines of the file than that match. It starts no process, which takes as
# long as reading some thousand lines, since tests look again and again.
more_than() {
  local found one count=0
  { mapfile -t found <"$2"; } 2>/dev/null || return 1
  if [[ -z ${3-} ]]; then
    count=${#found[@]}
  else
    # shellcheck disable=SC2053
    for one in "${found[@]}"; do [[ $one != $3 ]] || count=$((count + 1)); done
  fi
  ((count > $1))
}
# says WORDS FILE...: whether one of the files contains the words; likewise without a process.
says() {
  local one text=""
  for one in "${@:2}"; do
    { IFS= read -rd "" text <"$one"; } 2>/dev/null || true
    [[ $text != *"$1"* ]] || return 0
  done
  return 1
}

# make_web: makes site.pl, seeds, and the empty log `asked`: host, page, milliseconds of a clock that all share, and the
# words after the numbers of the site's command line. If $HOLD is set, the site stands still after that many requests
# until a file `released` exists: the crawl is not over before that, however slow the machine is.
make_web() {
  local i
  cat >site.pl <<'EOF2'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
$| = 1;
my ($hosts, $pages, $chains, $machine) = (@ARGV, '-');
my $hold = $ENV{HOLD};
open my $log, '>>', 'asked' or die;
$log->autoflush(1);
while (my $line = <STDIN>) {
  chomp $line;
  my ($url) = split /\t/, $line;
  my ($host, $n) = $url =~ m{^http://www\.(h\d+\.test)/(\d+)$} or die "odd line $line";
  printf $log "%s %d %d %s\n", $host, $n, clock_gettime(CLOCK_MONOTONIC) * 1000, $machine;
  if ($hold) {
    open my $all, '<', 'asked' or die;
    my $count = () = <$all>;
    if ($count >= $hold) { select undef, undef, undef, 0.02 until -e 'released'; $hold = 0; }
  }
  my $next = $n + $chains;
  printf "http://www.h%d.test/%d\tdepth=1\tvia=%s\n", $next % $hosts, $next, $url if $next < $pages;
  print "$line\tstatus=200\toutcome=ok\n";
}
EOF2
  for ((i = 0; i < CHAINS; i++)); do echo "http://www.h$((i % HOSTS)).test/$i"; done >seeds
  : >asked
}

# serve_hosts HOSTS PAGES CHAINS SEEDS [HOLD]: serves the same web by HTTP, as process $web, and writes the seeds to
# that file; the log is web.log.
serve_hosts() {
  local i at
  : >>web.log
  python3 "$SPINNERET_ROOT/tests/loop/manyhosts.py" "$1" "$2" "$3" web.log "${@:5}" >web.port 3>&- &
  web=$!
  soon '[[ -s web.port ]]'
  read -r at <web.port
  for ((i = 0; i < $3; i++)); do echo "http://127.1.0.$((i % $1 + 1)):$at/p/$i"; done >"$4"
}
# serve_web PAGES [HOLD]: serves it on 45 hosts of loopback. Each has one of the `seeds`, since a crawl's scope has no
# other hosts.
serve_web() { serve_hosts 45 "$1" 47 seeds "${@:2}"; }

lines() { wc -l <asked; }
# Progress, not time, says when to strike; a site that has come to a stand is enough.
wait_for_progress() {
  local asked goal=$1 most=$PAGES
  [[ -z ${HOLD-} || -e released ]] || most=$HOLD
  mapfile -t asked <asked
  goal=$((goal + ${#asked[@]} < most ? goal + ${#asked[@]} : most))
  soon 'more_than $((goal - 1)) asked'
}

# judge_pages: every page came, by the log.
judge_pages() {
  local got
  got=$(cut -d' ' -f2 asked | sort -u | wc -l)
  ((got == PAGES)) || { echo "lost: $((PAGES - got))"; cat messages.*; return 1; }
}
# judge_gaps: no host was asked sooner than its delay. (2 ms are the log's rounding.)
judge_gaps() {
  sort -n -k3,3 asked | awk -v least=$((DELAY - 2)) '$1 in last && $3 - last[$1] < least { print "gap", $0, $3 - last[$1]; bad = 1 }
    { last[$1] = $3 } END { exit bad }'
}
# judge DOUBLED: checks all of it, and that at most that many pages came twice.
judge() {
  judge_pages || return
  (($(lines) - PAGES <= $1)) || { echo "doubled: $(($(lines) - PAGES))"; cat messages.*; return 1; }
  judge_gaps
}

# send_through_an_outage URL DOWN UP: sends 3,000 links to two receivers by link-bus; the commands DOWN and UP take the
# engine away for those in the middle. All must come once. Messages are in `sent` and said.?. (3, 7 and 8 are the test's
# pipes.)
send_through_an_outage() {
  local i sender one two
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
  soon 'mapfile -t one <got.0 && mapfile -t two <got.1 && ((${#one[@]} + ${#two[@]} >= 500))'
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
