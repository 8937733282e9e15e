#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: another run on a state, with the same options as the last run or with others.

load crawled

@test "--retry-failed gives what failed another chance" {
  "$crawl" --state=s --delay=0 --allow-private --tries=1 "$home/down" >records 2>messages
  "$crawl" --state=s --delay=0 --allow-private --tries=1 >records 2>messages
  (($(grep -c /down "$log") == 1))
  "$crawl" --state=s --delay=0 --allow-private --tries=1 --retry-failed >records 2>messages
  (($(grep -c /down "$log") == 2))
}

@test "bug: what an earlier run's rules had blocked stayed so by other rules, and nothing said it" {
  "$crawl" --state=s --delay=0 --allow-private --max-pages=1 "$home/" >records 2>messages
  "$crawl" --state=s --delay=0 --allow-private '--exclude=/[a-z]*[.]html' >records 2>messages
  grep -q $'\toutcome=blocked-by-policy' records
  [[ $(<messages) == "crawl: the rules are not those of the last run: "*" without --retry-blocked,"* ]]
  grep -o "^$home/[a-z]*[.]html" records | sort -u >kept-out
  # With the same rules there is nothing to report, and these rules still hold.
  run -0 --separate-stderr "$crawl" --state=s --retry-blocked
  [[ $stderr != *"the rules are not"* && $stderr == *"politeness-sched: $(wc -l <kept-out) URL"* && $output != *outcome=ok* ]]
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private
  [[ $stderr == *"the rules are not those of the last run: "* && -z $output ]]
  "$crawl" --state=s --delay=0 --allow-private --retry-blocked >records 2>messages
  [[ $(<messages) != *"the rules are not"* ]]
  while read -r url; do grep -q "^$url"$'\t.*outcome=\(ok\|not-found\)' records || { echo "$url"; false; }; done <kept-out
  # A policy file whose rules have changed counts as another policy.
  printf 'deny-path ^/b\n' >rules
  "$crawl" --state=s --delay=0 --allow-private --policy=rules >records 2>messages
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr != *"the rules are not"* ]]
  echo 'deny-path ^/more' >>rules
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  # Of several policies, each is compared.
  printf 'deny-path ^/c\n' >more
  "$crawl" --state=s --delay=0 --allow-private --policy=rules --policy=more >records 2>messages
  echo 'deny-path ^/more' >>rules
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  # Files that a policy names, rules and lists, are compared as well.
  mkdir sub
  printf '  include "more  rules"\ndeny-domain-list a.list "b \\"list" # c\n' >sub/policy
  printf 'deny-list c.list' >'sub/more  rules'
  local file
  for file in a.list 'b "list' c.list 'more  rules'; do
    [[ -s sub/$file ]] || echo h.example >"sub/$file"
  done
  for file in a.list 'b "list' c.list 'more  rules'; do
    "$crawl" --state=s --delay=0 --allow-private --policy=sub/policy >records 2>messages
    run -0 --separate-stderr "$crawl" --state=s
    [[ $stderr != *"the rules are not"* ]]
    printf '\n#\n' >>"sub/$file"
    run -0 --separate-stderr "$crawl" --state=s
    [[ $stderr == *"the rules are not those of the last run: "* ]] || { echo "$file"; false; }
  done
  # A robots.txt may have other rules for another agent name.
  run -0 --separate-stderr "$crawl" --state=s --agent=another
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr != *"the rules are not"* ]]
}

