#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: each option is tested by what it changes, and the log of a small site is the witness.

load crawled

@test "which links are followed: --include --exclude --only --except --follow-nofollow --max-depth" {
  crawled
  has /a.html && has /deep.html && has '/b.html?utm_source=x' && has /b.html
  lacks /nofollow.html && lacks /noindex.html && lacks /picture.png && lacks /other.html
  crawled --include='/a\.html$' --include=deep
  [[ $asked == ' / /a.html /deep.html ' ]]
  crawled --exclude=same --exclude=deep
  has /a.html && lacks /deep.html && lacks /same1.html && lacks /same2.html
  crawled --only=page,resource
  has /a.html && has /picture.png && lacks /far.png
  crawled --only=img
  [[ $asked == ' / /picture.png ' ]]
  crawled --except=rel=next,img --follow-nofollow
  has /nofollow.html && lacks /noindex.html
  crawled --max-depth=1
  has /a.html && lacks /deep.html
}

@test "what is sent: --header --cookies --auth --proxy --agent --contact" {
  crawled --header='X-Own: one, two' --header='Accept-Language: eo' --agent=ownbot --contact=me@example.org "$home/b.html"
  (($(grep -c $'\tX-Own: one, two\t' "$log") == 2 && $(grep -c 'Accept-Language: eo' "$log") == 2))
  (($(grep -c $'User-Agent: ownbot/[0-9.]* (+me@example.org)\t' "$log") == 2))
  crawled --cookies=jar "$home/cookie"
  grep -q $'/after-cookie.html\t.*Cookie: taste=sweet' "$log"
  grep -q taste jar
  crawled "$home/door"
  [[ $(outcome /door) == forbidden ]]
  echo "$home basic user:secret" >doors
  crawled --auth=doors "$home/door"
  [[ $(outcome /door) == ok ]]
  # The site itself plays the proxy, which is asked for a whole URL.
  crawled --proxy="$home" --ignore-robots http://127.0.0.7:9/b.html
  has http://127.0.0.7:9/b.html
  run ! grep -r secret s.*/s/options
}

@test "what is taken: --types --max-size --timeout --allow --insecure" {
  crawled --types=text/html,application/xml
  [[ $(outcome /paper.pdf) == unsupported-type && $(outcome /a.html) == ok ]]
  crawled --max-size=50K
  [[ $(outcome /big.html) == too-large && $(outcome /a.html) == ok ]]
  crawled --timeout=5 --tries=1 "$home/slow" || (($? == 3))
  [[ $(outcome /slow) == timeout ]]
  : >"$log"
  "$crawl" --state=allow --delay=0 --scope=any --allow=127.0.0.1/32 "$home/" >records 2>messages
  [[ $(outcome /a.html) == ok && $(outcome /other.html) == refused-address ]]
}

@test "bug: --max-size cut robots.txt off, too, and what its other lines forbid was fetched" {
  local site=$BATS_FILE_TMPDIR/site
  cp "$site/robots.txt" robots.txt
  printf 'User-agent: *\n%s\nDisallow: /a.html\n' "$(yes '# a long comment' | head -n 100)" >"$site/robots.txt"
  crawled --max-size=1K
  cp robots.txt "$site/robots.txt"
  has /b.html && lacks /a.html
  [[ $(outcome /a.html) == blocked-by-robots && $(outcome /big.html) == too-large ]]
}

@test "--insecure" {
  make_certificate
  cat key.pem cert.pem >both
  start_python witness-server secure-port secure-log "$BATS_FILE_TMPDIR/site" both
  "$crawl" --state=s --delay=0 --allow-private --insecure "https://127.0.0.1:$(cat secure-port)/b.html" >records 2>messages
  grep -q $'/b.html\t.*\toutcome=ok' records
}

@test "when: --tries --throttle --hours --continuous --max-pages --recrawl" {
  crawled --tries=2 --sched:retry-delay=10ms "$home/down"
  (($(grep -c /down "$log") == 2))
  crawled --throttle=2/1h --max-time=1s
  (($(wc -l <"$log") <= 2))
  # Hours that are over, or still to come.
  crawled --hours="$(date -d '+2 hours' +%H:%M)-$(date -d '+3 hours' +%H:%M)" --max-time=1s
  [[ ! -s $log ]]
  crawled --continuous --recrawl=200ms --max-pages=2 "$home/b.html"
  (($(grep -c /b.html "$log") == 2))
  crawled --max-pages=2
  (($(wc -l <records) == 2))
}

