#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the crawl promises, in the whole loop: pages come with what they show, fields of seeds and rules are passed on,
# seeds come in while it runs, an outage passes, and a crawl that ends early says why. The server's log is the judge.

load ../cli/helper
load ../cli/servers
load site

crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --state=s --allow-private --delay=0 "$@" 3>&-
}
# Starts a crawl that does not end by itself; sets `running` to the driver's process, which a subshell would hide.
crawl_on() {
  "$SPINNERET_ROOT/scripts/crawl" --state=s --allow-private --delay=0 --continuous "$@" >>records 2>progress 3>&- &
  running=$!
}
# make_docs NAME TEXT...: makes pages below docs/.
make_docs() {
  mkdir -p docs
  chmod 755 . docs
  while (($#)); do mkdir -p "docs/$(dirname "$1")" && printf '%s\n' "$2" >"docs/$1" && shift 2; done
}
# pages: prints HOST PATH of all requests except robots.txt, sorted.
pages() { log_is_whole && awk '$4 != "/robots.txt" { print $3 $4 }' "$LOG" | sort; }

@test "--requisites: what pages show is fetched whatever the scope, the depth and --include; robots.txt is asked, links are not followed" {
  make_docs robots.txt $'User-agent: *\nDisallow: /secret' style.css 'b { background: url(far.png) }' \
    img/a.png png img/b.png png next.html '<img src=img/b.png>' shy.png png secret.png png code.js 'x = "/never.html"'
  start_site "$PWD/docs"
  make_docs index.html "<link rel=stylesheet href=style.css><img src=img/a.png><img src=secret.png>
    <a href=http://127.0.0.2:$PORT/linked.png><img src=http://127.0.0.2:$PORT/linked.png></a>
    <script src=http://127.0.0.2:$PORT/code.js></script><a href=next.html>next</a>
    <img src=http://127.0.0.2:$PORT/to/moved.png><img src=shy.png>"
  make_docs linked.png png moved.png png
  # A redirect leads to a third host.
  sed -i "s|root $PWD/docs;|& location = /to/moved.png { return 302 http://127.0.0.3:$PORT/moved.png; }|" "$SITE/nginx.conf"
  stop_site && restart_site && : >"$LOG"
  crawl --requisites --max-depth=1 --exclude=shy --include=next "http://127.0.0.1:$PORT/" >records 2>progress
  cat progress
  diff <(pages) - <<'EOF'
127.0.0.1/
127.0.0.1/far.png
127.0.0.1/img/a.png
127.0.0.1/img/b.png
127.0.0.1/next.html
127.0.0.1/style.css
127.0.0.2/code.js
127.0.0.2/linked.png
127.0.0.2/to/moved.png
127.0.0.3/moved.png
EOF
  # Each host is asked for robots.txt first.
  [[ $(awk '!($3 in seen) { seen[$3]; print $4 }' "$LOG" | sort -u) == /robots.txt ]]
  grep -qP "^http://127.0.0.2:$PORT/linked.png\t.*purpose=requisite.*outcome=ok" records
  grep -qP "/secret.png\t.*outcome=blocked-by-robots" records
  run -0 crawl --list
  grep -qP '/code.js\t.*purpose=requisite' <<<"$output"
  # Without the option none of them is asked for.
  : >"$LOG" && rm -r s
  crawl "http://127.0.0.1:$PORT/" >records 2>progress
  [[ $(pages) == $'127.0.0.1/\n127.0.0.1/next.html' ]]
}

@test "bug: --requisites left out what style sheets and frames show, in every body mode; sheets without end do end" {
  make_docs index.html '<link rel=stylesheet href=css/a.css><style>@import "/css/s.css";</style><iframe src=frame.html></iframe>' \
    frame.html '<img src=framed.png><a href=never.html>x</a>' framed.png png css/s.css 'i { background: url(s.png) }' css/s.png png \
    css/b.css '@import "a.css"; @font-face { src: url(font.woff2) format("woff2") } u { filter: url(#local) }' css/font.woff2 font css/deep.png png far.png png
  local mode want
  start_site "$PWD/docs" 'location /endless/ { default_type text/css; return 200 "@import \"/endless/$request_id\";"; }'
  make_docs css/a.css "@import url(b.css) screen; b { background: url(http://127.0.0.2:$PORT/far.png) } a { color: red; background: url('deep.png') }
    @import url(/endless/);"
  want=$(printf '%s\n' 127.0.0.1/ 127.0.0.1/css/{a.css,b.css,deep.png,font.woff2,s.css,s.png} 127.0.0.1/frame{,d}.{html,png} 127.0.0.2/far.png | grep -v -e frame.png -e framed.html)
  for mode in --quiet --store=bodies --warc=w.warc.gz; do
    rm -rf s && : >"$LOG"
    crawl "$mode" --requisites --max-depth=0 "http://127.0.0.1:$PORT/" >records 2>progress
    diff <(pages | grep -v /endless/) - <<<"$want"
    # There are eight sheets in a row, counting the page's own.
    (($(pages | grep -c /endless/) == 7)) || { pages; false; }
    [[ -z $(pages | uniq -d) ]]
    # The kept bodies give the same links.
    if [[ $mode == --quiet ]]; then continue; fi
    extract-links --requisites --links --fields=url records | grep -q /css/font.woff2
  done
  # A sheet that is crawled as a page of its own leads to nothing.
  rm -rf s && : >"$LOG"
  crawl "http://127.0.0.1:$PORT/css/a.css" >records 2>progress
  [[ $(pages) == 127.0.0.1/css/a.css ]]
}

@test "bug: priority, realm and other fields of seeds, and fields that rules give links, were lost" {
  make_docs index.html '<a href=news/1.html>1</a><a href=old/1.html>2</a>' news/1.html x old/1.html x
  start_site "$PWD/docs"
  printf 'http://127.0.0.1:%s/\tpriority=9\trealm=home\tid=7\n' "$PORT" >seeds
  printf 'tag-path ^/news/ realm=news priority=7\n[127.0.0.1]\ntag-path ^/old/ realm=archive\n' >policy
  crawl --policy=policy ./seeds >records 2>progress
  grep -qP '^http://[^/]*/\trealm=home\tid=7\tdepth=0\tpriority=9\t.*outcome=ok' records
  grep -qP '/news/1.html\t.*realm=news\t.*priority=7\t.*outcome=ok' records
  grep -qP '/old/1.html\t.*realm=archive\t.*outcome=ok' records
  crawl --list >list
  grep -qP '/\trealm=home\tid=7\tstate=done\t' list
  grep -qP '/news/1.html\trealm=news\tstate=done\t.*priority=7' list
  crawl --list --sched:form=classic >list
  grep -qP '/news/1.html news \d+$' list
  grep -qP '/old/1.html archive \d+$' list
  grep -qP '/ home \d+$' list
}

@test "--add gives seeds to a crawl that runs, with their scope and fields; none is lost or taken twice, whoever is killed" {
  make_docs index.html '<a href=slow.html>x</a>' slow.html x more.html '<a href=deep.html>x</a>' deep.html x
  start_site "$PWD/docs"
  crawl_on "http://127.0.0.1:$PORT/"
  soon "grep -qs '/slow.html.*outcome=ok' records"
  printf 'http://127.0.0.2:%s/more.html\tshelf=blue\n' "$PORT" >more
  run -1 crawl --add ./more "http://127.0.0.3:$PORT/more.html" ftp://127.0.0.1/
  [[ $output == *"2 seeds wait for the crawl that runs"* && $output == *"not http or https: ftp://"* ]]
  soon '(($(grep -c "/deep.html.*outcome=ok" records) == 2))'
  grep -qP '^http://127.0.0.2:\d+/more.html\tshelf=blue\tdepth=0\tpriority=8\t' records
  grep -q '2 seeds came in' progress
  kill "$running" && wait "$running" || true
  # While nothing runs, seeds wait for the next run; a line torn by a kill does no harm.
  printf 'http://127.0.0.9:' >>s/frontier/inbox
  run -0 crawl --add "http://127.0.0.4:$PORT/more.html" "http://127.0.0.2:$PORT/more.html"
  crawl_on
  soon '(($(grep -c "/deep.html.*outcome=ok" records) == 3))'
  [[ ! -s s/frontier/inbox ]]
  kill "$running" && wait "$running" || true
  running=''
  [[ -z $(pages | uniq -d) ]] || { pages; false; }
  # The scope holds in later runs, too.
  crawl --dry-run --recrawl=1ms | grep -P '^http://127.0.0.4:\d+/deep.html\t.*verdict=accept'
  run -2 "$SPINNERET_ROOT/scripts/crawl" --state=s --add https://example.org/
  [[ $output == *"the crawl has no contact, which hosts other than loopback are to be told"* ]]
  run -2 "$SPINNERET_ROOT/scripts/crawl" --state=nosuch --add http://127.0.0.1/
  [[ $output == *"no crawl is kept in nosuch"* && ! -e nosuch ]]
}

@test "the network goes and comes: the crawl pauses, loses nothing, asks for nothing twice, and ends with status 0" {
  local host seeds=() page
  make_docs
  for page in {1..40}; do make_docs "$page.html" "<a href=$((page + 1)).html>next</a>"; done
  make_docs index.html '<a href=1.html>next</a>' 41.html end
  start_site "$PWD/docs"
  for host in {1..4}; do seeds+=("http://127.0.0.$host:$PORT/"); done
  "$SPINNERET_ROOT/scripts/crawl" --state=s --allow-private --delay=100ms --sched:retry-delay=4s "${seeds[@]}" \
    >records 2>progress 3>&- &
  running=$!
  # (That is three seconds before the last page.)
  soon '(($(wc -l <"$LOG") >= 40))'
  stop_site
  soon 'grep -q "the crawl pauses" progress'
  restart_site
  local status=0
  wait "$running" || status=$?
  cat progress
  ((status == 0))
  grep -q 'has answered: the crawl goes on, after a pause of' progress
  # There are 42 pages on each of four hosts, each asked for once, except those in flight when the server stopped.
  (($(pages | sort -u | wc -l) == 4 * 42))
  (($(pages | uniq -d | wc -l) <= 4))
  (($(grep -c 'outcome=ok' records) == 4 * 42))
  run ! grep -E 'blocked-by-robots|-failed' records
}

@test "addresses that a policy denies are refused in the loop, also of hosts that are names" {
  make_docs index.html 'x'
  start_site "$PWD/docs" '' ''
  printf 'deny-address 127.0.0.0/30\n' >policy
  crawl --policy=policy "http://localhost:$PORT/" "http://127.0.0.9:$PORT/" "http://127.0.0.2:$PORT/" >records 2>progress || true
  cat records progress
  grep -qP '^http://127.0.0.9:\d+/\t.*outcome=ok' records
  grep -qP '^http://127.0.0.2:\d+/\t.*outcome=blocked-by-policy' records
  grep -qP '^http://localhost:\d+/\t.*outcome=refused-address' records
}

@test "a robots.txt that is forbidden (401, 403) allows all, as RFC 9309 has it, and --robots:deny-status refuses" {
  make_docs index.html 'x'
  start_site "$PWD/docs" 'location = /robots.txt { return 403; }'
  crawl "http://127.0.0.1:$PORT/" >records 2>progress
  grep -q 'outcome=ok' records
  rm -r s
  crawl --robots:deny-status=401,403 "http://127.0.0.1:$PORT/" >records 2>progress
  grep -q 'outcome=blocked-by-robots' records
}

@test "--why is one answer: scope, policy, robots.txt, the frontier and the host, with the page that it was found on" {
  make_docs robots.txt $'User-agent: *\nDisallow: /b' index.html '<a href=a.html>a</a><a href=b.html>b</a><a href=c.html>c</a>' \
    a.html '<a href=d.html>d</a><a href=http://127.0.0.2:1/>x</a>' d.html x
  start_site "$PWD/docs"
  local home=http://127.0.0.1:$PORT
  crawl --exclude=/c "$home/" >records 2>progress
  run -0 crawl --why="$home/d.html"
  [[ ${lines[0]} == "url: $home/d.html" && ${lines[1]} == "scope: in it, or a seed" && ${lines[2]} == "policy: accepted"* ]]
  [[ ${lines[3]} == "robots: allow"* && ${lines[4]} == "state: done" ]]
  [[ $output == *"depth: 2"*"via: $home/a.html"*"host: $home"* ]]
  run -0 crawl --why="$home/b.html"
  [[ $output == *"robots: disallow by Disallow: /b (line 2)"*"state: blocked"* ]]
  run -1 crawl --why="$home/c.html"
  [[ $output == *"policy: refused: denied by"*"/c (--exclude:1)"* && $output == *"not in this state"* ]]
  run -1 crawl --why="http://127.0.0.2:1/"
  [[ $output == *"scope: refused: out of scope"* && $output == *"not in this state"* ]]
}

@test "a short crawl explains itself: seeds redirected away, links refused, robots.txt, failures, no network, no links" {
  make_docs index.html '<a href=http://127.0.0.2:1/1>1</a><a href=http://127.0.0.2:1/2>2</a><a href=/no/3>3</a>' \
    robots.txt $'User-agent: *\nDisallow: /no'
  start_site "$PWD/docs" "location = /moved { return 301 http://127.0.0.3:1/here; }"
  local home=http://127.0.0.1:$PORT
  crawl --scope=host,fixed "$home/" "$home/moved" "$home/lost" >records 2>progress
  cat progress
  grep -qF "why there is no more than 3 pages:" progress
  grep -qF "\"$home/moved\" redirects to \"http://127.0.0.3:1/here\", which is refused by scope host (--same-host:1)" progress
  grep -qE '3 links refused by scope host \(--same-host:1\): ("http://127.0.0.(2:1/1|2:1/2|3:1/here)" ?){3}$' progress
  grep -qF "1 URL: robots.txt forbids it by \"Disallow: /no\": \"$home/no/3\"" progress
  grep -qE "1 URL: not-found.*: \"$home/lost\"" progress
  # Nothing is left; nothing answers; there is no link to follow.
  crawl >records 2>progress
  grep -qE 'nothing was left to fetch: all [0-9] URLs of this state are settled' progress
  rm -r s
  crawl --patience=1 --tries=1 http://127.0.0.7:1/ >records 2>progress || (($? == 3))
  grep -qF 'nothing that was asked has answered: is this machine connected?' progress
  grep -qE 'is unavailable \(connect-failed: .+\): "http://127.0.0.7:1/"' progress
  rm -r s
  make_docs alone.html '<script src=app.js></script>'
  crawl "$home/alone.html" >records 2>progress
  grep -qF 'no link to follow was found' progress
  # A crawl that its limits ended needs no explanation, and --quiet prints none.
  rm -r s
  crawl --max-pages=1 "$home/" >records 2>progress
  run ! grep 'why there is' progress
}

@test "what politeness-sched is asked instead of a crawl is one thing, and its folder is told from crawl's" {
  make_docs index.html x
  start_site "$PWD/docs"
  crawl "http://127.0.0.1:$PORT/" >records 2>progress
  run -2 politeness-sched --state=s/frontier --list --forget='*'
  [[ $output == *"--list and --forget exclude each other"* ]]
  run -2 politeness-sched --state=s/frontier --hosts --clear-errors
  run -0 politeness-sched --state=s/frontier --list
  [[ $output == *"state=done"* ]]
  local action
  for action in --list --hosts --verify --show=http://a/ --add; do
    local seed=(http://127.0.0.1/) && [[ $action == --add ]] || seed=()
    run -2 politeness-sched --state=s "$action" "${seed[@]}"
    [[ $output == *"there is no state in s: did you mean --state=s/frontier?" ]]
  done
}

@test "bug: bash spoke of its jobs when a reader left or a second signal came; each leaves one word, and the state whole" {
  make_docs index.html '<a href=1.html>1</a><a href=2.html>2</a>' 1.html x 2.html x
  start_site "$PWD/docs"
  local home=http://127.0.0.1:$PORT/
  crawl --delay=20ms "$home" 2>progress | head -1 >first
  run ! grep -vE '^(politeness-sched|crawl): ' progress
  start_python silentsite silent-port 1
  crawl_on --quiet --ignore-robots "http://127.1.0.1:$(<silent-port)/"
  soon '(($(wc -l <s/frontier/pipeline.lock) == 1)) && grep -qs "/2.html.*outcome=ok" records'
  kill "$running"
  soon 'grep -q "stopping: waiting for 1 in flight" progress'
  kill "$running"
  local status=0
  wait "$running" || status=$?
  stop_python silentsite
  running=''
  cat progress
  ((status == 143))
  run ! grep -vE '^(politeness-sched|crawl): ' progress
  run -0 crawl --list
  [[ $(grep -c state=done <<<"$output") == 3 && $(grep -c state=waiting <<<"$output") == 1 ]]
}
