#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl: options, identity, hostile links. The loop itself is tested in tests/loop.

load helper
load crawling

@test "--help is a screen, --help=all has every option of the table, and no other word will do" {
  run -0 "$crawl" --help
  ((${#lines[@]} <= 40))
  run -0 "$crawl" --help=all
  local option
  for option in $(grep -oE "^  '(-., )?--[a-z-]+" "$crawl-options.bash" | grep -oE -- '--[a-z-]+'); do
    [[ $output == *" $option"* ]] || { echo "$option is not in --help=all"; false; }
  done
  run -2 "$crawl" --help=no
}

@test "an unknown option, an option without its value and no seed are usage errors" {
  run -2 "$crawl" --depth=3 http://h/
  [[ $output == *"unknown option --depth: links to follow are bounded by --max-depth=N; see crawl --help"* ]]
  run -2 "$crawl" --resume http://h/
  [[ $output == *"the same command goes on where it stopped"* ]]
  run -2 "$crawl" --sitemap http://h/
  [[ $output == *"did you mean --sitemaps?"* ]]
  run -2 "$crawl" --bogus
  [[ $output == *"unknown option --bogus"* ]]
  run -2 "$crawl" --delay
  [[ $output == *"needs a value"* ]]
  run -2 "$crawl"
  [[ $output == "Usage: crawl"* && ${lines[-1]} == 'crawl: no crawl is kept in crawl-state: give a URL to begin one' ]]
  run -2 "$crawl" --state='my crawl'  # perhaps a mistyped name
  [[ ${lines[0]} == 'crawl: no crawl is kept in my\ crawl: give a URL to begin one'* ]]
  run -2 "$crawl" --scope=galaxy --state=s http://127.0.0.1:1/
  [[ $output == *"--scope takes"* ]]
  # bug: the seed was taken as the value of the option before it, and the answer was all of --help
  run -2 "$crawl" --max-pages https://h.example/
  [[ $output == 'crawl: --max-pages needs a value, and https://h.example/ is none' ]]
  run -2 "$crawl" --timeout http://h.example/
  [[ $output == *'--timeout needs a value'* ]]
  # bug: an option was taken as the value of the option before it, and a folder of that name was made
  run -2 "$crawl" --state --delay=1s http://h.example/
  [[ $output == 'crawl: --state needs a value, and --delay=1s is an option' ]]
  run -2 "$crawl" --items-to --text-to=x http://h.example/
  [[ $output == 'crawl: --items-to needs a value, and --text-to=x is an option' ]]
  run -2 "$crawl" --header --fetch:head http://h.example/
  [[ $output == 'crawl: --header needs a value, and --fetch:head is an option' ]]
}

@test "a host that is not loopback needs an agent and a contact" {
  run -2 "$crawl" --state=s https://example.org/ </dev/null
  [[ $output == *"name your crawler and a contact"* ]]
  run -2 "$crawl" --state=s --agent=x --contact= https://example.org/ </dev/null
  run -2 "$crawl" --state=s --agent='x y' --contact=a@b https://example.org/ </dev/null
  [[ $output == *"product token"* ]]
  run -2 "$crawl" --state=s --agent=x --contact=$'a@b\nX: y' https://example.org/ </dev/null
}

@test "loopback is refused unless allowed, and the record says so" {
  run -0 --separate-stderr "$crawl" --state=s --delay=0 http://127.0.0.1:1/
  [[ $output == *"outcome=refused-address"* ]]
  [[ $stderr == *"1 URL: private addresses are refused unless --allow-private is given (127.0.0.1 is loopback)"* ]]
}

@test "bug: an address that the policy denies was said to want --allow-private, which was given" {
  mkdir docs
  chmod 755 docs
  echo hi >docs/index.html
  start_site "$PWD/docs"
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private --filter:rule='deny-address 127.0.0.0/8' "http://localhost:$PORT/"
  [[ $output == *"outcome=refused-address"* ]]
  [[ $stderr == *"1 URL: refused-address (deny-address 127.0.0.0/8)"* ]]
}

@test "bug: a crawl that ended at a redirect to itself did not say why" {
  mkdir docs
  chmod 755 docs
  start_site "$PWD/docs" "location = / { add_header Set-Cookie in=1; return 302 /; }"
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --allow-private "http://127.0.0.1:$PORT/"
  [[ $stderr == *"1 URL: redirect (redirect to itself, with a cookie that --cookies would keep): "* ]]
}

@test "hostile links reach no shell, no file name and no terminal" {
  mkdir docs
  chmod 755 docs
  cat >docs/index.html <<'EOF'
<a href="/$(touch pwned)">1</a><a href="/`touch pwned`">2</a><a href="/;touch pwned;">3</a>
<a href="/-rf">4</a><a href="-rf">5</a><a href="/a&#10;b">6</a><a href="/&#27;[31mred">7</a>
<a href="/'%22;touch%20pwned">8</a><a href="/../../etc/passwd">9</a><a href="//127.0.0.1:1/x">10</a>
EOF
  start_site "$PWD/docs"
  run -3 --separate-stderr "$crawl" --state=s --allow-private --delay=0 "http://127.0.0.1:$PORT/"
  [[ ! -e pwned && ! -e docs/pwned ]]
  [[ $output$stderr != *$'\e'* ]]
  asked | grep -qxF '/$(touch%20pwned)'
  asked | grep -qxF '/etc/passwd'
  asked | grep -qxF '/-rf'
}

@test "--demo crawls a real small site without the internet" {
  # The demo runs with no program on PATH that draws pages or serves them, and with a careful umask.
  mkdir bin kept
  local program
  for program in mandoc nginx python3; do ln -s /bin/false "bin/$program"; done
  umask 077
  LC_ALL=xx_YY.UTF-8 PATH=$PWD/bin:$PATH TMPDIR=$PWD/kept run -0 --separate-stderr env -u SHELL "$crawl" --demo
  [[ $(grep -c 'status=404' <<<"$output") == 1 ]]
  grep -q '/missing.html.*status=404' <<<"$output"
  grep -q '/latest.*status=302' <<<"$output"
  grep -q '/spinneret.7.html.*status=200' <<<"$output"
  grep -q '/private/notes.html.*robots=disallow' <<<"$output"
  [[ $stderr == *"the first one for GET /robots.txt"* ]]
  # The report is the only file that it leaves.
  [[ $(cd kept && find . -type f) == ./spinneret-demo.*/report.html ]]
  [[ $stderr == *"file://$PWD/kept/"* ]]
  run pgrep -f "demo-server $PWD/kept"
  [[ -z $output ]]
}

@test "a seed that sends its visitors from one name to the same with www. is not the end of the crawl" {
  # The scheduler is replaced by one that sends nothing, since these hosts belong to others.
  mkdir bin
  ln -s "$SPINNERET_BIN"/* bin/
  ln -sf /bin/true bin/politeness-sched
  SPINNERET_BIN=$PWD/bin run -0 "$crawl" --state=s --agent=x --contact=a@b http://example.org/ \
    http://www.example.net/ http://127.0.0.1:1/
  run -0 cat s/scope
  [[ ${lines[*]} == "http://example.org/ http://www.example.org/ http://www.example.net/ http://example.net/ http://127.0.0.1:1/" ]]
}

@test "--dry-run says what would be fetched first and why; nothing is fetched, no state is made" {
  run -0 --separate-stderr "$crawl" --state=none --dry-run --delay=2s https://example.org/ https://example.org/b http://k.test/
  [[ ! -e none ]]
  ((${#lines[@]} == 3))
  [[ ${lines[*]} == *$'https://example.org/\tdepth=0\tpriority=8\tdelay=2\tafter=0\tverdict=accept\t'*$'\tneeds=https://example.org/robots.txt'* ]]
  [[ ${lines[*]} == *$'https://example.org/b\tdepth=0\tpriority=8\tdelay=2\tafter=2\t'* ]]
  mkdir docs
  chmod 755 docs
  echo '<a href="/private/x">1</a><a href="/b">2</a><a href="http://127.0.0.2:1/">3</a>' >docs/index.html
  printf 'User-agent: *\nDisallow: /private/\n' >docs/robots.txt
  start_site "$PWD/docs"
  "$crawl" --state=s --allow-private --delay=0 --max-pages=1 --scope=any "http://127.0.0.1:$PORT/" >records 2>progress 3>&-
  find s -type f ! -path '*/db/*' ! -name lock -exec sha256sum {} + | sort >before
  : >"$LOG"
  run -0 --separate-stderr "$crawl" --state=s --dry-run --scope=host
  [[ ! -s $LOG ]]
  find s -type f ! -path '*/db/*' ! -name lock -exec sha256sum {} + | sort | diff before -
  grep -q $'/private/x\t.*verdict=accept.*robots=disallow.*robots-rule=Disallow: /private/' <<<"$output"
  grep -q $'/b\t.*verdict=accept.*robots=allow' <<<"$output"
  grep -q $'^http://127.0.0.2:1/\t.*verdict=refuse.*why=out of scope' <<<"$output"
}

@test "bug: --dry-run, and a crawl that was refused, made empty files of --links and --text-to" {
  run -0 "$crawl" --state=none --dry-run --links=links --text-to=text --text:format=markdown https://example.org/
  run -2 "$crawl" --state=none --links=links --text-to=text --text:format=none https://example.org/
  [[ ! -e links && ! -e text ]]
}

@test "an agent's name may have digits, here as in robots-check" {
  printf 'User-agent: m2bot\nDisallow: /\n' >robots.txt
  run -1 robots-check --agent m2bot --robots robots.txt http://a.test/
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --agent=m2bot --contact=a@b http://127.0.0.1:1/
  [[ $output == *"outcome=refused-address"* ]]
}

@test "--ignore-robots says what it means" {
  run -0 --separate-stderr "$crawl" --state=s --delay=0 --ignore-robots http://127.0.0.1:1/
  [[ $stderr == *"--ignore-robots: robots.txt is not asked"* ]]
  run -0 --separate-stderr "$crawl" --state=t --delay=0 http://127.0.0.1:1/
  [[ $stderr != *ignore-robots* ]]
}

@test "limits: pages of a host, bytes, time, and as many slots as may be in flight" {
  mkdir docs
  chmod 755 docs
  local page
  for page in {1..9}; do echo "<a href=p$((page + 1)).html>x</a><a href=q$page.html>x</a>" >"docs/p$page.html"; done
  start_site "$PWD/docs"
  run -0 --separate-stderr "$crawl" --state=s --allow-private --delay=0 --max-host-pages=4 "http://127.0.0.1:$PORT/p1.html"
  ((${#lines[@]} == 4))
  run -0 --separate-stderr "$crawl" --state=t --allow-private --delay=0 --max-bytes=400 "http://127.0.0.1:$PORT/p1.html"
  ((${#lines[@]} >= 1 && ${#lines[@]} < 10))
  run -0 --separate-stderr "$crawl" --state=u --allow-private --delay=1h --max-time=1s "http://127.0.0.1:$PORT/p1.html"
  ((${#lines[@]} < 3))
  run -2 "$crawl" --state=v --allow-private --max-bytes=lots "http://127.0.0.1:$PORT/p1.html"
}

@test "bug: --max-depth marked every page that was found through a link as a duplicate" {
  mkdir docs
  chmod 755 docs
  echo '<a href=a.html>a</a><a href=b.html>b</a>' >docs/index.html
  echo '<a href=b.html>b</a><a href=c.html>c</a>' >docs/a.html
  echo b >docs/b.html
  echo c >docs/c.html
  start_site "$PWD/docs"
  local option
  for option in --max-depth=9 --delay=0; do
    "$crawl" --state="s$option" --allow-private --delay=0 "$option" "http://127.0.0.1:$PORT/" 2>progress |
      sed 's/\t.*outcome=/ /' | sort >"records$option"
  done
  (($(grep -c ' ok$' records--max-depth=9) == 4))
  diff records--max-depth=9 records--delay=0
  # Adaptive recrawl therefore sees pages that change, not duplicates.
  run -0 "$crawl" --state=s--max-depth=9 --allow-private --delay=0 --max-depth=1 --recrawl=1ms --max-pages=4
  [[ $output != *outcome=duplicate* ]]
}

@test "bug: by sh, which is no bash, scripts spoke of a bad substitution" {
  cp "$SPINNERET_ROOT/scripts/test" .
  [[ $(sh "$crawl" --help) == 'Usage: crawl '* ]]
  run -0 sh "$SPINNERET_ROOT/scripts/setup" list
  [[ $output == cmake* ]]
  # The script gets as far as its own folder, where there are no other scripts.
  run -127 sh ./test
  [[ $output == *'scripts/setup: No such file'* && $output != *'bstitution'* && $output != *'llegal'* ]] || { echo "$output"; false; }
}

@test "bug: POSIXLY_CORRECT made a crawl end with 127, and what BASH_ENV printed came among its records" {
  echo 'echo noise' >rc
  run -0 --separate-stderr env POSIXLY_CORRECT=1 BASH_ENV="$PWD/rc" "$crawl" --state=s --delay=0 http://127.0.0.1:1/
  ((${#lines[@]} == 1)) && [[ $output == *"outcome=refused-address"* ]]
}

@test "bug: an exported SHELLOPTS of noclobber, noglob or keyword was taken for a full disk, or ended the crawl" {
  run -0 --separate-stderr env SHELLOPTS=noclobber:noglob:keyword:xtrace BASHOPTS=nocasematch:failglob "$crawl" --state=s --delay=0 http://127.0.0.1:1/
  [[ $output == *"outcome=refused-address"* && $stderr != *'+ '* ]]
}

@test "bug: in Turkish no crawler's name and no option may have had an i" {
  make_turkish
  run ! env LC_ALL=tr_TR.UTF-8 grep -q '[a-z]' <<<i
  # The result is the same whichever variable sets the locale.
  run -0 --separate-stderr env LC_ALL=tr_TR.UTF-8 "$crawl" --state=s --agent=mini-bot --delay=0 --fetch:interface=lo http://127.0.0.1:1/
  [[ $output == *"outcome=refused-address"* ]]
  run -2 env -u LC_ALL LANG=tr_TR.UTF-8 "$crawl" --state=s --interface=lo
  [[ $output == *"unknown option --interface: did you mean --fetch:interface?"* ]]
}

@test "bug: in a root without /proc crawl took all it writes to for closed, and ended with 2 without a word" {
  unshare --mount --map-root-user mount -t tmpfs none /proc 2>/dev/null || skip "no namespaces"
  run -2 unshare --mount --map-root-user bash -c 'mount -t tmpfs none /proc && exec "$0" --help' "$crawl"
  [[ $output == "crawl: there is no /dev/fd here: mount /proc, to which it leads" ]]
}

@test "bug: functions that somebody has exported were called by the driver in place of sed, cat and rm" {
  local functions=() name
  for name in sed cat rm mkdir awk; do functions+=("BASH_FUNC_$name%%=() { echo shadowed; }"); done
  run -0 --separate-stderr env "${functions[@]}" "$crawl" --state=s --delay=0 http://127.0.0.1:1/
  ((${#lines[@]} == 1)) && [[ $output == *"outcome=refused-address"* && $stderr != *shadowed* ]]
  # The same where the calling shell has imported the functions already, and with a variable whose name the driver uses
  # itself.
  run -0 --separate-stderr env "${functions[@]}" frontier=/none bash "$crawl" --state=s --list
  [[ $output == *"outcome=refused-address"* && $stderr != *shadowed* ]]
  run -0 env "${functions[@]}" "$crawl" --completions=bash
  [[ $output != *shadowed* ]]
}

@test "bug: called by a program that a crawl runs, or by whoever has its variables, crawl took itself for the pipeline" {
  "$crawl" --state=s --delay=0 http://127.0.0.1:1/ >/dev/null
  run -0 env SPINNERET_STAGES=7 SPINNERET_RULES=x "$crawl" --state=s --list
  [[ $output == http://127.0.0.1:1/$'\t'*outcome=refused-address ]]
  run -0 --separate-stderr env SPINNERET_STAGES=7 SPINNERET_RULES=x "$crawl" --state=t --delay=0 http://127.0.0.1:1/
  [[ $output == *outcome=refused-address ]]
  # The same with the crawl's own lock, which programs that it runs inherit.
  exec 7<>s/lock
  run -0 env SPINNERET_STAGES=7 "$crawl" --state=s --list
  [[ $output == http://127.0.0.1:1/$'\t'*outcome=refused-address ]]
  run -0 env SPINNERET_STAGES=7 "$crawl" --state=s --report </dev/null
  [[ $output == *'<html'* ]]
  exec 7>&-
}

@test "bug: a crawl whose driver was written over meanwhile, as by an installation, ended with its new text as an error" {
  mkdir scripts && cp "$SPINNERET_ROOT"/scripts/crawl* scripts
  scripts/crawl --state=s --delay=0 --continuous http://127.0.0.1:1/ >records 2>messages 3>&- &
  soon '[[ -s records ]]'
  yes ')' | head -n 99999 >scripts/crawl
  kill -TERM $!
  local status=0
  wait $! || status=$?
  [[ $status -eq 143 && $(cat messages) != *syntax* ]] || { cat messages; false; }
}

@test "bug: with 64 file descriptors no pipeline could be locked" {
  ulimit -n 64
  run -0 --separate-stderr "$crawl" --state=s --delay=0 http://127.0.0.1:1/
  [[ $output == *"outcome=refused-address"* ]]
  [[ $stderr == *"64 file descriptors (ulimit -n) allow"* ]]
}

@test "bug: of 20 file descriptors it was said that no pipeline can be locked: Invalid argument" {
  echo http://a.example/ >seeds
  run -2 bash -c 'ulimit -n 20 && exec politeness-sched --state=s -q seeds -- cat'
  [[ $output == "politeness-sched: cannot lock s/pipeline.lock: Too many open files" ]] || { echo "$output"; false; }
}
