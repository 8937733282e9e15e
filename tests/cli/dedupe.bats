#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helper

# given FORMAT OPTIONS...: runs dedupe on the lines that printf makes of FORMAT.
given() {
  local input=$1
  shift
  printf "$input" | dedupe "$@"
}

@test "the first of each stays, in order, empty lines are lines" {
  run -0 given 'b\na\n\nb\n\na\nc' 
  [[ $output == $'b\na\n\nc' ]]
}

@test "column 1 is the key" {
  run -0 given 'a\tx=1\na\tx=2\nb\n'
  [[ $output == $'a\tx=1\nb' ]]
}

@test "settled records pass and do not count" {
  run -0 given 'a\toutcome=ok\na\na\toutcome=ok\na\n'
  [[ $output == $'a\toutcome=ok\na\na\toutcome=ok' ]]
}

@test "--whole-line, --field, --key, --invert" {
  run -0 given 'a\tx=1\na\tx=2\na\tx=1\n' --whole-line
  [[ $output == $'a\tx=1\na\tx=2' ]]
  run -0 given 'a\tq\nb\tq\nc\n' --field 2
  [[ $output == $'a\tq\nc' ]]
  run -0 given 'a\tx=1\tvia=p\nb\tvia=p\nc\n' --key via
  [[ $output == $'a\tx=1\tvia=p\nc' ]]
  run -0 given 'a\tx=1\ty=2\nb\tx=1\ty=3\nc\ty=2\tx=1\n' --key x --key y
  [[ $output == $'a\tx=1\ty=2\nb\tx=1\ty=3' ]]
  run -0 given 'a\nb\na\na\n' --invert
  [[ $output == $'a\na' ]]
  run -0 given 'a\td=1\nb\nc\td=1\nd\td=1\toutcome=gone\n' --key d --invert
  [[ $output == $'c\td=1\nd\td=1\toutcome=gone' ]]
}

@test "--count and --unique, at the end, in order of the first" {
  run -0 given 'b\na\tx=1\nb\na\nc\nb\n' --count
  [[ $output == $'b\tcount=3\na\tx=1\tcount=2\nc\tcount=1' ]]
  run -0 given 'b\na\tx=1\nb\na\nc\nb\nd\n' --unique
  [[ $output == $'c\nd' ]]
  run -0 given 'b\na\nb\n' --count --fields=count,url
  [[ $output == $'2\tb\n1\ta' ]]
  run -0 given '' --count
  [[ -z $output ]]
  printf 'a\r\r\na\r\na\r\r\n' | dedupe --count > out
  printf 'a\r\tcount=2\na\tcount=1\n' | cmp - out
}

@test "--repeated prints each once, when it recurs" {
  run -0 given 'b\na\nb\nb\na\nc\n' --repeated
  [[ $output == $'b\na' ]]
}

@test "--mark passes repeats as duplicates, outcome last" {
  run -0 given 'a\tx=1\nb\na\tx=2\tbody=q\n' --mark
  [[ $output == $'a\tx=1\nb\na\tx=2\toutcome=duplicate' ]]
  run -0 given 'a\td=1\nb\td=1\na\td=1\n' --mark --key d
  [[ $output == $'a\td=1\nb\td=1\tduplicate-of=a\toutcome=duplicate\na\td=1\toutcome=duplicate' ]]
}

@test "results are judged by their fields, and not dropped unless told" {
  results='a\tdigest=1\toutcome=ok\nb\tdigest=1\toutcome=ok\nc\tdigest=1\toutcome=gone\nd\tdigest=1\n'
  run -0 given "$results" --key digest
  [[ $output == $'a\tdigest=1\toutcome=ok\nb\tdigest=1\toutcome=duplicate\nc\tdigest=1\toutcome=gone' ]]
  run -0 given "$results" --key digest --drop
  [[ $output == $'a\tdigest=1\toutcome=ok\nc\tdigest=1\toutcome=gone' ]]
}

@test "bug: with the URL among the keys a page's record is no repeat of the link to it" {
  given="a\tdepth=1\na\tdepth=1\na\tdepth=1\toutcome=ok\na\tdepth=2\n"
  run -0 given "$given" --key url --key depth
  [[ $output == $'a\tdepth=1\na\tdepth=1\toutcome=ok\na\tdepth=2' ]]
  run -0 given "$given" --mark --key url --key depth
  [[ $output == $'a\tdepth=1\na\tdepth=1\toutcome=duplicate\na\tdepth=1\toutcome=ok\na\tdepth=2' ]]
}

