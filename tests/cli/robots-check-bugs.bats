#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# robots-check: what it once did wrong, one test each.

load helper
load servers

T=$'\t'
r1() { printf 'User-agent: *\nDisallow: /p\nCrawl-delay: 3\nContent-Usage: tdm=n\nNoindex: /q\n' >r1; }

teardown() {
  stop_folder
  end_jobs
}

@test "bug: a refused address was kept as one that allows all" {
  mkdir site
  printf 'User-agent: *\nDisallow: /p\n' >site/robots.txt
  serve_folder text/plain
  run -3 --separate-stderr robots-check --explain --cache=c "http://127.0.0.1:$port/p"
  [[ $output == *"robots=disallow${T}robots-reason=refused-address"* && $stderr == *"/robots.txt: 127.0.0.1 is loopback, refused unless --allow-private is given" ]]
  [[ -z $(ls c 2>/dev/null) ]]
  run -1 robots-check --allow-private --cache=c "http://127.0.0.1:$port/p"
  [[ $output == *"robots=disallow" ]]
}

@test "bug: --learn kept a refused address, and took a known file's place with it" {
  local told="http://h.test/robots.txt${T}purpose=robots${T}"
  robots-check --learn --cache=c --now=1000 <<<"${told}error=127.0.0.1 is loopback${T}outcome=refused-address" >out
  run -0 robots-check --gate --cache=c -A x --now=1000 http://h.test/p
  [[ $output == *"${T}outcome=needs" ]]
  robots-check --learn --cache=c --now=1000 <<<"${told}status=200${T}body=User-agent: *\\nDisallow: /p${T}outcome=ok" >out
  robots-check --learn --cache=c --now=1000 <<<"${told}outcome=refused-address" >out
  run -1 robots-check --gate --cache=c -A x --now=1000 http://h.test/p
  [[ $output == *"robots-rule=Disallow: /p"* ]]
}

@test "bug: an apostrophe in a query escaped its rule" {
  printf "User-agent: *\nDisallow: /a?x='\n" >r
  for mode in rfc google 1994; do run -1 robots-check -r r --mode=$mode "http://h/a?x='b"; done
  run -1 robots-check -r r "http://h/a?x=%27b"
}

@test "bug: a second --explain left the words of the first beside the new verdict" {
  r1
  run -0 bash -c 'printf "/p\n" | robots-check -r r1 --explain | sed "s,^/p,/z," | robots-check -r r1 --explain'
  [[ $output == "/z${T}robots=allow${T}robots-group=*${T}robots-reason=no rule matches${T}robots-file=r1${T}content-usage=tdm=n${T}content-usage-line=4" ]]
  run -0 bash -c 'printf "/p\n" | robots-check -r r1 --explain | sed "s,^/p,/z," | robots-check -r r1'
  [[ $output == "/z${T}robots=allow" ]]
  printf 'User-agent: *\nAllow: /\n' >r2
  run -1 bash -c 'printf "/p\n" | robots-check -r r1 --explain | robots-check --diff r1 r2'
  [[ $output == "/p${T}robots=allow${T}robots-old=disallow" ]]
  robots-check -r r1 --explain <<</p >once || :
  run -1 robots-check -r r1 --explain once
  [[ $output == "$(<once)" ]]
}

@test "bug: --gate left what another gate had said" {
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=User-agent: *\\nDisallow: /p\toutcome=ok\n' |
    robots-check --learn --cache=c --now=1000 >out
  local said="robots=disallow${T}crawl-delay=3${T}robots-rule=Disallow: /q${T}robots-line=2${T}retry-after=9${T}needs=x"
  gate() { robots-check --gate --cache=c -A x --now=1000; }
  run -0 gate <<<"http://h.test/q${T}$said${T}depth=1${T}robots-reason=503"
  [[ $output == "http://h.test/q${T}depth=1${T}robots=allow" ]]
  run -0 gate <<<"http://h.test/q${T}crawl-delay=3"
  [[ $output == "http://h.test/q${T}robots=allow" ]]
  run -1 gate <<<"http://h.test/p${T}$said"
  [[ $output == "http://h.test/p${T}robots=disallow${T}robots-rule=Disallow: /p${T}robots-line=2${T}outcome=blocked-by-robots" ]]
  run -0 gate <<<"http://i.test/p${T}$said"
  [[ $output == "http://i.test/p${T}needs=http://i.test/robots.txt${T}outcome=needs" ]]
}

