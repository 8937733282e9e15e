#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: each option by what it changes, with the log of a small site as witness.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir site
  start_python witness-server port log site
  port=$(cat port)
  cat >site/index.html <<EOF
<a href=a.html>to a</a> <a href="b.html?utm_source=x">b</a> <a href=same1.html>1</a> <a href=same2.html>2</a>
<a href=nofollow.html rel=nofollow>n</a> <a href=noindex.html rel="noindex next">n</a> <img src=picture.png>
<a href=big.html>big</a> <a href=paper.pdf>paper</a> <a href="http://127.0.0.2:$port/other.html">other</a>
<img src="http://127.0.0.2:$port/far.png">
EOF
  echo '<a href=deep.html>deep</a> <a href="b.html">b</a>' >site/a.html
  echo '<a href=below-same.html>x</a>' | tee site/same1.html >site/same2.html
  head -c 100000 /dev/zero | tr '\0' x >site/big.html
  for name in b deep after-cookie below-same other mapped named; do echo "$name" >"site/$name.html"; done
  echo png | tee site/picture.png >site/far.png
  echo paper >site/paper.pdf
  printf 'User-agent: *\nSitemap: http://127.0.0.1:%s/named.xml\n' "$port" >site/robots.txt
  echo "<urlset><url><loc>http://127.0.0.1:$port/named.html</loc></url></urlset>" >site/named.xml
  echo "<urlset><url><loc>http://127.0.0.1:$port/mapped.html</loc></url></urlset>" >site/sitemap.xml
}
teardown_file() { stop_servers; }

setup() {
  crawl=$SPINNERET_ROOT/scripts/crawl
  log=$BATS_FILE_TMPDIR/log
  port=$(cat "$BATS_FILE_TMPDIR/port")
  home=http://127.0.0.1:$port
  : >"$log"
}

