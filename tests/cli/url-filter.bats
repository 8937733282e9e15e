#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# url-filter: scope, rules, what happens to refused lines, and the ways to look at a policy.
load helper

# judge STATUS OPTION...: runs url-filter on stdin and checks the status.
judge() { run -"$1" --separate-stderr url-filter "${@:2}"; }

lines_of() { printf '%s\n' "$@"; }

# --- scope ------------------------------------------------------------------------------------------

@test "a dot at the end of a host leads around no rule" {
  local rule
  printf 'h.example\nlisted.example.\n' >list
  for rule in 'deny-host h.example' 'deny-host h.example.' 'deny-host *.example' 'deny-domain example' 'deny-domain example.' \
    'deny-site h.example' 'deny-list list' 'deny-domain-list list'; do
    printf '%s\n' "$rule" >policy
    run -1 --separate-stderr url-filter --policy=policy http://h.example/ http://h.example./ http://H.example.:80/x
    [[ -z $output ]] || { echo "$rule: $output"; false; }
  done
  printf '[h.example]\ndeny-path ^/private/\n' >policy
  run -1 --separate-stderr url-filter --policy=policy http://h.example./private/x
  run -1 --separate-stderr url-filter -e 'deny-list list' http://listed.example/ http://listed.example./
  [[ -z $output ]]
}

