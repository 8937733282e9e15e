#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: what it refuses, with which message and status. A refused command must change nothing.

load helper
load crawling

# Checksums of all that the driver itself keeps in state s.
kept() { (cd s && sha256sum seeds scope identity options); }

# refused OPTION...: the command ends with 2, both for a new state, of which nothing is left, and for s, which does not
# change.
refused() {
  run -2 "$crawl" --state=new --delay=0 --max-time=5s "$@" http://127.0.0.1:2/ </dev/null
  [[ ! -e new ]] || { ls new; return 1; }
  run -2 "$crawl" --state=s --delay=0 --max-time=5s "$@" http://127.0.0.1:2/ </dev/null
  kept | diff before - || return 1
}

# Makes a state of one page, which is done.
make_state() {
  "$crawl" --state=s --delay=0 http://127.0.0.1:1/ >records 2>progress
  kept >before
}

@test "a refused command keeps its seeds" {
  make_state
  refused --scope=galaxy
  [[ $output == *"--scope takes"* ]]
  refused http://exmaple.invalid/
  [[ $output == *"name your crawler"* ]]
  refused --agent='x y' --contact=a@b
  refused --agent=x --contact=nobody
  refused nosuchfile
}

@test "an option that a stage refuses stops the command, not the stages in the loop" {
  make_state
  local option
  for option in --max-depth=x --only=@ --in-flight=0 --per-host=x --delay=5x --recrawl=z --max-time=soon --max-pages=x; do
    refused "$option"
    # The message is the tool's own, and no page gets an outcome.
    [[ $output == *"${option%%=*}"* ]] || { echo "$option: $output"; false; }
    [[ $output == *"nothing is crawled: "* && $output != *outcome=* ]]
    run -2 "$crawl" --state=new --dry-run "$option" http://127.0.0.2:1/
    [[ ! -e new ]]
  done
  echo 'no such rule' >bad.policy
  refused --policy=bad.policy
  [[ $output == *bad.policy:1:* ]]
  refused --policy=nosuch
  [[ $output == *"--policy takes a file of rules, and nosuch is none" ]]
  # A stage that is started again would find such a pipe empty.
  refused --policy=<(echo 'deny *')
}

@test "a flag with a value is refused: --ignore-robots=no did not mean no" {
  make_state
  local flag
  for flag in --ignore-robots --allow-private --dry-run --demo --insecure --version; do
    refused "$flag=no"
    [[ $output == *"$flag takes no value"* ]]
    refused "$flag="
  done
}

@test "an empty value is none" {
  make_state
  local option
  for option in --state --agent --contact --scope --policy --delay --store --warc --only --report; do
    refused "$option="
    [[ $output == *"$option"*" needs a value"* ]]
    [[ $option == --report ]] || refused "$option" ''
  done
}

@test "of two questions none is dropped: they exclude each other" {
  make_state
  local pair
  for pair in "--hosts --list" "--list --show=http://h/" "--why=http://h/ --add" "--dry-run --hosts" "--demo --dry-run"; do
    # shellcheck disable=SC2086
    refused $pair
    [[ $output == *" exclude each other" ]] || { echo "$pair: $output"; false; }
  done
  run -0 "$crawl" --version --help
  [[ $output == Usage:* ]]
}

@test "--store and --warc exclude each other" {
  make_state
  refused --store=bodies --warc=w.warc
  [[ $output == *"--store and --warc exclude each other" && ! -e bodies && ! -e w.warc ]]
}

# trouble WORDS COMMAND...: the command ends with 2 and prints the words.
trouble() {
  run -2 "${@:2}" </dev/null
  [[ $output == *"$1"* ]] || { echo "$output"; return 1; }
}

@test "bug: --wacz without --warc had the pipeline fail again and again" {
  run -2 "$crawl" --state=new --allow-private --wacz http://127.0.0.1:1/
  [[ $output == "crawl: --wacz goes with --warc" && ! -e new ]]
}