# crawled OPTION... [URL]: crawls the home page, or what is given, from a new state; stdout is in `records`, stderr in
# `messages`, what the site was asked (without robots.txt) in $asked, each path once.
crawled() {
  local seeds=("$home/") status=0
  : >"$log"
  [[ ${*: -1} != http://* && ${*: -1} != ./* ]] || seeds=()
  "$crawl" --state="$(mktemp -d s.XXXX)/s" --delay=0 --allow-private "$@" "${seeds[@]}" >records 2>messages 3>&- || status=$?
  asked=" $(cut -f3 "$log" | grep -vx /robots.txt | sort -u | tr '\n' ' ')"
  return "$status"
}
# outcome PATH: of its record.
outcome() { sed -nE "s|^http://[^/]*$1\t.*\toutcome=||p" records; }
has() { [[ $asked == *" $1 "* ]] || { echo "$1 was not asked for:$asked"; return 1; }; }
lacks() { [[ $asked != *" $1 "* ]] || { echo "$1 was asked for:$asked"; return 1; }; }

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

@test "bug: a rule that no URL can meet denied nothing, and the crawl said nothing" {
  printf 'deny-path ^/a[.]html\ndeny-path ^/caf\xc3\xa9\n' >rules
  crawled --policy=rules --exclude='b c' --max-depth=3 --max-depth=2
  lacks /a.html
  [[ $(grep -c 'crawl: .*can never' messages) == 2 ]]
  grep -q '^crawl: rules:2: the pattern "^/caf.*" can never match' messages
  grep -q '^crawl: --exclude:1: the pattern "b c" can never match' messages
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
  # Here the proxy is the site itself: it is asked for a whole URL.
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
  crawled --continuous --recrawl=200ms --max-time=8s "$home/b.html"
  (($(grep -c /b.html "$log") > 1))
  crawled --max-pages=2
  (($(wc -l <records) == 2))
}

@test "bug: a connection that ends without an answer was asked again at once, sooner than the delay" {
  "$crawl" --state=s --delay=1h --allow-private --ignore-robots --max-time=8s "$home/cut" >records 2>messages
  (($(grep -c /cut "$log") == 1))
}

@test "bug: --max-time waited for a host that hung for as long as that did" {
  start_python silentsite silent-port 1
  timeout 120 "$crawl" --state=s --delay=0 --allow-private --ignore-robots --max-time=6s --timeout=10m --fetch:limit=first-byte=10m \
    "$home/a.html" "http://127.1.0.1:$(<silent-port)/" >records 2>messages
  stop_python silentsite
  grep -q "^$home/a.html.*outcome=ok" records
  grep -q 'the time is up: not waiting any longer for ' messages
  # What has not come is asked again by the next run.
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
  # Its own content is no copy at the next visit.
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
    # Of both the bytes have changed; history is of changes first.
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

@test "--sitemaps reads those of robots.txt and /sitemap.xml; without it the end of the run names them" {
  crawled
  lacks /named.html && lacks /mapped.html && lacks /sitemap.xml
  grep -qF "robots.txt names sitemaps that --sitemaps would read (1): $home/named.xml" messages
  crawled --sitemaps
  has /named.html && has /mapped.html && has /a.html && lacks /picture.png
  run ! grep 'would read' messages
}

@test "bug: a page in the place of a /sitemap.xml that nobody named was told as no sitemap" {
  local site=$BATS_FILE_TMPDIR/site
  mv "$site/sitemap.xml" kept.xml
  echo '<html><p>No such page.</p></html>' >"$site/sitemap.xml"
  crawled --sitemaps
  has /sitemap.xml && has /named.html
  run ! grep 'is none' messages
  cp "$site/named.xml" named.xml
  cp "$site/sitemap.xml" "$site/named.xml"
  crawled --sitemaps
  grep -F "is none: no page is listed there: \"$home/named.xml\"" messages
  mv named.xml "$site/named.xml"
  mv kept.xml "$site/sitemap.xml"
}

@test "bug: sitemaps over --max-size, or of other types than --types, led to nothing, and nothing said so" {
  {
    echo "<urlset><url><loc>$home/named.html</loc></url>"
    head -c 11000000 /dev/zero | tr '\0' '\n'
    echo '</urlset>'
  } >"$BATS_FILE_TMPDIR/site/named.xml"
  local option
  for option in --max-size=1M --types=text/html --store=kept; do
    crawled --sitemaps "$option"
    has /named.html
    [[ $(outcome /named.xml) == ok ]]
  done
  # Of pages the limit holds.
  crawled --sitemaps --max-size=1K
  [[ $(outcome /named.xml) == ok && $(outcome /big.html) == too-large ]]
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$BATS_FILE_TMPDIR/site/named.xml"
}

@test "bug: --include, --scope and --max-depth refused sitemaps, and so lost the pages that they list" {
  local option site=$BATS_FILE_TMPDIR/site
  echo "<sitemapindex><sitemap><loc>http://127.0.0.2:$port/nested.xml</loc></sitemap></sitemapindex>" >"$site/named.xml"
  echo "<urlset><url><loc>$home/named.html</loc></url><url><loc>http://127.0.0.2:$port/other.html</loc></url></urlset>" >"$site/nested.xml"
  for option in --include=html --scope=origin --max-depth=1 --filter:allow-domain=127.0.0.1; do
    crawled --sitemaps "$option"
    has /named.html && has /mapped.html && lacks /other.html
  done
  crawled --sitemaps --max-depth=1
  lacks /deep.html
  crawled --sitemaps --exclude=nested
  lacks /nested.xml && lacks /named.html
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$site/named.xml"
}

@test "bug: sitemaps spent the budget of a policy, and their pages were refused" {
  local site=$BATS_FILE_TMPDIR/site i
  { echo '<sitemapindex>' && for i in 1 2 3; do echo "<sitemap><loc>$home/map$i.xml</loc></sitemap>"; done && echo '</sitemapindex>'; } >"$site/named.xml"
  for i in 1 2 3; do echo "<urlset><url><loc>$home/named.html?$i</loc></url></urlset>" >"$site/map$i.xml"; done
  crawled --sitemaps --include=named --filter:rule='budget host 3'
  has '/named.html?1' && has '/named.html?2' && has '/named.html?3'
  crawled --sitemaps --include=named --filter:rule='budget host 2'
  [[ $(cut -f3 "$log" | grep -c named.html) == 2 ]]
  rm "$site"/map?.xml
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$site/named.xml"
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
  run -2 "$crawl" --xyzzy
  [[ $output == *"unknown option --xyzzy; see"* ]]
  # A message of the scheduler names its own option, which is to be had by way of its stage.
  run -2 "$crawl" --crawl-delay-cap=0 "$home/"
  [[ $output == "crawl: unknown option --crawl-delay-cap: did you mean --sched:crawl-delay-cap?; see crawl --help" ]]
  run -2 "$crawl" --memory=1G "$home/"
  [[ $output == *": did you mean --content:memory or --dedupe:memory?"* ]]
  # What no stage may have is no advice.
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
  # As an editor of Windows writes it: every other file may begin so.
  printf '\357\273\277include=deep\r\n%s\r\n' "$home/a.html" >options
  crawled --config=options "$home/a.html"
  [[ $asked == ' /a.html /deep.html ' ]]
  # Of a pipe, too, which can be read once only.
  crawled --config=<(echo include=deep; echo "$home/a.html")
  [[ $asked == ' / /a.html /deep.html ' ]]
}

@test "looking into a state by the crawl's own folder: --hosts --list --show --why --report" {
  "$crawl" --state=s --delay=0 --allow-private --exclude=same "$home/" >records 2>messages
  : >"$log"
  run -0 "$crawl" --state=s --hosts
  [[ ${#lines[@]} == 1 && $output == "$home/"$'\t'* ]]
  run -0 "$crawl" --state=s --list --sched:with-state=done --json
  [[ $output == *'{"url":"'"$home/deep.html"'","state":"done"'* ]]
  run -0 "$crawl" --state=s --show="$home/deep.html"
  [[ $output == *"via: $home/a.html"* ]]
  run -0 "$crawl" --state=s --why="$home/deep.html"
  [[ $output == *"policy: accepted"*"robots: allow"*"state: done"*"via: $home/a.html"* ]]
  # By the options of the last run.
  run -2 "$crawl" --state=s --why=same1.html
  [[ $output == "crawl: --why takes a URL, not same1.html" ]]
  run -1 "$crawl" --state=s --why="$home/same1.html"
  [[ $output == *"policy: refused: denied by"*"(--exclude:1)"* && $output == *"not in this state"* ]]
  run -1 "$crawl" --state=s --why="http://127.0.0.2:$port/other.html"
  [[ $output == *'scope: refused: out of scope'* ]]
  run -2 "$crawl" --state=nosuch --hosts
  [[ $output == *"no crawl is kept in nosuch: begin one without --hosts"* && ! -e nosuch ]]
  run -2 "$crawl" --state=s --hosts http://127.0.0.2/  # it was left out without a word
  [[ $output == *"--hosts tells of the crawl that is kept: 'http://127.0.0.2/' has no part in it"* ]]
  [[ ! -s $log ]]
}

@test "bug: --why accepted what --max-depth had kept out, and did not say how it had been judged" {
  "$crawl" --state=s --delay=0 --allow-private --max-depth=1 "$home/" >records 2>messages
  run -1 --separate-stderr "$crawl" --state=s --why="$home/deep.html"
  [[ $output == *"policy: accepted"* && $stderr == *"judged as a link of a seed: of pages further away --max-depth=1 may have refused it"* ]]
  run -0 --separate-stderr "$crawl" --state=s --why="$home/a.html"
  [[ -z $stderr ]]
}

@test "bug: --report emptied the file that others had written to, too; --add spoke in the words of a shell" {
  "$crawl" --state=s --delay=0 --allow-private "$home/" >records 2>messages
  { echo first && "$crawl" --state=s --report && echo last; } >page
  [[ $(head -n 1 page) == first && $(tail -n 1 page) == *last ]]
  grep -q '<html' page
  rm -f s/adopted
  mkdir s/adopted
  run -2 "$crawl" --state=s --add "$home/other.html"
  [[ $output == "crawl: cannot write s/adopted" ]]
}

# list LINE...: as of crawl --list, | for a tab and http://h/ in front
list() { printf 'http://h/%s\n' "$@" | sed 's/|/\tstate=done\tdepth=1\t/'; }

# bug: "there is no state in many/frontier"
@test "what changed between crawls, of which some are in partitions: --diff" {
  "$crawl" --state=s --delay=0 --allow-private "$home/" >/dev/null 2>messages
  "$crawl" --state=t --delay=0 --allow-private "${home/127.0.0.1/localhost}/" >/dev/null 2>messages
  mkdir -p many/p0 many/p1
  cp -r s/frontier many/p0
  cp -r t/frontier many/p1
  "$crawl" --state=t --list | grep -P '\toutcome=ok' | cut -f1 | sort >more
  [[ -s more ]]
  run -0 "$crawl" --diff many many
  [[ -z $output ]]
  "$crawl" --diff s many >changes
  grep -P '\tchange=new\t.*outcome=ok' changes | cut -f1 | sort | diff more -
  "$crawl" --diff many s >changes
  cut -f1 changes | sort | comm -13 - more >left
  [[ ! -s left ]]
  run -1 grep -vP '\tchange=(gone|moved)\t' changes
  "$crawl" --state=many --list >listed
  run -0 "$crawl" --state=many --diff listed
  [[ -z $output ]]
  run -0 "$crawl" --diff s many --report
  [[ $output == *'<style>'*'<p>s to many</p>'* ]]
  # bug: pages of partitions whose states are on other machines were told as new, or as gone
  mkdir many/node-a
  echo --sched:partitions=3 >many/node-a/options
  run -2 "$crawl" --diff s many
  [[ $output == "crawl: --diff: not all partitions of both are here: s has all, many has 0 1 of 3" ]]
  run -0 "$crawl" --diff many many
  [[ $output == "crawl: --diff: the partitions 0 1 of 3 are here, and are compared" ]]
  rm -r many/node-a
  # One that cannot be read is named, and nothing is said of the others.
  rm many/p1/frontier/db/CURRENT
  run -2 "$crawl" --diff s many
  [[ $output == *many/p1/frontier* ]]
}

@test "bug: of a crawl that had not ended --diff told pages as gone, and not that it had not ended" {
  "$crawl" --state=s --delay=0 --allow-private "$home/" >records 2>messages
  "$crawl" --state=begun --delay=0 --allow-private --max-pages=1 "$home/" >records 2>messages
  run -0 --separate-stderr "$crawl" --diff s begun
  [[ $output == *change=gone* && $stderr =~ ^"crawl: --diff: in begun "[1-9]+" URLs wait to be asked for: pages behind them are told as gone"$ ]]
  run -0 --separate-stderr "$crawl" --diff begun s
  [[ $output == *change=new* && $stderr == *"are told as new" ]]
  run -0 --separate-stderr "$crawl" --diff s s
  [[ -z $output$stderr ]]
}

@test "what changed between two crawls: --diff" {
  # A state against itself, and against a list of it.
  "$crawl" --state=s --delay=0 --allow-private "$home/" >/dev/null 2>messages
  "$crawl" --state=s --list >listed
  run -0 "$crawl" --diff s s
  [[ -z $output ]]
  run -0 "$crawl" --state=s --diff listed
  [[ -z $output ]]
  # Names that look like fields, another order, outcomes of visits that are to be repeated.
  list 'gone?state=x&outcome=ok|status=200	digest=1	outcome=ok' 'same|status=200	digest=2	outcome=ok' \
    'changed|status=200	digest=3	outcome=ok' 'left|status=200	digest=4	outcome=ok' 'moved|status=200	digest=5	outcome=ok' \
    'a<b>"&|status=200	digest=6	outcome=ok' 'dead|status=404	digest=7	outcome=not-found' 'was-dead|status=404	digest=7	outcome=not-found' \
    'shut|status=200	digest=8	outcome=ok' 'later|status=200	digest=9	outcome=ok' 'again|status=200	digest=a	last-outcome=ok' \
    'fresh|status=200	digest=b	outcome=ok' 'never|via=http://h/' >old
  list 'again|status=200	digest=A	last-outcome=ok' 'later|via=http://h/' 'shut|status=403	digest=c	outcome=forbidden' \
    'dead|status=200	digest=d	outcome=ok' 'moved|status=301	digest=e	outcome=moved' 'target|via=http://h/moved	status=200	digest=f	outcome=ok' \
    'changed|status=200	digest=33	outcome=ok' 'same|status=200	digest=2	outcome=ok' 'elsewhere|status=200	digest=6	outcome=ok' \
    'gone?state=x&outcome=ok|status=410	digest=g	outcome=gone' 'fresh|status=304	outcome=not-modified' 'forbidden|outcome=blocked-by-robots' \
    'never|status=404	digest=h	outcome=not-found' >new
  run -0 "$crawl" --diff old new
  sort <<<"$output" | sed 's|http://h/||g' >changes
  diff - changes <<'END'
a<b>"&	change=moved	status-old=200	outcome-old=ok	location=elsewhere
again	change=changed	status=200	outcome=ok
changed	change=changed	status=200	outcome=ok
dead	change=status	status=200	status-old=404	outcome-old=not-found	outcome=ok
elsewhere	change=new	status=200	outcome=ok
gone?state=x&outcome=ok	change=gone	status=410	status-old=200	outcome-old=ok	outcome=gone
left	change=gone	status-old=200	outcome-old=ok
moved	change=moved	status=301	status-old=200	outcome-old=ok	location=target	outcome=moved
never	change=new	status=404	outcome=not-found
shut	change=status	status=403	status-old=200	outcome-old=ok	outcome=forbidden
target	change=new	status=200	outcome=ok
END
  run -0 "$crawl" --diff old new --json
  [[ $output == *'{"url":"http://h/shut","change":"status","status":403,"status-old":200,"outcome-old":"ok","outcome":"forbidden"}'* ]]
  # As a page: well-formed, without script, and what a URL holds is text there.
  run -0 "$crawl" --diff old new --report=changes.html
  python3 -c 'import xml.dom.minidom, sys; d = xml.dom.minidom.parse("changes.html"); print(*[b.getAttribute("data-value") for b in d.getElementsByTagName("b")])' >counts
  [[ $(<counts) == '3 2 2 2 2' ]] || { cat counts changes.html; false; }
  run -1 grep -i '<script\|"&"' changes.html
  cp old 'c:\d'
  run -0 "$crawl" --diff listed s --report
  [[ $output == *'<title>What has changed</title>'*'<style>'*'<h1>What has changed</h1><p>listed to s</p>'* ]]
  # bug: of a list and the crawl at hand it was no page, as crawl(1) has it, but two questions at once
  run -0 "$crawl" --state=s --diff listed --report
  [[ $output == *'<h1>What has changed</h1><p>listed to s</p>'* ]]
  # Nothing yet, and what is neither state nor list.
  : >empty
  run -0 bash -c '"$1" --diff empty "$2" | cut -f2 | sort | uniq -c' - "$crawl" new
  [[ $output == *' 11 change=new' ]] || { echo "$output"; false; }
  run -2 "$crawl" --diff "$log" new
  [[ $output == *'--diff takes the folders of states, or files that crawl --list has written, and'*' is neither' ]]
  run -2 "$crawl" --diff nosuch new
  [[ $output == *'cannot read nosuch'* ]]
  run -2 "$crawl" --diff
  [[ $output == *'--diff needs a value'* ]]
  run -2 "$crawl" --diff old new new
  [[ $output == *'--diff compares two: OLD and NEW, not new too'* ]]
  run -2 "$crawl" --diff . new
  [[ $output == *'there is no state in ./frontier'* ]]
}

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
  # By the same rules there is nothing to say; and those that there are hold.
  run -0 --separate-stderr "$crawl" --state=s --retry-blocked
  [[ $stderr != *"the rules are not"* && $stderr == *"politeness-sched: $(wc -l <kept-out) URL"* && $output != *outcome=ok* ]]
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private
  [[ $stderr == *"the rules are not those of the last run: "* && -z $output ]]
  "$crawl" --state=s --delay=0 --allow-private --retry-blocked >records 2>messages
  [[ $(<messages) != *"the rules are not"* ]]
  while read -r url; do grep -q "^$url"$'\t.*outcome=\(ok\|not-found\)' records || { echo "$url"; false; }; done <kept-out
  # A policy that says something else now is another one, too.
  printf 'deny-path ^/b\n' >rules
  touch -d yesterday rules
  "$crawl" --state=s --delay=0 --allow-private --policy=rules >records 2>messages
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr != *"the rules are not"* ]]
  touch -d tomorrow rules
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  # Of several, each.
  printf 'deny-path ^/c\n' >more
  touch -d yesterday rules more
  "$crawl" --state=s --delay=0 --allow-private --policy=rules --policy=more >records 2>messages
  touch -d tomorrow rules
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  # And what they name: rules, and lists.
  mkdir sub
  printf '  include "more  rules"\ndeny-domain-list a.list "b \\"list" # c\n' >sub/policy
  printf 'deny-list c.list' >'sub/more  rules'
  local file
  for file in a.list 'b "list' c.list 'more  rules'; do
    [[ -s sub/$file ]] || echo h.example >"sub/$file"
  done
  for file in a.list 'b "list' c.list 'more  rules'; do
    touch -d yesterday sub/*
    "$crawl" --state=s --delay=0 --allow-private --policy=sub/policy >records 2>messages
    run -0 --separate-stderr "$crawl" --state=s
    [[ $stderr != *"the rules are not"* ]]
    touch -d tomorrow "sub/$file"
    run -0 --separate-stderr "$crawl" --state=s
    [[ $stderr == *"the rules are not those of the last run: "* ]] || { echo "$file"; false; }
  done
  touch -d yesterday sub/*
  # So may a robots.txt say to another name.
  touch -d yesterday rules
  run -0 --separate-stderr "$crawl" --state=s --agent=another
  [[ $stderr == *"the rules are not those of the last run: "* ]]
  run -0 --separate-stderr "$crawl" --state=s
  [[ $stderr != *"the rules are not"* ]]
}

@test "bug: pages that were too large, or refused, came no more to a run that takes them" {
  "$crawl" --state=s --delay=0 --allow-private --max-size=100 --store=kept "$home/" >records 2>messages
  grep -q "^$home/"$'\t.*outcome=too-large' records
  # The first page brought no links, and has validators that the server answers with 304.
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private --store=kept
  [[ -z $output && $stderr == *"what came to too-large then stays so without --retry-outcome=too-large"* ]] || { echo "$stderr"; false; }
  run -2 "$crawl" --state=s --delay=0 --allow-private --store=kept --retry-outcome=too-big
  [[ $output == *"nothing is crawled: --retry-outcome takes outcomes, such as too-large,forbidden, not "*too-big* ]] || { echo "$output"; false; }
  run -2 "$crawl" --state=s --retry-outcome=too_large
  [[ $output == *": did you mean too-large?" ]]
  "$crawl" --state=s --delay=0 --allow-private --store=kept --retry-outcome=too-large,forbidden >records 2>messages
  [[ $(outcome /) == ok && $(outcome /b.html) == ok ]]
  grep -qx 'politeness-sched: 1 URL waits again' messages
  fetch --store=kept --cat "$home/" | grep -q '<a '
  # It is of one run, as --retry-failed is; and a change that the option answers is not told.
  run ! grep -e --retry-outcome s/options
  run ! grep 'took other pages' messages
  run -0 --separate-stderr "$crawl" --state=s
  [[ -z $output && $stderr != *"other pages"* && $stderr != *"waits again"* ]]
  # What is new in a run that pays, or logs in.
  touch auth && chmod 600 auth
  run --separate-stderr "$crawl" --state=s --delay=0 --allow-private --store=kept --auth=auth --types=text/html
  [[ $stderr == *"what came to unsupported-type,forbidden then stays so"* ]] || { echo "$stderr"; false; }
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
  # Some options are all options: what is left out is told, and limits of a run are its own.
  run --separate-stderr "$crawl" --state=s --allow-private --delay=0
  [[ $stderr == *"crawl: the last run had --policy=rules too; "* ]]
  # What was once bounded is wide open without.
  "$crawl" --state=w --delay=0 --allow-private --max-depth=1 --max-host-pages=3 --max-time=1h "$home/" >records 2>messages
  run --separate-stderr "$crawl" --state=w --allow-private --delay=0
  [[ $stderr == *"crawl: the last run had --max-depth=1 --max-host-pages=3 too; "* ]]
  # The next run's is this one's.
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
  # A folder that has moved has taken its files along.
  cd ..
  mv a c
  cd c
  run -0 "$crawl"
  [[ $output == *"going on as the last run did"* ]]
}

@test "bug: a bare --dry-run judged by no option of the last run, which a bare run goes on with" {
  printf 'deny-path ^/b\n' >rules
  "$crawl" --state=s --delay=0 --allow-private --policy=rules --header='X: y' --max-pages=1 "$home/" >records 2>messages || (($? == 3))
  printf 'deny-path ^/\n' >rules
  run -0 --separate-stderr "$crawl" --state=s --dry-run
  [[ $output == *'/a.html'*'delay=0'*'verdict=refuse'* && $output != *'verdict=accept'* ]]
  [[ $stderr == *"crawl: going on as the last run did: crawl --state=s --delay=0 --allow-private --policy=rules --max-pages=1"* ]]
  # With options of its own it is as a run with these.
  run -0 --separate-stderr "$crawl" --state=s --dry-run --delay=2s
  [[ $output == *'/a.html'*'delay=2'*'verdict=accept'* && $stderr != *'going on'* ]]
}

@test "bug: a bare resume went on without its proxy and headers, and did not say so" {
  "$crawl" --state=s --delay=0 --allow-private --header='X-Own: secret' --fetch:limit=first-byte=9 --cookies=jar --max-pages=1 "$home/" >records 2>messages || (($? == 3))
  run -2 "$crawl" --state=s
  [[ $output == "crawl: the last run had --fetch:limit --header: not kept, since it may hold a secret; give it again, "* ]]
  : >"$log"
  # With these alone it goes on as before; that has jars and doors, which are but named.
  run -0 --separate-stderr "$crawl" --state=s --header='X-Own: again' --fetch:limit=first-byte=9
  [[ $stderr == *"crawl: going on as the last run did: crawl --state=s --delay=0 --allow-private --cookies=jar --max-pages=1"$'\n'* ]]
  grep -q 'X-Own: again' "$log"
  # Who gives others is told.
  run --separate-stderr "$crawl" --state=s --delay=0 --allow-private --max-pages=1 --fetch:limit=first-byte=9
  [[ $stderr == *"crawl: the last run had --header --cookies=jar too; "* ]]
  run ! grep -r secret s/options s/unkept
}

@test "the command that is named for what was given up has all of the crawl's options but secrets" {
  run -3 --separate-stderr "$crawl" --state='my s' --allow-private --delay=0 --header='X-Key: secret' --patience=1 --tries=1 http://127.0.0.1:1/
  [[ $stderr == *"; to go on: crawl --state=my\\ s --allow-private --delay=0 --patience=1 --tries=1 --retry-failed" ]]
  [[ $stderr != *secret* ]]
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
  # What the dry run lets pass is asked for, and nothing else of what it names.
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

@test "--version and --completions" {
  run -0 "$crawl" --version
  [[ $output =~ ^crawl\ \(Spinneret\)\ [0-9.]+$ ]]
  run -0 "$crawl" -V
  run -0 "$crawl" --completions=bash
  [[ $output == *--throttle=* && $output == *--why=* ]]
  run -2 "$crawl" --completions=tcsh
}

@test "what is refused leaves a trace: --rejected, and counts by rule at the end" {
  rm -f rejected
  printf 'deny-path ^/same\n' >own-policy
  crawled --policy=own-policy --rejected="$PWD/rejected"
  lacks /same1.html && has /a.html
  cat rejected messages
  # Once each, with its page and the line that decided.
  (($(cut -f1 rejected | sort | uniq -d | wc -l) == 0))
  grep -P "^$home/same1.html\t" rejected >one
  for field in "via=$home/" tag=a@href 'policy=.*own-policy:1' 'rule=deny-path \^/same' class=path; do
    grep -qP "\t$field(\t|$)" one || { echo "no $field in"; cat one; false; }
  done
  # What the scope refuses is there, too, and nothing of it was asked for or kept as a page.
  grep -qP "^http://127.0.0.2:$port/other.html\t.*\tclass=scope(\t|$)" rejected
  lacks /other.html
  [[ -z $(outcome /same1.html) ]]
  grep -q 'own-policy:1' messages
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

# Tools that write down with which words they are called, and a scheduler that starts the pipeline once.
make_stubs() {
  mkdir bin
  cat >bin/stub <<'EOF2'
#!/bin/bash
words="$*"
[[ $0 != *sched ]] || words=${words%% -- *}
printf '%s %s\n' "${0##*/}" "$words" >>"$STUB_LOG"
case ${0##*/} in
  url-normalize) if [[ $* == *http* ]]; then printf '%s\n' "${@: -1}"; fi ;;
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
  # Those that are for the driver, or look into a state, each have a test of their own.
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
  # What its stage takes, but not beside what the loop gives it.
  run -2 "$crawl" --state=s --dedupe:exact "$home/"
  [[ $output == *'nothing is crawled: dedupe does not take its options' ]]
  run -2 "$crawl" --state=s --fetch:store-as=files "$home/"
  [[ $output == *'nothing is crawled: fetch does not take its options' ]]
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
  # The same items wherever bodies are kept.
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
  # The same text wherever bodies are kept.
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
  # Nothing waits, and with room the next run is well, also where it has nothing to do.
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
    # Nothing was given up, nor tried: with room it goes on.
    run -0 politeness-sched --state="$state/frontier" --list
    [[ $output != *retry* && $output != *failed* ]]
    "$crawl" --state="$state" --delay=0 --allow-private --items=rules --items-to=some "$way=kept$way" "$home/a.html" >records 2>messages
    grep -qP "^$home/a.html\t" "kept$way"
    [[ $(outcome /a.html) == ok ]]
  done
}