@test "bug: a connection that ends without an answer was asked again at once, sooner than the delay" {
  local seconds
  for seconds in 8 80; do  # the longer one is for a machine too busy to get there in time
    "$crawl" --state="s$seconds" --delay=1h --allow-private --ignore-robots --max-time="${seconds}s" "$home/cut" >records 2>messages
    ! grep -q /cut "$log" || break
  done
  (($(grep -c /cut "$log") == 1))
}

@test "bug: --max-time waited for a host that hung for as long as that did" {
  start_python silentsite silent-port 1
  local seconds
  for seconds in 6 60; do  # as above
    rm -rf s
    timeout 120 "$crawl" --state=s --delay=0 --allow-private --ignore-robots --max-time="${seconds}s" --timeout=10m --fetch:limit=first-byte=10m \
      "$home/a.html" "http://127.1.0.1:$(<silent-port)/" >records 2>messages
    ! grep -q "^$home/a.html.*outcome=ok" records || break
  done
  stop_python silentsite
  grep -q "^$home/a.html.*outcome=ok" records
  grep -q 'the time is up: not waiting any longer for ' messages
  # A page that did not come in time is asked for again by the next run.
  run -0 --separate-stderr "$crawl" --state=s --list
  grep -q '^http://127.1.0.1:.*state=waiting' <<<"$output"
}

@test "what is printed and written: --json --quiet --links --metrics --checkpoint-every" {
  crawled --json --quiet "$home/a.html"
  grep -q '^{"url":"http://[^"]*/a.html",.*"outcome":"ok"}$' records
  [[ ! -s messages ]]
  crawled --links=edges --metrics=figures
  grep -qP "^$home/\t$home/a.html\ta@href\t\tto a\$" edges
  grep -qP "^$home/a.html\t$home/b.html\ta@href\t\tb\$" edges
  grep -q '^spinneret_' figures
  "$crawl" --state=c --delay=300ms --allow-private --checkpoint-every=200ms "$home/a.html" >records 2>messages
  [[ -e c/checkpoint ]]
  run -0 --separate-stderr politeness-sched --state=c/checkpoint --list
  [[ $output == *"$home/a.html"* ]]
}

@test "bug: --sched:checkpoint without --checkpoint-every was refused as what nobody had given, or by the scheduler once a state was made" {
  for word in --sched:checkpoint=copies --sched:checkpoint; do
    run -2 "$crawl" --state=none "$word" "$home/a.html"
    [[ $output == "crawl: --sched:checkpoint says where copies go: it goes with --checkpoint-every=TIME" && ! -e none ]]
  done
  crawled --checkpoint-every=1h --sched:checkpoint=copies "$home/a.html"
  has /deep.html
}

@test "bug: --checkpoint-every was refused beside other options of the scheduler, and nothing looked into its state" {
  crawled --checkpoint-every=1h --order=opic --recrawl=4w "$home/a.html"
  has /deep.html
  cd s.*/
  for look in --list --hosts --show="$home/a.html" --why="$home/a.html" --report --dry-run; do
    run -0 --separate-stderr "$crawl" --state=s "$look"
    [[ $output == *"$home/"* || $look == --dry-run ]]
  done
  run -0 "$crawl" --state=s --add "$home/b.html"
  [[ $output == *"1 seed waits"* ]]
}

@test "one page once: --profile --content-seen" {
  crawled --profile=crawl
  has /b.html && lacks '/b.html?utm_source=x'
  crawled --content-seen --exclude=big
  (($(grep -c $'^http://[^/]*/same[12].html\t.*\toutcome=ok' records) == 1))
  (($(grep -c $'^http://[^/]*/same[12].html\t.*\tduplicate-of=.*\toutcome=duplicate' records) == 1))
  # A page's own content is no duplicate at its next visit.
  "$crawl" --state=twice --delay=0 --allow-private --content-seen "$home/a.html" >records 2>messages
  "$crawl" --state=twice --delay=0 --allow-private --content-seen --recrawl=1ms --max-pages=1 >records 2>messages
  run ! grep outcome=duplicate records
}

