#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: which rules hold for seeds and links, and what is reported of those refused.

load crawled

@test "bug: a rule that no URL can meet denied nothing, and the crawl said nothing" {
  printf 'deny-path ^/a[.]html\ndeny-path ^/caf\xc3\xa9\n' >rules
  crawled --policy=rules --exclude='b c' --max-depth=3 --max-depth=2
  lacks /a.html
  [[ $(grep -c 'crawl: .*can never' messages) == 2 ]]
  grep -q '^crawl: rules:2: the pattern "^/caf.*" can never match' messages
  grep -q '^crawl: --exclude:1: the pattern "b c" can never match' messages
}

@test "seeds keep their fields, but those that tell of another crawl" {
  printf '%s/b.html\tdepth=7\tvia=x\tshelf=blue\tpriority=2\n%s/a.html\tstatus=200\tshelf=red\toutcome=ok\n' "$home" "$home" >list
  crawled --max-depth=0 ./list
  grep -qP '/b.html\t.*shelf=blue.*\toutcome=ok' records
  grep -qP '/b.html\t.*priority=2\t' records
  grep -qP '/a.html\t.*\toutcome=ok' records
  run ! grep -E 'depth=7|shelf=red' records
}

@test "policy is asked again before each fetch, and --dry-run and the run agree" {
  "$crawl" --state=s --delay=0 --allow-private --max-pages=1 "$home/" >records 2>messages
  echo 'deny-path ^/same' >policy
  : >"$log"
  "$crawl" --state=s --delay=0 --allow-private --policy=policy --dry-run >dry
  "$crawl" --state=s --delay=0 --allow-private --policy=policy >records 2>messages
  grep -qP '/same1.html\t.*verdict=refuse' dry
  grep -qP '/same1.html\t.*rule=deny-path.*outcome=blocked-by-policy' records
  run ! grep /same "$log"
  # URLs that the dry run accepts are asked for, and none of those that it refuses.
  grep verdict=accept dry | cut -f1 | sort >may
  cut -f2,3 "$log" | grep -v robots.txt | sed 's|^\(.*\)\t|http://\1|' | sort >were
  [[ -s may && -z $(comm -23 may were) ]]
  comm -12 <(grep verdict=refuse dry | cut -f1 | sort) were | wc -l | grep -qx 0
}

@test "a policy file's deny rule holds for a seed, in the run as in --dry-run; a scope or an --include does not" {
  echo 'deny-path ^/b' >policy
  run -0 "$crawl" --state=s --dry-run --policy=policy "$home/b.html"
  [[ $output == *verdict=refuse* ]]
  crawled --policy=policy "$home/b.html"
  [[ $asked == ' ' && $(outcome /b.html) == blocked-by-policy ]]
  run -0 "$crawl" --state=s --dry-run --include=/zz "$home/b.html"
  [[ $output == *verdict=accept* ]]
  crawled --include=/zz "$home/b.html"
  has /b.html
}

@test "a seed that redirects to another host takes its scope along, for good; --scope=host,fixed does not" {
  echo "<a href=deep.html>x</a>" >"$BATS_FILE_TMPDIR/site/moved.html"
  local seed="$home/to/http://127.0.0.3:$port/moved.html"
  crawled --scope=host,fixed "$seed"
  [[ $(outcome '/to/.*moved.html') == redirect ]] && lacks /moved.html
  "$crawl" --state=s --delay=0 --allow-private --max-pages=2 "$seed" >records 2>messages
  grep -qF "\"$seed\" redirects to \"http://127.0.0.3:$port/moved.html\", which is in scope from now on" messages
  (($(wc -l <records) == 2))
  "$crawl" --state=s --dry-run >dry
  grep -qP '^http://127.0.0.3.*/deep.html\t.*verdict=accept' dry
  "$crawl" --state=s --delay=0 --allow-private >records 2>messages
  grep -q '^http://127.0.0.3.*/deep.html.*outcome=ok' records
  run ! grep redirects messages
}

@test "what is refused leaves a trace: --rejected, and counts by rule at the end" {
  rm -f rejected
  printf 'deny-path ^/same\n' >own-policy
  crawled --policy=own-policy --rejected="$PWD/rejected"
  lacks /same1.html && has /a.html
  cat rejected messages
  # Each is there once, with the page that links to it and the line that decided.
  (($(cut -f1 rejected | sort | uniq -d | wc -l) == 0))
  grep -P "^$home/same1.html\t" rejected >one
  for field in "via=$home/" tag=a@href 'policy=.*own-policy:1' 'rule=deny-path \^/same' class=path; do
    grep -qP "\t$field(\t|$)" one || { echo "no $field in"; cat one; false; }
  done
  # URLs outside the scope are there as well; they were neither asked for nor kept as pages.
  grep -qP "^http://127.0.0.2:$port/other.html\t.*\tclass=scope(\t|$)" rejected
  lacks /other.html
  [[ -z $(outcome /same1.html) ]]
  grep -q 'own-policy:1' messages
}

@test "bug: the report of a crawl that runs, or was killed, said nothing of the links that were refused" {
  local running
  # The home page comes at once, and nothing else for an hour.
  setsid "$crawl" --state=s --delay=1h --ignore-robots --allow-private --exclude=/same "$home/" >records 2>messages 3>&- &
  running=$!
  soon 'grep -q outcome=ok records'
  soon '"$crawl" --state=s --report | grep -oE "[0-9]+ links were refused by the crawl policy: [^<]*" >counted'
  grep -q '2 by deny-url /same' counted
  pkill -KILL -s "$running"
  wait "$running" || true
  "$crawl" --state=s --report | grep -qF "$(<counted)"
  # The next run neither loses these counts nor doubles them.
  "$crawl" --state=s --delay=1h --ignore-robots --allow-private --exclude=/same --max-time=1s 2>messages >>records
  "$crawl" --state=s --report | grep -qF "$(<counted)"
}

@test "bug: in a policy of another order than the default all links passed" {
  local order
  printf '%s\n' '/same[0-9]/' '@@/same2' '||127.0.0.2^' >list
  url-filter --convert=adblock list >converted
  for order in allow-deny first-match; do
    sed "s/^order .*/order $order/" converted >policy
    crawled --scope=any --policy=policy --rejected="$PWD/rejected-$order"
    lacks /same1.html && lacks /other.html && has /a.html
    grep -qP "^$home/same1.html\t.*\trule=deny-url " "rejected-$order"
    [[ $order == first-match ]] || has /same2.html
  done
}

@test "links that are neither http nor https are refused, and counted" {
  echo '<a href=mailto:me@example.org>m</a> <a href="javascript:x">j</a> <a href=deep.html>d</a>' \
    >"$BATS_FILE_TMPDIR/site/mail.html"
  crawled --scope=any --extract:any-scheme --rejected="$PWD/rejected-schemes" "$home/mail.html"
  has /deep.html
  grep -qP '^mailto:me@example.org\t.*\tclass=scheme\twhy=not http or https(\t|$)' rejected-schemes
  grep -q 'links\? w.* refused: .*by scheme' messages
}