@test "a place that cannot be written is trouble, named before anything is written" {
  make_state
  mkdir folder
  touch file
  trouble "--state names a folder, and file is none" "$crawl" --state=file http://127.0.0.1:1/
  trouble "--state names a folder, and file is none" "$crawl" --state=file --dry-run http://127.0.0.1:1/
  trouble "no crawl is kept in file" "$crawl" --state=file --report
  # No user can create these, not even root.
  trouble "--state: cannot write file/a; name another place" "$crawl" --state=file/a http://127.0.0.1:1/
  trouble "--state: cannot write /proc/a; name another place" "$crawl" --state=/proc/a http://127.0.0.1:1/
  TMPDIR=/proc/a trouble "let TMPDIR name another place" "$crawl" --state=new --dry-run http://127.0.0.1:1/
  trouble "--report names a file, and folder is a folder" "$crawl" --state=s --report=folder
  trouble "--warc names a file, and /dev/null is none" "$crawl" --state=s --warc=/dev/null
  trouble "--report: cannot write none/a; name another place" "$crawl" --state=s --report=none/a
  local place
  for place in --report=folder --report=none/a --report=file/a --warc=folder --warc=none/a --store=file --store=file/a; do
    refused "$place"
    [[ $output == *"${place%%=*}"*"${place#*=}"* ]] || { echo "$output"; false; }
  done
  [[ ! -s file && -z $(ls folder) && ! -e none ]]
}

@test "bug: a state on a full disk was reported in the shell's words, with a line of the script" {
  local file
  for file in seeds options; do
    mkdir -p "full-$file/.new"
    ln -s /dev/full "full-$file/.new/$file"
    trouble "crawl: cannot write full-$file/$file: is the disk full?" "$crawl" --state="full-$file" http://127.0.0.1:1/
    [[ $output != *"line "* && ! -e full-$file/seeds ]]
  done
  mkdir full-lock
  ln -s /dev/full full-lock/lock
  trouble "crawl: cannot write full-lock/lock: is the disk full?" "$crawl" --state=full-lock http://127.0.0.1:1/
  [[ $output != *"line "* ]]
}

@test "bug: a umask that takes its files from the crawl itself was told as a full disk" {
  local as=()
  ((EUID != 0)) || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  mkdir masked
  chmod 777 masked
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
  cd masked
  run -2 "${as[@]}" "$BASH" -c 'umask 0777 && exec "$@"' - "$crawl" --state=s http://127.0.0.1:1/
  # The driver, which may not enter the folder, cannot remove it.
  chmod -R u+rwX s
  [[ $output == "crawl: cannot write s/"*": it may not be read and written here, with a umask of 0777; "* ]]
}

