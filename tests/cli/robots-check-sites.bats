#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# robots-check on whole sites: the summary, the policy for one page, the matrix, changes, sitemaps.

load helper
load servers

T=$'\t'

teardown() {
  stop_folder
  end_jobs
}

check() { robots-check --allow-private "$@"; }
# fields: prints the fields one a line, without column 1.
fields() { tail -n +1 | tr '\t' '\n' | tail -n +2; }

site() {
  mkdir -p site/.well-known
  cat >site/robots.txt <<'EOT'
User-agent: *
Disallow: /private/
Content-Usage: train-ai=n, search=y
Noindex: /old
License: /license.xml
Crawl-delay: 2

User-agent: GPTBot
User-agent: CCBot
Disallow: /

Sitemap: /sitemap.xml
EOT
  echo '<meta name=robots content="noarchive"><link rel=license type="application/rsl+xml" href=/l2.xml><p>x' >site/p
  echo '<p>x' >site/old
  printf 'Content-Usage: ai-input=n\nTDM-Reservation: 1\nLink: </l3.xml>; rel="license"; type="application/rsl+xml", </c>; rel=license\n' >site/p.headers
  serve_folder "${1-text/html}"
  here=http://127.0.0.1:$port
}

@test "--policy: one answer from robots.txt, headers and the page, each with its source and line" {
  site
  run -0 check --policy "$here/p"
  [[ $(fields <<<"$output" | grep -vE '^(license|status)') == "crawl=yes
crawl-source=robots.txt
crawl-rule=no rule matches
index=yes
index-source=page
index-rule=not forbidden
follow=yes
follow-source=page
follow-rule=not forbidden
snippet=yes
snippet-source=page
snippet-rule=not forbidden
archive=no
archive-source=meta robots
archive-rule=noarchive
search=yes
search-source=robots.txt
search-line=3
search-rule=Content-Usage: search=y
train-ai=no
train-ai-source=robots.txt
train-ai-line=3
train-ai-rule=Content-Usage: train-ai=n
ai-input=no
ai-input-source=header
ai-input-rule=Content-Usage: ai-input=n" ]]
  [[ $(fields <<<"$output" | grep license) == "license=$here/license.xml"$'\n'"license=$here/l3.xml"$'\n'"license=$here/l2.xml" ]]
  run -1 check --policy --fields=crawl,crawl-line,index,index-line,train-ai "$here/old" "$here/private/x" "$here/gone"
  [[ ${lines[0]} == "yes$T${T}no${T}4${T}no" && ${lines[1]} == "no${T}2${T}unknown$T${T}unknown" && ${lines[2]} == "yes$T${T}unknown$T${T}no" ]]
}

@test "--policy: settled records have their page with them, and say what --policy said anew" {
  site
  fetch --allow-private <<<"$here/p" >fetched
  grep -q "header=Content-Usage: ai-input=n" fetched
  run -0 check --policy --fields=archive,ai-input,ai-input-source,train-ai fetched
  [[ $output == "no${T}no${T}header${T}no" ]]
  robots-check -r site/robots.txt --policy fetched >once
  # The body has been dropped, and with it what its meta elements asked for.
  run -0 robots-check -r site/robots.txt --policy --fields=archive,ai-input,outcome,body once
  [[ $output == "unknown${T}no${T}ok$T" && $(<once) == *"${T}archive=no$T"* && $(<once) != *"${T}body="* ]]
  run -0 check --page --explain --fields=page-content-usage,tdm-reservation,page-license fetched
  [[ $output == "ai-input=n${T}1${T}/l3.xml" ]]
  run -2 robots-check --policy -A a -A b fetched
  printf 'http://h.test/p\tstatus=404\tbody=<meta name=robots content=noindex>\toutcome=not-found\n' >gone
  run -0 robots-check -r site/robots.txt --policy --fields=crawl,index gone
  [[ $output == "yes${T}unknown" ]]
}

@test "--policy: what the files beside robots.txt say" {
  site
  printf 'User-agent: *\nDisallow: /private\nLicense: %s/license.xml\n' "$here" >site/robots.txt
  printf '[{"location": "/", "tdm-reservation": 0},\n{"location": "/art", "tdm-reservation": 1}]' >site/.well-known/tdmrep.json
  printf 'User-Agent: *\nDisallow: *.jpg\n' >site/ai.txt
  printf '<rsl xmlns="https://rslstandard.org/rsl">\n<content url="/"><license><permits type="usage">search</permits></license></content>\n<content url="/paid"><license><payment type="subscription"/></license></content></rsl>' >site/license.xml
  for page in art.html a.jpg a.html paid; do echo '<p>' >site/$page; done
  run -0 check --policy --fields=train-ai,train-ai-source,train-ai-line,search,search-rule "$here"/{art.html,a.jpg,a.html,paid}
  [[ ${lines[0]} == "no${T}tdmrep.json${T}2${T}yes${T}RSL permits" ]]
  [[ ${lines[1]} == "no${T}ai.txt${T}2${T}yes"* && ${lines[2]} == "no${T}license${T}2${T}yes"* ]]
  [[ ${lines[3]} == "no${T}license${T}3${T}no${T}RSL for payment: subscription" ]]
}

@test "tdmrep.json and licences of RSL are listed and linted" {
  printf '[{"location": "/a", "tdm-reservation": 1, "tdm-policy": "https://h/p"},\n{"tdm-reservation": 2}]' >tdmrep.json
  run -0 robots-check --list=extensions tdmrep.json
  [[ $output == "/a${T}line=1${T}key=tdm-reservation${T}tdm-reservation=1${T}tdm-policy=https://h/p" ]]
  run -1 robots-check --lint tdmrep.json
  [[ ${lines[0]} == *"tdmrep.json:2: error: "*'[tdm-reservation]' && ${lines[1]} == *"[tdm-location]" ]]
  printf '<rsl xmlns="x"><content url="/a"><license><permits type="usage">search, eat</permits></license></content></rsl>' >l.xml
  run -1 robots-check --lint l.xml
  [[ $output == *"[rsl-namespace]"*"[rsl-usage]"* ]]
  run -0 robots-check --list=extensions l.xml
  [[ $output == "/a${T}line=1${T}key=content${T}permits=search${T}permits=eat" ]]
  printf 'User-agent: *\nDisallowAITraining: x\nLicense: l.xml\n' >r
  run -1 robots-check --lint r
  [[ $output == *"r:2: error: "*"[no-slash]"*"r:3: error: "*"[bad-license]"* ]]
}

@test "robots-check HOST prints a summary" {
  site
  run -0 check "127.0.0.1:$port"
  [[ ${lines[0]} == "$here/robots.txt" && ${lines[1]} == "  robots.txt    200, "*" bytes, until "* ]]
  [[ $output == *"home page     allowed to everyone not named: no rule matches"* ]]
  [[ $output == *"groups        2, of 3 agents, with 2 rules"* && $output == *"delays        Crawl-delay: 2 (*)"* ]]
  [[ $output == *"AI crawlers   2 of "*": GPTBot, CCBot"* && $output == *"sitemaps      1: /sitemap.xml"* ]]
  [[ $output == *"preferences   Content-Usage: train-ai=n, search=y (line 3), License: /license.xml (line 5)"* ]]
  [[ $output == *"lint          2 errors, 1 warning, 0 notes"* && $output != *$'\x1b'* ]]
  run -1 check --summary -A gptbot site/robots.txt
  [[ $output == *"home page     disallowed to gptbot: line 10, Disallow: /"* ]]
  run -0 check --summary --json "$here/"
  [[ $output == '{"url":"http'*'"home-page":"allowed'* ]]
  run -3 --separate-stderr check 127.0.0.1:1
  [[ $output == *"there is none that could be read"* && $stderr == *"http://127.0.0.1:1/robots.txt: "* ]]
}

@test "colour is for a terminal, and for no terminal of whom NO_COLOR is set" {
  printf 'User-agent: *\nDisallow: /\n' >r
  run -0 on_terminal env -u NO_COLOR TERM=xterm robots-check --summary r
  [[ $output == *$'\x1b[31mdisallowed'*$'\x1b[0m'* ]]
  run -0 on_terminal env NO_COLOR=1 TERM=xterm robots-check --summary r
  [[ $output == *"disallowed"* && $output != *$'\x1b'* ]]
  run -0 on_terminal env -u NO_COLOR TERM=dumb robots-check --summary r
  [[ $output != *$'\x1b'* ]]
  run -0 on_terminal env NO_COLOR=1 robots-check -r r --matrix -A longername -A b / /long/path
  [[ ${lines[0]} == "agent       /           /long/path"* && ${lines[1]} == "longername  disallow:2  disallow:2"* && ${lines[2]} == "b           disallow:2  disallow:2"* ]]
}

@test "--matrix: agents by paths" {
  printf 'User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nAllow: /y\n' >r
  run -1 robots-check -r r --matrix -A a,b,c /x /y
  [[ $output == "agent${T}/x${T}/y
a${T}disallow:3${T}allow
b${T}disallow:3${T}allow
c${T}unspecified${T}allow:6" ]]
  run -1 robots-check -r r --matrix -A a,c --json /x
  [[ $output == '{"url":"/x","agent":"a","robots":"disallow","robots-line":3}
{"url":"/x","agent":"c","robots":"unspecified"}' ]]
  run -1 robots-check -r r --matrix --agents=ai -A a /x
  ((${#lines[@]} > 60))
  run -1 --separate-stderr bash -c 'seq -f /%g 1001 | robots-check -r r --matrix | tr "\t" "\n" | wc -l; exit "${PIPESTATUS[1]}"'
  [[ $output == 2002 && $stderr == *"at most 1000 columns"* ]]
}

@test "--diff without URLs asks for what the rules of both files speak of" {
  printf 'User-agent: *\nDisallow: /a\n\nUser-agent: Old\nDisallow: /\n' >old
  printf 'User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\nDisallow: /b*c$\n' >new
  run -1 robots-check --diff old new </dev/null
  [[ $output == "/${T}agent=Old${T}robots=unspecified${T}robots-old=disallow${T}robots-old-rule=Disallow: /${T}robots-old-line=5
/${T}agent=GPTBot${T}robots=disallow${T}robots-old=unspecified${T}robots-rule=Disallow: /${T}robots-line=2
/bxc${T}agent=*"* ]]
  run -1 robots-check --diff old new --agents=train --fields=url,agent,robots,robots-line </dev/null
  [[ ${lines[0]} == "/${T}GPTBot${T}disallow${T}2" ]]
  run -1 robots-check -A GPTBot --diff old new </dev/null
  [[ ${lines[0]} == "/${T}robots=disallow${T}robots-old=allow${T}robots-rule=Disallow: /${T}robots-line=2" ]]
  run -0 robots-check --diff old old </dev/null
  [[ -z $output ]]
  run -1 robots-check -q --diff old new </dev/null
  [[ -z $output ]]
}

@test "--diff --matrix: which agents and paths have changed, and by which lines" {
  printf 'User-agent: *\nDisallow: /a\n' >old
  printf 'User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n' >new
  run -1 robots-check --diff old new --matrix -A GPTBot,CCBot / /a /b
  [[ $output == "agent${T}/${T}/b
GPTBot${T}unspecified>disallow:2${T}unspecified>disallow:2" ]]
  run -1 robots-check --diff old new --matrix </dev/null
  [[ $output == "agent${T}/
GPTBot${T}unspecified>disallow:2" ]]
  run -1 robots-check --diff new old --matrix --json -A GPTBot,CCBot / /a
  [[ $output == '{"url":"/","agent":"GPTBot","robots":"unspecified","robots-old":"disallow","robots-old-line":2}' ]]
  run -0 robots-check --diff old old --matrix </dev/null
  [[ -z $output ]]
  run -2 robots-check --matrix --lint old
}

@test "--page --explain tells what means nothing" {
  printf 'http://h/p\tx-robots-tag=noindx, max-snippet: many\tbody=<meta name=robots content="max-image-preview:huge">\toutcome=ok\n' >rec
  run -0 robots-check --page --explain --json rec
  [[ $output == *'"page-mistake":["X-Robots-Tag: unknown word \"noindx\"","X-Robots-Tag: max-snippet takes a number, not \"many\"","meta robots: max-image-preview takes none, standard or large, not \"huge\""]'* ]]
}

@test "--lint notes a label that names no use" {
  printf 'User-agent: *\nContent-Signal: ai-train=no, ai-traning=no\nDisallow:\n' >r
  run -0 robots-check --lint r
  [[ $output == 'r:2: note: names a use that no reader known to us asks for: "ai-traning" [unknown-label]' ]]
}

@test "a robots.txt is asked for by way of SPINNERET_DNS" {
  site
  start_dns
  export SPINNERET_DNS=$dns
  run -1 check -A GPTBot --fields=robots "http://good7.test:$port/p"
  [[ $output == disallow ]]
  run -0 check --list=sitemaps "http://good7.test:$port/"
  [[ $output == "http://good7.test:$port/sitemap.xml${T}line=12" ]]
  kill "$(<hostile-server-dns.pid)"
}

@test "--all-matches adds every rule that matches, the one that decides first" {
  printf 'User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*c$\nDisallow: /x\n' >r
  run -0 robots-check -r r --all-matches /a/bc
  [[ $output == "/a/bc${T}robots=allow${T}robots-match=3: Allow: /a/b${T}robots-match=4: Disallow: /*c\$${T}robots-match=2: Disallow: /a" ]]
  run -1 robots-check -r r --all-matches -A x -A y /a
  [[ $output == *"robots-match.x=2: Disallow: /a"*"robots-match.y=2: Disallow: /a" ]]
}

@test "--quiet prints nothing, and what nobody knows has a status of its own" {
  printf 'User-agent: *\nDisallow: /a\n' >r
  run -1 robots-check -q -r r /a
  [[ -z $output ]]
  run -0 robots-check -q -r r /b
  [[ -z $output ]]
  run -1 robots-check -q --lint <(printf 'Disalow: /\n')
  [[ -z $output ]]
  run -3 --separate-stderr check -q http://127.0.0.1:1/
  [[ -z $output ]]
}

@test "--sitemaps fetches what robots.txt names, and what that names" {
  site text/xml
  cat >site/sitemap.xml <<EOT
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>/a.xml.gz</loc></sitemap>
<sitemap><loc>/index.xml</loc></sitemap><sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>
EOT
  printf '<urlset><url><loc>/x</loc><lastmod>2026-01-02</lastmod></url><url><loc>/z</loc><lastmod>2025-03-04</lastmod></url><url><loc>http://other.test/</loc><lastmod>soon</lastmod></url></urlset>' | gzip >site/a.xml.gz
  printf '<sitemapindex><sitemap><loc>/b.txt</loc></sitemap></sitemapindex>' >site/index.xml
  printf '%s/1\n' "$here" >site/b.txt
  run -1 check --sitemaps --fields=url,from,depth,sitemap,count,lastmod-first,lastmod-last,other-hosts,error "$here/"
  [[ ${lines[0]} == "$here/sitemap.xml${T}robots.txt:12${T}0${T}sitemap-index${T}3$T$T$T$T" ]]
  [[ ${lines[1]} == "$here/a.xml.gz${T}$here/sitemap.xml${T}1${T}sitemap${T}3${T}2025-03-04${T}2026-01-02${T}1${T}has an invalid date: \"soon\"" ]]
  [[ ${lines[2]} == "$here/index.xml$T"*"is an index that an index names" ]]
  [[ ${lines[3]} == "$here/gone.xml$T"*"no sitemap: status 404" ]]
  [[ ${lines[4]} == "$here/b.txt${T}$here/index.xml${T}2${T}text${T}1$T$T$T$T" ]]
  run -0 check --list=sitemaps "$here/"
  [[ $output == "$here/sitemap.xml${T}line=12" ]]
  printf 'User-agent: *\nDisallow:\n' >site/robots.txt
  run -1 check --sitemaps --fields=url,from "$here/"
  [[ ${lines[0]} == "$here/sitemap.xml${T}custom" ]]
}

@test "--lint and --list read folders" {
  mkdir -p d/b.test
  printf 'Disalow: /\n' >d/b.test/robots.txt
  printf 'User-agent: *\nContent-Signal: search=yes\nDisallow:\n' >d/a.test
  ln -s . d/loop
  run -1 robots-check --lint d
  [[ $output == "d/b.test/robots.txt:1: error: "*"[misspelt-key]" ]]
  run -0 robots-check --list=extensions --fields=file,key d
  [[ $output == "d/a.test${T}Content-Signal"$'\n'"d/b.test/robots.txt${T}Disalow" ]]
}

@test "a host that was not reached for as long as one waits is one without a robots.txt" {
  learn() { printf 'http://h.test/robots.txt\tpurpose=robots\t%s\n' "$1" | robots-check --learn --cache=c --now="$2" "${@:3}" >out; }
  gate() { robots-check --gate --cache=c -A x --now="$1" --fields=robots,outcome http://h.test/p || :; }
  day=86400
  learn $'status=200\tbody=User-agent: *\\nDisallow: /\toutcome=ok' $day --unavailable-after=30d
  learn 'outcome=timeout' $((3 * day)) --unavailable-after=30d
  [[ $(gate $((3 * day))) == "disallow${T}timeout" ]]
  learn 'outcome=timeout' $((32 * day)) --unavailable-after=30d
  [[ $(gate $((32 * day))) == "disallow${T}timeout" ]]
  grep -q "^unreachable: $((3 * day)) " c/http_h.test_80
  cp -r c kept
  learn 'outcome=timeout' $((33 * day)) --unavailable-after=30d
  [[ $(gate $((33 * day))) == "allow$T" ]]
  # Without the option that never happens; and for a host that is back the time begins anew.
  rm -r c && mv kept c
  learn 'outcome=timeout' $((40 * day))
  [[ $(gate $((40 * day))) == "disallow${T}timeout" ]]
  learn $'status=200\tbody=User-agent: *\\nDisallow: /\toutcome=ok' $((41 * day)) --unavailable-after=30d
  run -1 grep unreachable c/http_h.test_80
}

# Each test takes a fraction of a second of CPU time and some 100 MB; the limits allow for a busy machine.
bounded() { (ulimit -t 20 -v 1000000; timeout 120 robots-check "$@" >out 2>messages </dev/null); }

@test "hostile: very many groups, agents, stars, preferences; HTML, UTF-16 cut in half, a folder" {
  python3 - <<'EOP'
def write(name, text): open(name, 'w').write(text)
write('groups', ''.join(f'User-agent: g{i}\nDisallow: /{i}\n' for i in range(100000)))
write('agents', '\n'.join(f'g{i}' for i in range(1000)))
write('stars', 'User-agent: *\nDisallow: /' + '*' * 50_000_000)
write('parts', 'User-agent: *\n' + ('Disallow: /' + '*a' * 100 + '\n') * 20000)
write('same', 'User-agent: *\n' + 'Content-Usage: /p train-ai=n\n' * 100000)
write('labels', 'User-agent: *\n' + ''.join(f'Content-Usage: /p label{i}=n\n' for i in range(100000)))
write('paths', 'User-agent: *\n' + ''.join(f'Content-Usage: /p{i} train-ai=n\n' for i in range(100000)))
write('html', '<!doctype html>\n' + '<p>User-agent: *</p>\n<p>Disallow: /</p>\n' * 100000)
open('utf16', 'wb').write('User-agent: *\nDisallow: /\n'.encode('utf-16') * 40000 + b'\x41')
write('tdm', '[' + ','.join('{"location":"/%d*a*b","tdm-reservation":1}' % i for i in range(90000)) + ']')
write('deep', '[{"a":' + '[' * 4_000_000)
write('rsl', '<rsl xmlns="https://rslstandard.org/rsl">' + '<content url="/a"><license><permits type="usage">all</permits></license></content>\n' * 50000)
EOP
  bounded -r groups --agents=agents --fields=robots / || (($? == 1))
  [[ $(wc -l <out) == 1000 ]]
  bounded -r groups --agents=agents --matrix /1 /2 || (($? == 1))
  [[ $(head -n 3 out | tail -n 1) == "g1${T}disallow:4${T}allow" ]]
  bounded --diff groups same || (($? == 1))
  grep -q "only the first were compared" messages
  long=/$(printf 'a%.0s' {1..2000})
  for file in stars parts groups same labels paths html utf16; do
    bounded --explain -r "$file" "$long" || (($? == 1)) || { echo "$file"; cat messages; false; }
    bounded --policy -r "$file" /p || (($? == 1)) || { echo "$file"; cat messages; false; }
    for mode in --lint --canonical --list=rules --list=preferences --summary; do
      bounded $mode "$file" || (($? == 1)) || { echo "$mode $file"; cat messages; false; }
    done
  done
  [[ $(robots-check -r utf16 --fields=robots /x) == disallow ]]
  [[ $(robots-check --explain -r same --fields=content-usage,content-usage-line /p) == "train-ai=n${T}2" ]]
  for file in tdm deep rsl; do
    bounded --lint "$file" || (($? == 1)) || { echo "$file"; false; }
  done
  mkdir folder
  run -2 robots-check -r folder http://h/
  run -0 robots-check --lint folder
}

@test "bug: where no name server could be reached it waited for ever" {
  # A datagram to that address is refused at once, as all are on a machine without a network.
  export SPINNERET_DNS=255.255.255.255
  run -3 --separate-stderr timeout 100 robots-check --agent=a http://h.test/x
  [[ $output == "http://h.test/x${T}robots=disallow" && $stderr == *"name server"* ]]
  run timeout 100 robots-check h.test
  [[ $status != 124 && $output == *'name server'* ]]
}
