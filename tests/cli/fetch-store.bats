#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fetch --store: bodies in packs are read through their records, listed, and printed by digest or URL, whatever other
# processes do with the same folder and wherever one was killed.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir site
  for i in {1..200}; do echo "<html>page $i <a href=l$i>" >"site/p$i.html"; done
  : >site/empty.html
  export base=http://127.0.0.1:$((port = $(free_port)))
  mkdir site/below
  echo '<html><a href=l0>' >site/below/page.html
  start_nginx <<<"server { listen 127.0.0.1:$port; location = /leads { return 302 /below/page.html; }
    location /below/ { add_header X-Robots-Tag noindex; add_header Link '</next>; rel=next'; add_header Content-Usage train-ai=n; } }"
}
teardown_file() { stop_servers; }

get() { fetch --allow-private "$@"; }
pages() { seq -f "$base/p%.0f.html" "$@"; }
field() { tr '\t' '\n' | sed -n "s/^$1=//p"; }
# readable FILE...: checks that every record's body can be read; each reader compares it with the digest.
readable() {
  run -0 --separate-stderr dedupe --content "$@"
  [[ -z $stderr ]]
}

@test "a few files, each body once, and found by its record alone" {
  { pages 1 50; echo "$base/p1.html?again"; echo "$base/empty.html"; echo "$base/p999.html"; } | get --store=store >out
  [[ $(ls store) == bodies-000001.pack ]]
  (($(grep -c $'\tbody-file=store/bodies-000001.pack\tbody-offset=[0-9]*\toutcome=ok$' out) == 52))
  readable out
  extract-links out | cut -f1 | grep -cx "$base/l[0-9]*" | grep -qx 51
  # Plain tools find the body as well.
  record=$(grep -F "$base/p7.html" out)
  tail -c "+$(($(field body-offset <<<"$record") + 1))" store/bodies-000001.pack |
    head -c "$(field size <<<"$record")" | cmp - "$BATS_FILE_TMPDIR/site/p7.html"
  # The next run knows what is in the store.
  size=$(wc -c <store/bodies-000001.pack)
  pages 1 60 | get --store=store >again
  [[ $(ls store) == $'bodies-000001.pack\nbodies-000002.pack' && $(wc -c <store/bodies-000001.pack) == "$size" ]]
  (($(grep -c 'body-file=store/bodies-000001.pack' again) == 50))
  (($(grep -ac '^<html>' store/bodies-000002.pack) == 10))
  readable again
}

@test "--list: what was put there as records that extract-links reads; --cat: a body by URL and by digest" {
  pages 1 30 | get --store=store --ordered >out
  fetch --store=store --list >list
  diff <(cut -f1 out | sort) <(cut -f1 list | sort)
  for name in size digest type body-file body-offset; do
    diff <(cut -f1 out | paste - <(field $name <out) | sort) <(cut -f1 list | paste - <(field $name <list) | sort)
  done
  readable list
  extract-links list | cut -f1 | grep -cx "$base/l[0-9]*" | grep -qx 30
  fetch --store=store --cat="$base/p3.html" --cat="$(grep -F "$base/p4.html" out | field digest)" |
    cmp - <(cat "$BATS_FILE_TMPDIR"/site/p{3,4}.html)
  run -1 --separate-stderr fetch --store=store --cat=http://none/ --cat="$base/p5.html"
  [[ $output == *"page 5"* && $stderr == 'fetch: store holds no body of "http://none/"' ]]
  # Of several bodies of a URL, the newest is printed.
  echo '<html>newer' >"$BATS_FILE_TMPDIR/site/p3.html"
  get --store=store "$base/p3.html" >/dev/null
  [[ $(fetch --store=store --cat="$base/p3.html") == '<html>newer' ]]
  run -2 bash -c 'fetch --store=store --list >/dev/full'
}

@test "bug: --list left out where a page came from, and what its owner says in headers, so that links were others" {
  get --follow=1 --store=store "$base/leads" >out
  fetch --store=store --list >list
  for name in hop x-robots-tag link header; do
    [[ -n $(field $name <out) ]]
    diff <(field $name <out) <(field $name <list)
  done
  extract-links list >links
  records --links --fields=url links | sort | diff - <(printf "$base/%s\n" below/l0 next)
  records --results --fields=outcome links | grep -x noindex
  fetch --store=store --cat="$base/leads" | cmp - "$BATS_FILE_TMPDIR/site/below/page.html"
}

