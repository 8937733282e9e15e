#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# URLs in tables, for every tool that takes URL lines: rows in, the same rows out.
load helper

# given INPUT COMMAND...: runs the command with INPUT (with escapes of printf %b) on standard input.
given() {
  local input=$1
  shift
  run --separate-stderr bash -c 'printf %b "$1" | { shift; "$@"; }' - "$input" "$@"
}

people='id,url,note\n1,HTTP://A/,"x, y"\n2,"HTTP://B/",z\n3,,\n4,"http://c/","two\nlines, ""q"""\n5,no url,w\n'

@test "CSV: quotes, commas and line ends stay, and no row is lost" {
  given "$people" url-normalize --csv --header --field=url
  expect 1 'id,url,note' '1,http://a/,"x, y"' '2,"http://b/",z' '3,,' '4,"http://c/","two' 'lines, ""q"""' '5,no url,w'
  [[ $stderr == 'url-normalize: -:7: a relative URL without a base at byte 0: "no url"' ]]
}

@test "what is found is added as columns, and --on-error says what becomes of a bad row" {
  given "$people" url-normalize --csv --field=url --parts=host --explain --on-error=mark
  expect 1 'id,url,note,host,from,steps,error' '1,http://a/,"x, y",a,HTTP://A/,"scheme-case,host-case",' \
    '2,"http://b/",z,b,HTTP://B/,"scheme-case,host-case",' '3,,,,,,' '4,"http://c/","two' 'lines, ""q""",c,,,' \
    '5,no url,w,,,,a relative URL without a base at byte 0'
  given "$people" url-normalize --csv --field=url --on-error=drop
  expect 1 'id,url,note' '1,http://a/,"x, y"' '2,"http://b/",z' '3,,' '4,"http://c/","two' 'lines, ""q"""'
  given "$people" url-normalize --csv --field=url --parts=host,path --fields=path
  [[ ${lines[0]} == id,url,note,path && ${lines[1]} == '1,http://a/,"x, y",/' ]]
}

@test "CR LF, a last row without a line end, a byte order mark" {
  given '\xEF\xBB\xBFurl,b\r\nHTTP://a/,"1"\r\nHTTP://b/' url-normalize --csv --header --parts=host
  expect 0 $'url,b,host\r' $'http://a/,"1",a\r' 'http://b/,,b'
  given '\xEF\xBB\xBFHTTP://a/\n' url-normalize
  expect 0 'http://a/'
}

# The header and the empty cell used to be lost, in the first file that anybody tried.
@test "a column by number keeps the header, empty cells and rows without URL" {
  given 'id\turl\n1\tHTTP://A/\n2\t\n\n3\thttp://b/\n4\n' url-normalize --field 2 --header
  expect 1 $'id\turl' $'1\thttp://a/' $'2\t' '' $'3\thttp://b/' 4
  [[ $stderr == 'url-normalize: -:6: the row has fewer columns: "4"' ]]
}