@test "a tool that is missing is found before anything is written" {
  make_state
  local tool
  for tool in "${TOOLS[@]}"; do
    [[ $tool != robots-check ]] || continue  # its options are the driver's own
    [[ $tool != records && $tool != link-check ]] || continue  # they are no stages of the loop
    mkdir -p bin
    ln -sf "$SPINNERET_BIN"/* bin/
    rm "bin/$tool"
    PATH=/usr/bin:/bin SPINNERET_BIN=$PWD/bin refused --agent=x
    [[ $output == *"$tool: command not found"* ]] || { echo "$output"; false; }
  done
}

@test "the command that is suggested can be typed: its URLs are quoted" {
  trouble "crawl --agent=examplebot --contact=me@example.org 'http://a.test/?b&c=\$(d)'" "$crawl" --state=new 'http://a.test/?b&c=$(d)'
}

@test "a state whose name begins with a hyphen is a state, not an option" {
  run -0 --separate-stderr "$crawl" --state=-x --delay=0 http://127.0.0.1:1/
  [[ $output == *outcome=refused-address* && -s ./-x/scope ]]
  run -0 "$crawl" --state=-x --delay=0
  "$crawl" --state -x --report | grep -q '<html'
}

@test "the contact of a crawl of loopback does not do for the hosts of others" {
  make_state
  [[ $(sed -n 2p s/identity) == root@localhost ]]
  refused http://a.test/
  [[ $output == *"name your crawler"* ]]
  # A contact of one's own is accepted, on loopback as elsewhere.
  "$crawl" --state=s --contact=me@example.org http://127.0.0.1:1/ 2>progress
  run -0 "$crawl" --state=s
  [[ $(sed -n 2p s/identity) == me@example.org ]]
}

@test "bug: of a long list of seeds no name and contact were asked for, and hosts of others were crawled without" {
  seq -f "http://a.test/%g-$(printf %0200d 0)" 20000 >long
  local signal
  for signal in default ignore; do
    run -2 env "--$signal-signal=PIPE" "$crawl" --state=s --max-time=1s --tries=1 --patience=1 long
    [[ $output == 'crawl: name your crawler and a contact'* && ! -e s ]] || { echo "$output"; false; }
  done
}

# Serves a page with a link, on loopback.
serve_page() {
  mkdir -p docs
  chmod 755 docs
  echo '<a href="/b">b</a>' >docs/index.html
  start_site "$PWD/docs"
}

# Starts a crawl of state s in a session of its own and waits until it has asked for robots.txt; its id is in $running.
start_crawl() {
  serve_page
  setsid "$crawl" --state=s --allow-private --delay=1h --scope=host "http://127.0.0.1:$PORT/" >records 2>progress 3>&- &
  running=$!
  soon 'grep -qs /robots.txt "$LOG"'
  kept >before
}

@test "a second crawl of a state changes nothing of the first" {
  start_crawl
  run -2 "$crawl" --state=s --scope=any --agent=other --contact=a@b --delay=0 http://127.0.0.2:1/
  [[ $output == *"crawl: s/lock is held by process $running: another crawl works on this state" ]]
  kept | diff before -
  # Looking into the state still works.
  "$crawl" --state=s --report | grep -q '<html'
}

@test "a state that politeness-sched works on is left alone, too" {
  make_state
  flock s/frontier/lock sleep 100 3>&- &
  local holder=$!
  soon '! flock -n s/frontier/lock true'
  run -2 "$crawl" --state=s --scope=any http://127.0.0.2:1/
  [[ $output == *"s/frontier/lock is held by process "*": another politeness-sched works on this state" ]]
  kept | diff before -
  kill "$(pgrep -P "$holder")" "$holder"
}

@test "of two crawls started at once on a new state, one is refused and leaves nothing" {
  serve_page
  local round both first status
  for round in 1 2 3; do
    status=0
    "$crawl" --state="s$round" --allow-private --delay=1h "http://127.0.0.1:$PORT/" >/dev/null 2>one 3>&- &
    both=("$!")
    "$crawl" --state="s$round" --allow-private --delay=1h "http://127.0.0.2:$PORT/" >/dev/null 2>two 3>&- &
    both+=("$!")
    # The other crawl has an hour to wait.
    wait -n -p first "${both[@]}" || status=$?
    ((status == 2)) || { echo "status $status"; cat one two; false; }
    # The crawl that is left writes its seed a moment after it has taken the lock, and the lock is what refuses the
    # other.
    soon "[[ -s s$round/seeds ]]"
    (($(wc -l <"s$round/seeds") == 1))
    end_tree $((both[0] + both[1] - first))
    wait "${both[@]}" || true
    cat one two | grep -q "another crawl works on this state"
  done
}

@test "a crawl that was killed holds its state no longer, even if a stage of it hangs" {
  start_crawl
  local stage
  stage=$(pgrep -s "$running" -x fetch)
  kill -STOP "$stage"
  kill -KILL "$running"
  wait "$running" 2>/dev/null || true
  # The scheduler dies with the driver, though a moment later.
  flock -w 60 s/lock true
  # The next run ends what is left of the killed one (a zombie where nobody reaps orphans).
  run -0 "$crawl" --state=s --allow-private --max-time=1s
  [[ $(ps -o stat= -p "$stage") != T* ]]
}

@test "bug: a crawl was refused for as long as a killed one took to die" {
  make_state
  exec {held}<>s/lock
  flock "$held"
  # The number of a process that no longer runs.
  bash -c 'echo $$' >s/lock
  "$crawl" --state=s --allow-private --max-time=1s >/dev/null 2>said {held}>&- 3>&- &
  running=$!
  soon "grep -qxE 'crawl: waiting for the scheduler of process $(<s/lock), which was killed, to end' said"
  exec {held}>&-
  wait "$running"
}

@test "bug: a crawl that was killed while it started its scheduler crawled on without its driver, and held its state" {
  make_state
  local pid
  mkdir bin
  # setpriv, which asks to be killed when the driver dies, is called only once the driver is dead.
  printf '#!/bin/sh\necho $$ >begun\nwhile [ ! -e killed ]; do sleep 0.02; done\nexec %q "$@"\n' "$(type -P setpriv)" >bin/setpriv
  chmod +x bin/setpriv
  PATH=$PWD/bin:$PATH "$crawl" --state=s --allow-private --retry-delay=1h http://127.0.0.1:9/ >/dev/null 2>said 3>&- &
  soon '[[ -s begun ]]'
  kill -9 $!
  wait $! || true
  touch killed
  pid=$(<begun)
  soon '[[ ! -e /proc/$pid ]]' || { kill -9 "$pid" && false; }
  flock -n s/lock true
}

@test "bug: an output named - was kept in a file of that name" {
  make_state
  local option
  for option in --warc --report --metrics --links --rejected --text-to; do
    refused "$option=-"
    [[ $output == *"$option names a file, and - is not one here"* && ! -e ./- ]]
  done
  run -2 "$crawl" --state=s --report=-
  [[ $output == *"--report names a file, and - is not one here"* && ! -e ./- ]]
}

@test "bug: links, items or texts for /dev/stdout went into the next stage, and were lost" {
  local option
  printf 'each body\nfield name h1\n' >rules
  for option in --links --text-to '--items=rules --items-to'; do
    # shellcheck disable=SC2086  # two words
    run -2 "$crawl" --state=new --allow-private $option=/dev/stdout http://127.0.0.1:1/
    [[ $output == *"crawl: --"*" names a file: standard output has the page records" && ! -e new ]]
  done
}

@test "bug: a report in the place of the file that standard output goes into took the page records with it" {
  local option name
  : >out
  ln -s /proc/self/fd/1 stdout
  for option in --report --metrics --rejected --links --text-to --warc; do
    for name in out ./out /dev/stdout /proc/self/fd/1 stdout; do
      run -2 bash -c '"$@" >>out' _ "$crawl" --state=new --allow-private "$option=$name" http://127.0.0.1:1/
      [[ $output == *"crawl: $option names a file: standard output has the page records" && ! -e new && ! -s out ]]
    done
  done
}

@test "bug: two outputs of one name were written into one file, one through the other" {
  make_state
  refused --links=out --text-to=./out
  [[ $output == *"--links and --text-to name one file: ./out"* ]]
  ln -s out again
  refused --rejected=out --items-to=again --items=/dev/null
  [[ $output == *"name one file"* && ! -e out ]]
}

@test "bug: links were appended to a policy or a file of seeds, and cookies written over links, where both had one name" {
  make_state
  echo 'deny-path ^/a' >rules
  echo http://127.0.0.1:1/ >list
  : >empty
  ln -s rules again
  refused --policy=rules --links=again
  [[ $output == *"--policy and --links name one file: again"* && $(<rules) == 'deny-path ^/a' ]]
  refused --text-to=./list list
  [[ $output == *"--text-to names a file of seeds: ./list"* && $(<list) == http://127.0.0.1:1/ ]]
  refused --cookies=empty --rejected=empty
  [[ $output == *"--cookies and --rejected name one file: empty"* ]]
  # bug: of an option that is given twice, only the last file was checked
  : >other
  run -2 "$crawl" --state=new --delay=0 --policy=empty --policy=other --rejected=empty http://127.0.0.1:2/
  [[ $output == *"--policy and --rejected name one file: empty"* ]]
}

@test "bug: a named pipe that nobody reads swallowed what was written to it, or held the crawl for ever" {
  make_state
  mkfifo pipe
  echo 'field t title' >rules
  local option
  for option in --links --rejected --text-to --metrics "--items=rules --items-to"; do
    # shellcheck disable=SC2086
    run -2 timeout -k 1 100 "$crawl" --state=new --delay=0 -q $option=pipe http://127.0.0.1:2/ </dev/null
    [[ $output == *"pipe: it is a pipe that nobody reads"* ]] || { echo "$option: $output"; false; }
  done
  # A reader of the pipe gets everything, whatever stages begin and end meanwhile.
  serve_page
  cat pipe >texts &
  local reader=$!
  run -0 timeout -k 1 100 "$crawl" --state=read --allow-private --delay=0 -q --text-to=pipe "http://127.0.0.1:$PORT/"
  wait "$reader"
  (($(grep -c . texts) == 1))
}

@test "bug: --store at a link to nothing had the pipeline fail again and again" {
  make_state
  ln -s /nowhere/at/all store
  refused --store=store
  [[ $output == *"--store names a folder, and store is none"* ]]
  refused --links=store
  [[ $output == *"--links: cannot write /nowhere/at/all"* ]]
}

@test "bug: beside --ignore-robots what --refuse, --deny-status and --robots-mode ask for was not done, without a word" {
  make_state
  local option
  for option in --refuse=train-ai --deny-status=403 --robots-mode=google --robots:max-age=1h; do
    refused --ignore-robots "$option"
    [[ $output == "crawl: --ignore-robots and ${option%%=*} exclude each other: no robots.txt is asked" ]]
  done
}
