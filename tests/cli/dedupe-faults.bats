#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# dedupe's files in TMPDIR: full, missing, cut and changed. (dedupe.bats and unit-dedupe test --memory; store-faults
# tests stores.)
load helper

cut_file() { truncate -s 0 "$1"; }
change_file() { dd if=/dev/zero of="$1" bs=1000 count=1 conv=notrunc status=none; }

# Lines that wait for the end of the input are in files without a name, which only a careless program can reach.
@test "bug: of lines that wait in a file which was cut or changed some were left out, with status 0" {
  mkdir runs
  seq 300000 > in
  mkfifo pipe
  for options in --count --unique --later --cluster --keep=first; do
    for spoil in cut_file change_file; do
      TMPDIR=$PWD/runs dedupe $options < pipe > out 2> err &
      pid=$!
      exec 9> pipe
      cat in >&9
      soon "[[ -n \$(find -L /proc/$pid/fd -type f -size +1000k) ]]"
      for file in /proc/$pid/fd/*; do
        [[ $(readlink "$file") != $PWD/runs/* ]] || $spoil "$file"
      done
      exec 9>&-
      wait $pid && status=0 || status=$?
      [[ $status == 2 && $(<err) == "dedupe: "*"a temporary file in $PWD/runs"* ]] || { echo "$options, $spoil: $status, $(<err)"; false; }
      # The lines that were printed are right.
      cmp <(cut -f1 out) in 2>&1 | grep -q 'EOF on /dev'
    done
  done
}

@test "what waits for the end of the input where TMPDIR is full, or not there" {
  mkdir runs
  seq 300000 > in
  for i in {1..3000}; do printf 'u%s\tbody=word%s next thing %s again\n' $i $i $((i % 7)); done > pages
  for options in '--count in' '--unique in' '--later in' '--cluster in' '--keep=first in' '--near --cluster pages' '--similarity=0.9 --keep=longest pages'; do
    run -2 --separate-stderr bash -c 'ulimit -f 50; trap "" XFSZ; TMPDIR=$PWD/runs dedupe '"$options"
    [[ -z $output && $stderr == "dedupe: cannot write a temporary file in $PWD/runs: "* ]] || { echo "$options: $stderr"; false; }
    run -2 --separate-stderr env TMPDIR=$PWD/none dedupe $options
    [[ -z $output && $stderr == "dedupe: cannot create a temporary file in $PWD/none: "* ]] || { echo "$options: $stderr"; false; }
  done
  [[ -z $(ls runs) ]]
}