@test "JSON: a path, null and a missing key pass, the rest of the object stays" {
  given '{"a":{"b":["x",{"c":"HTTP://H/"}]}, "n" : 1.0e0}\n{"a":1}\n{"a":{"b":[0,{"c":null}]}}\n{"a":{"b":[0,{"c":7}]}}\n[]\n' \
    url-normalize '--json-key=a.b[1].c' --parts=host
  expect 1 '{"a":{"b":["x",{"c":"http://h/"}]}, "n" : 1.0e0,"host":"h"}' '{"a":1}' '{"a":{"b":[0,{"c":null}]}}' \
    '{"a":{"b":[0,{"c":7}]}}' '[]'
  [[ ${stderr_lines[0]} == *'-:4: the key'\''s value is not a string:'* && ${stderr_lines[1]} == *'-:5: the line is not a JSON object: "[]"' ]]
}

@test "several URLs a row, the same with threads" {
  for jobs in 1 3; do
    given 'a,b,c\nHTTP://x/,1,HTTP://y/\n,2,HTTP://z/\nbad,3,HTTP://w/\n' \
      url-normalize --csv --field=a --field=c --parts=host --on-error=mark -j $jobs
    expect 1 'a,b,c,a.host,a.error,c.host,c.error' 'http://x/,1,http://y/,x,,y,' ',2,http://z/,,,z,' \
      'bad,3,http://w/,,a relative URL without a base at byte 0,w,'
  done
}

@test "--base-field is a column, and --get another one" {
  given 'url,The page\nx,http://h/a/b\n' url-normalize --csv --header '--base-field=The page' -g '{host}:{path}' --as=where
  expect 0 'url,The page,where' 'http://h/a/x,http://h/a/b,h:/a/x'
}

@test "url-filter: rows that pass, verdicts as columns" {
  local rows='id,url,depth\n1,http://h/private/x,1\n2,http://h/a,1\n3,zz,1\n4,,1\n5,http://h/b,9\n'
  given "$rows" url-filter --csv --header -e 'deny-path ^/private/' --max-depth=3
  expect 1 id,url,depth 2,http://h/a,1 3,zz,1 4,,1
  given "$rows" url-filter --csv --header -e 'deny-path ^/private/' --max-depth=3 --explain --fields=verdict,rule
  expect 1 id,url,depth,verdict,rule '1,http://h/private/x,1,refuse,deny-path ^/private/' 2,http://h/a,1,accept, 3,zz,1,, \
    4,,1,, '5,http://h/b,9,refuse,max-depth 3'
}

@test "robots-check: verdicts as columns and members" {
  printf 'User-agent: *\nDisallow: /x\n' >robots.txt
  given 'id,url\n1,http://h/x\n2,http://h/y\n3,\n' robots-check --csv --header -A bot -r robots.txt
  expect 1 id,url,robots 1,http://h/x,disallow 2,http://h/y,allow 3,,
  given '{"u":"http://h/x"}\n{}\n' robots-check --json-key=u -A bot -r robots.txt
  expect 1 '{"u":"http://h/x","robots":"disallow"}' '{}'
  given 'url\nhttp://h/x\nhttp://h/y\n' robots-check --csv --header -A bot -r robots.txt --allowed
  expect 1 url http://h/y
}

@test "dedupe: by the URL's cell, or by another column" {
  local rows='id,url,mail\n1,http://a/,"x, y"\n2,http://a/,z\n3,,z\n4,http://b/,"x, y"\n'
  given "$rows" dedupe --csv --header
  expect 0 id,url,mail '1,http://a/,"x, y"' 3,,z '4,http://b/,"x, y"'
  given "$rows" dedupe --csv --header -k mail
  expect 0 id,url,mail '1,http://a/,"x, y"' 2,http://a/,z 3,,z
  given "$rows" dedupe --csv --header --mark
  expect 0 id,url,mail,duplicate-of,outcome '1,http://a/,"x, y",,' 2,http://a/,z,,duplicate 3,,z,, '4,http://b/,"x, y",,'
}

@test "fetch: what came of each row, in a column" {
  given 'id,url\n1,http://127.0.0.1:1/\n2,\n' fetch --ordered --csv --field=url --fields=outcome
  expect 1 id,url,outcome 1,http://127.0.0.1:1/,refused-address 2,,
}

@test "two files of one header are one table; another header is trouble" {
  printf 'id,url\n1,HTTP://A/\n' >a.csv
  printf 'url,id\nHTTP://B/,2\n' >b.csv
  run -0 url-normalize --csv --header a.csv a.csv
  [ "$output" = $'id,url\n1,http://a/\n1,http://a/' ]
  run -2 --separate-stderr url-normalize --csv --header a.csv b.csv
  [[ $output == $'id,url\n1,http://a/' && $stderr == *'b.csv: its header differs'* ]]
  run -2 --separate-stderr url-normalize --csv --field=link a.csv
  [[ $stderr == *'a.csv: no column is named "link"; there are "id, url"'* ]]
}

@test "an unclosed quote costs its line, NUL and CR in cells stay, UTF-8 need not be valid" {
  given 'HTTP://A/,"x\nHTTP://B/,y\n' url-normalize --csv
  expect 1 'HTTP://A/,"x' 'http://b/,y'
  [[ $stderr == *'-:1: a quote that is not closed: '* ]]
  printf 'HTTP://A/,\0"\r\r\n{\n' >in
  printf 'http://a/,\0"\r\r\n{\n' >wanted
  url-normalize --csv <in >out 2>/dev/null || true
  cmp out wanted
  printf '{"u":"HTTP://A/","x":"\xff"}\n' | url-normalize --json-key=u | cmp - <(printf '{"u":"http://a/","x":"\xff"}\n')
}

@test "wrong options are named" {
  local options
  for options in '--csv --tsv' '--csv -z' '--csv --json' '--json-key=a --header' '--csv --field=0' '--json-key=a..b' '--as=x'; do
    run -2 url-normalize $options </dev/null
    [[ $output == *"Try 'url-normalize --help'"* ]]
  done
  run -2 dedupe --csv --whole-line </dev/null
  run -2 url-filter --on-error=keep </dev/null
}

@test "packed files are read as they are" {
  printf 'HTTP://A/\nHTTP://B/\n' >list
  gzip -k list
  run -0 url-normalize list.gz
  [ "$output" = $'http://a/\nhttp://b/' ]
  run -0 url-normalize <list.gz
  [ "$output" = $'http://a/\nhttp://b/' ]
  if command -v zstd; then
    zstd -q list
    run -0 url-normalize list.zst
    [ "$output" = $'http://a/\nhttp://b/' ]
  fi
  head -c 20 list.gz >torn.gz
  run -2 --separate-stderr url-normalize torn.gz
  [[ $stderr == *'cannot unpack all of torn.gz'* ]]
  mkdir empty
  run -2 --separate-stderr env PATH="$PWD/empty" "$(command -v url-normalize)" list.gz
  [[ $stderr == *'list.gz is packed, and gzip cannot be run: install it'* ]]
}

@test "bug: half a line at the end of a torn archive was a line, and half a URL another URL" {
  local n
  printf 'HTTP://A/abc\nHTTP://B/def' | gzip >list.gz
  for ((n = 18; n < $(stat -c %s list.gz); ++n)); do
    head -c $n list.gz >torn.gz
    run -2 --separate-stderr url-normalize torn.gz
    [[ $output == '' || $output == http://a/abc ]] || { echo "$n bytes: $output"; return 1; }
    [[ $stderr == *'cannot unpack all of torn.gz'* && $stderr != *':2:'* ]]
    run -2 --separate-stderr url-normalize --tsv --field=1 --parts=host torn.gz
    [[ $output == '' || $output == $'http://a/abc\ta' ]] || { echo "$n bytes: $output"; return 1; }
  done
  run -0 url-normalize list.gz
  [ "$output" = $'http://a/abc\nhttp://b/def' ]
}

@test "bug: what pzstd packs, which begins with a frame to be skipped, was read as it is" {
  command -v zstd || skip "no zstd"
  { printf '\x50\x2A\x4D\x18\x04\0\0\0skip'; echo HTTP://A/ | zstd; printf '\x5F\x2A\x4D\x18\0\0\0\0'; } >list.zst
  run -0 url-normalize list.zst
  [ "$output" = http://a/ ]
}

@test "bug: of members of one name the first was judged and the last one kept, which other programs read" {
  given '{"url":"http://ok/","url":"HTTP://bad/"}\n' url-filter --json-key=url -e 'deny-url ^http://bad/'
  expect 1
  given '{"host":1,"url":"http://a/","url":"HTTP://B/","host":2}\n' url-normalize --json-key=url --parts=host
  expect 0 '{"host":1,"url":"http://a/","url":"http://b/","host":"b"}'
}

@test "--refused-ok: status 0 where something was refused, and 2 where there was trouble" {
  given 'bad\nhttp://h/\n' url-normalize --refused-ok
  expect 0 http://h/
  run -2 url-normalize --refused-ok nowhere
  given 'http://h/x\n' url-filter --refused-ok -e 'deny-path ^/x'
  expect 0 ''
}

# A shell line that prints lines until progress is on the terminal, for at most two minutes.
slowly() { echo '{ echo HTTP://A/; for _ in {1..1200}; do sleep 0.1; echo HTTP://B/; ! grep -q "M lines" terminal || break; done; }'; }

@test "progress on a terminal, once two seconds are over" {
  slowly | sed 's/$/ | url-normalize >out/' >slow
  on_terminal bash slow >terminal
  grep -qE 'url-normalize: 0.0 M lines, 0.00 M/s' terminal
  [ "$(uniq out)" = $'http://a/\nhttp://b/' ]
}

@test "bug: in a pipeline, and so in a crawl, each stage wrote its progress over that of the others" {
  slowly | sed 's/$/ | url-normalize | url-filter | dedupe >out/' >slow
  on_terminal bash slow >terminal
  grep -q 'dedupe: 0.0 M lines' terminal
  run ! grep -qE '(normalize|filter): 0.0 M lines' terminal
  [ "$(<out)" = $'http://a/\nhttp://b/' ]
}

@test "bug: a CSV file of quotes that never close took time by the square of its lines" {
  python3 -c "print('x\"y,\"\n'*40000,end='')" >q.csv
  run -1 --separate-stderr timeout 60 url-normalize --csv --field=1 q.csv
  ((${#lines[@]} == 40000))
}

@test "bug: with -j, bare hosts were files, and tables were all called -" {
  run -0 url-normalize --default-scheme=https -j2 example.org/a
  [[ $output == https://example.org/a ]]
  printf 'a,no\n' >n.csv
  run -1 --separate-stderr url-normalize --csv --field=2 -j2 n.csv
  [[ $stderr == 'url-normalize: n.csv:1:'* ]]
}

@test "bug: a row over --max-line was on line 0, or on the line of the row before it" {
  python3 -c "print('1,http://a/');print('2,http://b/'+'x'*5000);print('3,http://c/')" >m.csv
  local tool
  for tool in 'dedupe' 'url-normalize' 'url-normalize -j2'; do
    # shellcheck disable=SC2086 # its options
    run -1 --separate-stderr $tool --csv --field=2 --max-line=1000 m.csv
    [[ $stderr == *': m.csv:2: line is longer'* ]] || { echo "$tool: $stderr"; false; }
  done
  run -1 --separate-stderr url-filter -e 'deny-path /q' --csv --field=2 --max-line=1000 m.csv
  [[ $stderr == *': m.csv:2: line is longer'* ]]
}

@test "bug: a file in UTF-16 was refused line by line, or had no column of any name" {
  printf 'id,url\n1,HTTP://A/\n' >a.csv
  local form tool
  for form in UTF-16 UTF-16LE UTF-16BE; do
    # Without a byte order mark such a file is text with NUL bytes.
    { [[ $form == UTF-16 ]] || printf '\xef\xbb\xbf' | iconv -f UTF-8 -t $form; iconv -f UTF-8 -t $form a.csv; } >wide
    for tool in url-normalize dedupe 'url-filter --allow-scheme http' fetch 'robots-check -r /dev/null'; do
      run -2 --separate-stderr $tool --csv --field=url wide
      [[ $output == '' && $stderr == *': wide is in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)'* ]]
    done
    run -2 --separate-stderr bash -c 'cat wide | url-normalize'
    [[ $output == '' && $stderr == *'standard input is in UTF-16'* ]]
    # The mark comes in two pieces.
    run -2 --separate-stderr bash -c '{ head -c 1 wide; tail -c +2 wide; } | url-normalize'
    [[ $output == '' && $stderr == *'standard input is in UTF-16'* ]]
  done
  # Two bytes alone are text, although they look like the mark.
  run -1 --separate-stderr bash -c 'printf "\xff\xfe" | url-normalize --csv'
  [[ $output == $'\xff\xfe' && $stderr == *'a relative URL without a base'* ]]
}

@test "bug: records that end with NUL were taken for UTF-16 by a first one of three bytes, and all lost" {
  run -1 --separate-stderr bash -c 'printf "\xff\xfea\0http://b/\0" | url-filter -z --allow-scheme=http | tr "\0" "\n"; exit "${PIPESTATUS[1]}"'
  [[ $output == http://b/ && $stderr != *UTF-16* ]]
}

@test "bug: fetch took --header of a table for a header field, and did not say what to give instead" {
  run -2 fetch --csv --header --field=url in.csv
  [[ $output == *"--header takes a line such as 'Name: value'"*'--field=NAME alone says that its first row names the columns'* ]]
  run -2 fetch --header x http://h/
  [[ $output != *'--field=NAME'* ]]
}

@test "several columns in one --field are named as what they are" {
  printf 'a,b\nHTTP://A/,HTTP://B/\n' >a.csv
  run -2 url-normalize --csv --field=a,b a.csv
  [[ $output == *'no column is named "a,b"; there are "a, b" (a --field for each)' ]]
  run -0 url-normalize --csv --field=a --field=b a.csv
  [[ $output == $'a,b\nhttp://a/,http://b/' ]]
}

@test "bug: --on-error=mark left objects unmarked whose URL is not a string" {
  given '{"u":7}\n{"u":[], "error":1}\n{}\n{"u":"x"}\nnone}\n{"u":"HTTP://A/","v":"HTTP://B/"}\n' \
    url-normalize --json-key=u --on-error=mark
  expect 1 '{"u":7,"error":"the key'\''s value is not a string"}' '{"u":[], "error":"the key'\''s value is not a string"}' '{}' \
    '{"u":"x","error":"a relative URL without a base at byte 0"}' 'none}' '{"u":"http://a/","v":"HTTP://B/"}'
  given '{"u":"HTTP://A/","v":"HTTP://B/"}\n' url-normalize --json-key=u --json-key=v --parts=host
  expect 0 '{"u":"http://a/","v":"http://b/","u.host":"a","v.host":"b"}'
}

@test "bug: of a list or table whose lines end in CR alone nothing, or one URL of all of them, came out with status 0" {
  printf 'url,t\rhttp://a/,x\rhttp://b/,y\r' >cr.csv
  printf 'http://a/\rhttp://b/\r' >cr.list
  local said="its lines end in CR alone: tr '\\r' '\\n' makes lines of them"
  run -2 records --from=csv cr.csv
  [[ $output == "records: cr.csv: $said" ]]
  run -2 url-normalize --csv --header --field=url cr.csv
  [[ $output == "url-normalize: cr.csv: $said" ]]
  run -2 url-normalize cr.list
  [[ $output == "url-normalize: cr.list: $said" ]]
  run -2 dedupe <cr.list
  [[ $output == "dedupe: standard input: $said" ]]
  # A CR within a URL, a cell, or a record that ends in NUL stays there.
  run -0 url-normalize <<<$'http://a/x\ry'
  [[ $output == http://a/xy ]]
  run -0 records --from=csv --fields=url < <(printf 'url,"a\rhttp://x/"\r\nhttp://a/,b\r\n')
  [[ $output == http://a/ ]]
  printf 'http://a/\ttext=x\rhttp://b/\0http://c/\0' >nul.records
  for tool in records dedupe extract-links; do
    run -0 --separate-stderr "$tool" -z nul.records
    diff <(printf '%s' "$output") <(tr -d '\0' <nul.records)
  done
}

@test "bug: an empty line of a table, as many end in, was a row that is wrong, and left status 1" {
  printf '\r\nurl,t\r\nhttp://a/,x\r\n\r\nhttp://b/,"y\r\n\r\nz"\r\n\r\n' >blank.csv
  run -0 records --from=csv --fields=url,t blank.csv
  [[ $output == $'http://a/\tx\nhttp://b/\ty\\r\\n\\r\\nz' ]]
  run -0 records --from=tsv --fields=url < <(printf 'url\tt\nhttp://a/\tx\n\n')
  [[ $output == http://a/ ]]
  run -0 records --from=json --fields=url < <(printf '{"url":"http://a/"}\n\n \n')
  [[ $output == http://a/ ]]
  # In a table of one column an empty line is a row without a URL.
  run -1 records --from=csv --fields=url < <(printf 'url\n\nhttp://a/\n')
}
