#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The report of a crawl: its numbers are the log's, its markup is sound, and nothing in it is active.

load helper
load crawling

# read_report FILE: prints "NAME VALUE" for each number in the report; fails on unsound markup, on a script, and on
# anything that a browser would load.
read_report() {
  python3 - "$1" <<'PY'
import sys
import xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1])  # well-formed, or an exception
allowed = set("html head meta title style body main header h1 h2 h3 p ul li section div b span em small i ol a "
              "details summary table thead tbody tr td th br dl dt dd code footer svg rect path".split())
for element in page.iter():
    assert element.tag in allowed, element.tag
    for name, value in element.attrib.items():
        assert not name.startswith("on") and name not in ("src", "style", "srcset"), name
        if name == "href":
            assert element.tag == "a" and value.startswith(("http://", "https://")), value
            assert "noreferrer" in element.get("rel"), value
        assert "url(" not in value
    assert element.tag != "style" or not any(word in element.text for word in ("url(", "@import", "</"))
    if "data-outcome" in element.attrib:
        print(element.get("data-outcome"), element.find("td[@data-value]").get("data-value"))
print("records", page.find(".//*[@id='records']").get("data-value"))
for chart in page.iterfind(".//*[@data-chart]"):
    print(chart.get("data-chart"), sum(int(bar.get("data-value")) for bar in chart.iter("rect")))
for section in ("dead", "failures"):
    print(section, len(page.findall(".//section[@id='%s']//ol/li" % section)))
PY
}

value() { awk -v name="$1" '$1 == name { print $2 }' numbers; }

make_site() {
  mkdir docs docs/sub
  chmod 755 docs docs/sub
  cat >docs/index.html <<'HTML'
<a href="a.html">a</a> <a href="gone.html">dead</a> <a href="/private/x">hidden</a> <a href="/old">moved</a>
<a href="/%3Cscript%3Ealert(1)%3C/script%3E?a='%22&amp;b=<script>alert(2)</script>">hostile</a>
<a href="/broken">broken</a> <a href="big.bin">big</a>
HTML
  echo '<a href="sub/also-gone.html">dead too</a>' >docs/a.html
  head -c 100000 /dev/zero >docs/big.bin
  printf 'User-agent: *\nDisallow: /private/\n' >docs/robots.txt
  start_site "$PWD/docs" 'location = /old { return 301 /a.html; } location = /broken { return 400; }'
}

@test "a report's numbers are those of the log, its markup is sound and nothing in it comes alive" {
  make_site
  "$crawl" --state=s --allow-private --delay=0 "http://127.0.0.1:$PORT/" >records 2>progress 3>&- ||
    { cat progress; false; }
  grep -q 'the report is in s/report.html' progress
  read_report s/report.html >numbers
  cat numbers
  (($(value records) == $(wc -l <records)))
  (($(value records) == $(wc -l <s/log)))
  local outcome
  for outcome in $(sed -n 's/.*\toutcome=//p' records | sort -u); do
    (($(value "$outcome") == $(grep -c $'\toutcome='"$outcome\$" records))) || { echo "$outcome"; false; }
  done
  (($(value not-found) == 3 && $(value moved) == 1 && $(value blocked-by-robots) == 1))
  (($(value dead) == 3 && $(value failures) == 1))
  (($(value times) == $(grep -c $'\ttime-ms=' records)))
  (($(value depths) == $(wc -l <records)))
  # Each dead link is shown with the page that has it, and hostile URLs are text.
  grep -q "gone.html</a><p>on <a [^>]*>http://127.0.0.1:$PORT/</a>" s/report.html
  grep -q "also-gone.html</a><p>on <a [^>]*>http://127.0.0.1:$PORT/a.html</a>" s/report.html
  grep -q '%3Cscript%3Ealert(1)%3C/script%3E?a=' s/report.html
  run ! grep -qi '<script' s/report.html
  if command -v xmllint >/dev/null; then xmllint --noout --nonet s/report.html; fi
}

