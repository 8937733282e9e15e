#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# records: which pass, how they are printed, tables in and out.

load helper

T=$'\t'
setup() {
  printf 'http://h/?outcome=ok\ttag=a@href\ttext=the outcome=ok text\nhttp://h/p\tstatus=200\ttype=text/html\tvia=a, b\tnote=say "x"\\ny\toutcome=ok\nhttp://h/q\tstatus=404\ttype=text/html\toutcome=not-found\n' >in
}

@test "words of a page select nothing" {
  run -0 records --where 'outcome=ok' --fields=url in
  [[ $output == http://h/p ]]
  run -0 records --links --fields=url in
  [[ $output == 'http://h/?outcome=ok' ]]
  run -0 records --results --fields=url in
  [[ $output == $'http://h/p\nhttp://h/q' ]]
}

@test "what passes is passed byte for byte" {
  records --where 'has status or tag~href' in | cmp - in
  records <in | cmp - in
}

@test "--where several times: all must hold; patterns are RE2's" {
  run -0 records -w 'type~^text/(html|css)$' -w 'status>=400' --fields=url in
  [[ $output == http://h/q ]]
  run -0 records -w 'type~(?i)HTML and not url~/p$' --fields=url in
  [[ $output == http://h/q ]]
}

@test "an expression that is none ends with its column" {
  run -2 records -w 'outcome=ok and status<3x' in
  [[ ${lines[0]} == "records: --where: column 23: a number expected, which < <= > >= compare" ]]
  run -2 records -w 'type~(' in
  [[ ${lines[0]} == "records: --where: column 6: no regular expression: missing ): (" ]]
  run -2 records --links --results in
}

@test "--head ends the input that it does not need" {
  run -0 records -n 2 --fields=url in
  ((${#lines[@]} == 2))
  run -0 timeout 60 bash -c '{ cat in; sleep 100 2>/dev/null & echo $! >sleeper; } | records --where outcome=ok -n 1 --fields=url'
  kill "$(<sleeper)"
  [[ $output == http://h/p ]]
}

@test "--count and --count-by" {
  run -0 records -c --results in
  [[ $output == 2 ]]
  printf 'http://h/x\toutcome=ok\n' >>in
  run -0 records --count-by=outcome in
  [[ $output == "ok${T}count=2"$'\n'"${T}count=1"$'\n'"not-found${T}count=1" ]]
  run -0 records --count-by=status --fields=url,count in
  [[ ${lines[0]} == "${T}2" ]]
  run -2 records --count-by=A in
}

@test "bug: --count took --json and --fields, and did nothing with them" {
  for option in --json --fields=url; do
    run -2 records --count "$option" in
    [[ ${lines[0]} == "records: --count and ${option%=*} exclude each other" ]]
  done
}

@test "bug: --count-by --json doubled the escapes of values" {
  printf 'http://h/\\\\\ta=C:\\\\x\\ty\\nz\n' >in
  [[ $(records --count-by=a --json in) == '{"url":"C:\\x\ty\nz","count":1}' ]]
  [[ $(records --count-by=a in) == 'C:\\x\ty\nz'"${T}count=1" ]]
  [[ $(records --count-by=url --json in) == '{"url":"http://h/\\\\","count":1}' ]]
}

@test "--csv quotes what it must, and --from=csv reads it again" {
  records --csv --fields=url,status,via,note,outcome in >out.csv
  diff - out.csv <<'CSV'
url,status,via,note,outcome
http://h/?outcome=ok,,,,
http://h/p,200,"a, b","say ""x""
y",ok
http://h/q,404,,,not-found
CSV
  records --from=csv out.csv | diff - <(records --fields=url,status,via,note,outcome in | awk -F'\t' '{
    line = $1; split("status via note outcome", name, " ")
    for (i = 2; i <= 5; i++) if ($i != "") line = line "\t" name[i - 1] "=" $i
    print line }')
  sed 's/$/\r/' out.csv | records --from=csv --fields=url,status | diff - <(records --fields=url,status in)
  run -2 records --csv in
  [[ $output == *"--csv needs --fields"* ]]
}

@test "--from=json reads what --json prints" {
  records --json in | records --from=json | cmp - in
}

@test "--from=tsv reads what --fields prints" {
  { printf 'url\tstatus\tnote\n'; records --fields=url,status,note in; } | records --from=tsv --json >a
  records --fields=url,status,note in | records --from=tsv --names=url,status,note --json | cmp - a
  [[ $(sed -n 2p a) == '{"url":"http://h/p","status":200,"note":"say \"x\"\ny"}' ]]
}

@test "a row that is none is told by its line, and no other is lost" {
  printf '\xEF\xBB\xBFName,Link\n"a\nb",http://x/\nshort\n"e"f,http://y/\n,\ng,http://z/,more\nlast,http://z/\n"open,http://o/\n' >t.csv
  run -1 --separate-stderr records --from=csv --field=Link t.csv
  [[ $output == "http://x/${T}name=a\\nb"$'\n'"http://z/${T}name=last" ]]
  [[ $stderr == *"t.csv:4: fewer columns than names"*"t.csv:5: something follows a closing quote"*"t.csv:6: the URL is empty"*"t.csv:7: more columns than names"*"t.csv:9: a quote that is not closed"* ]]
  printf '{"url":"http://a/"}\n[]\n{"a":1}\nx\n{"url":"http:\\/\\/b\\t\\/"}\n{"url":"http://c/"}\n' >t.json
  run -1 --separate-stderr records --from=json t.json
  [[ $output == $'http://a/\nhttp://c/' ]]
  [[ $stderr == *"t.json:2: no JSON object"*"t.json:3: lacks the member"*"t.json:4: no JSON: "*"t.json:5: the URL is empty, or holds a tab"* ]]
}

@test "bug: CR LF within a cell of CSV came out as LF, and a table did not come back as it was" {
  printf 'url,a,b\r\nhttp://h/,"x\r\ny","z\n\r\n"\r\nhttp://i/,,"q"\r\n' >crlf.csv
  run -0 records --from=csv --json crlf.csv
  [ "$output" = '{"url":"http://h/","a":"x\r\ny","b":"z\n\r\n"}'$'\n''{"url":"http://i/","b":"q"}' ]
  records --from=csv --csv --fields=url,a,b crlf.csv >again.csv
  cmp again.csv <(printf 'url,a,b\nhttp://h/,"x\r\ny","z\n\r\n"\nhttp://i/,,q\n')
  # A quote that is never closed gives its lines back.
  printf 'url,a\r\nhttp://h/,"x\r\nhttp://i/,y\r\n' >open.csv
  run -1 --separate-stderr records --from=csv open.csv
  [ "$output" = $'http://i/\ta=y' ]
  [ "$stderr" = 'records: open.csv:2: a quote that is not closed: "http://h/,\"x"' ]
}

@test "bug: a quote ahead of millions of lines took 100 bytes for each, and 32 times the time" {
  { printf 'url,n\nhttp://a/,"open\n'; yes h,1 | head -n 3000000; } >t.csv
  run -1 --separate-stderr bash -c 'ulimit -v 250000; timeout 120 records --from=csv --count t.csv'
  [[ $output == 3000000 && $stderr == 'records: t.csv:2: a quote that is not closed: '* ]]
  # Lines that are read again keep their numbers, also in the next file; rows of several lines are whole.
  printf 'url,n\nhttp://a/,"x\nhttp://b/,1\nhttp://c/,"y\nhttp://d/,2\n' >a.csv
  printf 'url,n\nhttp://e/,3\n,4\nhttp://f/,"5\n6"\nhttp://g/,"z\n' >b.csv
  run -1 --separate-stderr records --from=csv a.csv b.csv
  [ "$output" = $'http://b/\tn=1\nhttp://d/\tn=2\nhttp://e/\tn=3\nhttp://f/\tn=5\\n6' ]
  [[ $(cut -d: -f2,3 <<<"$stderr") == $' a.csv:2\n a.csv:4\n b.csv:3\n b.csv:6' ]]
}

@test "bug: a quote that was never closed took all rows behind it, and the names of the next file" {
  printf 'url,a\nhttp://a/,1\nhttp://b/,"2\nhttp://c/,3\n"http://d/\nhttp://e/,"4\n5"\n' >a.csv
  printf 'a,url\n6,http://f/\n' >b.csv
  run -1 --separate-stderr records --from=csv a.csv b.csv
  [[ $output == "http://a/${T}a=1"$'\n'"http://c/${T}a=3"$'\n'"http://e/${T}a=4\\n5"$'\n'"http://f/${T}a=6" ]]
  [[ $stderr == *'a.csv:3: something follows a closing quote: '*'a.csv:5: something follows'* ]]
  printf 'url,a\nhttp://a/,1\nhttp://b/,"2\nhttp://c/,3\n' >d.csv
  run -1 --separate-stderr records --from=csv d.csv b.csv
  [[ $output == "http://a/${T}a=1"$'\n'"http://c/${T}a=3"$'\n'"http://f/${T}a=6" ]]
  [[ $stderr == *'d.csv:3: a quote that is not closed: '* ]]
  # Thousands of them do not take quadratic time: after some of them, each line is a row.
  { echo url,a; seq 20000 | sed 's|.*|"http://h/&|'; echo http://i/,1; } >c.csv
  run -1 --separate-stderr records --from=csv c.csv b.csv
  [[ $output == "http://i/${T}a=1"$'\n'"http://f/${T}a=6" ]]
  (($(wc -l <<<"$stderr") == 20000))
}

@test "each file has its own line of names, and one without the URL's is said" {
  printf 'url,a\nhttp://a/,1\n' >a.csv
  printf 'b,url\n2,http://b/\n' >b.csv
  printf 'c,d\n3,http://c/\n' >c.csv
  run -2 --separate-stderr records --from=csv a.csv c.csv b.csv
  [[ $output == "http://a/${T}a=1"$'\n'"http://b/${T}b=2" ]]
  [[ $stderr == 'records: c.csv: no column is named "url"; there are "c, d"' ]]
  printf 'url,url\n3,http://c/\n' >d.csv
  run -2 --separate-stderr records --from=csv d.csv
  [[ $stderr == 'records: d.csv: two columns are named "url": give the number of one' ]]
  run -0 records --from=csv --field=2 --header d.csv
  [[ $output == "http://c/${T}x-url=3" ]]
  run -2 records --from=csv --names=a,b a.csv
  run -2 records --field=x a.csv
}

@test "tables are told of in the words of the other tools: a column by name or number, a key of JSON" {
  printf '1,http://a/,"x, y"\n2,http://b/\n3\n' >a.csv
  run -1 --separate-stderr records --from=csv --field=2 a.csv
  [[ $output == $'http://a/\tx-1=1\tx-3=x, y\nhttp://b/\tx-1=2' ]]
  [[ $stderr == 'records: a.csv:3: the row has fewer columns: "3"' ]]
  printf 'id\tlink\n1\thttp://a/\n' >a.tsv
  run -0 records --from=tsv --field=2 --header a.tsv
  [[ $output == $'http://a/\tid=1' ]]
  run -0 records --from=tsv --field=2 --names=n,u a.tsv
  [[ $output == $'link\tn=id\nhttp://a/\tn=1' ]]
  run -2 --separate-stderr records --from=tsv --field=3 --header a.tsv
  [[ $stderr == 'records: a.tsv: there is no column 3' ]]
  printf '{"a":{"b":["http://x/",{"c":"http://y/"}]},"n":1.5}\n{"a":{"b":["http://z/"]}}\n' >a.json
  run -1 --separate-stderr records '--json-key=a.b[1].c' a.json
  [[ $output == $'http://y/\ta.b=http://x/\tn=1.5' && $stderr == *'a.json:2: lacks the member "a.b[1].c"'* ]]
  run -0 records --from=json --json-key=a.b --fields=url a.json
  [[ $output == $'http://x/\nhttp://z/' ]]
  # A gzip file is read, as everywhere.
  gzip a.csv
  run -1 --separate-stderr records --from=csv --field=2 --fields=url a.csv.gz
  [[ ${lines[0]} == http://a/ ]]
}

@test "a word of tables that does not go with the others is told what does" {
  run -2 records --csv --fields=url --field=url x.csv
  [[ $output == *'--field is of a table that is read: say --from=csv or --from=tsv (--csv is what is printed)'* ]]
  run -2 records --from=json --field=url x.json
  [[ $output == *'--json-key'* ]]
  run -2 records --from=csv --json-key=url x.csv
  [[ $output == *'--field'* ]]
  run -2 records --from=csv --field=0 x.csv
  run -2 records --from=csv --field=a --field=b x.csv
  run -2 records --from=csv --header --names=url x.csv
  run -2 records --json-key=a..b x.json
  [[ $output == *'--json-key: '* ]]
}
