#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# link-check against an oracle: a site of planted faults, each with its verdict, line and column.

load helper
load ../loop/site

site=https://site.example/
# plant FILE VERDICT TARGET HTML: adds a line to FILE whose only link begins where HTML does, and notes in `oracle` what
# must be reported.
plant() {
  local before='<p>so it is: '
  printf '%s%s</p>\n' "$before" "$4" >>"public/$1"
  printf 'public/%s:%s:%s\t%s\t%s\n' "$1" "$(wc -l <"public/$1")" $((${#before} + 1)) "$2" "$3" >>oracle
}

# Makes 30 pages of good and bad links, and the targets.
make_site() {
  local i page
  mkdir -p public/d public/empty 'public/a b'
  printf '<h1 id=top1>x</h1><h2 id="100%%">y</h2><a name="old name">z</a><h3 id=ü>u</h3><p id=user-content-gh>\n' >public/d/index.html
  printf '<p id=x>\n' >public/target.html
  printf '<p id=x>\n' >'public/a b/c%.html'
  printf 'GIF89a' >public/real.gif
  printf '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="there"/></svg>' >public/sprite.svg
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
    plant $page ok "${site}sprite.svg#there" '<img src=sprite.svg#there>'
    plant $page ok "${site}sprite.svg#svgView(viewBox(0,0,9,9))" '<img src="sprite.svg#svgView(viewBox(0,0,9,9))">'
    plant $page dead-fragment "${site}sprite.svg#gone" '<img src=sprite.svg#gone>'
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
# Prints JSON records in the form of the oracle.
said() { jq -r '"\(.file):\(.line):\(.column)\t\(.verdict)\t\(.url)"' | sort; }

setup() { cd "$BATS_TEST_TMPDIR"; }
@test "links that no record says anything of are not judged, which is silence and status 0" {
  printf 'http://h.example/%s\n' a b >list
  run -0 link-check - <list
  [[ -z $output ]]
  run -0 link-check --show=all --fields=url,verdict - <list
  [[ ${lines[0]} == $'http://h.example/a\tnot-checkable' ]]
  run -0 link-check --format=text - <list
  [[ $output == *'not-checkable 2' ]]
  run -0 link-check --ask - <list
  [[ $output == "$(<list)" ]]
  run -1 link-check --base=http://h.example/ - <list
}

@test "each planted fault is found at its line and column, and nothing else: a folder" {
  make_site
  run -1 --separate-stderr link-check --base=$site --show=all --json public
  said <<<"$output" | diff oracle -
  [[ -z $stderr ]]
  [[ $(wc -l <oracle) -eq 990 ]]
}

@test "each planted fault has its place in every form of output" {
  make_site
  local form
  grep -E $'\t(dead|dead-fragment|moved)\t' oracle | cut -f1-2 | sort >want
  [[ $(wc -l <want) -eq 360 ]]
  forms() { link-check --base=$site --format="$1" public || [[ $? == 1 ]]; }
  forms text | sed -n 's/^\(public[^ ]*\) *\([a-z-]*\) .*/\1\t\2/p' | sort | diff want - || return 1
  forms records | sed -n 's/.*\tverdict=\([a-z-]*\).*\tfile=\([^\t]*\)\tline=\([0-9]*\)\tcolumn=\([0-9]*\).*/\2:\3:\4\t\1/p' | sort | diff want - || return 1
  forms junit | sed -n 's/.* name="\(public[^ ]*\) .*\(message\|type\)="\(moved\|dead-fragment\|dead\)[:"].*/\1\t\3/p' | sort | diff want - || return 1
  forms github | sed -n 's/^::[a-z]* title=\([a-z-]*\),file=\([^,]*\),line=\([0-9]*\),col=\([0-9]*\)::.*/\2:\3:\4\t\1/p' | sort | diff want - || return 1
  forms sarif | jq -r '.runs[0].results[] | .ruleId as $verdict | .locations[0].physicalLocation |
    "\(.artifactLocation.uri):\(.region.startLine):\(.region.startColumn)\t\($verdict)"' | sort | diff want - || return 1
  # GitLab's format has no columns.
  forms gitlab | jq -r '.[] | "\(.location.path):\(.location.lines.begin)\t\(.check_name)"' | sort >found
  sed 's/:[0-9]*\t/\t/' want | sort | diff - found
}

@test "the same as a pipeline: records --from-dir, extract-links, link-check" {
  make_site
  records --from-dir=public --base=$site | extract-links --ids --positions --only=page,resource | link-check --base=$site --show=all --json >out || [[ $? == 1 ]]
  # Links that are no URLs come out of extract-links as a number; it has reported their places itself.
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

@test "verdicts are coloured on a terminal, unless NO_COLOR is set" {
  mkdir public
  echo '<a href=x.html>' >public/a.html
  run -0 on_terminal env -u NO_COLOR TERM=xterm link-check public
  [[ ${lines[0]} == *$'\x1b[31mdead\x1b[0m  '*"x.html: not found"* ]]
  run -0 on_terminal env NO_COLOR=1 TERM=xterm link-check public
  [[ ${lines[0]} == *"dead  "*"x.html: not found"* && $output != *$'\x1b'* ]]
}

# record URL FIELD...: prints a record.
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
http://h/found#x	dead-fragment	the page has no such id	http://h/end#y
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

@test "--report: a crawl's report gets the findings, every place of each, once, and nothing comes alive in it" {
  local page='<html><body><main><section id="dead"><h2>x</h2></section><footer><p>f</p></footer></main></body></html>'
  printf '%s' "$page" >report.html
  printf '%s\n' $'http://h/lost\tvia=http://h/<script>1\ttag=a@href\tline=3\tcolumn=2' $'http://h/<script>1\toutcome=ok' \
    $'http://h/lost\tvia=http://h/b\ttag=a@href' $'http://h/old?"&\tvia=http://h/b' $'http://h/b\tids=\toutcome=ok' \
    $'http://h/lost\tstatus=404\toutcome=not-found' $'http://h/old?"&\tlocation=/b\toutcome=moved' $'javascript:alert(1)//http://h/' >in
  link-check --report=report.html in >first && false || (($? == 1))
  link-check --report=report.html in >again && false || (($? == 1))
  diff first again
  python3 - <<'PY'
import xml.etree.ElementTree as tree
page = tree.parse("report.html")
assert [each.get("id") for each in page.iter("section")] == ["links"]
dead, moved = page.find(".//ol[@data-verdict='dead']"), page.find(".//ol[@data-verdict='moved']")
assert ["".join(each.itertext()) for each in dead.iterfind(".//ul/li")] == ["http://h/%3Cscript%3E1:3:2", "http://h/b"], tree.tostring(dead)
assert ["".join(each.itertext()) for each in moved.iterfind(".//ul/li")] == ["http://h/b"]
assert all(each.get("href").startswith("http") for each in page.iter("a"))
PY
  echo x >none.html
  run -2 link-check --report=none.html in
  [[ $output == *"is not a report of a crawl: write one by crawl --report="* ]]
  run -2 link-check --report=missing.html in
}

@test "the action of GitHub: folders and files at once, annotations, the worst status; the hook of pre-commit: files" {
  local action=$SPINNERET_ROOT/.github/actions/link-check/action.yml step
  # step NAME: prints the shell code of that step, as a runner calls it.
  step() { awk -v name="$1" '/^    - name:/ { on = $3 == name } on && text { print substr($0, 9) } on && /run: \|/ { text = 1 } /^    - name:/ { text = 0 }' "$action" >step.sh; [[ -s step.sh ]]; bash --noprofile --norc -eo pipefail step.sh; }
  mkdir public
  echo '<a href=lost>' >public/index.html
  echo '[ok](public/index.html) [no](none.md)' >README.md
  step install
  PATHS='public README.md' OPTIONS='' run -1 step check
  [[ $output == *'file=public/index.html,line=1,col=1::'*'file=README.md,line=1,col=30::'* ]]
  PATHS='public README.md' OPTIONS='--fail-on=none --show=dead' run -0 step check
  [[ $output == *'file=README.md'* ]]
  : >public/lost
  PATHS=public OPTIONS='' run -0 step check
  [[ -z $output ]]
  PATHS='missing public' OPTIONS='' run -2 step check
  # shellcheck disable=SC2046  # words, as pre-commit takes them
  run -1 $(sed -n 's/^ *entry: //p' "$SPINNERET_ROOT/.pre-commit-hooks.yaml") README.md
  [[ $output == *README.md:1:*dead*none.md* ]]
  echo '[ok](public/index.html)' >README.md
  # shellcheck disable=SC2046
  run -0 $(sed -n 's/^ *entry: //p' "$SPINNERET_ROOT/.pre-commit-hooks.yaml") README.md
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
  [[ $output == *'.linkignore:1: write after the pattern why'* ]]
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
  [[ $output == '1 link on 1 page: in the baseline 1' ]]
  printf '<a href=x><a href=y>' >public/a.html
  run -1 link-check --baseline=known --fields=url public
  [[ $output == http://localhost/y ]]
}

@test "bug: a baseline in another form than records was one of nothing" {
  mkdir public
  echo '<a href=x>' >public/a.html
  link-check --format=text public >known || [[ $? == 1 ]]
  run -2 link-check --baseline=known public
  [[ $output == *'--baseline: known:1: no finding, as --format=records writes them: "public/a.html:1:1 '* ]]
  : >known
  run -1 link-check --baseline=known public
}

@test "JUnit, SARIF, GitHub and GitLab say the same, and no page can break out of them" {
  mkdir public
  printf '\n<a href="x&quot;]]>&lt;&amp;,%%0a::error::">&#27;[31m' >'public/a,b:c.html'
  run -1 link-check --format=sarif public
  jq -e '.version == "2.1.0" and (.runs[0].results | length) == 1 and
    (.runs[0].results[0] | .ruleId == "dead" and .level == "error" and (.message.text | length) > 0 and
     (.locations[0].physicalLocation | .artifactLocation.uri == "public/a,b%3Ac.html" and .region == {startLine: 2, startColumn: 1})) and
    (.runs[0].tool.driver | .name == "link-check" and (.rules | map(.id) | index("dead")) != null)' <<<"$output"
  # The members and types are those of SARIF 2.1.0: no other is there, and no required one is missing.
  { cat <<<"$output"; printf 'http://h/x\tvia=a page\nhttp://h/x\toutcome=gone\nhttp://h/\tbad-links=2\toutcome=ok\n' | link-check --format=sarif --show=all; link-check --format=sarif <<<''; } >logs || true
  jq -es 'def only($names): (keys - $names) == []; length == 3 and all(.[];
    only(["$schema", "version", "runs"]) and all(.runs[]; only(["tool", "results"]) and
    (.tool | only(["driver"]) and (.driver | only(["name", "version", "rules"]) and (.version | type == "string") and
      all(.rules[]; only(["id", "shortDescription"]) and (.shortDescription | only(["text"]) and (.text | type == "string"))) and
      (.rules | length == (map(.id) | unique | length)))) and
    ([.tool.driver.rules[].id] as $ids | all(.results[]; only(["ruleId", "level", "message", "locations"]) and
      (.ruleId as $id | $ids | index($id) != null) and ((.level == "error") or (.level == "note")) and (.message | only(["text"])) and
      (.locations | length == 1) and (.locations[0] | only(["physicalLocation"]) and (.physicalLocation | only(["artifactLocation", "region"]) and
        (.artifactLocation | only(["uri"]) and (.uri | test("^[!-~]+$"))) and
        ((.region // {startLine: 1}) | only(["startLine", "startColumn"]) and all(.[]; . >= 1 and . == floor))))))))' logs
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
  # Users who may not read the folder must still be able to reach it.
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

@test "bug: a FIFO as --cache, --ignore or --baseline was waited for" {
  mkdir public
  echo '<p>' >public/index.html
  mkfifo pipe
  local option
  for option in cache ignore baseline; do
    run -2 timeout 60 link-check --$option=pipe public
    [[ $output == *"--$option: pipe is a pipe"*'give a file'* ]]
  done
  # A FIFO that somebody writes to is read.
  run -0 link-check --ignore=<(echo '*/x why') --baseline=<(true) public
  [[ $output == *'no finding matches "*/x"'* ]]
}

@test "bug: a cache by way of a link, to an empty file too, or torn off, was trusted or the link replaced" {
  mkdir public
  echo '<a href=https://h/a><a href=https://h/b>' >public/index.html
  record https://h/a outcome=ok status=200 >answers
  : >real
  ln -s real cache
  run -0 link-check --cache=cache --now=2026-11-01 public answers
  [[ -L cache && $(cat real) == $'link-check-cache:1\nhttps://h/a\tchecked=1793491200' ]]
  [[ $(link-check --cache=cache --now=2026-11-02 --ask public) == https://h/b ]]
  printf 'link-check-cache:1\nhttps://h/a\tchecked=1793491200\nhttps://h/b\tchecked=1793491200\tetag="x' >real
  [[ $(link-check --cache=cache --now=2026-11-02 --ask public) == https://h/b ]]
  run -0 link-check --cache=/dev/null public answers
  # bug: a gigabyte of an endless file was read before it was refused
  run -0 link-check --cache=/dev/zero public answers
}

@test "bug: --fix lost the fragment of the place that a link has moved to" {
  mkdir public
  printf '<a href="http://h/old#f">a</a> <a href="http://h/old">b</a> <a href="http://h/plain#f">c</a>\n' >public/a.html
  { record http://h/old outcome=moved status=301 location=http://h/new#g; record http://h/new outcome=ok status=200
    record http://h/plain outcome=moved status=301 location=http://h/new; } >answers
  run -0 link-check --fields=url,location public answers
  [[ $output == $'http://h/old#f\thttp://h/new#g\nhttp://h/old\thttp://h/new#g\nhttp://h/plain#f\thttp://h/new' ]]
  link-check --fix public answers 2>/dev/null | patch -s -p1
  [[ $(cat public/a.html) == '<a href="http://h/new#g">a</a> <a href="http://h/new#g">b</a> <a href="http://h/new#f">c</a>' ]]
}

@test "bug: a mark of the byte order shifted the columns of line 1, --fix and comments that ignore" {
  mkdir public
  local mark=$'\xef\xbb\xbf'
  printf '%s<a href="http://h/old">a</a> <!-- link-check ignore: known -->\n<a href=y>' "$mark" | tee public/a.html >public/c.md
  printf '%s[a](http://h/old) [b](x)\n' "$mark" >public/b.md
  printf '%s`a <x>`_\n' "$mark" >public/d.rst
  { record http://h/old outcome=moved status=301 location=http://h/new; record http://h/new outcome=ok status=200; } >answers
  run -1 link-check --fields=url,file,line,column public answers
  [[ $output == "http://localhost/y	public/a.html	2	1
http://h/old	public/b.md	1	5
http://localhost/x	public/b.md	1	23
http://localhost/y	public/c.md	2	1
http://localhost/x	public/d.rst	1	5" ]]
  sed -i 's/ <!-- link-check ignore: known -->//' public/a.html public/c.md
  link-check --fix --fail-on=none public answers 2>/dev/null | patch -s -p1
  [[ $(cat public/{a.html,b.md,c.md}) == "$mark<a href=\"http://h/new\">a</a>
<a href=y>${mark}[a](http://h/new) [b](x)
$mark<a href=\"http://h/new\">a</a>
<a href=y>" ]]
  # In another encoding, comments still match the lines of their links.
  printf '<a href=x>\n<!-- link-check ignore: known -->\n<a href=y>\n' | iconv -t utf-16 >public/a.html
  run -1 link-check --fields=url,line public/a.html
  [[ $output == $'http://localhost/public/x\t1' ]]
}

@test "bug: a file whose name has a line feed was named by another, and --fix could not open it" {
  mkdir public
  echo '<a href="http://h/old"><a href=x>' | tee $'public/a\nb.html' >$'public/e\033[31m.html'
  { record http://h/old outcome=moved status=301 location=http://h/new; record http://h/new outcome=ok status=200; } >answers
  link-check --fix --fail-on=none public answers 2>/dev/null | git apply
  run -1 link-check --fields=url,file public
  [[ $output == $'http://localhost/x\tpublic/a\\nb.html\nhttp://localhost/x\tpublic/e\033[31m.html' ]]
  run -1 link-check --format=github public
  [[ ${lines[0]} == '::error title=dead,file=public/a%0Ab.html,line=1,col=24::'* && $output != *$'\033'* ]]
  [[ $(link-check --format=gitlab public | jq -c 'map(.location.path)') == '["public/a\nb.html","public/e\u001b[31m.html"]' ]]
  [[ $(link-check --format=sarif public | jq -c '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri]') == '["public/a%0Ab.html","public/e%1B[31m.html"]' ]]
  run -1 link-check --format=text public
  [[ ${#lines[@]} == 3 && $output != *$'\033'* ]]
  link-check --baseline=<(link-check public) public
}

@test "comments that ignore: a line, the next one, a part; those without a link or a reason are told" {
  mkdir public
  printf '%s\n' '<a href=x><!-- link-check ignore: soon -->' '<!-- link-check ignore: known -->' '<a href=y>' '<a href=z>' \
    '<!-- link-check off: draft -->' '<a href=u>' '<!-- link-check on -->' '<a href=v>' '<!-- link-check ignore: none -->' '' '<!-- link-check ignore -->' >public/a.html
  printf '%s\n' '[x](x) <!-- link-check ignore: soon -->' '' '```' '<!-- link-check ignore: no comment -->' '```' '[y](y)' >public/b.md
  run -1 --separate-stderr link-check --fields=url,file,line public
  [[ $output == "http://localhost/z	public/a.html	4
http://localhost/v	public/a.html	8
http://localhost/y	public/b.md	6" ]]
  [[ $stderr == "link-check: public/a.html:9: there is no link that this ignores
link-check: public/a.html:11: link-check takes ignore: REASON, off: REASON and on here" ]]
  run -1 link-check --format=text public
  [[ ${lines[-1]} == '8 links on 2 pages: dead 3, ignored 4' ]] || [[ ${lines[-1]} == *'dead 3, ignored 4' ]]
}

@test "--remap: links to where the site will be are checked where it is" {
  mkdir public
  echo '<a href=https://www.example/a.html#x><a href=https://www.example/none><a href=https://www.example.org/>' >public/index.html
  echo '<p id=x>' >public/a.html
  run -1 link-check --remap=https://www.example/=http://localhost/ --show=all --fields=verdict,url public
  [[ $output == $'ok\thttp://localhost/a.html#x\ndead\thttp://localhost/none\nnot-checkable\thttps://www.example.org/' ]]
  run -1 link-check --base=http://h/ --remap=http://i/=http://h/ --fields=verdict,url < <(record http://i/x via=http://h/)
  [[ $output == $'dead\thttp://h/x' ]]
  run -2 link-check --remap=https://a/ public
  run -2 link-check --remap=a=b public
}

@test "--fix: a patch that patch(1) takes, byte for byte; only what is exactly the URL" {
  mkdir -p 'public/a b'
  {
    record https://h/old outcome=moved status=301 location=https://h/new?a=1\&b=2
    record 'https://h/new?a=1&b=2' outcome=ok status=200
    record https://h/tmp outcome=redirect status=302 location=https://h/new
    record https://h/new outcome=ok status=200
    record https://h/ outcome=moved status=308 location=https://i/
    record https://i/ outcome=ok status=200
    record https://h/down outcome=moved status=301 location=http://h/new
    record http://h/new outcome=ok status=200
  } >answers
  printf '<a href="https://h/old#f">1</a><a href=https://h/old>2</a>\r\n<a href="https://h/tmp">\n\n\n\n\n\n\n\n<img src='"'https://h'"'>\n<a href="https://h/%%6Fld"><a href="https://h/down"> https://h/old' >'public/a b/ü.html'
  printf '[a](https://h/old) [b](https://h/) <https://h/old>\n' >public/b.md
  cp -r public want
  sed -i -e 's|"https://h/old#f"|"https://h/new?a=1\&amp;b=2#f"|' -e "s|'https://h'|'https://i/'|" 'want/a b/ü.html'
  sed -i -e 's|https://h/old|https://h/new?a=1\&b=2|g' -e 's|https://h/)|https://i/)|' want/b.md
  run -0 --separate-stderr link-check --fix public answers
  [[ $stderr == 'link-check: 5 of 8 links that have moved for good are in the patch' ]]
  printf '%s\n' "$output" >patch
  patch -p1 <patch
  diff -r want public
  run -0 --separate-stderr link-check --fix --fail-on=none public answers
  [[ -z $output ]]
}

@test "--fix: names as git takes them; no user of a redirect, no reference of a character" {
  mkdir public
  printf '[a](http://h/old) [b](http://h/user) [c](http://h/copy)\n' >public/a.md
  { record http://h/old outcome=moved status=301 location=http://h/new; record http://h/new outcome=ok
    record http://h/user outcome=moved status=301 location=http://h@i/; record http://h@i/ outcome=ok
    record http://h/copy outcome=moved status=301 'location=http://h/?a&copy;'; record 'http://h/?a&copy;' outcome=ok; } >answers
  for folder in ./public "$PWD/public"; do
    run -0 --separate-stderr link-check --fix "$folder" answers
    [[ ${lines[0]} == "--- a/${folder#*/}/a.md" ]]
    [[ $output == *'+[a](http://h/new) [b](http://h/user) [c](http://h/copy)' ]]
  done
}

@test "--cache: what was ok is not asked for again; what is old is asked for with its etag; only ok is kept" {
  mkdir public
  echo '<a href=https://h/a><a href=https://h/b#f><a href=https://h/c><a href=https://h/a#x>' >public/index.html
  ask() { link-check --cache=cache --ask "$@" public; }
  [[ $(ask --now=2026-11-01) == $'https://h/a\nhttps://h/b\nhttps://h/c' ]]
  [[ ! -e cache ]]
  { record https://h/a outcome=ok status=200 'etag="1"' last-modified=x; record https://h/b outcome=ok ids=f
    record https://h/c outcome=not-found status=404; } >answers
  run -1 link-check --cache=cache --now=2026-11-01 --fields=url,verdict public answers
  [[ $output == $'https://h/c\tdead' && $(cat cache) == 'link-check-cache:1
https://h/a	checked=1793491200	etag="1"	last-modified=x' ]]
  # For b its ids are needed, which are not kept.
  [[ $(ask --now=2026-11-07) == $'https://h/b\nhttps://h/c' ]]
  run -0 link-check --cache=cache --now=2026-11-07 --show=all --fields=url,verdict public
  [[ $output == $'https://h/a\tok\nhttps://h/b#f\tnot-checkable\nhttps://h/c\tnot-checkable\nhttps://h/a#x\tok' ]]
  [[ $(ask --now=2026-11-10) == $'https://h/a\tetag="1"\tlast-modified=x\nhttps://h/b\nhttps://h/c' ]]
  [[ $(ask --now=2026-11-10 --max-age=30d) == $'https://h/b\nhttps://h/c' ]]
  record https://h/a outcome=not-modified status=304 'etag="1"' >answers
  link-check --cache=cache --now=2026-11-10 --fail-on=none public answers
  [[ $(ask --now=2026-11-16) == $'https://h/b\nhttps://h/c' ]]
  # A clock that was wrong, and a page that was found dead since.
  [[ $(ask --now=2025-01-01 | head -1) == https://h/a ]]
  record https://h/a outcome=gone status=410 >answers
  run -1 link-check --cache=cache --now=2026-11-16 public answers
  [[ $(cat cache) == link-check-cache:1 ]]
}

@test "fragments of other sites: what --ask names is fetched whole, and its ids are read" {
  mkdir -p public there
  echo '<p id=known>' >there/page.html
  start_site "$PWD/there"
  local url=http://127.0.0.1:$PORT
  echo "<a href=$url/page.html#known><a href=$url/page.html#lost><a href=$url/none.html#x>" >public/index.html
  link-check --ask public | fetch --allow-private --agent=examplebot --contact=me@example.org | extract-links --ids | records --results >answers
  run -1 link-check --show=all --fields=url,verdict public answers
  [[ $output == "$url/page.html#known	ok
$url/page.html#lost	dead-fragment
$url/none.html#x	dead" ]]
}

@test "a cache of another version, or what is none, is named and stays" {
  mkdir public
  echo '<p>' >public/index.html
  local text
  for text in link-check-cache:2 'my notes'; do
    echo "$text" >cache
    run -2 link-check --cache=cache public
    [[ $output == *"is not a cache of this version (link-check-cache:1), but begins with \"$text\""* && $(cat cache) == "$text" ]]
  done
  run -2 link-check --cache=none/cache public
  run -2 link-check --max-age=7d public
  run -2 link-check --ask --fix public
}

@test "a probe says that a host answers ok to everything; links that are none are counted by page" {
  { record http://h/a1b2c3 purpose=probe outcome=ok status=200; record http://i/a1b2c3 purpose=probe outcome=not-found status=404
    record http://h/x via=http://h/; record http://h/ outcome=ok bad-links=2; record http://h/x outcome=ok; } >in
  run -1 --separate-stderr link-check --fields=verdict,url,reason,via in
  [[ $output == $'dead\t2 links\tno URL: extract-links --errors says which\thttp://h/' ]]
  [[ $stderr == 'link-check: http://h says ok to what cannot be there, "http://h/a1b2c3": a link to it that is ok may be dead' ]]
}

@test "bug: of links that are no URL a page of records had but a number, and not their places" {
  record http://h/ type=text/html status=200 'body=<a href="http://[x\ty">1</a>\n<img src="//h:99999/">' outcome=ok |
    extract-links --check=links --fields=url,bad-links >out
  [[ $(<out) == $'http://h/\t2' ]]
  run -1 --separate-stderr link-check --fields=verdict,url,reason,via,line,column,tag links
  [[ ${lines[0]} == $'dead\thttp://[x y\tno URL: IPv6 address has no closing bracket\thttp://h/\t1\t1\ta@href' ]]
  [[ ${lines[1]} == $'dead\t//h:99999/\tno URL: '*$'\thttp://h/\t2\t1\timg@src' ]]
  [[ ${#lines[@]} == 2 && -z $stderr ]]
  # A verdict that is read again gives the same verdict.
  link-check --json links >first || (($? == 1))
  link-check links | link-check --json >again || (($? == 1))
  cmp first again
}

@test "bug: an archive as operand was read as records, none of which was a URL" {
  mkdir public
  echo '<a href=/gone>' >public/index.html
  tar -C public -czf site.tgz .
  run -2 --separate-stderr link-check site.tgz
  [[ $stderr == 'link-check: "site.tgz" is an archive: records --from-dir=FILE --base=URL | extract-links --ids --positions | link-check --base=URL'* ]]
  : >site.warc.gz
  run -2 --separate-stderr link-check site.warc.gz
  [[ $stderr == *'records --from-dir=FILE | extract-links --ids --positions | link-check'$'\n'* ]]
  tar -C public -cf site.tar .
  records --from-dir=site.tar --base=http://h/ | extract-links --ids --positions >links
  run -1 link-check --base=http://h/ --fields=url,verdict links
  [[ $output == $'http://h/gone\tdead' ]]
}
