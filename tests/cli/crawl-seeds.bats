#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: where seeds come from, and what happens to bad ones.

load helper
load crawling

@test "one bad line of a seed file does not stop the crawl: it is named, the rest is crawled, status 1" {
  printf 'http://127.0.0.1:1/a\nhttp://\nmailto:me@example.org\nhttp://127.0.0.1:1/b\n' >list
  run -1 --separate-stderr "$crawl" --state=s --delay=0 list
  (($(grep -c 'outcome=refused-address' <<<"$output") == 2))
  [[ $stderr == *'list:2: '* && $stderr == *"not http or https: mailto:me@example.org"* && $stderr != *"no crawl"* ]]
  [[ $(<s/seeds) == $'http://127.0.0.1:1/a\nhttp://127.0.0.1:1/b' ]]
  # The bad line is not kept, and not reported again.
  run -0 --separate-stderr "$crawl" --state=s --delay=0
  [[ $stderr != *list* && $stderr != *mailto* ]]
  run -1 --separate-stderr "$crawl" --state=new --dry-run list
  ((${#lines[@]} == 2))
}

@test "no good seed, or a file that is not there, is trouble" {
  local bad
  for bad in http:// mailto:me@example.org nosuchfile /; do
    run -2 --separate-stderr "$crawl" --state=s "$bad"
    [[ $stderr == *crawl* && ! -e s ]]
  done
  run -2 --separate-stderr "$crawl" --state=s http://127.0.0.1:1/ nosuchfile
  [[ $stderr == *nosuchfile*"the seeds cannot be read"* && ! -e s ]]
}

@test "an empty seed file is no crawl" {
  : >empty
  run -2 "$crawl" --state=s empty
  [[ $output == *"there is no seed in 'empty'" && ! -e s ]]
  run -2 "$crawl" --state=s - </dev/null
  run -2 "$crawl" --state=s --dry-run empty
  [[ ! -e s ]]
  # Where there are seeds of earlier runs, the crawl goes on.
  "$crawl" --state=s --delay=0 http://127.0.0.1:1/ 2>progress
  run -0 "$crawl" --state=s --delay=0 empty
  [[ $(<s/seeds) == http://127.0.0.1:1/ ]]
}

# Starts a crawl with a bad seed in a session of its own and waits until it has asked for robots.txt; its id is in
# $running.
start_crawl() {
  mkdir docs
  chmod 755 docs
  start_site "$PWD/docs"
  setsid env --default-signal=INT,TERM "$crawl" --state=s --allow-private --delay=1h "http://127.0.0.1:$PORT/" http:// \
    >records 2>progress 3>&- &
  running=$!
  soon 'grep -qs /robots.txt "$LOG"'
}

# Waits until nobody holds the state's lock.
wait_for_end() { soon 'flock -n s/lock true'; }

@test "a crawl with a bad seed is interrupted as any other, and goes on" {
  start_crawl
  local status=0
  # A terminal sends SIGINT to the whole group at once.
  kill -INT -- "-$running"
  wait "$running" || status=$?
  ((status == 130)) || { echo "status $status"; false; }
  wait_for_end
  grep -q 'politeness-sched: .* 1 waiting' progress
  run -0 "$crawl" --state=s --allow-private --max-time=1s
}

@test "a crawl with a bad seed ends with its driver" {
  start_crawl
  kill -KILL "$running"
  wait_for_end
}

@test "bug: of a seed with a comment behind it another page was asked for, and nothing was said" {
  printf 'http://127.0.0.1:1/a # home\nhttp://127.0.0.1:1/b%%20c\n' >list
  run -0 --separate-stderr "$crawl" --state=s --dry-run list
  [[ $stderr == *"crawl: a seed ends in a blank, for no comment may stand behind it: http://127.0.0.1:1/a%20"* && $stderr != *b%20c* ]]
}

@test "comments in files of seeds are passed over, as Heritrix and Nutch do, and what else is no URL is named" {
  printf '# ours\r\n\n  # more\nhttp://127.0.0.1:1/\n#http://127.0.0.1:1/old\n' >list
  run -0 --separate-stderr "$crawl" --state=s --dry-run list
  [[ $output == http://127.0.0.1:1/$'\t'* && ${#lines[@]} -eq 1 && -z $stderr ]]
  { cat list && echo rubbish; } >other
  run -1 --separate-stderr "$crawl" --state=s --dry-run other
  [[ ${#lines[@]} -eq 1 && $stderr == 'url-normalize: other:6: a relative URL'*'"rubbish"' ]]
  echo '# none' >none
  run -2 --separate-stderr "$crawl" --state=s --dry-run none
  [[ $stderr == *"there is no seed in 'none'" ]]
}

@test "bug: a line of a CSV was taken for one URL, comma and title in it, and another page was asked for" {
  printf 'url,title\nhttp://127.0.0.1:1/a,one\n' >'my list.csv'
  run -2 --separate-stderr "$crawl" --state=s 'my list.csv'
  [[ $stderr == 'crawl: my\ list.csv is a table: records --from=csv --field=1 my\ list.csv | crawl -' && ! -e s ]]
  # The command that the message names works; a CSV of one column is an ordinary list.
  records --from=csv --field=1 'my list.csv' | { run -1 --separate-stderr "$crawl" --state=s --dry-run - && [[ $output == http://127.0.0.1:1/a$'\t'* ]]; }
  printf 'http://127.0.0.1:1/a\nhttp://127.0.0.1:1/b\n' >one.csv
  run -0 --separate-stderr "$crawl" --state=s --dry-run one.csv
  ((${#lines[@]} == 2))
}

@test "bug: where nobody takes what is said (2>&-, a full disk, a reader who left) a crawl that had something to say ended before its first page" {
  local where
  printf 'http://127.0.0.1:1/a\nhttp://\nmailto:me@example.org\nhttp://127.0.0.1:1/ # b\n' >list
  # said_to WHERE COMMAND...: runs the command with messages going nowhere, its records to `pages`; prints its status.
  said_to() {
    local status=0 where=$1 && shift
    case $where in
      closed) "$@" >pages 2>&- || status=$? ;;
      full) "$@" >pages 2>/dev/full || status=$? ;;
      left)
        exec {end}> >(:)
        wait $!
        env --ignore-signal=PIPE "$@" >pages 2>&"$end" || status=$?
        exec {end}>&- ;;
    esac
    echo "$where: $status, $(wc -l <pages) pages"
  }
  for where in closed full left; do
    # First a list with bad lines, then a run that names the last one's options, then one with a warning.
    [[ $(said_to "$where" "$crawl" --state="$where" --delay=0 list) == "$where: 1, 2 pages" ]]
    [[ $(said_to "$where" "$crawl" --state="$where") == "$where: 0, 0 pages" ]]
    [[ $(said_to "$where" "$crawl" --state="$where-2" --ignore-robots --delay=0 http://127.0.0.1:1/) == "$where: 0, 1 pages" ]]
  done
}

@test "bug: with standard input closed, a list that was to come from there was waited for without end" {
  status=0
  timeout 60 "$crawl" --state=s - <&- >pages 2>err || status=$?
  [[ $status == 2 && ! -s pages && $(<err) == *'standard input: Bad file descriptor'* ]]
  for closed in '<&-' '>&- <&-' '>&- 2>&- <&-'; do
    status=0
    eval 'timeout 60 "$crawl" --state=s - '"$closed" || status=$?
    [[ $status == 2 && ! -e s ]]
  done
  # Records that cannot be written are trouble, and they end up in no other file.
  printf 'http://127.0.0.1:1/a\n' >list
  for closed in '>&-' '<&- >&-' '<&- >&- 2>&-'; do
    status=0
    eval 'timeout 60 "$crawl" --state=s --delay=0 --links=l list '"$closed" || status=$?
    [[ $status == 2 ]]
  done
  run -0 --separate-stderr "$crawl" --state=s
  [[ $output == *outcome=refused-address ]] && ! grep -rqE '^(politeness-sched|crawl):|outcome=' l s/seeds s/scope s/identity s/options
}