@test "bug: a policy or list in another's place, by mv or rsync and older than the last run, was taken for the same" {
  local again=("$crawl" --state=s --delay=0 --allow-private --policy=rules --max-pages=1)
  echo 'deny-list list' >rules
  echo "$home/never" >list
  "${again[@]}" "$home/" >records 2>messages
  # A policy whose time alone has changed is the same.
  touch -d 'next minute' rules list
  run -0 --separate-stderr "${again[@]}"
  [[ $stderr != *"the rules are not"* ]]
  local file
  for file in rules list; do
    { cat -- "$file"; echo '# more'; } >new
    touch -d 'last week' new
    mv new "$file"
    run -0 --separate-stderr "${again[@]}"
    [[ $stderr == "crawl: the rules are not those of the last run: "* ]] || { echo "$file: $stderr"; false; }
    run -0 --separate-stderr "${again[@]}"
    [[ $stderr != *"the rules are not"* ]]
  done
  # For a state made by an earlier version only the time of the rules is known.
  rm s/rules-digests
  touch -d yesterday rules list
  run -0 --separate-stderr "${again[@]}"
  [[ $stderr != *"the rules are not"* ]]
  rm s/rules-digests
  touch -d tomorrow list
  run -0 --separate-stderr "${again[@]}"
  [[ $stderr == "crawl: the rules are not those of the last run: "* ]]
  # A policy file in the state's own folder is left as it is.
  cp rules list s
  "${again[@]}" --policy=s/rules >records 2>messages
  cmp rules s/rules
}

@test "bug: pages that were too large, or refused, came no more to a run that takes them" {
  "$crawl" --state=s --delay=0 --allow-private --max-size=100 --store=kept "$home/" >records 2>messages
  grep -q "^$home/"$'\t.*outcome=too-large' records
  # The first page brought no links, and has validators to which the server answers 304.
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private --store=kept
  [[ -z $output && $stderr == *"what came to too-large then keeps that outcome without --retry-outcome=too-large"* ]] || { echo "$stderr"; false; }
  run -2 "$crawl" --state=s --delay=0 --allow-private --store=kept --retry-outcome=too-big
  [[ $output == *"nothing is crawled: --retry-outcome takes outcomes, such as too-large,forbidden, not "*too-big* ]] || { echo "$output"; false; }
  run -2 "$crawl" --state=s --retry-outcome=too_large
  [[ $output == *": did you mean too-large?" ]]
  "$crawl" --state=s --delay=0 --allow-private --store=kept --retry-outcome=too-large,forbidden >records 2>messages
  [[ $(outcome /) == ok && $(outcome /b.html) == ok ]]
  grep -qx 'politeness-sched: 1 URL waits again' messages
  fetch --store=kept --cat "$home/" | grep -q '<a '
  # --retry-outcome holds for one run, as --retry-failed does; a change of options that it answers
  # is not reported.
  run ! grep -e --retry-outcome s/options
  run ! grep 'took other pages' messages
  run -0 --separate-stderr "$crawl" --state=s
  [[ -z $output && $stderr != *"other pages"* && $stderr != *"waits again"* ]]
  # The same is said of what a run may newly get because it logs in, or takes other types.
  touch auth && chmod 600 auth
  run --separate-stderr "$crawl" --state=s --delay=0 --allow-private --store=kept --auth=auth --types=text/html
  [[ $stderr == *"what came to unsupported-type,forbidden then keeps that outcome"* ]] || { echo "$stderr"; false; }
}

@test "bug: --retry-delay was not kept for the runs after, as --retry-failed and --retry-blocked are not" {
  "$crawl" --state=s --delay=0 --allow-private --retry-delay=7s --retry-failed --retry-blocked "$home/" >records 2>messages
  [[ $(grep -e --retry s/options) == --retry-delay=7s ]]
}

@test "links that a policy refused come in by --add, as --rejected has written them" {
  "$crawl" --state=s --delay=0 --allow-private '--exclude=/a[.]html' --rejected=refused "$home/" >records 2>messages
  run ! grep -q "^$home/a.html" records
  "$crawl" --state=s --add refused
  "$crawl" --state=s --delay=0 --allow-private >records 2>messages
  [[ $(outcome /a.html) == ok ]]
}

@test "bug: --add dropped the options of a crawl without a word, --show and --why --json" {
  "$crawl" --state=s --delay=0 --allow-private --max-pages=1 "$home/" >records 2>messages
  run -0 "$crawl" --state=s --add --delay=0 --max-depth=7 --header='X-Own: secret' --profile=crawl --sitemaps "$home/b.html"
  [[ ${lines[0]} == "crawl: --add changes no option of the crawl: --max-depth --header waits for a run of its own" ]]
  run -0 "$crawl" --state=s --add "$home/a.html"
  [[ $output != *option* ]]
  run -0 "$crawl" --state=s --show="$home/" --json
  [[ ${lines[0]} == "crawl: --show is for people and has no --json; --list and --hosts have" ]]
}