@test "bug: a page of which a counter or a word differed counted as changed, though the stage that compares words knew better" {
  local site=$BATS_FILE_TMPDIR/site text i way options
  text=$(printf '<p>word%s and more' {a..z}{a..z})
  for way in "" --store=kept --warc=kept.warc.gz; do
    options=(--state="state$way" --delay=0 --allow-private --content-seen --content:similarity=0.9 --max-depth=0)
    [[ -z $way ]] || options+=("$way")
    for i in 1 2; do
      echo "$text <p>read $i times, at last by reader$(printf 'x%.0s' $(seq $i))" >"$site/counter.html"
      printf '<p>news%s of the day' $(printf "%s$(printf 'y%.0s' $(seq $i)) " {a..z}{a..z}) >"$site/news.html"
      "$crawl" "${options[@]}" --recrawl=1ms --max-pages=2 "$home/counter.html" "$home/news.html" >records 2>messages 3>&- || { cat messages; false; }
      (($(grep -c $'\toutcome=ok$' records) == 2))
    done
    grep -q $'counter.html\t.*\tsimilarity=[01]\\.[0-9]*\toutcome=ok$' records
    run ! grep $'news.html\t.*similarity=' records
    # The bytes of both pages have changed; the first numbers of the history count changes.
    run -0 politeness-sched --state="state$way/frontier" --export --fields=url,visits,history
    grep -q $'/counter.html\t2\t0,0,[1-9]' <<<"$output"
    grep -q $'/news.html\t2\t[1-9][0-9]*,[1-9][0-9]*,0$' <<<"$output"
  done
}

@test "bug: links that differ in what they say of their user were pages of their own, without end" {
  local at=127.0.0.1:$port
  echo "<a href=http://u:p@$at/b.html>1</a><a href=http://v@$at/b.html>2</a><a href=b.html>3</a>" >"$BATS_FILE_TMPDIR/site/users.html"
  crawled "http://w@$at/users.html" "$home/users.html"
  (($(grep -c /users.html "$log") == 1 && $(grep -c /b.html "$log") == 1))
  run ! grep -q @ records
  run -0 "$crawl" --state="$(echo s.*/s)" --why="http://x:y@$at/b.html"
  [[ $output == *'state: done'* ]]
}

@test "--STAGE:OPTION reaches every stage" {
  crawled --sched:max-pages=1 && (($(wc -l <records) == 1))
  crawled --filter:deny-extension=pdf && lacks /paper.pdf && has /a.html
  printf 'User-agent: *\nDisallow: /private/*.html$\n' >"$BATS_FILE_TMPDIR/site/robots.txt"
  crawled --robots:mode=1994 "$home/private/x.html" && has /private/x.html
  crawled "$home/private/x.html" && lacks /private/x.html
  printf 'User-agent: *\nSitemap: %s/named.xml\n' "$home" >"$BATS_FILE_TMPDIR/site/robots.txt"
  crawled --fetch:limit=headers=10K --fetch:digest=sha256 "$home/b.html" && grep -qE 'digest=[0-9a-f]{64}' records
  crawled --content-seen --content:normalize=text && grep -q outcome=duplicate records
  crawled --extract:attr=img@src && has /picture.png
  crawled --dedupe:memory=1M && has /a.html
  crawled --normalize:drop-param=utm_source && lacks '/b.html?utm_source=x'
}

@test "what no stage may be told, and what no stage knows" {
  local option
  for option in --sched:state=x --fetch:json --extract:fields=url --dedupe:null --robots:learn --filter:strict --sched: --dedupe:later --content:keep=newest --dedupe:unique; do
    run -2 "$crawl" --state=new "$option" "$home/"
    [[ ! -e new ]]
  done
  run -2 "$crawl" --state=new --fetch:tmeout=3 "$home/"
  [[ $output == *"--tmeout"* && $output == *"nothing is crawled: fetch"* && ! -e new ]]
  run -2 "$crawl" --state=new --fetsch:timeout=3 "$home/"
  [[ $output == *"there is no stage in --fetsch:timeout: --STAGE:OPTION takes sched filter"* ]]
}

