#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What politeness-sched reports of a state, takes from it and writes of it; and wrong usage.

load helper
load sched

# Makes a state of 20 pages, of which 7 were asked for: one failed for good, one is blocked.
make_state() {
  sched --tries 1 --max-pages 6 http://h.test/1 http://g.test/x -- bash -c 'while IFS= read -r line; do
      url=${line%%$'\''\t'\''*} n=${url##*/} outcome=ok
      case $n in x) outcome=server-error ;; 3) outcome=blocked-by-robots ;; esac
      if [[ $n != x ]]; then
        for link in $((2 * n)) $((2 * n + 1)); do
          ((link <= 20)) && printf "http://h.test/%s\tdepth=1\tvia=%s\n" "$link" "$url"
        done
      fi
      printf "%s\tstatus=200\tdigest=d%s\tetag=\"e\"\toutcome=%s\n" "$line" "$n" "$outcome"
    done' >/dev/null
}

@test "--list is sorted and complete, by state, by host, and in the classic form" {
  make_state
  run -0 sched --list
  [[ $output == "$(sort <<<"$output")" ]]
  local all=${#lines[@]} part=0 state
  for state in waiting done error blocked; do
    run -0 sched --list --with-state "$state"
    [[ $(grep -c "state=$state" <<<"$output") == "${#lines[@]}" ]]
    part=$((part + ${#lines[@]}))
  done
  ((all == part))
  run -0 sched --list --host g.test
  [[ $output == http://g.test/x*outcome=server-error ]]
  run -0 sched --list --form classic --host h.test
  [[ $output =~ 'http://h.test/1 http://h.test '1[0-9]{9} ]]
  [[ $output == *"http://h.test/3 http://h.test 3"* && $output =~ 'http://h.test '0 ]]
  run -2 sched --list --with-state odd
}

@test "bug: --form=classic dropped --json and --fields, and gave --export lines that --import does not read" {
  run -0 --separate-stderr sched http://a.test/ -- bash -c "$(answer outcome=ok)"
  local option
  for option in "--list --json" "--list --fields=url" --export; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr sched --form classic $option
    option=${option#--list }
    [[ $stderr == "politeness-sched: --form=classic and ${option%%=*} exclude each other"* && -z $output ]]
  done
  run -0 sched --export --form record
}

@test "--show says everything, and why a URL waits" {
  make_state
  run -0 sched --show http://h.test/2 --show 'HTTP://H.test:80/1#x'
  [[ $output == *"url: http://h.test/2"*"via: http://h.test/1"*"digest: d2"*"url: http://h.test/1"* ]]
  run -0 sched --show "$(sched --list --with-state waiting --fields url | head -1)"
  [[ $output == *"why: "*" more wait at its host"* ]]
  run -0 sched --hours "$(date -d '+2 hour' +%H:00-%H:30)" --show "$(sched --list --with-state waiting --fields url | head -1)"
  [[ $output == *"why: nothing goes out before the --hours begin, at "* ]]
  run -1 sched --show http://h.test/none
  [[ $output == *"not in this state"* ]]
  run -2 sched --show nonsense
}

@test "bug: --show said that the policy accepts what it had not asked, and left out priority and fields of one's own" {
  printf 'http://h.test/a?policy=accepted\trealm=a\\tb, c\tpriority=9\tx\n' | politeness-sched --state s -q --delay 0 - -- sed -u 's/$/\toutcome=blocked-by-policy/' >/dev/null
  run -0 politeness-sched --state s --show 'http://h.test/a?policy=accepted'
  [[ $output == "url: http://h.test/a?policy=accepted"$'\n'"state: blocked"$'\n'* ]]
  grep -qx 'priority: 9' <<<"$output"
  grep '^field: ' <<<"$output" | diff - <(printf 'field: %s\n' 'realm=a\tb, c' x)
  run -0 politeness-sched --state s --show 'http://h.test/a?policy=accepted' --judged=$'http://h.test/a\tverdict=refuse\trule=deny-path /a\twhy=no'
  [[ ${lines[1]} == 'policy: refused: no by deny-path /a' ]]
}

@test "--hosts counts" {
  make_state
  run -0 sched --hosts --fields url,done,error,blocked
  [[ ${lines[0]} == $'http://g.test/\t0\t1\t0' ]]
  [[ ${lines[1]} == $'http://h.test/\t5\t0\t1' ]]
}

@test "--hosts says which have had their --max-host-pages, as the last run had it or as it is given" {
  run -0 --separate-stderr sched --max-host-pages 2 http://{a,b}.test/{1,2} http://a.test/3 -- bash -c "$(answer outcome=ok)"
  run -0 sched --hosts --fields url,pages,finished
  [[ ${lines[0]} == $'http://a.test/\t2\tit has had its --max-host-pages' && ${lines[1]} == $'http://b.test/\t2\t' ]]
  run -0 sched --hosts --max-host-pages 3 --fields url,finished
  [[ ${lines[0]} == $'http://a.test/\t' ]]
  # The limit belongs to that run, and the host has not failed: in another state it is asked.
  sched --export >export
  run -0 timeout 100 politeness-sched --state other --import export
  run -0 --separate-stderr timeout 100 politeness-sched --state other -q -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
}

@test "looking in works beside a running crawl, tending does not" {
  mkfifo hold
  politeness-sched --state s -q http://a.test/1 http://a.test/2 -- bash -c \
    'read -r line; echo up >up; read -r x <hold; printf "%s\toutcome=ok\n" "$line"; while read -r line; do printf "%s\toutcome=ok\n" "$line"; done' 3>&- >out &
  local first=$!
  soon '[[ -e up ]]'
  run -0 sched --list
  ((${#lines[@]} == 2))
  run -0 sched --verify
  run -2 sched --clear-errors
  echo go >hold
  wait "$first"
}

@test "--export and --import carry a state over" {
  make_state
  sched --export >export
  run -0 timeout 100 politeness-sched --state other --import export
  timeout 100 politeness-sched --state other --delay 0 --export >again
  diff export again
  run -0 timeout 100 politeness-sched --state other --verify
  run -1 timeout 100 politeness-sched --state other --import export
  # The crawl goes on from there.
  run -0 --separate-stderr timeout 100 politeness-sched --state other -q --delay 0 -- bash -c "$(answer outcome=ok)"
  [[ $(cut -f1 <<<"$output" | sort) == "$(grep state=waiting export | cut -f1 | sort)" ]]
}

@test "bug: a column named history was lost by --export and --import" {
  printf '%s\n' $'http://a.test/1\thistory=mine' $'http://a.test/2\thistory=1,2,3\tnote=x' >seeds
  run -0 sched seeds -- bash -c "$(answer 'status=200\\tdigest=d\\toutcome=ok')"
  run -0 sched --recrawl=best:2/h,least=1ms -- bash -c "$(answer 'status=200\\tdigest=d\\toutcome=ok')"
  sched --export >export
  [[ $(grep -c $'\thistory=mine' export) == 1 && $(grep -c $'\thistory=1,2,3' export) == 1 ]] || { cat export; false; }
  run -0 timeout 100 politeness-sched --state other --import export
  timeout 100 politeness-sched --state other --delay 0 --export >again
  diff export again
}

@test "--export and --import carry over how hosts want to be asked" {
  run -3 --separate-stderr sched http://{slow,busy,down}.test/{1,2} --tries 1 --patience 1 --retry-delay 1ms --max-time 4s -- bash -c '
    while IFS= read -r line; do
      case $line in
        *slow*) printf "%s\tcrawl-delay=120\tip=192.0.2.7\toutcome=ok\n" "$line" ;;
        *busy*) printf "%s\tstatus=429\tretry-after=600\toutcome=rate-limited\n" "$line" ;;
        *) printf "%s\toutcome=dns-failed\n" "$line" ;;
      esac
    done'
  sched --export >export
  run -0 timeout 100 politeness-sched --state other --import export
  timeout 100 politeness-sched --state other --delay 0 --export | diff export -
  timeout 100 politeness-sched --state other --delay 0 --hosts | diff <(sched --hosts) -
  # Only the host that another run had given up is asked within these seconds.
  run -0 --separate-stderr timeout 100 politeness-sched --state other -q --max-time 4s -- bash -c "$(answer outcome=ok)"
  [[ $(cut -d/ -f3 <<<"$output" | sort -u) == down.test ]]
  run -0 timeout 100 politeness-sched --state other --verify
}

@test "--export and --import carry over what a host's answers have taught, and its --throttle" {
  run -0 --separate-stderr sched --delay 10ms --throttle 3/1h --max-time 4s http://a.test/{1..6} -- bash -c '
    n=0
    while IFS= read -r line; do printf "%s\ttime-ms=40\toutcome=ok\n" "$line"; done'
  ((${#lines[@]} == 3))
  sched --export >export
  grep -q $'^http://a.test/\twaiting=3\t.*\tdelay-factor-percent=197\ttime-ms=40\tthrottled=3\tthrottled-since=' export
  run -0 timeout 100 politeness-sched --state other --import export
  timeout 100 politeness-sched --state other --delay 0 --export | diff export -
  # The hour of its --throttle is not over in the copy either.
  run -0 --separate-stderr timeout 100 politeness-sched --state other -q --delay 0 --throttle 3/1h --max-time 1s -- bash -c "$(answer outcome=ok)"
  [[ -z $output ]]
}

@test "--forget removes what matches, and prints what is to be deleted" {
  make_state
  run -0 sched --forget 'http://h.test/1*' --forget '*/2'
  [[ $output == *$'http://h.test/1\t'*"digest=d1"* && $output == *$'http://h.test/2\t'* ]]
  run -0 sched --verify
  sched --list --fields url >left
  run -1 grep -xE 'http://h.test/(1.*|2)' left
  grep -qx http://h.test/3 left
  run -1 sched --forget 'http://nobody/*'
}

@test "bug: --forget whose output could not be written forgot all the same what was to be deleted" {
  make_state
  sched --list >before
  run -2 --separate-stderr bash -c 'politeness-sched --state s --forget "*" >/dev/full'
  [[ $stderr == *"what cannot be printed is not forgotten"* ]]
  sched --list | cmp before -
}

@test "--clear-errors gives another chance" {
  make_state
  run -0 sched --clear-errors
  [[ $output == *"1 URL waits again"* ]]
  run -0 sched --verify
  run -0 --separate-stderr sched -- bash -c "$(answer outcome=ok)"
  [[ $output == *"http://g.test/x"* ]]
}

@test "--clear-outcome asks again for what came to these outcomes, and for the whole page" {
  sched http://h.test/{1,2,3,4,5} -- bash -c 'while IFS= read -r line; do
    case $line in
      */1*) outcome=too-large ;;
      */2*) outcome=forbidden ;;
      */3*) outcome=not-found ;;
      */4*) outcome=blocked-by-robots ;;
      *) outcome=ok ;;
    esac
    printf "%s\tetag=x\toutcome=%s\n" "$line" "$outcome"
  done' >/dev/null
  run -2 sched --clear-outcome=too-large,forbiden
  [[ $output == *"--clear-outcome takes outcomes, such as too-large,forbidden, not \"forbiden\": did you mean forbidden?"* ]]
  run -0 sched --clear-outcome=too-large,ok --clear-outcome=blocked-by-robots
  [[ $output == "politeness-sched: 3 URLs wait again" ]]
  run -0 sched --verify
  run -0 --separate-stderr sched -- bash -c 'tee -a sent | while IFS= read -r line; do printf "%s\toutcome=ok\n" "$line"; done'
  [[ $(cut -f1 sent | sort | tr '\n' ' ') == "http://h.test/1 http://h.test/4 http://h.test/5 " ]]
  run ! grep etag= sent
  run -0 sched --clear-outcome=too-large
  [[ $output == "politeness-sched: 0 URLs wait again" ]]
}

@test "--dry-run shows what would be sent first, and changes nothing" {
  run -0 --separate-stderr sched --dry-run http://n.test/a http://n.test/b
  [[ $(cut -f1 <<<"$output" | tr '\n' ' ') == "http://n.test/a http://n.test/b " ]]
  make_state
  sched --list >before
  run -0 --separate-stderr sched --dry-run http://n.test/
  [[ $output == *http://n.test/* && $output == *http://h.test/* ]]
  sched --list | diff before -
  # URLs that wait for their host, or for their next try, are shown, too.
  sched --delay 1h --tries 2 --retry-delay 1h --max-time 4s http://late.test/{1,2} http://fails.test/ -- bash -c '
    while IFS= read -r line; do
      if [[ $line == *fails* ]]; then printf "%s\toutcome=server-error\n" "$line"; else printf "%s\toutcome=ok\n" "$line"; fi
    done' >/dev/null
  run -0 --separate-stderr timeout 100 politeness-sched --state s --dry-run
  [[ $output == *http://late.test/2* && $output == *http://fails.test/* ]]
}

@test "--dry-run beside a running crawl" {
  make_state
  mkfifo go
  exec 4<>go
  politeness-sched --state s -q http://late.test/1 -- bash -c 'echo up >up; read -r line <go' 3>&- 4>&- >records 2>messages &
  local first=$!
  soon '[[ -s up ]]'
  run -0 --separate-stderr sched --dry-run http://n.test/
  [[ $output == *http://n.test/* && $output == *http://h.test/* ]]
  run -2 sched --clear-errors
  [[ $output == *"is held by process $first" ]]
  echo >&4
  exec 4>&-
  kill "$first"
  wait "$first" || true
  run -0 sched --list
  [[ $output == *http://late.test/1* && $output != *http://n.test/* ]]
}

@test "--checkpoint is a state of its own" {
  make_state
  run -0 sched --checkpoint copy
  run -0 sched --checkpoint copy
  timeout 100 politeness-sched --state copy --list | diff <(sched --list) -
  run -0 --separate-stderr sched --checkpoint every --checkpoint-every 50ms --max-time 2s --delay 100ms -- bash -c "$(answer outcome=ok)"
  run -0 timeout 100 politeness-sched --state every --verify
}

@test "--checkpoint removes nothing but an older copy" {
  local folder
  make_state
  mkdir -p home/db home/papers used link-target
  echo dear >home/papers/letter
  echo dear >home/db/letter
  run -0 sched --checkpoint used
  # A crawl has used this copy since.
  timeout 100 politeness-sched --state used -q http://more.test/ -- bash -c "$(answer outcome=ok)" >/dev/null
  ln -s link-target link
  echo dear >file
  find . -not -name "separate-*" -not -name before -not -path "./s/*" | sort >before
  for folder in home used link file s . ./; do
    run -2 --separate-stderr sched --checkpoint "$folder"
    [[ $stderr == "politeness-sched: --checkpoint would remove "*"name a folder that is not there yet" ]] || { echo "$folder: $stderr"; false; }
    run -2 sched --checkpoint "$folder" --checkpoint-every 10ms http://new.test/ -- bash -c "$(answer outcome=ok)"
  done
  # A file where the copy is built is not removed either.
  mkdir new.new && echo dear >new.new/letter
  run -2 sched --checkpoint new
  rm -r new.new/letter new.new
  find . -not -name "separate-*" -not -name before -not -path "./s/*" | sort | diff before -
  run -2 sched --checkpoint ""
  # A slash after the name changes nothing.
  run -0 sched --checkpoint used-not/
  run -0 sched --checkpoint used-not/
  run -0 timeout 100 politeness-sched --state used-not --verify
}

@test "--metrics and --report-file into a device write to it and leave it there" {
  make_state
  ln -s /dev/full full
  run -2 sched --metrics full http://a.test/3 -- bash -c "$(answer outcome=ok)"
  run -2 sched --report-file full http://a.test/4 -- bash -c "$(answer outcome=ok)"
  [[ -L full && -c /dev/full ]]
}

@test "wrong usage is told before anything is touched" {
  local option
  for option in delay lease recrawl max-time grace quiet-time checkpoint-every max-line; do
    run -2 --separate-stderr sched --$option=soon http://a.test/ -- bash -c "$(answer outcome=ok)"
    [[ $stderr == "politeness-sched: --$option takes "* && -z $output && ! -e s ]] || { echo "$option: $stderr"; false; }
  done
}

@test "--stats and --metrics" {
  run -0 --separate-stderr sched --stats stats --metrics prom http://a.test/ -- bash -c "$(answer 'size=5\\toutcome=ok')"
  grep -q $'^statistics\ttime=.*\tdone=1\t.*\tpages=1\tbytes=5\t' stats
  grep -qx 'spinneret_pages_total 1' prom
  grep -qx 'spinneret_outcomes_total{outcome="ok"} 1' prom
  local option
  for option in stats metrics report-file log; do
    run -2 --separate-stderr sched --$option /nonexistent/x http://a.test/2 -- bash -c "touch asked; $(answer outcome=ok)"
    [[ $stderr == *"/nonexistent/x: No such file or directory" && ! -e asked ]] || { echo "$option: $stderr"; false; }
  done
}

@test "--recrawl visits again with what the page had" {
  echo v1 >version
  site='while IFS= read -r line; do echo "$line" >>asked; printf "%s\tstatus=200\tetag=\"%s\"\toutcome=ok\n" "${line%%	*}" "$(cat version)"; done'
  run -0 sched --recrawl 1h http://a.test/ -- bash -c "$site"
  (($(wc -l <asked) == 1))
  # At 1ms every page is due again when its visit ends; the limit makes it one page.
  run -0 sched --recrawl 1ms --max-pages 1 -- bash -c "$site"
  (($(wc -l <asked) == 2))
  [[ $(tail -1 asked) == *'etag="v1"'* ]]
  run -0 sched -- bash -c "$site"
  (($(wc -l <asked) == 2))
}

@test "a focused crawl: a filter's priority= raises what waits already, and a seed given again" {
  # Page 1 links to all others; page 3 tells the filter that 9 and 8 are wanted. Of one page, raised links keep their
  # order.
  site='while IFS= read -r line; do
      url=${line%%	*} n=${url##*/}
      ((n == 1)) && printf "http://a.test/%s\tdepth=1\tvia=$url\n" {2..9}
      ((n == 3)) && printf "http://a.test/%s\tdepth=2\tvia=$url\ttext=spiders\n" 9 8
      printf "%s\tstatus=200\toutcome=ok\n" "$line"
    done'
  focus='/\ttext=[^\t]*spider/s/$/\tpriority=7/'
  run -0 sched --in-flight 1 http://a.test/1 -- bash -c "{ $site; } | sed -u '$focus'"
  [[ $(cut -f1 <<<"$output" | tr -dc '1-9\n' | tr -d '\n') == 123984567 ]]
  grep -q 'http://a.test/9	.*priority=7' <<<"$output"
  run -0 sched --verify
  [[ $output == "9 URLs, 0 problems" ]]
  printf 'http://b.test/%s\tpriority=4\n' {1..5} >seeds
  run -0 sched --in-flight 1 --max-pages 1 seeds -- bash -c "$site"
  run -0 sched --in-flight 1 http://b.test/5 -- bash -c "$site"
  [[ ${lines[0]} == http://b.test/5* ]]
}

@test "--recrawl=best: as many visits as the budget has, once, whatever was asked for before" {
  site='while IFS= read -r line; do echo "$line" >>asked; printf "%s\tstatus=200\tdigest=%s\toutcome=ok\n" "${line%%	*}" "$SECONDS"; done'
  run -0 sched http://a.test/{1..6} -- bash -c "$site"
  : >asked
  # A state that was never crawled with a budget has a full one.
  run -0 sched --recrawl=best:3/h,least=1ms -- bash -c "$site"
  (($(wc -l <asked) == 3))
  run -0 sched --recrawl=best:3/h,least=1ms -- bash -c "$site"
  (($(wc -l <asked) == 3))
  run -0 sched --verify
  [[ $output == "6 URLs, 0 problems" ]]
  run -0 sched --show "$(cut -f1 asked | head -1)"
  [[ $output == *"due: when it is worth most: it seems to change once in "*" s"* ]]
  # The history is exported, and the copy is ordered by it.
  sched --export >exported
  (($(grep -cP '\thistory=\d+,\d+,\d+' exported) == 3))
  run -0 politeness-sched -q --state copy --import exported
  run -0 politeness-sched -q --state copy --delay 0 --recrawl=best:9/h,least=1ms -- bash -c "$site"
  (($(wc -l <asked) == 9))
  run -0 politeness-sched -q --state copy --verify
  [[ $output == "6 URLs, 0 problems" ]]
  # Back to other rules.
  run -0 sched --recrawl=adaptive:1ms..2ms -- bash -c "$site"
  (($(wc -l <asked) == 15))
  run -0 sched --verify
}

@test "--psl: what one domain is, by a list of one's own" {
  echo shop.test >list
  urls=(http://a.shop.test/ http://b.shop.test/)
  run -0 --separate-stderr sched --delay 1h --max-time 5s --politeness-key=domain "${urls[@]}" -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 1))
  rm -r s
  run -0 --separate-stderr sched --delay 1h --max-time 20s --politeness-key=domain --psl=list "${urls[@]}" -- bash -c "$(answer outcome=ok)"
  ((${#lines[@]} == 2))
}

@test "wrong values are told before anything is touched" {
  for wrong in --psl=none --throttle=5 --throttle=0/1h --hours=25-26 --recrawl=often --recrawl=best:5 --recrawl=best:5/d,most=1m --politeness-key=name --delay=fast --in-flight=0; do
    run -2 timeout 100 politeness-sched --state new "$wrong" http://a.test/ -- cat
    [[ $output == *"${wrong%%=*}"* && ! -e new ]]
  done
  # This used to be reported only after the pipeline had started.
  run -2 timeout 100 politeness-sched --state new --checkpoint-every=1h http://a.test/ -- cat
  [[ $output == *"--checkpoint-every goes with --checkpoint=DIR"* && ! -e new ]]
  # This used to be accepted, and made no copy.
  run -2 timeout 100 politeness-sched --state new --checkpoint=copy --checkpoint-every=0 http://a.test/ -- cat
  [[ $output == *"--checkpoint-every takes a time greater than 0"* && ! -e new ]]
  run -2 politeness-sched --state new --recrawl=best:5/d,least=2h,most=1h http://a.test/ -- cat
  [[ $output == *"--recrawl takes a most= that is greater than least=: here they are 3600s and 7200s"* ]]
}

@test "the report and --show know a host that has had its --max-host-pages, as --hosts does" {
  make_site
  run -0 --separate-stderr sched --log log --max-host-pages 2 http://h.test/1 -- ./site 9
  run -0 sched --log log --report
  [[ $output == *"1 host has had its --max-host-pages."*">it has had its --max-host-pages<"* ]]
  [[ $output == *"but for what is left at hosts that are finished"* && $output != *"given up"* && $output != *"URLs wait; the same command goes on from here"* ]]
  run -0 sched --show http://h.test/3 --show http://h.test/2 --show http://h.test/4
  [[ $output == *"why: its host is finished: it has had its --max-host-pages"* ]]
  run -0 sched --log log --max-host-pages 3 --report
  [[ $output != *"--max-host-pages"* && $output == *"3 URLs wait; the same command goes on from here"* ]]
}

@test "a mistyped folder is not made by what needs a state" {
  for option in '--forget=*' --clear-errors --clear-outcome=ok --checkpoint=copy --repair; do
    local more=()
    [[ $option != --repair ]] || more=(--verify)
    run -2 politeness-sched --state=mistyped "$option" "${more[@]}"
    [[ $output == *"there is no state in mistyped"* && ! -e mistyped && ! -e copy ]]
  done
}

@test "--verify --repair leaves what is in order as it is, and is refused alone or with another mode" {
  make_state
  sched --export >before
  run -0 sched --verify --repair
  [[ $output =~ ^[0-9]+" URLs, 0 problems"$ ]]
  sched --export | diff before -
  run -2 sched --repair
  [[ $output == *"--verify --repair"* ]]
  run -2 sched --verify --repair --list
  [[ $output == *"exclude each other"* ]]
}

@test "of two modes none is dropped: each pair is refused, and changes nothing" {
  local modes=(--add --list --export --show=http://h.test/1 --hosts --verify --report --live=0 --import "--forget=*"
    --clear-errors --clear-outcome=ok --split=p{} --dry-run --checkpoint=copy) one other pairs=0
  # Modes of a crawl in partitions: the engine used to be told one of them, and the other was dropped.
  local all=("${modes[@]}" --status --drain=a --pin=0=a --begin-anew=0)
  make_state
  sched --export >before
  for one in "${modes[@]}"; do
    for other in "${modes[@]}"; do
      [[ $one == "$other" ]] && continue
      run sched "$one" "$other" </dev/null
      [[ $status == 2 && $output == *"exclude each other"* ]] || { echo "$one $other: $status $output"; false; }
      pairs=$((pairs + 1))
    done
  done
  ((pairs == 15 * 14))
  for one in "${all[@]:15}"; do
    for other in "${all[@]}" --partition=0/2 --partitions=2; do
      [[ $one == "$other" ]] && continue
      run sched --cluster=redis://127.0.0.1:1/x "$one" "$other" </dev/null
      [[ $status == 2 && $output == *"exclude each other"* ]] || { echo "$one $other: $status $output"; false; }
    done
  done
  [[ ! -e copy ]]
  sched --export | diff before -
}

@test "bug: seeds and a command beside a mode that reads neither were dropped in silence" {
  # The operands that each mode takes: seeds or files, and a command.
  local -A takes=([add]=seeds [list]='' [export]='' [show=http://h.test/1]='' [hosts]='' [verify]='' ["verify --repair"]='' [report]=''
    [live=0]='' [import]=seeds ["forget=*"]='' [clear-errors]='' [clear-outcome=ok]='' ["split=p{}"]='' [dry-run]='seeds command' [checkpoint=copy]='')
  local mode name refused=0 known
  make_state
  # Each mode in the program's own list is here.
  known=$(sed -n '/^constexpr Mode kActions/,/^};/{/, false, true},$/d; s/^    {"\([a-z-]*\)".*/\1/p}' "$SPINNERET_ROOT/tools/sched_options.cc")
  [[ $(sed 's/[= ].*//' < <(printf '%s\n' "${!takes[@]}") | sort -u) == "$(sort <<<"$known"$'\ncheckpoint')" ]]
  sched --export >before
  for mode in "${!takes[@]}"; do
    local words=("--${mode%% *}")
    [[ $mode != *' '* ]] || words+=("${mode#* }")
    name=${words[0]%%=*}
    if [[ ${takes[$mode]} != *seeds* ]]; then
      run -2 --separate-stderr sched "${words[@]}" http://new.test/
      [[ -z $output && $stderr == "politeness-sched: $name"*" takes no seeds and no files: http://new.test/ does not go with it"* ]] ||
        { echo "$mode: $output $stderr"; false; }
      run -2 --separate-stderr sched "${words[@]}" -
      refused=$((refused + 1))
    fi
    if [[ ${takes[$mode]} != *command* ]]; then
      run -2 --separate-stderr sched "${words[@]}" -- cat </dev/null
      [[ -z $output && $stderr == "politeness-sched: $name"*" runs no command: -- cat does not go with it"* ]] ||
        { echo "$mode: $output $stderr"; false; }
      refused=$((refused + 1))
    fi
  done
  ((refused == 13 + 15))
  [[ ! -e copy ]]
  sched --export | diff before -
  # A crawl's command line may be tried by adding --dry-run.
  run -0 --separate-stderr sched --dry-run http://n.test/ -- false
  [[ $output == *http://n.test/* ]]
}

@test "bug: seeds beside what is asked of a crawl in partitions were dropped in silence" {
  for mode in --drain=a --pin=0=a --begin-anew=0; do
    run -2 --separate-stderr politeness-sched --cluster=redis://127.0.0.1:1/x "$mode" http://new.test/
    [[ $stderr == "politeness-sched: ${mode%%=*} takes no seeds and no files: http://new.test/ does not go with it"* ]]
  done
  for mode in --status --drain=a --pin=0=a --begin-anew=0; do
    run -2 --separate-stderr politeness-sched --cluster=redis://127.0.0.1:1/x "$mode" -- cat
    [[ $stderr == "politeness-sched: ${mode%%=*} runs no command: -- cat does not go with it"* ]]
  done
}

@test "bug: a part of another option did nothing without it" {
  local row
  make_state
  for row in --judged=x:show --retry=failed:partitions --host=h.test:list --form=classic:list --with-state=done:list; do
    run -2 --separate-stderr sched "${row%:*}" http://h.test/ -- cat
    [[ $stderr == "politeness-sched: $(cut -d= -f1 <<<"$row") goes with --${row##*:}"* ]] || { echo "$row: $stderr"; false; }
  done
}

@test "bug: --status without --cluster asked for --state first" {
  for mode in --status --drain=a --pin=0=a --begin-anew=0; do
    run -2 --separate-stderr politeness-sched "$mode"
    [[ $stderr == "politeness-sched: ${mode%%=*} goes with --cluster"* ]]
  done
}

@test "bug: a report of a log that is a device without an end did not end" {
  run -2 --separate-stderr timeout 300 politeness-sched --state=device --log=/dev/full --report-file=report.html \
    http://a.test/ -- bash -c "$(answer outcome=ok)"
  [[ $stderr == *"cannot write /dev/full"* ]]
  grep -q '</html>' report.html
  run -0 timeout 300 politeness-sched --state=device --log=/dev/zero --report
}

@test "--hosts says where each stands, and what it is asked together with" {
  run -0 --separate-stderr sched --max-pages 2 --per-host 1 http://{a,b}.x.test/{1,2} -- bash -c "$(answer outcome=ok)"
  run -0 --separate-stderr sched --hosts --politeness-key=domain --fields url,lane,reason
  [[ ${lines[0]} == $'http://a.x.test/\tx.test\t'* && -z $stderr ]]
  run -0 --separate-stderr sched --hosts --fields url,lane,reason
  [[ ${lines[0]} == $'http://a.x.test/\ta.x.test\t'@(ready|gap|"nothing waits") && -z $stderr ]]
  run -0 sched --hosts --max-host-pages 1 --fields reason
  [[ $output == *finished* ]]
}

@test "bug: --hosts named no lane unless --politeness-key was repeated" {
  run -0 --separate-stderr sched --politeness-key=domain http://{a,b}.x.test/1 http://c.test:81/ -- bash -c "$(answer outcome=ok)"
  run -0 --separate-stderr sched --hosts --fields url,lane,partition
  [[ $output == $'http://a.x.test/\tx.test\t\nhttp://b.x.test/\tx.test\t\nhttp://c.test:81/\tc.test\t' && -z $stderr ]]
  run -0 sched --hosts --json
  [[ ${lines[0]} == *'"lane":"x.test"'* ]]
  # The address that fetch has reported, once it is known.
  run -0 --separate-stderr sched --politeness-key=ip http://d.test/ -- bash -c "$(answer 'outcome=ok\tip=192.0.2.7')"
  run -0 sched --hosts --fields url,lane
  [[ $output == *$'http://a.x.test/\ta.x.test\n'*$'http://d.test/\t192.0.2.7' ]]
}

@test "--hosts says that a state which no run has had does not know its lanes" {
  printf 'http://a.x.test/1\n' | run -0 --separate-stderr sched --import
  run -0 --separate-stderr sched --hosts --fields url,lane
  [[ $output == $'http://a.x.test/\ta.x.test' && $stderr == *"does not say by which --politeness-key"* ]]
  run -0 --separate-stderr sched --hosts --politeness-key=domain --fields url,lane
  [[ $output == $'http://a.x.test/\tx.test' && -z $stderr ]]
}

@test "bug: a column history of one's own was lost by --export and --import" {
  printf 'http://a.test/1\thistory=of Rome\n' >seeds
  run -0 --separate-stderr sched --max-pages 1 seeds -- bash -c "$(answer outcome=ok)"
  sched --export >export
  grep -q $'\thistory=of Rome' export
  run -0 timeout 100 politeness-sched --state other --import export
  timeout 100 politeness-sched --state other --delay 0 --export | diff export -
}

@test "a lock that may not be opened is not said to be held" {
  mkdir -p s/lock
  run -2 sched http://a.test/ -- cat
  [[ $output == *"s/lock: Is a directory" ]]
}

@test "killed while a new state is made, at whatever moment: the next run makes it whole" {
  local moment
  for moment in 0.0{1..9} 0.1{0..8..2}; do
    rm -rf new
    # With --foreground timeout waits for the process that it killed, which holds its lock until it is gone.
    timeout --foreground -s KILL "$moment" politeness-sched --state new -q --delay 0 -- cat || true
    run -0 politeness-sched --state new -q --delay 0 -- cat
    run -0 politeness-sched --state new --verify
  done
}

@test "bug: --list --host of a mistyped name was silent" {
  run -0 --separate-stderr sched http://www.example.test/1 -- bash -c "$(answer outcome=ok)"
  run -1 --separate-stderr sched --list --host=www.exampel.test
  [[ -z $output && $stderr == "politeness-sched: no such host in this state: "*"www.exampel.test"*": did you mean www.example.test?" ]]
  run -1 --separate-stderr sched --export --host=http://ww.example.test/
  [[ -z $output && $stderr == *"did you mean www.example.test?" ]]
  run -1 --separate-stderr sched --list --host=other.test
  [[ $stderr == "politeness-sched: no such host in this state: "*"other.test"* && $stderr != *"did you mean"* ]]
  # No message is printed for a host that is there but has nothing in that state.
  run -0 --separate-stderr sched --list --host=www.example.test --with-state=error
  [[ -z $output$stderr ]]
}

@test "bug: a run that --max-total-pages left nothing to do did not say so" {
  run -0 --separate-stderr timeout 60 politeness-sched --state s --delay 0 --max-total-pages=2 http://{a,b,c}.test/1 -- bash -c "$(answer outcome=ok)"
  [[ $stderr == *"--max-total-pages is reached: 1 URL waits for a run with more"* ]]
  run -0 --separate-stderr timeout 60 politeness-sched --state s --delay 0 --max-total-pages=2 http://a.test/1 -- bash -c "$(answer outcome=ok)"
  [[ -z $output && $stderr == *"--max-total-pages is reached: 1 URL waits for a run with more"* ]]
  run -0 --separate-stderr timeout 60 politeness-sched --state s --delay 0 -- bash -c "$(answer outcome=ok)"
  [[ $stderr != *"is reached"* ]]
}

@test "bug: a state whose MANIFEST is gone gave no advice" {
  run -0 --separate-stderr sched http://a.test/1 -- bash -c "$(answer outcome=ok)"
  rm s/db/MANIFEST*
  run -2 --separate-stderr sched --list
  [[ $stderr == "politeness-sched: cannot open the state "*"MANIFEST"*"; go back to a copy of --checkpoint" ]]
}

@test "bug: a state whose log was deleted by hand opened without a word" {
  run -0 --separate-stderr sched http://a.test/1 -- bash -c "$(answer outcome=ok)"
  cp -r s t
  rm s/db/*.log t/db/*.log
  run -0 --separate-stderr sched --clear-errors
  [[ $stderr == *"s/db: its last changes are lost: a log was deleted or cut; --verify --repair mends what that tore"* ]]
  run -0 --separate-stderr sched --state=t http://a.test/1 -- bash -c "$(answer outcome=ok)"
  [[ $stderr == *"t/db: its last changes are lost: a log was deleted or cut; --verify --repair mends what that tore"* ]]
  run -0 --separate-stderr sched --state=t http://a.test/1 -- bash -c "$(answer outcome=ok)"
  [[ $stderr != *"lost"* ]]
}

@test "bug: a damaged log cut --list and --export short in silence, and --verify found nothing" {
  seq -f 'http://a.test/%.0f' 300 | run -0 sched --delay=0 --per-host=100 -q - -- bash -c "$(answer outcome=ok)"
  sched --list >whole
  python3 -c 'import glob
path = max(glob.glob("s/db/*.log"), key=lambda path: len(open(path, "rb").read()))
log = bytearray(open(path, "rb").read())
log[len(log) // 2] ^= 1
open(path, "wb").write(log)'
  local mode
  for mode in --list --export --hosts --show=http://a.test/1 --dry-run; do
    run --separate-stderr sched "$mode"
    [[ $stderr == *"s/db: its last changes were damaged and are left out: the crawl goes on from before them"* ]] || { echo "$mode: $stderr"; false; }
  done
  run -1 --separate-stderr sched --verify
  [[ ${lines[0]} == *"s/db: its last changes were damaged"* && ${lines[-1]} == *" URLs, 1 problems" ]]
  run sched --verify --repair
  [[ $output == *"its last changes were damaged"* ]]
  run -0 sched --verify
  # The URLs that were left out come again.
  seq -f 'http://a.test/%.0f' 300 | run -0 sched --delay=0 --per-host=100 -q - -- bash -c "$(answer outcome=ok)"
  diff <(cut -f1 whole) <(sched --list | cut -f1)
}

@test "bug: where no thread can be had the scheduler was aborted, without a name or a reason" {
  ! is_sanitized || skip "whose memory is mapped before it begins"
  # From limits at which its libraries load to one at which it runs, the message is the same whichever thread cannot
  # start.
  local limit status=1 told=0
  for ((limit = 50000; limit < 500000 && status != 0; limit += 2500)); do
    status=0
    bash -c "ulimit -v $limit; exec politeness-sched --state=few -q --delay=0 http://a.test/$limit -- sed -u 's/\$/\toutcome=ok/'" >/dev/null 2>said || status=$?
    ((status != 0 && status != 127)) || continue
    ((status == 2))
    [[ $(<said) == "politeness-sched: "*"ulimit -v"* || $(<said) == "politeness-sched: "*memory* ]]
    told=$((told + 1))
  done
  ((told > 0 && status == 0))
}

@test "bug: where the scheduler could start no thread it said 'Resource temporarily unavailable', and not of what" {
  ! is_sanitized || skip "whose memory is mapped before it begins"
  local limit
  for limit in 40000 60000 80000; do
    # 127: not all of its libraries could be loaded.
    bash -c "ulimit -v $limit; exec politeness-sched --state=few -q --delay=0 --max-time=1s http://a.test/ -- sed -u 's/\$/\toutcome=ok/'" >/dev/null 2>said || (($? == 2 || $? == 127))
    run ! grep 'temporarily unavailable' said
  done
}