@test "needless escapes lead around no rule and no list: /%70rivate/ passed deny-path ^/private/" {
  local rule
  printf 'http://h.example/~u\nhttp://h.example/%%64ir/*\n' >list
  for rule in 'deny-path ^/private/' 'deny-path ^/%70rivate/' 'deny-url h.example/private' 'deny-prefix http://h.example/%70ri'; do
    judge 1 -e "$rule" http://h.example/%70rivate/x http://h.example/x/%2e%2E/p%72ivate/ 'HTTP://h.example/%7eu' http://h.example//private/
    [[ $output == *%7eu* && $output != *rivate/x* && $output != *72ivate* ]] || { echo "$rule: $output"; false; }
  done
  judge 1 -e 'deny-list list' http://h.example/%7Eu http://h.example/%7eu http://h.example/d%69r/x http://h.example/%2Fdir/
  [ "$output" = http://h.example/%2Fdir/ ]
  judge 1 --deny-extension=gif http://h.example/a%2Egif
  judge 1 -e 'deny-path %c3%bc' http://h.example/%C3%BC http://h.example/%C3%bc
  judge 1 -e 'trap session-ids reject' 'http://h.example/?PHPSESSI%44=47'
  [ -z "$output" ]
  # A URL that passes is printed as it was written.
  judge 0 -e 'deny-path ^/private/' http://h.example/%61%2fb%c3
  [ "$output" = http://h.example/%61%2fb%c3 ]
}

@test "a session id is the same to url-normalize and to the trap: six of seven came out differently" {
  lines_of 'http://h/?sid=abcdef0123456789abcdef0123456789' 'http://h/?__viewstate=1' 'http://h/?session-id=1' 'http://h/(S(abc))/a' \
    'http://h/(S(lit3py55t21z5v55vlm25s55))/a' 'http://h/a;sid=abcdef0123456789abcdef0123456789' 'http://h/?PHPSESSI%44=47' \
    'http://h/a;jsessionid' 'http://h/?s=words&token=12' 'http://h/?a=1&&sid=abcdef0123456789' 'http://h/?phpsessid' >urls
  run -0 url-normalize --profile=safe --with=session,empty-query urls
  local normalized=$output
  run -0 --separate-stderr url-filter -e 'trap session-ids' urls
  [ "$output" = "$normalized" ]
  [ "$(grep -cxF -f <(echo "$normalized") urls)" = 3 ]
  # The trap refuses exactly the URLs from which it would strip something.
  run -1 --separate-stderr url-filter -e 'trap session-ids reject' urls
  [ "$(wc -l <<<"$output")" = 3 ]
}

@test "no rule: everything passes, status 0" {
  judge 0 < <(lines_of https://a.example/ ftp://b.example/x mailto:me@example.org)
  [ "$output" = "$(lines_of https://a.example/ ftp://b.example/x mailto:me@example.org)" ]
}

@test "--same-host takes any scheme and port of the seed's host, and no other host" {
  judge 1 --same-host --seed=http://a.example/x \
    http://a.example/ https://a.example/y http://a.example:8080/ http://www.a.example/ http://b.example/
  [ "$output" = "$(lines_of http://a.example/ https://a.example/y http://a.example:8080/)" ]
}

@test "--same-origin takes scheme, host and port" {
  judge 1 --same-origin --seed=http://a.example/x \
    http://a.example:80/ https://a.example/y http://a.example:8080/ http://A.example/z
  [ "$output" = "$(lines_of http://a.example:80/ http://A.example/z)" ]
}

@test "--same-domain takes the registrable domain, by the public suffix list" {
  judge 1 --same-domain --seed=http://www.example.co.uk/ \
    http://shop.example.co.uk/ http://example.co.uk/ http://other.co.uk/ http://co.uk/
  [ "$output" = "$(lines_of http://shop.example.co.uk/ http://example.co.uk/)" ]
}

@test "--under-seed takes the seed's directory and all below it, of http and https" {
  judge 1 --under-seed --seed=http://a.example/docs/index.html \
    http://a.example/docs/ https://a.example/docs/x/y http://a.example/docs http://a.example/documents/ \
    http://a.example/docs/../ http://a.example:8080/docs/
  [ "$output" = "$(lines_of http://a.example/docs/ https://a.example/docs/x/y)" ]
}

@test "several seeds, from a file of records" {
  lines_of '# seeds' $'http://a.example/\tdepth=0' '' http://b.example/ >seeds
  judge 1 --same-host --seeds=seeds http://a.example/1 http://b.example/2 http://c.example/3
  [ "$output" = "$(lines_of http://a.example/1 http://b.example/2)" ]
}

@test "a scope without seeds is measured by via=, and a line without one is a seed" {
  judge 1 --same-host < <(lines_of $'http://a.example/1\tvia=http://a.example/' \
    $'http://b.example/2\tvia=http://a.example/' http://c.example/)
  [ "$output" = "$(lines_of $'http://a.example/1\tvia=http://a.example/' http://c.example/)" ]
}

@test "a seeds file that lists nothing is an error: it would refuse all, or nothing" {
  : >seeds
  judge 2 --same-host --seeds=seeds http://a.example/
  [[ $stderr == *"lists no seeds"* ]]
  judge 2 --same-host --seeds=nowhere http://a.example/
  [[ $stderr == *"nowhere"*"No such file"* ]]
  judge 2 --same-host --seed=nonsense http://a.example/
  [[ $stderr == *'"nonsense" is not a URL'* ]]
}

@test "a scope that has nothing to measure by says so: --same-domain let a list pass without a word" {
  judge 0 --same-domain http://a.example/ http://b.example/
  [ "${#lines[@]}" -eq 2 ]
  [[ $stderr == *'the scope domain has refused nothing: there is no seed to measure by, and no line has a field via' ]]
  judge 0 --same-domain < <(lines_of http://a.example/ $'http://a.example/x\tvia=http://a.example/')
  [ -z "$stderr" ]
}

@test "offsite hops: one link away from the site, and then no further" {
  printf '%s\n' 'scope host' 'seed http://a.example/' 'max-offsite-hops 2' >p
  judge 1 --policy=p < <(lines_of $'http://b.example/1\tvia=http://a.example/' \
    $'http://c.example/2\tvia=http://b.example/1' $'http://d.example/3\tvia=http://c.example/2' \
    $'http://e.example/4\tvia=http://unknown.example/' $'http://a.example/5\tvia=http://d.example/3')
  [ "$(cut -f1 <<<"$output")" = "$(lines_of http://b.example/1 http://c.example/2 http://a.example/5)" ]
}

# --- rules as options -----------------------------------------------------------------------------------

@test "--exclude goes before --include" {
  judge 1 --include='\.html$' --exclude=/private/ \
    http://a.example/x.html http://a.example/private/x.html http://a.example/x.gif
  [ "$output" = http://a.example/x.html ]
}

@test "patterns see the URL as parsed: no way around them by case, dots or escapes" {
  judge 1 --exclude='^http://a\.example/private/' HTTP://A.EXAMPLE/private/1 \
    http://a.example/x/../private/2 http://a.example/x/%2e%2e/private/3 http://a.example:80/private/4 \
    'http://a.example/public#/private/'
  [ "$output" = 'http://a.example/public#/private/' ]
}

@test "--max-depth by the field depth, 0 without one" {
  judge 1 --max-depth=2 < <(lines_of http://a.example/ $'http://a.example/2\tdepth=2' $'http://a.example/3\tdepth=3')
  [ "${#lines[@]}" -eq 2 ]
}

@test "list options take commas" {
  judge 1 --allow-scheme=http,https --allow-domain=a.example,b.example --deny-domain=x.b.example \
    --deny-extension=gif,jpg http://a.example/ ftp://a.example/ https://y.b.example/ https://x.b.example/ \
    http://c.example/ http://a.example/1.GIF
  [ "$output" = "$(lines_of http://a.example/ https://y.b.example/)" ]
}

@test "--rule takes any line of a policy" {
  judge 1 -e 'deny-path ^/a/' -e 'query none' http://h.example/a/ http://h.example/b?c http://h.example/b
  [ "$output" = http://h.example/b ]
}

@test "an option has the last word over the file" {
  echo 'max-url-length 10' >p
  judge 0 --policy=p --max-url-length=100 http://h.example/a-longer-path
}

@test "a wrong rule names its place and what to do; nothing is filtered" {
  judge 2 --exclude='a(' http://a.example/
  [[ $stderr == *'--exclude:1: bad pattern "a(": missing )'* ]]
  printf '%s\n' '' 'deny-paths ^/x' 'max-depth x' 'scope galaxy' 'query-parameters search q' '[a b' >p
  judge 2 --policy=p http://a.example/
  [ -z "$output" ]
  [[ $stderr == *'p:2: unknown directive "deny-paths"; did you mean deny-path?'* ]]
  [[ $stderr == *'p:3: max-depth takes a whole number or off, not "x"'* ]]
  [[ $stderr == *'p:4: scope takes any, origin, host, domain or under'* ]]
  [[ $stderr == *'p:5: '* ]]
  [[ $stderr == *'p:6: a section is [HOST...]'* ]]
}

# --- what passes through --------------------------------------------------------------------------------

@test "settled records and robots.txt pass whatever the policy says, in order" {
  lines_of $'http://a.example/1\toutcome=ok' $'http://a.example/robots.txt\tpurpose=robots' \
    http://b.example/ $'http://a.example/2\tbody=x\toutcome=not-found' >in
  judge 0 --deny-domain=a.example in
  [ "$output" = "$(cat in)" ]
  judge 1 --deny-domain=b.example in
  [ "$output" = "$(grep -v b.example in)" ]
}

@test "unknown fields pass byte for byte; only a rewritten URL changes its line" {
  printf 'http://a.example/?sid=1\tx\\ty=\t\xff\tpriority=3\n' >in
  judge 0 -e 'tag-host b.example priority=9' in
  [ "$output" = "$(cat in)" ]
  judge 0 -e 'tag-host a.example priority=9 realm=news' in
  [ "$output" = $'http://a.example/?sid=1\tx\\ty=\t\xff\tpriority=9\trealm=news' ]
}

@test "a line that is no URL is reported and dropped, and the others go on" {
  judge 1 < <(lines_of http://a.example/ nonsense http://b.example/)
  [ "$output" = "$(lines_of http://a.example/ http://b.example/)" ]
  [[ $stderr == *'-:2: '*'"nonsense"'* ]]
}

# --- actions --------------------------------------------------------------------------------------------

@test "--action=mark settles what is refused, by file and line, and drops its body" {
  printf '%s\n' '# nothing' 'deny-path ^/a' >p
  judge 1 --policy=p --action=mark < <(lines_of $'http://h.example/a\tbody=x\tdepth=1' http://h.example/b)
  [ "$output" = "$(lines_of $'http://h.example/a\tdepth=1\tverdict=refuse\tpolicy=p:2\trule=deny-path ^/a\twhy=denied by a rule\tclass=path\toutcome=blocked-by-policy' http://h.example/b)" ]
}

@test "the directive action holds for the rules below it, and --action over all" {
  printf '%s\n' 'deny-path ^/a' 'action mark' 'deny-path ^/b' 'action reject' 'deny-path ^/c' >p
  judge 1 --policy=p http://h.example/a http://h.example/b http://h.example/c
  [ "$output" = $'http://h.example/b\tverdict=refuse\tpolicy=p:3\trule=deny-path ^/b\twhy=denied by a rule\tclass=path\toutcome=blocked-by-policy' ]
  judge 1 --policy=p --action=reject http://h.example/a http://h.example/b http://h.example/c
  [ -z "$output" ]
}

@test "each refusal has its class, whether a rule, the scope, --max-depth or --traps says so" {
  local url=http://h.example words
  lines_of "$url/a" "$url/b.zip" 'http://x.example/' $'http://h.example/\tdepth=9' "$url/$(printf 'x%.0s' {1..3000})" \
    "$url/r/r/r" "$url/?q" "$url/1" "$url/2" "$url/3" ftp://h.example/ >in
  judge 1 --action=mark --fields=class,policy --traps --same-host --seed="$url/" --max-depth=3 \
    --deny-extension=zip --allow-scheme=http -e 'deny-path ^/a' -e 'query none' -e 'budget host 2' in
  words=$(cut -f1 <<<"$output" | tr '\n' ' ')
  [ "$words" = 'path extension scope depth limit trap query   budget scheme ' ] || { echo "$words"; false; }
  [[ $output == *$'scope\t--same-host:1'*$'depth\t--max-depth:1'*$'trap\t--traps:1'*$'budget\t--rule:3'* ]]
  judge 1 --action=mark --fields=class -e 'default deny' "$url/"
  [ "$output" = default ]
}

# --- rules on the link ------------------------------------------------------------------------------------

@test "rules on rel, tag, via and text judge links, and settle those they refuse with their class" {
  printf '%s\n' 'deny-rel nofollow' 'deny-tag iframe' 'deny-via ^http://spam/' 'deny-text (?i)log\s*out' >p
  lines_of $'http://h/1\tvia=http://h/\ttag=a@href\trel=ugc nofollow' $'http://h/2\ttag=iframe@src' \
    $'http://h/3\tvia=http://spam/\ttag=a@href' $'http://h/4\ttag=a@href\ttext=Log\\tout' $'http://h/5\ttag=a@href' \
    http://h/6 >in
  judge 1 --action=mark --fields=url,class,outcome --policy=p in
  [ "$output" = "$(lines_of $'http://h/1\trel\tblocked-by-policy' $'http://h/2\ttag\tblocked-by-policy' \
    $'http://h/3\tvia\tblocked-by-policy' $'http://h/4\ttext\tblocked-by-policy' $'http://h/5\t\t' $'http://h/6\t\t')" ]
  # Right before a fetch there is no link any more.
  judge 0 --before-fetch --policy=p < <(cut -f1 in | sed 's/$/\tdepth=1/')
  [ "${#lines[@]}" -eq 6 ]
}

@test "a wrong word of a rule on links or addresses is named with what to write" {
  printf '%s\n' 'deny-rel no/follow' 'deny-tag a@b@c' 'deny-via (' 'deny-text [' 'deny-address 10.0.0.1/8' \
    'deny-address example.com' 'deny-adress 10.0.0.0/8' 'tag-rel nofollow' >p
  judge 1 --check --policy=p </dev/null
  [[ $output == *'p:1: a rel is a word such as nofollow, or -, not "no/follow"'* ]]
  [[ $output == *'p:2: a tag is an element, an attribute or both, such as iframe, @src or a@href, not "a@b@c"'* ]]
  [[ $output == *'p:3: bad pattern "("'*'p:4: bad pattern "["'* ]]
  [[ $output == *'p:5: address has bits set beyond its prefix length'*'p:6: not an address or CIDR range'* ]]
  [[ $output == *'p:7: '*'did you mean deny-address?'*'p:8: tag-rel ends with the fields to set'* ]]
}

@test "--results settles a page whose address a rule denies" {
  judge 1 --results -e 'deny-address 192.0.2.0/24' < <(lines_of \
    $'http://h.example/1\tip=192.0.2.1\tbody=x\toutcome=ok' $'http://h.example/2\tip=192.0.3.1\tbody=x\toutcome=ok')
  [[ ${lines[0]} == $'http://h.example/1\tip=192.0.2.1\tverdict=refuse\t'*$'\tclass=address\toutcome=refused-address' ]]
  [ "${lines[1]}" = $'http://h.example/2\tip=192.0.3.1\tbody=x\toutcome=ok' ]
}

@test "--to-check: scope, depth and the want of an allow rule make a link one to be checked; a deny rule does not" {
  printf '%s\n' 'deny-path ^/private/' 'allow-path ^/docs/' 'max-depth 2' >p
  lines_of $'http://h/docs/a\tdepth=1' $'http://h/docs/b\tdepth=3' $'http://x/docs/\tdepth=1\twants=ids' $'http://h/y\tdepth=1' \
    $'http://x/private/\tdepth=1' $'http://x/z\tdepth=9\tpurpose=check' $'http://x/private/\tpurpose=ids' 'ftp://x/' >in
  judge 1 --to-check --policy=p --same-host --seed=http://h/ in
  [ "$output" = "$(lines_of $'http://h/docs/a\tdepth=1' $'http://h/docs/b\tdepth=3\tpurpose=check' \
    $'http://x/docs/\tdepth=1\twants=ids\tpurpose=ids' $'http://h/y\tdepth=1\tpurpose=check' $'http://x/z\tdepth=9\tpurpose=check')" ]
}

@test "--checked: what is known to be there is not to be checked, but for its names; what is followed stays" {
  lines_of http://x/known $'http://x/names\tetag=x' >known
  lines_of http://h/known $'http://x/known#a' $'http://x/names\twants=ids' http://x/other $'http://h/shown\tpurpose=check' \
    $'http://x/known\tpurpose=check' >in
  judge 0 --to-check --checked=known --same-host --seed=http://h/ in
  [ "$output" = "$(lines_of http://h/known $'http://x/names\twants=ids\tpurpose=ids' $'http://x/other\tpurpose=check' $'http://h/shown\tpurpose=check')" ]
  # The slow path, which judges twice, gives the same.
  printf 'scope host\n[none.example]\ndeny-path ^/none\n' >p
  url-filter --to-check --checked=known --policy=p --seed=http://h/ in >slow
  diff slow - <<<"$output"
  run -2 url-filter --checked=known in
  run -2 url-filter --to-check --checked=none in
}

# --- right before a fetch ---------------------------------------------------------------------------------

@test "--before-fetch settles queued pages that the policy of today refuses, and passes seeds" {
  printf '%s\n' 'deny-path ^/private/' 'allow-path ^/docs/' 'max-depth 2' 'query strip' 'budget host 1' >p
  lines_of $'http://h/\tdepth=0' $'http://h/docs/a\tdepth=1' $'http://h/docs/b?x=1\tdepth=2' $'http://h/docs/c\tdepth=3' \
    $'http://h/private/x\tdepth=1\tpriority=2' $'http://x/docs/\tdepth=1' $'http://h/private/seed\tdepth=0' \
    $'http://h/robots.txt\tpurpose=robots' >in
  judge 1 --before-fetch --policy=p --same-host --seed=http://h/ in
  [ "${lines[0]}" = $'http://h/\tdepth=0' ]
  [ "${lines[1]}" = $'http://h/docs/a\tdepth=1' ]
  [ "${lines[2]}" = $'http://h/docs/b?x=1\tdepth=2' ]
  [[ ${lines[3]} == *$'\tclass=depth\toutcome=blocked-by-policy' ]]
  [ "${lines[4]}" = $'http://h/private/x\tdepth=1\tpriority=2\tverdict=refuse\tpolicy=p:1\trule=deny-path ^/private/\twhy=denied by a rule\tclass=path\toutcome=blocked-by-policy' ]
  [[ ${lines[5]} == *$'\tclass=scope\toutcome=blocked-by-policy' ]]
  [[ ${lines[6]} == *$'\tpolicy=p:1\t'*$'\toutcome=blocked-by-policy' ]]
  [ "${lines[7]}" = $'http://h/robots.txt\tpurpose=robots' ]
  [ "${#lines[@]}" -eq 8 ]
  [ -z "$stderr" ]
  judge 2 --before-fetch --action=reject in
  [[ $stderr == *'--action=reject would lose it'* ]]
}

@test "--before-fetch lets pages pass whose distance off the site was judged at discovery" {
  judge 1 --before-fetch -e 'max-offsite-hops 1' --same-host --seed=http://h/ -e 'deny-path /x' \
    < <(lines_of $'http://away/\tdepth=2' $'http://away/x\tdepth=2')
  [ "${lines[0]}" = $'http://away/\tdepth=2' ]
  [[ ${lines[1]} == *$'\tclass=path\t'* ]]
}

@test "--before-fetch sets the fields of tag rules in the records of pages, seeds among them" {
  printf '%s\n' 'tag-host news.example realm=news' '[.shop.example]' 'tag-path ^/ realm=shop priority=3' >p
  judge 0 --before-fetch --policy=p \
    < <(lines_of $'http://news.example/\tdepth=0' $'http://a.shop.example/x\tdepth=4' $'http://b.example/\tdepth=1')
  [ "$output" = "$(lines_of $'http://news.example/\tdepth=0\trealm=news' \
    $'http://a.shop.example/x\tdepth=4\trealm=shop\tpriority=3' $'http://b.example/\tdepth=1')" ]
}

@test "--before-fetch hands the types of each host's rules to fetch" {
  printf '%s\n' 'allow-type text/html application/xhtml+xml' '[img.example]' 'allow-type image/*' 'deny-type image/gif' >p
  judge 0 --before-fetch --policy=p < <(lines_of $'http://h.example/\tdepth=1' $'http://img.example/\tdepth=1' \
    $'http://h.example/map.xml\tdepth=1\tpurpose=sitemap' $'http://h.example/robots.txt\tpurpose=robots')
  [ "${lines[0]}" = $'http://h.example/\tdepth=1\ttypes=text/html,application/xhtml+xml' ]
  [ "${lines[1]}" = $'http://img.example/\tdepth=1\ttypes=!image/gif,text/html,application/xhtml+xml,image/*' ]
  [ "${lines[2]}" = $'http://h.example/map.xml\tdepth=1\tpurpose=sitemap' ]
  [ "${lines[3]}" = $'http://h.example/robots.txt\tpurpose=robots' ]
}

@test "bug: --explain --invert passed all, and --invert --action=mark marked nothing" {
  run -1 --separate-stderr url-filter -e 'deny-path ^/a' --explain --invert http://h.test/a http://h.test/b
  expect 1 $'http://h.test/a\tverdict=refuse\tpolicy=--rule:1\trule=deny-path ^/a\twhy=denied by a rule\tclass=path'
  run -2 url-filter -e 'deny-path ^/a' --invert --action=mark http://h.test/a
  [[ $output == *"--invert does not go with --action"* ]]
}

@test "bug: --check and --why-not took URLs, and --convert rules and tables, without a word" {
  echo 'deny-path ^/y' >p
  local words
  for words in '--check http://h/y' '--check --json' '--check --csv' '--why-not=http://h/y http://h/z' '--why-not=http://h/y --field=2' \
    '--convert=hosts --exclude=x' '--convert=hosts --json' '--convert=hosts --field=2'; do
    run -2 --separate-stderr url-filter --rule='deny-path ^/y' $words <p
    [[ -z $output && $stderr == *'read'*'no URLs'* ]] || { echo "$words: $stderr"; return 1; }
  done
  run -1 url-filter --policy=p --why-not=http://h/y --json
  [[ $output == '{"url":"p:1",'* ]]
}

@test "--invert passes what is refused" {
  judge 1 -v --exclude=/a http://h.example/a http://h.example/b
  [ "$output" = http://h.example/a ]
}

@test "--verbose tells on stderr, and --strict does not take a refusal for a bad record" {
  judge 1 --strict --verbose --exclude=/a http://h.example/a http://h.example/b
  [ "$output" = http://h.example/b ]
  [[ $stderr == *'argument:1: denied by a rule (--exclude:1): "http://h.example/a"'* ]]
}

@test "--results judges pages by their type, and drops none" {
  lines_of $'http://h.example/1\ttype=text/html; charset=x\tbody=a\toutcome=ok' \
    $'http://h.example/2\ttype=image/png\tsize=1\tbody=a\toutcome=ok' \
    $'http://h.example/3\ttype=image/png\toutcome=not-found' \
    $'http://h.example/4\toutcome=ok' >in
  judge 0 -e 'allow-type text/html' in
  [ "$output" = "$(cat in)" ]
  judge 1 --results -e 'allow-type text/html' in
  [ "${lines[1]}" = $'http://h.example/2\ttype=image/png\tsize=1\tverdict=refuse\tpolicy=--rule:1\trule=allow-type text/html\twhy=matches no allow rule of this kind\tclass=type\toutcome=unsupported-type' ]
  [ "${#lines[@]}" -eq 4 ]
}

# --- looking at a policy ----------------------------------------------------------------------------------

@test "--explain gives verdict, place, rule and reason of every URL" {
  printf '%s\n' 'deny-path ^/a' 'allow-host h.example' >p
  judge 1 --policy=p --explain --fields=url,verdict,policy,rule,why \
    http://h.example/a http://h.example/b http://i.example/c
  [ "${lines[0]}" = $'http://h.example/a\trefuse\tp:1\tdeny-path ^/a\tdenied by a rule' ]
  [ "${lines[1]}" = $'http://h.example/b\taccept\tp:2\tallow-host h.example\tallowed by a rule' ]
  [ "${lines[2]}" = $'http://i.example/c\trefuse\tp:2\tallow-host h.example\tmatches no allow rule of this kind' ]
}

@test "--hits finds the dead rule, the greedy rule, and the one in the shadow" {
  printf '%s\n' 'deny-path ^/a' 'deny-path ^/a/b' 'deny-path ^/z' >p
  judge 1 --policy=p --hits http://h.example/a/b http://h.example/a/c http://h.example/d
  [ "${lines[0]}" = $'p:1\tmatched=2\tdecided=2\trule=deny-path ^/a' ]
  [ "${lines[1]}" = $'p:2\tmatched=1\tdecided=0\trule=deny-path ^/a/b' ]
  [ "${lines[2]}" = $'p:3\tmatched=0\tdecided=0\trule=deny-path ^/z' ]
}

@test "bug: --why-not looked at no section's rule where there was one for all hosts" {
  printf '%s\n' 'allow-path ^/blog/' '[h.example]' 'allow-path ^/docs/v[0-9]/' '[i.example]' 'allow-path ^/docs/x' >p
  judge 1 --policy=p --why-not=http://h.example/docs/x --fields=nearest </dev/null
  [ "$output" = 'allow-path ^/docs/v[0-9]/ (p:3)' ]
}

@test "--why-not names the allow rule that comes nearest" {
  lines_of 'allow-path ^/blog/ ^/about' 'allow-path ^/docs/v[0-9]+/' 'allow-domain one.example' 'allow-host docs.other.example' 'allow-extension html' >p
  judge 1 --policy=p --why-not=http://doc.other.example/docs/x.htm --fields=url,nearest </dev/null
  [ "$output" = "$(lines_of $'p:3\tallow-host docs.other.example (p:4)' $'p:1\tallow-path ^/docs/v[0-9]+/ (p:2)' $'p:5\tallow-extension html (p:5)')" ] || { echo "$output"; false; }
  judge 1 -e 'allow-url ^https?://a\.example/' -e 'allow-url ^https?://b\.example/x' --why-not=http://b.example/y --fields=nearest </dev/null
  [ "$output" = 'allow-url ^https?://b\\.example/x (--rule:2)' ]
}

@test "--why-not prints each rule that would have to go, by the policy without those before" {
  lines_of 'allow-path ^/x/ ^/y/' 'allow-path ^/z/' 'deny-path ^/a/' 'deny-url b' 'max-depth 3' 'traps default' '[h.example]' 'query none' \
    'deny-extension html' >p
  judge 1 --policy=p --why-not=$'http://h.example/%61/b/c/b/c/b/c/?q\tdepth=4' --fields=url,class </dev/null
  [ "$output" = "$(lines_of $'p:5\tdepth' $'p:3\tpath' $'p:4\turl' $'p:1\tpath' $'p:8\tquery' $'p:6\ttrap')" ] || { echo "$output"; false; }
  judge 0 --policy=p --why-not=http://h.example/x/ </dev/null
  [[ -z $output && $stderr == *'passes: allowed by a rule'* ]]
  judge 2 --policy=p --why-not=nonsense </dev/null
  judge 2 -e 'deny-path (' --why-not=http://h/ </dev/null
  # In an order where rules hide each other, hidden ones come to light.
  judge 1 -e 'order last-match' -e 'deny-path ^/a' -e 'deny-path b' --why-not=http://h/ab --fields=url </dev/null
  [ "$output" = "$(lines_of --rule:3 --rule:2)" ]
}

@test "the order of tests is that of the page, whatever that of the lines" {
  lines_of 'budget total 0' 'trap growing 2' 'trap calendar' 'trap repeated-keys 2' 'max-segment-repeats 1' 'trap repeated-segments 2' \
    'trap session-ids reject' 'query none' 'scope host' 'seed http://other.example/' 'deny-path a' 'max-query-length 1' 'max-parameters 1' \
    'max-path-segments 1' 'max-url-length 9' 'max-depth 1' >p
  judge 1 --policy=p --now=2026-11-20 --fields=url </dev/null \
    --why-not=$'http://h.example/a/a/a/2099/01/01?b=1&b=2&PHPSESSID=1\tdepth=3'
  [ "$(tr '\n' ' ' <<<"$output")" = 'p:16 p:15 p:14 p:13 p:12 p:11 p:9 p:8 p:7 p:6 p:5 p:4 p:3 p:2 p:1 ' ] || { echo "$output"; false; }
}

@test "--check names rules that can never match, with file and line: it was silent on all of these" {
  lines_of 'deny-path ^a' 'deny-path \?sid=' 'deny-path "a b"' 'deny-url ^HTTP://' 'deny-url ^example.com/' 'deny-url http://h:80/' \
    "deny-path '^/a'" 'deny-path ^/ok' 'deny-path ^/a#b' 'deny-url ^http://h$' 'deny-query "<"' >p
  judge 1 --policy=p --check </dev/null
  [ "$(cut -d: -f2 <<<"$output" | tr '\n' ' ')" = '1 2 3 4 5 6 7 9 10 11 ' ]
  [ "$(grep -c 'can never match' <<<"$output")" = 10 ]
  [[ $output == *'p:1: the pattern "^a" can never match a URL of the web: a path begins with a slash'* ]]
  # The same rules as they were meant.
  lines_of 'deny-path ^/a' 'deny-query (^|&)sid=' 'deny-path a%20b' 'deny-url (?i)^HTTP://' 'deny-url ^https?://example\.com/' \
    'deny-url ^http://h:8080/' 'deny-path ^/b' 'deny-url ^http://h/$' 'deny-query %3[cC]' >p
  judge 0 --policy=p --check </dev/null
}

@test "--check prints every mistake and remark, and reads no input" {
  printf '%s\n' 'deny-path a(' 'deny-path ^/a' 'deny-path ^/a/b' 'deny-domain a.example' \
    'deny-host x.a.example' 'deny-list list' 'max-depth 3' 'max-depth 4' >p
  : >list
  judge 1 --policy=p --check </dev/null
  [[ $output == *'p:1: bad pattern "a("'* ]]
  [[ $output == *'p:3: the pattern "^/a/b" is covered by p:2'* ]]
  [[ $output == *'p:5: "x.a.example" is covered by p:4'* ]]
  [[ $output == *'p:6: list lists nothing'* ]]
  [[ $output == *'p:7: "max-depth 3" has no effect: p:8 sets it again'* ]]
  echo 'deny-path ^/a' >good
  judge 0 --policy=good --check </dev/null
  [ -z "$output" ]
}

@test "--diff prints the URLs whose verdict changes, with the rule that refuses" {
  echo 'deny-path ^/a' >p
  echo 'deny-path ^/b' >q
  judge 1 --policy=p --diff=q http://h.example/a http://h.example/b http://h.example/c
  [ "${#lines[@]}" -eq 2 ]
  [[ ${lines[0]} == $'http://h.example/a\tverdict=refuse\tpolicy=p:1'* ]]
  [[ ${lines[1]} == $'http://h.example/b\tverdict=refuse\tpolicy=q:1'* ]]
  judge 0 --policy=p --diff=p http://h.example/a
  [ -z "$output" ]
}

@test "bug: of a table --diff lost the header and --hits printed bad rows; a file without the column was silence" {
  printf 'id,url,depth\n1,http://h/x,1\n2,http://h/y,2\n3,bad,1\n4,,\n5\n' >in.csv
  echo 'deny-path ^/y' >p
  echo 'deny-path ^/x' >q
  judge 1 --csv --header --policy=p --diff=q --fields=verdict,policy in.csv
  [ "$output" = "$(lines_of id,url,depth,verdict,policy 1,http://h/x,1,refuse,q:1 2,http://h/y,2,refuse,p:1)" ]
  [[ $stderr == *':4: '*'"bad"'* && $stderr == *':6: the row has fewer columns'* ]]
  judge 1 --csv --header --policy=p --diff=q --fields=verdict --on-error=mark in.csv
  [[ $output == *$'\n3,bad,1,,a relative URL'* ]]
  judge 1 --csv --header --policy=p --hits in.csv
  [ "$output" = $'p:1\tmatched=1\tdecided=1\trule=deny-path ^/y' ]
  [[ $stderr == *':4: '*'"bad"'* && $stderr == *':6: the row has fewer columns'* ]]
  for option in --hits --diff=q; do
    judge 2 --csv --field=link --policy=p $option in.csv
    [[ $stderr == *'no column is named "link"'* ]]
  done
}

@test "bug: of two options that print something in the place of lines one was ignored" {
  echo 'deny-path ^/y' >p
  local words
  for words in '--hits --check' '--hits --diff=p' '--check --why-not=http://h/' '--convert=hosts --hits' '--check --explain' \
    '--hits --invert' '--to-check --explain' '--to-check --invert'; do
    run -2 --separate-stderr url-filter --policy=p $words http://h/y
    [[ -z $output && $stderr == *'does not go with'* ]] || { echo "$words: $stderr"; return 1; }
  done
  judge 1 --policy=p --diff=/dev/null --explain http://h/y
  [[ $output == *verdict=refuse* ]]
}

# --- the policy file ----------------------------------------------------------------------------------------

@test "a section's rules apply to its hosts, and its settings take the place of the others" {
  printf '%s\n' 'max-url-length 25' '[a.example .b.example]' 'deny-path ^/x' 'max-url-length 60' \
    '[*]' 'deny-path ^/y' >p
  judge 1 --policy=p http://a.example/x http://a.example/y http://a.example/a-very-long-path \
    http://c.example/x http://c.example/a-very-long-path http://w.b.example/x
  [ "$output" = "$(lines_of http://a.example/a-very-long-path http://c.example/x)" ]
}

@test "include reads files relative to the policy's folder; sections end with their file" {
  mkdir -p d/e
  printf '%s\n' 'include e/inner' 'deny-path ^/o' >d/outer
  printf '%s\n' '[a.example]' 'deny-path ^/i' >d/e/inner
  judge 1 --policy=d/outer http://a.example/i http://b.example/i http://b.example/o
  [ "$output" = http://b.example/i ]
  echo 'include loop' >loop
  judge 2 --policy=loop http://a.example/
  [[ $stderr == *"loop:1: the file includes itself" ]]
}

@test "lists of hosts, URLs and prefixes" {
  printf '%s\n' '# a list' a.example '*.b.example' .c.example '0.0.0.0 d.example' \
    'https://e.example/x?y' 'https://e.example/dir/*' >list
  judge 1 --deny-list=list http://a.example/ http://www.a.example/ http://b.example/ http://x.b.example/ \
    http://c.example/ http://x.c.example/ http://d.example/ 'https://e.example/x?y#z' \
    'https://e.example/x?y=1' https://e.example/dir/1 https://e.example/dir
  [ "$output" = "$(lines_of http://www.a.example/ http://b.example/ 'https://e.example/x?y=1' https://e.example/dir)" ]
}

@test "of a list's bad lines five are shown, and the rest is counted" {
  printf '%s\n' a.example 'no host'{1..7} >list
  echo 'deny-list list' >p
  judge 1 --policy=p --check </dev/null
  (($(grep -c '^list:[2-6]: ' <<<"$output") == 5))
  judge 2 --policy=p http://a.example/
  [[ $stderr == *"p:1: list has 2 more lines that cannot be read"* ]]
}

@test "Unicode hosts in rules and lists are what the parser makes of them" {
  printf '%s\n' 'bücher.example' >list
  judge 1 --deny-list=list -e 'deny-host *.münchen.example' http://xn--bcher-kva.example/ \
    http://BÜCHER.example/ http://www.xn--mnchen-3ya.example/ http://a.example/
  [ "$output" = http://a.example/ ]
}

@test "the example policies are sound and do what their first lines say" {
  local policies=$SPINNERET_ROOT/tests/data/policy
  for file in "$policies"/*.policy; do
    judge 0 --policy="$file" --check </dev/null
    [ -z "$output" ]
  done
  judge 1 --policy="$policies/documents.policy" http://h.example/a.html http://h.example/a.PNG \
    http://h.example/wp-admin/x http://h.example/cal/2040/01
  [ "$output" = http://h.example/a.html ]
  judge 1 --policy="$policies/site.policy" 'https://example.org/search?q=a' 'https://example.org/?q=a' \
    'https://wiki.example.org/A?action=edit' https://shop.example.org/new/1 https://other.example/
  [ "$output" = "$(lines_of 'https://example.org/search?q=a' $'https://shop.example.org/new/1\tpriority=10')" ]
  judge 1 --policy="$policies/nutch.policy" http://h.example/a http://h.example/a.gif 'http://h.example/a?b'
  [ "$output" = http://h.example/a ]
}

@test "a crawl's traps: calendars end, paths stop growing, session ids fall together" {
  seq 2026 2100 | sed 's|.*|http://h.example/calendar/&/06|' >in
  run --separate-stderr url-filter --traps --now=2026-11-20 in
  [ "${#lines[@]}" -eq 3 ]
  url=http://h.example
  for depth in $(seq 1 60); do
    url+=/$depth-x
    printf '%s\tdepth=%d\n' "$url" "$depth"
  done >in
  run --separate-stderr url-filter --traps in
  [ "${#lines[@]}" -lt 13 ]
  for id in 1 2 3; do echo "http://h.example/a?PHPSESSID=$id&b=1"; done >in
  run --separate-stderr url-filter --traps in
  [ "$(sort -u <<<"$output")" = 'http://h.example/a?b=1' ]
}

@test "a budget that is spent says so once, with its line and the URL" {
  seq 5 | sed 's|^|http://h.example/|' >in
  run --separate-stderr url-filter -e 'budget host 2' in
  [ "$status" -eq 1 ]
  [ "${#lines[@]}" -eq 2 ]
  [ "$stderr" = 'url-filter: in:3: the budget is spent (--rule:1): "http://h.example/3"' ]
}

@test "bug: --why-not built the policy anew for each rule that refused" {
  local i
  for ((i = 0; i < 3000; i++)); do echo "deny-url [?&]p=[0-9]+&q$i|/a/[a-z]+/($i)?[b-d]"; done >many
  run -1 --separate-stderr url-filter --policy=many --why-not='http://h.example/a/x/b' --fields=url </dev/null
  [[ ${#lines[@]} -eq 3000 && ${lines[0]} == many:1 && ${lines[2999]} == many:3000 ]]
  # Parameters named by two lines, and a setting given twice, are found by a policy without the first of them.
  printf 'query-parameters /a p\nquery-parameters /a r\nmax-path-segments 0\n[h.example]\nmax-path-segments 1\n' >twice
  run -1 --separate-stderr url-filter --policy=twice --why-not='http://h.example/a?q=1' --fields=url </dev/null
  [[ $output == $'twice:1\ntwice:2' ]] || { echo "$output"; false; }
}
