#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl and the signals of a terminal: whichever ends it, no process is left and the next run fetches the rest.

load helper
load crawling

pages() { printf "http://127.0.0.1:$PORT/%s.html\n" {1..5}; }
make_site() {
  mkdir docs
  for page in {1..5}; do echo "page $page" >"docs/$page.html"; done
  start_site "$PWD/docs"
  pages >seeds
}
# as_in_front COMMAND...: runs the command in the background, but with a foreground job's signals; sets `front` to its
# process group.
as_in_front() {
  setsid env --default-signal=INT,QUIT "$@" 3>&- &
  front=$! running=$!
}
asked_for_one() { soon "grep -q '[1-5].html' \"\$LOG\""; }
# ended_with STATUS: waits for the command of as_in_front and checks its status.
ended_with() {
  local status=0
  wait "$front" || status=$?
  ((status == $1)) || { echo "status $status"; false; }
}
# judge_rest [-u]: the next run fetches the rest, and no page twice. With -u pages may repeat: QUIT kills the scheduler,
# and a record is printed before its page counts as done.
judge_rest() {
  run -0 "$crawl" --state=s --allow-private --delay=1ms -q seeds
  diff <(pages | sort) <(cat records <(printf '%s\n' "${lines[@]}") | cut -f1 | sort "$@")
}

@test "bug: Ctrl-\\ did nothing" {
  make_site
  as_in_front "$crawl" --state=s --allow-private --ignore-robots --delay=3s -q seeds >records
  asked_for_one
  soon '[[ -s records ]]'
  kill -QUIT -- "-$front"
  ended_with 131
  soon '! pgrep -s "$front"'
  judge_rest -u
}

@test "bug: Ctrl-C ended a crawl, and not the loop of a shell around it" {
  make_site
  as_in_front bash -c 'for state in s other; do "$0" --state=$state --allow-private --ignore-robots --delay=3s -q seeds; done' "$crawl" >records
  asked_for_one
  soon '[[ -s records ]]'
  kill -INT -- "-$front"
  ended_with 130
  [[ ! -e other ]]
  judge_rest
}

@test "bug: a terminal of stty tostop stopped the scheduler, for ever" {
  make_site
  run timeout -k 1 100 "$BASH" -c "$(declare -f on_terminal)"'; on_terminal bash -c "$@"' - \
    'stty tostop; "$0" --state=s --allow-private --delay=1ms seeds >records; echo "status $?"' "$crawl"
  [[ $output == *"status 0"* ]]
  (($(wc -l <records) == 5))
}

@test "bug: Ctrl-C ended fetch, and not the loop of a shell around it" {
  make_site
  mkfifo wire
  as_in_front bash -c 'for way in 1 2; do echo "$way" >>ways; fetch --allow-private --no-body wire; done' >records
  exec 9>wire
  cat seeds >&9
  soon '[[ -s records ]]'
  kill -INT -- "-$front"
  ended_with 130
  exec 9>&-
  [[ $(<ways) == 1 ]]
}

@test "bug: fetch that waited for the writer of a named pipe ended late at SIGTERM, and blamed standard output" {
  mkfifo wire
  fetch wire >records 2>messages 3>&- &
  running=$!
  soon 'takes_term "$running" fetch'
  nap .3  # by then it waits
  kill -TERM "$running"
  front=$running
  ended_with 1
  [[ ! -s messages && ! -s records ]]
}

@test "bug: --report=FILE that a signal ended left FILE.new" {
  mkdir -p tools s/frontier/db
  : >s/options
  ln -s "$SPINNERET_BIN"/* tools/
  rm tools/politeness-sched
  printf '#!/bin/sh\necho half\nkill -TERM "$PPID"\n' >tools/politeness-sched
  chmod +x tools/politeness-sched
  run -143 env SPINNERET_BIN="$PWD/tools" "$crawl" --state=s --report=page.html
  run -1 compgen -G 'page.html*'
}

@test "bug: a signal to the demo took server and state away under its crawl, which ran on" {
  mkdir kept
  local signal front
  for signal in TERM:143 INT:130 QUIT:131 STOP:143; do
    TMPDIR=$PWD/kept as_in_front "$crawl" --demo --delay=300ms 2>messages >records
    soon 'grep -qs "GET / " kept/*/log'
    if [[ $signal == STOP* ]]; then  # stopped by Ctrl-Z, and then ended
      kill -TSTP "$front"
      soon '[[ $(ps -o stat= -p "$front") == T* ]]'
      kill -TERM "$front"
      kill -CONT "$front"
    else
      kill "-${signal%:*}" "$front"
    fi
    ended_with "${signal#*:}"
    run -1 pgrep -s "$front"
    grep -q '[1-9][0-9]* waiting' messages
    ! grep -E 'No such file|no crawl is kept' messages
  done
  [[ -z $(find kept -type f ! -name report.html) ]]
}

@test "bug: a demo whose server ended named a command to go on by a state that goes away" {
  mkdir kept
  local front
  TMPDIR=$PWD/kept as_in_front "$crawl" --demo --delay=300ms --patience=1 2>messages >records
  soon 'grep -qs "GET / " kept/*/log'
  pkill -s "$front" -x demo-server
  ended_with 3
  grep -q '; to go on: crawl --demo$' messages
  ! grep -e --state= messages kept/*/report.html
}

@test "the demo goes on after Ctrl-Z, without standard error, and tells that it could not write" {
  mkdir kept
  local front
  export TMPDIR=$PWD/kept
  as_in_front "$crawl" --demo >records 2>&-
  soon 'grep -qs "GET / " kept/*/log'
  kill -TSTP "$front"
  soon '[[ $(ps -o stat= -p "$front") == T* ]]'
  kill -CONT "$front"
  ended_with 0
  (($(wc -l <records) == $(ls "$SPINNERET_BIN"/../manual/*.html | wc -l) + 4))
  "$crawl" --demo >/dev/full || [[ $? == 2 ]]
}

@test "bug: a stage that HUP ended was told of as one that ended by itself" {
  make_site
  as_in_front "$crawl" --state=s --allow-private --delay=1s -q seeds >records 2>messages
  soon '[[ -s records ]]'
  pkill -HUP -n -s "$front" -x extract-links
  ended_with 0
  grep -q 'stage extract-links was killed by signal 1$' messages
  diff <(pages | sort) <(cut -f1 records | sort)
}

@test "bug: a fetch with nothing to do that SIGTERM ended was missed with the next URL, and not named" {
  make_site
  as_in_front "$crawl" --state=s --allow-private --ignore-robots --delay=30s seeds >records 2>messages
  soon '[[ -s records ]]'
  pkill -TERM -s "$front" -x fetch
  soon 'grep -q "starting it anew" messages'
  grep -qx 'crawl: stage fetch ended before its input did' messages
  [[ $(wc -l <records) == 1 ]]
  kill -TERM "$front"
  ended_with 143
}