@test "an unknown option is told what may have been meant" {
  run -2 "$crawl" --dleay=3
  [[ $output == *"unknown option --dleay: did you mean --delay?"* ]]
  run -2 "$crawl" --checkpoint_every=3
  [[ $output == *"did you mean --checkpoint-every?"* ]]
  run -2 "$crawl" --max-page=3  # --max-age is as near as --max-pages
  [[ $output == *"did you mean --max-pages?"* ]]
  run -2 "$crawl" --xyzzy
  [[ $output == *"unknown option --xyzzy; see"* ]]
  # The scheduler's message names an option of its own, which the driver takes with the stage's prefix.
  run -2 "$crawl" --crawl-delay-cap=0 "$home/"
  [[ $output == "crawl: unknown option --crawl-delay-cap: did you mean --sched:crawl-delay-cap?; see crawl --help" ]]
  run -2 "$crawl" --memory=1G "$home/"
  [[ $output == *": did you mean --content:memory or --dedupe:memory?"* ]]
  # An option that may be given to no stage is not suggested.
  run -2 "$crawl" --strict "$home/"
  [[ $output != *:strict* ]]
}

@test "--config: options, one a line, and those of the command line come after" {
  cat >options <<EOF
# of a test

include=/a\.html$
  --include = deep
max-pages 9
fetch:digest=sha256
header = X-Own: a = b
json
EOF
  crawled --config=options --max-pages=2
  [[ $asked == ' / /a.html ' ]]
  grep -q '^{"url"' records
  grep -qE '"digest":"[0-9a-f]{64}"' records
  grep -q $'\tX-Own: a = b\t' "$log"
  printf 'delay=0\n\ndealy=1\n' >options
  run -2 "$crawl" --config=options "$home/"
  [[ $output == *"options:3: unknown option --dealy: did you mean --delay?"* ]]
  echo 'ignore-robots yes' >options
  run -2 "$crawl" --config=options "$home/"
  [[ $output == *"options:1: --ignore-robots takes no value"* ]]
  run -2 "$crawl" --config=nosuch "$home/"
  # bug: in a file quotes were part of a rule, which then matched nothing
  for line in "exclude='/deep'" 'exclude "/deep"'; do
    echo "$line" >options
    run -2 "$crawl" --config=options "$home/"
    [[ $output == *"options:1: write the value without quotes: no shell reads it" ]]
  done
  # A file from a Windows editor begins with a byte order mark and has CRLF.
  printf '\357\273\277include=deep\r\n%s\r\n' "$home/a.html" >options
  crawled --config=options "$home/a.html"
  [[ $asked == ' /a.html /deep.html ' ]]
  # A --config file may be a pipe, which can be read once only.
  crawled --config=<(echo include=deep; echo "$home/a.html")
  [[ $asked == ' / /a.html /deep.html ' ]]
}

@test "--version and --completions" {
  run -0 "$crawl" --version
  [[ $output =~ ^crawl\ \(Spinneret\)\ [0-9.]+$ ]]
  run -0 "$crawl" -V
  run -0 "$crawl" --completions=bash
  [[ $output == *--throttle=* && $output == *--why=* ]]
  run -2 "$crawl" --completions=tcsh
}

# Tools that record the words they are called with, and a scheduler that starts the pipeline once.
make_stubs() {
  mkdir bin
  cat >bin/stub <<'EOF2'
#!/bin/bash
words="$*"
[[ $0 != *sched ]] || words=${words%% -- *}
printf '%s %s\n' "${0##*/}" "$words" >>"$STUB_LOG"
case ${0##*/} in
  url-normalize) if [[ $* == *http* ]]; then printf '%s\n' "${@: -1}"; else cat >/dev/null; fi ;;
  politeness-sched)
    while (($#)) && [[ $1 != -- ]]; do shift; done
    shift || exit 0
    "$@" </dev/null ;;
  *) cat >/dev/null ;;
esac
EOF2
  chmod +x bin/stub
  local tool
  for tool in "${TOOLS[@]}"; do ln -s stub "bin/$tool"; done
  export STUB_LOG=$PWD/called
}

