#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# politeness-sched against pipelines of a few lines of bash: what goes out, what comes back, what stays.

load helper

# A site as a stage: page N links to 2N and 2N+1 as far as MAX. Its log is what was asked.
make_site() {
  cat >site <<'EOF2'
#!/usr/bin/env bash
max=$1
while IFS= read -r line; do
  url=${line%%$'\t'*} n=${line%%$'\t'*} n=${n##*/} links=
  printf '%s\n' "$url" >>asked
  for link in $((2 * n)) $((2 * n + 1)); do
    ((link <= max)) && printf -v links '%s%s\tdepth=1\tvia=%s\n' "$links" "${url%/*}/$link" "$url"
  done
  printf '%s%s\tstatus=200\ttime-ms=1\toutcome=ok\n' "$links" "$line"
done
EOF2
  chmod +x site
}

# A stage that answers every line with `outcome` and more fields.
answer() { printf 'while IFS= read -r line; do printf "%%s\\t%s\\n" "$line"; done' "$1"; }

sched() { timeout 20 politeness-sched --state s -q --delay 0 "$@" 3>&-; }

@test "every page of a site exactly once, and it ends by itself" {
  make_site
  run -0 --separate-stderr sched http://h.test/1 -- ./site 100
  ((${#lines[@]} == 100))
  [[ -z $(sort asked | uniq -d) && $(wc -l <asked) == 100 ]]
  [[ $output == *$'http://h.test/1\tdepth=0\tpriority=8\tstatus=200\ttime-ms=1\toutcome=ok'* ]]
  # And is done for good.
  run -0 --separate-stderr sched http://h.test/1 -- ./site 100
  [[ -z $output ]]
}

@test "a state is needed, and a known one" {
  run -2 politeness-sched http://h.test/ -- cat
  [[ $output == *"--state DIR is needed"* ]]
  run -2 politeness-sched --state=/dev/null/s http://h.test/ -- cat
}

@test "no seed and nothing queued: done at once, the pipeline is not even started" {
  run -0 sched -- sh -c 'echo ran >ran'
  [[ ! -e ran ]]
}

@test "seeds from arguments, files and standard input; bad ones are named, and the rest goes on" {
  printf 'http://a.test/f\r\n\nnot a url\n' >file
  printf 'http://a.test/stdin' >stdin
  run -1 --separate-stderr sched http://a.test/arg file - ftp://a.test/x -- bash -c "$(answer outcome=ok)" <stdin
  [[ $stderr == *'file:3: '*'"not a url"'* && $stderr == *'argument:2: is not http or https'* ]]
  ((${#lines[@]} == 3))
}

@test "a seed's own fields go with it, and a link's do not" {
  run -0 --separate-stderr sched - -- bash -c 'while IFS= read -r line; do
      [[ $line == http://a.test/1* ]] && printf "http://a.test/2\tvia=http://a.test/1\ttext=Two\tmine=x\n"
      printf "%s\toutcome=ok\n" "$line"
    done' <<<$'http://a.test/1\tid=7\t\\x\tdepth=2\tpriority=0'
  [[ ${lines[0]} == $'http://a.test/1\tid=7\t\\x\tdepth=2\tpriority=0\toutcome=ok' ]]
  [[ ${lines[1]} == $'http://a.test/2\tvia=http://a.test/1\tdepth=0\toutcome=ok' ]]
}

@test "a page's last record names the first page on which it was found, also where no stage gave one back" {
  run -0 --separate-stderr sched --tries 1 --quiet-time 200ms http://a.test/1 -- bash -c 'while IFS= read -r line; do
      case $line in
        */1*) printf "http://a.test/%s\tdepth=1\tvia=http://a.test/1?\\\\\n" dead lost ;;
        */dead*) printf "http://a.test/lost\tdepth=2\tvia=http://a.test/late\n" ;;
        */lost*) continue ;;
      esac
      printf "%s\tstatus=404\toutcome=not-found\n" "$line"
    done'
  [[ ${lines[1]} == $'http://a.test/dead\tvia=http://a.test/1?\\\\\tdepth=1\tstatus=404\toutcome=not-found' ]]
  [[ ${lines[2]} == $'http://a.test/lost\tvia=http://a.test/1?\\\\\tdepth=1\terror=no stage'*$'\toutcome=aborted' ]]
  ((${#lines[@]} == 3))
}

@test "a fragment is dropped, and so are repeats" {
  run -0 --separate-stderr sched http://a.test/x#1 http://a.test/x#2 HTTP://A.test:80/x -- bash -c "$(answer outcome=ok)"
  [[ $output == $'http://a.test/x\tdepth=0\tpriority=8\toutcome=ok' ]]
}

@test "one at a time per host unless told otherwise, and at most --in-flight in all" {
  # The stage answers only when it holds as many as it is told to expect, or at the end of input.
  cat >hold <<'EOF2'
#!/usr/bin/env bash
# Reads what is there; more than expected is an error; less for half a second is the answer.
held=()
flush() { ((${#held[@]})) && printf '%s\toutcome=ok\n' "${held[@]}"; held=(); }
while true; do
  if IFS= read -r -t 0.3 line; then
    held+=("$line")
    ((${#held[@]} > $(cat most))) && echo "${#held[@]}" >most
  else
    (($? > 128)) || break
    flush
  fi
done
flush
EOF2
  chmod +x hold
  echo 0 >most
  run -0 sched http://a.test/{1..4} http://b.test/1 -- ./hold
  [[ $(cat most) == 2 ]]
  rm -r s && echo 0 >most
  run -0 sched --per-host 3 http://a.test/{1..7} -- ./hold
  [[ $(cat most) == 3 ]]
  rm -r s && echo 0 >most
  run -0 sched --in-flight 2 http://{a,b,c,d}.test/ -- ./hold
  [[ $(cat most) == 2 ]]
}

# check_gaps FILE MS: lines "host milliseconds" at least so far apart per host.
check_gaps() {
  awk -v least="$2" '$1 in last && $2 - last[$1] < least { print $1, $2 - last[$1]; bad = 1 }
    { last[$1] = $2 } END { exit bad }' "$1"
}
CLOCKED='while IFS= read -r line; do
    host=${line#*//} now=$(date +%s%N)
    printf "%s %s\n" "${host%%/*}" "$((now / 1000000))" >>times
    printf "%s\tstatus=200\toutcome=ok\n" "$line"
  done'

@test "the delay holds between the requests of each host, also across runs and kill -9" {
  run -0 timeout 20 politeness-sched --state s -q --delay 150ms http://{a,b}.test/{1..3} -- bash -c "$CLOCKED"
  run -0 timeout 20 politeness-sched --state s -q --delay 150ms http://{a,b}.test/4 -- bash -c "$CLOCKED"
  check_gaps times 149
  (($(wc -l <times) == 8))
  # Killed with a URL in flight: the host counts as visited when the state is opened again.
  politeness-sched --state s -q --delay 150ms http://a.test/5 -- bash -c "$CLOCKED"';kill -9 $PPID' 3>&- &
  wait $! || true
  politeness-sched --state s -q --delay 150ms http://a.test/6 -- bash -c \
    'IFS= read -r line; echo "a.test $(($(date +%s%N) / 1000000))" >>times; kill -9 $PPID' 3>&- || true
  run -0 timeout 20 politeness-sched --state s -q --delay 150ms http://a.test/7 -- bash -c "$CLOCKED"
  check_gaps times 149
}

@test "rules first: robots.txt goes out before the page, its Crawl-delay is kept, the page is sent again" {
  run -0 --separate-stderr timeout 20 politeness-sched --state s -q --delay 0 http://a.test/{1,2} -- bash -c '
    while IFS= read -r line; do
      printf "%s\n" "${line%%	*} $(($(date +%s%N) / 1000000))" >>asked
      if [[ $line == *purpose=robots* ]]; then
        printf "%s\tstatus=200\tcrawl-delay=0.2\toutcome=ok\n" "$line"; have=1
      elif [[ -z ${have-} ]]; then
        printf "%s\tneeds=http://a.test/robots.txt\toutcome=needs\n" "$line"
      else
        printf "%s\tstatus=200\toutcome=ok\n" "$line"
      fi
    done'
  ((${#lines[@]} == 2))
  [[ $(cut -d' ' -f1 asked | tr '\n' ' ') == "http://a.test/1 http://a.test/robots.txt http://a.test/1 http://a.test/2 " ]]
  sed 1d asked | sed 's|http://a.test/[^ ]*|a.test|' >times
  check_gaps times 199
}

@test "a gate that needs the same rules for ever is given up on" {
  run -0 --separate-stderr sched --retry-delay 10ms http://a.test/1 -- bash -c '
    while IFS= read -r line; do
      if [[ $line == *purpose=robots* ]]; then printf "%s\tstatus=200\toutcome=ok\n" "$line"
      else printf "%s\tneeds=http://a.test/robots.txt\toutcome=needs\n" "$line"; fi
    done'
  [[ $output == $'http://a.test/1\tdepth=0\terror='*$'\toutcome=aborted' ]]
}

@test "blocked pages cost the host no delay" {
  run -0 --separate-stderr timeout 20 politeness-sched --state s -q --delay 1m http://a.test/{1..50} -- \
    bash -c "$(answer 'robots=disallow\\toutcome=blocked-by-robots')"
  ((${#lines[@]} == 50))
}

@test "a failure that may pass is tried again, and shown once" {
  run -0 --separate-stderr sched --retry-delay 20ms http://a.test/ http://b.test/ -- bash -c '
    while IFS= read -r line; do
      echo "$line" >>asked
      if [[ $line == http://b* || $(grep -c "^http://a" asked) -lt 3 ]]; then printf "%s\tstatus=500\toutcome=server-error\n" "$line"
      else printf "%s\tstatus=200\toutcome=ok\n" "$line"; fi
    done'
  [[ $(sort <<<"$output" | sed 's/.*outcome=//' | tr '\n' ' ') == "ok server-error " ]]
  (($(grep -c ^http://a asked) == 3 && $(grep -c ^http://b asked) == 3))
}

@test "a host that fails and fails is finished, and said to be" {
  run -0 --separate-stderr sched --tries 1 --patience 3 http://a.test/{1..9} -- bash -c "$(answer outcome=timeout)"
  ((${#lines[@]} == 3))
  [[ $stderr == *"http://a.test is finished: too many failures in a row, the last timeout; 6 of its URLs stay waiting" ]]
  run -0 sched --hosts --fields url,finished
  [[ $output == *$'\ttoo many failures in a row, the last timeout' ]]
}

@test "finished hosts are listed at the end, and counted where they are many" {
  run -0 --separate-stderr sched --max-host-pages 1 http://h{1..25}.test/{1,2} -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 25 && $(wc -l <<<"$stderr") == 21))
  [[ $stderr == *"http://h1.test is finished: it has had its --max-host-pages; 1 of its URLs stay waiting"* ]]
  [[ $stderr == *"so are 5 hosts more: see --hosts" ]]
}

@test "Retry-After is kept" {
  run -0 --separate-stderr sched --retry-delay 1ms http://a.test/1 http://a.test/2 -- bash -c '
    while IFS= read -r line; do
      echo "a.test $(($(date +%s%N) / 1000000))" >>times
      if [[ $(wc -l <times) == 1 ]]; then printf "%s\tstatus=429\tretry-after=1\toutcome=rate-limited\n" "$line"
      else printf "%s\tstatus=200\toutcome=ok\n" "$line"; fi
    done'
  head -2 times >first && check_gaps first 999
}

@test "--max-pages stops, and the next run goes on" {
  make_site
  run -0 --separate-stderr sched --max-pages 10 http://h.test/1 -- ./site 50
  ((${#lines[@]} == 10))
  run -0 --separate-stderr sched --max-pages 7 --per-host 4 -- ./site 50
  ((${#lines[@]} == 7))
  run -0 --separate-stderr sched -- ./site 50
  ((${#lines[@]} == 33))
  [[ -z $(sort asked | uniq -d) ]]
}

@test "--max-depth" {
  run -0 --separate-stderr sched --max-depth 2 http://a.test/0 -- bash -c 'while IFS=$'\''\t'\'' read -r url depth rest; do
      depth=${depth#depth=} next=$((depth + 1))
      printf "http://a.test/%s\tdepth=%s\tvia=%s\n" "$next" "$next" "$url"
      printf "%s\tdepth=%s\toutcome=ok\n" "$url" "$depth"
    done'
  [[ $(cut -f1 <<<"$output" | tr '\n' ' ') == "http://a.test/0 http://a.test/1 http://a.test/2 " ]]
}

@test "a pipeline that dies is started again, what was in flight goes out again, half a page's links do not get in" {
  cat >mortal <<'EOF2'
#!/usr/bin/env bash
while IFS= read -r line; do
  echo "$line" >>asked
  if [[ ! -e died ]]; then
    touch died
    printf 'http://a.test/torn\tdepth=1\nhttp://a.test/to'
    kill -9 $$
  fi
  printf '%s\toutcome=ok\n' "$line"
done
EOF2
  chmod +x mortal
  run -0 --separate-stderr sched http://a.test/1 http://b.test/1 -- ./mortal
  [[ $stderr == *"the pipeline was killed by signal 9"*"sent again"* ]]
  [[ $(cut -f1 <<<"$output" | sort | tr '\n' ' ') == "http://a.test/1 http://b.test/1 " ]]
}

@test "a page that kills the pipeline again and again is singled out and given up, all others come" {
  make_site
  sed -i 's|^  links=|&|; s|^  printf .%s.n. "$url" >>asked|&\n  [[ $n != 13 ]] \|\| kill -9 $$|' site
  run -0 --separate-stderr sched --retry-delay 50ms http://{a,b,c,d}.test/1 -- ./site 20
  ((${#lines[@]} == 80))
  (($(grep -c $'/13\tvia=.*\terror=the pipeline dies of it\toutcome=aborted$' <<<"$output") == 4))
  # Of each: at most twice in company, twice alone where others had passed, three times alone.
  (($(grep -c /13 asked) <= 4 * 7))
  [[ $stderr == *"was killed by signal 9; in flight: http://"*.test/13* ]]
  run -0 sched --verify
  # Killed by whoever: what comes back in between is no suspect.
  run -0 sched --list --with-state error
  ((${#lines[@]} == 4))
}

@test "where nothing has ever come back, no page is blamed: status 2, and the page waits" {
  run -2 sched --retry-delay 10ms http://a.test/poison -- bash -c 'while IFS= read -r line; do kill -9 $$; done'
  [[ $output == *"5 times in a row without a result"* ]]
  run -0 sched --list --fields url,state
  [[ $output == $'http://a.test/poison\twaiting' ]]
  # Once another page has been had, it is the page.
  run -0 --separate-stderr sched --retry-delay 10ms http://b.test/1 -- bash -c 'while IFS= read -r line; do
    [[ $line != *poison* ]] || kill -9 $$; printf "%s\toutcome=ok\n" "$line"; done'
  run -0 sched --list --with-state error --fields url,error
  [[ $output == $'http://a.test/poison\tthe pipeline dies of it' ]]
}

@test "a pipeline that cannot be run, or dies every time, is trouble; the state is kept" {
  run -2 sched http://a.test/1 -- ./nonesuch
  [[ $output == *"cannot run ./nonesuch: No such file"* ]]
  run -2 sched -- false
  [[ $output == *"5 times in a row without a result"* ]]
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
}

@test "a record that a stage has dropped is noticed: at the end of the pipeline, not after its lease" {
  run -0 --separate-stderr sched --quiet-time 200ms --retry-delay 10ms http://a.test/{1,2} -- bash -c 'while IFS= read -r line; do
      if [[ $line == */1* && ! -e dropped ]]; then touch dropped; else printf "%s\toutcome=ok\n" "$line"; fi
    done'
  ((${#lines[@]} == 2))
}

@test "more links than any pipe holds do not deadlock" {
  run -0 --separate-stderr sched --max-pages 3 http://a.test/{1..3} -- bash -c 'while IFS= read -r line; do
      seq -f "http://a.test/%.0f	depth=1	via=${line%%	*}" 1 100000
      printf "%s\toutcome=ok\n" "$line"
    done'
  ((${#lines[@]} == 3))
}

@test "a second scheduler on the same state is told who holds it" {
  mkfifo hold
  politeness-sched --state s -q http://a.test/1 -- bash -c 'read -r line; echo up >up; read -r x <hold; printf "%s\toutcome=ok\n" "$line"' 3>&- >out &
  local first=$!
  until [[ -e up ]]; do sleep 0.02; done
  run -2 sched -- cat
  [[ $output == *"s/lock is held by process $first"* ]]
  echo go >hold
  wait "$first"
}

@test "what a killed scheduler leaves behind is ended before a new pipeline starts" {
  politeness-sched --state s -q http://a.test/1 -- bash -c 'trap "" PIPE; echo $$ >old; kill -9 $PPID; sleep 300' 3>&- || true
  [[ -s old ]]
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
  # Gone, or dead and not yet buried.
  [[ ! -e /proc/$(cat old) || $(ps -o stat= -p "$(cat old)") == Z* ]]
}

@test "SIGTERM: what is in flight comes back, the rest stays, the status says so" {
  make_site
  politeness-sched --state s -q --delay 20ms http://h.test/1 -- ./site 100000 >out 2>err 3>&- &
  local pid=$!
  until [[ -s asked ]] && (($(wc -l <asked) > 5)); do sleep 0.02; done
  kill -TERM "$pid"
  local status=0
  wait "$pid" || status=$?
  ((status == 143))
  [[ $(wc -l <asked) == $(wc -l <out) ]]
  run -0 --separate-stderr sched --max-pages 5 -- ./site 100000
  [[ -z $(sort asked | uniq -d) ]]
}

@test "SIGINT while seeds are still being read: those that came whole are kept, the torn one is not" {
  mkfifo seeds
  env --default-signal=INT politeness-sched --state s -q - -- sh -c 'echo ran >ran' <seeds 2>err 3>&- &
  local pid=$! status=0
  exec 9>seeds
  printf 'http://h.test/1\nhttp://h.test/2\nhttp://h.test/to' >&9
  # Until it has read them: nothing is left in the pipe.
  python3 -c 'import array, fcntl, termios, time
left = array.array("i", [1])
while left[0]: fcntl.ioctl(9, termios.FIONREAD, left); time.sleep(0.01)'
  kill -INT "$pid"
  wait "$pid" || status=$?
  exec 9>&-
  ((status == 130)) || { echo "status $status"; cat err; false; }
  [[ ! -e ran ]]
  run -0 sched --list --fields url
  [[ $output == $'http://h.test/1\nhttp://h.test/2' ]]
}

@test "SIGINT with a pipeline that hangs: killed after the grace, and what it held goes out again" {
  politeness-sched --state s -q --grace 200ms http://h.test/1 -- bash -c 'trap "" TERM; read -r line; echo up >up; sleep 300' 2>err 3>&- &
  local pid=$!
  until [[ -e up ]]; do sleep 0.02; done
  kill -TERM "$pid"
  local status=0
  wait "$pid" || status=$?
  ((status == 143))
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
}

@test "standard output: full is trouble, closed is SIGPIPE, and what was not shown is not done" {
  make_site
  run -2 bash -c 'politeness-sched --state s -q --delay 0 http://h.test/1 -- ./site 1 >/dev/full'
  [[ $output == *"No space left"* ]]
  run -0 --separate-stderr sched -- ./site 1
  ((${#lines[@]} == 1))
  run -141 bash -c 'set -o pipefail; politeness-sched --state s2 -q --delay 0 http://h.test/1 -- ./site 100000 | head -1'
}

@test "plain pipes: URLs on standard output, links and results on standard input" {
  make_site
  mkfifo back
  # No timeout(1) here: it would hold the pipe open that is to be closed.
  politeness-sched --state s -q --delay 0 http://h.test/1 <back 3>&- | ./site 50 >back 3>&-
  (($(wc -l <asked) == 50))
  [[ -z $(sort asked | uniq -d) ]]
}

@test "plain pipes: an end of input with URLs left is trouble" {
  run -2 --separate-stderr sched http://h.test/1 </dev/null
  [[ $stderr == *"standard input has ended"*"waiting: 1, all kept"* ]]
}

@test "--json and --fields" {
  run -0 --separate-stderr sched --fields url,status http://a.test/1 -- bash -c "$(answer 'status=200\\toutcome=ok')"
  [[ $output == $'http://a.test/1\t200' ]]
  run -0 --separate-stderr sched --json http://a.test/2 -- bash -c "$(answer 'status=200\\toutcome=ok')"
  [[ $output == '{"url":"http://a.test/2",'*'"status":200'* ]]
}

@test "statistics: plain lines where standard error is no terminal, none with --quiet" {
  run -0 --separate-stderr politeness-sched --state s --delay 0 http://a.test/1 -- bash -c "$(answer 'size=2048\\toutcome=ok')"
  [[ $stderr == "politeness-sched: 1 page, 2.0 KiB in "*"; 0 waiting, 1 done, 0 failed, 0 blocked" ]]
  run -0 --separate-stderr sched http://a.test/2 -- bash -c "$(answer outcome=ok)"
  [[ -z $stderr ]]
}

# --- looking in -----------------------------------------------------------------------------------

# 7 pages asked for of 20, one of them failed for good, one blocked.
make_state() {
  sched --tries 1 --max-pages 6 http://h.test/1 http://g.test/x -- bash -c 'while IFS= read -r line; do
      url=${line%%$'\''\t'\''*} n=${url##*/} outcome=ok
      case $n in x) outcome=server-error ;; 3) outcome=blocked-by-robots ;; esac
      if [[ $n != x ]]; then
        for link in $((2 * n)) $((2 * n + 1)); do
          ((link <= 20)) && printf "http://h.test/%s\tdepth=1\tvia=%s\n" "$link" "$url"
        done
      fi
      printf "%s\tstatus=200\tdigest=d%s\tetag=\"e\"\toutcome=%s\n" "$line" "$n" "$outcome"
    done' >/dev/null
}

@test "--list is sorted and complete, by state, by host, and in the classic form" {
  make_state
  run -0 sched --list
  [[ $output == "$(sort <<<"$output")" ]]
  local all=${#lines[@]} part=0 state
  for state in waiting done error blocked; do
    run -0 sched --list --with-state "$state"
    [[ $(grep -c "state=$state" <<<"$output") == "${#lines[@]}" ]]
    part=$((part + ${#lines[@]}))
  done
  ((all == part))
  run -0 sched --list --host g.test
  [[ $output == http://g.test/x*outcome=server-error ]]
  run -0 sched --list --form classic --host h.test
  [[ $output =~ 'http://h.test/1 http://h.test '1[0-9]{9} ]]
  [[ $output == *"http://h.test/3 http://h.test 3"* && $output =~ 'http://h.test '0 ]]
  run -2 sched --list --with-state odd
}

@test "--show says everything, and why a URL waits" {
  make_state
  run -0 sched --show http://h.test/2 --show 'HTTP://H.test:80/1#x'
  [[ $output == *"url: http://h.test/2"*"via: http://h.test/1"*"digest: d2"*"url: http://h.test/1"* ]]
  run -0 sched --show "$(sched --list --with-state waiting --fields url | head -1)"
  [[ $output == *"why: "*" more wait at its host"* ]]
  run -0 sched --hours "$(date -d '+2 hour' +%H:00-%H:30)" --show "$(sched --list --with-state waiting --fields url | head -1)"
  [[ $output == *"why: nothing goes out before the --hours begin, at "* ]]
  run -1 sched --show http://h.test/none
  [[ $output == *"not in this state"* ]]
  run -2 sched --show nonsense
}

@test "--hosts counts" {
  make_state
  run -0 sched --hosts --fields url,done,error,blocked
  [[ ${lines[0]} == $'http://g.test/\t0\t1\t0' ]]
  [[ ${lines[1]} == $'http://h.test/\t5\t0\t1' ]]
}

@test "--hosts says which have had their --max-host-pages, as the last run had it or as it is given" {
  run -0 --separate-stderr sched --max-host-pages 2 http://{a,b}.test/{1,2} http://a.test/3 -- bash -c "$(answer outcome=ok)"
  run -0 sched --hosts --fields url,pages,finished
  [[ ${lines[0]} == $'http://a.test/\t2\tit has had its --max-host-pages' && ${lines[1]} == $'http://b.test/\t2\t' ]]
  run -0 sched --hosts --max-host-pages 3 --fields url,finished
  [[ ${lines[0]} == $'http://a.test/\t' ]]
  # It is a limit of that run, not a host that has failed: taken in elsewhere, it is asked.
  sched --export >export
  run -0 timeout 20 politeness-sched --state other --import export
  run -0 --separate-stderr timeout 20 politeness-sched --state other -q -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
}

@test "looking in works beside a running crawl, tending does not" {
  mkfifo hold
  politeness-sched --state s -q http://a.test/1 http://a.test/2 -- bash -c \
    'read -r line; echo up >up; read -r x <hold; printf "%s\toutcome=ok\n" "$line"; while read -r line; do printf "%s\toutcome=ok\n" "$line"; done' 3>&- >out &
  local first=$!
  until [[ -e up ]]; do sleep 0.02; done
  run -0 sched --list
  ((${#lines[@]} == 2))
  run -0 sched --verify
  run -2 sched --clear-errors
  echo go >hold
  wait "$first"
}

@test "--export and --import carry a state over" {
  make_state
  sched --export >export
  run -0 timeout 20 politeness-sched --state other --import export
  timeout 20 politeness-sched --state other --delay 0 --export >again
  diff export again
  run -0 timeout 20 politeness-sched --state other --verify
  run -1 timeout 20 politeness-sched --state other --import export
  # And goes on from there.
  run -0 --separate-stderr timeout 20 politeness-sched --state other -q --delay 0 -- bash -c "$(answer outcome=ok)"
  [[ $(cut -f1 <<<"$output" | sort) == "$(grep state=waiting export | cut -f1 | sort)" ]]
}

@test "--export and --import carry over how hosts want to be asked" {
  run -0 --separate-stderr sched http://{slow,busy,down}.test/{1,2} --tries 1 --patience 1 --retry-delay 1ms --max-time 500ms -- bash -c '
    while IFS= read -r line; do
      case $line in
        *slow*) printf "%s\tcrawl-delay=120\tip=192.0.2.7\toutcome=ok\n" "$line" ;;
        *busy*) printf "%s\tstatus=429\tretry-after=600\toutcome=rate-limited\n" "$line" ;;
        *) printf "%s\toutcome=dns-failed\n" "$line" ;;
      esac
    done'
  sched --export >export
  run -0 timeout 20 politeness-sched --state other --import export
  timeout 20 politeness-sched --state other --delay 0 --export | diff export -
  timeout 20 politeness-sched --state other --delay 0 --hosts | diff <(sched --hosts) -
  # None of them is asked in this second.
  run -0 --separate-stderr timeout 20 politeness-sched --state other -q --max-time 1s -- bash -c "$(answer outcome=ok)"
  [[ -z $output && $stderr == *"http://down.test is finished: too many failures in a row, the last dns-failed; 1 of its URLs stay waiting" ]]
  run -0 timeout 20 politeness-sched --state other --verify
}

@test "--export and --import carry over what a host's answers have taught, and its --throttle" {
  run -0 --separate-stderr sched --delay 10ms --throttle 3/1h --max-time 2s http://a.test/{1..6} -- bash -c '
    n=0
    while IFS= read -r line; do printf "%s\ttime-ms=40\toutcome=ok\n" "$line"; done'
  ((${#lines[@]} == 3))
  sched --export >export
  grep -q $'^http://a.test/\twaiting=3\t.*\tdelay-factor-percent=197\ttime-ms=40\tthrottled=3\tthrottled-since=' export
  run -0 timeout 20 politeness-sched --state other --import export
  timeout 20 politeness-sched --state other --delay 0 --export | diff export -
  # Its hour is not over there either.
  run -0 --separate-stderr timeout 20 politeness-sched --state other -q --delay 0 --throttle 3/1h --max-time 1s -- bash -c "$(answer outcome=ok)"
  [[ -z $output ]]
}

@test "--forget removes what matches, and prints what is to be deleted" {
  make_state
  run -0 sched --forget 'http://h.test/1*' --forget '*/2'
  [[ $output == *$'http://h.test/1\t'*"digest=d1"* && $output == *$'http://h.test/2\t'* ]]
  run -0 sched --verify
  sched --list --fields url >left
  run -1 grep -xE 'http://h.test/(1.*|2)' left
  grep -qx http://h.test/3 left
  run -1 sched --forget 'http://nobody/*'
}

@test "--clear-errors gives another chance" {
  make_state
  run -0 sched --clear-errors
  [[ $output == *"1 URLs wait again"* ]]
  run -0 sched --verify
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  [[ $output == *"http://g.test/x"* ]]
}

@test "--dry-run shows what would be sent first, and changes nothing" {
  run -0 --separate-stderr sched --dry-run http://n.test/a http://n.test/b
  [[ $(cut -f1 <<<"$output" | tr '\n' ' ') == "http://n.test/a http://n.test/b " ]]
  make_state
  sched --list >before
  run -0 --separate-stderr sched --dry-run http://n.test/
  [[ $output == *http://n.test/* && $output == *http://h.test/* ]]
  sched --list | diff before -
  # Also what must wait for its host, or for its next try.
  sched --delay 1h --tries 2 --retry-delay 1h --max-time 300ms http://late.test/{1,2} http://fails.test/ -- bash -c '
    while IFS= read -r line; do
      if [[ $line == *fails* ]]; then printf "%s\toutcome=server-error\n" "$line"; else printf "%s\toutcome=ok\n" "$line"; fi
    done' >/dev/null
  run -0 --separate-stderr timeout 20 politeness-sched --state s --dry-run
  [[ $output == *http://late.test/2* && $output == *http://fails.test/* ]]
}

@test "--checkpoint is a state of its own" {
  make_state
  run -0 sched --checkpoint copy
  run -0 sched --checkpoint copy
  timeout 20 politeness-sched --state copy --list | diff <(sched --list) -
  run -0 --separate-stderr sched --checkpoint every --checkpoint-every 50ms --max-time 400ms --delay 100ms -- bash -c "$(answer outcome=ok)"
  run -0 timeout 20 politeness-sched --state every --verify
}

@test "--checkpoint removes nothing but an older copy" {
  local folder
  make_state
  mkdir -p home/db home/papers used link-target
  echo dear >home/papers/letter
  echo dear >home/db/letter
  run -0 sched --checkpoint used
  # A crawl has gone on in this one.
  timeout 20 politeness-sched --state used -q http://more.test/ -- bash -c "$(answer outcome=ok)" >/dev/null
  ln -s link-target link
  echo dear >file
  find . -not -name "separate-*" -not -name before -not -path "./s/*" | sort >before
  for folder in home used link file s . ./; do
    run -2 --separate-stderr sched --checkpoint "$folder"
    [[ $stderr == "politeness-sched: --checkpoint would remove "*"name a folder that is not there yet" ]] || { echo "$folder: $stderr"; false; }
    run -2 sched --checkpoint "$folder" --checkpoint-every 10ms http://new.test/ -- bash -c "$(answer outcome=ok)"
  done
  # Nor what stands where the copy would grow.
  mkdir new.new && echo dear >new.new/letter
  run -2 sched --checkpoint new
  rm -r new.new/letter new.new
  find . -not -name "separate-*" -not -name before -not -path "./s/*" | sort | diff before -
  run -2 sched --checkpoint ""
  run -2 --separate-stderr sched --checkpoint-every 1s http://new.test/ -- bash -c "$(answer outcome=ok)"
  [[ $stderr == *"--checkpoint needs the name of a folder" ]]
  # A slash behind the name changes nothing.
  run -0 sched --checkpoint used-not/
  run -0 sched --checkpoint used-not/
  run -0 timeout 20 politeness-sched --state used-not --verify
}

@test "--metrics and --report-file into a device write to it and leave it there" {
  make_state
  ln -s /dev/full full
  run -2 sched --metrics full http://a.test/3 -- bash -c "$(answer outcome=ok)"
  run -2 sched --report-file full http://a.test/4 -- bash -c "$(answer outcome=ok)"
  [[ -L full && -c /dev/full ]]
}

@test "wrong usage is told before anything is touched" {
  local option
  for option in delay lease recrawl max-time grace quiet-time checkpoint-every max-line; do
    run -2 --separate-stderr sched --$option=soon http://a.test/ -- bash -c "$(answer outcome=ok)"
    [[ $stderr == "politeness-sched: --$option takes "* && -z $output && ! -e s ]] || { echo "$option: $stderr"; false; }
  done
}

@test "--stats and --metrics" {
  run -0 --separate-stderr sched --stats stats --metrics prom http://a.test/ -- bash -c "$(answer 'size=5\\toutcome=ok')"
  grep -q $'^statistics\ttime=.*\tdone=1\t.*\tpages=1\tbytes=5\t' stats
  grep -qx 'spinneret_pages_total 1' prom
  grep -qx 'spinneret_outcomes_total{outcome="ok"} 1' prom
  run -2 sched --stats /nonexistent/x http://a.test/2 -- bash -c "$(answer outcome=ok)"
}

@test "--recrawl visits again with what the page had" {
  echo v1 >version
  site='while IFS= read -r line; do echo "$line" >>asked; printf "%s\tstatus=200\tetag=\"%s\"\toutcome=ok\n" "${line%%	*}" "$(cat version)"; done'
  run -0 sched --recrawl 100ms http://a.test/ -- bash -c "$site"
  sleep 0.2
  run -0 sched --recrawl 100ms -- bash -c "$site"
  (($(wc -l <asked) == 2))
  [[ $(tail -1 asked) == *'etag="v1"'* ]]
  run -0 sched -- bash -c "$site"
  (($(wc -l <asked) == 2))
}

@test "wrong values are told before anything is touched" {
  for wrong in --throttle=5 --throttle=0/1h --hours=25-26 --recrawl=often --politeness-key=name --delay=fast --in-flight=0; do
    run -2 timeout 20 politeness-sched --state new "$wrong" http://a.test/ -- cat
    [[ $output == *"${wrong%%=*}"* && ! -e new ]]
  done
}
