#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Twelve everyday tasks with URLs in CSV, TSV and JSON Lines, beside miller, csvkit, jq and trurl: the commands, CPU
# time of one run, and whether the result is right. The tables are made here and have rows that defeat a split at
# commas: quoted commas, quotes and line ends, empty cells, missing or null keys, upper-case hosts, dot segments.
#
#   tests/bench/tables.sh [ROWS]      (200000)
#
# A result is right if it is what the task's words say, checked by handwritten answers for a table of six rows; `-`
# means that a program cannot do the task in one command. Peers that are not installed are left out (apt-get install
# miller csvkit jq; trurl is in Debian 13).
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need_tools url-normalize records || exit 1
rows=${1:-200000}
cd "$work"

# Makes tables of six rows, repeated; the verdict depends on the first six.
make_tables() {
  awk -v rows="$rows" 'BEGIN {
    print "id,url,title" >"t.csv"
    split("HTTP://Www.Example.COM/a/../b?utm_source=x&q=1|https://shop.example.co.uk/p%7E?id=7&id=8|http://h.test/x,y||https://b\303\274cher.example/#top|http://h.test:80/q?a=\"b\"", urls, "|")
    split("\"plain, with comma\"|\"say \"\"hi\"\"\"|\"two\nlines\"|empty|last|\"\"", titles, "|")
    for (i = 1; i <= rows; i++) {
      k = (i - 1) % 6 + 1; url = urls[k]; cell = url
      if (url ~ /[",]/) { gsub(/"/, "\"\"", cell); cell = "\"" cell "\"" }
      print i "," cell "," titles[k] >"t.csv"
      print i "\t" url "\tt" k >"t.tsv"
      json = url; gsub(/"/, "\\\"", json)
      if (k == 4) print "{\"id\":" i ",\"page\":{\"url\":null}}" >"t.jsonl"
      else print "{\"id\":" i ",\"page\":{\"url\":\"" json "\"},\"n\":1.50}" >"t.jsonl"
    } }'
}

# row TASK PROGRAM EXPECTED COMMAND: EXPECTED is the whole output for the small tables, which are six rows.
row() {
  local task=$1 program=$2 expected=$3 command=$4 verdict=wrong time
  if [[ $command == - ]]; then
    printf '%s\t%s\t-\t-\t-\n' "$task" "$program"
    return
  fi
  command -v "${program%% *}" >/dev/null || { printf '%s\t%s\tnot here\t-\t%s\n' "$task" "$program" "$command"; return; }
  if (cd small && bash -c "$command" 2>/dev/null || true) | cmp -s - <(printf '%b' "$expected"); then verdict=right; fi
  time=$(cpu bash -c "$command")
  printf '%s\t%s\t%s\t%.2f s\t%s\n' "$task" "$program" "$verdict" "$time" "$command"
}

