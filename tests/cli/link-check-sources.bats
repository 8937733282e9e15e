#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# link-check on sources of pages: Markdown, reStructuredText, AsciiDoc, plain text; files only.

load helper

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "bug: a Markdown file of open brackets took 32 times its size" {
  head -c 20000000 /dev/zero | tr '\0' '[' >a.md
  (is_sanitized || ulimit -v 400000; link-check a.md)
  printf '%s[a](b)%s(c)' "$(printf '[%.0s' {1..9000})" "$(printf ']%.0s' {1..9000})" >a.md
  run -1 link-check --fields=url a.md
  [[ $output == http://localhost/b ]]
}

@test "Markdown: each planted fault at its place, heading names, code and comments left out" {
  mkdir -p docs/sub .github
  printf '%s\n' '# Hello, *World*!' '## Dup' '## Dup' '' '[a](#hello-world) [b](#dup-1) [c](#dup-2)' '`[x](x.md)` ![i](i.png) [r][r]' \
    '' '```' '[y](y.md)' '```' '[r]: sub/ "t"' '' '<a name=old href=gone.html>o</a> [d](#old) [e](.github/w.yml) [f](.github/v.yml)' >docs/a.md
  mv .github docs/
  touch docs/.github/w.yml
  run -1 --separate-stderr link-check --show=all --fields=verdict,url,line,column,tag docs
  [[ -z $stderr && $(sort -n -t $'\t' -k3,3 -k4,4 <<<"$output") == "ok	http://localhost/a.md#hello-world	5	5	md@link
ok	http://localhost/a.md#dup-1	5	23	md@link
dead-fragment	http://localhost/a.md#dup-2	5	35	md@link
dead	http://localhost/i.png	6	18	md@image
ok	http://localhost/sub/	11	6	md@definition
dead	http://localhost/gone.html	13	1	a@href
ok	http://localhost/a.md#old	13	38	md@link
ok	http://localhost/.github/w.yml	13	48	md@link
dead	http://localhost/.github/v.yml	13	67	md@link" ]]
}

@test "files alone: what they link to is looked for below --root-dir, and read for its names" {
  mkdir -p docs/d
  printf '[a](d/b.md#b) [b](d/b.md#no) [c](../README.md) [d](/docs/d) [e](d/page#x)\n' >docs/a.md
  printf '# B\n[never told](gone.md)\n' >docs/d/b.md
  echo '<p id=x>' >docs/d/page.html
  ln -s / docs/up
  run -1 link-check --format=text docs/a.md
  [[ $output == *'docs/a.md:1:19  dead-fragment      http://localhost/docs/d/b.md#no: the page has no such id
docs/a.md:1:34  dead               http://localhost/README.md: not found'* ]]
  touch README.md
  run -1 link-check --pretty-urls --fields=url docs/a.md
  [[ $output == http://localhost/docs/d/b.md#no ]]
  cd docs
  run -1 link-check --root-dir=.. --pretty-urls --fields=url,file a.md
  [[ $output == $'http://localhost/docs/d/b.md#no\ta.md' ]]
  run -2 link-check --root-dir=d a.md
  [[ $output == *'not a file below'* ]]
  run -1 link-check --root-dir=.. --show=all --fields=url,verdict d
  [[ $output == $'http://localhost/docs/d/gone.md\tdead' ]]
  echo '[x](up/etc/passwd) [y](up/none) [z](%2e%2e/%2e%2e/etc) [n](a%00b) [s](d%2fb.md)' >b.md
  run -1 link-check --show=all --fields=verdict,url b.md
  [[ $output == "not-checkable	http://localhost/up/etc/passwd
dead	http://localhost/up/none
dead	http://localhost/etc
dead	http://localhost/a%00b
dead	http://localhost/d%2Fb.md" ]]
}

@test "reStructuredText, AsciiDoc and plain text, as far as the manual says" {
  printf '%s\n' 'Title here' '==========' '`a <gone.html>`_ ``http://no`` `b <#title-here>`__' '' 'x::' '' '   `l <no.html>`_' '' '.. image:: i.png' >x.rst
  printf '%s\n' '== One' 'link:gone.adoc[x] <<_one>> <<none>>' '----' 'link:no.adoc[]' '----' >y.adoc
  printf 'see (http://h/a_(b)), http://h/c.\n' >z.txt
  run -1 link-check --show=all --fields=verdict,url,file,line,column x.rst y.adoc z.txt
  [[ $output == "dead	http://localhost/gone.html	x.rst	3	5
ok	http://localhost/x.rst#title-here	x.rst	3	36
dead	http://localhost/i.png	x.rst	9	12
dead	http://localhost/gone.adoc	y.adoc	2	6
ok	http://localhost/y.adoc#_one	y.adoc	2	21
dead-fragment	http://localhost/y.adoc#none	y.adoc	2	30
not-checkable	http://h/a_(b)	z.txt	1	6
not-checkable	http://h/c	z.txt	1	23" ]]
}

@test "hostile Markdown takes time by its size: brackets, backticks, quotes, tags that never end" {
  local part
  for part in '[' '![' '[a](b' '[a](<b' '[a](b "' '`' '``` ``' '<' '<a x="' '<!-- ' '- ' '> ' '_' 'http://' '&amp;' '[a]: ' '# [a' $'- a\n ' $'[a]: b "\n' '<!-- link-check ignore: x -->'; do
    awk -v part="$part" 'BEGIN { for (i = 0; i < 200000; i++) printf "%s", part }' >a.md
    run timeout 100 link-check a.md
    ((status <= 1)) || { printf 'of %q\n' "$part"; return 1; }
  done
  for part in 'link:' '`+ ' '[[' '<<' 'id='; do
    awk -v part="$part" 'BEGIN { for (i = 0; i < 200000; i++) printf "%s", part }' >a.adoc
    run timeout 100 link-check a.adoc
    ((status <= 1)) || { printf 'of %q\n' "$part"; return 1; }
  done
}

@test "bug: --root-dir and --pretty-urls were taken and did nothing for records" {
  printf 'http://h/\toutcome=ok\n' >pages
  run -2 link-check --root-dir=. pages
  [[ $output == "link-check: --root-dir is of folders and files, not of records"* ]]
  run -2 link-check --pretty-urls <pages
  [[ $output == "link-check: --pretty-urls is of folders and files, not of records"* ]]
}