@test "the report has the gaps that were kept, and what each stage has cost, over all runs" {
  make_site
  "$crawl" --state=s --allow-private --delay=20ms --max-pages=3 "http://127.0.0.1:$PORT/" >records 2>progress 3>&- || (($? == 3))
  cp s/frontier/stages before
  "$crawl" --state=s --allow-private --delay=20ms "http://127.0.0.1:$PORT/" >>records 2>progress 3>&- || { cat progress; false; }
  read_report s/report.html >numbers
  local ms='\([2-9][0-9]\|[0-9]\{3,\}\) ms' # at least 20; more by the time that a busy machine takes to answer
  # The server's own log, with a clock of milliseconds, agrees that no request came too early.
  awk 'NR > 1 && $1 - $5 - end < 0.018 { print; early = 1 } { end = $1 } END { exit early }' "$LOG"
  grep -q "No host was asked sooner than owed: the least to spare had http://127.0.0.1:$PORT, $ms where $ms was owed" s/report.html || { cat s/report.html; false; }
  "$SPINNERET_BIN/politeness-sched" --state=s/frontier --hosts |
    "$SPINNERET_BIN/records" --where 'least-gap>=0.02 and least-gap-owed>=0.02' --fields=least-gap | grep -q .
  local stage
  for stage in crawl politeness-sched fetch extract-links url-normalize 'robots-check --gate' 'robots-check --learn' 'url-filter --before-fetch'; do
    grep -q "<tr><td>$stage<svg" s/report.html || { echo "$stage"; cat s/frontier/stages; false; }
    cut -f4 s/frontier/stages | grep -qx -e "$stage"
  done
  # Bodies go through fetch, of which big.bin has a hundred kilobytes. The second run has added to the first.
  (($(awk -F'\t' '$4 == "fetch" { print $3 }' s/frontier/stages) > 100000))
  (($(awk -F'\t' '$4 == "fetch" { print $2 }' s/frontier/stages) > $(awk -F'\t' '$4 == "fetch" { print $2 }' before)))
}

@test "the report at any time, without a URL: to stdout or a file, and nothing is fetched or written" {
  make_site
  "$crawl" --state=s --allow-private --delay=0 --max-pages=2 "http://127.0.0.1:$PORT/" >records 2>progress 3>&-
  find s -type f ! -path '*/db/*' -exec sha256sum {} + | sort >before
  : >"$LOG"
  "$crawl" --state=s --report >out.html 3>&-
  "$crawl" --state=s --report=page.html 3>&-
  [[ ! -s $LOG ]]
  find s -type f ! -path '*/db/*' -exec sha256sum {} + | sort | diff before -
  read_report out.html >numbers
  (($(value records) == 2))
  read_report page.html | diff numbers -
  # The report is written into a pipe, which stays one.
  mkfifo pipe
  cat pipe >piped.html 3>&- &
  "$crawl" --state=s --report=pipe 3>&-
  wait $!
  [[ -p pipe ]]
  read_report piped.html | diff numbers -
  grep -q 'the same command goes on from here' out.html
  # The delay is the last run's.
  grep -q '<td class="n">0[^0-9]*ms</td>' out.html
  run -2 "$crawl" --state=none --report
  [[ $output == *"no crawl is kept in none"* && ! -e none ]]
}

@test "bug: --report=/dev/stdout into a file put the report in the place of /dev/stdout, for the whole machine" {
  make_site
  "$crawl" --state=s --allow-private --delay=0 --max-pages=2 "http://127.0.0.1:$PORT/" >records 2>progress 3>&-
  # /dev/stdout is such a link; a test must not replace the real one.
  ln -s /proc/self/fd/1 stdout
  ln -s page.html link
  echo before >out.html
  "$crawl" --state=s --report=stdout >>out.html 3>&-
  "$crawl" --state=s --report=link 3>&-
  [[ -L stdout && -L link ]]
  [[ $(head -n 1 out.html) == before ]]
  tail -n +2 out.html >behind.html
  read_report behind.html >numbers
  (($(value records) == 2))
  read_report page.html | diff numbers -
}