@test "another visit to a page is no copy of it, in a store too" {
  visit='a\tsize=1\tbody=x\toutcome=ok\n'
  run -0 given "${visit}b\tsize=1\tbody=x\toutcome=ok\n$visit" --content --store=seen
  [[ $output == $'a\tsize=1\tbody=x\toutcome=ok\nb\tsize=1\tduplicate-of=a\toutcome=duplicate\na\tsize=1\tbody=x\toutcome=ok' ]]
  run -0 given "$visit" --content --store=seen
  [[ $output != *duplicate* ]]
  run -0 given "$visit$visit" --content --drop
  ((${#lines[@]} == 1))
}

@test "bug: of another visit to a page it was not said how alike it is to the one before" {
  text=$(printf 'word%s next ' {a..z}{a..z})
  news=$(printf 'news%s more ' {a..z}{a..z})
  for options in --similarity=0.9 --near '--content --normalize=text'; do
    rm -f seen
    # Each visit is a process of its own; the body stays in the record.
    visit() { run -0 dedupe $options --store=seen "${@:3}" < <(page "$1" "$2"); }
    visit a "$text"
    [[ $output == "$(page a "$text")" ]]
    for how in --mark --json --fields=url,similarity,outcome ''; do
      visit a "$text 7" $how
      [[ $output == *1.000* && $output == *ok* && $output != *duplicate* ]]
    done
    [[ $output == $'a\t'*"body="*"$text 7"*$'\tsimilarity=1.000\toutcome=ok' ]]
    visit a "$text 7" --invert
    [[ -z $output ]]
    visit a "$text 7" --drop
    [[ -z $output ]]
    # A page that has changed has no similarity, even where it goes back to an earlier content.
    for content in "$news" "$text"; do
      visit a "$content"
      [[ $output == "$(page a "$content")" ]]
      visit a "$content"
      [[ $output == *$'\tsimilarity=1.000\toutcome=ok' ]]
    done
  done
  # One word of many differs.
  rm seen
  run -0 dedupe --similarity=0.9 --store=seen < <(page a "$text"; page a "${text/wordmm/other}")
  [[ ${lines[1]} =~ similarity=0\.9[0-9]*.outcome=ok$ && ${lines[1]} == *"$(printf other)"* ]]
  # For equal bytes the digest is enough.
  run -0 given 'a\tbody=x\toutcome=ok\na\tbody=x\toutcome=ok\n' --content
  [[ $output == $'a\tbody=x\toutcome=ok\na\tbody=x\toutcome=ok' ]]
}

# The result is exact with however little memory. A full disk is trouble, and what was printed before it is right.
@test "--memory: spills, merges and a full TMPDIR" {
  mkdir runs
  { seq 1 1600000; seq 1 7 1600000; seq 1600000 -3 1; seq 1600001 2000000; } > in
  TMPDIR=$PWD/runs dedupe --memory=32M in | cmp - <(seq 1 2000000)
  TMPDIR=$PWD/runs dedupe --memory=32M --bits=64 in | cmp - <(seq 1 2000000)
  [[ -z $(ls runs) ]]
  run -2 --separate-stderr bash -c 'ulimit -f 200; trap "" XFSZ; TMPDIR=$PWD/runs dedupe --memory=32M in | cat > /dev/null; exit ${PIPESTATUS[0]}'
  [[ $stderr == *"cannot write a temporary file in $PWD/runs: "* ]]
  bash -c 'ulimit -f 200; trap "" XFSZ; TMPDIR=$PWD/runs dedupe --memory=32M in 2>/dev/null | cmp - <(seq 1 2000000) 2>&1 | grep -q "EOF on -"'
}

# Every way of holding the set gives the same lines.
@test "--reset-on: what was passed on comes again once a file has changed, and only then" {
  local line
  mkfifo in out
  dedupe --recent --reset-on=scope <in >out 3>&- &
  exec 4>in 5<out
  put() { printf '%s\n' "$@" >&4; }
  put a a b && read -r line <&5 && [[ $line == a ]] && read -r line <&5 && [[ $line == b ]]
  echo 1 >scope
  put a && read -r line <&5 && [[ $line == a ]]
  put a b && read -r line <&5 && [[ $line == b ]]
  rm scope
  put b a && read -r line <&5 && [[ $line == b ]] && read -r line <&5 && [[ $line == a ]]
  exec 4>&- 5<&-
  wait
  run -2 dedupe --reset-on=scope <<<a
  [[ $output == *"--reset-on goes with --recent"* ]]
}

@test "--bits, --exact, --memory, --recent, --approximate: same lines out" {
  for i in {1..30000}; do echo "https://host-$((i * i % 997)).example/path/$((i % 8191))"; done > in
  awk '!seen[$0]++' in > want
  for option in --bits=64 --bits=128 --exact --memory=32M '--recent --memory=16M' --whole-line; do
    dedupe $option in | cmp - want
  done
  run -0 --separate-stderr dedupe --approximate=0.001 in
  [[ $output == "$(cat want)" ]]
  [[ $stderr == *"at a rate of"* ]]
}

@test "options that do not go together are refused" {
  for options in '--key a --whole-line' '--count --unique' '--exact --memory=64M' '--recent --store s' '--recent --approximate=0.1' '--recent --count' '--bits 96' \
    '--sync' '--like x' '--normalize text' '--distance 3' '--count --store s' '--memory 1M' \
    '--field 0' '--key A' '--near --similarity 0.9' '--store a --diff b' '--approximate 2' \
    '--content --bits 64' '--distance 8 --near' '--sketch=256B --near' '--similarity=0.9 --sketch=64B' \
    '--signature' '--signature --content' '--near --signature --mark' '--near --cluster --mark' '--near --cluster --invert' '--cluster --count' \
    '--keep=newest --store s' '--keep=A' '--near --keep=first --memory=64M' '--later --store s' '--later --count' '--later --near' '--later --exact' '--later --memory=1M' \
    '--later --key=a --mark' '--csv --keep=newest' \
    '--shingle=5' '--near --shingle=0' '--near --shingle=3 --shingle-chars=9' '--similarity 2' '--normalize html --content' '--merge a' \
    '--stat a b' '--compact a b' '--recover a b' '--stat a --compact a'; do
    run -2 --separate-stderr dedupe $options < /dev/null
    [[ $stderr == dedupe:* ]]
    [[ ! -e s && ! -e a ]]
  done
}

@test "bug: --json was taken by --compact, --merge and --recover, which print no records" {
  echo http://a/ | dedupe --store=store >/dev/null
  for work in --compact=store --recover=store '--merge=store store'; do
    # shellcheck disable=SC2086  # two words
    run -2 dedupe --json $work
    [[ $output == *'prints no records: --json is not for it'* ]]
  done
  run -0 dedupe --stat=store --json
  [[ $output == '{'* ]]
}

@test "bug: options of lines were taken by what works on a store, and ignored" {
  dedupe --store=old < <(echo a)
  for work in --stat=old --compact=old --recover=old '--merge=s old'; do
    for option in --key=digest --whole-line --near --mark --later --store=s --memory=64M --diff=old --csv; do
      run -2 --separate-stderr dedupe $work $option < /dev/null
      [[ -z $output && $stderr == *"works on a store and reads no lines: ${option%=*} is not for it"* ]]
    done
  done
  run -2 --separate-stderr dedupe --stat=old --max-age=1d
  [[ $stderr == *"not with --stat"* ]]
  [[ ! -e s && ! -e old.damaged ]]
  # A store takes --bits; these options have no bits.
  for option in --exact --approximate=0.1 --diff=old; do
    run -2 --separate-stderr given 'a\n' --bits=64 $option
    [[ -z $output && $stderr == *"--bits and ${option%=*} exclude each other"* ]]
  done
}

@test "bug: a store without a name, as of a variable that is not set, remembered nothing" {
  for option in --store --diff --merge --stat --compact --recover '--store=seen --like' '--content --store'; do
    run -2 --separate-stderr given 'a\n' $option=
    [[ -z $output && $stderr == *"${option##* } needs a value: "* && ! -e seen ]]
  done
}

@test "--count, --unique and --repeated do not compare URLs where pages were asked for" {
  for counting in --count --unique --repeated; do
    run -2 --separate-stderr given 'a\tbody=x\nb\tbody=x\n' $counting --content
    [[ -z $output && $stderr == *"$counting compares fields, not pages: --key=digest"* ]]
    for pages in --near --similarity=0.9 '--content --normalize=text'; do
      run -2 --separate-stderr given 'a\tbody=x\nb\tbody=x\n' $counting $pages
      [[ -z $output && $stderr == *"$counting compares fields, not pages: --mark"* ]]
    done
  done
  results='a\tdigest=1\toutcome=ok\nb\tdigest=1\toutcome=ok\nc\tdigest=2\toutcome=ok\n'
  run -0 given "$results" --count --key=digest --fields=url,count
  [[ $output == $'a\t2\nc\t1' ]]
  run -0 given "$results" --unique --key=digest --fields=url
  [[ $output == c ]]
  run -0 given "$results" --repeated --key=digest --fields=url
  [[ $output == b ]]
}

@test "bug: --invert and --repeated dropped results that have no key" {
  results='a\td=1\toutcome=ok\nb\toutcome=ok\nc\td=1\toutcome=ok\nd\n'
  for option in --invert --repeated; do
    run -0 given "$results" --key d "$option" --fields=url
    [[ $output == $'b\nc' ]]
  done
}

# Whatever was passed on is in the store, wherever the process was killed; at most the lines in flight are stored but
# not passed on. (store-faults kills it at each call in turn.)
page() { # URL BODY
  printf '%s\ttype=text/html\tbody=%s\toutcome=ok\n' "$1" "$2"
}

@test "--content: exact, and by words" {
  { page a '<p>seen 5 times'; page b '<p>seen 5 times'; page c '<b>seen</b> 6 times'; } > in
  run -0 dedupe --content in --fields=url,duplicate-of,outcome
  [[ $output == $'a\t\tok\nb\ta\tduplicate\nc\t\tok' ]]
  run -0 dedupe --content --normalize text in --fields=url,duplicate-of,outcome,body
  [[ $output == $'a\t\tok\t<p>seen 5 times\nb\ta\tduplicate\t\nc\ta\tduplicate\t' ]]
  run -0 dedupe --content --drop in --fields=url
  [[ $output == $'a\nc' ]]
}

@test "--near and --similarity: fields of a near copy, remembered in a store" {
  text=$(printf 'word%s next ' {a..z}{a..z})
  { page a "$text"; page b "$text and two words"; page c "another text altogether"; } > in
  for options in --near '--near --distance 5' '--similarity 0.9' '--similarity 0.9 --sketch=256B' \
    '--similarity 0.7' '--similarity 0.7 --sketch=256B' '--similarity 0.9 --shingle=5' '--similarity 0.9 --shingle-chars=24' '--near --shingle=2'; do
    rm -f seen
    run -0 dedupe $options in --fields=url,duplicate-of,outcome --store seen
    [[ $output == $'a\t\tok\nb\ta\tduplicate\nc\t\tok' ]]
    run -0 dedupe $options --store seen --fields=url,duplicate-of,similarity < <(page d "$text")
    [[ $output == $'d\ta\t1.000' ]]
  done
  run -2 dedupe --content --store seen in
  # A store made with another way to compare cannot be used.
  for other in --sketch=256B --shingle=5 --shingle-chars=3; do
    rm -f seen
    dedupe --similarity 0.9 --store seen in >/dev/null
    run -2 --separate-stderr dedupe --similarity 0.9 --store seen $other in
    [[ $stderr == *'holds other things: "minhash parity 128", not "minhash '* ]]
  done
  # Longer shingles suffer more from an edit: two of some 50 words spoil 6 shingles of 3 words, and 26 of 13.
  { page a "$(printf 'word%s ' {a..z}{a,b})"; page b "$(printf 'word%s ' {a..z}{a,b} | sed 's/wordka/x/; s/worddb/y/')"; } > in
  run -0 dedupe --similarity=0.7 --fields=outcome in
  [[ $output == $'ok\nduplicate' ]]
  run -0 dedupe --similarity=0.7 --shingle=13 --fields=outcome in
  [[ $output == $'ok\nok' ]]
}

@test "--cluster and --keep: what is near to something near is together, in any order" {
  { for i in 1 2 3 4 5 6 7; do page "p$i" "$(printf 'word%s ' {a..z}{a..e} | sed "s/word[a-$(tr 1-7 a-g <<<$i)][ab]/x/g")"; done
    page other "another text altogether"; printf 'gone\toutcome=gone\n'; } > in
  run -0 dedupe --similarity=0.9 --cluster --fields=url,cluster,cluster-size in
  [[ $output == $'gone\t\t\np1\t1\t7\np2\t1\t7\np3\t1\t7\np4\t1\t7\np5\t1\t7\np6\t1\t7\np7\t1\t7\nother\t8\t1' ]]
  # Without --cluster, pages that are unlike the first one stay.
  (( $(dedupe --similarity=0.9 --drop --fields=url in | wc -l) > 3 ))
  run -0 dedupe --similarity=0.9 --cluster --fields=cluster-size < <(sort -R in)
  [[ $(sort <<<"$output") == $'\n1\n7\n7\n7\n7\n7\n7\n7' ]]
  # Results are marked, candidates are dropped, and records that are not compared pass.
  run -0 dedupe --similarity=0.9 --keep=longest --fields=url,duplicate-of,outcome,cluster in
  [[ $output == $'gone\t\tgone\t\np1\t\tok\t\np2\tp1\tduplicate\t\np3\tp1\tduplicate\t\np4\tp1\tduplicate\t\np5\tp1\tduplicate\t\np6\tp1\tduplicate\t\np7\tp1\tduplicate\t\nother\t\tok\t' ]]
  run -0 dedupe --similarity=0.9 --keep=longest --drop --cluster --fields=url,cluster,cluster-size in
  [[ $output == $'gone\t\t\np1\t1\t7\nother\t8\t1' ]]
  run -0 dedupe --near --distance=7 --keep=first --invert --fields=url <(grep '^p1' in) <(grep '^p1' in)
  [[ $output == p1 ]]
}

@test "--keep: by field, date and length, of equal keys" {
  run -0 given 'a\tn=1\nb\na\tn=10\nb\tn=-3\na\tn=x\na\tn=10.0\n' --keep=n
  [[ $output == $'a\tn=10\nb\tn=-3' ]]
  run -0 given 'a\tlastmod=2026-01-02\na\tlast-modified=Thu, 01 Jan 2026 00:00:00 GMT\nb\tx=1\nb\tx=2\na\n' --keep=newest
  [[ $output == $'a\tlastmod=2026-01-02\nb\tx=2' ]]
  # bug: a mistyped word was taken as a field that no record has, and nothing was reported
  run -0 --separate-stderr given 'a\tn=1\na\tn=10\n' --keep=longst
  [[ $output == $'a\tn=1' && $stderr == "dedupe: --keep: no record has a number or a date as longst: the first of each is kept" ]]
  run -0 given 'a\ttext=one\na\ttext=three\nb\tsize=3\nb\tsize=20\nc\nc\tx=1\n' --keep=longest
  [[ $output == $'a\ttext=three\nb\tsize=20\nc\tx=1' ]]
  run -0 given 'a\td=1\nb\td=1\tn=2\nc\nd\td=2\n' --key=d --keep=n --mark
  [[ $output == $'c\na\td=1\tduplicate-of=b\toutcome=duplicate\nb\td=1\tn=2\nd\td=2' ]]
  run -0 given 'u,n\na,1\na,2\nb,\n' --csv --header --field=u --keep=n --cluster
  [[ $output == $'u,n,cluster,cluster-size\na,2,1,2\nb,,3,1' ]]
  printf 'a\r\r\na\r\nb\r\r' | dedupe --keep=first > out
  printf 'a\r\na\nb\r\n' | cmp - out
}

@test "--signature stands for the page, and not for one compared otherwise" {
  { page a "$(printf 'word%s ' {a..z}{a..e})"; page b "$(printf 'word%s ' {a..z}{a..e}) more"; page c "another text altogether"; echo link; } > in
  for options in --similarity=0.9 '--similarity=0.6' --near '--near --shingle-chars=9' '--similarity=0.9 --sketch=256B'; do
    dedupe $options --signature in > signed
    [[ $(cut -f1 signed) == $'a\nb\nc\nlink' && $(grep -c $'\tsize=[0-9]*\tsketch=[a-z]*[0-9]*-[wc][0-9]:[0-9a-f]*\tbands=[0-9a-f,]*\toutcome=ok' signed) == 3 ]]
    cmp <(dedupe $options --mark --fields=url,duplicate-of,similarity,outcome in) <(dedupe $options --mark --fields=url,duplicate-of,similarity,outcome signed)
    cmp <(dedupe $options --cluster --keep=longest --fields=url,cluster,outcome in) <(dedupe $options --cluster --keep=longest --fields=url,cluster,outcome signed)
  done
  run -1 --separate-stderr dedupe --near --fields=url signed
  [[ $output == $'a\nb\nc\nlink' && $stderr == *'signed:1: its sketch is of parity256-w3, not of simhash-w3'* ]]
  run -1 --separate-stderr given 'u\tsketch=%%\nv\tsketch=parity128-w3:00\n' --similarity=0.9
  [[ ${#lines[@]} == 2 ]]
}

@test "--later: the same lines, at the end, whatever is printed" {
  { seq 1 200000; printf 'x\toutcome=ok\nx\nx\ta=1\n\n\n'; seq 1 7 200000; seq 200000 -3 1; seq 200001 210000; printf 'a\r\r\na\r\r\nlast'; } > in
  for options in '' --bits=64 --memory=32M --whole-line --field=2 --invert --mark --drop '--key=a --drop' -z; do
    cmp <(dedupe --later $options in) <(dedupe ${options/--memory=32M/} in)
  done
  [[ -z $(printf '' | dedupe --later) ]]
  run -0 dedupe --later http://b/ http://a/ http://b/
  [[ $output == $'http://b/\nhttp://a/' ]]
  run -0 given 'u,n\na,1\na,2\nb,\n' --csv --header --field=u --later
  [[ $output == $'u,n\na,1\nb,' ]]
  # A full disk or a kill: the trouble is named, and no file is left.
  mkdir runs
  seq 1 3000000 > in
  for blocks in 20 12000; do
    run -2 --separate-stderr bash -c "ulimit -f $blocks; trap '' XFSZ; TMPDIR=\$PWD/runs dedupe --later --memory=32M in | cat"'; exit ${PIPESTATUS[0]}'
    [[ $stderr == *"cannot write a temporary file in $PWD/runs: "* ]]
  done
  TMPDIR=/nonexistent run -2 --separate-stderr dedupe --later in
  [[ $stderr == *"/nonexistent"* ]]
  for delay in 0.02 0.1 0.2; do
    TMPDIR=$PWD/runs dedupe --later in > out &
    sleep $delay
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    [[ -z $(ls runs) ]]
  done
}

@test "pages: other records pass, torn ones are refused, body-file is read" {
  printf 'same' > body
  printf 'a\tbody-file=body\toutcome=ok\nb\tbody=same\toutcome=ok\nlink\tdepth=1\nc\tbody=same\toutcome=gone\nr\tpurpose=robots\tbody=same\toutcome=ok\n' > in
  run -0 dedupe --content in --fields=url,outcome
  [[ $output == $'a\tok\nb\tduplicate\nlink\t\nc\tgone\nr\tok' ]]
  printf 'a\tsize=5\tbody=four\toutcome=ok\nb\tbody-file=missing\toutcome=ok\n' > in
  run -1 --separate-stderr dedupe --content in
  [[ $output == $'b\tbody-file=missing\toutcome=ok' ]]
  [[ $stderr == *"in:1: body of 4 bytes where size says 5: torn"*"in:2: "*missing* ]]
}

# The manual once said that they are not read.
@test "--content reads bodies in WARC files; a revisit passes, if nothing says where its body is" {
  printf 'HTTP/1.1 200 OK\r\n\r\nsame' > block
  warc() { printf 'WARC/1.1\r\nWARC-Type: %s\r\nContent-Length: %d\r\n\r\n' "$1" "$(wc -c < block)"; cat block; printf '\r\n\r\n'; }
  warc response > w
  at=$(wc -c < w)
  warc response >> w
  revisit=$(wc -c < w)
  warc revisit >> w
  printf '%s\twarc-file=w\twarc-offset=%d\toutcome=ok\n' a 0 b "$at" c "$revisit" > in
  printf 'd\twarc-file=w\twarc-offset=%d\twarc-body-file=w\twarc-body-offset=%d\toutcome=ok\n' "$revisit" "$at" >> in
  run -0 dedupe --content in --fields=url,duplicate-of,outcome
  [[ $output == $'a\t\tok\nb\ta\tduplicate\nc\t\tok\nd\ta\tduplicate' ]]
}

@test "bug: of pages without content those with inline bodies were duplicates, and those in files were not" {
  : >body
  printf '%s\tsize=0\t%s\toutcome=ok\n' a body= b body= c body-file=body d body-file=body >in
  run -0 dedupe --content in --fields=url,outcome
  [[ $output == $'a\tok\nb\tok\nc\tok\nd\tok' ]]
}

@test "--content --normalize=text: only ASCII letters lose their case, as the manual says" {
  run -0 dedupe --content --normalize=text --fields=url,outcome < <(page a 'SCHOOL'; page b 'school'; page c 'ÉCOLE'; page d 'école')
  [[ $output == $'a\tok\nb\tduplicate\nc\tok\nd\tok' ]]
}

texts() { # TEXT...: a record each, with \n as it stands
  local n=0 text
  for text; do printf 'u%d\ttext=%s\ttext-words=9\toutcome=ok\n' $((++n)) "$text"; done
}

@test "--paragraphs: what came before is taken out, marked, or dropped" {
  texts 'One two three.\nA b c d' 'ONE (two) three 3!\nnew words here\nA b' 'a b c, d\none  two three' 'short\nshort' '' > in
  run -0 dedupe --paragraphs=3 in --fields=url,text,text-words,paragraphs-dropped,outcome
  [[ $output == $'u1\tOne two three.\\nA b c d\t9\t\tok\nu2\tnew words here\\nA b\t5\t1\tok\nu3\t\t0\t2\tok\nu4\tshort\\nshort\t9\t\tok\nu5\t\t9\t\tok' ]]
  run -0 dedupe --paragraphs=3 --drop in --fields=url
  [[ $output == $'u1\nu2\nu4\nu5' ]]
  run -0 dedupe --paragraphs=1 --mark in --fields=url,text,paragraphs-seen
  [[ $output == $'u1\tOne two three.\\nA b c d\t\nu2\tONE (two) three 3!\\nnew words here\\nA b\t1\nu3\ta b c, d\\none  two three\t1-2\nu4\tshort\\nshort\t2\nu5\t\t' ]]
  # Lines of plain text, and records without text.
  run -0 given 'a b\nhttp://u/\nA b\tc\na, b.\n' --paragraphs=1 --whole-line
  [[ $output == $'a b\nhttp://u/\nA b\tc' ]]
  run -0 given 'a b\na b\nr\tbody=a b\n' --paragraphs=1
  [[ $output == $'a b\na b\nr\tbody=a b' ]]
  for options in --key=a --near --count --invert --field=2 '--mark --whole-line' --csv; do
    run -2 given 'a\n' --paragraphs=1 $options
  done
}

@test "--paragraphs --sentences: runs of sentences are taken out, marked, or dropped" {
  texts 'One here. Two here.\nThree here. Four mine.' 'Own thing. One HERE? Two here. Three, here! Own end.' 'Mr. One here. Two\there. 7.' 'One here. Two here.' 'One here. Two here. 7.' > in
  run -0 dedupe --paragraphs=1 --sentences=3 in --fields=url,text,text-words,sentences-dropped
  [[ $output == $'u1\tOne here. Two here.\\nThree here. Four mine.\t9\t\nu2\tOwn thing. Own end.\t4\t3\nu3\tMr. One here. Two\\there. 7.\t9\t\nu4\tOne here. Two here.\t9\t\nu5\t\t0\t2' ]]
  run -0 dedupe --paragraphs=1 --sentences=3 --mark in --fields=url,sentences-seen,text-words
  [[ $output == $'u1\t\t9\nu2\t2-4\t9\nu3\t\t9\nu4\t\t9\nu5\t1-2\t9' ]]
  run -0 dedupe --paragraphs=5 --sentences=3 --drop in --fields=url
  [[ $output == $'u1\nu2\nu3\nu4\nu5' ]]
  run -0 dedupe --paragraphs=1 --sentences=3 --drop in
  [[ ${#lines[@]} == 4 ]]
  run -0 given 'Oh. Oh. Oh. Oh. Oh. Yes.\nAh. Oh. Oh. Oh.\noh oh oh\n' --paragraphs=1 --sentences=3 --whole-line
  [[ $output == $'Oh. Oh. Oh. Yes.\nAh.' ]]
  # A store, and the same store with runs of another length.
  run -0 dedupe --paragraphs=1 --sentences=2 --store=seen < <(texts 'All be. Cee do.')
  run -0 dedupe --paragraphs=1 --sentences=2 --store=seen --fields=text < <(texts 'Eel fly. All be. Cee do.')
  [[ $output == 'Eel fly.' ]]
  run -2 --separate-stderr dedupe --paragraphs=1 --sentences=3 --store=seen in
  [[ $stderr == *'"runs of 2 sentences", not "runs of 3 sentences"'* ]]
  for options in '--sentences=2' '--paragraphs=1 --sentences=0' '--paragraphs=1 --sentences=101' '--paragraphs=1 --sentences=2 --drop-share=.5' '--paragraphs=1 --sentences=2 --shingle=3'; do
    run -2 given 'a\n' $options
  done
}

@test "--paragraphs --drop-share: so much of its runs of words" {
  texts 'we use cookies to make this site work' 'We use cookies to make this site work well.\nother' 'we use this site' 'a a a a a a a a b' > in
  run -0 dedupe --paragraphs=1 --drop-share=0.8 --shingle=2 in --fields=url,text,paragraphs-dropped
  [[ $output == $'u1\twe use cookies to make this site work\t\nu2\tother\t1\nu3\twe use this site\t\nu4\ta a a a a a a a b\t' ]]
  run -0 dedupe --paragraphs=1 --drop-share=0.5 --shingle=2 --mark in --fields=url,paragraphs-seen
  [[ $output == $'u1\t\nu2\t1\nu3\t1\nu4\t' ]]
  for options in --bits=64 --exact --memory=32M --store=seen '--approximate=0.000001'; do
    run -0 --separate-stderr dedupe --paragraphs=1 --drop-share=1 --shingle=3 $options in --fields=text
    [[ ${lines[1]} == 'We use cookies to make this site work well.\nother' ]]
    [[ ! -e seen ]] || mv seen whole
    run -0 --separate-stderr dedupe --paragraphs=1 --drop-share=0.8 --shingle=3 $options < <(cat in; texts 'new words') --fields=text
    [[ ${lines[1]} == other ]] || { echo "$options: $output"; false; }
  done
  run -0 dedupe --paragraphs=1 --drop-share=0.5 --shingle=3 --diff=whole < <(texts 'cookies to make this stop') --fields=paragraphs-dropped
  [[ $output == 1 ]]
  for options in '--drop-share=.5' '--paragraphs=1 --drop-share=0' '--paragraphs=1 --drop-share=1.1' '--paragraphs=1 --shingle=3' '--paragraphs=1 --drop-share=.5 --shingle-chars=3' '--paragraphs=1 --drop-share=.5 --shingle=0'; do
    run -2 given 'a\n' $options
  done
}

@test "--paragraphs: sets and stores of every kind say the same, a backslash is one" {
  texts 'a\\nb c\nx\ty' 'a\\nb c\ny' 'x y\\' 'y\\\\' > in
  for options in '' --bits=64 --exact --memory=32M --recent --store=seen '--store=synced --sync'; do
    run -0 dedupe --paragraphs=1 $options in --fields=text,url
    [[ $output == $'a\\\\nb c\\nx\\ty\tu1\ny\tu2\n\tu3\n\tu4' ]] || { echo "$options: $output"; false; }
  done
  run -0 --separate-stderr dedupe --paragraphs=1 --approximate=0.001 in --fields=text,url
  [[ $output == $'a\\\\nb c\\nx\\ty\tu1\ny\tu2\n\tu3\n\tu4' && $stderr == *"at a rate of"* ]]
  run -0 dedupe --paragraphs=2 --diff seen --fields=text < <(texts 'new one\nA, nb c' 'new one')
  [[ $output == $'new one\nnew one' ]]
  run -2 --separate-stderr given 'a\n' --store=seen
  [[ $stderr == *'"paragraphs", not "url"'* ]]
  run -0 dedupe --paragraphs=1 --fields=paragraphs-dropped,text < <(texts "$(printf 'same words\\n%.0s' {1..20000})end")
  [[ $output == $'19999\tsame words\\nend' ]]
}

@test "CR before LF is dropped, NUL ends records under -z" {
  run -0 given 'a\r\na\n'
  [[ $output == a ]]
  printf 'a\0b\nc\0a' | dedupe -z > out
  printf 'a\0b\nc\0' | cmp - out
}

@test "a line of 100 MB is one line" {
  { head -c 100000000 /dev/zero | tr '\\0' a; echo; } > long
  cat long long > in
  run -1 --separate-stderr dedupe in
  [[ -z $output && $stderr == *"in:1: "*"--max-line"*"in:2: "* ]]
  dedupe --max-line=200M in | cmp - long
  dedupe --max-line=200M --count in --fields=count > count
  [[ $(cat count) == 2 ]]
}

@test "a closed stdout is trouble, and a reader that leaves is" {
  run -2 bash -c 'echo a | dedupe >&-'
  run -2 bash -c 'trap "" PIPE; seq 1 1000000 | { dedupe; echo $? >&2; } 2>status | head -1 >/dev/null; exit $(tail -1 status)'
}

@test "a full disk is trouble" {
  run -2 bash -c 'printf "a\n" | dedupe > /dev/full'
}

@test "the first line comes at once on a slow pipe" {
  mkfifo pipe
  dedupe < pipe > out &
  exec 9> pipe
  printf 'a\n' >&9
  soon '[[ -s out ]]'
  [[ $(cat out) == a ]]
  exec 9>&-
  wait
}

@test "bug: --paragraphs took text out of records that had failed, and remembered it" {
  run -0 given 'e\toutcome=robots\ttext=a b c\nv\ttext=a b c\nx\toutcome=error\ttext=a b c\n' --paragraphs=3
  [[ $output == $'e\toutcome=robots\ttext=a b c\nv\ttext=a b c\nx\toutcome=error\ttext=a b c' ]]
}

@test "bug: --paragraphs --drop kept a record of which only an empty line was left" {
  run -0 given 'u\ttext=a b c\nv\ttext=a b c\\n\n' --paragraphs=3 --drop
  [[ $output == $'u\ttext=a b c' ]]
}

@test "bug: a forged size= won --keep=longest, and one of 1e999 any field" {
  for size in 1e308 1e999 0x7fff 18446744073709551615 -1 nan "$(printf '9%.0s' {1..5000})"; do
    run -0 given "forged\tk=1\tsize=$size\npage\tk=1\tsize=70000\n" --key=k --keep=longest --fields=url
    [[ $output == page ]]
  done
  run -0 given 'a\tv=1e999\tk=1\nb\tv=3\tv=99\tk=1\nc\tv=nan\tk=1\nd\tv=4\tk=1\n' --key=k --keep=v --fields=url
  [[ $output == d ]]
  run -0 given 'a\tk=1\tlastmod=2026-11-23T10:00:00.5e300\nb\tk=1\tlastmod=2026-11-23T10:00:00+0100\nc\tk=1\tlastmod=2026-11-23T08:59:59Z\n' --key=k --keep=newest --fields=url
  [[ $output == b ]]
  run -2 given 'a\n' --keep=url
}

@test "bug: of a damaged sketch it was said that it is of its own kind, and not of it" {
  run -1 --separate-stderr given 'a\tsketch=parity128-w3:00\nb\tsketch=minhash128-w3:00\nc\tsketch=:\n' --similarity=0.9 --cluster
  [[ $stderr == *"its sketch is damaged: parity128-w3 has "*" hexadecimal digits"*"of minhash128-w3, not of parity128-w3"*"not one that --signature writes"* ]]
  run -1 --separate-stderr dedupe --near --mark < <(printf 'a\tsketch='; head -c 1000000 /dev/zero | tr '\\0' 9)
  ((${#stderr} < 1000))
}

@test "bug: a forged sketch, of more hashes than there are bins, ended the work" {
  # A sketch whose last two bytes hold a count of hashes and their checksum, followed by 128 bytes for its bands.
  for bytes in 128 256; do
    for tail in ff0f ffff 0008; do
      for fill in 0 1 3; do
        printf "u$fill\tsketch=parity$bytes-w3:%s$tail%s\n" "$(printf "%0$((bytes * 2 - 4))d" 0 | tr 0 $fill)" "$(printf '%0256d' 0)"
      done > in
      run -0 --separate-stderr dedupe --similarity=0.9 --sketch=${bytes}B --cluster --fields=url,cluster-size in
      ((${#lines[@]} == 3)) && [[ -z $stderr ]]
    done
  done
}

@test "documents of 60 MB, and a million equal paragraphs" {
  { printf 'u\ttext='; yes 'the same paragraph here\n' | head -n 1000000 | tr -d '\n'; echo end; } > in
  run -0 dedupe --paragraphs=3 --fields=paragraphs-dropped,text in
  [[ $output == $'999999\tthe same paragraph here\\nend' ]]
  # A body in which all words differ, and a second one that has one word more.
  { for i in 1 2; do printf 'u%s\tbody=' $i; seq 6000000 | tr '0-9\n' 'a-j '; ((i == 1)) || printf more; echo; done; } > in
  (( $(wc -c <in) > 90000000 ))
  for options in --similarity=0.9 --near; do
    run -0 dedupe $options --mark --fields=url,duplicate-of in
    [[ $output == $'u1\t\nu2\tu1' ]]
    run -0 dedupe $options --cluster --keep=longest --fields=url,cluster-size in
    [[ $output == $'u2\t2' ]]
  done
  run -0 dedupe --paragraphs=3 --whole-line --fields=url < <(tr '\t' ' ' < in | sed 's/more$//;s/^u[12]//' | cut -c1-50)
  ((${#lines[@]} == 1))
}
