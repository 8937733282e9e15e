#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What tools keep on disk, when a call on it fails and when it is damaged: nothing is lost or invented, the damage is
# reported, and the next run works. (The scheduler's state: faults.bats, loop/kill.bats and unit-frontier; every byte of
# a seen-set and of a robots cache: unit-dedupe and unit-robots.) SPINNERET_FAULTS=long tries every offset.

load helper
load filters
load ../loop/site

setup() { need_strace; }
if [[ ${SPINNERET_FAULTS-} == long ]]; then step=1; else step=37; fi

# inject CALL ERROR N PATH... -- COMMAND...: runs the command, where the N-th such call on these paths fails; leaves
# status.
inject() {
  local call=$1 error=$2 number=$3 paths=()
  shift 3
  while [[ $1 != -- ]]; do paths+=(-P "$1") && shift; done
  shift
  status=0
  timeout 60 strace -f -qq -o /dev/null "${paths[@]}" -e "trace=$call" -e "inject=$call:error=$error:when=$number" \
    "$@" || status=$?
}

@test "the seen-set: a call on its file that fails loses no URL and passes none twice" {
  local call error n felt=0
  seq -f 'http://h%.0f.example/' 200 >in
  sort in >want
  for call in openat write ftruncate fsync fdatasync close; do
    for error in EIO ENOSPC; do
      for n in 1 2 3; do
        rm -f store*
        inject "$call" "$error" "$n" "$PWD/store" "$PWD" -- dedupe --sync --store="$PWD/store" in >first 2>err
        ((status == 0 || status == 2)) || { echo "$call $error $n: status $status"; cat err; false; }
        felt=$((felt + (status == 2)))
        ((status == 0)) || grep -q '^dedupe: ' err
        dedupe --sync --store="$PWD/store" in >second 2>err || { echo "$call $error $n: does not open"; cat err; false; }
        sort first second | diff want - >differ || { echo "$call $error $n (status $status)"; head differ; false; }
      done
    done
  done
  ((felt > 4))
}

@test "the seen-set: killed at any of its calls, of the store's or of the output's, it passes no URL twice and forgets none that it passed" {
  local call n options lost killed=0
  seq -f 'http://h%.0f.example/' 20000 >in
  for options in '' --sync; do
    for call in openat write fsync fdatasync close; do
      for ((n = 1, status = 137; status == 137; ++n)); do
        rm -rf store*
        : >first
        status=0
        strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$n" \
          dedupe $options --store=store in >first 2>err || status=$?
        ((status == 0 || status == 137)) || { echo "$options $call $n: status $status"; cat err; false; }
        killed=$((killed + (status == 137)))
        dedupe --store=store in >second
        # The last line may be torn.
        sed '$d' first | sort - second | uniq -d >twice
        [[ ! -s twice ]] || { echo "$options $call $n: passed on twice"; head -n 3 twice; false; }
        # At most one batch and the content of the output's buffer were stored but not passed on.
        lost=$((20000 - $(cat first second | wc -l)))
        [[ -n $options ]] || ((lost <= 1024 + 65536 / 18)) || { echo "$call $n: $lost are lost"; false; }
      done
    done
  done
  ((killed > 30)) || { echo "killed $killed times"; false; }
}

@test "the scheduler: a sync of its log that has failed ends the run in error, though later ones succeed" {
  inject fdatasync EIO 1 "$PWD/s/db/000004.log" -- politeness-sched --state s -q --delay 0 --in-flight 1 \
    http://a.test/{1..4} -- bash -c 'while IFS= read -r line; do sleep 0.6; printf "%s\toutcome=ok\n" "$line"; done' >out 2>err 3>&-
  ((status == 2))
  [[ $(<err) == *"the state: IO error: While fdatasync"* ]]
  # The same holds for the last page: the state is whole, and the next run goes on.
  politeness-sched --state s --verify
  politeness-sched --state s -q --delay 0 -- bash -c 'while IFS= read -r line; do printf "%s\toutcome=ok\n" "$line"; done' >>out 3>&-
  [[ $(cut -f1 out | sort -u | wc -l) == 4 ]]
}

