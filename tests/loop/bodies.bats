#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a crawl finds does not depend on where its bodies go: inline, --store and --warc lead to the same pages. Several
# hosts serve the same start page, as languages, mirrors and parked names do, and folders the same index, whose links
# lead to other pages each time. The server's log is the judge.

load ../cli/helper
load site

HOSTS=(http://127.0.0.{2..5})

setup() {
  local docs=$BATS_TEST_TMPDIR/docs folder page
  mkdir -p "$docs"
  chmod 755 "$BATS_TEST_TMPDIR" "$docs"
  for folder in "" a/ b/ a/c/ b/c/; do
    mkdir -p "$docs/$folder"
    for page in {1..6}; do echo "<a href='$((page % 6 + 1)).html'>the same text on each page $page</a>"; done \
      >"$docs/${folder}index.html"
    for page in {1..6}; do echo "<p>page $page of all folders" >"$docs/$folder$page.html"; done
  done
  for folder in "" a/ b/; do echo '<a href="a/">a</a><a href="b/">b</a><a href="c/">c</a>' >>"$docs/${folder}index.html"; done
  # The expected pages; a dead link is asked for, too.
  {
    printf '/%s\n' "" {,a/,b/,a/c/,b/c/}{1..6}.html {a,b}/{,a/,b/,c/} c/
  } | sort >"$BATS_TEST_TMPDIR/pages"
  # Compressed and chunked copies of a page are the same page.
  start_site "$docs" 'gzip on; gzip_min_length 1; types { text/html html; }
    location = /nofollow.html { add_header X-Robots-Tag nofollow; }
    location = /welsh.html { add_header Content-Language cy; }
    location = /onward { return 200 ""; add_header Refresh "0; url=/6.html"; }
    location = /next.html { add_header Link "</4.html>; rel=next"; }
    location = /russian.html { charset koi8-r; }
    location = /moved { return 301 /5.html; }'
}
crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --allow-private --delay=1ms "$@" "${HOSTS[@]/%/:$PORT/}" 3>&-
}

# asked_of HOST: prints the paths that the host was asked for, without robots.txt.
asked_of() { awk -v host="$1" '$3 == host && $4 != "/robots.txt" { print $4 }' "$LOG" | sort; }
judge() {
  local host
  log_is_whole
  for host in "${HOSTS[@]}"; do
    diff "$BATS_TEST_TMPDIR/pages" <(asked_of "${host#http://}") || { echo "$* of $host"; return 1; }
  done
}

@test "the same pages of each host, once, whether bodies are inline, in a store or in an archive" {
  local way number=0
  for way in "" --store=kept --warc=kept.warc.gz "--warc=plain.warc --fetch:cdxj"; do
    number=$((number + 1))
    : >"$LOG"
    # shellcheck disable=SC2086
    crawl --state="state$number" $way >records 2>progress
    judge "$way" || { cat progress; false; }
    # Dead links have records as with inline bodies: the set of records is the same.
    cut -f1 records | sort >"found$number"
    diff found1 "found$number"
  done
  python3 "$SPINNERET_ROOT/tests/support/warc-check.py" --cdxj --records records plain*.warc >/dev/null
  grep -qx $'robots: obey\r' plain.warc
}

@test "--warc: the same after kill -9 of the whole group, and a body in a file of an earlier run" {
  local round group goal
  for round in 1 2 3; do
    # The delay is long enough that even a busy machine kills it before it is over.
    setsid "$SPINNERET_ROOT/scripts/crawl" --state=state --allow-private --delay=200ms --warc=kept.warc.gz \
      "${HOSTS[@]/%/:$PORT/}" >>records 2>>progress 3>&- &
    group=$!
    goal=$(($(wc -l <"$LOG") + 25))
    soon '(($(wc -l <"$LOG") >= goal))'
    pkill -9 -s "$group" || true
    wait "$group" 2>/dev/null || true
  done
  crawl --state=state --warc=kept.warc.gz >>records 2>>progress
  for host in "${HOSTS[@]}"; do
    diff "$BATS_TEST_TMPDIR/pages" <(asked_of "${host#http://}" | sort -u) || { cat progress; false; }
  done
  (($(find . -name "kept*.warc.gz" | wc -l) >= 2))
  # Each page that came out can be read again through its record alone.
  awk -F'\t' '/\toutcome=ok$/' records | dedupe --content >/dev/null 2>complaints
  [[ ! -s complaints ]] || { cat complaints; false; }
}

@test "bug: pages without content had a text, and a count of items, only where bodies are inline" {
  local way number=0
  : >"$BATS_TEST_TMPDIR/docs/void.html"
  for way in "" --store=kept --warc=kept.warc.gz; do
    number=$((number + 1))
    # shellcheck disable=SC2086
    "$SPINNERET_ROOT/scripts/crawl" --state="void$number" --allow-private --delay=1ms $way --text-to="texts$number" \
      "http://127.0.0.2:$PORT/void.html" "http://127.0.0.2:$PORT/1.html" >"pages$number" 2>progress 3>&-
    sort "texts$number" | diff - <(sort texts1)
    records --where outcome=ok "pages$number" | extract-items t=p | records --where 'has items' --fields=url,items |
      sort >"items$number"
  done
  grep -q $'void.html\ttext=\ttext-words=0$' texts1
  # In a crawl no page has its body inline any more: only the files say what they hold.
  diff items2 items3
  grep -q $'void.html\t0$' items2
}

