#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# extract-links on documents other than HTML pages: style sheets, sitemaps, feeds, headers, archives, texts, and their
# encodings.

load helper

# document OPTION...: reads stdin as the document http://h.example/d/p.
document() { extract-links --base=http://h.example/d/p "$@"; }
urls() { cut -f1; }

@test "a style sheet" {
  run -0 document --type=text/css --only=all <<<'@import "a"; b{c:url(d)}'
  [[ ${lines[0]} == $'http://h.example/d/a\t'*$'tag=css@import' && ${lines[1]} == $'http://h.example/d/d\t'*$'tag=css@url' ]]
}

@test "a sitemap, plain and packed, with its fields" {
  echo '<urlset><url><loc>/1</loc><lastmod>2024</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url></urlset>' >s.xml
  run -0 document s.xml
  [[ $output == $'http://h.example/1\tvia=http://h.example/d/p\ttag=url@loc\tlastmod=2024\tchangefreq=daily\tpriority=0.5' ]]
  gzip -k s.xml
  [[ $(document s.xml.gz) == "$output" ]]
  run -0 extract-links < <(printf 'http://h/s.txt\tpurpose=sitemap\ttype=text/plain\tbody=http://h/1\\nhttp://h/2\toutcome=ok\n')
  [[ ${lines[0]} == http://h/1* && ${lines[1]} == http://h/2* && ${#lines[@]} == 3 ]]
}

@test "bug: a sitemap behind a warning of PHP was empty, and one that is none said nothing" {
  local maps='<?xml version="1.0"?>\n<urlset><url><loc>http://h/1</loc></url></urlset>'
  printf 'http://h/%s\ttype=%s\tpurpose=sitemap\tbody=%s\toutcome=ok\n' \
    php text/html "<br />\\n<b>Warning</b>: a & b on line <b>3</b><br>\\n${maps/\\n/}" \
    text application/xml "Notice: x\\n${maps/\\n/}" \
    html text/html '<!doctype html><a href=/x>gone</a>' other text/xml '<URLSET><url><loc>http://h/2</loc></url></URLSET>' \
    line text/plain 'not found' image image/png PNG >maps
  printf 'http://h/%s\ttype=text/xml\tpurpose=sitemap\tsize=0%s\n' void $'\tbody=\toutcome=ok' same $'\toutcome=not-modified' >>maps
  echo $'http://h/feed\ttype=text/xml\tpurpose=sitemap\tbody=<rss><channel><link>http://h/3</link></channel></rss>\toutcome=ok' >>maps
  run -1 --separate-stderr extract-links --links --fields=url,via maps
  [[ $output == $'http://h/1\thttp://h/php\nhttp://h/1\thttp://h/text\nhttp://h/x\thttp://h/html\nhttp://h/3\thttp://h/feed' ]]
  [[ $(cut -d: -f3 <<<"$stderr" | tr -d '\n') == 34567 && ${stderr_lines[4]} == *'a sitemap without a byte: "http://h/void"' ]]
  [[ ${stderr_lines[0]} == *': asked for as a sitemap, but is not one: no page is listed there: "http://h/html"' ]]
}

@test "bug: a page in the place of a sitemap that was a guess was told as none, for each host" {
  printf 'http://h/%s\ttype=%s\tpurpose=sitemap\tnested=0\tbody=%s\toutcome=ok\n' \
    sitemap.xml text/html '<!doctype html><p>No such page.' \
    map.xml application/xml '<html xmlns="http://www.w3.org/1999/xhtml"><p>none</p></html>' >maps
  run -0 --separate-stderr extract-links --links maps
  [[ -z $output$stderr ]]
  # Such a page is reported in the place of a sitemap that an index names, and so is a document that is broken rather
  # than a page.
  run -1 extract-links --links < <(sed 's/nested=0/nested=2/' maps)
  [[ $output == *'but is not one'*'but is not one'* ]]
  run -1 extract-links --links <<<$'http://h/sitemap.xml\ttype=text/xml\tpurpose=sitemap\tnested=0\tbody=<error/>\toutcome=ok'
  [[ $output == *'but is not one'* ]]
  # The sitemap may have moved.
  run -0 extract-links --links <<<$'http://h/sitemap.xml\tpurpose=sitemap\tnested=0\tlocation=/\toutcome=redirect'
  [[ $output == *$'\tpurpose=sitemap\tnested=0\t'* ]]
}

@test "a sitemap index gives sitemaps, but never itself" {
  run -0 document <<<'<sitemapindex><sitemap><loc>/d/p</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>'
  [[ $output == $'http://h.example/2.xml\tvia=http://h.example/d/p\ttag=sitemap@loc\tpurpose=sitemap' ]]
}

@test "a gzip bomb's bytes are bounded and a broken gzip is reported" {
  { printf '<urlset><url><loc>/1</loc></url>' | gzip | head -c 30; } >broken
  run -1 --separate-stderr document broken
  [[ $stderr == *"broken:1: gzip"* ]]
  { printf '<urlset><url><loc>/1</loc></url>'; head -c 150M /dev/zero; } | gzip -1 >bomb
  run -1 --separate-stderr /usr/bin/time -f %M -o rss extract-links --base=http://h.example/ bomb
  [[ $stderr == *"bomb:1: gzip"* && $output == http://h.example/1* ]]
  is_sanitized || (($(tail -n1 rss) < 200000))
}

@test "a feed" {
  run -0 document --only=all --about <<<'<rss><channel><title>T</title><item><title>One</title><link>/1</link></item></channel></rss>'
  [[ ${lines[0]} == $'http://h.example/1\tvia=http://h.example/d/p\ttag=item@link\ttext=One' ]]
  [[ ${lines[1]} == $'http://h.example/d/p\ttitle=T' ]]
}

@test "links in the HTML of a feed's entries, against the entry's base" {
  run -0 document <<<'<feed xml:base="http://b/c/"><entry><link href="1"/><content type="html">&lt;base href=/no&gt;&lt;a href=2&gt;t&lt;/a&gt;</content></entry></feed>'
  [[ ${lines[0]} == $'http://b/c/1\tvia=http://h.example/d/p\ttag=link@href' ]]
  [[ ${lines[1]} == $'http://b/c/2\tvia=http://h.example/d/p\ttag=a@href\ttext=t\tctx=content' ]]
  [[ ${#lines[@]} == 2 ]]
}

@test "a Link header with an anchor says of what, and is no canonical of this page" {
  printf 'http://h/p\tlink=<c>; rel=canonical; anchor="http://o/"\toutcome=ok\n' >in
  run -0 extract-links in
  [[ ${lines[0]} == $'http://h/c\tdepth=1\tvia=http://h/p\ttag=header@link\trel=canonical\tanchor=http://o/' ]]
  [[ ${lines[1]} == "$(cat in)" ]]
}

@test "headers: all Link headers, commas within brackets, canonical, refresh, content-location" {
  printf 'http://h/\tlink=<a,b>; rel=next, <c>; rel="prev"\tlink=</d>; rel=canonical\trefresh=0;url=e\tcontent-location=f\toutcome=ok\n' >in
  run -0 extract-links in
  [[ $(urls <<<"$output" | tr '\n' ' ') == "http://h/a,b http://h/c http://h/d http://h/e http://h/ " ]]
  [[ ${lines[4]} == *outcome=non-canonical ]]
  [[ $(extract-links --only=meta in | head -1) == *tag=header@content-location ]]
}

@test "bug: an endless chain of sitemap indexes was followed for ever" {
  index=http://h/i.xml fields='' steps=0
  while ((++steps < 10)); do
    printf '%s\tpurpose=sitemap%s\tbody=<sitemapindex><sitemap><loc>/i%d.xml</loc></sitemap></sitemapindex>\toutcome=ok\n' \
      "$index" "$fields" "$steps" | extract-links >out 2>messages || (($? == 1 && steps == 4))
    link=$(grep purpose=sitemap out | grep -v outcome=) || break
    index=${link%%$'\t'*}
    [[ $link == *$'\tnested='$((steps + 1)) ]]
    fields=$'\tnested='${link##*nested=}
  done
  ((steps == 4))
  [[ $(cat messages) == *"a sitemap index within indexes: what it names is not read"* ]]
  # A sitemap is read however deep its index is nested, and the pages that it lists have no depth of nesting.
  run -0 extract-links < <(printf 'http://h/s.xml\tpurpose=sitemap\tnested=4\tbody=<urlset><url><loc>/p</loc></url></urlset>\toutcome=ok\n')
  [[ ${lines[0]} == http://h/p$'\t'* && ${lines[0]} != *nested* ]]
}

@test "the sitemaps of robots.txt when feeds are asked for" {
  printf 'http://h/robots.txt\tpurpose=robots\tbody=Sitemap: /s.xml\toutcome=ok\n' >in
  run -0 extract-links --only=page --only=feed in
  [[ ${lines[0]} == $'http://h/s.xml\tdepth=1\tvia=http://h/robots.txt\ttag=robots@sitemap\tpurpose=sitemap' ]]
  [[ ${lines[1]} == "$(cat in)" ]]
}

@test "bug: the sitemaps of a robots.txt in UTF-16 or gzip, and URLs of a sitemap in UTF-16, were lost" {
  local way
  utf16() { iconv -f UTF-8 -t UTF-16; }
  # The document as a record holds it, escaped.
  held() { python3 -c 'import sys
data = sys.stdin.buffer.read()
for byte, name in (b"\\", b"\\\\"), (b"\0", b"\\0"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"): data = data.replace(byte, name)
sys.stdout.buffer.write(data)'; }
  for way in cat utf16 gzip; do
    { printf 'http://h/robots.txt\tpurpose=robots\tbody=' && echo 'Sitemap: http://h/s.txt' | $way | held && printf '\toutcome=ok\n'; } >in
    [[ $(extract-links --only=feed --links --fields=url in) == http://h/s.txt ]]
    { printf 'http://h/s.txt\tpurpose=sitemap\ttype=text/plain\tbody=' && printf 'http://h/1\nhttp://h/2\n' | $way | held && printf '\toutcome=ok\n'; } >in
    [[ $(extract-links --links --fields=url in) == $'http://h/1\nhttp://h/2' ]]
  done
}

@test "a body in a WARC file: plain, a gzip member, a coded payload, a revisit, a torn one" {
  warc() { printf 'WARC/1.1\r\nWARC-Type: %s\r\nContent-Length: %d\r\n\r\n' "$1" "$(wc -c <block)"; cat block; printf '\r\n\r\n'; }
  record() { printf 'http://h/\twarc-file=%s\twarc-offset=%d\toutcome=ok\n' "$1" "$2"; }
  printf 'HTTP/1.1 200 OK\r\n\r\n<a href=x>' >block
  warc response >plain.warc
  [[ $(record plain.warc 0 | extract-links | urls | head -1) == http://h/x ]]
  { warc request | gzip; } >packed.warc.gz
  at=$(wc -c <packed.warc.gz)
  { printf 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n'; printf '<a href=y>' | gzip; } >block
  warc response | gzip >>packed.warc.gz
  [[ $(record packed.warc.gz "$at" | extract-links | urls | head -1) == http://h/y ]]
  warc revisit >revisit.warc
  [[ $(record revisit.warc 0 | extract-links) == "$(record revisit.warc 0)" ]]
  head -c 60 plain.warc >torn.warc
  run -1 --separate-stderr extract-links < <(record torn.warc 0)
  [[ $stderr == *torn.warc* && $output == *error=*torn.warc*outcome=aborted ]]
}

@test "bug: a WARC record of over 1 GiB was cut off, and all of its file read to say so" {
  printf 'WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 1200000000\r\n\r\n' >large.warc
  truncate -s 1300M large.warc
  gzip -c <(head -c 1000 large.warc) >large.warc.gz
  for file in large.warc large.warc.gz; do
    run -1 extract-links < <(printf 'http://h/\twarc-file=%s\twarc-offset=0\toutcome=ok\n' "$file")
    [[ $output == *"error=the WARC record in $file at 0 is over 1 GiB"*outcome=aborted* ]]
  done
  rm large.warc
}

@test "--positions of what is not read as it came: UTF-16, a feed in windows-1252" {
  [[ $(printf '<p>\n<p>\n<a href=x>' | iconv -t UTF-16 | document --positions) == *$'\toffset=8\tline=3\tcolumn=1' ]]
  [[ $(printf '<rss><!--\xe9\xe9-->\n<link>http://h/</link></rss>' | document --charset=latin1 --positions) == \
    *$'\toffset=17\tline=2\tcolumn=1' ]]
}

@test "what is no HTML is read in its encoding: @charset, an XML declaration, HTTP's" {
  [[ $(printf '@charset "iso-8859-1";@import "\xe9";b{c:url(\xe8)}' | document --type=text/css --only=all | urls | xargs) == \
    'http://h.example/d/%C3%A9 http://h.example/d/%C3%A8' ]]
  [[ $(printf 'b{c:url(\xe9)}' | document --type=text/css --charset=windows-1251 --only=all | urls) == */%D0%B9 ]]
  [[ $(printf 'http://h/\xe9' | document --type=text/plain --charset=latin1 --guess=text | urls) == http://h/%C3%A9 ]]
  [[ $(printf '<?xml version="1.0" encoding="windows-1251"?><urlset><url><loc>http://h/\xe9</loc></url></urlset>' |
    document | urls) == http://h/%D0%B9 ]]
  [[ $(printf '<?xml version="1.0" encoding="latin1"?><?xml-stylesheet href="s?a&amp;b"?><html><a href="\xe9">' |
    document --type=application/xhtml+xml --only=all | urls | xargs) == \
    'http://h.example/d/s?a&b http://h.example/d/%C3%A9' ]]
}

@test "a document of text: a sitemap, or with --guess=text any text" {
  [[ $(document --type=text/plain <<<$'http://a/\nsee http://b/' | urls) == http://a/ ]]
  [[ $(document --type='Text/plain; charset=x' --guess=text <<<$'http://a/\nsee http://b/.' | urls | xargs) == \
    'http://a/ http://b/' ]]
}

@test "XML in UTF-16, with a byte order mark and without, is read" {
  local sitemap='<?xml version="1.0"?><urlset><url><loc>http://h/1</loc></url></urlset>' encoding
  for encoding in utf-16 utf-16le utf-16be; do
    [[ $(iconv -t "$encoding" <<<"$sitemap" | document --type=text/xml | urls) == http://h/1 ]]
    [[ $(iconv -t "$encoding" <<<"$sitemap" | document | urls) == http://h/1 ]]
  done
  # Media types are compared without regard to case.
  [[ $(document --type=TEXT/XML <<<"$sitemap" | urls) == http://h/1 ]]
}

@test "what says that it is UTF-16, in ASCII, is not" {
  [[ $(document <<<'<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>http://h/1</loc></url></urlset>' | urls) == http://h/1 ]]
  [[ $(document --type=text/css --only=all <<<'@charset "utf-16le"; a{background:url(a.png)}' | urls) == http://h.example/d/a.png ]]
}

@test "an XML declaration says the encoding of HTML, too" {
  local page='<?xml version="1.0" encoding="windows-1251"?><html><a href="?q=&#1087;">'
  [[ $(document --type=text/html <<<"$page" | urls) == 'http://h.example/d/p?q=%EF' ]]
  [[ $(document --type=text/html <<<"${page/<html>/<meta charset=koi8-r>}" | urls) == 'http://h.example/d/p?q=%D0' ]]
}

@test "bug: a feed that came as text/html was a page without links" {
  local feed
  for feed in '<rss><channel><item><link>http://h/1</link></item></channel></rss>' '<feed><entry><link href="/1"/></entry></feed>' \
    $'\xEF\xBB\xBF<?xml version="1.0"?>\n<!-- x --><urlset><url><loc>http://h/1</loc></url></urlset>'; do
    printf '%s' "$feed" >feed
    run -0 extract-links --links --fields=url < <(printf 'http://h/f\ttype=text/html\tbody-file=feed\toutcome=ok\n')
    [[ $output == http://h/1 ]]
  done
  # A list of URLs that is asked for as a sitemap counts as one under text/html, too; a page remains a page.
  run -0 extract-links --links --fields=url < <(printf 'http://h/s\tpurpose=sitemap\ttype=text/html\tbody=http://h/1\toutcome=ok\n')
  [[ $output == http://h/1 ]]
  run -0 extract-links --links --fields=url < <(printf 'http://h/s\ttype=text/html\tbody=<p>rss<rss><a href=2>\toutcome=ok\n')
  [[ $output == http://h/2 ]]
}

@test "a text sitemap that comes as gzip of no known type, or XML that comes as text" {
  printf 'http://h/1\n' | gzip >list
  printf '<urlset><url><loc>http://h/1</loc></url></urlset>' >sitemap
  for type in application/x-gzip application/octet-stream text/plain ''; do
    for body in list sitemap; do
      printf 'http://h/s\tpurpose=sitemap\ttype=%s\tbody-file=%s\toutcome=ok\n' "$type" "$body" | extract-links >out
      [[ $(head -1 out | urls) == http://h/1 ]]
    done
  done
}

@test "bug: a site's sitemap set the priorities of the crawl" {
  printf '<urlset><url><loc>/1</loc><priority>1</priority></url><url><loc>/2</loc><priority>9</priority></url></urlset>' >s.xml
  run -0 extract-links <<<$'http://h/s.xml\ttype=application/xml\tbody-file='"$PWD/s.xml"$'\toutcome=ok'
  [[ ${lines[0]} == *priority=1.0* && ${lines[1]} != *priority=* ]]
}