@test "bug: two agents had one field, and a verdict was lost" {
  printf 'User-agent: foo_bot\nDisallow: /\n' >r
  run -2 robots-check -r r -A foo_bot -A foo-bot http://h/
  [[ $output == *"--agent=foo_bot and --agent=foo-bot would have the same field, robots.foo-bot"* ]]
  run -2 robots-check -r r -A foo -A FOO http://h/
  run -1 robots-check -r r -A foo_bot -A foobot http://h/
}

@test "bug: standard input was opened anew" {
  printf 'Disalow: /\nUser-agent: *\nDisallow: /a\n' >off.txt
  run -0 bash -c '(read -r x; robots-check --lint) <off.txt'
  [[ -z $output ]]
  run -1 bash -c '(read -r x; robots-check -r - http://h/a) <off.txt'
  run -2 bash -c 'robots-check --lint <&-'
  [[ $output == *"cannot read standard input"* ]]
  run -1 python3 -c '
import socket, subprocess, sys
ours, its = socket.socketpair()
ours.sendall(open("off.txt", "rb").read()); ours.close(); its.setblocking(False)
sys.exit(subprocess.run(["robots-check", "--lint"], stdin=its).returncode)'
  [[ $output == *"[misspelt-key]"* ]]
}

@test "bug: --page judged a page by its type on one of its two ways only" {
  mkdir site
  printf '<meta name=robots content=noindex>' >site/p
  for type in text/plain text/html -; do
    serve_folder "$type"
    robots-check --allow-private --page --fields=page-robots "http://127.0.0.1:$port/p" >fetched || :
    fetch --allow-private <<<"http://127.0.0.1:$port/p" | robots-check --page --fields=page-robots >piped || :
    cmp fetched piped
    cat fetched >>all
    stop_folder
  done
  [[ $(paste -sd' ' all) == "all noindex noindex" ]]
}

@test "--allowed and --disallowed pass settled records" {
  r1
  for filter in --allowed --disallowed; do
    run -0 robots-check -r r1 $filter <<<"http://h/p${T}robots=disallow${T}outcome=blocked-by-robots"
    [[ $output == "http://h/p${T}robots=disallow${T}outcome=blocked-by-robots" ]]
  done
}

@test "bug: --allowed and --disallowed were ignored beside --policy and others, and --all-matches beside them" {
  printf 'User-agent: *\nDisallow: /b\nDisallow: /b/c\nAllow: /b/c/d\n' >r
  run -1 robots-check -r r --disallowed --all-matches /a /b
  [[ $output == "/b${T}robots=disallow${T}robots-match=2: Disallow: /b" ]]
  for option in --allowed --disallowed --all-matches; do
    for form in --policy --matrix --diff=r --lint --list=rules --page --sitemaps --summary --canonical; do
      run -2 robots-check "$form" "$option" r
      [[ $output == *" exclude each other"* ]]
    done
  done
}

@test "bug: with several agents the line was no number in JSON" {
  r1
  run -1 robots-check -r r1 -A x -A y --explain --json http://h/p
  [[ $output == *'"robots-line.x":2,'*'"robots-line.y":2,'* ]]
}

@test "bug: --list=delays told no error of hours that cannot be read" {
  printf 'User-agent: *\nVisit-time: 6-8\nVisit-time: 0600-2500\nVisit-time: 0600-0845\n' >r
  run -0 robots-check --list=delays --fields=line,error r
  [[ ${lines[0]} == "2${T}is not a span of hours such as 0600-0845; ignored" && ${lines[1]} == "3${T}is no"* ]]
  [[ ${lines[2]} == "4${T}" ]]
}

@test "bug: a time near the end of all numbers wrapped" {
  run -2 robots-check --learn --cache=c --now=9223372036854775807 </dev/null
  [[ $output == *"--now"* ]]
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=x\toutcome=ok\n' |
    robots-check --learn --cache=c --now=253402300799 >out
  grep -q '^expires: 253402387199' c/http_h.test_80
}

@test "bug: a bare path kept its dot segments" {
  printf 'User-agent: *\nDisallow: /private\n' >r
  for path in /a/../private /a/%2e%2e/private /./private '/a\..\private'; do
    run -1 robots-check -r r "http://h$path"
    run -1 robots-check -r r <<<"$path"
    [[ $output == "$path${T}robots=disallow" ]]
  done
  printf 'User-agent: *\nDisallow: /b\n' >s
  run -1 robots-check --diff r s <<<"/a/../b"
}

