#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How fetch prints its records in other formats, what -H and --contact send, and what a terminal gets.

load helper
load servers

setup_file() {
  new_site
  echo '<html>page</html>' >site/p.html
  printf 'User-agent: *\n# \033[31m\n\tDis\x9b1m\xc2\x9b1m\xc3\x9b' >site/robots.txt
  start_nginx <<CONF
server { listen 127.0.0.1:$port; location /refused { if (\$request_method = HEAD) { return 405; } return 200 x; } }
CONF
  start_hostile
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
# sent OPTION...: writes the head of the request that fetch sends to the file `head`.
sent() {
  get --no-body "$@" "$hostile/good" >/dev/null
  get --raw "$hostile/last" | tr -d '\r' >head
}

@test "--json and --fields keep what a record holds: columns without a key, backslashes" {
  printf '%s\todd column\tmine=\\q\ttwo=1\tstatus=999\ttwo=a\\tb\t=x\n' "$base/p.html" >in
  get --json in >out
  python3 - out <<'PY'
import json, sys
record = json.loads(open(sys.argv[1]).read())
assert record["columns"] == ["odd column", "=x"], record
assert record["mine"] == "\\q" and record["two"] == ["1", "a\tb"] and record["status"] == 200, record
assert list(record)[-1] == "outcome", record
PY
  # The value is the same as from every tool, and as in the record.
  [[ $(get --fields=mine,two in) == "$(url-normalize --fields=mine,two in)" ]]
  [[ $(get --fields=mine in) == '\q' ]]
}

@test "purpose=check: HEAD, then GET where that is refused, up to the body; purpose=ids: the body of HTML alone" {
  head -c 100000 /dev/zero >"$BATS_FILE_TMPDIR/site/big.bin"
  # The URLs have a query, which tells them in the server's log from those of other tests.
  printf '%s?here\tpurpose=check\n' "$base"/{p.html,lost,refused,big.bin} >in
  printf '%s?here\tpurpose=ids\n' "$base"/{p.html,big.bin,lost} >>in
  get --fields=url,status,purpose,body,outcome --ordered --store=bodies in >out
  diff <(sed 's/?here//' out) - < <(printf "$base/%b\n" 'p.html\t200\tcheck\t\tok' 'lost\t404\tcheck\t\tnot-found' 'refused\t200\tcheck\t\tok' \
    'big.bin\t200\tcheck\t\tok' 'p.html\t200\tids\t<html>page</html>\\n\tok' 'big.bin\t200\tids\t\tok' 'lost\t404\tids\t\tnot-found')
  [[ -z $(fetch --store=bodies --list) ]]
  soon '(($(grep -c "?here " "$BATS_FILE_TMPDIR/access.log") >= 9))'
  sed -n 's/.*"\([A-Z]* [^ ]*\)?here .*/\1/p' "$BATS_FILE_TMPDIR/access.log" | sort >asked
  diff asked - < <(printf '%s\n' 'GET /big.bin' 'GET /lost' 'GET /lost' 'GET /p.html' 'GET /refused' 'HEAD /big.bin' 'HEAD /lost' 'HEAD /p.html' 'HEAD /refused')
}

@test "-H: names are tokens, and what is ours stays so, however it is spelled" {
  for line in ' Host: evil' 'Host : evil' 'Transfer-Encoding : chunked' $'Host\t: evil' 'Host: evil' 'a b: c' ': x' x; do
    run -2 --separate-stderr get -H "$line" "$base/p.html"
    [[ -z $output && $stderr == "fetch: --header "* ]]
  done
  sent -H 'X-Mine:  a: ' -H "!#\$%&'*+-.^_\`|~9: x" -H 'X-Colon: :'
  grep -qFx 'X-Mine:  a:' head
  grep -qFx "!#\$%&'*+-.^_\`|~9: x" head
  grep -qFx 'X-Colon: :' head
}

@test "-H: a field without a value is sent" {
  sent -H 'X-Empty:' -H 'X-Blank:  ' -H 'Accept:'
  grep -qx 'X-Empty: *' head
  grep -qx 'X-Blank: *' head
  (($(grep -c '^Accept:' head) == 1))
  grep -qx 'Accept: *' head
}

@test "-H: User-Agent has one place, and a line of the user's own has it" {
  sent -A robo
  (($(grep -ci '^User-Agent:' head) == 1))
  grep -q '^User-Agent: robo' head
  for line in 'User-Agent: zzz' 'user-AGENT:zzz'; do
    sent -A robo -H "$line"
    (($(grep -ci '^User-Agent:' head) == 1))
    grep -qi '^User-Agent: *zzz$' head
  done
  sent -A robo -H 'User-Agent:'
  run ! grep -i '^User-Agent:.*[a-z]$' head
}

@test "--from: a URL stands in User-Agent alone, though it holds an @" {
  sent --contact=https://social.example/@me
  grep -q '^User-Agent: .*(+https://social.example/@me)$' head
  run ! grep -qi '^From:' head
  sent --contact=me@social.example
  grep -qx 'From: me@social.example' head
}

# Runs a command with only its standard output on a terminal.
output_on_terminal() { on_terminal bash -c 'exec "$@" </dev/null 2>/dev/null' - "$@"; }

@test "a terminal gets no control byte of a body: not by --raw, not of a robots.txt" {
  output_on_terminal fetch --allow-private --raw "$base/robots.txt" | tr -d '\r' >screen
  cmp screen <(printf 'User-agent: *\n#  [31m\n\tDis 1m 1m\xc3\x9b')
  printf '%s\tpurpose=robots\n' "$base/robots.txt" >in
  output_on_terminal fetch --allow-private in >screen
  grep -q outcome=ok screen
  run ! grep -q body= screen
  # A pipe gets the bytes unchanged.
  get --raw "$base/robots.txt" | cmp - "$BATS_FILE_TMPDIR/site/robots.txt"
  get --no-body in | grep -qF 'body=User-agent'
}
