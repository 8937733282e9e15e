#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: the modes that report on a state, and the options that go with them.

load helper
load crawling

setup() {
  crawl=$SPINNERET_ROOT/scripts/crawl
  seed=http://h.localhost:1/
}
make_state() { "$crawl" --state=s --delay=0 "$@" "$seed" >records 2>progress; }

@test "bug: --scope=origin took in the same name with www." {
  make_state --scope=origin
  [[ $(<s/scope) == "$seed" ]]
  run -1 "$crawl" --state=s --why=http://www.h.localhost:1/x
  [[ $output == *"scope: refused: out of scope"* ]]
  make_state --scope=host
  run -1 "$crawl" --state=s --why=http://www.h.localhost:1/x
  [[ $output == *"policy: accepted"* ]]
}

@test "bug: --report --ignore of a crawl without --check-links printed the report as if it had heeded it" {
  "$crawl" --state=s --delay=0 http://127.0.0.1:1/ >/dev/null
  run -2 --separate-stderr "$crawl" --state=s --report --ignore=list
  [[ -z $output && $stderr == "crawl: --report: the crawl in s was without --check-links, and has no links for --ignore" ]]
}

@test "bug: --diff, --list, --hosts, --show, --why and --report took options that they do not heed" {
  make_state
  local mode option
  for mode in --diff=s --list --hosts --show="$seed" --report --live; do
    for option in --exclude=x --max-pages=3 --store=d --format=text --only=page --fetch:head=x --retry-failed; do
      [[ $mode$option != --report--format=text ]] || continue
      run -2 "$crawl" --state=s "$mode" "$option"
      [[ $output == "crawl: ${mode%%=*} tells of what is kept, and ${option%%=*} does not go with that" || $option == --fetch:* ]] || { echo "$mode $option: $output"; false; }
    done
  done
  run -2 "$crawl" --state=s --why="$seed" --max-pages=3
  run -2 "$crawl" --state=s --report --json
  run -2 "$crawl" --cluster=redis://127.0.0.1:1/x --status --exclude=x
  [[ $output == "crawl: --status tells of what is kept, and --exclude does not go with that" ]]
  # Options that an alias puts before every command are accepted, and so are the crawl's options in a --config file.
  printf 'exclude = x\nmax-pages = 3\n' >options
  for mode in --diff=s --list --hosts --show="$seed" --why="$seed" --report; do
    run -0 "$crawl" --agent=a --contact=a@b --delay=0 --allow-private --quiet --config=options --state=s "$mode"
    run -0 "$crawl" --proxy=http://p.test:1 --header=x:y --cookies=none --insecure --allow=10.0.0.0/8 --timeout=9 --state=s "$mode"
  done
  run -0 "$crawl" --state=s --why="$seed" --exclude=h.localhost
  [[ $output == *"policy: refused"* ]]
  run -0 "$crawl" --state=s --list --sched:with-state=done
}

@test "bug: --dry-run --json printed no JSON" {
  run -0 "$crawl" --state=new --dry-run --json "$seed"
  [[ $output == "{\"url\":\"$seed\","*"\"delay\":1,\"after\":0,\"verdict\":\"accept\","*"}" ]]
}

@test "bug: --why accepted a page whose links the policy refuses, and did not say that it had seen none" {
  echo 'deny-tag iframe' >p
  make_state --policy=p
  run -1 --separate-stderr "$crawl" --state=s --why="${seed}framed"
  [[ $output == *"policy: accepted"* && $stderr == *"judged without a link: rules about links"* ]]
  run -0 --separate-stderr "$crawl" --state=s --why="$seed"
  [[ $stderr != *"without a link"* ]]
}