@test "bug: lone CRs took quadratic time" {
  # 4 MiB of lines of one byte took a minute; now they take a fraction of a second of CPU.
  python3 -c 'print("User-agent: *\rDisallow: /b\r" + "\r" * ((4 << 20) - 64), end="")' >cr.txt
  run -1 timeout 20 robots-check -r cr.txt http://h/b
  run -1 timeout 20 robots-check --lint cr.txt
  python3 -c 'print("{}\t{}\t{}\toutcome=ok".format("http://h.test/robots.txt", "purpose=robots", "status=200\tbody=" + "\\r" * (1 << 20)))' |
    timeout 20 robots-check --learn --cache=c --now=1000 >out
}

@test "bug: half a rule of a robots.txt that the network had cut opened what is closed" {
  local told="http://h.test/robots.txt${T}purpose=robots${T}status=200"
  robots-check --learn --cache=c --now=1000 >out \
    <<<"$told${T}body=User-agent: *\\nDisallow: /\\nAllow: /open/${T}truncated=true${T}outcome=ok"
  run -1 robots-check --gate --cache=c -A x --now=1000 http://h.test/open/secret
  [[ $output == *"robots-rule=Disallow: /${T}"* ]]
}

@test "bug: a robots.txt of 2 MiB had two verdicts, one by file and one by network" {
  mkdir site
  { echo 'User-agent: *'; yes '# filler filler filler filler filler filler filler filler filler' | head -c 2097152; printf '\nDisallow: /late\n'; } >site/robots.txt
  serve_folder text/plain
  run -1 robots-check -r site/robots.txt --fields=robots /late
  [[ $output == disallow ]]
  run -1 robots-check --allow-private --fields=robots "http://127.0.0.1:$port/late"
  [[ $output == disallow ]]
  echo "http://127.0.0.1:$port/robots.txt${T}purpose=robots" | fetch --allow-private | robots-check --learn --cache=c >out
  run -1 robots-check --gate --cache=c -A x --fields=robots "http://127.0.0.1:$port/late"
  [[ $output == disallow ]]
}

@test "bug: a name with its version was judged by the rules of everyone" {
  printf 'User-agent: GPTBot\nDisallow: /\n' >g
  for name in GPTBot/1.1 'GPTBot 1.1' 'Gptbot*' 'Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)'; do
    for mode in rfc google 1994; do
      run -1 --separate-stderr robots-check --mode=$mode -A "$name" -r g http://h/x
      [[ $output == *robots=disallow && $stderr == *"asking for \"G"* ]]
    done
  done
  run -1 robots-check -A GPTBot,ClaudeBot -r g http://h/x
  [[ $output == *"robots.gptbot=disallow${T}robots.claudebot=allow" ]]
  run -2 robots-check -A 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' -r g http://h/x
  [[ $output == *"takes a product token"* ]]
}

@test "bug: -A '*' was refused" {
  printf 'User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n' >r
  for mode in rfc google 1994; do
    run -1 robots-check --mode=$mode -A '*' -r r --fields=robots /a /b
    [[ $output == $'allow\ndisallow' ]]
  done
}

@test "bug: --diff without URLs printed the control bytes of patterns" {
  printf 'User-agent: *\nDisallow: /a\001\033[31m\342\200\256b\tc\n' >r
  : >none
  run -1 robots-check --fields=url --diff none r </dev/null
  [[ $output == "/a%01%1B[31m%E2%80%AEb%09c" ]]
}

@test "bug: --strict-token asked for a name that no line can have" {
  printf 'User-agent: mj12bot\nDisallow: /\n' >m
  run -1 --separate-stderr robots-check --strict-token -A mj12bot -r m http://h/x
  [[ $output == *robots=disallow && $stderr == *'asking for "mj"'* ]]
}

@test "bug: --mode=google read a cut byte order mark as part of a key" {
  for mark in '\xef' '\xef\xbb' '\xef\xbb\xbf'; do
    printf "${mark}User-agent: foobot\nDisallow: /\n" >b
    run -1 robots-check --mode=google -A foobot -r b http://h/x
  done
}

@test "bug: a path was taken for a file that cannot be opened" {
  printf 'User-agent: *\nDisallow: /private\n' >r
  run -1 robots-check -r r /private/x /
  [[ $output == "/private/x${T}robots=disallow"$'\n'"/${T}robots=allow" ]]
  echo /private/y >list
  run -1 robots-check -r r "$PWD/list" /z
  [[ $output == "/private/y${T}robots=disallow"$'\n'"/z${T}robots=allow" ]]
}

@test "bug: --list of a home page listed nothing, and said nothing" {
  mkdir site
  printf 'Sitemap: http://h/s.xml\n' >site/robots.txt
  printf '<!doctype html><p>hello' >site/p
  serve_folder text/plain
  for home in "http://127.0.0.1:$port" "http://127.0.0.1:$port/"; do
    run -0 robots-check --allow-private --list=sitemaps "$home"
    [[ $output == "http://h/s.xml${T}line=1" ]]
  done
  run -0 robots-check --allow-private --list=sitemaps "http://127.0.0.1:$port/p"
  [[ $output == *"is HTML or XML, and no robots.txt"* ]]
}

