#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-items: reading and matching in memory with 10 selectors (bench-select), and as a whole process beside
# extract-links, lxml and bs4, on 258 dense pages and on those of today.
#
#   tests/bench/select.sh [PAGES]      (400 of ../shared/data/text)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need_tools bench-select extract-items extract-links python3 xz || exit 1
need "$data/html/pages.tar.gz"
need "$data/text/wcxb-dev.tar.xz"
mkdir "$work/dense" "$work/today"
tar -xzf "$data/html/pages.tar.gz" -C "$work/dense"
tar -xJf "$data/text/wcxb-dev.tar.xz" -C "$work/today"
cat >"$work/plain" <<'END'
article h1
.product > .price
#content p
a.title[href]
ul.nav li
img[src^="http"]
table td:first-child
h2 + p
div.item:not(.hidden) span
[itemprop="name"]
END
sed 's/^article h1$/div:has(> a[href]) h2/; s/^ul.nav li$/li:last-child/' "$work/plain" >"$work/ahead"
items=()
while read -r selector; do items+=(--field="f${#items[@]}=$selector"); done <"$work/plain"
row() { printf '%-44s %6.0f MB/s%s\n' "$@"; }
for set in dense today; do
  mapfile -t files < <(find "$work/$set" -type f -name '*.html' | sort | head -n "${1:-400}")
  bytes=$(cat -- "${files[@]}" | wc -c)
  for kind in plain ahead; do
    said=$("$SPINNERET_BIN/bench-select" speed "$work/$kind" "${files[@]}")
    row "$set, in memory, ${#items[@]} selectors, $kind" "${said%% *}" "${said#*MB/s}"
  done
  for tool in "extract-items ${#items[@]} fields" "extract-links" cat; do
    words=(--base=http://e.example/d/p)
    case $tool in
      cat) words=() ;;
      extract-items*) words+=("${items[@]}") ;;
    esac
    least=$(for ((run = 0; run < 5; run++)); do cpu "${tool%% *}" "${words[@]}" "${files[@]}"; done | sort -g | head -n 1)
    row "$set, $tool" "$(awk -v n="$bytes" -v t="$least" 'BEGIN { print n / (t ? t : 0.001) / 1e6 }')" ''
  done
done
# Peers in Debian: each parses a page and asks for the same ten selectors.
cat >"$work/with_lxml.py" <<'END'
import sys, lxml.html, cssselect
asked = [lxml.etree.XPath(cssselect.HTMLTranslator().css_to_xpath(line.strip())) for line in open(sys.argv[1])]
for path in sys.argv[2:]:
    tree = lxml.html.document_fromstring(open(path, "rb").read())
    for ask in asked: [element.text_content() for element in ask(tree)]
END
cat >"$work/with_bs4.py" <<'END'
import sys, bs4, soupsieve
asked = [soupsieve.compile(line.strip()) for line in open(sys.argv[1])]
for path in sys.argv[2:]:
    tree = bs4.BeautifulSoup(open(path, "rb").read(), "lxml")
    for ask in asked: [element.get_text() for element in ask.select(tree)]
END
for peer in lxml bs4; do
  /usr/bin/python3 -c "import lxml, $peer, ${peer/lxml/cssselect}" 2>/dev/null || continue
  some=("${files[@]:0:40}")
  [[ $peer == lxml ]] || some=("${files[@]:0:10}")
  row "today, $peer of Python" "$(awk -v n="$(cat -- "${some[@]}" | wc -c)" -v t="$(cpu /usr/bin/python3 "$work/with_$peer.py" "$work/plain" "${some[@]}")" \
    'BEGIN { print n / t / 1e6 }')" ''
done
# Pages of about 1 MB: at most 0.1 s and 32 MiB each.
find "$work/today" -type f -name '*.html' -size +1000k -size -1100k | sort | head -n 5 |
  while IFS= read -r page; do
    command time -f '1 MB page: %U s user, %S s system, %M KiB' extract-items --base=http://e.example/d/p "${items[@]}" \
      --json-ld --microdata --rdfa --opengraph --tables "$page" 2>&1 >/dev/null | tail -n 1
  done