@test "the scheduler: a disk that is full from some write on, or under a copy: status 2 that says what to do" {
  local when
  for when in 1+ 2+ 5+ 12+; do
    rm -rf s
    inject write ENOSPC "$when" "$PWD/s/db/000004.log" -- politeness-sched --state s -q --delay 0 --in-flight 1 \
      http://a.test/{1..9} -- sed -u 's/$/\toutcome=ok/' >out 2>err 3>&-
    ((status == 2)) || { echo "$when: status $status"; cat err; false; }
    [[ $(<err) == *"cannot write the state: "*"No space left on device"*"make room there, and run the same again"* ]]
    run -0 timeout 60 politeness-sched --state s -q --delay 0 http://a.test/{1..9} -- sed -u 's/$/\toutcome=ok/' 3>&-
    run -0 politeness-sched --state s --verify
    [[ $output == "9 URLs, 0 problems" ]]
    (($(politeness-sched --state s --list --with-state 'done' | wc -l) == 9))
  done
  inject link,linkat ENOSPC 2+ -- politeness-sched --state s --checkpoint copy 2>err
  ((status == 2)) && [[ ! -e copy ]]
  [[ $(<err) == *"cannot write the checkpoint: "*"make room there, and run the same again"* ]]
  politeness-sched --state s --checkpoint copy
  run -0 politeness-sched --state copy --verify
  [[ $output == "9 URLs, 0 problems" ]]
}

@test "the robots cache: a call on it that fails leaves rules that hold, or none" {
  local call error n felt=0
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=User-agent: *\\nDisallow: /p\\n\toutcome=ok\n' >in
  for call in mkdir openat write fsync fdatasync rename; do
    for error in EIO ENOSPC; do
      rm -rf cache
      [[ $call == mkdir ]] || mkdir cache
      n=1
      # Opening the output or the shared libraries is not to fail.
      inject "$call" "$error" "$n" cache cache/http_h.test_80 -- robots-check --learn --cache=cache in >out 2>err
      ((status <= 2)) || { echo "$call $error: status $status"; cat err; false; }
      felt=$((felt + (status == 2)))
      run robots-check --gate --cache=cache --agent=bot <<<"http://h.test/p"
      [[ $output == *outcome=needs || $output == *outcome=blocked-by-robots ]] || { echo "$call $error: $output"; false; }
      run -0 robots-check --learn --cache=cache in
      run -1 robots-check --gate --cache=cache --agent=bot <<<"http://h.test/p"
      [[ $output == *outcome=blocked-by-robots ]]
    done
  done
  ((felt > 1))
}

# Serves a page of which everything is kept; sets URL.
serve() {
  mkdir -p docs
  chmod 755 docs
  printf '<a href=/one>1</a><a href=/two>2</a>' >docs/p.html
  start_site "$PWD/docs"
  URL=http://127.0.0.1:$PORT/p.html
}

@test "bodies: a call on their files that fails is told; a record names only what is whole" {
  local call error n kind felt=0
  serve
  for kind in --store=kept --warc=kept.warc.gz; do
    for call in openat write mkdirat linkat; do
      for error in EIO ENOSPC; do
        for n in 1 2 3; do
          rm -rf kept*
          # Descriptors of sockets and pipes have no such paths.
          inject "$call" "$error" "$n" kept kept.warc.gz "$PWD/kept" "$PWD/kept.warc.gz" -- \
            fetch --allow-private "$kind" "$URL" >out 2>err
          ((status <= 2)) || { echo "$kind $call $error $n: status $status"; cat err; false; }
          felt=$((felt + (status == 2)))
          ((status != 2)) || grep -q '^fetch: .*kept' err
          if grep -qE '(body|warc)-file=' out; then
            extract-links <out >links 2>err || { echo "$kind $call $error $n: what it names is not whole"; cat err; false; }
            (($(wc -l <links) == 3))
          fi
        done
      done
    done
  done
  ((felt > 2))
}

# flipped AT FILE: prints the file with one bit of its byte AT flipped.
flipped() {
  head -c "$1" "$2"
  printf "\\x$(printf %x $(($(od -An -tu1 -j "$1" -N 1 "$2") ^ (1 << $1 % 8))))"
  tail -c "+$(($1 + 2))" "$2"
}

@test "a body-file with one bit turned, anywhere, is told by each of its readers" {
  local at file digest
  serve
  for digest in xxh3 sha256; do
    fetch --allow-private --digest=$digest --store-as=files --store=kept-$digest "$URL" >in
    file=$(grep -o 'body-file=[^	]*' in | cut -d= -f2)
    cp "$file" sound
    sed 's/\t/\tpurpose=robots\t/' in >robots
    run -0 --separate-stderr extract-links in
    run -0 --separate-stderr dedupe --content in
    for ((at = 0; at < $(wc -c <sound); at += step)); do
      flipped "$at" sound >"$file"
      run -1 --separate-stderr extract-links in
      [[ $output == "$URL"*$'\toutcome=aborted' && $output != *$'\n'* && $stderr == *": damaged"* ]]
    done
    run -1 --separate-stderr dedupe --content in
    [[ $output == "$(cat in)" && $stderr == *": damaged"* ]]
    run -1 --separate-stderr robots-check --learn --cache=cache robots
    [[ $stderr == *": damaged"* && -z $(find cache -type f) ]]
  done
}

