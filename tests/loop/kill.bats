#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The scheduler's guarantee under kill -9 of itself, of its pipeline, and of all together, at random moments; and with
# every writing system call failing once. The site is a stage that notes what it was asked, and when. KILLS is the
# number of kills for each of the three (now and then KILLS=1000 PAGES=6000).

load ../cli/helper

HOSTS=5
: "${PAGES:=400}"

# Page N of the site is http://hM.test/N with M = N mod HOSTS; it links to 2N, 2N+1 and one more.
make_site() {
  cat >site.pl <<'EOF2'
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
$| = 1;
my ($hosts, $pages) = @ARGV;
open my $log, '>>', 'asked' or die;
$log->autoflush(1);
sub url { sprintf 'http://h%d.test/%d', $_[0] % $hosts, $_[0] }
while (my $line = <STDIN>) {
  chomp $line;
  my ($url) = split /\t/, $line;
  my ($host, $n) = $url =~ m{^http://([^/]+)/(\d+)$} or die "odd line $line";
  printf $log "%s %d %d\n", $host, $n, clock_gettime(CLOCK_MONOTONIC) * 1000;
  for my $link (2 * $n, 2 * $n + 1, ($n * 17 + 5) % $pages + 1) {
    print url($link), "\tdepth=1\tvia=$url\n" if $link <= $pages;
  }
  print "$line\tstatus=200\toutcome=ok\n";
}
EOF2
}

# run_once: starts the scheduler in a session of its own; its pid is in $sched. fd 3 is bats's.
run_once() {
  setsid politeness-sched --state s -q --delay "${DELAY}ms" --delay-factor 0 --in-flight 4 http://h1.test/1 -- \
    sh -c "cat | perl site.pl $HOSTS $PAGES | cat" >>records 2>>messages 3>&- &
  sched=$!
}

lines() { if [[ -f $1 ]]; then wc -l <"$1"; else echo 0; fi; }

# lives PID: whether it has not ended. (`kill -0` also succeeds for a process that has ended, until the shell has waited
# for it: a crawl was over, and its test stood still.)
lives() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ $stat != *") Z "* ]]
}

# Waits until the log has grown by a few lines: progress, not time, says when to kill.
wait_for_progress() {
  local goal=$(($(lines asked) + RANDOM % 4 + 1)) seen=() end=$((SECONDS + 120))
  while lives "$sched"; do
    # (No process is started for this: until one has begun, the whole crawl goes on.)
    [[ ! -f asked ]] || mapfile -t seen <asked
    ((${#seen[@]} < goal)) || break
    ((SECONDS < end)) || { echo "nothing was asked for in two minutes: $(<"/proc/$sched/stat")"; tail -n 3 messages; return 1; }
    nap 0.005
  done
}

judge() {
  local kills=$1
  run -0 politeness-sched --state s --verify
  cut -d' ' -f2 asked | sort -n | uniq >seen
  (($(wc -l <seen) == PAGES)) || { echo "lost: $(seq $PAGES | sort | comm -23 - <(sort seen) | head)"; return 1; }
  # Each kill repeats at most the URLs in flight.
  (($(wc -l <asked) - PAGES <= kills * HOSTS)) || { echo "doubled: $(($(wc -l <asked) - PAGES)) after $kills kills"; return 1; }
  # No gap is too short by the site's own clock; 2 ms are the log's rounding.
  awk -v least="$((DELAY - 2))" '$1 in last && $3 - last[$1] < least { print "gap", $0, $3 - last[$1]; bad = 1 }
    { last[$1] = $3 } END { exit bad }' asked
  # The records suffice: every page is there at least once.
  (($(cut -f1 records | grep -c .) >= PAGES))
  [[ $(grep -a $'\toutcome=ok$' records | cut -f1 | sort -u | wc -l) == "$PAGES" ]]
}

# kill_round HOW MOST: runs one crawl and kills it as often as possible, at most MOST times; sets killed.
kill_round() {
  local how=$1 most=$2
  killed=0
  rm -rf s asked records
  make_site
  while ((killed < most)); do
    run_once
    wait_for_progress
    lives "$sched" || break
    case $how in
      # The crawl may just have ended.
      scheduler) kill -9 "$sched" 2>/dev/null || true ;;
      all) pkill -9 -s "$sched" || true ;;
      stage)
        # One stage after the other is killed, in one run that goes on.
        while ((killed < most)) && lives "$sched"; do
          pkill -9 -n -s "$sched" -x "$([[ $((RANDOM % 2)) == 0 ]] && echo perl || echo cat)" || true
          killed=$((killed + 1))
          wait_for_progress
        done
        wait "$sched" || true
        break
        ;;
    esac
    wait "$sched" 2>/dev/null || true
    killed=$((killed + 1))
  done
  run_once
  wait "$sched"
}

