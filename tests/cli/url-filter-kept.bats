#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# url-filter: what it keeps in files for other processes and for the next run: --adopt, --booked.
load helper

@test "--adopt: a seed that redirects takes its scope along, over five redirects, also at the next start" {
  echo http://a.test/ >seeds
  link() { printf '%s\tdepth=%s\tvia=%s\ttag=%s\n' "$@"; }
  {
    link http://b.test/x 1 http://a.test/ a@href
    link http://b.test/ 1 http://a.test/ location
    link http://b.test/y 2 http://b.test/ a@href
    link http://c.test/ 2 http://b.test/y location
    link http://d.test/ 1 http://a.test/other location
  } >links
  run -1 --separate-stderr url-filter --same-host --seeds=seeds --adopt=adopted links
  [[ $(cut -f1 <<<"$output" | xargs) == "http://b.test/ http://b.test/y" ]]
  [[ $stderr == 'url-filter: "http://a.test/" redirects to "http://b.test/", which is in scope from now on' ]]
  [[ $(<adopted) == $'http://b.test/\tdepth=1' ]]
  run -0 --separate-stderr url-filter --same-host --seeds=seeds --adopt=adopted http://b.test/later
  [[ -n $output && -z $stderr ]]
  local n from=http://a.test/
  for n in 1 2 3 4 5 6 7; do
    link "http://hop$n.test/" 3 "$from" location
    from=http://hop$n.test/
  done >chain
  run -1 --separate-stderr url-filter --same-host --seeds=seeds --adopt=chained chain
  ((${#lines[@]} == 5))
  # The file ends with a line that a kill has torn.
  printf 'http://c.te' >torn
  run -1 url-filter --same-host --seeds=seeds --adopt=torn links
  [[ $(<torn) == $'http://c.te\nhttp://b.test/\tdepth=1' ]]
  # What a rule refuses is not adopted, and without a scope there is nothing to adopt.
  run -1 url-filter --same-host --seeds=seeds --adopt=none --deny-domain=b.test links
  [[ ! -e none ]]
  run -0 url-filter --seeds=seeds --adopt=none links
  [[ ! -e none ]]
  run -2 url-filter --same-host --adopt=none links
  run -2 url-filter --same-host --seeds=seeds --adopt=nosuch/file links
  [[ $output == *nosuch/file* ]]
}

@test "--booked: what budgets have paid for, and how far off the site pages lie, is known to the next process" {
  printf 'budget host 2\ntraps default\nscope host\nseed http://a.test/\nmax-offsite-hops 3\n' >policy
  via() { printf '%s\tdepth=1\tvia=%s\ttag=a@href\n' "$@"; }
  run -1 --separate-stderr url-filter --policy=policy --booked=booked <<<$'http://a.test/1?PHPSESSID=0123456789abcdef0123456789abcdef\nhttp://a.test/2#x\nhttp://a.test/3'
  [[ $output == $'http://a.test/1\nhttp://a.test/2#x' ]]
  [[ $(<booked) == $'http://a.test/1\nhttp://a.test/2' ]]
  # URLs that were paid for stay so, and no others pass.
  run -1 --separate-stderr url-filter --policy=policy --booked=booked <<<$'http://a.test/4\nhttp://a.test/2'
  [[ $output == http://a.test/2 && $stderr == 'url-filter: -:1: the budget is spent (policy:1): "http://a.test/4"' ]]
  { via http://b.test/ http://a.test/; via http://c.test/ http://b.test/; } | url-filter --policy=policy --booked=booked >/dev/null
  [[ $(tail -n 1 booked) == $'http://c.test/\tvia=http://b.test/' ]]
  run -0 url-filter --policy=policy --booked=booked < <(via http://d.test/ http://c.test/)
  run -1 url-filter --policy=policy < <(via http://d.test/ http://c.test/)
  # A torn line does not count, and the lines after it are whole.
  printf 'http://h.te' >>booked
  run -0 url-filter --policy=policy --booked=booked < <(via http://g.test/ http://a.test/)
  run -0 url-filter --policy=policy --booked=booked < <(via http://g.test/2 http://a.test/)
  run -1 url-filter --policy=policy --booked=booked < <(via http://g.test/3 http://a.test/)
  # A smaller budget pays for no more than it says, and the message names the file's line.
  sed -i 's/host 2/host 1/' policy
  run -1 --separate-stderr url-filter --policy=policy --booked=booked http://a.test/2
  [[ -z $output && $stderr == 'url-filter: booked:2: the budget is spent (policy:1): "http://a.test/2"' ]]
  # No file is made for a policy without a budget; modes that book nothing refuse the option.
  run -0 url-filter --traps --booked=none http://a.test/1
  [[ ! -e none ]]
  local mode
  for mode in --before-fetch --results --invert --hits --check --why-not=http://a.test/ --shard=1/2; do
    run -2 url-filter -e 'budget host 1' "$mode" --booked=none http://a.test/
    [[ $output == *--booked* && ! -e none ]] || { echo "$mode: $output"; false; }
  done
  # A file that cannot be read or written is trouble.
  run -2 url-filter --policy=policy --booked=. http://a.test/
  [[ $output == *"--booked: . is not a file"* ]]
  run -2 --separate-stderr url-filter -e 'budget host 1' --booked=no/such http://e.test/
  [[ $stderr == *no/such* ]]
  run -2 --separate-stderr url-filter -e 'budget host 1' --booked=/dev/full http://e.test/
  [[ $stderr == *"/dev/full is not a file"* ]]
  run -2 bash -c 'ulimit -f 0; trap "" XFSZ; url-filter -e "budget host 1" --booked=full http://e.test/ 2>&1 | cat; exit ${PIPESTATUS[0]}'
  [[ $output == *"url-filter: cannot write full: File too large"* ]]
}

@test "bug: behind a URL of more than a mebibyte nothing of --booked was read" {
  { printf 'http://h/%01500000d\n' 0; echo http://h/1; } >in
  run -0 --separate-stderr url-filter -e 'budget host 2' --booked=booked in
  run -1 --separate-stderr url-filter -e 'budget host 2' --booked=booked http://h/2
  [[ -z $output && $stderr == *'the budget is spent'* ]]
}

@test "--adopt with --before-fetch reads what the other filter has added" {
  echo http://a.test/ >seeds
  mkfifo in out
  url-filter --before-fetch --same-host --seeds=seeds --adopt=adopted <in >out 3>&- &
  exec 4>in 5<out
  printf 'http://b.test/p\tdepth=2\n' >&4
  read -r line <&5
  [[ $line == *outcome=blocked-by-policy ]]
  printf 'http://b.test/\tdepth=1\n' >adopted
  printf 'http://b.test/p\tdepth=2\n' >&4
  read -r line <&5
  [[ $line == $'http://b.test/p\tdepth=2' ]]
  exec 4>&- 5<&-
  wait
}

@test "--adopted-only: a seed's redirect takes no scope along, and what the file holds counts" {
  local tab=$'\t'
  echo http://a.test/ >seeds
  : >adopted
  printf '%s\n' "http://b.test/${tab}tag=location${tab}via=http://a.test/" "http://a.test/x${tab}via=http://a.test/" >links
  run -1 url-filter --same-host --seeds=seeds --adopt=adopted --adopted-only --fields=url links
  [[ $output == http://a.test/x && ! -s adopted ]]
  echo http://b.test/ >adopted
  run -0 url-filter --same-host --seeds=seeds --adopt=adopted --adopted-only --fields=url links
  [[ $output == $'http://b.test/\nhttp://a.test/x' ]]
}

@test "bug: --seed without a scope and --adopted-only without --adopt were taken and did nothing" {
  run -2 url-filter --seed=http://h/ <<<http://other/
  [[ $output == "url-filter: --seed goes with a scope, such as --same-host"* ]]
  run -1 url-filter --seed=http://h/ --rule='scope host' <<<http://other/
  run -2 url-filter --same-host --seed=http://h/ --adopted-only <<<http://other/
  [[ $output == "url-filter: --adopted-only goes with --adopt"* ]]
}