@test "a plain WARC with one bit turned, anywhere, gives the same links or is told" {
  local at size told=0
  serve
  fetch --allow-private --warc=kept.warc "$URL" >in
  extract-links in | grep -v outcome= >want
  cp kept.warc sound
  size=$(wc -c <sound)
  at=$(grep -o 'warc-offset=[0-9]*' in | cut -d= -f2)
  # The first byte of the HTTP head is among them: a block without a head must not be taken for a page without links.
  for at in $(seq "$at" "$step" $((size - 1))) "$(grep -abo "^HTTP/1.1 200" sound | cut -d: -f1)"; do
    flipped "$at" sound >kept.warc
    status=0
    extract-links in >out 2>err || status=$?
    if ((status == 0)); then
      grep -v outcome= out | diff want - || { echo "at $at: other links, and nothing said"; false; }
    else
      ((status == 1)) && [[ $(<out) == "$URL"*$'\toutcome=aborted' ]] && grep -q 'kept.warc\|damaged' err || { echo "at $at: $status"; cat err; false; }
      told=$((told + 1))
    fi
  done
  # Damage is reported at least within the body.
  ((told * step > 30))
}

@test "a body that was cut, and a packed WARC that was changed anywhere, is told" {
  local at size bad
  serve
  fetch --allow-private --store-as=files --store=kept "$URL" >in
  extract-links in | grep -v outcome= >want
  local file
  file=$(grep -o 'body-file=[^	]*' in | cut -d= -f2)
  cp "$file" sound
  for ((at = 0; at < $(wc -c <sound); at += step)); do
    head -c "$at" sound >"$file"
    run -1 --separate-stderr extract-links in
    [[ $output == "$URL"*$'\toutcome=aborted' && $output != *$'\n'* && $stderr == *": torn"* ]]
  done

  fetch --allow-private --warc=kept.warc.gz "$URL" >in
  cp kept.warc.gz sound
  size=$(wc -c <sound)
  at=$(grep -o 'warc-offset=[0-9]*' in | cut -d= -f2)
  for ((; at < size; at += step)); do
    for kind in cut zeros bit; do
      case $kind in
        cut) head -c "$at" sound >kept.warc.gz ;;
        zeros) { head -c "$at" sound; printf '\0\0\0\0'; tail -c "+$((at + 5))" sound; } >kept.warc.gz ;;
        bit)
          flipped "$at" sound >kept.warc.gz ;;
      esac
      status=0
      extract-links in >out 2>err || status=$?
      if ((status == 0)); then
        # The damage is behind the record, or in a field of the gzip head that means nothing.
        grep -v outcome= out | diff want - || { echo "$kind at $at: other links, and nothing said"; false; }
      else
        ((status == 1)) && [[ $(<out) == "$URL"*$'\toutcome=aborted' ]] && grep -q 'kept.warc.gz' err || { echo "$kind at $at: $status"; cat err; false; }
      fi
    done
  done
}