@test "bug: --retry-failed waited five minutes for a host that had been down" {
  local down
  down=$(free_port)
  run -3 "$crawl" --state=s --delay=0 --allow-private --tries=1 --patience=1 "http://127.0.0.1:$down/"
  python3 -m http.server "$down" --bind 127.0.0.1 --directory "$BATS_FILE_TMPDIR/site" >/dev/null 2>&1 3>&- &
  soon "(: <>/dev/tcp/127.0.0.1/$down) 2>/dev/null"
  timeout 100 "$crawl" --state=s --retry-failed >records 2>messages 3>&-
  [[ $(outcome /a.html) == ok ]]
}

@test "a run without seeds and options goes on as the last one did, and says so" {
  printf 'deny-path ^/b\n' >rules
  "$crawl" --state=s --delay=0 --allow-private --policy=rules --max-pages=1 "$home/" >records 2>messages || (($? == 3))
  [[ $(wc -l <records) == 1 ]]
  run -0 --separate-stderr "$crawl" --state=s --retry-failed
  [[ $stderr == *"crawl: going on as the last run did: crawl --state=s --delay=0 --allow-private --policy=rules --max-pages=1"$'\n'* ]]
  [[ $output == *outcome=ok* && $output != *refused-address* && $output != */b.html* ]]
  # A run with any option gives all of them: options that it leaves out are reported, but for limits
  # of one run.
  run --separate-stderr "$crawl" --state=s --allow-private --delay=0
  [[ $stderr == *"crawl: the last run had --policy=rules too; "* ]]
  # A crawl that was bounded is unbounded without these options.
  "$crawl" --state=w --delay=0 --allow-private --max-depth=1 --max-host-pages=3 --max-time=1h "$home/" >records 2>messages
  run --separate-stderr "$crawl" --state=w --allow-private --delay=0
  [[ $stderr == *"crawl: the last run had --max-depth=1 --max-host-pages=3 too; "* ]]
  # The next bare run goes on with the options of this one.
  run --separate-stderr "$crawl" --state=s
  [[ $stderr == *"going on as the last run did: crawl --state=s --allow-private --delay=0"$'\n'* ]]
}

@test "bug: a bare resume in another folder went on by the policy, and into the links, of that folder" {
  mkdir a b
  printf 'deny-path ^/a\n' >a/rules
  printf 'deny-path ^/zz\n' >b/rules
  (cd a && "$crawl" --delay=0 --allow-private --policy=rules --links=links --max-pages=1 "$home/" >records 2>messages) || (($? == 3))
  cd b
  run -2 "$crawl" --state=../a/crawl-state
  [[ $output == "crawl: the last run was in ${PWD%/b}/a, and names a file from there: --policy=rules; go on there, or give options" ]]
  [[ ! -e links ]]
  # Where the folder has moved as a whole, its files are still found.
  cd ..
  mv a c
  cd c
  run -0 "$crawl"
  [[ $output == *"going on as the last run did"* ]]
}

@test "bug: a bare resume in another folder went on by the list there that an option of a stage names" {
  mkdir a b
  touch a/list
  echo "$home/" >b/list
  (cd a && "$crawl" --delay=0 --allow-private --filter:deny-list=list --max-pages=1 "$home/" >records 2>messages) || (($? == 3))
  cd b
  run -2 "$crawl" --state=../a/crawl-state
  [[ $output == *", and names a file from there: --filter:deny-list=list; go on there, or give options" ]]
}

@test "bug: that pages visited before lack what a run with other options takes was not said" {
  again() { run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private "$@" "$home/"; }
  said='the last run took other things from its pages'
  again --max-pages=1
  again --max-pages=1 --requisites --store=kept
  [[ $stderr == *"crawl: $said (--requisites --store): those stay as they came until they are visited again (--recrawl)"* ]]
  again --max-pages=1 --requisites --store=kept
  [[ $stderr != *"$said"* ]]
  # A change of rules has a message of its own; a recrawl visits all pages again, so nothing is
  # said.
  again --max-pages=1 --requisites --store=kept --max-depth=5
  [[ $stderr == *"the rules are not those of the last run"* && $stderr != *"$said"* ]]
  again --recrawl=1d
  [[ $stderr != *"$said"* ]]
}

