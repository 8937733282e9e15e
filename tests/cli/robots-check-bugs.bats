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