# The pages of half a minute were settled in the state, which was synced, and were on disk nowhere else.
@test "bug: after a power cut settled pages had no body, text or record: only the state was on disk" {
  # Where pages come seldom, each is on disk before its record is passed on.
  synced_first() {
    strace -f -qq -y -o trace -e trace=fdatasync,write "$@" >out 2>err 3>&-
    awk -v kept="$kept" '/ fdatasync\(/ && index($0, kept) { synced = 1 }
      / write\(/ && /outcome=ok/ && !index($0, kept) { exit !synced }
      END { if (!synced) exit 1 }' trace || { echo "$*"; cat trace; false; }
  }
  serve
  kept=kept/bodies synced_first fetch --allow-private --store=kept "$URL"
  kept=kept.warc.gz synced_first fetch --allow-private --warc=kept.warc.gz "$URL"
  cp out in
  kept=texts synced_first extract-text --text-to=texts in
  kept=edges synced_first extract-links --edges=edges in
  strace -f -qq -y -o trace -e trace=fdatasync politeness-sched --state=s -q --delay=0 "$URL" -- sed -u 's/$/\toutcome=ok/' >pages 2>err 3>&-
  grep -q 'fdatasync(1<.*/pages>' trace
}

# keep_watched STRACE-OPTION... -- FETCH-OPTION...: runs fetch under strace, with descriptor 9 as its input; leaves pid.
keep_watched() {
  local options=()
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  rm -rf in kept* && mkfifo in && : >trace
  strace -f -qq -y -o trace "${options[@]}" fetch --allow-private "${@:2}" <in >out 2>err 3>&- &
  pid=$!
  exec 9>in
}
# has_synced N: whether N syncs of kept files are over. If another thread interrupts one, strace prints its end as a
# line of its own.
has_synced() { (($(grep -c '\(fdatasync(.*/kept\|syncfs(.*/kept\).*= \|<\.\.\. \(fdatasync\|syncfs\) resumed' trace) >= $1)); }

# The state knew both pages, but only the first was on disk: the second came within a second of it, and there was no
# third.
@test "bug: a page that came within a second of another was not on disk until a further one came" {
  local pid options
  serve
  for options in --store=kept --warc=kept.warc.gz '--store=kept --store-as=files'; do
    read -ra options <<<"$options"
    keep_watched -e trace=fdatasync,syncfs -- "${options[@]}"
    echo "$URL" >&9
    soon 'has_synced 1'
    echo "$URL?again" >&9
    # As far as fetch knows more may come, so this is not its sync at the end.
    soon 'has_synced 2'
    exec 9>&-
    wait "$pid"
    [[ $(grep -c 'outcome=ok' out) == 2 ]]
  done
}

@test "a sync of what is kept of pages that fails is told, also where it follows its page" {
  local pid options error
  is_told() {
    ((status == 2)) && grep -q '^fetch: cannot sync .*kept' err || { echo "$error ${options[*]}: status $status"; cat err; false; }
  }
  serve
  for error in EIO ENOSPC; do
    for options in --store=kept --warc=kept.warc.gz; do
      rm -rf kept*
      inject fdatasync "$error" 1 -- fetch --allow-private "$options" "$URL" >out 2>err
      is_told
      grep -q 'outcome=aborted' out
    done
    # No page waits for this sync: its failure is reported with the next page, or at the end.
    options=(--store=kept --store-as=files)
    rm -rf kept*
    inject syncfs "$error" 1 -- fetch --allow-private "${options[@]}" "$URL" >out 2>err
    is_told
    keep_watched -e trace=syncfs -e "inject=syncfs:error=$error:when=1" -- "${options[@]}"
    echo "$URL" >&9
    soon 'grep -q INJECTED trace'
    echo "$URL?again" >&9
    exec 9>&-
    status=0
    wait "$pid" || status=$?
    is_told
  done
}

# The first line is synced when it is written, and lines within the next second at the end; a failure there was not
# noticed.
@test "bug: a sync of a list kept for the next run that fails at its end was success" {
  local n
  # is_told FILE N COMMAND...: checks that the command reports the failure of the N-th sync of the file.
  is_told() {
    rm -rf s "$1"
    : >"$1"
    inject fdatasync EIO "$2" "$PWD/$1" -- "${@:3}" >out 2>err
    ((status == 2)) && grep -q "cannot write $1: Input/output error" err || { echo "$*: status $status"; cat err; false; }
  }
  answer='while IFS= read -r line; do
    printf "http://b.test/%s\tdepth=1\tclass=same-host\toutcome=blocked-by-policy\n" "${#line}"
    printf "%s\tstatus=200\toutcome=ok\n" "$line"; done'
  printf 'budget host 9\n' >policy
  echo http://a.test/ >seeds
  printf 'http://%s.test/\tdepth=1\tvia=http://a.test/\ttag=location\n' b c >moves
  for n in 1 2; do
    is_told booked "$n" url-filter --policy=policy --booked=booked http://a.test/1 http://a.test/2
    is_told adopted "$n" url-filter --same-host --seeds=seeds --adopt=adopted moves
    is_told adopted "$n" url-filter --hits --policy=policy --same-host --seeds=seeds --adopt=adopted moves
    is_told adopted "$n" url-filter --diff=policy --same-host --seeds=seeds --adopt=adopted moves
    is_told rejected "$n" politeness-sched --state=s -q --delay=0 --in-flight=1 --rejected=rejected http://a.test/{1,12} -- bash -c "$answer"
    is_told log "$n" politeness-sched --state=s -q --delay=0 --in-flight=1 --log=log http://a.test/{1,12} -- bash -c "$answer"
  done
}
