#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# robots-check: verdicts, explanations, filters, the loop's cache.

load helper
load servers

T=$'\t'
rules() { printf 'User-agent: *\nDisallow: /private/\nCrawl-delay: 2.5\n\nUser-agent: nicebot\nDisallow:\n' >robots.txt; }
check() { robots-check --robots robots.txt "$@"; }

# robots_record STATUS OUTCOME [BODY] [FIELD]...: prints fetch's record of a robots.txt.
robots_record() {
  local status=$1 outcome=$2 body=${3-}
  shift 2 && shift || :
  printf 'http://h.test/robots.txt\tpurpose=robots'
  ((status == 0)) || printf '\tstatus=%s' "$status"
  (($# == 0)) || printf '\t%s' "$@"
  ((status == 0)) || printf '\tbody=%s' "$body"
  printf '\toutcome=%s\n' "$outcome"
}
learn() { robots-check --learn --cache=c --now="${NOW:-1000000}" "$@"; }
gate() { robots-check --gate --cache=c -A examplebot --now="${NOW:-1000000}" "$@"; }

@test "verdicts, and their exit status" {
  rules
  run -1 check -A examplebot http://h.test/private/x http://h.test/
  [[ $output == "http://h.test/private/x${T}robots=disallow"$'\n'"http://h.test/${T}robots=allow" ]]
  run -0 check -A examplebot http://h.test/
  run -0 check -A NiceBot http://h.test/private/
  run -1 check http://h.test/private/
}

@test "lines may be paths where --robots names the file" {
  rules
  run -1 check <<<"/private/x"
  [[ $output == "/private/x${T}robots=disallow" ]]
  run -1 robots-check <<<"/private/x"
  [[ $output == *"robots-check: -:1: "* ]]
}

@test "--explain says rule, line, group, reason and file" {
  rules
  run -1 check -A examplebot --explain http://h.test/private/x
  [[ $output == *"robots=disallow${T}robots-rule=Disallow: /private/${T}robots-line=2${T}robots-group=*${T}robots-reason=longest match${T}robots-file=robots.txt" ]]
  run -0 check -A nicebot --explain http://h.test/private/x
  [[ $output == *"robots=allow${T}robots-rule=Disallow: ${T}robots-line=6${T}robots-group=nicebot"* ]]
  run -0 check -A x --explain http://h.test/robots.txt
  [[ $output == *"robots-reason=robots.txt itself"* ]]
}

@test "several agents get a column each" {
  rules
  run -1 check -A Example_Bot -A nicebot http://h.test/private/x
  [[ $output == "http://h.test/private/x${T}robots.example-bot=disallow${T}robots.nicebot=allow" ]]
  run -1 check -A a -A nicebot --fields=robots.a,robots.nicebot http://h.test/private/x
  [[ $output == "disallow${T}allow" ]]
}

@test "--allowed and --disallowed filter lines and leave them as they are" {
  rules
  printf 'http://h.test/a\tx=1\nhttp://h.test/private/b\ty=\\n2\n' >urls
  run -1 check --allowed urls
  [[ $output == "http://h.test/a${T}x=1" ]]
  run -1 check --disallowed urls
  [[ $output == "http://h.test/private/b${T}y=\\n2" ]]
  run -2 check --allowed --disallowed urls
}

@test "a robots.txt that cannot be read is trouble" {
  run -2 robots-check --robots nowhere.txt http://h.test/
  [[ $output == "robots-check: cannot open nowhere.txt: "* ]]
}

@test "a bad URL is refused and the stream goes on" {
  rules
  run -1 --separate-stderr check <<<$'http://[\nhttp://h.test/'
  [[ $output == "http://h.test/${T}robots=allow" ]]
  [[ $stderr == "robots-check: -:1: "* ]]
}

@test "settled records pass untouched" {
  rules
  run -0 check <<<"http://h.test/private/${T}x${T}outcome=ok"
  [[ $output == "http://h.test/private/${T}x${T}outcome=ok" ]]
}

@test "an unreachable server forbids all, and is trouble" {
  run -3 --separate-stderr robots-check --explain --allow-private http://127.0.0.1:1/
  [[ $output == *"robots=disallow${T}robots-reason=connect-failed${T}robots-file=http://127.0.0.1:1/robots.txt" ]]
  [[ $stderr == *"http://127.0.0.1:1/robots.txt: "* ]]
}

@test "wrong usage says what to do" {
  run -2 robots-check --gate -A x
  [[ $output == *"--gate needs --cache=DIR"* ]]
  run -2 robots-check --gate --cache=c
  [[ $output == *"--gate needs one --agent=NAME"* ]]
  run -2 robots-check --mode=bogus
  run -2 robots-check --deny-status=200
}

@test "gate: rules that are missing are needed" {
  run -0 gate <<<"http://h.test/a?b${T}depth=1"
  [[ $output == "http://h.test/a?b${T}depth=1${T}needs=http://h.test/robots.txt${T}outcome=needs" ]]
  run -0 gate <<<"https://h.test:8443/a"
  [[ $output == *"needs=https://h.test:8443/robots.txt${T}outcome=needs" ]]
}

@test "gate: requests for robots.txt and settled records pass unasked" {
  run -0 gate <<<"http://h.test/robots.txt${T}purpose=robots"
  [[ $output == "http://h.test/robots.txt${T}purpose=robots" ]]
  run -0 gate <<<"http://h.test/${T}outcome=ok"
  [[ $output == "http://h.test/${T}outcome=ok" ]]
}

@test "learn stores, gate decides" {
  run -0 learn < <(robots_record 200 ok 'User-agent: *\nDisallow: /p\nCrawl-delay: 2\n')
  [[ $output == "http://h.test/robots.txt${T}purpose=robots${T}status=200${T}crawl-delay=2${T}outcome=ok" ]]
  run -1 gate <<<$'http://h.test/p\nhttp://h.test/q\nhttp://other.test/'
  [[ ${lines[0]} == "http://h.test/p${T}robots=disallow${T}robots-rule=Disallow: /p${T}robots-line=2${T}outcome=blocked-by-robots" ]]
  [[ ${lines[1]} == "http://h.test/q${T}crawl-delay=2${T}robots=allow" ]]
  [[ ${lines[2]} == *"outcome=needs" ]]
}

@test "gate: outside a Visit-time what is allowed comes later; a Request-rate holds at its hours" {
  # The clock is at 13:46:40.
  learn < <(robots_record 200 ok 'User-agent: *\nDisallow: /p\nVisit-time: 1400-1500\nRequest-rate: 1/20 1430-1500\n') >learned
  run -1 grep crawl-delay learned
  run -1 gate <<<$'http://h.test/p\nhttp://h.test/q'
  [[ ${lines[0]} == *"${T}robots-rule=Disallow: /p${T}robots-line=2${T}outcome=blocked-by-robots" ]]
  [[ ${lines[1]} == "http://h.test/q${T}robots=disallow${T}robots-reason=visit-time${T}retry-after=800${T}outcome=blocked-by-robots" ]]
  NOW=1000800 run -0 gate <<<"http://h.test/q"
  [[ $output == "http://h.test/q${T}robots=allow" ]]
  NOW=1002600 run -0 gate <<<"http://h.test/q"
  [[ $output == "http://h.test/q${T}crawl-delay=20${T}robots=allow" ]]
}

@test "learn passes what is no robots.txt, byte for byte" {
  printf 'http://h.test/\tx\tbody=\\0\toutcome=ok\nhttp://h.test/l\tvia=http://h.test/\n' >in
  learn <in >out
  cmp in out
}

@test "4xx allows all; --deny-status forbids" {
  learn < <(robots_record 404 not-found 'User-agent: *\nDisallow: /\n') >/dev/null
  run -0 gate <<<"http://h.test/p"
  [[ $output == "http://h.test/p${T}robots=allow" ]]
  learn --deny-status=401,403 < <(robots_record 403 forbidden) >/dev/null
  run -1 gate <<<"http://h.test/p"
  [[ $output == *"robots=disallow${T}robots-reason=403${T}outcome=blocked-by-robots" ]]
}

@test "429 says nothing of the rules: they hold on, or all is forbidden for as long as it asks" {
  learn < <(robots_record 429 rate-limited | sed "s/\toutcome/\tretry-after=900&/") >/dev/null
  run -1 gate <<<"http://h.test/q"
  [[ $output == *"robots-reason=429${T}retry-after=900${T}outcome=blocked-by-robots" ]]
  learn < <(robots_record 200 ok 'User-agent: *\nDisallow: /p\n') >/dev/null
  learn < <(robots_record 429 rate-limited) >/dev/null
  run -1 gate --stale=1d <<<$'http://h.test/q\nhttp://h.test/p'
  [[ ${lines[0]} == "http://h.test/q${T}robots=allow" && ${lines[1]} == *robots=disallow* ]]
}

# Pages of dead domains used to be blocked-by-robots, and were missing in lists of dead links.
@test "a page of a host that cannot be reached is settled by what has happened to its robots.txt" {
  for outcome in dns-failed connect-failed tls-failed timeout; do
    learn < <(robots_record 0 "$outcome") >/dev/null
    run -1 gate <<<"http://h.test/q"
    [[ $output == "http://h.test/q${T}robots=disallow${T}robots-reason=$outcome${T}retry-after=300${T}outcome=$outcome" ]]
  done
}

@test "5xx and network failures forbid all for a short time and keep the last good copy" {
  learn < <(robots_record 200 ok 'User-agent: *\nDisallow: /p\n') >/dev/null
  learn < <(robots_record 503 server-error) >/dev/null
  run -1 gate <<<"http://h.test/q"
  [[ $output == *"robots-reason=503${T}retry-after=300${T}outcome=blocked-by-robots" ]]
  grep -q '^Disallow: /p' c/http_h.test_80
  run -1 gate --stale=1d <<<$'http://h.test/q\nhttp://h.test/p'
  [[ ${lines[0]} == "http://h.test/q${T}robots=allow" ]]
  NOW=1000300 run -0 gate <<<"http://h.test/q"
  [[ $output == *"outcome=needs" ]]
  learn < <(robots_record 0 dns-failed) >/dev/null
  run -1 gate <<<"http://h.test/q"
  [[ $output == *"robots-reason=dns-failed"* ]]
}

@test "expiry: what the server says, between a floor and --ttl" {
  learn < <(robots_record 200 ok '' expires=1003600) >/dev/null
  NOW=1003599 run -0 gate <<<"http://h.test/"
  [[ $output == *"robots=allow" ]]
  NOW=1003600 run -0 gate <<<"http://h.test/"
  [[ $output == *"outcome=needs" ]]
  learn < <(robots_record 200 ok '' expires=1) >/dev/null
  NOW=1000599 run -0 gate <<<"http://h.test/"
  [[ $output == *"robots=allow" ]]
  learn --ttl=1h < <(robots_record 200 ok '' expires=9999999) >/dev/null
  NOW=1003600 run -0 gate <<<"http://h.test/"
  [[ $output == *"outcome=needs" ]]
}

@test "bug: a --ttl shorter than that of the run which stored a robots.txt did not hold for it" {
  learn < <(robots_record 200 ok '') >/dev/null
  NOW=1003600 run -0 gate <<<"http://h.test/"
  [[ $output == *"robots=allow" ]]
  NOW=1003599 run -0 gate --ttl=1h <<<"http://h.test/"
  [[ $output == *"robots=allow" ]]
  NOW=1003600 run -0 gate --ttl=1h <<<"http://h.test/"
  [[ $output == *"outcome=needs" ]]
}

@test "a damaged cache file means needs, never a guess" {
  learn < <(robots_record 200 ok 'User-agent: *\nAllow: /\n') >/dev/null
  local file=c/http_h.test_80
  cp "$file" good
  for damage in 's/Allow/Axlow/' 's/^state: rules/state: allow-all/' 's/^for: .*/for: http:\/\/x:80/' '1d' 's/^expires: 1/expires: 9/'; do
    sed "$damage" good >"$file"
    run -0 gate <<<"http://h.test/"
    [[ $output == *"outcome=needs" ]] || { echo "$damage"; false; }
  done
  head -c 100 good >"$file"
  run -0 gate <<<"http://h.test/"
  [[ $output == *"outcome=needs" ]]
  : >"$file"
  run -0 gate <<<"http://h.test/"
  [[ $output == *"outcome=needs" ]]
  cp good "$file"
  run -0 gate <<<"http://h.test/"
  [[ $output == *"robots=allow" ]]
}

@test "a running gate sees what learn stores meanwhile, and answers line by line" {
  mkfifo in out
  gate <in >out &
  exec 7>in 8<out
  echo "http://h.test/p" >&7
  read -r -t 60 line <&8
  [[ $line == *"outcome=needs" ]]
  learn < <(robots_record 200 ok 'User-agent: *\nDisallow: /p\n') >/dev/null
  echo "http://h.test/p" >&7
  read -r -t 60 line <&8
  [[ $line == *"outcome=blocked-by-robots" ]]
  exec 7>&- 8<&-
  wait $! || [[ $? == 1 ]]
}

@test "learn drops a torn record and keeps the cache as it was" {
  run -1 --separate-stderr learn < <(robots_record 200 ok 'User-agent' size=99)
  [[ -z $output && $stderr == *": torn"* ]]
  [[ ! -e c/http_h.test_80 ]]
}

@test "learn reads bodies from files" {
  printf 'User-agent: *\nDisallow: /\n' >stored
  printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody-file=stored\toutcome=ok\n' | learn >/dev/null
  run -1 gate <<<"http://h.test/"
}

# --- files themselves ---------------------------------------------------------------------------------

@test "modes: google takes typos, 1994 takes the first match" {
  printf 'User-agent: *\nDisalow: /a\nDisallow: /b\nAllow: /b/c\n' >robots.txt
  run -0 check --fields=robots <<<$'/a\n/b/c'
  [[ $output == $'allow\nallow' ]]
  run -1 check --mode=google --fields=robots <<<$'/a\n/b/c'
  [[ $output == $'disallow\nallow' ]]
  run -1 check --mode=1994 --fields=robots <<<$'/a\n/b/c'
  [[ $output == $'allow\ndisallow' ]]
}

@test "--strict-token knows no digits" {
  printf 'User-agent: bot9\nDisallow: /\n' >robots.txt
  run -1 check -A bot9 http://h.test/
  run -1 --separate-stderr check -A bot9 --strict-token http://h.test/
  [[ $stderr == *'asking for "bot"'* ]]
  run -1 check -A bot --strict-token http://h.test/
}

@test "--list" {
  printf 'User-agent: A\nUser-agent: b\nDisallow: /x\nCrawl-delay: 1.5\nSitemap: https://h/s.xml\nContent-Usage: /p train-ai=n\nFoo: bar\n' >robots.txt
  run -0 robots-check --list sitemaps robots.txt
  [[ $output == "https://h/s.xml${T}line=5" ]]
  run -0 robots-check --list agents robots.txt
  [[ $output == "A${T}line=1${T}group=1"$'\n'"b${T}line=2${T}group=1" ]]
  run -0 robots-check --list rules robots.txt
  [[ $output == "/x${T}line=3${T}key=Disallow${T}group=1${T}agent=A${T}agent=b" ]]
  run -0 robots-check --list delays --fields=url,crawl-delay robots.txt
  [[ $output == "1.5${T}1.5" ]]
  run -0 robots-check --list extensions - <robots.txt
  [[ ${lines[0]} == "/p train-ai=n${T}line=6${T}key=Content-Usage${T}group=1${T}agent=A${T}agent=b" ]]
  [[ ${lines[1]} == "bar${T}line=7${T}key=Foo" ]]
  run -2 robots-check --list bogus robots.txt
}

@test "--lint: findings, their form and the exit status" {
  printf 'User-agent: *\nDisallow: \e[31ma\nDisallow: /b*\n' >bad.txt
  run -1 robots-check --lint bad.txt
  [[ ${lines[0]} == 'bad.txt:2: warning: holds a control byte: "Disallow: \x1B[31ma" [control]' ]]
  [[ ${lines[1]} == *"begins with no slash"*"[no-slash]" ]]
  run ! grep -q $'\e' <<<"$output"
  printf 'User-agent: *\nDisallow: /b*\n' >note.txt
  run -0 robots-check --lint note.txt
  [[ $output == *"note"* ]]
  run -0 robots-check --lint </dev/null
  [[ -z $output ]]
  run -2 robots-check --lint nowhere.txt note.txt
  [[ $output == *"note.txt:2"* ]]
  run -1 robots-check --lint --fields=url,line,code bad.txt
  [[ ${lines[1]} == "bad.txt${T}2${T}no-slash" ]]
}

@test "--canonical is a fixed point" {
  printf '\xef\xbb\xbfUSER-AGENT:Foo\r\ndisallow:/%%7eb # x\r\nUser-agent: *\rDisallow: /\n' >r.txt
  run -0 robots-check --canonical r.txt
  [[ $output == $'User-agent: foo\nDisallow: /~b\n\nUser-agent: *\nDisallow: /' ]]
  robots-check --canonical r.txt >c.txt
  robots-check --canonical c.txt | cmp - c.txt
}

@test "--diff prints what changes" {
  printf 'User-agent: *\nDisallow: /a\n' >old.txt
  printf 'User-agent: *\nDisallow: /b\n' >new.txt
  run -1 robots-check --diff old.txt new.txt <<<$'/a\n/b\n/c'
  [[ $output == "/a${T}robots=allow${T}robots-old=disallow"$'\n'"/b${T}robots=disallow${T}robots-old=allow" ]]
  run -0 robots-check --diff old.txt old.txt <<<"/a"
  run -2 robots-check --diff old.txt
  [[ $output == *"OLD and NEW"* ]]
}

@test "--page judges records by their header and body" {
  printf 'http://h/\tx-robots-tag=otherbot: none\tx-robots-tag=noarchive\tbody=<meta name=ROBOTS content=nofollow>\toutcome=ok\n' >in
  run -1 robots-check --page -A examplebot in
  [[ $output == "http://h/${T}x-robots-tag=otherbot: none${T}x-robots-tag=noarchive${T}page-robots=nofollow,noarchive${T}outcome=ok" ]]
  run -1 robots-check --page -A otherbot -A x --fields=page-robots.otherbot,page-robots.x in
  [[ $output == "noindex,nofollow,noarchive${T}nofollow,noarchive" ]]
  run -0 robots-check --page <<<"http://h/${T}outcome=ok"
  [[ $output == *"page-robots=all"* ]]
}

@test "--page judges a body that is kept in a file, and tells one that is gone" {
  printf '<meta name=robots content=noindex>' >kept
  printf 'http://h/\tbody-file=kept\toutcome=ok\nhttp://h/2\tbody-file=gone\toutcome=ok\n' >in
  run -1 --separate-stderr robots-check --page --fields=url,page-robots in
  [[ $output == "http://h/${T}noindex"$'\n'"http://h/2$T" && $stderr == *"gone"* ]]
}

@test "bug: --page had no record of a page that could not be read, or not be had" {
  printf 'http://h/\tbody-file=gone\tpage-robots=noindex\toutcome=ok\nhttp://[/\n' >in
  run -1 --separate-stderr robots-check --page in
  [[ $output == "http://h/${T}body-file=gone${T}outcome=ok" && $stderr == *"in:2: "* ]]
  run -2 --separate-stderr robots-check --page --allow-private "http://127.0.0.1:1/${T}depth=2"
  [[ $output == "http://127.0.0.1:1/${T}depth=2" && $stderr == *"127.0.0.1"* ]]
}

@test "bug: --page said of a page that nobody had seen that it asks for nothing" {
  printf 'http://h/%s\tpage-robots=all\toutcome=%s\n' 1 timeout 2 blocked-by-robots 3 needs >in
  run -0 robots-check --page in
  [[ $output == "http://h/1${T}outcome=timeout"$'\n'"http://h/2${T}outcome=blocked-by-robots"$'\n'"http://h/3${T}outcome=needs" ]]
  # A server that answers with trouble says what it says.
  run -1 robots-check --page <<<"http://h/${T}status=500${T}x-robots-tag=none${T}outcome=server-error"
  [[ $output == *"page-robots=noindex,nofollow"* ]]
}

@test "--page and --robots=URL fetch" {
  mkdir site
  printf 'User-agent: *\nDisallow: /p\n' >site/robots.txt
  printf '<meta name=robots content="noindex, max-snippet:5">' >site/p.html
  serve_folder
  run -1 robots-check --page --allow-private "http://127.0.0.1:$port/p.html"
  local page=$output
  run -1 robots-check --allow-private -r "http://127.0.0.1:$port/robots.txt" http://other.test/p
  local verdict=$output
  run -1 robots-check --allow-private --cache=c "http://127.0.0.1:$port/p" "http://127.0.0.1:$port/q"
  stop_folder
  [[ $page == *"page-robots=noindex,max-snippet:5" ]]
  [[ $verdict == *"robots=disallow" ]]
  [[ ${lines[0]} == *"robots=disallow" && ${lines[1]} == *"robots=allow" ]]
  grep -q '^state: rules$' c/*
}

@test "several tokens as one crawler" {
  printf 'User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n' >robots.txt
  run -1 robots-check -r robots.txt -A a+b --fields=url,robots,robots-group --explain /a /b /c
  [[ $output == $'/a\tdisallow\ta+b\n/b\tdisallow\ta+b\n/c\tallow\ta+b' ]]
  run -1 robots-check -r robots.txt -A a-image:a --fields=robots /a /b
  [[ $output == $'disallow\nallow' ]]
  run -1 robots-check -r robots.txt -A b:a --fields=robots /a /b
  [[ $output == $'allow\ndisallow' ]]
  run -1 robots-check -r robots.txt -A x+y:z --fields=robots,robots-group --explain /c
  [[ $output == $'disallow\t*' ]]
}

@test "--many: pairs of a file and a URL" {
  printf 'User-agent: *\nDisallow: /a\n' >one
  printf 'User-agent: *\nDisallow: /b\n' >two
  run -1 robots-check --many <<<$'one\thttp://h/a\ntwo\thttp://h/a\tdepth=1\none\t/b\ntwo\t/b'
  [[ $output == $'http://h/a\trobots=disallow\nhttp://h/a\tdepth=1\trobots=allow\n/b\trobots=allow\n/b\trobots=disallow' ]]
  run -2 --separate-stderr robots-check --many <<<$'gone\thttp://h/a\nhttp://h/a\none\thttp://h/c'
  [[ $output == $'http://h/c\trobots=allow' ]]
  [[ $stderr == *"cannot open gone"* && $stderr == *"-:1: its robots.txt cannot be read"* && $stderr == *"-:2: no tab"* ]]
}

@test "--robots: a folder of files by host" {
  mkdir -p hosts/c.test
  printf 'User-agent: *\nDisallow: /\n' | tee hosts/a.test hosts/b.test.txt >hosts/c.test/robots.txt
  printf 'User-agent: *\nDisallow: /z\n' >hosts/d.test
  run -1 robots-check -r hosts --fields=robots http://a.test/x http://b.test/x http://c.test:8080/x https://d.test/x
  [[ $output == $'disallow\ndisallow\ndisallow\nallow' ]]
  run -2 --separate-stderr robots-check -r hosts http://nowhere.test/x
  [[ -z $output && $stderr == *"no robots.txt of its host"* ]]
}

@test "bug: a host named .. was judged by the robots.txt beside the folder of --robots" {
  mkdir hosts
  printf 'User-agent: *\nDisallow: /\n' | tee robots.txt >hosts/robots.txt
  for url in http://../x http://%2E%2e/x http://./x; do
    run -2 --separate-stderr robots-check -r hosts "$url"
    [[ -z $output && $stderr == *"no robots.txt of its host"* ]]
  done
}

@test "--agents: a record for each known crawler" {
  printf 'User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /\n\nUser-agent: *\nDisallow: /private\n' >robots.txt
  run -1 robots-check -r robots.txt --agents=ai --fields=url,agent,robots,robots-line /
  ((${#lines[@]} > 60))
  [[ $output == *$'/\tGPTBot\tdisallow\t3\n'* && $output == *$'/\tClaudeBot\tallow\t6\n'* && $output == *$'/\tPerplexityBot\tunspecified\t\n'* ]]
  run -1 robots-check -r robots.txt --agents=all --disallowed --fields=agent /
  [[ $output == $'GPTBot\nCCBot' ]]
  printf '# mine\nalpha\tsome owner\nccbot # again\n' >mine
  run -1 robots-check -r robots.txt --agents=mine --fields=url,agent,robots,robots-group --explain / /private
  [[ $output == $'/\talpha\tunspecified\t*\n/\tccbot\tdisallow\tccbot\n/private\talpha\tdisallow\t*\n/private\tccbot\tdisallow\tccbot' ]]
  run -2 robots-check -r robots.txt --agents=nosuch /
  [[ $output == *"cannot open nosuch"* ]]
}

@test "--gate passes preferences on, and --refuse honours them" {
  learn() { printf 'http://h.test/robots.txt\tpurpose=robots\tstatus=200\tbody=%s\toutcome=ok\n' "$1" | robots-check --learn --cache=c --now=1000 >out; }
  gate() { robots-check --gate --cache=c -A x --now=1000 "$@"; }
  learn 'Content-Signal: search=yes, ai-train=no\nUser-agent: *\nContent-Usage: /a train-ai=n\nDisallowAITraining: /d\nAllowAITraining: /d/ok'
  run -0 gate http://h.test/a http://h.test/b
  [[ $output == $'http://h.test/a\tcontent-usage=train-ai=n\tcontent-signal=search=yes, ai-train=no\trobots=allow\nhttp://h.test/b\tcontent-signal=search=yes, ai-train=no\trobots=allow' ]]
  run -1 gate --refuse=search,train-ai http://h.test/a http://h.test/b
  [[ ${lines[0]} == $'http://h.test/a\trobots=allow\trobots-rule=Content-Usage: train-ai=n\trobots-line=3\toutcome=blocked-by-robots' ]]
  [[ ${lines[1]} == $'http://h.test/b\trobots=allow\trobots-rule=Content-Signal: ai-train=no\trobots-line=1\toutcome=blocked-by-robots' ]]
  run -0 gate --refuse=search http://h.test/a
  learn 'User-agent: *\nDisallowAITraining: /d\nAllowAITraining: /d/ok'
  run -1 gate --refuse=train-ai --fields=url,robots-line http://h.test/d/x http://h.test/d/ok http://h.test/e
  [[ $output == $'http://h.test/d/x\t2\nhttp://h.test/d/ok\t\nhttp://h.test/e\t' ]]
  # ai-train, as Content-Signal calls it, used to refuse what the other lines forbid to nobody.
  run -1 gate --refuse=ai-train --fields=url,robots-line http://h.test/d/x http://h.test/e
  [[ $output == $'http://h.test/d/x\t2\nhttp://h.test/e\t' ]]
  run -2 gate --refuse='train ai' http://h.test/
  run -2 robots-check --refuse=train-ai http://h.test/
  learn 'License: https://h.test/license.xml\nUser-agent: *\nDisallowAITraining: /d'
  [[ $(<out) == *$'\trobots-license=https://h.test/license.xml\t'* ]]
  run -0 gate http://h.test/d "http://h.test/e${T}robots-license=x"
  [[ $output == $'http://h.test/d\trobots-disallow-ai-training=/d\trobots-license=https://h.test/license.xml\trobots=allow\nhttp://h.test/e\trobots-license=https://h.test/license.xml\trobots=allow' ]]
}