@test "a store of files stays readable, and takes packs beside it" {
  get --store-as=files --store=store "$base/p1.html" >old
  pages 1 2 | get --store=store >new
  readable old new
  fetch --store=store --cat="$(field digest <old)" | cmp - "$BATS_FILE_TMPDIR/site/p1.html"
  rm store/*.pack
  fetch --store=store --cat="$(field digest <old)" | cmp - "$BATS_FILE_TMPDIR/site/p1.html"
}

@test "many processes on one store, and some of them killed: no record without its body" {
  mkfifo to
  for i in {1..6}; do
    pages $((i * 20)) $((i * 20 + 60)) | fetch --allow-private -j 8 --store=store >out$i &
    pids[i]=$!
  done
  fetch --allow-private --store=store <to >killed &
  victim=$!
  exec 7>to
  pages 1 150 >&7
  soon '(($(wc -l <killed) >= 20))'
  kill -KILL $victim
  exec 7>&-
  for pid in "${pids[@]}"; do wait "$pid"; done
  wait $victim || true
  # Of the output of the killed process, whole lines count.
  head -n "$(wc -l <killed)" killed >whole
  (($(cat out? whole | grep -c outcome=ok) >= 386))
  readable out? whole
  fetch --store=store --list >list
  readable list
  # The next run continues in a pack of its own.
  pages 1 200 | get --store=store >rest
  readable rest
}

@test "a body with one bit turned, or cut off, is told by each reader, and stored anew" {
  get --store=store "$base/p9.html" >in
  sed 's/\t/\tpurpose=robots\t/' in >robots
  at=$(field body-offset <in)
  cp store/bodies-000001.pack sound
  for kind in bit cut; do
    if [[ $kind == bit ]]; then
      { head -c $((at + 3)) sound; printf X; tail -c +$((at + 5)) sound; } >store/bodies-000001.pack
    else
      head -c $((at + 3)) sound >store/bodies-000001.pack
    fi
    run -1 --separate-stderr extract-links in
    [[ $output == "$base/p9.html"*$'\t'error=*$'\t'outcome=aborted && $stderr == *store/bodies-000001.pack*@(damaged|cut off)* ]]
    run -1 --separate-stderr robots-check --learn --cache=cache robots
    [[ $stderr == *@(damaged|cut off)* ]]
    if [[ $kind == bit ]]; then
      run -2 --separate-stderr fetch --store=store --cat="$base/p9.html"
      [[ -z $output && $stderr == *damaged* ]]
    fi
  done
  get --store=store "$base/p9.html" >again
  readable again
}

@test "a record whose place is nonsense is refused, and costs no memory" {
  : >empty.pack
  for place in 'body-offset=x' 'body-offset=0' $'size=99999999999999\tbody-offset=0' $'size=5\tbody-offset=18446744073709551615' \
    $'size=900000000\tbody-offset=1' $'size=1\tbody-offset=1'; do
    printf 'http://h/\tbody-file=empty.pack\t%s\toutcome=ok\n' "$place" >in
    # A sanitizer's own memory would exceed the limit.
    limit=$(is_sanitized && echo unlimited || echo 300000)
    run -1 --separate-stderr bash -c "ulimit -v $limit; extract-links in"
    [[ $output == http://h/$'\t'*$'\t'error=*$'\t'outcome=aborted && $output != *$'\n'* && $stderr == *in:1:* ]]
  done
}

@test "wrong usage: options of a store without one, two wishes at once, a store that is a file" {
  for options in --list --cat=x --store-as=files '--store=s --list --cat=x' '--store=s --list URL' '--store=s --store-as=x' \
    '--store=s --cat=x http://h/'; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr fetch $options </dev/null
    [[ -z $output && -n $stderr && ! -e s ]]
  done
  : >file
  for options in --list --cat=x ''; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr fetch --store=file $options </dev/null
    [[ -z $output && $stderr == *file* ]]
  done
  run -2 --separate-stderr fetch --store=none --list
  [[ $stderr == *none* && ! -e none ]]
}
