#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# politeness-sched with pipelines of a few lines of bash: what is sent, what returns, what stays.

load helper
load sched

@test "every page of a site exactly once, and it ends by itself" {
  make_site
  run -0 --separate-stderr sched http://h.test/1 -- ./site 100
  ((${#lines[@]} == 100))
  [[ -z $(sort asked | uniq -d) && $(wc -l <asked) == 100 ]]
  [[ $output == *$'http://h.test/1\tdepth=0\tpriority=8\tstatus=200\ttime-ms=1\toutcome=ok'* ]]
  # The site is done for good.
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

@test "the stages start beside a new state's making: with no good seed they are told at once that nothing comes" {
  run -1 sched ftp://a.test/ -- sh -c 'cat >got; echo ran >ran'
  [[ -e ran && ! -s got ]]
  # For an existing state no stage is started early, since it may have nothing to do.
  run -1 sched ftp://a.test/ -- sh -c 'echo again >again'
  [[ ! -e again ]]
}

@test "seeds from arguments, files and standard input; bad ones are named, and the rest goes on" {
  printf 'http://a.test/f\r\n\nnot a url\n' >file
  printf 'http://a.test/stdin' >stdin
  run -1 --separate-stderr sched http://a.test/arg file - ftp://a.test/x -- bash -c "$(answer outcome=ok)" <stdin
  [[ $stderr == *'file:3: '*'"not a url"'* && $stderr == *'argument:2: is not http or https'* ]]
  ((${#lines[@]} == 3))
}

@test "a seed's own fields go with it, and those that a policy's rules give a link" {
  run -0 --separate-stderr sched - -- bash -c 'while IFS= read -r line; do
      [[ $line == http://a.test/1* ]] && printf "http://a.test/2\tvia=http://a.test/1\ttext=Two\tmethod=get\trealm=x\n"
      printf "%s\toutcome=ok\n" "$line"
    done' <<<$'http://a.test/1\tid=7\t\\x\tdepth=2\tpriority=0'
  [[ ${lines[0]} == $'http://a.test/1\tid=7\t\\x\tdepth=2\tpriority=0\toutcome=ok' ]]
  [[ ${lines[1]} == $'http://a.test/2\tvia=http://a.test/1\trealm=x\tdepth=0\toutcome=ok' ]]
  run -0 sched --list --form=classic
  [[ ${lines[1]} == "http://a.test/2 x 1"* && ${lines[0]} == "http://a.test/1 http://a.test 1"* ]]
}

@test "a seed's own fields are in the record of a URL that was given up, too" {
  run -0 --separate-stderr sched --tries 1 --quiet-time 200ms - -- \
    bash -c 'grep --line-buffered -v test/2 | sed -u "s/\$/\toutcome=ok/"' <<<$'http://a.test/1\tmine=x\nhttp://a.test/2\tmine=y'
  [[ ${lines[0]} == $'http://a.test/1\tmine=x\tdepth=0\tpriority=8\toutcome=ok' ]]
  [[ ${lines[1]} == $'http://a.test/2\tmine=y\tdepth=0\tpriority=8\terror=no stage'*$'\toutcome=aborted' ]]
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

@test "one at a time per host unless told otherwise" {
  # The stage answers only when it holds as many URLs as it was told to expect, or at the end of input.
  cat >hold <<'EOF2'
#!/usr/bin/env bash
# Keeps what is there, and answers once nothing has come for a tenth of a second: a host that is silent for a fifth holds
# no place of --in-flight any more.
held=() part=
flush() { ((${#held[@]})) && printf '%s\toutcome=ok\n' "${held[@]}"; held=(); }
while true; do
  if IFS= read -r -t 0.1 line; then
    held+=("$part$line")
    part=
    ((${#held[@]} > $(cat most))) && echo "${#held[@]}" >most
  else
    (($? > 128)) || break
    part+=$line  # bug: of a line that came slowly the first half was thrown away, and the scheduler waited for its record
    [[ -n $part ]] || flush
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
}

# check_gaps FILE MS: checks that lines "host milliseconds" are at least that far apart for each host.
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
  run -0 timeout 100 politeness-sched --state s -q --delay 150ms http://{a,b}.test/{1..3} -- bash -c "$CLOCKED"
  run -0 timeout 100 politeness-sched --state s -q --delay 150ms http://{a,b}.test/4 -- bash -c "$CLOCKED"
  check_gaps times 149
  (($(wc -l <times) == 8))
  # Killed with a URL in flight: the host counts as visited when the state is opened again.
  politeness-sched --state s -q --delay 150ms http://a.test/5 -- bash -c "$CLOCKED"';kill -9 $PPID' 3>&- &
  wait $! || true
  politeness-sched --state s -q --delay 150ms http://a.test/6 -- bash -c \
    'IFS= read -r line; echo "a.test $(($(date +%s%N) / 1000000))" >>times; kill -9 $PPID' 3>&- || true
  run -0 timeout 100 politeness-sched --state s -q --delay 150ms http://a.test/7 -- bash -c "$CLOCKED"
  check_gaps times 149
}

@test "rules first: robots.txt goes out before the page, its Crawl-delay is kept, the page is sent again" {
  run -0 --separate-stderr timeout 100 politeness-sched --state s -q --delay 0 http://a.test/{1,2} -- bash -c '
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
  [[ $output == $'http://a.test/1\tdepth=0\tpriority=8\terror='*$'\toutcome=aborted' ]]
}

@test "blocked pages cost the host no delay" {
  run -0 --separate-stderr timeout 100 politeness-sched --state s -q --delay 1m http://a.test/{1..50} -- \
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

@test "a host that never answers is given up for this run, and said to be; the next run asks it again" {
  run -3 --separate-stderr sched --tries 1 --retry-delay 1ms --patience 3 http://a.test/{1..9} -- bash -c "$(answer outcome=timeout)"
  ((${#lines[@]} == 1))
  [[ $stderr == *"http://a.test is finished: it has not answered 3 times in a row, the last timeout; 9 of its URLs stay waiting"* ]]
  [[ ${stderr##*$'\n'} == "politeness-sched: 1 host given up in this run, at which 9 URLs wait for the next one; to go on: politeness-sched --state=s --clear-errors" ]]
  run -0 sched --hosts --fields url,finished
  [[ $output == *$'\tit has not answered 3 times in a row, the last timeout' ]]
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 9))
}

# Such links used to leave no trace: no record, no count, no message.
@test "links that policy refuses are counted by rule and written to --rejected, never queued, and settle nothing" {
  run -0 --separate-stderr timeout 100 politeness-sched --state s --delay 0 --rejected=rej --log log http://a.test/{1,2} -- bash -c '
    while IFS= read -r line; do
      printf "http://a.test/2\tdepth=1\tvia=http://a.test/1\ttag=a@href\tpolicy=p:3\trule=deny-path ^/2\twhy=w\tclass=path\toutcome=blocked-by-policy\n"
      printf "http://b.test/\tdepth=1\tclass=same-host\toutcome=blocked-by-policy\n"
      printf "%s\tstatus=200\toutcome=ok\n" "$line"
    done'
  [[ $(sed "s/.*outcome=//" <<<"$output" | tr "\n" " ") == "ok ok " ]]
  [[ $stderr == *"4 links were refused: 2 by deny-path ^/2 (p:3), 2 by same-host"* ]]
  [[ $(sort -u rej) == $'http://a.test/2\tdepth=1\tvia=http://a.test/1\ttag=a@href\tpolicy=p:3\trule=deny-path ^/2\twhy=w\tclass=path\toutcome=blocked-by-policy\nhttp://b.test/\tdepth=1\tclass=same-host\toutcome=blocked-by-policy' ]]
  (($(wc -l <rej) == 4))
  run -0 sched --list --fields url,state
  [[ $output == $'http://a.test/1\tdone\nhttp://a.test/2\tdone' ]]
  run -0 sched --report --log log
  [[ $output == *"4 links were refused by the crawl policy: 2 by deny-path ^/2 (p:3), 2 by same-host."* ]]
}

@test "a page that policy refuses when its turn has come is settled so" {
  run -0 --separate-stderr sched --rejected=rej http://a.test/1 -- bash -c "$(answer 'policy=p:1\\toutcome=blocked-by-policy')"
  [[ $output == *"policy=p:1"*"outcome=blocked-by-policy" && ! -s rej ]]
  run -0 sched --list --fields url,state
  [[ $output == $'http://a.test/1\tblocked' ]]
}

@test "--again names the command that goes on" {
  run -3 --separate-stderr sched --again='crawl --retry-failed' --tries 1 --patience 1 http://a.test/ -- bash -c "$(answer outcome=dns-failed)"
  [[ $stderr == *"; to go on: crawl --retry-failed" ]]
}

@test "a site whose pages are broken is not given up: a status line is a sign of life" {
  run -0 --separate-stderr sched --tries 1 http://a.test/{1..9} -- bash -c "$(answer 'status=200\\toutcome=bad-response')"
  ((${#lines[@]} == 9))
  [[ $stderr != *finished* ]]
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

@test "a host that asks for a long rest is named, and the time that is left tells of it" {
  politeness-sched --state s --delay 0 http://a.test/1 -- \
    bash -c "$(answer 'status=503\\tretry-after=315360000\\toutcome=rate-limited')" 2>err 3>&- &
  local pid=$!
  soon 'grep -qE "at least (1 day|24 |23 h)" err'
  kill -TERM "$pid"
  wait "$pid" || (($? == 143))
  grep -qF "http://a.test asks to be left alone for 315360000 s: held for 86400 s" err
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

@test "bug: a stage that had given all back was killed two seconds later, while it packed" {
  run -0 --separate-stderr sched http://a.test/1 -- bash -c 'sed -u "s/\t.*//; s/$/\toutcome=ok/"; exec >&-; sleep 3; echo >packed'
  [[ -f packed && $stderr != *killed* ]]
}

@test "a page that kills the pipeline again and again is singled out and given up, all others come" {
  make_site
  sed -i 's|^  links=|&|; s|^  printf .%s.n. "$url" >>asked|&\n  [[ $n != 13 ]] \|\| kill -9 $$|' site
  run -0 --separate-stderr sched --retry-delay 50ms http://{a,b,c,d}.test/1 -- ./site 20
  ((${#lines[@]} == 80))
  (($(grep -c $'/13\tvia=.*\terror=the pipeline dies of it\toutcome=aborted$' <<<"$output") == 4))
  # Each is asked for at most twice in company, twice alone where others had passed, and three times alone.
  (($(grep -c /13 asked) <= 4 * 7))
  [[ $stderr == *"was killed by signal 9; in flight: http://"*.test/13* ]]
  run -0 sched --verify
  # Whoever killed the pipeline, a page that comes back in between is no suspect.
  run -0 sched --list --with-state error
  ((${#lines[@]} == 4))
}

@test "where nothing has ever come back, no page is blamed: status 2, and the page waits" {
  run -2 sched --retry-delay 10ms http://a.test/poison -- bash -c 'while IFS= read -r line; do kill -9 $$; done'
  [[ $output == *"5 times in a row without a result"* ]]
  run -0 sched --list --fields url,state
  [[ $output == $'http://a.test/poison\twaiting' ]]
  # Once another page has come, this page is to blame.
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
  soon '[[ -e up ]]'
  run -2 sched -- cat
  [[ $output == *"s/lock is held by process $first"* ]]
  echo go >hold
  wait "$first"
}

@test "what a killed scheduler leaves behind is ended before a new pipeline starts" {
  politeness-sched --state s -q http://a.test/1 -- bash -c 'trap "" PIPE; echo $$ >old; read -r line; kill -9 $PPID; sleep 300' 3>&- || true
  [[ -s old ]]
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
  # The process is gone, or a zombie.
  [[ ! -e /proc/$(cat old) || $(ps -o stat= -p "$(cat old)") == Z* ]]
}

@test "SIGTERM: what is in flight comes back, the rest stays, the status says so" {
  make_site
  politeness-sched --state s -q --delay 20ms http://h.test/1 -- ./site 100000 >out 2>err 3>&- &
  local pid=$!
  soon '[[ -s asked ]] && (($(wc -l <asked) > 5))'
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
  # Waits until the scheduler has read them and the pipe is empty.
  python3 -c 'import array, fcntl, termios, time
left, end = array.array("i", [1]), time.time() + 120
while left[0] and time.time() < end: fcntl.ioctl(9, termios.FIONREAD, left); time.sleep(0.01)'
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
  soon '[[ -e up ]]'
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
  # timeout(1) would keep the pipe open that is to be closed.
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

@test "a line of the pipeline that cannot be taken is told with its number; its URL is tried again, then lost" {
  cat >stage <<'EOF2'
#!/usr/bin/env bash
while IFS= read -r line; do
  case $line in
    */long*) printf '%s\tbody=%02000d\toutcome=ok\n' "${line%%$'\t'*}" 0 ;;
    */odd*) printf '%s\toutcome=odd\n' "${line%%$'\t'*}" ;;
    */link*) printf 'no url\tdepth=1\n%s\toutcome=ok\n' "$line" ;;
    *) printf '%s\toutcome=ok\n' "$line" ;;
  esac
done
EOF2
  chmod +x stage
  run -2 --separate-stderr sched --in-flight 1 --lease 1s --quiet-time 1s --tries 1 --max-line 1000 \
    http://h.test/link http://h.test/long http://h.test/odd http://h.test/page -- ./stage
  [[ $stderr == *'pipeline:1: '*'"no url"'* ]]
  [[ $stderr == *'pipeline:3: a line longer than --max-line: left out'* ]]
  [[ $stderr == *'pipeline:4: unknown outcome: "http://h.test/odd'* ]]
  (($(grep -c 'outcome=ok$' <<<"$output") == 2 && $(grep -c 'outcome=aborted$' <<<"$output") == 2))
}

@test "statistics: plain lines where standard error is no terminal, none with --quiet" {
  run -0 --separate-stderr politeness-sched --state s --delay 0 http://a.test/1 -- bash -c "$(answer 'size=2048\\toutcome=ok')"
  [[ $stderr == "politeness-sched: 1 page, 2.0 KiB in "*"; 0 waiting, 1 done, 0 failed, 0 blocked"* ]]
  run -0 --separate-stderr sched http://a.test/2 -- bash -c "$(answer outcome=ok)"
  [[ -z $stderr ]]
}

@test "bug: --forget-gone did not count the first visit, where that run visited nothing again" {
  local gone asked=0 run
  gone=$(answer $'status=404\toutcome=not-found')
  run -0 sched http://a.test/{1,2} -- bash -c "$gone"
  # A run visits a page once, and by the next run the millisecond has passed.
  for run in {1..40}; do
    run -0 sched --recrawl=1ms --forget-gone=3 -- bash -c "$gone"
    ((asked += ${#lines[@]})) || true
    run sched --show http://a.test/2
    [[ $output != *'visits: 3'* ]] || break
  done
  ((asked == 4))
  run -0 sched --recrawl=1ms --forget-gone=3 -- bash -c "$gone"
  [[ -z $output ]]
}

@test "--min-delay is kept where a site asks for less, and --give-up-after where a host says nothing" {
  run -0 timeout 60 politeness-sched --state s -q --delay 5s --min-delay 150ms http://a.test/{1..4} -- bash -c '
    while IFS= read -r line; do
      echo "a.test $(($(date +%s%N) / 1000000))" >>times
      if [[ $line == *purpose=robots* ]]; then printf "%s\tstatus=200\tcrawl-delay=0\toutcome=ok\n" "$line"; have=1
      elif [[ -z ${have-} ]]; then printf "%s\tneeds=http://a.test/robots.txt\toutcome=needs\n" "$line"
      else printf "%s\tstatus=200\toutcome=ok\n" "$line"; fi
    done'
  ((${#lines[@]} == 4))
  sed 1d times >asked
  check_gaps asked 149
  local silence
  silence=$(answer outcome=timeout)
  run -3 timeout 60 politeness-sched --state once -q --delay 0 --patience 1 http://b.test/ -- bash -c "$silence"
  [[ $output == *'it has not answered: timeout'* ]]
  run -3 timeout 60 politeness-sched --state more -q --delay 0 --patience 1 --give-up-after 1s --retry-delay 100ms http://b.test/ -- bash -c "$silence"
  [[ $output =~ 'it has not answered '([0-9]+)' times in a row' ]] && ((BASH_REMATCH[1] > 1))
}
