#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# extract-text: what a page says, in three selections and three formats, from records and into
# records.

load helper

setup() {
  cat >page.html <<'END'
<!doctype html><html lang=en-GB><title>On tea | Leaves</title><meta property=og:site_name content=Leaves>
<meta name=description content="All of tea"><script type="application/ld+json">{"@type":"Article","author":[{"name":"Ann Ash"},
{"name":"Bo Birch"}],"datePublished":"2024-05-06T07:08:09Z"}</script>
<body><nav class=menu><ul><li><a href=/>Home</a><li><a href=/tea>Tea</a><li><a href=/salt>Salt</a></ul></nav>
<main><article><h1>On tea</h1>
<p>Tea is the <b>second</b> drink of the world, after water, and the <a href=/first>first</a> in many a land, where it is drunk
at every hour of the day, from small cups or large ones, with sugar, milk, salt or nothing at all in it.</p>
<img src=/cup.png alt="A cup">
<p>Its leaves are picked by hand, twice a year, in spring and in summer, and what is picked in spring is the better part of it,
which is why that costs three times as much, and why it is so often not what the label says that it is.</p>
<table><tr><th>kind<th>heat<tr><td>green<td>80</table>
<pre>boil
  water</pre><div hidden>secret words</div><div style="display : none">more secrets</div></article></main>
<footer class=site-footer><a href=/privacy>Privacy policy</a> Copyright 2024 Leaves, all rights reserved</footer>
END
  text() { extract-text --base=http://h/p "$@" page.html; }
  records() { printf 'http://h/p\ttype=%s\tbody=%s\tx=1\toutcome=%s\n' "${2-text/html}" "$(sed -z 's/\\/\\\\/g;s/\n/\\n/g' "$1")" "${3-ok}"; }
  T=$'\t'
}

@test "bug: links, items and texts did not agree on what SVG and MathML never show" {
  local page told link item all=0
  # PAGE SHOWN [OPTION...]: the text of the link, the item and the page are SHOWN, except for white
  # space
  alike() {
    link=$(extract-links --base=http://h/p --fields=text "${@:3}" <<<"$1" | tr -d '[:space:]')
    item=$(extract-items --base=http://h/p t=body --fields=t "${@:3}" <<<"$1" | tr -d '[:space:]')
    told=$(extract-text --base=http://h/p --what=visible --fields=text "${@:3}" <<<"$1" | sed 's/\\n//g' | tr -d '[:space:]')
    [[ $link == "$2" && $item == "$2" && $told == "$2" ]] || { echo "$1: $link, $item, $told; not $2"; false; }
    all=$((all + 1))
  }
  while IFS='|' read -r page shown; do alike "<a href=x>$page</a>" "$shown"; done <<'END'
<math><semantics><mi>x</mi><annotation>\frac</annotation></semantics></math>y|xy
<math><semantics><mi>x</mi><annotation-xml encoding=MathML-Content><ci>p</ci></annotation-xml></semantics></math>y|xy
<math><mi>x</mi><annotation-xml encoding=text/html><p>q</p><b>r</b></annotation-xml></math>y|xy
<math><annotation>t<b>u</b>|u
<svg><style>.a{b:c}</style><script>d()</script><metadata><rdf>e</rdf></metadata></svg>y|y
<svg><metadata><metadata></metadata>e</metadata></svg>y|y
<svg><metadata><foreignObject>e</foreignObject></metadata><foreignObject>z</foreignObject></svg>y|zy
<svg><foreignObject><annotation>k</annotation><metadata>m</metadata></foreignObject></svg>|km
<svg><metadata>a<p>u|u
END
  alike '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:m="http://www.w3.org/1998/Math/MathML" xmlns:s="http://www.w3.org/2000/svg"><body><a
    href="x"><m:math><m:mi>x</m:mi><m:annotation>t</m:annotation><m:annotation-xml><b>q</b></m:annotation-xml></m:math>y<s:svg><s:metadata><e/>f<b
    >g</b></s:metadata><s:style>a{}</s:style></s:svg></a></body></html>' xy --type=application/xhtml+xml
  ((all == 10))
}

@test "the main content: no navigation, no footer, nothing hidden" {
  run -0 text --fields=text
  [[ $output == *'Tea is the second drink'*'Its leaves are picked'* ]]
  [[ $output != *Home* && $output != *Privacy* && $output != *secret* ]]
  text --what=visible --fields=text >visible
  grep -q 'Home.*Tea is the second.*kind.*Copyright' visible
  run ! grep -q secret visible
  text --what=all --fields=text | grep -q 'secret words.*more secrets'
}

@test "what the page says of itself, and where" {
  run -0 text --fields=title,lang,description,author,published,site-name
  [[ $output == "On tea${T}en-GB${T}All of tea${T}Ann Ash, Bo Birch${T}2024-05-06T07:08:09Z${T}Leaves" ]]
  run -0 text --explain --fields=sources
  [[ $output == 'title:h1 lang:html description:meta author:json-ld published:json-ld site-name:meta' ]]
  echo '<title>t</title><p>Der Tee ist das zweite Getränk der Welt, und er wird von vielen Menschen auch mit Milch oder Zucker getrunken.' >page.html
  [[ $(text --fields=lang) == de ]]
  run ! grep -q published= <(text)
}

@test "an encoding that nobody declares is guessed, the same in all three tools" {
  iconv -f UTF-8 -t KOI8-R >koi.html <<<'<title>Наш магазин</title><p>Работает каждый день с девяти утра до восьми вечера<a href="/страница">тут</a>'
  run -0 extract-text --base=http://h/ --explain --fields=title,read-as koi.html
  [[ $output == "Наш магазин${T}koi8-u guessed" ]]
  printf 'http://h/p\ttype=text/html\tbody=%s\toutcome=ok\n' "$(sed -z 's/\n/\\n/g' koi.html)" >record
  [[ $(extract-links --explain record) == "http://h/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0${T}"*"${T}read-as=koi8-u guessed${T}"* ]]
  [[ $(extract-items --explain --fields=t,read-as t=title record | head -n 1) == "Наш магазин${T}koi8-u guessed" ]]
  # A declared encoding goes before a guess, and a guess never changes a declared one.
  printf 'http://h/p\ttype=text/html\tcharset=windows-1251\tbody=%s\toutcome=ok\n' "$(sed -z 's/\n/\\n/g' koi.html)" |
    extract-text --explain --fields=read-as | grep -x 'windows-1251 http'
  # A declaration far down the page overrides a guess.
  { cat koi.html; head -c 3000 /dev/zero | tr '\0' ' '; echo '<meta charset=ibm866>'; } >late.html
  [[ $(extract-text --base=http://h/ --explain --fields=read-as late.html) == 'ibm866 meta' ]]
  # The guess is the same in whatever pieces the page comes, and with NULs.
  { printf '\0\0'; cat koi.html; } >nul.html
  [[ $(extract-text --base=http://h/ --explain --fields=read-as nul.html) == 'koi8-u guessed' ]]
}

@test "bug: a page's text acted on the terminal" {
  printf '<title>a\033[31m</title><p>x\033[2J \302\2332J \342\200\256bidi <b>\a\b bold</b><pre>a\tb\n\033c\n</pre>' >page
  for how in text markdown weighted; do
    run -0 extract-text --base=http://e.test/ --what=all --format="$how" page
    [[ $output == *'bold'* && $output != *[$'\033\a\b\302']* && $output != *$'\342\200'* ]]
  done
  printf '<script type="application/ld+json">{"articleBody": "%s\\u001b[2J \302\2332J"}</script>' \
    "$(printf 'word %.0s' {1..30})" >said
  run -0 extract-text --base=http://e.test/ said
  [[ $output == *'word '*'[2J'* && $output != *[$'\033\302']* ]]
}

@test "bylines and dates in words" {
  check() {
    printf '<title>A day</title><h1>A day</h1>%s<p>Words of the page.' "$1" >page.html
    run -0 text --fields="$2"
    [[ $output == "$3" ]] || { echo "$1: $output"; false; }
  }
  check '<p>By Ann Ash</p>' author 'Ann Ash'
  check '<div>Written by</div><div>Ann Ash</div>' author 'Ann Ash'
  check '<span class=byline>by Ann Ash | March 4, 2024</span>' author 'Ann Ash'
  check '<a rel=author href=/ann>Ann Ash</a>' author 'Ann Ash'
  check '<time datetime=2024-03-04>last week</time>' published 2024-03-04
  check '<p>Posted on 4th March 2024 by Ann</p>' published 2024-03-04
  check '<span class=post-date>4.3.2024</span>' published 2024-03-04
}

@test "Markdown: headings, lists, tables, code, links, images" {
  text --what=visible --format=markdown --with=links,images --json | jq -r .text >out
  grep -qx '# On tea' out
  grep -qxF -e '- [Tea](http://h/tea)' out
  grep -qF 'the **second** drink of the world, after water, and the [first](http://h/first) in' out
  grep -qxF '| kind | heat |' out
  grep -qxF '| --- | --- |' out
  grep -qxF '| green | 80 |' out
  grep -qxF '![A cup](http://h/cup.png)' out
  grep -A2 -xF '```' out | grep -qxF '  water'
}

@test "Markdown: links lead where the page's do; those that scripts follow are text" {
  echo '<base href=/d/><p><a href=x>x</a> <a href="javascript:y()">y</a> <a href=//o/z>z</a> <img alt=i src=i.png>' >page.html
  [[ $(text --what=visible --format=markdown --with=links,images --json | jq -r .text) == \
    '[x](http://h/d/x) y [z](http://o/z)'$'\n\n''![i](http://h/d/i.png)' ]]
}

@test "bug: what an earlier run had said of a page stayed where this one found nothing" {
  printf 'http://h/p\ttype=text/html\ttitle=old\ttext=old\tauthor=old\tx=1\tbody=<p>new\toutcome=ok\n' >in
  [[ $(extract-text --what=visible in) == "http://h/p${T}type=text/html${T}x=1${T}text=new${T}text-words=1${T}outcome=ok" ]]
  sed -i 's|text/html|image/png|' in
  [[ $(extract-text in) == "http://h/p${T}type=image/png${T}x=1${T}text-words=0${T}outcome=ok" ]]
}

@test "bug: Markdown and other text that is not plain had no words; a PDF without a type had some" {
  printf '# Tea\n\n- green' >page.html
  for type in text/markdown 'text/x-rst; charset=utf-8' text/csv; do
    [[ $(text --type="$type" --fields=text,text-words) == '# Tea\n\n- green'$'\t2' ]]
  done
  for type in text/css text/javascript text/xml application/json; do [[ $(text --type="$type" --fields=text-words) == 0 ]]; done
  for magic in '%PDF-1.7' '\x89PNG\r\n' 'PK\x03\x04' 'GIF89a'; do
    printf '%b' "$magic a b c" >page.html
    [[ $(text --fields=text-words) == 0 && $(text --type=text/html --fields=text-words) != 0 ]]
  done
}

@test "weighted: a line a class, in one order" {
  text --what=visible --format=weighted --json | jq -r .text >out
  diff <(cut -d: -f1 out) <(printf '%s\n' title h1 emphasis anchor alt meta body)
  grep -qx 'anchor: Home Tea Salt first Privacy policy' out
  grep -qx 'alt: A cup' out
  grep -qx 'meta: All of tea' out
}

@test "records: fields are kept, the outcome is not touched, order holds" {
  { records page.html; printf 'http://h/next\tdepth=1\n'; records page.html text/html not-found; records page.html text/html noindex; } >in
  extract-text in >out
  (($(wc -l <out) == 4))
  grep -qP '^http://h/p\ttype=text/html\tx=1\ttitle=On tea\t.*\ttext=.*\ttext-words=\d+\toutcome=ok$' out
  diff <(sed -n 2,3p in) <(sed -n 2,3p out)
  sed -n 4p out | grep -qP 'text-words=\d+\toutcome=noindex$'
  extract-text --keep-body in | head -n 1 | grep -q 'body=.*text='
}

@test "--text-to keeps text apart, and records as they are" {
  { records page.html; records page.html; } >in
  extract-text --text-to=texts in | cmp - in
  diff <(text; text) texts
  run -2 extract-text --text-to=. in
}

@test "bug: a page whose text could not be kept was passed on by nobody, and blamed by the crawl" {
  { printf 'http://h/link\n'; records page.html; records page.html; } >in
  run -2 --separate-stderr extract-text --text-to=/dev/full in
  [[ $stderr == *': cannot write /dev/full: No space left on device' ]]
  ((${#lines[@]} == 3))
  [[ ${lines[0]} == http://h/link ]]
  [[ ${lines[2]} == http://*"error=cannot write /dev/full: No space left on device${T}outcome=aborted" && ${lines[2]} != *body=* ]]
  # The rest of a line that a kill has cut becomes a line of its own.
  printf 'http://h/\ttext=to' >texts
  extract-text --text-to=texts in >/dev/null
  diff <(printf 'http://h/\ttext=to\n'; text; text) texts
}

@test "bug: a document that is broken gzip had no name" {
  printf '\x1f\x8b\x08' >broken.gz
  run -1 extract-text --base=http://h/ broken.gz
  [[ $output == *'broken.gz:1: gzip body is broken'* ]]
}

@test "what is no page has no words, and nothing is lost" {
  { records page.html image/png; records /dev/null; printf 'http://h/p\tbody=\toutcome=ok\n'; } >in
  extract-text --fields=url,text-words in >out
  diff out - <<<"http://h/p${T}0"$'\n'"http://h/p${T}0"$'\n'"http://h/p${T}0"
  head -c 100000 /dev/urandom >page.html
  run -0 text --type=text/html --fields=url
  [[ $output == http://h/p ]]
  run -0 text --fields=url
  printf 'plain <b> & text\nof two lines' >page.html
  run -0 text --type=text/plain --fields=text,text-words
  [[ $output == 'plain <b> & text\nof two lines'$'\t6' ]]
}

@test "a page cut anywhere, and input in any pieces" {
  local size at
  size=$(wc -c <page.html)
  for ((at = 0; at < size; at += 97)); do
    head -c "$at" page.html >cut.html
    extract-text --base=http://h/p --fields=url cut.html >out
    [[ $(cat out) == http://h/p ]]
  done
  records page.html >in
  extract-text in >whole
  dd if=in bs=7 status=none | extract-text | cmp - whole
  for piece in 1 100 1000; do dd if=page.html bs="$piece" status=none | extract-text --base=http://h/p - | cmp - <(text); done
}

@test "the wrong charset is undone where the page says so; broken bytes are replaced" {
  printf '<meta charset=windows-1252><p>caf\xe9 au lait, tr\xe8s bon' >page.html
  [[ $(text --what=all --fields=text) == 'café au lait, très bon' ]]
  printf '<p>caf\xe9 au lait' >page.html
  [[ $(text --what=all --fields=text --charset=utf-8) == $'caf\xef\xbf\xbd au lait' ]]
  [[ $(text --what=all --fields=text --charset=iso-8859-1) == 'café au lait' ]]
}

@test "a page that scripts would fill has the text that its JSON-LD has" {
  words='one two three four five six seven eight nine ten'
  printf '<title>t</title><script type=application/ld+json>{"@type":"DiscussionForumPosting","text":"%s &amp; \\u00e9",
"comment":[{"text" : "%s"}]}</script><div id=app>Loading</div>' "$words" "$words" >page.html
  [[ $(text --json | jq -r .text) == "$words & é"$'\n'"$words" ]]
  [[ $(text --what=visible --fields=text) == Loading ]]
}

@test "noscript is read as a browser without scripts would" {
  echo '<body><noscript><p>first post</p></noscript><template>t</template><script>s</script><p>after' >page.html
  [[ $(text --what=visible --json | jq -r .text) == $'first post\nafter' ]]
}

@test "bug: XHTML was read by HTML's rules, and <title/> swallowed the page" {
  page='<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>Salt</h1><div/><p>White &amp; <![CDATA[<dry>]]></p></body></html>'
  said() { extract-text --what=visible --fields=text "$@" <<<"$page"; }
  right='Salt\nWhite & <dry>'
  [[ $(said --base=http://h/p --type=application/xhtml+xml) == "$right" ]]
  [[ $(said --base=http://h/p.xhtml) == "$right" ]]
  [[ $(said --base=http://h/p --type=text/html) == '' ]]
  printf 'http://h/p\ttype=application/xhtml+xml\tbody=%s\toutcome=ok\n' "$page" >record
  [[ $(extract-text --what=visible --fields=text record) == "$right" ]]
  # A document that is not well-formed is read as HTML, as extract-links reads it.
  [[ $(extract-text --base=http://h/p.xhtml --what=visible --fields=text <<<'<html><title>t</title><p>a<p>b') == 'a\nb' ]]
}

@test "bodies in a store and in a WARC file" {
  printf 'http://127.0.0.1:9/\tbody-file=page.html\ttype=text/html\toutcome=ok\n' >in
  extract-text --fields=title in | grep -qx 'On tea'
  printf 'http://127.0.0.1:9/\tbody-file=missing\ttype=text/html\toutcome=ok\n' >in
  run -1 --separate-stderr extract-text in
  [[ $output == $'http://127.0.0.1:9/\tbody-file=missing\ttype=text/html\terror=cannot open missing: '*outcome=aborted && $stderr == *missing* ]]
}

@test "a page's response in a WARC file, packed or not, has the text that it has inline" {
  records page.html >inline
  local head offset
  for head in '' 'Content-Encoding: gzip\r\n'; do
    { printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%b\r\n' "$head"
      if [[ $head ]]; then gzip -n <page.html; else cat page.html; fi; } >response
    { printf 'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/p\r\nContent-Type: application/http;msgtype=response\r\n'
      printf 'Content-Length: %d\r\n\r\n' "$(wc -c <response)"
      cat response
      printf '\r\n\r\n'; } >record
    # The record stands behind another one, in a plain file and in one with a member for each.
    cat record record >plain.warc
    offset=$(wc -c <record)
    printf 'http://h/p\ttype=text/html\twarc-file=plain.warc\twarc-offset=%d\tx=1\toutcome=ok\n' "$offset" >in
    diff <(extract-text --fields=title,text,text-words inline) <(extract-text --fields=title,text,text-words in)
    gzip -nc record >members.warc.gz
    offset=$(wc -c <members.warc.gz)
    gzip -nc record >>members.warc.gz
    printf 'http://h/p\ttype=text/html\twarc-file=members.warc.gz\twarc-offset=%d\tx=1\toutcome=ok\n' "$offset" >in
    diff <(extract-text --fields=title,text,text-words inline) <(extract-text --fields=title,text,text-words in)
  done
}

@test "--with: comments, tables, links, images, each alone" {
  sed -i 's|</article>|<section id=comments class=comments><div class=comment><p>Nonsense, said a reader.</div></section>&|' page.html
  sed -i 's|</article>|<table class=sidebar><tr><td>cell of a side table</table>&|' page.html
  main() { text --json "$@" | jq -r .text; }
  run ! grep -q 'Nonsense' <(main)
  main --with=comments | grep -qx 'Nonsense, said a reader.'
  run ! grep -q 'Nonsense' <(main --with=tables,links,images)
  main --with=tables | grep -q 'cell of a side table'
  main --with=tables | grep -q 80
  # Links exist in Markdown alone; in plain text an image is its alternative text.
  diff <(main) <(main --with=links)
  [[ $(diff <(main) <(main --with=images)) == *'> A cup' ]]
  markdown() { main --format=markdown "$@"; }
  run ! grep -q '](' <(markdown)
  markdown --with=links | grep -qF '[first](http://h/first)'
  run ! grep -qF '![' <(markdown --with=links)
  markdown --with=images | grep -qxF '![A cup](http://h/cup.png)'
  run ! grep -qF '[first](' <(markdown --with=images)
  diff <(markdown --with=links --with=images) <(markdown --with=images,links)
}

@test "usage is checked" {
  run -2 extract-text --with=tables,frames --base=http://h/ page.html
  [[ $output == *'--with takes comments'* ]]
  run -2 extract-text --format=pdf --base=http://h/ page.html
  run -2 extract-text --base=h page.html
  [[ $output == *'--base takes an absolute URL'* ]]
  run -2 extract-text --base=http://h/ http://h/page
}

@test "hostile pages take time and memory by their size alone" {
  is_sanitized && skip "a sanitizer has its own memory"
  check() { (ulimit -v 2000000 && timeout 120 extract-text --base=http://h/p --explain "$@" --fields=text-words hostile >/dev/null); }
  python3 - <<'END'
import sys
n = 300000
kinds = [('<div>' * n, 'x'), ('<p>x' * n, ''), ('<b><p>' * 5000, 'x'), ('<a href=x>y' * n, ''), ('<table><tr><td>x' * 20000, ''),
         ('<ul><li>x' * 100000, ''), ('<p class=author>a' * 100000, ''), ('<h1>a b' * 100000, ''), ('<img alt=x>' * n, ''),
         ('<p ' + ' '.join('a%d=1' % i for i in range(n)) + '>', 'x')]
open('hostile', 'w').write('\n'.join(a + b for a, b in kinds))
END
  check
  check --format=markdown --what=visible --with=links,images,comments,tables
  check --format=weighted --what=all
}

# Four times the page may take at most ten times the time, so that a loaded machine does not matter.
@test "hostile pages of one kind take time by their size: 10^6 elements, 10^6 attributes" {
  is_sanitized && skip "a sanitizer has its own time"
  seconds() { { TIMEFORMAT='%U %S' && time "$SPINNERET_BIN/extract-text" --base=http://h/p --explain hostile >out; } 2>&1 | awk '{ print $1 + $2 }'; }
  page() {
    python3 - "$@" <<'END'
import sys
kind, n = sys.argv[1], int(sys.argv[2])
open('hostile', 'w').write({'nested': '<div>' * n + 'x', 'inline': '<b>' * n + 'x', 'paragraphs': '<p>x' * n, 'formatted': '<b><p>' * n,
                            'links': '<a href=/x>x' * n, 'lists': '<ul><li>' * n,
                            'attributes': '<p ' + ' '.join('a%d=b' % i for i in range(n)) + '>x'}[kind])
END
  }
  local kind
  for kind in nested inline paragraphs formatted links lists attributes; do
    page "$kind" 250000
    quarter=$(seconds)
    page "$kind" 1000000
    whole=$(seconds)
    grep -q '^http://h/p.*text-words=' out
    awk -v a="$quarter" -v b="$whole" -v kind="$kind" 'BEGIN { if (b > 10 * a + 1) { print kind, a, b; exit 1 } }'
  done
}

# This is beside the libraries, of which Debian 13 reads a megabyte more than Debian 12.
@test "a page of a megabyte takes no more than 26 MiB" {
  is_sanitized && skip "a sanitizer has its own memory"
  command -v /usr/bin/time >/dev/null || skip "time is not installed"
  local unit bare
  peak_of() { /usr/bin/time -f %M -o peak "$SPINNERET_BIN/extract-text" --base=http://h/p "$1" >/dev/null && cat peak; }
  echo x >small
  bare=$(peak_of small)
  for unit in '<b><p>' '<p>some words of it' '<a href=/x>x</a>' '<li class=a>x y z' '<div class=b>' '<p>x' '<div>x' '<li>x'; do
    python3 -c 'import sys; print(sys.argv[1] * (2**20 // len(sys.argv[1])))' "$unit" >hostile
    (($(peak_of hostile) - bare <= 26 << 10)) || { echo "$unit: $(cat peak) KiB, of them $bare without a page"; false; }
  done
}

@test "100 MB are bounded" {
  is_sanitized && skip "a sanitizer has its own memory"
  for ((i = 0; i < 1000; i++)); do printf '<p>word %d <a href=x>link</a> more words of it, and then some.</p>\n' "$i"; done >some
  for ((i = 0; i < 1600; i++)); do cat some; done >large.html
  (($(wc -c <large.html) > 100000000))
  (ulimit -v 3000000 && timeout 300 extract-text --base=http://h/p --fields=url large.html >out)
  [[ $(cat out) == http://h/p ]]
}