# Crawls until all kills have been made: a busy machine kills late, and a crawl is soon over.
kill_test() {
  local how=$1 kills=${KILLS:-30} made=0 crawls=0
  DELAY=${2:-10}
  while ((made < kills)); do
    kill_round "$how" $((kills - made))
    judge "$killed"
    made=$((made + killed)) crawls=$((crawls + 1))
    ((crawls <= kills)) || { echo "only $made kills in $crawls crawls"; return 1; }
  done
  echo "# $how: $made kills in $crawls crawls of $PAGES pages" >&3
}

@test "kill -9 of the scheduler, its pipeline outliving it" { kill_test scheduler; }
@test "kill -9 of everything at once" { kill_test all; }
@test "kill -9 of one stage after the other" { kill_test stage; }

@test "bug: pages were blamed for a stage that could not start, as a file of its own was away, and given up" {
  local PAGES=40 DELAY=0 seen
  make_site
  sed -i 's/^  chomp .line;/&\n  sleep 1 while -e "hang" \&\& $line =~ m{\/3\\b};/' site.pl
  touch hang rules
  crawl_it() {
    exec politeness-sched --state s -q --delay 0 --in-flight 4 --tries 1 http://h1.test/1 -- \
      sh -c '[ -e rules ] || { echo "stage: no rules" >&2; exit 2; }; exec perl site.pl 5 40' >>records 2>>messages 3>&-
  }
  crawl_it &
  sched=$!
  soon '[[ -f asked ]] && mapfile -t seen <asked && ((${#seen[@]} >= 2))'
  rm rules
  kill -9 $(pgrep -P "$sched")
  local status=0
  wait "$sched" || status=$?
  ((status == 2))
  grep -q '; in flight: nothing; 5 times in a row without a result: see the stages. messages' messages
  grep -qx 'stage: no rules' messages
  run ! grep 'the pipeline dies of it' records
  touch rules
  rm hang
  (crawl_it)
  judge 1
  (($(grep -c 'outcome=ok$' records) >= PAGES)) && run ! grep -v 'outcome=ok$' records
}

@test "each write, sync and rename failing once: status 2 or no harm done, and the state opens again" {
  command -v strace >/dev/null || skip "no strace"
  strace -o /dev/null true 2>/dev/null || skip "no ptrace here"
  DELAY=0
  local call code when status hurt=0 follow
  for call in write:ENOSPC pwrite64:ENOSPC fsync:EIO fdatasync:EIO rename:EIO openat:ENOSPC ftruncate:EIO; do
    for when in 1 2 3 5 8 13 30; do
      rm -rf s asked records
      make_site
      code=${call#*:} status=0 follow=()
      # RocksDB syncs and renames in threads of its own; writes must not be followed into the site.
      case $call in fsync* | fdatasync* | rename*) follow=(-f) ;; esac
      PAGES=40 timeout 300 strace "${follow[@]}" -o /dev/null -e "trace=${call%:*}" -e "inject=${call%:*}:error=$code:when=$when" \
        politeness-sched --state s -q --delay 0 --in-flight 4 http://h1.test/1 -- \
        perl site.pl "$HOSTS" 40 >records 2>>messages 3>&- || status=$?
      # Status 0 where the failed call did not matter (RocksDB's own log), 2 where it did; never a crash.
      hurt=$((hurt + (status == 2)))
      ((status == 0 || status == 1 || status == 2)) || { echo "$call when=$when: status $status"; tail -3 messages; false; }
      run -0 timeout 300 politeness-sched --state s -q --delay 0 --in-flight 4 http://h1.test/1 -- \
        perl site.pl "$HOSTS" 40 3>&-
      run -0 politeness-sched --state s --verify
      (($(cut -d' ' -f2 asked | sort -u | wc -l) == 40)) || { echo "$call when=$when: lost"; false; }
    done
  done
  # The faults had effects.
  ((hurt > 5))
}