@test "hosts that were given up stand with what waits there, and a command that asks them again" {
  local command
  mkdir "a folder"
  crawl_silence() {
    politeness-sched --state='a folder/s' --log=log --report-file=report.html -q --delay=0 --patience=2 --tries=1 "$@" \
      http://a.test/1 http://a.test/2 http://a.test/3 http://b.test/ -- sed "$answers"
  }
  # shellcheck disable=SC2016
  answers='/b.test/s/$/\tstatus=500/; /b.test/s/$/\toutcome=server-error/; /a.test/s/$/\toutcome=connect-failed/'
  crawl_silence || true
  read_report report.html >numbers
  cat report.html
  grep -q '1 host was given up, for want of an answer or of a robots.txt: <a [^>]*>http://a.test</a> (' report.html
  # The command on the page runs as it is.
  python3 -c 'import html, re, sys; print(html.unescape(re.search("class=.again.>(.*?)</code>", sys.stdin.read())[1]))' <report.html >command
  bash ./command
  run -0 politeness-sched --state='a folder/s' --list --with-state=waiting
  ((${#lines[@]} == 4))
}

@test "what a page cannot list, it names a command for, which finds that and no more" {
  local page
  for page in {1..320}; do
    printf 'http://a.test/gone?outcome=ok&n=%d\ttime=1\tdepth=1\tstatus=404\toutcome=not-found\n' "$page"
    printf 'http://a.test/busy?outcome=not-found&n=%d\ttime=2\tdepth=1\tstatus=503\toutcome=server-error\n' "$page"
    printf 'http://a.test/good?outcome=not-found&n=%d\ttime=3\tdepth=1\tstatus=200\toutcome=ok\n' "$page"
  done >"the log"
  printf 'http://h%03d.test/\n' {1..120} >seeds
  politeness-sched --state=s -q --delay=0 seeds -- sed 's/$/\toutcome=ok/' >/dev/null
  run -0 --separate-stderr politeness-sched --state=s --log="the log" --report
  python3 -c 'import html, re, sys
print(*map(html.unescape, re.findall("<p class=.more.>and [0-9]* more: <code class=.again.>(.*?)</code>", sys.stdin.read())), sep="\n")' <<<"$output" >commands
  (($(wc -l <commands) == 3)) || { cat commands; false; }
  diff <(bash -c "$(sed -n 1p commands)" | cut -f1 | sort) seeds
  diff <(bash -c "$(sed -n 2p commands)" | cut -f1 | uniq -c | tr -s ' ') <(echo " 320 not-found")
  diff <(bash -c "$(sed -n 3p commands)" | cut -f1 | uniq -c | tr -s ' ') <(echo " 320 server-error")
}

@test "bug: the command for what a page cannot list printed each visit, and what was mended since" {
  local page
  for page in {1..303}; do printf 'http://a.test/%d\ttime=1\tstatus=404\toutcome=not-found\n' "$page"; done >log
  sed 's/time=1/time=2/; 1s/404\toutcome=not-found/200\toutcome=ok/' log >>log.new
  cat log.new >>log
  politeness-sched --state=s -q http://a.test/1 -- sed 's/$/\toutcome=ok/' >/dev/null
  run -0 --separate-stderr politeness-sched --state=s --log=log --report
  python3 -c 'import html, re, sys
print(html.unescape(re.search("<p class=.more.>and 102 more: <code class=.again.>(.*?)</code>", sys.stdin.read())[1]))' <<<"$output" >command
  diff <(bash ./command | sort) <(sed '1d; s/^\(\S*\).*/not-found\t\1\t/' log.new | sort)
}

@test "a crawl is looked at from anywhere, whether its rules are still there or not" {
  local action
  make_site
  echo 'deny-path ^/old' >rules
  "$crawl" --state=s --allow-private --delay=0 --policy=rules "http://127.0.0.1:$PORT/" >records 2>progress 3>&- || { cat progress; false; }
  rm rules
  for action in report hosts list diff=s; do
    run -0 "$crawl" --state=s "--$action" 3>&-
  done
  # --why, which judges URLs, does need the rules; the message names the file that names them.
  run -2 "$crawl" --state=s --why="http://127.0.0.1:$PORT/" 3>&-
  [[ $output == *"crawl: s/options: --policy takes a file of rules, and rules is none" ]]
}

@test "a resumed run appends to the log; a line torn by a crash costs that line" {
  make_site
  "$crawl" --state=s --allow-private --delay=0 --max-pages=2 "http://127.0.0.1:$PORT/" >records 2>progress 3>&-
  printf 'http://127.0.0.1/torn\ttime=1.5\tstat' >>s/log
  "$crawl" --state=s --allow-private --delay=0 "http://127.0.0.1:$PORT/" >>records 2>progress 3>&-
  (($(wc -l <s/log) == $(wc -l <records) + 1))
  read_report s/report.html >numbers
  (($(value records) == $(wc -l <records)))
  grep -q '1 unreadable' s/report.html
}

@test "a log that cannot be written is trouble, and named" {
  run -2 --separate-stderr politeness-sched --state s -q --log /dev/full http://a.test/ -- sed 's/$/\toutcome=ok/'
  [[ $stderr == *"cannot write /dev/full"* ]]
  mkdir folder
  run -2 politeness-sched --state s2 -q --log folder http://a.test/ -- cat
  [[ $output == *"cannot open folder"* ]]
}

# ask PATH [HEADER...] [BODY]: prints the server's answer; the last line is the status.
ask() {
  python3 - "$live" "$@" <<'PY'
import http.client, sys, urllib.parse
server = urllib.parse.urlparse(sys.argv[1])
path, *rest = sys.argv[2:]
body = rest.pop() if rest and "=" in rest[-1] else None
headers = dict(each.split(": ", 1) for each in rest)
connection = http.client.HTTPConnection(server.hostname, server.port, timeout=60)
connection.request("POST" if body else "GET", path, body, headers)
answer = connection.getresponse()
if path == "/events":
    while not (line := answer.readline()).startswith(b"event:"):
        assert line
    while (line := answer.readline()) != b"\n":
        sys.stdout.write(line.decode().removeprefix("data: "))
else:
    sys.stdout.write(answer.read().decode() + "\n%d\n" % answer.status)
PY
}
setting() { ask /events | sed -n 's/.*data-setting="\([^"]*\)".*/\1/p'; }
hold_on() { kill "-$1" "$(<s/frontier/lock)"; }

# start_live OPTION...: starts a crawl of 150 pages and as many hostile links in the background, and the server of its
# page. Sets `run` and `server` to their processes, `live` to the address, `token` to the secret for control. The crawl
# is stopped until hold_on sends CONT, or it might be over too early.
start_live() {
  local page
  mkdir docs
  chmod 755 docs
  for page in {1..150}; do echo "<a href=\"/p$((page + 1)).html\">next</a><a href=\"/<u>$page\">hostile</a>"; done >docs/index.html
  for page in {1..150}; do echo page >"docs/p$page.html"; done
  start_site "$PWD/docs"
  "$crawl" --state=s --allow-private --sched:delay-factor=0 "$@" "http://127.0.0.1:$PORT/" >records 2>progress 3>&- &
  run=$!
  soon '[[ $(wc -l <records) -gt 5 ]]'
  hold_on STOP
  "$crawl" --state=s --live 2>live 3>&- &
  server=$!
  soon 'grep -q token= live'
  token=$(sed -n 's/.*?token=//p' live)
  live=$(sed -n 's/.*look at \(http[^ ]*\)\/ .*/\1/p' live)
  [[ $live == http://127.0.0.1:* ]]
}

@test "a crawl is shown while it runs, and steered by nobody but who has the token" {
  local run server live token before
  start_live --delay=20ms
  ask / >page
  [[ $(ask /control "token=$token&do=pause" | tail -1) == 303 ]]
  hold_on CONT
  [[ $(tail -1 page) == 200 ]]
  grep -q 'id="records"' page
  grep -q 'data-setting="no limit"' page
  run ! grep -q '<u>1\|action="control"' page
  ask "/?token=$token" | grep -q 'action="control"'
  # bug: the page's own buttons were refused, since with "no-referrer" a browser sends the form with the origin "null"
  curl -s -o /dev/null -D - "$live/" | grep -qi '^Referrer-Policy: same-origin'
  # Other hosts and origins, and a wrong token, are refused.
  [[ $(ask / "Host: evil.example" | tail -1) == 403 ]]
  [[ $(ask /control "token=0$token&do=pause" | tail -1) == 403 ]]
  [[ $(ask /control "Origin: http://evil.example" "token=0$token&do=pause" | tail -1) == 403 ]]
  [[ $(ask "/?token=$token" "Origin: http://evil.example" | tail -1) == 403 ]]
  # bug: behind a proxy, whose origin is another one, the page's buttons were refused
  [[ $(ask /control "Origin: https://status.example" "token=$token&do=pause" | tail -1) == 303 ]]
  [[ $(ask /control "token=$token&do=forget" | tail -1) == 400 ]]
  [[ $(ask /control "token=$token&do=rate&rate=-1" | tail -1) == 400 ]]
  soon 'grep -q "requests from now on: paused" progress'
  [[ $(setting) == paused ]]
  # URLs in flight may still return. Once all but robots.txt have a record, and a second passes without a request,
  # nothing goes out.
  soon 'log_is_whole && before=$(wc -l <"$LOG") && (($(wc -l <records) == before - 1)) && [[ $(setting) == paused ]] && (($(wc -l <"$LOG") == before))'
  [[ $(setting) == paused && $(setting) == paused ]]  # each takes a second
  (($(wc -l <"$LOG") == before))
  [[ $(ask /control "token=$token&do=rate&rate=1000" | tail -1) == 303 ]]
  soon '[[ $(setting) == paused ]]'
  [[ $(ask /control "token=$token&do=go-on" | tail -1) == 303 ]]
  soon 'grep -q "at most 1000 requests a second" progress'
  wait "$run"
  (($(awk '$2 == 200 || $2 == 404' "$LOG" | cut -d' ' -f4 | sort | uniq -d | wc -l) == 0))
  soon '[[ $(ask / | sed -n "s/.*id=\"records\" data-value=\"\([0-9]*\)\".*/\1/p") == "$(wc -l <records)" ]]'
  kill "$server"
  wait "$server"
  # Nothing holds the next run back.
  printf 'pause 0\n' >s/frontier/valve
  "$crawl" --state=s --allow-private "http://127.0.0.1:$PORT/" >again 2>progress 3>&-
  [[ ! -e s/frontier/valve ]]
  run -2 "$crawl" --state=none --live
  [[ $output == *"no crawl is kept in none"* && ! -e none ]]
}

@test "bug: in a browser --live had buttons that were refused; it follows, nothing hostile comes alive, its end is told" {
  command -v chromium >/dev/null || skip "no chromium"
  local run server live token
  start_live --delay=300ms
  hold_on CONT
  python3 "$SPINNERET_ROOT/tests/support/live-page.py" "$live" "$token" "$server"
  kill "$run"
  wait "$run" || true
  python3 "$SPINNERET_ROOT/tests/support/report-page.py" s/report.html
}
