#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# link-check against an oracle: a site of planted faults, each with its verdict, line and column.

load helper

site=https://site.example/
# plant FILE VERDICT TARGET HTML: one line more in FILE, whose only link begins where HTML does, and what is to be said of it.
plant() {
  local before='<p>so it is: '
  printf '%s%s</p>\n' "$before" "$4" >>"public/$1"
  printf 'public/%s:%s:%s\t%s\t%s\n' "$1" "$(wc -l <"public/$1")" $((${#before} + 1)) "$2" "$3" >>oracle
}

# 60 pages of links that hold and of links that do not.
make_site() {
  local i page
  mkdir -p public/d public/empty 'public/a b'
  printf '<h1 id=top1>x</h1><h2 id="100%%">y</h2><a name="old name">z</a><h3 id=ü>u</h3><p id=user-content-gh>\n' >public/d/index.html
  printf '<p id=x>\n' >public/target.html
  printf '<p id=x>\n' >'public/a b/c%.html'
  printf 'GIF89a' >public/real.gif
  printf '%%PDF' >public/real.pdf
  : >oracle
  for i in {1..30}; do
    page=page$i.html
    printf '<!DOCTYPE html><title>%s</title><h1 id=self>h</h1>\n' "$i" >"public/$page"
    plant $page ok ${site}target.html '<a href=target.html>t</a>'
    plant $page ok ${site}target.html#x '<a href="target.html#x">t</a>'
    plant $page ok ${site}target.html?v=$i#x "<a href='/target.html?v=$i#x'>t</a>"
    plant $page ok ${site}d/#top1 '<a href=d/#top1>t</a>'
    plant $page ok ${site}d/index.html#100% '<a href="d/index.html#100%">t</a>'
    plant $page ok ${site}d/#old%20name '<a href="d/#old name">t</a>'
    plant $page ok ${site}d/#%C3%BC '<a href="d/#ü">t</a>'
    plant $page ok ${site}d/#gh '<a href="d/#gh">t</a>'
    plant $page ok ${site}d/#ToP '<a href="d/#ToP">t</a>'
    plant $page ok ${site}d/ '<a href="d/#">t</a>'
    plant $page ok ${site}$page#self '<a href="#self">t</a>'
    plant $page ok "${site}target.html#:~:text=some" '<a href="target.html#:~:text=some">t</a>'
    plant $page ok ${site}real.gif '<img src=real.gif>'
    plant $page ok ${site}real.pdf#page=3 '<a href=real.pdf#page=3>t</a>'
    plant $page ok ${site}a%20b/c%25.html#x '<a href="a b/c%25.html#x">t</a>'
    plant $page moved ${site}d#top1 '<a href=d#top1>t</a>'
    plant $page dead ${site}gone$i.html "<a href=gone$i.html>t</a>"
    plant $page dead ${site}gone.gif '<img alt="x" src=gone.gif>'
    plant $page dead ${site}gone.css '<link rel=stylesheet href=gone.css>'
    plant $page dead ${site}empty/ '<a href=empty/>t</a>'
    plant $page dead ${site}Target.html '<a href=Target.html>t</a>'
    plant $page dead 'https://e x/' '<a href="https://e x/">t</a>'
    plant $page dead-fragment ${site}target.html#y '<a href="target.html#y">t</a>'
    plant $page dead-fragment ${site}target.html#X '<a href="target.html#X">t</a>'
    plant $page dead-fragment ${site}$page#nowhere '<a href="#nowhere">t</a>'
    plant $page dead-fragment ${site}d#no '<a href=d#no>t</a>'
    plant $page not-checkable ${site}target.html#/route '<a href="target.html#/route">t</a>'
    plant $page not-checkable ${site}target.html#!x '<a href="target.html#!x">t</a>'
    plant $page not-checkable ${site}target.html#L10-L20 '<a href="target.html#L10-L20">t</a>'
    plant $page not-checkable https://other.example/ '<a href="https://other.example/">t</a>'
    printf '<p><a href="mailto:a@b">m</a><link rel=preconnect href=//cdn.example><form method=post action=/none></form>\n' >>"public/$page"
    printf '<template><p id=nowhere></template><!-- <p id=nowhere> --><script>"<p id=nowhere>"</script>\n' >>"public/$page"
  done
  sort -o oracle oracle
}
# Of records, what the oracle says.
said() { jq -r '"\(.file):\(.line):\(.column)\t\(.verdict)\t\(.url)"' | sort; }

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "each planted fault is found at its line and column, and nothing else: a folder" {
  make_site
  run -1 --separate-stderr link-check --base=$site --show=all --json public
  said <<<"$output" | diff oracle -
  [[ -z $stderr ]]
  [[ $(wc -l <oracle) -eq 900 ]]
}

@test "the same as a pipeline: records --from-dir, extract-links, link-check" {
  make_site
  records --from-dir=public --base=$site | extract-links --ids --positions --only=page,resource | link-check --base=$site --show=all --json >out || [[ $? == 1 ]]
  # Links that are no URLs come out of extract-links as a number: where they stand it has said itself.
  said <out >found
  grep -v $'\t1 link$' found | diff <(grep -v 'https://e x/' oracle) -
  [[ $(grep -c $'\tdead\t1 link$' found) == 30 ]]
}

@test "a page is named for each of its links, as text for people, with a count" {
  mkdir public
  printf '<a href=x.html>\n <a href=x.html>\n' | tee public/a.html >public/b.html
  run -1 link-check --format=text public
  [[ $output == "public/a.html:1:1  dead               http://localhost/x.html: not found
public/a.html:2:2  dead               http://localhost/x.html: not found
public/b.html:1:1  dead               http://localhost/x.html: not found
public/b.html:2:2  dead               http://localhost/x.html: not found
4 links on 2 pages: dead 4" ]]
}

# settled URL FIELD...: records of a stream.
record() { local IFS=$'\t'; printf '%s\n' "$*"; }

@test "verdicts of what a fetch can end with; walls and prices are not dead" {
  {
    while read -r outcome status verdict; do
      record "http://h/$outcome" via=http://h/ tag=a@href line=3 column=4
      record "http://h/$outcome" status="$status" type=text/html outcome="$outcome"
      printf 'http://h/%s\t%s\n' "$outcome" "$verdict" >>want
    done <<'END'
ok 200 ok
not-modified 304 ok
too-large 200 ok
unsupported-type 200 ok
duplicate 200 ok
noindex 200 ok
non-canonical 200 ok
not-found 404 dead
gone 410 dead
client-error 400 dead
server-error 500 dead
dns-failed 0 dead
connect-failed 0 dead
tls-failed 0 dead
bad-response 700 dead
forbidden 403 forbidden
rate-limited 429 rate-limited
timeout 0 timeout
challenged 403 challenged
payment-required 402 payment-required
blocked-by-robots 0 blocked-by-robots
blocked-by-policy 0 not-checkable
refused-address 0 not-checkable
aborted 0 not-checkable
END
    record http://h/ status=200 type=text/html ids= outcome=ok
  } >in
  run -1 link-check --show=all --fields=url,verdict in
  [[ $output == "$(cat want)" ]]
  run -0 link-check --fail-on=none in
  run -1 link-check --fail-on=forbidden --show=none --fields=url,verdict,reason,via,line,column in
  [[ $output == $'http://h/forbidden\tforbidden\t403 forbidden\thttp://h/\t3\t4' ]]
  [[ $(record http://h/wall status=999 outcome=bad-response | cat - <(record http://h/wall via=http://h/) | link-check --show=all --fields=verdict) == forbidden ]]
  run -2 link-check --fail-on=dea in
}

@test "redirects: followed, their fragment kept, circles and dead ends told" {
  {
    for page in moved found circle lost keeps; do record "http://h/$page#x" via=http://h/; done
    record http://h/ status=200 ids= outcome=ok
    record http://h/moved status=301 location=/end outcome=moved
    record http://h/found status=302 location=found2 outcome=redirect
    record http://h/found2 status=301 location=/end#y outcome=moved
    record http://h/circle status=302 location=/circle outcome=redirect
    record http://h/lost status=302 location=http://h/dead outcome=redirect
    record http://h/keeps status=302 location=/end2 outcome=redirect
    record http://h/dead status=404 outcome=not-found
    record http://h/end status=200 type=text/html 'ids=x' outcome=ok
    record http://h/end2 status=200 type=text/html 'ids=a%20b' outcome=ok
  } >in
  run -1 link-check --show=all --fields=url,verdict,reason,location in
  [[ $output == "http://h/moved#x	moved		http://h/end
http://h/found#x	dead-fragment	the page has no such id	http://h/end
http://h/circle#x	dead	redirects without end	http://h/circle
http://h/lost#x	dead	404 not-found	http://h/dead
http://h/keeps#x	dead-fragment	the page has no such id	http://h/end2" ]]
}

@test "a page that comes again replaces its links and its ids; what was torn off does not count" {
  {
    record http://h/old via=http://h/
    record http://h/ status=200 ids=a outcome=ok
    record http://h/#a via=http://h/
    record http://h/#b via=http://h/
    record http://h/ status=200 ids=b outcome=ok
    record http://h/torn via=http://h/
  } >in
  run -1 link-check --show=all --fields=url,verdict in
  [[ $output == $'http://h/#a\tdead-fragment\nhttp://h/#b\tok' ]]
}

@test "a folder: links out of it, circles, index files, --pretty-urls" {
  mkdir -p public/d/e public/.hidden outside
  echo '<a href=d/e/><a href=a><a href=out/x.html><a href=.hidden/x.html><a href="d/"><a href="?q#i"><i id=i>' >public/index.html
  echo '<p>' | tee public/a.html public/.hidden/x.html public/d/e/index.html >outside/x.html
  ln -s ../../.. public/d/e/up
  ln -s .. public/d/e/round
  ln -s "$PWD/outside" public/out
  ln -s nowhere public/nothing
  run -1 --separate-stderr link-check --show=all --fields=url,verdict public
  [[ $output == "http://localhost/d/e/	ok
http://localhost/a	dead
http://localhost/out/x.html	not-checkable
http://localhost/.hidden/x.html	dead
http://localhost/d/	dead
http://localhost/?q#i	ok" ]]
  [[ $(sort <<<"$stderr") == "link-check: public/d/e/round: leads round in a circle: left out
link-check: public/d/e/up: leads out of public: left out
link-check: public/nothing: leads nowhere: left out
link-check: public/out: leads out of public: left out" ]]
  [[ $(link-check --pretty-urls --show=all --fields=url,verdict public 2>/dev/null | sed -n 2p) == $'http://localhost/a\tok' ]]
  run -1 records --from-dir=public --base=http://h/ --pretty-urls --fields=url,outcome,location,file
  [[ $output == *$'http://h/a\tredirect\thttp://h/a.html\t\nhttp://h/a.html\tok\t\tpublic/a.html\n'*$'http://h/d/e\tmoved\thttp://h/d/e/\t\n'* ]]
  run -2 records --from-dir=public
  run -2 records --from-dir=public --base=http://h
  run -2 records --base=http://h/
  run -2 link-check public outside
}

@test "--ignore: a reason each, until a day, and rules that matched nothing are told" {
  mkdir public
  echo '<a href=x><a href=y><a href=z>' >public/a.html
  printf '%s\n' '# what we know of' 'http://localhost/x until=2026-12-31 comes in spring' '*/y  until=2026-01-01 was to come' '*/none  nobody' >.linkignore
  run -1 --separate-stderr link-check --now=2026-11-23 --fields=url public
  [[ $output == $'http://localhost/y\nhttp://localhost/z' ]]
  [[ $stderr == 'link-check: .linkignore:3: its day is over: "*/y"
link-check: .linkignore:4: no finding matches "*/none"' ]]
  echo '*/x' >.linkignore
  run -2 link-check public
  [[ $output == *'.linkignore:1: write behind the pattern why'* ]]
  echo '*/x until=soon because' >rules
  run -2 link-check --ignore=rules public
  [[ $output == *'rules:1: until= takes a date'* ]]
  run -2 link-check --ignore=missing public
}

@test "--baseline: only what is new fails, wherever the old has moved to" {
  mkdir public
  echo '<a href=x>' >public/a.html
  link-check public >known || [[ $? == 1 ]]
  printf '\n<p><a href=x>' >public/a.html
  run -0 link-check --baseline=known --format=text public
  [[ $output == '1 links on 1 pages: in the baseline 1' ]]
  printf '<a href=x><a href=y>' >public/a.html
  run -1 link-check --baseline=known --fields=url public
  [[ $output == http://localhost/y ]]
}

@test "JUnit, SARIF, GitHub and GitLab say the same, and no page can break out of them" {
  mkdir public
  printf '\n<a href="x&quot;]]>&lt;&amp;,%%0a::error::">&#27;[31m' >'public/a,b:c.html'
  run -1 link-check --format=sarif public
  jq -e '.version == "2.1.0" and (.runs[0].results | length) == 1 and
    (.runs[0].results[0] | .ruleId == "dead" and .level == "error" and (.message.text | length) > 0 and
     (.locations[0].physicalLocation | .artifactLocation.uri == "public/a,b%3Ac.html" and .region == {startLine: 2, startColumn: 1})) and
    (.runs[0].tool.driver | .name == "link-check" and (.rules | map(.id) | index("dead")) != null)' <<<"$output"
  run -1 link-check --format=gitlab public
  jq -e 'length == 1 and .[0].check_name == "dead" and .[0].location == {path: "public/a,b:c.html", lines: {begin: 2}} and (.[0].fingerprint | length) == 32' <<<"$output"
  run -1 link-check --format=github public
  [[ ${#lines[@]} == 1 && $output == '::error title=dead,file=public/a%2Cb%3Ac.html,line=2,col=1::dead: '*%250A* ]]
  run -1 link-check --format=junit public
  python3 -c 'import sys, xml.etree.ElementTree as tree
suite = tree.fromstring(sys.stdin.read().encode())[0]
assert suite.get("tests") == suite.get("failures") == "1", suite.attrib
assert suite[0][0].tag == "failure" and suite[0][0].get("type") == "dead"' <<<"$output"
  run -2 link-check --format=junit --json public
}

@test "10^5 ids on a page, and 10^5 links" {
  mkdir public
  awk 'BEGIN { for (i = 0; i < 100000; i++) printf "<p id=i%d><a href=#i%d>\n", i, i + 1 }' >public/a.html
  run -1 link-check --fields=url,line,column public
  [[ $output == $'http://localhost/a.html#i100000\t100000\t14' ]]
}

@test "bug: with --base a URL with a query was judged by the record of the URL without it" {
  {
    record 'http://h/s?q=1' via=http://h/; record http://h/a via=http://h/; record http://h/ outcome=ok ids=
    record http://h/s outcome=ok; record 'http://h/s?q=1' outcome=not-found status=404
    record http://h/a outcome=redirect status=302 'location=/a?l=en'; record 'http://h/a?l=en' outcome=ok
  } >in
  run -1 link-check --base=http://h/ --show=all --fields=url,verdict in
  [[ $output == $'http://h/s?q=1\tdead\nhttp://h/a\tok' ]]
}

@test "bug: a folder that could not be read was a site without links" {
  mkdir public
  echo '<a href=x>' >public/index.html
  chmod 644 public
  local as=()
  # The way there, for who may not read it.
  ((EUID != 0)) || { as=(setpriv --reuid=65534 --regid=65534 --clear-groups); chmod 711 .; }
  run "${as[@]}" "$SPINNERET_BIN/link-check" public
  chmod 755 public
  ((status == 2 || status == 126)) && [[ $output == *'annot '* || $output == *ermission* ]]
}

@test "bug: a file whose name was linked to with bytes escaped was dead" {
  mkdir public
  echo x | tee public/C++.html >'public/a(b).html'
  echo '<a href="C%2B%2B.html"><a href="a%28b%29.html">' >public/index.html
  run -0 link-check public
}

@test "bug: folders with links to each other took time by the factorial" {
  local i j
  for i in {1..10}; do
    mkdir -p public/d$i
    for j in {1..10}; do [[ $i == "$j" ]] || ln -s ../d$j public/d$i/l$j; done
  done
  run -0 --separate-stderr timeout 100 link-check public
  [[ $stderr == *'more than 10000 links to folders'* ]]
}

@test "bug: a page given as records had no fault" {
  echo '<a href=x>' | tee index.html >page
  run -1 link-check page
  [[ $output == *'page:1: no URL'* ]]
  run -1 link-check --fields=url,file,line index.html
  [[ $output == $'http://localhost/x\tindex.html\t1' ]]
}

@test "bug: the name of a page that is no URL came to the terminal raw" {
  printf 'http://h/x\tvia=\033]0;pwn\007\nhttp://h/x\toutcome=not-found\n' >in
  run -1 link-check --format=text in
  [[ $output != *$'\033'* ]]
}

@test "bug: JUnit was not well-formed by the bytes of a file's name" {
  mkdir public
  echo '<a href=x>' >public/$'l\xe9.html'
  run -1 link-check --format=junit public
  python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.stdin.buffer)' <<<"$output"
}

@test "bug: a link had moved to where a temporary redirect behind led" {
  { record http://h/x via=http://h/; record http://h/x outcome=moved status=301 location=/l
    record http://h/l outcome=redirect status=302 location=/s; record http://h/s outcome=ok; } >in
  run -0 link-check --fields=verdict,location in
  [[ $output == $'moved\thttp://h/l' ]]
}

@test "bug: the links of index.htm beside index.html were lost; --now and --base took what is none" {
  mkdir public
  echo '<a href=x>' >public/index.htm
  echo >public/index.html
  run -1 link-check public
  run -2 link-check --now=tomorrow public
  run -2 link-check --base='http://h/?x' public
  run -2 records --from-dir=public --base='http://[/'
}
