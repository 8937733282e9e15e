#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# url-filter: what once went wrong, in policies and in looking at them. Each test bears the bug's name.
load helper

# judge STATUS OPTION...: runs on stdin, checks the status.
judge() { run -"$1" --separate-stderr url-filter "${@:2}"; }

lines_of() { printf '%s\n' "$@"; }

# --- files ------------------------------------------------------------------------------------------

@test "a file that includes itself three times ran for ever" {
  lines_of 'include inc3' 'include inc3' 'include ./inc3' >inc3
  run -2 --separate-stderr timeout 20 url-filter --policy=inc3 http://a/
  [ "$stderr" = 'url-filter: inc3:1: the file includes itself' ]
  lines_of 'include b' 'deny-path ^/x' >a
  mkdir -p d
  ln -s ../a d/link
  lines_of 'include d/link' 'include a' >b
  judge 2 --policy=a http://a/
  [ "$stderr" = 'url-filter: b:1: d/link includes itself by way of this file' ]
}

@test "includes that double at each level took all memory" {
  local i
  for i in {1..14}; do lines_of "include f$((i + 1))" "include f$((i + 1))" >"f$i"; done
  echo 'deny-path ^/x' >f15
  run -2 --separate-stderr timeout 20 url-filter --policy=f1 http://a/
  [[ $stderr =~ ^'url-filter: f'[0-9]+:[12]': more than 1000 files are included, those included twice counted twice'$ ]]
  # The same file twice is none of this.
  judge 1 --policy=f10 http://a/x http://a/y
  [ "$output" = http://a/y ]
}