tasks() {
  local urls='http://www.example.com/b?utm_source=x&q=1\nhttps://shop.example.co.uk/p~?id=7&id=8\nhttp://h.test/x,y\n'
  local last='https://xn--bcher-kva.example/\nhttp://h.test/q?a=%22b%22\n'
  local titles=('"plain, with comma"' '"say ""hi"""' $'"two\nlines"' empty last '""')
  local csv='id,url,title\n1,http://www.example.com/b?utm_source=x&q=1,'${titles[0]}'\n2,https://shop.example.co.uk/p~?id=7&id=8,'${titles[1]}
  csv+='\n3,"http://h.test/x,y",'${titles[2]}'\n4,,empty\n5,https://xn--bcher-kva.example/,last\n6,"http://h.test/q?a=%22b%22",""\n'
  row '1 normalise a column of CSV' url-normalize "$csv" 'url-normalize --csv --header --field=url t.csv'
  row '1 normalise a column of CSV' mlr "$csv" -
  row '1 normalise a column of CSV' csvcut "$csv" -

  local hosts='www.example.com\nshop.example.co.uk\nh.test\nxn--bcher-kva.example\nh.test\n'
  row '2 hosts of a column of CSV' url-normalize "host\n$hosts" 'url-normalize --csv --header --field=url --parts=host t.csv | records --from=csv --fields=host --csv'
  row '2 hosts of a column of CSV' mlr "$hosts" "mlr --icsv --onidx put -q 'if (\$url != \"\") {print sub(sub(tolower(\$url), \"^[a-z]+://\", \"\"), \"[/:?#].*\", \"\")}' t.csv"
  row '2 hosts of a column of CSV' csvcut "$hosts" 'csvcut -c url t.csv | sed -nE "s,^[A-Za-z]+://([^/:?#]*).*,\1,p"'

  row '3 add the domain to TSV' url-normalize '1\thttp://www.example.com/b?utm_source=x&q=1\tt1\texample.com\n2\thttps://shop.example.co.uk/p~?id=7&id=8\tt2\texample.co.uk\n3\thttp://h.test/x,y\tt3\th.test\n4\t\tt4\t\n5\thttps://xn--bcher-kva.example/\tt5\txn--bcher-kva.example\n6\thttp://h.test/q?a=%22b%22\tt6\th.test\n' 'url-normalize --tsv --field=2 --parts=domain t.tsv'
  row '3 add the domain to TSV' mlr '' -

  row '4 URLs of a nested key' url-normalize '{"id":1,"page":{"url":"http://www.example.com/b?utm_source=x&q=1"},"n":1.50}\n{"id":2,"page":{"url":"https://shop.example.co.uk/p~?id=7&id=8"},"n":1.50}\n{"id":3,"page":{"url":"http://h.test/x,y"},"n":1.50}\n{"id":4,"page":{"url":null}}\n{"id":5,"page":{"url":"https://xn--bcher-kva.example/"},"n":1.50}\n{"id":6,"page":{"url":"http://h.test/q?a=%22b%22"},"n":1.50}\n' 'url-normalize --json-key=page.url t.jsonl'
  row '4 URLs of a nested key' jq '' -

  row '5 hosts of JSON Lines' url-normalize "$hosts" "url-normalize --json-key=page.url --parts=host t.jsonl | jq -r '.host // empty'"
  row '5 hosts of JSON Lines' jq "$hosts" "jq -r '.page.url // empty | sub(\"^[A-Za-z]+://\"; \"\") | sub(\"[/:?#].*\"; \"\") | ascii_downcase' t.jsonl"

  # Rows without a URL stay; peers need not keep the quotes of an empty cell.
  local some="id,url,title\n3,\"http://h.test/x,y\",${titles[2]}\n4,,empty\n6,\"http://h.test:80/q?a=\"\"b\"\"\","
  row '6 rows of one host (CSV)' url-filter "$some\"\"\n" "url-filter --csv --header --field=url -e 'allow-host h.test' t.csv"
  row '6 rows of one host (CSV)' mlr "$some\n" "mlr --csv filter '\$url == \"\" || \$url =~ \"^https?://h[.]test[:/]\"' t.csv"
  row '6 rows of one host (CSV)' csvgrep "$some\n" "csvgrep -c url -r '^$|^https?://h[.]test[:/]' t.csv"

  row '7 first row of each URL' dedupe "$(cat small/t.csv)\n" 'dedupe --csv --header --field=url t.csv'
  row '7 first row of each URL' mlr "$(sed 's/,""$/,/' small/t.csv)\n" 'mlr --csv head -n 1 -g url t.csv'

  row '8 strip tracking (TSV)' url-normalize "1\thttp://www.example.com/b?q=1\tt1\n2\thttps://shop.example.co.uk/p~?id=7&id=8\tt2\n3\thttp://h.test/x,y\tt3\n4\t\tt4\n5\thttps://xn--bcher-kva.example/\tt5\n6\thttp://h.test/q?a=%22b%22\tt6\n" 'url-normalize -p crawl --tsv --field=2 t.tsv'
  row '8 strip tracking (TSV)' trurl '' -

  row '9 set the scheme (lines)' url-normalize "${urls//http:/https:}${last//http:/https:}" 'url-normalize --set scheme=https lines'
  row '9 set the scheme (lines)' trurl "${urls//http:/https:}${last//http:/https:}" 'trurl -f lines --set scheme=https'

  row '10 a query parameter' url-normalize "1\n\n\n\n\n" "url-normalize -g '{query:q}' lines"
  row '10 a query parameter' trurl "1\n\n\n\n\n" "trurl -f lines -g '{query:q}'"

  row '11 parts as JSON' url-normalize '{"url":"http://www.example.com/b?utm_source=x&q=1","host":"www.example.com"}\n{"url":"https://shop.example.co.uk/p~?id=7&id=8","host":"shop.example.co.uk"}\n{"url":"http://h.test/x,y","host":"h.test"}\n{"url":"https://xn--bcher-kva.example/","host":"xn--bcher-kva.example"}\n{"url":"http://h.test/q?a=%22b%22","host":"h.test"}\n' 'url-normalize --json --parts=host lines'
  row '11 parts as JSON' trurl '' 'trurl -f lines --json'

  row '12 URLs of each host' url-normalize '      2 h.test\n      1 shop.example.co.uk\n      1 www.example.com\n      1 xn--bcher-kva.example\n' "url-normalize -g '{host}' lines | sort | uniq -c"
  row '12 URLs of each host' mlr '      2 h.test\n      1 shop.example.co.uk\n      1 www.example.com\n      1 xn--bcher-kva.example\n' "mlr --inidx --ifs tab --onidx put -q 'print sub(sub(tolower(\$1), \"^[a-z]+://\", \"\"), \"[/:?#].*\", \"\")' lines | sort | uniq -c"
}

mkdir small
all=$rows
for rows in 6 "$all"; do
  make_tables
  cut -f2 t.tsv | grep -v '^$' >lines
  [[ $rows != 6 ]] || mv t.csv t.tsv t.jsonl lines small/
done
tasks | column -t -s $'\t'
