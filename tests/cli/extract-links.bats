#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# extract-links: records in and out, documents, selection, directives.

load helper

# document OPTION...: reads stdin as the document http://h.example/d/p.
document() { extract-links --base=http://h.example/d/p "$@"; }
urls() { cut -f1; }

# --- --once ---------------------------------------------------------------------------------------

@test "--once prints each URL of a page once, the first of them; edges and checks have all" {
  printf 'http://h/p\tbody=%s\toutcome=ok\n' \
    '<a href=a>x</a><a href=./a>y</a><a href=a>z</a><a href=b#1>v</a><a href=b#2>w</a><img src=a>' >in
  cat in in >twice
  run -0 extract-links --once twice
  # The URLs are counted anew for each page.
  [[ $(urls <<<"$output" | sort | uniq -c | awk '{ print $1, $2 }') == $'2 http://h/a\n2 http://h/b#1\n2 http://h/b#2\n2 http://h/p' ]]
  [[ $output == *$'text=x'* && $output != *$'text=y'* && $output != *$'text=z'* ]]
  run -0 extract-links --once --no-fragment --fields=url in
  [[ $output == $'http://h/a\nhttp://h/b\nhttp://h/p' ]]
  run -0 extract-links --once --edges=edges --only=all --check=links --requisites in
  [[ $(grep -c 'http://h/a' edges) == 4 ]]
  # A URL with a fragment is not the same as the page's own.
  [[ $(grep -c '^http://h/a' <<<"$output") == 2 ]]
  # One value resolved against two bases is two URLs.
  printf '<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:base="http://h/1/"><link href="x"/></entry><entry xml:base="http://h/2/"><link href="x"/></entry></feed>' >feed
  run -0 extract-links --once --base=http://h/ --type=application/atom+xml --fields=url --only=all feed
  [[ $output == $'http://h/1/x\nhttp://h/2/x' ]]
}

@test "--once of a page of many links: bounded, and the first of each" {
  seq 70000 | sed 's/.*/<a href=&><a href=&>/' >page
  run -0 extract-links --once --base=http://h/ --fields=url page
  [[ $(head -n 65536 <<<"$output") == "$(seq -f 'http://h/%.0f' 65536)" ]]
  [[ $(sort -u <<<"$output" | wc -l) == 70000 ]]
}

# --- records -------------------------------------------------------------------------------------

@test "links come first, then the page's record without its body" {
  run -0 extract-links < <(printf 'http://h.example/\tdepth=2\tmine=1\tsize=11\tbody=<a href=x>y\toutcome=ok\n')
  [[ ${lines[0]} == $'http://h.example/x\tdepth=3\tvia=http://h.example/\ttag=a@href\ttext=y' ]]
  [[ ${lines[1]} == $'http://h.example/\tdepth=2\tmine=1\tsize=11\toutcome=ok' ]]
  [[ ${#lines[@]} == 2 ]]
}

@test "candidates and records without a page pass byte for byte" {
  printf 'http://h/\tdepth=1\n\nnot a url\toutcome=bad-response\nu\toutcome=gone\tx=\\q\t\tNo\n' >in
  run -0 extract-links in
  extract-links in | cmp - in
}

@test "a torn body is reported and dropped, and the stream goes on" {
  run -1 --separate-stderr extract-links < <(
    printf 'http://h.example/\tsize=99\tbody=<a href=x>\toutcome=ok\nhttp://b/\toutcome=ok\n')
  [[ $output == $'http://b/\toutcome=ok' ]]
  [[ $stderr == *"torn: record dropped"* ]]
}

@test "a redirect's target is a candidate one deeper" {
  run -0 extract-links < <(printf 'http://h/\tdepth=4\tlocation=http://h/t\toutcome=moved\n')
  [[ ${lines[0]} == $'http://h/t\tdepth=5\tvia=http://h/\ttag=location\tredirects=1' ]]
  [[ ${lines[1]} == $'http://h/\tdepth=4\tlocation=http://h/t\toutcome=moved' ]]
}

@test "robots.txt passes with its body" {
  printf 'http://h/robots.txt\tpurpose=robots\tsize=14\tbody=Disallow: /<a>\toutcome=ok\n' >in
  extract-links in | cmp - in
}

@test "body-file is read, and stays in the record" {
  printf '<a href=x>' >body
  run -0 extract-links < <(printf 'http://h/\tsize=10\tbody-file=body\toutcome=ok\n')
  [[ ${lines[0]} == $'http://h/x\tdepth=1\tvia=http://h/\ttag=a@href' ]]
  [[ ${lines[1]} == $'http://h/\tsize=10\tbody-file=body\toutcome=ok' ]]
}

@test "a body-file that is a device or a FIFO is refused at once" {
  mkfifo pipe
  for field in body-file=/dev/zero body-file=pipe body-file=pipe$'\t'body-offset=0$'\t'size=1 warc-file=pipe$'\t'warc-offset=0; do
    run -1 --separate-stderr timeout 20 extract-links <<<$'http://h/\t'"$field"$'\toutcome=ok'
    [[ $output == $'http://h/\t'"$field"$'\terror=cannot read '*$': it is not a regular file\toutcome=aborted' ]]
  done
}

@test "a body-file that is not there is reported with the record" {
  run -1 --separate-stderr extract-links < <(printf 'http://h/\tbody-file=nope\toutcome=ok\n')
  [[ $output == $'http://h/\tbody-file=nope\terror=cannot open nope: '*$'\toutcome=aborted' && $stderr == *"nope"*"http://h/"* ]]
}

@test "bug: where an archive was away, its redirects and errors were aborted, and where they lead was not said" {
  local place=$'warc-file=nope\twarc-offset=0'
  printf 'http://h/\tstatus=301\tlocation=http://h/x\t%s\toutcome=moved\nhttp://h/y\tstatus=404\t%s\toutcome=not-found\n' "$place" "$place" >in
  run -0 extract-links in
  [[ ${lines[0]} == $'http://h/x\tdepth=1\tvia=http://h/\ttag=location'* ]]
  diff <(printf '%s\n' "${lines[@]:1}") in
  # A record that was torn is dropped as before.
  run -1 --separate-stderr extract-links < <(printf 'http://h/\tsize=9\tbody=<a hrefhttp://h/y\tstatus=404\toutcome=not-found\n')
  [[ -z $output && $stderr == *torn* ]]
}

@test "a body of another type has no links, and is dropped all the same" {
  run -0 extract-links < <(printf 'http://h/\ttype=image/png\tbody=<a href=x>\toutcome=ok\n')
  [[ $output == $'http://h/\ttype=image/png\toutcome=ok' ]]
}

@test "JSON and columns" {
  run -0 extract-links --json < <(printf 'http://h/\tbody=<a href=x>\toutcome=ok\n')
  [[ ${lines[0]} == '{"url":"http://h/x","depth":1,"via":"http://h/","tag":"a@href"}' ]]
  run -0 extract-links --fields=tag,url < <(printf 'http://h/\tbody=<a href=x>\toutcome=ok\n')
  [[ ${lines[0]} == $'a@href\thttp://h/x' ]]
}

# --- what a page asks ----------------------------------------------------------------------------

page() { printf 'http://h/a\t%sbody=%s\toutcome=ok\n' "${2-}" "$1"; }

@test "meta robots noindex, and the agent's own" {
  run -0 extract-links < <(page '<meta name=robots content=noindex><a href=x>')
  [[ ${lines[0]} == http://h/x* && ${lines[1]} == $'http://h/a\toutcome=noindex' ]]
  run -0 extract-links < <(page '<meta name=mybot content=noindex>')
  [[ $output == $'http://h/a\toutcome=ok' ]]
  run -0 extract-links -A mybot < <(page '<meta name=mybot content=noindex>')
  [[ $output == $'http://h/a\toutcome=noindex' ]]
}

@test "bug: a whole User-Agent as --agent was taken as it was, and no page addresses that" {
  local agent
  for agent in mybot/1.0 'mybot (+http://h/)' 'Mozilla/5.0 (compatible; mybot/1.1; +http://h/)'; do
    run -0 --separate-stderr extract-links -A "$agent" < <(page '<meta name=MyBot content=noindex>')
    [[ $output == $'http://h/a\toutcome=noindex' ]]
    [[ $stderr == "extract-links: --agent="*": asking for "*mybot* ]]
  done
  for agent in 'Mozilla/5.0 (X11; Linux x86_64)' a+b +; do
    run -2 --separate-stderr extract-links -A "$agent" </dev/null
    [[ -z $output && $stderr == "extract-links: --agent takes "*"product token"* ]]
  done
}

@test "nofollow: no links, unless told" {
  run -0 extract-links < <(page '<meta name=robots content=nofollow><a href=x>')
  [[ $output == $'http://h/a\toutcome=ok' ]]
  run -0 extract-links --ignore-nofollow < <(page '<meta name=robots content=nofollow><a href=x>')
  [[ ${lines[0]} == http://h/x* ]]
}

@test "X-Robots-Tag counts as the meta element does" {
  run -0 extract-links < <(page '<a href=x>' $'x-robots-tag=noindex, nofollow\t')
  [[ $output == $'http://h/a\tx-robots-tag=noindex, nofollow\toutcome=noindex' ]]
}

@test "canonical elsewhere is a link and an outcome, here it is neither" {
  run -0 extract-links < <(page '<link rel=canonical href=/c>')
  [[ ${lines[0]} == $'http://h/c\t'*$'tag=link@href\trel=canonical' ]]
  [[ ${lines[1]} == $'http://h/a\toutcome=non-canonical' ]]
  run -0 extract-links < <(page '<link rel=canonical href=/a#top>')
  [[ ${lines[1]} == $'http://h/a\toutcome=ok' ]]
}

# --- documents -----------------------------------------------------------------------------------

@test "the kinds of links, and the default" {
  html='<a href=a><area href=b><link rel=next href=c><base target=x><frame src=d><iframe src=e></iframe>'
  html+='<img src=f><script src=g></script><form action=h></form><form method=post action=i></form>'
  html+='<meta http-equiv=refresh content="0; url=j"><link rel=stylesheet href=k>'
  run -0 document < <(printf %s "$html")
  [[ $(urls <<<"$output" | tr '\n' ' ') == "http://h.example/d/a http://h.example/d/b http://h.example/d/c\
 http://h.example/d/e http://h.example/d/h http://h.example/d/j " ]]
  run -0 document --only=resource < <(printf %s "$html")
  [[ $(urls <<<"$output" | tr '\n' ' ') == "http://h.example/d/f http://h.example/d/g http://h.example/d/k " ]]
}

@test "--only and --except: element, attribute, both, rel" {
  html='<a href=a rel=nofollow><a href=b><img src=c srcset="d 1x, e 2x">'
  [[ $(document --only=img <<<"$html" | urls | tr '\n' ' ') == "http://h.example/d/c http://h.example/d/d http://h.example/d/e " ]]
  [[ $(document --only=@srcset <<<"$html" | urls | tr '\n' ' ') == "http://h.example/d/d http://h.example/d/e " ]]
  [[ $(document --only=img@src --only=rel=nofollow <<<"$html" | urls | tr '\n' ' ') == "http://h.example/d/a http://h.example/d/c " ]]
  [[ $(document --except=rel=nofollow <<<"$html" | urls) == http://h.example/d/b ]]
  run -2 document --only='a b' <<<x
  [[ $(document --only=img@src,rel=nofollow <<<"$html" | urls | tr '\n' ' ') == "http://h.example/d/a http://h.example/d/c " ]]
  [[ $(document --only=all --except=img,rel=nofollow <<<"$html" | urls) == $(document --only=all --except=img --except=rel=nofollow <<<"$html" | urls) ]]
  run -2 document --only=page,,img <<<x
  run -2 document --only=page,@ <<<x
  [[ $output == *"not \"@\""* ]]
}

@test "--attr adds an attribute" {
  [[ $(document --attr='div@data-go' <<<'<div data-go=x><p data-go=y>' | urls) == http://h.example/d/x ]]
  [[ $(document --attr='@data-go' <<<'<x-y data-go=x>') == *tag=x-y@data-go* ]]
  run -2 document --attr=data-go <<<x
}

@test "base, also for links before it" {
  [[ $(document <<<'<a href=x><base href=/z/>' | urls) == http://h.example/z/x ]]
  [[ $(document <<<'<base href="data:x"><a href=x>' | urls) == http://h.example/d/x ]]
}

@test "other schemes only when asked, and what is no URL is counted and shown" {
  html='<a href=mailto:x@y><a href="http://[/"><a href="javascript:x">'
  [[ -z $(document <<<"$html") ]]
  [[ $(document --any-scheme <<<"$html" | urls | head -1) == mailto:x@y ]]
  run -1 --separate-stderr document --errors <<<"$html"
  [[ $stderr == "extract-links: -:1: "*'"http://[/"' ]]
  printf '\n\n<a href="http://[/">' >third
  run -1 --separate-stderr document --errors third
  [[ $stderr == "extract-links: third:3: "* ]]
  # bug: for a page in a record the line of the stream was named, which says nothing about the page
  run -1 --separate-stderr extract-links --errors < <(page '<p>\n<a href="http://[/">')
  [[ $stderr == "extract-links: http://h/a:2: link is not a URL: "*'"http://[/"' ]]
  run -1 --separate-stderr extract-links --errors <<<$'http://h/a\tlocation=http://[/\toutcome=moved'
  [[ $stderr == "extract-links: http://h/a: link is not a URL: "*'"http://[/"' ]]
  run -0 extract-links < <(page '<a href="http://[/">')
  [[ $output == $'http://h/a\tbad-links=1\toutcome=ok' ]]
}

@test "white space and line ends in a link" {
  [[ $(document <<<$'<a href=" \n/a\n/b\t ">' | urls) == http://h.example/a/b ]]
}

@test "several documents, a missing one among them" {
  echo '<a href=1>' >one
  echo '<a href=2>' >two
  run -2 --separate-stderr document one none two
  [[ $(urls <<<"$output" | tr '\n' ' ') == "http://h.example/d/1 http://h.example/d/2 " ]]
  [[ $stderr == *none* ]]
}

@test "--base that is no URL is a usage error" {
  run -2 extract-links --base=nope <<<x
}

@test "a tab in a value cannot forge a field" {
  run -0 document --as-written <<<$'<a href="x\ty" rel="a&#9;outcome=ok">t</a>'
  [[ $output != *$'\toutcome='* ]]
}

# Text is copied in words of eight and four bytes and byte by byte, so a control is tried at each place of texts of each
# length.
@test "a control in a text is a space and a backslash is escaped, wherever it stands" {
  awk 'BEGIN { for (n = 1; n <= 26; n++) for (i = 1; i <= n; i++) {
    s = substr("abcdefghijklmnopqrstuvwxyz", 1, n)
    head = substr(s, 1, i - 1); tail = substr(s, i + 1)
    printf "<a href=x>%s\001%s</a><a href=x>%s\\%s</a><a href=x>%s\177%s</a>\n", head, tail, head, tail, head, tail > "page"
    printf "%s %s\n%s\\\\%s\n%s %s\n", head, tail, head, tail, head, tail > "expected" } }'
  document page | sed 's/.*text=//' | diff expected -
}

# --- other kinds of documents --------------------------------------------------------------------

@test "--guess: comments, scripts, text" {
  html='<!--[if IE]><a href=a></a><![endif]--><script>x="/b"</script>see http://c/.'
  [[ -z $(document <<<"$html") ]]
  [[ $(document --guess=comments <<<"$html") == *http://h.example/d/a*ctx=comment ]]
  [[ $(document --guess=scripts --guess=text <<<"$html" | urls | tr '\n' ' ') == "http://h.example/b http://c/ " ]]
  run -2 document --guess=all <<<x
}

@test "bug: a film in an archive was read whole into memory, to find that its type has no links" {
  # The archive does not exist, which shows that nobody looks into it.
  local at=$'\twarc-file=none.warc\twarc-offset=0\toutcome='
  printf '%s\n' $'http://h/v.mp4\tstatus=200\ttype=video/mp4'"${at}ok" \
    $'http://h/i.png\tstatus=200\ttype=image/png\tx-robots-tag=noindex\tlink=</of>; rel=next'"${at}ok" >in
  run -0 --separate-stderr extract-links in
  [[ -z $stderr ]]
  [[ $output == *$'http://h/v.mp4\t'*$'\toutcome=ok\n'*$'http://h/of\t'*$'http://h/i.png\t'*$'\toutcome=noindex' ]]
  for type in image/svg+xml application/octet-stream text/plain ''; do
    run -1 --separate-stderr extract-links <<<$'http://h/v\tstatus=200\ttype='"$type${at}ok"
    [[ $stderr == *none.warc* ]]
  done
}

@test "--positions, --about, --explain" {
  [[ $(document --positions <<<$'\n\n<p><a href=x>') == *$'\toffset=5\tline=3\tcolumn=4' ]]
  run -0 extract-links --about < <(page '<html lang=de><title>T</title><meta name=description content=D>')
  [[ $output == $'http://h/a\ttitle=T\tlang=de\tdescription=D\toutcome=ok' ]]
  run -0 extract-links --explain < <(page '<meta name=robots content=noindex>')
  [[ $output == *$'rule=meta robots: noindex\toutcome=noindex' ]]
}

@test "--ids: what fragments may point to, in one field" {
  run -0 extract-links --ids < <(page '<h1 id=a>A</h1><a name="b c" id="100%">x</a><p name=no ID=é id=second><template><i id=t></i></template>')
  [[ $output == $'http://h/a\tids=a b%20c 100%25 %C3%A9\toutcome=ok' ]]
  [[ $(extract-links --ids < <(page '<p>none')) == $'http://h/a\tids=\toutcome=ok' ]]
  [[ $(extract-links < <(page '<p id=a>')) == $'http://h/a\toutcome=ok' ]]
  [[ $(document --ids <<<'<svg id=s><a name=n id=t></a></svg>') == $'http://h.example/d/p\tids=s t' ]]
}

@test "the query is in the page's encoding, the path in UTF-8" {
  run -0 document < <(printf '<meta charset=windows-1251><a href="\xe6?\xe6">')
  [[ $(urls <<<"$output") == 'http://h.example/d/%D0%B6?%E6' ]]
  [[ $(document --charset=utf-8 <<<'<meta charset=big5><a href="?é">' | urls) == 'http://h.example/d/p?%C3%A9' ]]
}

@test "a page of links takes no more memory than its bytes and 16 MiB, late base and all" {
  ! grep -q '^SPINNERET_SANITIZE:[A-Z]*=.' "$SPINNERET_BIN/../CMakeCache.txt" || skip "a sanitizer's build"
  { yes '<a href=x>' | head -n 1000000 | tr -d '\n'; printf '<base href=http://b/>'; } >page
  /usr/bin/time -f %M -o rss extract-links --base=http://h/ page >out
  [[ $(tail -n 1 out | cut -f1) == http://b/x ]]
  (($(tail -n 1 rss) < $(wc -c <page) / 1024 + 16384))
}

@test "a line of 100 MB is refused with its number, and the stream goes on" {
  run -1 --separate-stderr extract-links < <(
    printf 'http://h/\tbody='; head -c 100000000 /dev/zero | tr '\0' a; printf '\toutcome=ok\nhttp://b/\toutcome=ok\n')
  [[ $output == $'http://b/\toutcome=ok' && $stderr == *"-:1: "* ]]
}

@test "a closed or full standard output is trouble" {
  run -2 bash -c 'printf "<a href=x>" | extract-links --base=http://h/ >/dev/full'
  run -2 bash -c 'printf "<a href=x>" | extract-links --base=http://h/ >&-'
}

@test "killed amid a stream, what it wrote is whole links and no half record with an outcome" {
  for ((i = 0; i < 20000; i++)); do printf 'http://h/%d\tbody=<a href=x>\toutcome=ok\n' "$i"; done >in
  (extract-links in & echo "$!" >pid; wait) | { head -c 200000; kill -9 "$(cat pid)"; cat; } >out || true
  # Every line except the last, which may be cut, is a link or a settled record.
  [[ $(sed '$d' out | grep -vc $'\ttag=a@href$\|\toutcome=ok$') == 0 ]]
}

@test "links equal html5lib's on the HTML of four documentation packages" {
  /usr/bin/python3 -c 'import html5lib' 2>/dev/null || skip "no python3-html5lib"
  local package found=0
  for package in $(dpkg-query -W -f '${Package}\n' 'python3.*-doc' python-django-doc 'postgresql-doc-*' 'openjdk-*-doc' 2>/dev/null); do
    dpkg -L "$package" 2>/dev/null | grep '\.html\?$' | xargs -r readlink -f -- | sort -u >files || true
    [[ -s files ]] || continue
    ((++found))
    # ORACLE_PAGES=0 compares all pages.
    awk -v total="$(wc -l <files)" -v want="${ORACLE_PAGES:-25}" \
      'want == 0 || NR % (int(total / want) + 1) == 0' files >sample
    xargs "$SPINNERET_ROOT/tests/unit/html/oracle.py" "$SPINNERET_BIN/extract-links" <sample
  done
  ((found)) || skip "no documentation packages"
}

@test "--no-fragment leaves fragments out, and nothing else" {
  printf '<a href="/a#x">1</a><a href="/b?q=1#">2</a><a href="#top">3</a><a href="/c%%23d">4</a>' >page.html
  run -0 extract-links --no-fragment --base=https://h.test/p page.html
  [[ $(cut -f1 <<<"$output" | tr '\n' ' ') == "https://h.test/a https://h.test/b?q=1 https://h.test/p https://h.test/c%23d "* ]]
  run -0 extract-links --base=https://h.test/p page.html
  [[ $(cut -f1 <<<"$output" | head -1) == "https://h.test/a#x" ]]
}

# --- what was wrong once ---------------------------------------------------------------------------

@test "the canonical of a page in a legacy encoding is resolved as its links are" {
  run -0 extract-links --only=all < <(
    printf 'http://h/p?q=%%EF\tcharset=windows-1251\tbody=<link rel=canonical href="/p?q=\xef">\toutcome=ok\n')
  [[ ${lines[0]} == 'http://h/p?q=%EF'$'\t'* && ${lines[1]} == *$'\toutcome=ok' ]]
}

@test "a base of over 2,048 bytes is none: it would be said again in each link" {
  local base
  printf -v base '%2100s' ''
  [[ $(document <<<"<base href='http://b/${base// /x}/'><a href=y>" | urls) == http://h.example/d/y ]]
  [[ $(document <<<"<base href='http://b/${base:2000:100}x/'><a href=y>" | urls) == http://b/*/y ]]
}

@test "links of SVG can be chosen by element and attribute" {
  local page='<svg><a xlink:href=a></a><image href=i /><use xlink:href=u /></svg>' what
  local -A want=([@href]=i [@xlink:href]=$'a\nu' [image@href]=i [use]=u [a@xlink:href]=a [a]=a)
  for what in "${!want[@]}"; do
    [[ $(document --only="$what" <<<"$page" | urls | sed 's,.*/,,') == "${want[$what]}" ]]
  done
}

@test "the same link is of one kind, whatever is asked for" {
  [[ -z $(document --only=resource <<<'<iframe data-src=x></iframe>') ]]
  [[ $(document --only=page <<<'<iframe data-src=x></iframe>') == *tag=iframe@data-src ]]
}

@test "a redirect's target comes whatever --only chooses, and --except leaves it out" {
  printf 'http://h/\tlocation=http://h/new\toutcome=moved\n' >in
  [[ $(extract-links --only=img in | head -1) == http://h/new* ]]
  run -0 extract-links --except=location in
  [[ $output == "$(<in)" ]]
}

@test "links of a page's headers are not printed where its <meta> says nofollow" {
  printf 'http://h/\tlink=<http://h/l>; rel=next\tbody=%s\toutcome=ok\n' '<a href=b>' \
    '<meta name=robots content=nofollow><a href=b>' >in
  [[ $(extract-links in | grep -v outcome= | urls) == $'http://h/b\nhttp://h/l' ]]
}

@test "--positions of links in style sheets, styles and texts" {
  [[ $(document --type=text/css --only=all --positions <<<$'a{b:url(x)}\n\nc{d:url(y)}') == \
    *$'x\t'*$'\toffset=8\tline=1\tcolumn=9\n'*$'y\t'*$'\toffset=21\tline=3\tcolumn=9' ]]
  [[ $(document --only=all --positions <<<$'<style>\na{b:url(x)}</style>') == *$'\toffset=16\tline=2\tcolumn=9' ]]
  [[ $(document --type=text/plain --guess=text --positions <<<$'See\nhttp://x.example/ there') == *$'\toffset=4\tline=2\tcolumn=1' ]]
}

@test "bug: what a page behind redirects says was read as relative to the first of them" {
  local hops=$'hop=301 http://h/d\thop=302 http://g/d/\t' body
  body='<link rel=canonical href=/d/><a href=rel>r</a>'
  printf 'http://h/x/\tvia=http://h/\t%stype=text/html\tbody=%s\toutcome=ok\n' "$hops" "$body" >in
  run -0 extract-links --only=a --fields=url,via,outcome in
  [[ $output == $'http://g/d/rel\thttp://h/x/\t\nhttp://h/x/\thttp://h/\tok' ]]
  run -0 extract-text --with=links --format=markdown --fields=url,text in
  [[ $output == $'http://h/x/\t[r](http://g/d/rel)' ]]
  run -0 extract-items l=a@href --fields=url,l in
  [[ ${lines[0]} == $'http://h/x/\thttp://g/d/rel' ]]
  # A page may name the first address of its redirects as its own.
  body='<link rel=canonical href=http://h/x/><p>'
  run -0 extract-links --only=a --fields=outcome < <(printf 'http://h/x/\t%sbody=%s\toutcome=ok\n' "$hops" "$body")
  [[ $output == ok ]]
}

@test "an anchor's language and type are said" {
  [[ $(document <<<'<a href=x hreflang=fr type=text/html>y</a>') == *$'\threflang=fr\tmedia=text/html'* ]]
}

@test "a depth that cannot grow stays" {
  run -0 extract-links < <(printf 'http://h/\tdepth=18446744073709551615\tbody=<a href=x>\toutcome=ok\n')
  [[ ${lines[0]} == *$'\tdepth=18446744073709551615\t'* ]]
}

@test "--explain names the rule that made noindex, not the first of the page" {
  local said
  for said in 'index, follow, noindex' 'max-snippet:-1, noindex' 'nofollow, noindex'; do
    printf 'http://h/\tx-robots-tag=%s\toutcome=ok\n' "$said" >in
    [[ $(extract-links --explain in) == *$'\trule=X-Robots-Tag: noindex\toutcome=noindex' ]]
  done
  printf 'http://h/\tbody=%s%s\toutcome=ok\n' '<meta name=tdm-reservation content=1>' \
    '<meta name=robots content="unavailable_after: 2020-01-01">' >in
  [[ $(extract-links --explain in) == *$'\trule=meta robots: unavailable_after: 2020-01-01\toutcome=noindex' ]]
}

@test "--edges: page, link, tag, rel and text, appended ahead of the page's record" {
  printf 'http://h/p\tstatus=200\ttype=text/html\tbody=%s\toutcome=ok\n' '<a href=x rel="next nofollow">a\tb</a><img src=i><link rel=next href=y>' >in
  extract-links --only=all --edges=graph in >out
  printf 'http://h/p\thttp://h/x\ta@href\tnext nofollow\ta b\nhttp://h/p\thttp://h/i\timg@src\t\t\nhttp://h/p\thttp://h/y\tlink@href\tnext\t\n' | diff - graph
  (($(wc -l <out) == 4))
  # The file of edges grows by exactly what is printed.
  extract-links --only=a --edges=graph in >out
  (($(wc -l <graph) == 4))
  extract-links --edges=graph --base=http://h/ < <(echo '<a href=z>') >out
  tail -1 graph | grep -qx $'http://h/\thttp://h/z\ta@href\t\t'
}

@test "bug: with --fields lines of --edges had no words, or but a URL" {
  for fields in url url,tag text url,text-from; do
    rm -f graph
    extract-links --edges=graph --fields=$fields --explain --base=http://h/ < <(echo '<a href=z rel=next>w</a><a href=y><img alt=i></a>') >out
    diff graph - <<<$'http://h/\thttp://h/z\ta@href\tnext\tw\nhttp://h/\thttp://h/y\ta@href\t\ti'
  done
  diff out - <<<$'http://h/z\t\nhttp://h/y\talt\nhttp://h/\t'
  # The text is also read where only its source is asked for.
  extract-links --fields=text-from --explain --links --base=http://h/ < <(echo '<a href=y><img alt=i></a>') | diff - <(echo alt)
}

@test "--edges, --check that cannot be written: pages are given back to be asked for again, and the status is 2" {
  printf 'http://h/p\tstatus=200\ttype=text/html\tbody=<a href=x>\toutcome=ok\nhttp://h/robots.txt\tpurpose=robots\tbody=x\toutcome=ok\nhttp://h/q\tbody=<a href=y>\toutcome=ok\n' >in
  local option
  for option in edges check; do
    run -2 --separate-stderr extract-links --$option=/dev/full in
    [[ $output == $'http://h/x\t'*$'\nhttp://h/p\tstatus=200\ttype=text/html\terror=cannot write /dev/full: No space left on device\toutcome=aborted
http://h/robots.txt\tpurpose=robots\tbody=x\toutcome=ok
http://h/q\terror=cannot write /dev/full: No space left on device\toutcome=aborted' ]] || { echo "$output"; false; }
    [[ $stderr == *"cannot write /dev/full"* ]]
  done
  run -2 extract-links --edges=none/graph in
  [[ $output == *none/graph* ]]
  run -2 extract-links --edges=one --check=one in
  [[ $output == *"--edges and --check need a file each"* && ! -e one ]]
}

@test "--check: what link-check judges, links ahead of their page; what is not followed is marked" {
  printf 'http://h/p\tstatus=200\ttype=text/html\tbody=%s\toutcome=ok\n' \
    '<i id=x><a href=a#f>a</a><a href=b rel=nofollow>b</a><img src=i><link rel=preconnect href=//c><form method=post action=/s></form>' >in
  extract-links --only=page --except=rel=nofollow --check=links --check-fragments --no-fragment --fields=url,purpose,wants in >out
  lines_are() { diff <(printf "$2") "$1"; }
  lines_are out 'http://h/a\t\tids\nhttp://h/b\tcheck\t\nhttp://h/i\tcheck\t\nhttp://h/p\t\t\n'
  cut -f1-3 links | lines_are /dev/stdin 'http://h/a#f\tvia=http://h/p\ttag=a@href\nhttp://h/b\tvia=http://h/p\ttag=a@href\nhttp://h/i\tvia=http://h/p\ttag=img@src\nhttp://h/p\tstatus=200\ttype=text/html\n'
  grep -q $'^http://h/p\t.*\tids=x\toutcome=ok$' links
  # A record that was fetched only to be judged is not read for links, and one that will be asked for again is not
  # settled.
  printf 'http://h/q\tpurpose=%s\tbody=<a id=y href=z>\tstatus=200\ttype=text/html\toutcome=ok\n' ids check >in
  printf 'http://h/r\toutcome=%s\n' aborted needs gone >>in
  extract-links --only=page --check=more --fields=url in | lines_are /dev/stdin 'http://h/q\nhttp://h/q\nhttp://h/r\nhttp://h/r\nhttp://h/r\n'
  # The time of the request is for those who keep answers from run to run.
  grep -qE $'^http://h/r\tchecked=1[0-9]{9}\toutcome=gone$' more
  sed -Ei 's/\tchecked=[0-9]+//' more
  lines_are more 'http://h/q\tstatus=200\ttype=text/html\tids=y\toutcome=ok\nhttp://h/q\tstatus=200\ttype=text/html\tids=y\toutcome=ok\nhttp://h/r\toutcome=gone\n'
  run -2 extract-links --check=/dev/full in
  [[ $output == *"cannot write /dev/full"* ]]
}

@test "--check: a page that a crash has torn off is cut away" {
  printf 'http://h/p\ttype=text/html\tbody=<a href=x>\toutcome=ok\n' >in
  extract-links --check=whole in >out
  for torn in 'http://h/' $'http://h/y\tvia=http://h/q\n' $'http://h/y\tvia=http://h/q\nhttp://h/z\tvi'; do
    { cat whole; printf %s "$torn"; } >links
    extract-links --check=links /dev/null
    cmp whole links
  done
  printf 'http://h/y\tvia=http://h/q\n' >links
  extract-links --check=links /dev/null
  [[ ! -s links ]]
}

@test "--probe: a path that is made up, once a site" {
  printf 'http://%s\ttype=text/html\tbody=x\toutcome=ok\n' h/p h/q i/ >in
  printf 'http://j/\ttype=text/html\tbody=x\tpurpose=ids\toutcome=ok\nhttp://k/\tlocation=/x\toutcome=redirect\n' >>in
  extract-links --probe in >out
  (($(grep -c probe=yes out) == 2))
  grep -qE $'^http://h/[0-9a-f]{32}\tvia=http://h/p\tpurpose=check\tprobe=yes$' out
  printf 'http://h/0\tpurpose=check\tprobe=yes\tstatus=200\toutcome=ok\n' | extract-links --check=links >out
  sed -E 's/\tchecked=[0-9]+//' links | grep -qx $'http://h/0\tpurpose=probe\tstatus=200\toutcome=ok'
}

@test "--links prints links alone" {
  printf 'http://h/c\tdepth=1\nhttp://h/p\ttype=text/html\tbody=<a href=x>y</a>\toutcome=ok\nhttp://h/q\toutcome=gone\n' >in
  run -0 extract-links --links --fields=url in
  [[ $output == http://h/x ]]
  run -0 extract-links --links --about --base=http://h/ --fields=url <<<'<title>t</title><a href=x>'
  [[ $output == http://h/x ]]
}

@test "bug: a document without --base passed as it was, with nothing said" {
  printf '<!doctype html>\n<a href=x>' >page.html
  run -2 extract-links page.html
  [[ $output == *"page.html: is a document, not records"*"--base=https://example.org/ page.html"* ]]
  run -2 extract-links <page.html
  [[ $output == *"standard input: is a document"* ]]
  # Within a stream it is an ordinary line.
  printf 'http://h/\tdepth=1\n<b>\n' | extract-links | cmp - <(printf 'http://h/\tdepth=1\n<b>\n')
}

@test "bug: --as-written said nothing of an empty value" {
  [[ $(document --as-written <<<'<a href="">') == *$'\traw=' ]]
}

@test "bug: XHTML was read by HTML's rules, and its links lost" {
  page='<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><a href="1"/></body></html>'
  [[ $(document --type=application/xhtml+xml <<<"$page" | urls) == http://h.example/d/1 ]]
  printf %s "$page" >p.xhtml
  [[ $(extract-links --base=http://h/ p.xhtml | urls) == http://h/1 ]]
  printf 'http://h/a\ttype=application/xhtml+xml\tbody=%s\toutcome=ok\n' "$page" >in
  [[ $(extract-links --explain in | tail -1) == *$'\tread-as=utf-8 '* && $(extract-links in | head -1 | urls) == http://h/1 ]]
}

@test "--explain says where an image link's text is from, and what was not read" {
  [[ $(document --explain --links <<<'<a href=x><img alt=Logo></a>') == *$'\ttext=Logo\ttext-from=alt' ]]
  [[ $(document <<<'<a href=x><img alt=Logo></a>') == *$'\ttext=Logo' ]]
  run -0 extract-links --explain < <(printf 'http://h/i\ttype=image/png\tbody=x\toutcome=ok\n')
  [[ $output == $'http://h/i\ttype=image/png\tread-as=type not read\toutcome=ok' ]]
  [[ $(document --explain --type=text/javascript <<<x) == *$'\tread-as=type not read: --guess=scripts looks in it' ]]
}

@test "--attr=lazy: the names that lazy loaders use; a picture is a requisite" {
  run -0 document --attr=lazy --requisites <<<'<img data-echo=e><div data-href=f data-lazy=g>'
  [[ $(urls <<<"$output" | sed 's,.*/,,') == $'e\nf\ng' ]]
  [[ ${lines[0]} == *purpose=requisite* && ${lines[1]} != *purpose* && ${lines[2]} == *purpose=requisite* ]]
  [[ $(document --attr=lazy <<<'<img data-echo=e>' | urls) == http://h.example/d/e ]]
  [[ -z $(document <<<'<img data-echo=e>') ]]
}

@test "types by the name of a document" {
  printf '{"start_url":"s"}' >app.webmanifest
  printf '@import "i.css";' >a.css
  [[ $(extract-links --base=http://h/ --only=all app.webmanifest a.css | urls) == $'http://h/s\nhttp://h/i.css' ]]
}

# Half a million of each construct, compared with an ordinary page: CPU by bytes read and printed, and memory beyond the
# page's own. NEWS names what takes most. With a sanitizer neither figure means anything.
@test "hostile pages: half a million of each construct take time and memory as ordinary pages do" {
  is_sanitized && skip "memory and time are the sanitizer's"
  python3 - <<'PY'
n = 500_000
kinds = {
    "nested": "<div>", "inline": "<b>", "paragraphs": "<p>x", "formatted": "<b><p>", "adopted": "<a><b><i><u><p>",
    "tables": "<table><tr><td>", "fostered": "<table><b>x", "foreign": "<svg>", "titles": "<svg><title>",
    "templates": "<template>", "selects": "<select><option>", "ends": "</b>", "unknown": "<x-y></z>", "items": "<li>",
    "rubies": "<ruby><rt>", "comments": "<!--x-->", "unclosed": "<!-", "dashes": "<!----!", "cdata": "<svg><![CDATA[]]>",
    "scripts": "<script>x</script>", "escapes": "<script><!--<script>", "references": "&amp", "links": "<a href=x>y</a>",
    "quotes": "<a href='", "candidates": '<img srcset=",">', "styles": '<p style="url(">', "bases": "<base href=x>",
    "bodies": "<body a=b>", "noscripts": "<noscript><p><a href=x>", "framesets": "<frameset>", "raw": "</title",
    "json": '<script type=application/ld+json>"',
}
pages = {name: "<!doctype html><body>x" + piece * n for name, piece in kinds.items()}
pages["attributes"] = "<a " + " ".join("a%d=x" % i for i in range(n)) + " href=y>"
# bug: what a value's references stand for was held twice, and made once more in the reading for the page's facts
pages["within"] = '<!doctype html><iframe srcdoc="' + "&lt;a href=x&gt;" * n + '">'
pages["repeated"] = "<a " + "href=x " * n + ">"
pages["ordinary"] = "<!doctype html><body>" + n // 10 * (
    '<div class="c"><ul><li><a href="/path/to/page.html" title="T">Some words</a></li></ul>'
    "<p>And a <b>text</b> of some <i>words</i>, as pages have them.</p></div>\n")
for name, text in pages.items():
    open(name + ".html", "w").write(text)
entities = '<!ENTITY b0 "lol">' + "".join('<!ENTITY b%d "%s">' % (i, "&b%d;" % (i - 1) * 10) for i in range(1, n // 10))
open("bomb.xhtml", "w").write('<?xml version="1.0"?><!DOCTYPE html [' + entities + ']>'
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><a href="x">&b99;</a></body></html>')
PY
  # cost PAGE ONLY: tenths of a nanosecond of CPU a byte, and KiB of memory beyond the page's bytes.
  cost() { # PAGE ONLY
    local TIMEFORMAT='%3U %3S'
    { time /usr/bin/time -f %M -o used "$SPINNERET_BIN/extract-links" --base=http://h/ --only="$2" "$1" >out; } 2>times
    awk -v page="$(stat -c %s "$1")" -v out="$(stat -c %s out)" \
      '{ printf "%d %d\n", ($1 + $2) * 1e10 / (page + out), $3 - page / 1024 }' < <(paste -d' ' times used)
  }
  for only in a@href all; do
    read -r usual _ < <(cost ordinary.html "$only")
    for page in *html; do
      read -r time memory < <(cost "$page" "$only")
      # Small pages cost little more than the program's start. The bound is twice the usual time, doubled again for other
      # work on the machine.
      if ((time > 4 * usual + 60 || memory > 32 * 1024)); then
        echo "$only of $page: $time tenths of a nanosecond a byte where $usual are usual, $memory KiB"
        return 1
      fi
    done
  done
}