@test "bug: a robots.txt asked for by hand came without a contact" {
  start_python witness-server port log .
  SPINNERET_CONTACT=ops@example.org robots-check --allow-private -A examplebot "http://127.0.0.1:$(<port)/"
  grep -qP '\tUser-Agent: examplebot/[^\t]* \(\+ops@example.org\)\t' log
  grep -q $'\tFrom: ops@example.org' log
  : >log
  robots-check --allow-private --contact=https://example.org/bot -A examplebot "http://127.0.0.1:$(<port)/"
  grep -qP '\tUser-Agent: examplebot/[^\t]* \(\+https://example.org/bot\)\t' log
  run ! grep -q $'\tFrom: ' log
}

@test "bug: records ahead of the first User-agent were in no listing" {
  printf 'Content-Signal: ai-train=no\nCrawl-delay: 5\nDisallow: /early\nLLM-Policy: /llm.txt\nUser-agent: *\nAllow: /\n' >r
  run -0 robots-check --list=extensions r
  [[ ${lines[0]} == "ai-train=no${T}line=1${T}key=Content-Signal${T}group=none" ]]
  run -0 robots-check --list=delays r
  [[ $output == "5${T}line=2${T}key=Crawl-delay${T}crawl-delay=5${T}group=none" ]]
  run -0 robots-check --list=rules r
  [[ ${lines[0]} == "/early${T}line=3${T}key=Disallow${T}group=none" ]]
  run -0 robots-check --explain -r r /x
  [[ $output == *"content-signal=ai-train=no${T}content-signal-line=1" ]]
  run -0 robots-check --canonical r
  [[ $output == $'Content-Signal: ai-train=no\nCrawl-delay: 5\nLLM-Policy: /llm.txt\n\nUser-agent: *\nAllow: /' ]]
}

@test "bug: --canonical dropped a licence" {
  printf 'License: https://h.test/license.xml\nUser-agent: *\nDisallow: /a\nDisAllowAITraining: /\nDisalow: /b\n' >r
  run -0 robots-check --canonical r
  [[ $output == $'User-agent: *\nDisallow: /a\nDisallowAITraining: /\n\nLicense: https://h.test/license.xml' ]]
  run -1 robots-check --lint r
  [[ $output != *"r:1:"* && $output != *unknown-key* ]]
}

@test "bug: of preferences of one path only the first line counted" {
  printf 'User-agent: *\nContent-Usage: / search=y\nContent-Usage: / train-ai=y\nContent-Usage: /a train-ai=n\nContent-Usage: /a train-ai=y, search=n\nDisallow: /b\n' >r
  run -1 robots-check --explain -r r /x /a /b --fields=url,content-usage
  [[ $output == "/x${T}search=y, train-ai=y"$'\n'"/a${T}train-ai=n, search=n"$'\n'"/b${T}" ]]
  printf 'User-agent: *\nContent-Usage: garbage==;\nContent-Signal: search\nContent-Usage: train-ai=no\n' >g
  run -1 robots-check --lint g
  [[ $output == *'g:2: error: '*bad-preference*'g:3: error: '*bad-preference*'g:4: warning: '*preference-form* ]]
}

