#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# order.sh [FOLDER FIRST]...: what share of the PageRank of documentation sites the first pages of a crawl have, by
# --order. The links are those that extract-links finds in the HTML files of FOLDER; FIRST is the page to begin with.
set -euo pipefail
root=$(readlink -f -- "${BASH_SOURCE[0]%/*}/../..")
PATH=$root/build/bin:$PATH
(($#)) || set -- /usr/share/doc/python3-doc/html index.html /usr/share/doc/postgresql-doc-15/html index.html \
  /usr/share/doc/python-django-doc/html index.html /usr/share/doc/openjdk-17-doc/api index.html
work=$(mktemp -d)
trap 'rm -r -- "$work"' EXIT
while (($# > 1)); do
  if folder=$(readlink -f -- "$1") && [[ -f $folder/$2 ]]; then
    # Links between pages that exist; index.html is its folder, as in records.
    (cd "$folder" && find . -name '*.html' -type f | sed 's|^\./|http://doc.test/|') | url-normalize |
      sed 's|/index\.html$|/|' | sort -u >"$work/there"
    # Status 1: a file was left out, such as a link out of the folder.
    { records --from-dir="$folder" --base=http://doc.test/ 2>/dev/null || (($? == 1)); } |
      extract-links --only=page --no-fragment --once | records --links --fields=via,url |
      sed -E 's|/index\.html(\t\|$)|/\1|g' |
      awk -F'\t' 'NR == FNR { there[$1]; next } ($1 in there) && ($2 in there)' "$work/there" - >"$work/edges"
    echo "$1"
    first=http://doc.test/$2
    bench-order "${first%index.html}" <"$work/edges"
  fi
  shift 2
done
