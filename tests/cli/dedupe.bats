#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

# dedupe OPTIONS... on the lines given by printf format $1
given() {
  local input=$1
  shift
  printf "$input" | dedupe "$@"
}

@test "the first of each stays, in order, empty lines are lines" {
  run -0 given 'b\na\n\nb\n\na\nc' 
  [[ $output == $'b\na\n\nc' ]]
}

@test "column 1 is the key" {
  run -0 given 'a\tx=1\na\tx=2\nb\n'
  [[ $output == $'a\tx=1\nb' ]]
}

@test "settled records pass and do not count" {
  run -0 given 'a\toutcome=ok\na\na\toutcome=ok\na\n'
  [[ $output == $'a\toutcome=ok\na\na\toutcome=ok' ]]
}

@test "--whole-line, --field, --key, --invert" {
  run -0 given 'a\tx=1\na\tx=2\na\tx=1\n' --whole-line
  [[ $output == $'a\tx=1\na\tx=2' ]]
  run -0 given 'a\tq\nb\tq\nc\n' --field 2
  [[ $output == $'a\tq\nc' ]]
  run -0 given 'a\tx=1\tvia=p\nb\tvia=p\nc\n' --key via
  [[ $output == $'a\tx=1\tvia=p\nc' ]]
  run -0 given 'a\tx=1\ty=2\nb\tx=1\ty=3\nc\ty=2\tx=1\n' --key x --key y
  [[ $output == $'a\tx=1\ty=2\nb\tx=1\ty=3' ]]
  run -0 given 'a\nb\na\na\n' --invert
  [[ $output == $'a\na' ]]
}

@test "CR before LF is dropped, NUL ends records under -z" {
  run -0 given 'a\r\na\n'
  [[ $output == a ]]
  printf 'a\0b\nc\0a' | dedupe -z > out
  printf 'a\0b\nc\0' | cmp - out
}

@test "a full disk is trouble" {
  run -2 bash -c 'printf "a\n" | dedupe > /dev/full'
}

@test "the first line comes at once on a slow pipe" {
  mkfifo pipe
  dedupe < pipe > out &
  exec 9> pipe
  printf 'a\n' >&9
  for _ in {1..50}; do [[ -s out ]] && break; sleep 0.1; done
  [[ $(cat out) == a ]]
  exec 9>&-
  wait
}