@test "bug: of several files of rules for items only a change of the last one was seen" {
  echo 'field a title' >one
  echo 'field b h1' >two
  again() { run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private --items=one --items=two --items-to=found "$home/"; }
  again
  again
  [[ $stderr != *'the rules of --items'* ]]
  echo 'field c title' >one
  again
  [[ $stderr == *'took other things from its pages (the rules of --items)'* ]]
}

@test "bug: a bare --dry-run judged by no option of the last run, which a bare run goes on with" {
  printf 'deny-path ^/b\n' >rules
  "$crawl" --state=s --delay=0 --allow-private --policy=rules --header='X: y' --max-pages=1 "$home/" >records 2>messages || (($? == 3))
  printf 'deny-path ^/\n' >rules
  run -0 --separate-stderr "$crawl" --state=s --dry-run
  [[ $output == *'/a.html'*'delay=0'*'verdict=refuse'* && $output != *'verdict=accept'* ]]
  [[ $stderr == *"crawl: going on as the last run did: crawl --state=s --delay=0 --allow-private --policy=rules --max-pages=1"* ]]
  # With options of its own, a dry run shows what a run with these would do.
  run -0 --separate-stderr "$crawl" --state=s --dry-run --delay=2s
  [[ $output == *'/a.html'*'delay=2'*'verdict=accept'* && $stderr != *'going on'* ]]
}

@test "bug: a bare resume went on without its proxy and headers, and did not say so" {
  "$crawl" --state=s --delay=0 --allow-private --header='X-Own: secret' --fetch:limit=first-byte=9 --cookies=jar --max-pages=1 "$home/" >records 2>messages || (($? == 3))
  run -2 "$crawl" --state=s
  [[ $output == "crawl: the last run had --fetch:limit --header: not kept, since it may hold a secret; give it again, "* ]]
  : >"$log"
  # With just these two given again, it goes on as before. Files of cookies or passwords are named
  # only, and so are kept.
  run -0 --separate-stderr "$crawl" --state=s --header='X-Own: again' --fetch:limit=first-byte=9
  [[ $stderr == *"crawl: going on as the last run did: crawl --state=s --delay=0 --allow-private --cookies=jar --max-pages=1"$'\n'* ]]
  grep -q 'X-Own: again' "$log"
  # A run with other options is told which of the last run's it lacks.
  run --separate-stderr "$crawl" --state=s --delay=0 --allow-private --max-pages=1 --fetch:limit=first-byte=9
  [[ $stderr == *"crawl: the last run had --header --cookies=jar too; "* ]]
  run ! grep -r secret s/options s/unkept
}

@test "the command that is named for what was given up has all of the crawl's options but secrets" {
  run -3 --separate-stderr "$crawl" --state='my s' --allow-private --delay=0 --header='X-Key: secret' --patience=1 --tries=1 http://127.0.0.1:1/
  [[ $stderr == *"; to go on: crawl --state=my\\ s --allow-private --delay=0 --patience=1 --tries=1 --retry-failed" ]]
  [[ $stderr != *secret* ]]
}

@test "bug: a crawl that was ended amid the packing of --wacz was never packed, and gone on with ended with 0" {
  # The .part file's name is taken by a folder, so it cannot be written.
  mkdir w.wacz.part
  run -2 "$crawl" --state=s --delay=0 --allow-private --max-pages=1 --warc=w.warc.gz --wacz "$home/nothing-here"
  [[ ! -e w.wacz && $output == *" 0 waiting, 1 done"* ]]
  run -2 "$crawl" --state=s
  rmdir w.wacz.part
  run -0 "$crawl" --state=s
  [[ $output == *"nothing was left to fetch"* ]]
  python3 -m zipfile -l w.wacz | grep -q archive/w.warc.gz
  # The archive is packed once only.
  touch -r w.wacz packed
  run -0 "$crawl" --state=s
  [[ ! w.wacz -nt packed ]]
}
