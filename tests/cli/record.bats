#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The formats of a record, over all tools that pass records: --json, --fields, -z.

load helper

# Settled records, so that every filter passes them, with each kind of field.
five_records() {
  printf 'http://a.example/\tstatus=200\tsize=12\tcrawl-delay=1.5\tvia=http://b/\tvia=http://c/\toutcome=ok\n'
  printf 'http://b.example/\tplain column\tnote=tab\\tline\\nreturn\\rslash\\\\nul\\0end\toutcome=ok\n'
  printf 'http://\xff.example/\tx=\xc3\xa9\xff\tstatus=007\tsize=1.\turl=second\toutcome=gone\n'
  printf 'http://d.example/\ttext=\x1b[31m\xe2\x80\xae"\\\\\tempty=\toutcome=ok\n'
  printf 'http://e.example/\toutcome=ok'
}

as_filter() {
  local tool=$1
  shift
  case $tool in
    robots-check) robots-check --gate --cache="$PWD" --agent=bot "$@" ;;
    *) "$tool" "$@" ;;
  esac
}
filters=(url-normalize url-filter robots-check fetch extract-links dedupe)

same_for_all() {
  local tool
  five_records >in
  for tool in "${filters[@]}"; do
    as_filter "$tool" "$@" <in >"$tool.out"
    cmp "${filters[0]}.out" "$tool.out"
  done
  cp "${filters[0]}.out" out
}

@test "--json: an object a line, the same from every tool" {
  same_for_all --json
  (($(jq -s length out) == 5))
  [[ $(jq -r '.url' out | tail -n1) == http://e.example/ ]]
  run ! grep -P '[\x00-\x09\x0b-\x1f\x7f]' out
}

@test "--json: numbers, arrays, columns" {
  same_for_all --json
  [[ $(sed -n 1p out) == '{"url":"http://a.example/","status":200,"size":12,"crawl-delay":1.5,"via":["http://b/","http://c/"],"outcome":"ok"}' ]]
  [[ $(sed -n 2p out | jq -c .columns) == '["plain column"]' ]]
  [[ $(sed -n 2p out | jq -r '.note | explode | map(tostring) | join(" ")') == *' 9 '*' 10 '*' 13 '*' 92 '*' 0 '* ]]
}

@test "--json: what is no number is a string, what is no UTF-8 is U+FFFD, no member twice" {
  same_for_all --json
  sed -n 3p out >third
  [[ $(jq -c '[.status, .size, .columns]' third) == '["007","1.",["url=second"]]' ]]
  [[ $(jq -r .url third) == $'http://\xef\xbf\xbd.example/' ]]
  [[ $(jq -r .x third) == $'\xc3\xa9\xef\xbf\xbd' ]]
}

@test "--json: nothing acts on a terminal" {
  same_for_all --json
  [[ $(sed -n 4p out) == *'"text":"\u001b[31m\u202e\"\\"'* ]]
}

@test "--fields: strict columns, escapes kept, missing ones empty, first of repeats" {
  same_for_all --fields=outcome,via,note,url,none
  [[ $(sed -n 1p out) == $'ok\thttp://b/\t\thttp://a.example/\t' ]]
  [[ $(sed -n 2p out) == $'ok\t\ttab\\tline\\nreturn\\rslash\\\\nul\\0end\thttp://b.example/\t' ]]
  (($(awk -F'\t' '{ print NF }' out | sort -u) == 5))
}

@test "-z: NUL ends records, in each form" {
  five_records | tr '\n' '\0' >in
  local tool form
  for tool in "${filters[@]}"; do
    for form in --strict --json --fields=url; do
      as_filter "$tool" -z "$form" <in | tr -dc '\0' >ends
      (($(wc -c <ends) == 5))
    done
  done
}

@test "--json and --fields exclude each other; --fields wants names" {
  local tool
  for tool in "${TOOLS[@]}"; do
    run -2 "$tool" --json --fields=url
    [[ $output == *"exclude each other"* ]]
    run -2 "$tool" --fields=url,,status
    [[ $output == *"--fields takes names"* ]]
  done
}

@test "cut -f1 turns every stream back into a list" {
  same_for_all
  cut -f1 out >list
  five_records | cut -f1 | cmp list -
}

@test "bug: a page whose body file was gone was dropped by two tools, and passed as good by the third" {
  printf 'http://h/\ttype=text/html\tbody-file=gone\toutcome=ok\nhttp://i/\ttype=text/html\tsize=9\tbody=torn\toutcome=ok\n' >in
  for tool in extract-links 'extract-items a=a' extract-text 'extract-text --text-to=t' 'extract-items --items-to=i a=a'; do
    echo "$tool"
    run -1 --separate-stderr $tool in
    [[ $output == $'http://h/\ttype=text/html\tbody-file=gone\terror=cannot open gone: No such file or directory\toutcome=aborted' ]]
    [[ $stderr == *': in:1: cannot open gone'*': in:2: '*'torn: record dropped'* ]]
  done
  [[ ! -s t && ! -s i ]]
  # With --links only links come out.
  run -1 --separate-stderr extract-links --links in
  [[ -z $output && $stderr == *'cannot open gone'* ]]
}