@test "bug: --list=rules printed every agent on every rule" {
  { for i in {1..300}; do echo "User-agent: bot$i"; done; for i in {1..300}; do echo "Disallow: /$i"; done; } >r
  run -0 robots-check --list=rules r
  [[ ${#output} -lt 20000 && ${lines[0]} == "/1${T}line=301${T}key=Disallow${T}group=1${T}agents=300" ]]
  run -0 robots-check --list=agents r
  [[ ${lines[299]} == "bot300${T}line=300${T}group=1" ]]
}

@test "bug: --gate and --diff took --explain and ignored it" {
  printf 'User-agent: *\nDisallow: /a\n' >old
  printf 'User-agent: *\n\nAllow: /a\n' >new
  run -1 robots-check --explain --diff old new <<</a
  [[ $output == "/a${T}robots=allow${T}robots-old=disallow${T}robots-rule=Allow: /a${T}robots-line=3${T}robots-old-rule=Disallow: /a${T}robots-old-line=2" ]]
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=User-agent: *\\nAllow: /p\toutcome=ok\n' |
    robots-check --learn --cache=c --now=1000 >out
  run -0 robots-check --gate --explain --cache=c -A x --now=1000 http://h.test/p
  [[ $output == *"robots=allow${T}robots-rule=Allow: /p${T}robots-line=2${T}robots-reason=longest match" ]]
}

@test "bug: 200 agents cost 200 times the memory of one" {
  { for i in {1..20000}; do echo "Disallow: /some/long/path/$i"; done; } | sed '1i User-agent: *' >r
  local agents=()
  for i in {1..200}; do agents+=(-A "bot$i"); done
  # The limit is 64 MiB of address space beyond what the program itself needs; it used to take 180
  # MB.
  run -0 bash -c 'ulimit -v 262144; robots-check -r r "$@" /x' - "${agents[@]}"
}

@test "bug: robots.txt of many hosts were fetched one after another" {
  # Each server answers once all five have been asked.
  cat >slow.py <<'EOP'
import threading
from serving import Handler, Server
together = threading.Barrier(5)
class Late(Handler):
    def do_GET(self):
        try:
            together.wait(60)
            self.answer(200, 'User-agent: *\nDisallow: /p\n')
        except threading.BrokenBarrierError:
            self.answer(503)
servers = [Server(Late) for _ in range(5)]
for server in servers: threading.Thread(target=server.serve_forever).start()
print(*(server.port for server in servers), flush=True)
EOP
  coproc SERVER { PYTHONPATH=$SPINNERET_ROOT/tests/support exec python3 slow.py; }
  read -r -t 100 -a ports <&"${SERVER[0]}"
  printf 'http://127.0.0.1:%s/x\nnot a url\n' "${ports[@]}" >urls
  run -1 --separate-stderr robots-check --allow-private --cache=c --fields=robots urls
  [[ $output == $'allow\nallow\nallow\nallow\nallow' && $stderr == *"urls:2: "* && $stderr == *"urls:10: "* ]]
  [[ $(ls c | wc -l) == 5 ]]
}

@test "bug: a robots.txt that is served as the gzip file that it is kept in forbade nothing" {
  python3 - >record <<'PY'
import gzip, sys
body = gzip.compress(b"User-agent: *\nDisallow: /secret\n", mtime=0)
for raw, escaped in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\0", b"\\0")):
    body = body.replace(raw, escaped)
sys.stdout.buffer.write(b"http://h/robots.txt\tpurpose=robots\tstatus=200\ttype=application/gzip\tbody=" + body + b"\toutcome=ok\n")
PY
  robots-check --learn --cache=cache --agent=bot record >learned
  run -1 robots-check --gate --cache=cache --agent=bot --fields=url,outcome http://h/secret http://h/open
  [[ $output == $'http://h/secret\tblocked-by-robots\nhttp://h/open'* ]]
}

@test "bug: a Sitemap line without a value was listed, and fetched, as a sitemap without a URL" {
  printf 'Sitemap:\nSitemap: # none\nSitemap: http://h/s.xml\n' >robots.txt
  run -0 robots-check --list=sitemaps robots.txt
  [[ $output == $'http://h/s.xml\tline=3' ]]
  printf 'Sitemap:\n' >robots.txt
  run -0 --separate-stderr robots-check --sitemaps robots.txt
  [[ -z $output && $stderr == *"names no sitemap"* ]]
}

@test "bug: a packed robots.txt had rules for URLs, and for --diff, but no sitemap, no list and no summary" {
  printf 'User-agent: *\nDisallow: /secret\nSitemap: http://h/s.xml\n' >robots.txt
  gzip -kn robots.txt
  local mode
  for mode in --list={sitemaps,agents,rules} --canonical; do
    run -0 robots-check "$mode" robots.txt
    [[ -n $output ]]
    diff <(robots-check "$mode" robots.txt.gz) - <<<"$output"
  done
  run -0 robots-check --list=sitemaps - <robots.txt.gz
  [[ $output == $'http://h/s.xml\tline=3' ]]
}

@test "bug: --explain was taken and did nothing where no verdict is printed" {
  : >r
  local form
  for form in --lint --list --canonical --summary --sitemaps --policy --matrix --learn; do
    run -2 robots-check --explain -A x -A y --cache=c "$form" r
    [[ $output == "robots-check: ${form} and --explain exclude each other"* ]]
  done
}

@test "bug: --explain and --csv were taken and did nothing for a host, or a file that was not there" {
  local option
  for option in --explain --all-matches --csv --field=2; do
    run -2 robots-check -A x "$option" urls.csv
    [[ $output == "robots-check: ${option%=*} is for URLs: there is no file \"urls.csv\", and a host alone has a summary"* ]]
  done
  echo http://h/ >urls.csv
  : >r
  run -0 robots-check -A x -r r --csv urls.csv
}