@test "each option of its own reaches its stage under that stage's name for it, is in --help=all, and in the manual" {
  make_stubs
  : >policy && : >doors
  local option stage words help
  help=$("$crawl" --help=all)
  while read -r option stage words; do
    rm -rf s && : >"$STUB_LOG"
    SPINNERET_BIN=$PWD/bin "$crawl" --state=s "$option" http://127.0.0.1:1/ || { echo "$option: $?"; false; }
    grep -qE "^$stage .*${words:-$option}( |\$)" "$STUB_LOG" || { echo "$option:"; cat "$STUB_LOG"; false; }
    [[ $help == *"${option%%=*}"[\ =]* ]] || { echo "$option is not in --help=all"; false; }
    grep -qE "^\.It .*Fl -${option:2:3}" "$SPINNERET_ROOT/man/crawl.1"
  done <<'EOF2'
--include=x url-filter
--exclude=x url-filter
--policy=policy url-filter
--psl=list url-filter
--max-depth=3 url-filter
--scope=domain url-filter --same-domain
--header=A:b fetch
--cookies=jar fetch
--auth=doors fetch
--proxy=http://127.0.0.1:9/ fetch
--timeout=7 fetch
--max-size=9K fetch
--types=text/html fetch
--insecure fetch
--allow=10.0.0.0/8 fetch
--allow-private fetch
--store=kept fetch
--warc=kept.warc fetch
--except=rel=ugc extract-links
--only=img extract-links
--requisites extract-links
--links=edges extract-links --edges=edges
--sitemaps extract-links --only=feed
--profile=crawl url-normalize
--params=policy url-normalize
--content-seen dedupe --content
--per-host=3 fetch
--per-host=3 politeness-sched
--in-flight=5 politeness-sched
--delay=3s politeness-sched
--tries=2 politeness-sched
--patience=2 politeness-sched
--throttle=9/1h politeness-sched
--hours=01:00-02:00 politeness-sched
--continuous politeness-sched
--recrawl=4w politeness-sched
--recrawl=best:9/d,most=9d politeness-sched
--max-pages=4 politeness-sched
--max-host-pages=4 politeness-sched
--max-bytes=4M politeness-sched
--max-time=4s politeness-sched
--metrics=figures politeness-sched
--checkpoint-every=1h politeness-sched
--checkpoint-every=1h politeness-sched --checkpoint=s/checkpoint
--rejected=refused politeness-sched
--json politeness-sched
--quiet politeness-sched
EOF2
  # Options of the driver itself, and those that look into a state, each have a test of their own.
  for option in config retry-failed retry-blocked retry-outcome add dry-run why show list hosts report follow-nofollow ignore-robots version demo completions; do
    [[ $help == *"--$option"* ]] && grep -q "Fl -$option" "$SPINNERET_ROOT/man/crawl.1"
    grep -qe "--$option" "$SPINNERET_ROOT"/tests/cli/crawl*.bats "$SPINNERET_ROOT"/tests/loop/*.bats
  done
}

@test "bug: an option that makes another program of a stage was taken, and no page came" {
  local option
  for option in filter:diff=rules filter:hits filter:check filter:invert filter:csv robots:field=1 robots:quiet fetch:follow=3 fetch:head fetch:json-key=a \
    dedupe:tsv dedupe:key=via dedupe:drop dedupe:mark content:drop extract:check=f extract:probe extract:links extract:base=http://h/ extract:type=text/html items:base=http://h/ text:header normalize:get={host} sched:hosts sched:judged=x; do
    run -2 "$crawl" --state=s "--$option" "$home/"
    [[ $output == "crawl: --${option%%=*} is not for a stage of the loop" ]] || { echo "$option: $output"; false; }
  done
  # An option that the stage takes, but not beside those that the loop gives it.
  run -2 "$crawl" --state=s --dedupe:exact "$home/"
  [[ $output == *'nothing is crawled: dedupe does not take its options' ]]
  run -2 "$crawl" --state=s --fetch:store-as=files "$home/"
  [[ $output == *'nothing is crawled: fetch does not take its options' ]]
  SSL_CERT_FILE=missing.pem run -2 "$crawl" --state=trust http://127.0.0.1:1/
  [[ $output == *'SSL_CERT_FILE: cannot open missing.pem'*'nothing is crawled: fetch does not take its options' && ! -e trust ]]
  run -2 "$crawl" --state=s --content:similarity=0.9 "$home/"
  [[ $output == 'crawl: --content:similarity=0.9 goes with --content-seen' ]]
  for option in sched:partition=0/1 sched:node=a sched:terms=x partitions=3; do
    run -2 "$crawl" --state=s "--$option" "$home/"
    [[ $output == "crawl: --${option%%=*} goes with --cluster" ]] || { echo "$option: $output"; false; }
  done
  [[ ! -e s ]]
  crawled --fetch:store-as=files --store=kept --fetch:header='X-Own: a' --items:field=x=h1 --items-to=found "$home/b.html"
  [[ -d kept ]]
  grep -q 'X-Own: a' "$log"
}

@test "items of pages in a file of their own: --items --items-to" {
  printf 'each a\nfield to @href\n' >rules
  crawled --items=rules --items-to=items "$home/a.html"
  grep -qP "^$home/a.html\titem=1\tto=http.*\toutcome=item\$" items
  run ! grep -q outcome=item records
  lacks outcome=item
  # The items are the same wherever bodies are kept.
  local way
  for way in --store=kept --warc=kept.warc; do
    crawled --items=rules --items-to="items$way" "$way" "$home/a.html"
    diff <(sort items) <(sort "items$way")
  done
  run -2 "$crawl" --state=n --items=rules "$home/"
  [[ $output == *--items-to=FILE* ]]
}

@test "text of pages in a file of its own: --text-to" {
  crawled --text-to=texts --text:what=visible "$home/a.html"
  grep -qP "^$home/a.html\t.*text=.*\ttext-words=[1-9]" texts
  run ! grep -q text-words= records
  # The text is the same wherever bodies are kept.
  local way
  for way in --store=kept --warc=kept.warc.gz --warc=kept.warc; do
    crawled --text-to="texts$way" --text:what=visible "$way" "$home/a.html"
    diff <(sort texts) <(sort "texts$way")
  done
  run -2 "$crawl" --state=n --text:what=visible "$home/"
  [[ $output == *--text-to=FILE* ]]
}

@test "bug: cookies that could not be kept at the end left a crawl with status 0" {
  run -2 --separate-stderr "$crawl" --state=c --delay=0 --allow-private --cookies=/dev/full "$home/cookie"
  [[ $output == *outcome=ok && $stderr == *"fetch: cannot write /dev/full: No space left on device"*"stage fetch ended with status 2"* ]]
  [[ $stderr != *'to be sent again'* && $stderr != *'starting it anew'* ]]
  # No page is left waiting. Once there is space the next run succeeds, even with nothing to do.
  run -0 "$crawl" --state=c --delay=0 --allow-private --cookies=jar "$home/cookie"
  run -0 "$crawl" --state=c --delay=0 --allow-private --cookies=jar "$home/cookie" "$home/a.html"
}

@test "bug: a full disk under --text-to or --items-to was taken for the fault of the pages in flight" {
  printf 'each a\nfield to @href\n' >rules
  local way state
  for way in --text-to --items-to; do
    state=$(mktemp -u s.XXXX)
    run -2 timeout 60 "$crawl" --state="$state" --delay=0 --allow-private --items=rules --items-to=some "$way=/dev/full" "$home/a.html"
    [[ $output == *'cannot write /dev/full: No space left on device'*'times in a row without a result'* ]]
    # No page was given up or counted as tried: once there is space the crawl goes on.
    run -0 politeness-sched --state="$state/frontier" --list
    [[ $output != *retry* && $output != *failed* ]]
    "$crawl" --state="$state" --delay=0 --allow-private --items=rules --items-to=some "$way=kept$way" "$home/a.html" >records 2>messages
    grep -qP "^$home/a.html\t" "kept$way"
    [[ $(outcome /a.html) == ok ]]
  done
}