@test "bug: pages of more than 64 MiB that --max-size let in were lost, with status 0, where bodies are inline" {
  local way number=0
  { echo '<title>large</title><a href=1.html>1</a>' && head -c 34000000 /dev/zero | tr '\0' '\n'; } >"$BATS_TEST_TMPDIR/docs/large.html"
  for way in "" --store=kept --content-seen; do
    number=$((number + 1))
    # shellcheck disable=SC2086
    "$SPINNERET_ROOT/scripts/crawl" --state="large$number" --allow-private --delay=1ms --max-size=100M --text-to="large-texts$number" $way \
      "http://127.0.0.2:$PORT/large.html" >"large-pages$number" 2>progress 3>&-
    diff <(printf "http://127.0.0.2:$PORT/%s\tok\n" 1.html large.html) <(records --fields=url,outcome "large-pages$number" | sort)
    (($(wc -l <"large-texts$number") == 2))
  done
}

@test "bug: an archive read again had neither charset nor Link nor X-Robots-Tag, and Refresh led nowhere, Content-Language said nothing" {
  local docs=$BATS_TEST_TMPDIR/docs
  echo '<a href=/nofollow.html>n</a> <a href=/next.html>l</a> <a href=/russian.html>r</a> <a href=/moved>m</a> <a href=/onward>o</a> <a href=/welsh.html>w</a>' \
    >"$docs/heads.html"
  echo '<a href=/1.html>not to be followed' >"$docs/nofollow.html"
  echo '<p>a page of a series, and <a href=/2.html>another' >"$docs/next.html"
  echo '<p>Llanfair' >"$docs/welsh.html"
  # The head of the page, in KOI8-R.
  printf '<title>\360\322\311\327\305\324</title><a href="/3.html?\311">\307</a>' >"$docs/russian.html"
  "$SPINNERET_ROOT/scripts/crawl" --state=heads --allow-private --delay=1ms --warc=heads.warc.gz \
    "http://127.0.0.2:$PORT/heads.html" >pages 2>progress 3>&-
  records --from-dir=heads.warc.gz | records --where 'not has purpose' >again
  local fields=url,status,type,charset,link,refresh,content-language,x-robots-tag,etag,last-modified,location
  diff <(records --fields="$fields" pages | sort) <(records --fields="$fields" again | sort)
  diff <(extract-links pages | records --links --fields=url,via,tag,rel,text | sort) \
    <(extract-links again | records --links --fields=url,via,tag,rel,text | sort)
  diff <(extract-text pages | records --fields=url,title,lang,text | sort) <(extract-text again | records --fields=url,title,lang,text | sort)
  # The comparison was not of empty output.
  records --fields=via,url pages | grep -Fx "http://127.0.0.2:$PORT/onward"$'\t'"http://127.0.0.2:$PORT/6.html"
  extract-links again | records --links --fields=url,rel | grep -Fx "http://127.0.0.2:$PORT/4.html"$'\tnext'
  extract-text again | grep -F 'title=Привет'
  extract-text again | records --fields=lang,text | grep -Fx $'cy\tLlanfair'
  grep -F 'x-robots-tag=nofollow' again
  run ! grep -F nofollow.html <(extract-links again | records --links --fields=via)
}

@test "bug: visited again for a new place of bodies or texts, or by wider rules, pages were 304 and brought nothing" {
  HOSTS=(http://127.0.0.2)
  again() { crawl --state=s --recrawl=1ms "$@" >records 2>messages; }
  count() { grep -c "	outcome=$1\$" records || true; }
  # An unchanged page is a 304, except that now and then one is fetched whole to test what the server says.
  as_ever() { (($(count not-modified) > 5 * $(count ok))) || { cut -f1 records; false; }; }
  whole() { (($(count ok) >= $1 && $(count not-modified) == 0)) || { cat records; false; }; }
  # The time is kept in seconds, and pages that came within that second are asked for once more.
  a_second_later() { until (($(date +%s) > $(<s/whole-before))); do sleep 0.1; done; again "$@"; }
  again --max-depth=1
  local first
  first=$(count ok)
  again --max-depth=1
  as_ever
  again --max-depth=1 --store=kept
  whole "$first"
  (($(fetch --store=kept --list | wc -l) == first))
  # Once is enough, and another folder for the same kind of bodies changes nothing.
  a_second_later --max-depth=1 --store=kept
  again --max-depth=1 --store=kept2
  as_ever
  again --max-depth=1 --store=kept --text-to=texts
  whole "$first"
  (($(cut -f1 texts | sort -u | wc -l) == first))
  # Unchanged pages give the links that used to be out of reach.
  again --store=kept --text-to=texts
  whole $((first + 1))
  # /c/ was missing three times before.
  diff <(sed "/^.c.$/d; s|^|${HOSTS[0]}:$PORT|" "$BATS_TEST_TMPDIR/pages" | sort) <(cut -f1 records | sort)
  # A policy with new rules under its old name.
  echo 'deny-path /6.html$' >rules
  again --policy=rules
  a_second_later --policy=rules
  again --policy=rules
  as_ever
  { cat rules; echo '# more'; } >new
  touch -d yesterday new
  mv new rules
  again --policy=rules
  whole "$first"
}
