#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: what it refuses, with which words and status, and that a refused command changes nothing.

load helper
load ../loop/site

setup() { crawl=$SPINNERET_ROOT/scripts/crawl; }
teardown() { stop_site; }

# All that the driver itself keeps in state s.
kept() { (cd s && sha256sum seeds scope identity options); }

# refused OPTION...: status 2 for a new state, of which nothing is left, and for s, which stays as it was.
refused() {
  run -2 "$crawl" --state=new --delay=0 --max-time=5s "$@" http://127.0.0.1:2/ </dev/null
  [[ ! -e new ]] || { ls new; return 1; }
  run -2 "$crawl" --state=s --delay=0 --max-time=5s "$@" http://127.0.0.1:2/ </dev/null
  kept | diff before - || return 1
}

# A state of one page, which is done.
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

@test "the contact of a crawl of loopback does not do for the hosts of others" {
  make_state
  [[ $(sed -n 2p s/identity) == root@localhost ]]
  refused http://a.test/
  [[ $output == *"name your crawler"* ]]
  # One's own does, on loopback as elsewhere.
  "$crawl" --state=s --contact=me@example.org http://127.0.0.1:1/ 2>progress
  run -0 "$crawl" --state=s
  [[ $(sed -n 2p s/identity) == me@example.org ]]
}
