#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# dedupe --store: what it remembers from run to run, after kills, full disks and damage.
load helper

# given FORMAT OPTIONS...: runs dedupe on the lines that printf makes of FORMAT.
given() {
  local input=$1
  shift
  printf "$input" | dedupe "$@"
}

# damage FILE OFFSET: changes that byte. One in 256 of a store's random bytes is an X already.
damage() {
  local other=X
  [[ $(dd if="$1" bs=1 skip="$2" count=1 status=none | tr -d '\0') != X ]] || other=Y
  printf %s "$other" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

texts() { # TEXT...: a record each, with \n as it stands
  local n=0 text
  for text; do printf 'u%d\ttext=%s\ttext-words=9\toutcome=ok\n' $((++n)) "$text"; done
}

@test "a store remembers from run to run" {
  run -0 given 'a\nb\na\n' --store seen
  [[ $output == $'a\nb' ]]
  run -0 given 'b\nc\n' --store seen --sync
  [[ $output == c ]]
  run -0 dedupe --stat seen --fields=compares,entries,bits,torn
  [[ $output == $'url\t3\t128\t0' ]]
  run -0 given 'c\nd\n' --diff seen
  [[ $output == d ]]
  run -0 given 'c\nd\n' --diff seen --invert
  [[ $output == c ]]
  run -2 --separate-stderr given 'a\n' --store seen --whole-line
  [[ $stderr == *'"url", not "line"'* ]]
}

@test "--merge needs stores that are alike" {
  given 'a\nb\n' --store one
  given 'b\nc\n' --store two --like one
  given 'd\n' --store three
  run -0 dedupe --merge one two
  [[ $output == *"1 keys from two"* ]]
  run -0 given 'a\nc\nd\n' --diff one
  [[ $output == d ]]
  run -2 dedupe --merge one three
  [[ $output == *"seeds differ"*"--like one"* ]]
}

@test "--compact makes small blocks large and keeps every key" {
  for i in {1..50}; do echo "$i" | dedupe --store seen; done > /dev/null
  run -0 dedupe --compact seen
  run -0 dedupe --stat seen --fields=entries,blocks
  [[ $output == $'50\t1' ]]
  run -0 dedupe --diff seen <(seq 1 51)
  [[ $output == 51 ]]
}

@test "a torn store is told of, a damaged one refused and recovered" {
  given 'a\n' --store seen
  given 'b\n' --store seen
  given 'c\n' --store seen
  cp seen whole
  truncate -s -1 seen
  run -0 --separate-stderr given 'a\nc\n' --store seen
  [[ $output == c && $stderr == *"dropped 47 bytes at its end"* ]]
  cp whole seen
  damage seen 330
  run -2 given 'a\nb\n' --store seen
  [[ $output == *"damaged at byte 304"*"dedupe --recover seen"* ]]
  run -0 dedupe --recover seen
  [[ $output == *"kept 2 keys, left out 48 bytes"*"seen.damaged"* ]]
  run -0 given 'a\nb\nc\n' --store seen
  [[ $output == b ]]
}

@test "bug: --recover failed for ever once it had kept a damaged store" {
  for kept in seen.damaged seen.damaged.2 seen.damaged.3; do
    rm -f seen
    for key in a b c; do given "$key\n" --store seen; done
    damage seen 330
    cp seen damaged
    run -0 dedupe --recover seen
    [[ $output == *"kept 2 keys"*" the old file is $kept" ]]
    cmp damaged "$kept"
  done
}

@test "a second writer is refused, a reader is not" {
  mkfifo pipe
  dedupe --store seen < pipe > out &
  exec 9> pipe
  printf 'a\n' >&9
  soon '[[ -s out ]]'
  run -2 given 'a\n' --store seen
  [[ $output == *"in use by another writer"* ]]
  run -0 given 'a\nb\n' --diff seen
  [[ $output == b ]]
  exec 9>&-
  wait
}

@test "--max-age: what the store saw before that is new again" {
  run -0 given 'a\nb\na\n' --store seen
  [[ $output == $'a\nb' ]]
  # A store without times takes that of its last change.
  touch -d '40 days ago' seen
  run -0 given 'b\n' --diff seen
  [[ -z $output ]]
  run -0 given 'b\n' --diff seen --max-age=30d
  [[ $output == b ]]
  run -0 given 'b\n' --store seen --max-age=60d
  [[ -z $output ]]
  run -0 given 'b\nb\n' --store seen --max-age=30d
  [[ $output == b ]]
  run -0 given 'a\nb\nc\n' --store seen --max-age=60d --sync
  [[ $output == c ]]
  dedupe --compact seen --max-age=30d
  run -0 dedupe --stat seen --fields=entries
  [[ $output == 2 ]]
  run -0 given 'a\nb\nc\n' --store seen
  [[ $output == a ]]
  given 'a\n' --store plain
  run -2 --separate-stderr dedupe --compact plain --max-age=1d
  [[ $stderr == *"plain does not say when its keys came"* ]]
  run -0 dedupe --paragraphs=1 --store=texts --max-age=1h < <(texts 'one two')
  for options in '' '--store s --max-age=0' '--store s --max-age=1x' '--store s --max-age=500ms' '--store s --memory=64M' '--content --store s' '--count'; do
    run -2 given 'a\n' --max-age=1d $options
  done
}

@test "another file is no store, and is left alone" {
  printf 'https://a.example/\n' > list
  run -2 given 'a\n' --store list
  [[ $output == *"not a dedupe store"* && $(cat list) == https://a.example/ ]]
  run -2 given 'a\n' --diff none
  run -2 given 'a\n' --store /nonexistent/store
}

@test "kill -9: nothing is passed on twice" {
  seq 1 400000 | sed 's|^|https://host.example/some/path/|' > in
  for size in 0 1 1000000 3000000 5000000; do
    for sync in '' --sync; do
      rm -f seen
      # `out` is emptied here because a process killed before it has opened its output would leave the lines of an
      # earlier round.
      : > out
      dedupe --store seen $sync < in > out &
      while (( size > 0 )) && kill -0 $! 2>/dev/null && (( $(stat -c %s seen 2>/dev/null || echo 0) < size )); do :; done
      kill -9 $! 2>/dev/null || true
      wait $! 2>/dev/null || true
      dedupe --store seen in > rest 2> /dev/null
      # The last line may be torn.
      sed '$d' out | cat - rest | sort | uniq -d > twice
      [[ ! -s twice ]] || { echo "at $size $sync: $(wc -l <twice) lines, of $(wc -l <out) and $(wc -l <rest)"; head -n 3 twice; false; }
      dedupe --stat seen --fields=entries,torn > figures
      [[ $(cat figures) == $'400000\t0' ]]
      (( $(cat out rest | wc -l) > 400000 - 140000 ))
    done
  done
}

@test "a store on a full disk: trouble, and what is not remembered is not passed on" {
  seq 1 100000 > in
  run -2 bash -c 'ulimit -f 200; trap "" XFSZ; dedupe --store seen in > out'
  [[ $output == *"cannot write seen"* ]]
  run -0 dedupe --diff seen out
  [[ -z $output ]]
}

@test "bug: a disk that was full for a store's index alone ended the work" {
  seq 300000 > in
  # The limit on file size is enough for the log, but not for the index's run of the same keys.
  run -0 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 4900; dedupe --store seen in | cmp - in'
  [[ $stderr == *"File too large: the store goes on without"* && -z $(ls seen.index) ]]
  run -0 --separate-stderr dedupe --store seen in
  [[ -z $output$stderr ]]
  ls seen.index/*.run > old
  # When a store is removed its folder of index files stays, and the next store takes nothing from it.
  rm seen
  dedupe --store seen <(seq 299990 300010; seq 5) | cmp - <(seq 299990 300010; seq 5)
  [[ -s old && -z $(ls seen.index) ]]
}

@test "a store has an index beside it, which may go or be damaged at any time" {
  seq 1 600000 > in
  dedupe --store seen < in | cmp - in
  ls seen.index/*.run
  for damage in 'true' 'rm -r seen.index' 'truncate -s -1 seen.index/*.run' 'truncate -s 0 seen.index/*.run'; do
    eval "$damage"
    run -0 dedupe --store seen <(seq 5; echo "$damage")
    [[ $output == "$damage" ]]
    run -0 dedupe --diff seen <(seq 600000 600001)
    [[ $output == 600001 ]]
  done
  run -0 dedupe --compact seen
  run -0 dedupe --store seen in
  [[ -z $output ]]
}

@test "a store that memory does not hold" {
  seq 1 900000 > in
  dedupe --store seen --memory=32M --bits=64 in | cmp - in
  { seq 899991 900010; seq 5; } > more
  run -0 dedupe --store seen --memory=32M more
  [[ $output == "$(seq 900001 900010)" ]]
  run -0 dedupe --diff seen --memory=32M --invert <(seq 4; echo x)
  [[ $output == "$(seq 4)" ]]
}
