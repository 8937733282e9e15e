#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# robots-check: what it once did wrong, a test each.

load helper

T=$'\t'
r1() { printf 'User-agent: *\nDisallow: /p\nCrawl-delay: 3\nContent-Usage: tdm=n\nNoindex: /q\n' >r1; }

# A server of the folder site; its port in $port. serve [TYPE]: of all files; "-": none is said.
serve() {
  command -v python3 >/dev/null || skip "no python3"
  cat >server.py <<'EOF'
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        try:
            body = open('site' + self.path, 'rb').read()
        except OSError:
            return self.send_error(404)
        self.send_response(200)
        if sys.argv[1] != '-': self.send_header('Content-Type', sys.argv[1])
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
EOF
  coproc SERVER { exec python3 server.py "${1:-text/html}"; }
  read -r -t 20 port <&"${SERVER[0]}" || skip "the server says no port"
}
teardown() { [[ -z ${SERVER_PID-} ]] || kill "$SERVER_PID"; }

@test "bug: a refused address was kept as one that allows all" {
  mkdir site
  printf 'User-agent: *\nDisallow: /p\n' >site/robots.txt
  serve text/plain
  run -2 --separate-stderr robots-check --explain --cache=c "http://127.0.0.1:$port/p"
  [[ $output == *"robots=disallow${T}robots-reason=refused-address"* && $stderr == *loopback* ]]
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
  run -0 bash -c 'printf "/p\n" | robots-check -r r1 -e | sed "s,^/p,/z," | robots-check -r r1 -e'
  [[ $output == "/z${T}robots=allow${T}robots-group=*${T}robots-reason=no rule matches${T}robots-file=r1${T}content-usage=tdm=n" ]]
  run -0 bash -c 'printf "/p\n" | robots-check -r r1 -e | sed "s,^/p,/z," | robots-check -r r1'
  [[ $output == "/z${T}robots=allow" ]]
  printf 'User-agent: *\nAllow: /\n' >r2
  run -1 bash -c 'printf "/p\n" | robots-check -r r1 -e | robots-check --diff r1 r2'
  [[ $output == "/p${T}robots=allow${T}robots-old=disallow" ]]
  robots-check -r r1 -e <<</p >once || :
  run -1 robots-check -r r1 -e once
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
  command -v python3 >/dev/null || skip "no python3"
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
    serve "$type"
    robots-check --allow-private --page --fields=page-robots "http://127.0.0.1:$port/p" >fetched || :
    fetch --allow-private <<<"http://127.0.0.1:$port/p" | robots-check --page --fields=page-robots >piped || :
    cmp fetched piped
    cat fetched >>all
    kill "$SERVER_PID"
    wait "$SERVER_PID" || :
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

@test "bug: with several agents the line was no number in JSON" {
  r1
  run -1 robots-check -r r1 -A x -A y -e --json http://h/p
  [[ $output == *'"robots-line.x":2,'*'"robots-line.y":2,'* ]]
}

@test "bug: --list=delays told no error of hours that cannot be read" {
  printf 'User-agent: *\nVisit-time: 6-8\nVisit-time: 0600-2500\nVisit-time: 0600-0845\n' >r
  run -0 robots-check --list=delays --fields=line,error r
  [[ ${lines[0]} == "2${T}is no span of hours such as 0600-0845; ignored" && ${lines[1]} == "3${T}is no"* ]]
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
