#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the scheduler prints: records for a reader who stalls or leaves, progress on a terminal or in a file.

load helper

# Makes a stage for which page N is http://a.test/N. The page links to 2N and 2N+1, up to PAGES, and its record has 20
# KB.
make_stage() {
  cat >stage.pl <<'EOF2'
$| = 1;
my $pages = shift;
my $pad = 'x' x 20000;
open my $log, '>>', 'asked' or die;
$log->autoflush(1);
while (my $line = <STDIN>) {
  chomp $line;
  my ($n) = $line =~ m{^http://a.test/(\d+)} or die;
  print $log "$n\n";
  for my $link (2 * $n, 2 * $n + 1) { print "http://a.test/$link\tdepth=1\tvia=http://a.test/$n\n" if $link <= $pages }
  print "$line\tpad=$pad\tstatus=200\toutcome=ok\n";
}
EOF2
}

asked() { if [[ -f asked ]]; then wc -l <asked; else echo 0; fi; }

# Waits until no more URLs are asked for and the reader's stall has reached the scheduler. A process that waits for a
# processor or a disk, as on a busy machine, still has something to do.
wait_for_standstill() {
  local before=-1 still=0 end=$((SECONDS + 120))
  while ((still < 10)); do
    ((SECONDS < end)) || { echo "not at rest within two minutes"; return 1; }
    sleep 0.05
    if (($(asked) == before && before > 0)) && ! ps -o state= -p "$sched" --ppid "$sched" | grep -q '[RD]'; then still=$((still + 1)); else still=0; fi
    before=$(asked)
  done
}

@test "a reader who stalls stops the crawl, memory stays flat, and nothing is lost, doubled or late" {
  make_stage
  mkfifo out
  # More URLs are in flight than the pipes hold, so that results wait in the pipes during the stall.
  seq -f 'http://a.test/%.0f' 2000 >seeds
  politeness-sched --state s -q --delay 0 --per-host 400 --in-flight 400 --lease 1s --quiet-time 2s \
    seeds -- perl stage.pl 0 >out 3>&- &
  local sched=$!
  exec 4<out
  wait_for_standstill
  local stopped_at
  stopped_at=$(asked)
  ((stopped_at < 1500)) || { echo "went on to $stopped_at"; false; }
  # Longer than the lease of the URLs in flight.
  sleep 1.5
  (($(asked) == stopped_at))
  (($(awk '/^VmRSS/ { print $2 }' "/proc/$sched/status") < 100000))
  cat <&4 >records
  exec 4<&-
  wait "$sched"
  (($(cut -f1 records | sort -u | wc -l) == 2000))
  [[ -z $(cut -f1 records | sort | uniq -d) ]]
  (($(asked) == 2000)) || { sort asked | uniq -d; false; }
  run ! grep -q 'outcome=aborted' records
}

@test "a reader who leaves ends the crawl at once, and the pipeline with it" {
  make_stage
  local first status=0
  # pipefail shows the scheduler's own end, which is SIGPIPE as for any filter.
  first=$(set -o pipefail; politeness-sched --state s -q --delay 0 http://a.test/1 -- perl stage.pl 100000 3>&- | head -1 | cut -f1) || status=$?
  [[ $first == http://a.test/1 ]]
  ((status == 141)) || { echo "status $status"; false; }
  (($(asked) < 1000))
  # No stage still runs.
  local left
  left=$(asked)
  run ! pgrep -f "stage.pl 100000"
  (($(asked) == left))
  # The results are kept: the same command goes on.
  run -0 politeness-sched --state s -q --delay 0 --max-pages 10 http://a.test/1 -- perl stage.pl 100000
  ((${#lines[@]} == 10))
}

# Run a command with standard error on a terminal of 50 columns. Standard output is the file `records`, or the terminal
# as well (on_narrow_both).
on_narrow() { on_terminal bash -c 'stty cols 50; exec "$@" </dev/null >records' - "$@"; }
on_narrow_both() { on_terminal bash -c 'stty cols 50; exec "$@" </dev/null' - "$@"; }

@test "on a terminal one line is rewritten, no wider than it; the last one stays" {
  make_stage
  on_narrow politeness-sched --state s --delay 20ms --delay-factor 0 http://a.test/1 -- perl stage.pl 40 >screen
  grep -q $'\r\e\\[K[0-9]* pages*, .*/s, .* queued' screen
  # Except for the last one, no line is wider than the terminal.
  tr '\r' '\n' <screen | sed 's/\x1b\[K//; /^politeness-sched: 40 pages/,$d' | awk 'length > 50 { print; bad = 1 } END { exit bad }'
  (($(grep -c . <(sed 's/\r$//; s/.*\r//' screen)) == 1))
  tail -1 screen | grep -q '40 pages, .* 0 waiting, 40 done'
}

@test "bug: on one terminal a record and the line of progress stood on one line" {
  make_stage
  on_narrow_both politeness-sched --state s --delay 20ms --delay-factor 0 http://a.test/1 -- perl stage.pl 40 >screen
  grep -q $'\r\e\\[K[0-9]* pages*, .*/s, .* queued' screen
  # What a reader sees of a line is the text after its last erasure.
  sed 's/\r$//; s/.*\r\x1b\[K//' screen >seen
  (($(grep -c '^http://a.test/[0-9]*	.*outcome=ok$' seen) == 40)) || { cut -c1-120 seen; false; }
  run ! grep -E '.http://a.test/[0-9]+	|outcome=ok.+' <(sed 's/via=[^	]*//' seen)
}

@test "elsewhere there are plain lines without escapes, every few seconds" {
  make_stage
  politeness-sched --state s --delay 0 http://a.test/1 -- perl stage.pl 40 >records 2>progress 3>&-
  run ! grep -q $'[\e\r]' progress
  (($(wc -l <progress) == 1))
}

@test "bug: pages of a partition: a line that a kill has torn off is no link to whoever reads them" {
  local kept
  mkdir p0
  for kept in '' $'http://h/a\toutcome=ok\n'; do
    printf '%shttp://h/torn' "$kept" >p0/pages
    bash -c '. "$SPINNERET_ROOT/scripts/crawl-cluster.bash"; state=p0; keep_pages; printf "http://h/b\toutcome=ok\n"'
    diff <(printf '%shttp://h/b\toutcome=ok\n' "$kept") p0/pages
  done
  rm p0/pages
  bash -c '. "$SPINNERET_ROOT/scripts/crawl-cluster.bash"; state=p0; keep_pages; echo x'
  [ "$(<p0/pages)" = x ]
}

@test "bug: a state of partitions was told to keep no crawl" {
  local p
  for p in 0 1 10; do
    politeness-sched --state=s/p$p/frontier --delay=0 -q "http://h$p.test/" "http://h$p.test/a b" -- sed -u 's/$/\tstatus=404\toutcome=not-found/' >/dev/null
  done
  mkdir -p s/p2/frontier s/node-x
  crawl() { "$SPINNERET_ROOT/scripts/crawl" "$@"; }
  crawl --state=s --list | cut -f1 | sort | diff - <(printf 'http://h%s.test/\n' 0 0/a%20b 1 1/a%20b 10 10/a%20b | sed 's|/a%20b.test/|.test/a%20b|' | sort)
  crawl --state=s --list --sched:host=h10.test --json | grep -c '"url":"http://h10.test/' | grep -qx 2
  run -1 crawl --state=s --list --sched:host=h01.test
  [[ $output == 'politeness-sched: no such host in this state: "h01.test": did you mean h'*'.test'* && ${#lines[@]} == 1 ]]
  (($(crawl --state=s --hosts | wc -l) == 3))
  # bug: what is in partitions on other machines was left out without a message
  echo --sched:partitions=12 >s/node-x/options
  run -0 --separate-stderr crawl --state=s --hosts
  [[ $stderr == "crawl: --hosts: the partitions 0 1 10 of 12 are here; the others are on other machines" && ${#lines[@]} == 3 ]]
  crawl --state=s --show=http://h10.test/a%20b | grep -qx 'outcome: not-found'
  run -1 crawl --state=s --show=http://h3.test/
  [[ $output == *"'http://h3.test/' is in no partition whose state is in s" ]]
  run -2 crawl --state=s --report
  [[ $output == *"partitions of a crawl on many machines"*"--report, --why and --add go with --cluster"* ]]
  run -2 crawl --state=s
  [[ $output == *"give --cluster and its seeds to go on" ]]
  [[ ! -e s/frontier ]]
}

@test "bug: escapes of the line of progress on a terminal without a name, or a dumb one" {
  make_stage
  local term
  # A filter shows its progress only after it has read for two seconds.
  local filter='{ for i in {1..8}; do echo http://h/; sleep 0.5; done; } | url-normalize >/dev/null'
  on_terminal env TERM=vt100 bash -c "$filter" >heeding &
  for term in '' dumb; do
    on_terminal env TERM="$term" bash -c "$filter" >"filter-$term" &
    rm -rf s
    on_terminal env TERM="$term" politeness-sched --state s --delay 0 http://a.test/1 -- perl stage.pl 40 >screen
    on_terminal env TERM="$term" fetch --progress --allow-private http://127.0.0.1:1/ >>screen
    run ! grep -q $'\e' screen
    grep -q 'fetch: 1 URLs in' screen
  done
  wait
  grep -q $'url-normalize: 0.0 M lines, .*\e' heeding
  [[ ! -s filter- && ! -s filter-dumb ]]
}
