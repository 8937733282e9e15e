#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# url-filter: what once went wrong, in policies and in looking at them. Each test has the bug's name.
load helper

@test "bug: with query strip a page that redirects to itself with a query was never seen" {
  local location=$'http://h.example/q?lang=en\tvia=http://h.example/q\ttag=location'
  [[ $(url-filter -e 'query strip' <<<"$location") == "$location" ]]
  [[ $(url-filter -e 'query-parameters strip /q' <<<"$location") == "$location" ]]
  [[ $(url-filter -e 'query strip' --before-fetch 'http://h.example/q?lang=en') == 'http://h.example/q?lang=en' ]]
  # Links are stripped, and so are redirects elsewhere. A session id is always stripped, since it is new each time.
  run -0 url-filter -e 'query strip' -e 'trap session-ids strip' --fields=url < <(
    printf 'http://h.example/q?lang=en\tvia=http://h.example/q\ttag=a@href\n'
    printf 'http://h.example/r?lang=en\tvia=http://h.example/q\ttag=location\n'
    printf 'http://h.example/q?sid=0123456789abcdef0123456789abcdef\tvia=http://h.example/q\ttag=location\n')
  [[ $output == $'http://h.example/q\nhttp://h.example/r\nhttp://h.example/q' ]]
}

@test "bug: --exclude, --include and their like did nothing where the policy has an order of its own" {
  local order
  for order in deny-allow allow-deny first-match last-match; do
    printf 'order %s\nallow-host h.example\nallow-url /a\n' $order >p
    run url-filter --policy=p --exclude='[.]pdf$' --deny-extension=zip --include=/b --allow-domain=h.example,i.example --fields=url \
      http://h.example/a http://h.example/a.pdf http://h.example/a.zip http://h.example/a/b http://h.example/a/b.pdf http://h.example/a/b.zip http://j.example/a/b
    [[ $status == 1 && $output == http://h.example/a/b ]] || { echo "$order: $output"; false; }
    # Requisites of a page need not match --include, but must not match --exclude.
    run url-filter --policy=p --exclude='[.]gif$' --include=/b --fields=url < <(printf 'http://h.example/a.%s\tpurpose=requisite\n' gif png)
    [[ $output == http://h.example/a.png ]]
    run url-filter --policy=p --exclude=/a --check
    [[ $output != *exclude:1:* ]]
  done
  # Lines given by --rule are lines of the policy, in its order; options of a section hold for its hosts.
  run -0 url-filter -e 'order allow-deny' -e 'deny-path ^/a/' -e 'allow-path ^/a/public/' --fields=url http://h.example/a/public/y
  run -0 url-filter -e '[h.example]' --include=/b --fields=url http://h.example/b http://i.example/c
  run -1 --separate-stderr url-filter -e 'order first-match' -e 'allow-url .' --exclude=x --why-not=http://h.example/x --fields=url,rule
  [[ $output == $'--exclude:1\tdeny-url x' ]]
}

@test "bug: a user's name in a URL led around deny-prefix, deny-list and patterns" {
  local rule
  echo 'http://h.example/a*' >list
  for rule in 'deny-prefix http://h.example/a' 'deny-list list' 'deny-url ^http://h[.]example/a'; do
    run -1 url-filter -e "$rule" http://u:p@h.example/a http://u@h.example/a/b http://:p@h.example/a
    [[ -z $output ]] || { echo "$rule: $output"; false; }
    run -0 url-filter -e "al${rule/deny/low}" http://u:p@h.example/a http://u@h.example/a/b
  done
  # Rules about user names hold as well.
  run -1 url-filter -e 'deny-url ^https?://[^/]*@' -e 'allow-prefix http://u@h.example/' http://u@h.example/ http://v@h.example/ http://h.example/
  [[ -z $output ]]
}

@test "what a page shows loses its session id, whatever allow rules there are" {
  run -0 url-filter -e 'trap session-ids strip' -e 'allow-path ^/a' --fields=url \
    <<<$'http://h.example/i.png;jsessionid=0815\tpurpose=requisite'
  [[ $output == http://h.example/i.png ]]
}

# judge STATUS OPTION...: runs url-filter on stdin and checks the status.
judge() { run -"$1" --separate-stderr url-filter "${@:2}"; }

lines_of() { printf '%s\n' "$@"; }

# --- files ------------------------------------------------------------------------------------------

@test "a file that includes itself three times ran for ever" {
  lines_of 'include inc3' 'include inc3' 'include ./inc3' >inc3
  run -2 --separate-stderr timeout 20 url-filter --policy=inc3 http://a/
  [ "$stderr" = 'url-filter: inc3:1: the file includes itself' ]
  lines_of 'include b' 'deny-path ^/x' >a
  mkdir -p d
  ln -s ../a d/link
  lines_of 'include d/link' 'include a' >b
  judge 2 --policy=a http://a/
  [ "$stderr" = 'url-filter: b:1: d/link includes itself by way of this file' ]
}

@test "includes that double at each level took all memory" {
  local i
  for i in {1..14}; do lines_of "include f$((i + 1))" "include f$((i + 1))" >"f$i"; done
  echo 'deny-path ^/x' >f15
  run -2 --separate-stderr timeout 20 url-filter --policy=f1 http://a/
  [[ $stderr =~ ^'url-filter: f'[0-9]+:[12]': more than 1000 files are included, those included twice counted twice'$ ]]
  # A file that is included twice is no mistake.
  judge 1 --policy=f10 http://a/x http://a/y
  [ "$output" = http://a/y ]
}

# --- what is told -----------------------------------------------------------------------------------

@test "--hits left out the results that --results judges" {
  lines_of $'http://h.example/1\ttype=text/html\toutcome=ok' $'http://h.example/2\ttype=image/png\toutcome=ok' \
    $'http://h.example/3\ttype=image/png\toutcome=not-found' >in
  judge 1 --results --hits -e 'deny-type image/*' in
  [ "$output" = $'--rule:1\tmatched=1\tdecided=1\trule=deny-type image/*' ]
  judge 0 --hits -e 'deny-type image/*' in
  [ "$output" = $'--rule:1\tmatched=0\tdecided=0\trule=deny-type image/*' ]
}

@test "a second --explain left the first one's rule beside its own verdict" {
  url-filter --explain -e 'deny-path /a' http://h/a | sed 's,/a\t,/b\t,' >once || true
  grep -q $'policy=--rule:1\trule=' once
  judge 0 --explain -e 'deny-path /a' once
  [ "$output" = $'http://h/b\tverdict=accept\twhy=no rule refuses it' ]
}

@test "--hits and --diff judged robots.txt, which passes untouched" {
  printf 'http://h/robots.txt\tpurpose=robots\n' >in
  echo 'deny-path ^/robots' >p
  : >q
  judge 0 --policy=p --hits in
  [ "$output" = $'p:1\tmatched=0\tdecided=0\trule=deny-path ^/robots' ]
  judge 0 --policy=q --diff=p in
  [ -z "$output" ]
}

@test "--verbose was silent with --invert, --explain and --results" {
  local option
  for option in --invert --explain --action=mark --hits; do
    judge 1 --verbose "$option" --exclude=/a http://h/a http://h/b
    [ "$stderr" = 'url-filter: argument:1: denied by a rule (--exclude:1): "http://h/a"' ] ||
      { echo "$option: $stderr"; false; }
  done
  printf 'http://h/a\ttype=image/png\toutcome=ok\n' >in
  judge 1 --verbose --results -e 'deny-type image/*' in
  [ "$stderr" = 'url-filter: in:1: denied by a rule (--rule:1): "http://h/a"' ]
}

@test "a spent budget was not told of with --invert and --explain" {
  local option
  for option in --invert --explain --hits; do
    judge 1 "$option" -e 'budget host 1' http://h/a http://h/b http://h/c
    [ "$stderr" = 'url-filter: argument:2: the budget is spent (--rule:1): "http://h/b"' ] ||
      { echo "$option: $stderr"; false; }
  done
}

@test "the number of a --rule counted all options" {
  judge 1 --explain --fields=url,policy --max-depth=3 -e 'deny-path ^/a' --exclude=/c --rule='deny-path ^/b' \
    http://h/a http://h/b http://h/c
  [ "$output" = "$(lines_of $'http://h/a\t--rule:1' $'http://h/b\t--rule:2' $'http://h/c\t--exclude:1')" ]
}

# --- lists ------------------------------------------------------------------------------------------

@test "a wrong line of a list was dropped without a word" {
  local line
  for line in 'a.b:80' 'bad host' 'http://' '||ads.example^' '0.0.0.0 a.example b.example:80'; do
    lines_of '# list' good.example "$line" >list
    judge 2 --deny-list=list http://bad/
    [ -z "$output" ]
    [[ $stderr == 'url-filter: list:3: '* ]] || { echo "$line: $stderr"; false; }
  done
}

@test "a hosts file as block lists have it loads, and all names of its lines count" {
  printf '\xEF\xBB\xBF' >list
  lines_of '# Title: hosts' '' '127.0.0.1 localhost' '127.0.0.1 localhost.localdomain' '255.255.255.255 broadcasthost' \
    '::1 localhost' '::1 ip6-localhost ip6-loopback' 'fe80::1%lo0 localhost' 'ff00::0 ip6-localnet' \
    $'ff02::3\tip6-allhosts' '0.0.0.0 0.0.0.0' '0.0.0.0 m1.example m2.example' '0.0.0.0 m3.example # trailing' \
    $'0.0.0.0 m4.example\r' '0.0.0.0 -x_y.example' '0.0.0.0 ads.300' '  # indented' m5.example#x >>list
  judge 1 --deny-list=list http://m{1..6}.example/
  [ "$output" = http://m6.example/ ]
  [ -z "$stderr" ]
  judge 1 --deny-list=list --check
  [ "$output" = '--deny-list:1: list has 1 that no URL can have as a host, the first being "ads.300"' ]
}

# --- mistakes ---------------------------------------------------------------------------------------

@test "words too many, empty ones, and schemes that are none were accepted in silence" {
  local line
  for line in 'trap session-ids strip extra' 'trap repeated-keys 3 4' 'trap repeated-segments 3 4' 'trap growing 3 4' \
    'deny-scheme ""' 'allow-scheme https://' 'allow-scheme "ht tp"' 'allow-extension ""' 'deny-extension gif .' \
    'deny-extension a/b' 'deny-type html' 'allow-type ""' 'deny-type "text/html; charset=x"'; do
    echo "$line" >p
    judge 2 --policy=p http://h/
    [[ $stderr == 'url-filter: p:1: '* ]] || { echo "$line: $stderr"; false; }
  done
  judge 2 --deny-extension=, http://h/
  [[ $stderr == 'url-filter: --deny-extension:1: an extension is '* ]]
  lines_of 'trap calendar 3 4' 'deny-scheme FTP: view-source' 'deny-extension gif|jpg .png -' 'deny-type */* text/*' >p
  judge 0 --policy=p --action=mark </dev/null
}

@test "a policy file that cannot be read was found by --check, at line 0" {
  judge 2 --check --policy=nowhere
  [ -z "$output" ]
  [ "$stderr" = 'url-filter: cannot open nowhere: No such file or directory' ]
  judge 2 --policy=nowhere http://h/
  [ "$stderr" = 'url-filter: cannot open nowhere: No such file or directory' ]
}

@test "--check told of limits that are set twice, and not of scope, order, default, traps, budgets and action" {
  lines_of 'scope host' 'order first-match' 'default deny' 'action mark' 'action reject' 'traps default' 'budget /a 3' \
    'scope domain' 'order last-match' 'default allow' 'traps default' 'budget /a 4' 'budget host 1' 'budget host 2' \
    'action mark' >p
  judge 1 --policy=p --check
  [ "$(grep -c . <<<"$output")" -eq 8 ]
  local pair
  for pair in '1: "scope host"|8' '2: "order first-match"|9' '3: "default deny"|10' '4: "action mark"|5' \
    '6: "traps default"|11' '7: "budget /a 3"|12' '13: "budget host 1"|14'; do
    [[ $output == *"p:${pair%|*} has no effect: p:${pair#*|} sets it again"* ]] || { echo "$pair: $output"; false; }
  done
  [[ $output == *'p:15: "action mark" has no effect: no rule stands below it in its file'* ]]
  # Below the include there are rules, both in the included file and in the one that includes it.
  lines_of 'action mark' 'include rules' 'deny-path ^/y' 'action reject' 'deny-path ^/z' >p
  echo 'deny-path ^/x' >rules
  judge 0 --policy=p --check
  judge 0 --check -e 'action mark' -e 'deny-path ^/x'
}

# --- reading ----------------------------------------------------------------------------------------

@test "a section's comment with a bracket broke the section" {
  lines_of '[wiki.example] # see [1]' 'deny-path ^/x' '[ [::1] v.example ] # ]' 'deny-path ^/y' >p
  judge 1 --policy=p http://wiki.example/{x,y} http://v.example/{x,y} 'http://[::1]/y'
  [ "$output" = "$(lines_of http://wiki.example/y http://v.example/x)" ]
}

@test "a pattern of a tag rule that reads like a field was one even in quotes" {
  judge 0 -e 'tag-query "(^|&)a=" "sort=" priority=1' 'http://h/?sort=up' 'http://h/?a=1' http://h/
  [ "$output" = "$(lines_of $'http://h/?sort=up\tpriority=1' $'http://h/?a=1\tpriority=1' http://h/)" ]
  judge 0 -e 'tag-query "sort=" priority=1' --hits http://h/
  [[ $output == *'rule=tag-query "sort=" priority=1' ]]
  judge 2 -e 'tag-query sort= priority=1' http://h/
  [[ $stderr == *'tag-query needs something to match before the fields; '*' put it in quotes: "sort="' ]]
}

@test "query strip left an empty query" {
  judge 0 -e 'query strip' 'https://h/?' 'https://h/a?#x' 'https://h/b?c' https://h/d
  [ "$output" = "$(lines_of https://h/ 'https://h/a#x' https://h/b https://h/d)" ]
  judge 0 -e 'query strip' --hits 'https://h/?' https://h/d
  [[ $output == $'--rule:1\tmatched=1\t'* ]]
}

@test "a depth of more than 64 bits passed for 0" {
  judge 1 --max-depth=3 < <(lines_of $'http://h/1\tdepth=18446744073709551616' $'http://h/2\tdepth=3' \
    $'http://h/3\tdepth=x')
  [ "$output" = "$(lines_of $'http://h/2\tdepth=3' $'http://h/3\tdepth=x')" ]
}

@test "a session id was the reason ahead of depth and deny rules" {
  local -a url=('http://h/a;jsessionid=0123456789ABCDEF')
  judge 1 -e 'trap session-ids reject' --exclude=/a --explain --fields=policy "${url[@]}"
  [ "$output" = '--exclude:1' ]
  judge 1 -e 'trap session-ids reject' --max-depth=0 --explain --fields=policy < <(printf '%s\tdepth=1\n' "${url[@]}")
  [ "$output" = '--max-depth:1' ]
  judge 1 -e 'trap session-ids reject' -e 'budget host 0' --explain --fields=policy "${url[@]}"
  [ "$output" = '--rule:1' ]
}

# --- lists of other programs ---------------------------------------------------------------------------

# converts FORM STATUS: converts the file `list` to the file `policy`; $stderr names what was left out.
converts() {
  run -"$2" --separate-stderr url-filter --convert="$1" list
  printf '%s\n' "$output" >policy
  local err=$stderr
  run --separate-stderr url-filter --policy=policy --check
  [[ $status -le 1 && -z $stderr && $output != *'bad pattern'* ]] || { echo "$output"; false; }
  stderr=$err
}
# verdicts +URL -URL ...: checks which URLs the converted policy accepts (+) and refuses (-).
verdicts() {
  local url
  for url in "$@"; do
    run --separate-stderr url-filter --policy=policy "${url:1}"
    [[ ($url == +* && $status -eq 0) || ($url == -* && $status -eq 1) ]] || { echo "$url: $status $output $stderr"; cat policy; false; }
  done
}

@test "--convert=adblock keeps what a policy can say, and tells the rest by its line" {
  lines_of '[Adblock Plus 2.0]' '! a comment' '||ads.example^' '||Tracker.example^$important' '||third.example^$third-party' \
    '@@||good.ads.example^' '/banner/*.gif|' '|https://start.example/x' '||cdn.example^*/ad^' 'page.example##.ad' '||b.example/AD$match-case' \
    '/ad[0-9]+\.js/' '/(?=a)b/' '*' '||*.wild.example^' '/a/b$script' '||c.example^$all' $'||d.example^\r' >list
  converts adblock 1
  [ "$(head -n 1 policy)" = 'order allow-deny' ]
  [ "$(cut -d: -f2,3 <<<"$stderr" | grep -c '^ *list:[0-9]*$')" = 5 ] || { echo "$stderr"; false; }
  [[ $stderr == *'list:5: a policy has nothing like the option "third-party"'* && $stderr == *'list:10: it is about what a page shows'* ]]
  [[ $stderr == *'list:13: no RE2 pattern'* && $stderr == *'list:14: it is about every URL'* && $stderr == *'5 lines were left out'* ]]
  verdicts -http://ads.example/ -https://www.ads.example./x +http://good.ads.example/ +http://badads.example/ -http://TRACKER.example:80/ \
    +http://third.example/ -http://h/Banner/1/x.gif +http://h/banner/x.gif?a -https://start.example/xy +http://h/?u=https://start.example/x \
    -http://cdn.example/a/ad?x +http://cdn.example/a/adx -http://b.example/AD +http://b.example/ad -http://h/AD12.js +http://h/?u=http://ads.example/ \
    -http://x.wild.example/ +http://u@h/ads.example -http://ads.example@ads.example/ -http://d.example/ -http://c.example:8080/%61
}

@test "bug: converted rules with other bytes than a URL has matched nothing" {
  lines_of '/café/banner' '||h.example/é^' '||münchen.example/x' '|http://bücher.example/' '/ü[0-9]+$/' '/a "b<c>' '||straße.example^' >list
  converts adblock 0
  verdicts -http://h/café/banner -http://h/caf%c3%a9/banner +http://h/cafe/banner -http://h.example/é -http://münchen.example/x -http://xn--mnchen-3ya.example/x \
    -http://bücher.example/ -http://h/ü12 -http://h/%C3%BC1 +http://h/ü -'http://h/a "b<c>' -http://straße.example/
  [ "$(LC_ALL=C grep -c $'[\x80-\xff]' policy)" = 1 ] # the host of a domain rule
  lines_of '-/é+' '-[é]' '+.' >list
  converts nutch 0
  verdicts -http://h/é -http://h/éé +http://h/x
}

@test "bug: a converted pattern with a blank and a backslash at its end was a quote that nothing closes" {
  lines_of '-a b\\' '-c\\' '+.' >list
  converts nutch 0
  verdicts '-http://h/?c\' '+http://h/?c' '+http://h/?b\'
}

@test "--convert=dnsmasq takes what blocks, and not what forwards" {
  lines_of '# c' 'address=/a.example/b.example/0.0.0.0' 'address=/c.example/' 'server=/d.example/' 'server=/e.example/192.0.2.1' 'cache-size=10' \
    'address=/#/0.0.0.0' 'local=/*.f.example/' 'address=/g.example/192.0.2.7' 'address=/h.example/::' 'address=/i.example/#' >list
  converts dnsmasq 1
  [[ $stderr == *list:5:*192.0.2.1* && $stderr == *list:6:* && $stderr == *list:7:* && $stderr == *list:9:* && $stderr == *'4 lines were left out'* ]]
  verdicts -http://a.example/ -http://x.b.example/ -http://c.example/ -http://d.example/ +http://e.example/ -http://x.f.example/ +http://f.example/ +http://g.example/ \
    -ftp://h.example/ -http://x.y.i.example/ +http://ba.example/
}

@test "--convert=surt takes Heritrix's prefixes, also those that end within a label" {
  lines_of '# c' 'http://(com,example,' '+http://(org,archive,www,)/movies' '-http://(com,example,bad,' 'https://(net,exam' 'http://(de,h,:8080)/' \
    'web.example' 'http://dir.example/a/b.html' 'http://(1.2.3.4)/' 'http://(com,user@x' 'no(surt' 'ftp://(org,f,)/' 'http://(fr,whole,)' >list
  converts surt 1
  [[ $stderr == *list:10:* && $stderr == *list:11:* && $stderr == *'2 lines were left out'* ]]
  verdicts +http://example.com/ +https://www.example.com:81/a -http://bad.example.com/ +http://badexample.com.example.com/ -http://badexample.com/ \
    +http://www.archive.org/movies2 -http://www.archive.org/x -http://archive.org/movies +http://u:p@a.example.net/ +http://examples.net/ -http://xexam.net/ \
    +http://h.de:8080/x -http://h.de/x +http://web.example/ +http://dir.example/a/c -http://dir.example/b +http://1.2.3.4/ -http://1.2.3.40/ \
    +ftp://f.org/ -http://f.org/ +http://whole.fr/ -http://whole.fragment/ -http://h/?http://example.com/
}

@test "bug: --convert=surt took a host for all below it, no port, and labels without (" {
  lines_of 'web.example' '+http://port.example:8080/a/b?c/d' 'http://dir.example' 'org,whatever,' '+http://:80/x' >list
  converts surt 1
  [[ $stderr == *'list:4: no SURT prefix'* && $stderr == *list:5:* && $stderr == *'2 lines were left out'* ]]
  verdicts +http://web.example/x +https://web.example./ -http://www.web.example/ +http://port.example:8080/a/c -http://port.example:8080/b -http://port.example/a/ \
    +http://dir.example/a -http://sub.dir.example/
}

@test "bug: --convert=adblock took a dollar within an option for the one ahead of the options" {
  lines_of '||a.example/x.js$xhr,replace=/a$/b/' '||b.example^$domain=c.example,replace=/(/$1)/' '/cost$' >list
  converts adblock 1
  [[ $stderr == *'list:1: a policy has nothing like the option "xhr"'* && $stderr == *'list:2: a policy has nothing like the option "domain=c.example"'* ]]
  verdicts +http://a.example/x.js -http://h/cost
}

@test "--convert=nutch takes regex-urlfilter.txt in its order" {
  lines_of '# skip file: ftp: and mailto: urls' '-^(file|ftp|mailto):' '' '-(?i)\.(gif|jpg|png)$' '-[?*!@=]' '-.*(/[^/]+)/[^/]+\1/[^/]+\1/' '-[a-z&&[^b]]x' \
    '+^https?://([a-z0-9-]+\.)*example\.com/' 'oops' '-.' >list
  converts nutch 1
  [[ $stderr == *'list:6: no RE2 pattern'* && $stderr == *list:7:* && $stderr == *'list:9: neither + nor - comes first'* ]]
  verdicts +http://www.example.com/a -http://www.example.com/a.GIF -http://example.com/?a -ftp://example.com/ -http://other.example/ -http://example.com.evil/
}

@test "--convert=cidr takes ranges, hosts and host:port; --convert=hosts what a hosts file blocks" {
  lines_of 10.0.0.0/8 192.0.2.7 2001:db8::/32 h.example k.example:8080 d.example:80 '.t.example:443' '; c' 10.0.0.1/33 x:99999 >list
  converts cidr 1
  [[ $stderr == *list:9:* && $stderr == *list:10:* ]]
  verdicts -http://10.1.2.3/ -http://192.0.2.7:81/ -http://[2001:db8::1]/ +http://11.0.0.1/ -ftp://h.example/ -http://k.example:8080/x +http://k.example/ \
    -http://d.example/ -http://d.example:80/x +https://d.example/ -https://d.example:80/ -https://a.t.example/ -https://t.example./ +http://t.example/
  lines_of '127.0.0.1 localhost' '::1 ip6-localhost ip6-loopback' '0.0.0.0 ads.example b.example # c' 'c.example' '192.0.2.1 nas' '0.0.0.0 0.0.0.0' '0.0.0.0' >list
  converts hosts 1
  [[ $stderr == *'list:5: the name is given an address, and not blocked'* && $stderr == *list:7:* ]]
  verdicts -http://ads.example/ -http://b.example/ -http://c.example/ +http://nas/ +http://x.c.example/ +http://localhost/
  # Everything was converted: status 0. The list may be standard input.
  run -0 --separate-stderr url-filter --convert=hosts < <(lines_of '0.0.0.0 a.example')
  [ "$output" = 'deny-host a.example' ]
  run -2 --separate-stderr url-filter --convert=squid list
  [[ $stderr == *adblock*dnsmasq*surt* ]]
}

@test "bug: a policy that sets many fields took time by their square" {
  awk 'BEGIN { for (i = 0; i < 200000; i++) print "tag-path ^/a" i "/ k" i "=v" }' >tags
  (is_sanitized || ulimit -t 20; url-filter --policy=tags http://h/a7/) >got
  [[ $(<got) == $'http://h/a7/\tk7=v' ]]
}

@test "bug: rules in UTF-16 were refused as a binary file, each line anew" {
  local text=$'deny-path /x' option
  for option in policy deny-list params; do
    { printf '\xff\xfe' && iconv -t UTF-16LE <<<"$text"; } >wide
    case $option in params) set -- url-normalize ;; *) set -- url-filter ;; esac
    run -2 --separate-stderr "$@" --$option=wide http://h/
    [[ $stderr == *'wide'*' is in UTF-16: make it UTF-8 first'* && ${#stderr_lines[@]} -le 2 ]] || { echo "$option: $stderr"; false; }
  done
  run -2 --separate-stderr extract-items --rules=wide /dev/null
  [[ $stderr == 'extract-items: --rules: wide is in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)'* ]]
  printf '\xef\xbb\xbfhttp://h/a\n' >seeds
  [[ $(url-filter -e 'seeds seeds' -e 'scope host' http://h/b 2>&1) == http://h/b ]]
}

@test "bug: beside default deny an allow-type refused every link, whose type nobody knows yet" {
  local order
  for order in deny-allow allow-deny first-match last-match; do
    printf '%s\n' "order $order" 'default deny' 'allow-type text/html' 'deny-path ^/private/' >policy
    run -1 url-filter --policy=policy http://h/a http://h/private/b
    [[ $output == http://h/a ]] || { echo "$order: $output"; false; }
    run -1 url-filter --policy=policy <<<$'http://h/a\ttype=image/png'
    [[ -z $output ]]
    run -1 --separate-stderr url-filter --policy=policy --explain http://h/a http://h/private/b
    [[ ${lines[0]} == *verdict=accept* && ${lines[1]} == *'why=denied by a rule'* ]]
  done
}
