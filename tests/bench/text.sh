#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-text: CPU seconds of one process over real pages, for all visible text, the main content and Markdown, beside
# Debian's programs for the same, with the F1 of each, and F1 by page type (score.py of the data).
#
#   tests/bench/text.sh [PAGES]      (400 of ../shared/data/text)
#   tests/bench/text.sh --score      of all pages, which the model has seen
#   tests/bench/text.sh --held-out   of all pages by five models, each of which is asked for pages that it has not seen
#                                    (some minutes; needs bench-text, that is cmake -DSPINNERET_BENCH=ON, and scikit-learn)
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need_tools extract-text extract-links jq python3 xz || exit 1
need "$data/text/wcxb-dev.tar.xz"
mkdir "$work/pages"
tar -xJf "$data/text/wcxb-dev.tar.xz" -C "$work/pages"

if [[ ${1-} == --score || ${1-} == --held-out ]]; then
  python3 - "$data/text/wcxb-dev.jsonl.gz" <<'END' >"$work/urls"
import gzip, json, sys
for line in gzip.open(sys.argv[1], 'rt'):
    page = json.loads(line)
    print(page['file'], page.get('url') or 'http://h/')
END
fi
if [[ ${1-} == --held-out ]]; then
  need_tools bench-text || exit 1
  while read -r file url; do printf '%s\t%s\n' "$work/pages/$file" "$url"; done <"$work/urls" | bench-text "$work"
  gzip -dc "$data/text/wcxb-dev.jsonl.gz" >"$work/truth.jsonl"
  /usr/bin/python3 "$root/tests/bench/text_train.py" "$work" "$work/truth.jsonl"
  exit
fi
if [[ ${1-} == --score ]]; then
  while read -r file url; do
    extract-text --base="$url" --json "$work/pages/$file" | sed "s|^{|{\"file\":\"$file\",|"
  done <"$work/urls" | python3 "$data/text/score.py" "$data/text/wcxb-dev.jsonl.gz"
  exit
fi

mapfile -t files < <(find "$work/pages" -type f -name '*.html' | sort | head -n "${1:-400}")
bytes=$(cat -- "${files[@]}" | wc -c)
row() { awk -v what="$1" -v seconds="$2" -v bytes="$bytes" 'BEGIN { printf "%-42s  %8.1f MB/s\n", what, bytes / (seconds > 0 ? seconds : 0.001) / 1e6 }'; }
best() { for ((run = 0; run < 3; run++)); do cpu "$@"; done | sort -g | head -n 1; }
for words in --what=visible --what=main '--what=main --format=markdown'; do
  # shellcheck disable=SC2086  # words
  row "extract-text $words" "$(best extract-text --base=http://e.example/d/p $words "${files[@]}")"
done
row 'extract-links (a[href])' "$(best extract-links --base=http://e.example/d/p --only=a "${files[@]}")"

# Beside Debian's programs: every 50th page (a peer has 2 s a page, a library 60 s in all). A program's CPU seconds are
# those beyond what it takes for as many empty pages, its F1 is that of the text it prints (score.py); programs that
# choose no main content are judged by the whole page. Our model was trained on these pages as well: --held-out prints
# the F1 of pages held out, 0.871 on all.
mapfile -t files < <(find "$work/pages" -type f -name '*.html' | sort | awk 'NR % 50 == 1')
bytes=$(cat -- "${files[@]}" | wc -c)
python3 - "$data/text/wcxb-dev.jsonl.gz" "$work/truth.jsonl.gz" "${files[@]##*/}" <<'END'
import gzip, json, sys
with gzip.open(sys.argv[2], 'wt') as out:
    for line in gzip.open(sys.argv[1], 'rt'):
        if json.loads(line)['file'] in sys.argv[3:]: out.write(line)
END
cat >"$work/python.py" <<'END'
"""python.py NAME PAGE...: the main content by a library, one JSON object a page."""
import json, re, sys
plain = lambda html: ' '.join(re.sub(r'<[^>]*>', ' ', html).split())
name, pages = sys.argv[1], sys.argv[2:]
if name == 'trafilatura':
    import trafilatura
    read = lambda text: trafilatura.extract(text, include_comments=False) or ''
elif name == 'readability':
    from readability import Document
    from lxml import html
    read = lambda text: html.fromstring(Document(text).summary()).text_content()
else:
    import html2text
    read = lambda text: html2text.html2text(text)
for page in pages:
    with open(page, errors='replace') as file: text = file.read()
    try: said = read(text)
    except Exception: said = ''
    print(json.dumps({'file': page.split('/')[-1], 'text': said}))
END
as_json() { python3 -c 'import json, sys; print(json.dumps({"file": sys.argv[1], "text": sys.stdin.buffer.read().decode("utf-8", "replace")}))' "$1"; }
# A peer that hangs on a page has no text for it.
each_page() { for file in "${files[@]}"; do timeout 2 "$@" "$file" </dev/null || true; done; }
each_answer() { for file in "${files[@]}"; do { "${bound[@]}" "$@" "$file" </dev/null 2>/dev/null || true; } | as_json "${file##*/}"; done; }
bound=()
: >"$work/empty.html"
empty=()
for file in "${files[@]}"; do empty+=("$work/empty.html"); done
table() {  # NAME SECONDS < answers
  awk -v what="$1" -v seconds="$2" -v bytes="$bytes" -v f1="$(python3 "$data/text/score.py" "$work/truth.jsonl.gz" | awk '$1 == "all" { print $3 }')" \
    'BEGIN { printf "%-42s  %8.1f MB/s  F1 %s\n", what, bytes / (seconds > 0 ? seconds : 0.001) / 1e6, f1 }'
}
peer() {
  local pages=("${files[@]}") whole start
  command -v "$1" >/dev/null || { printf '%-42s  not installed\n' "$1"; return 0; }
  whole=$(cpu each_page "$@")
  files=("${empty[@]}")
  start=$(cpu each_page "$@")
  files=("${pages[@]}")
  bound=(timeout 2)
  each_answer "$@" >"$work/answers"
  bound=()
  table "$*" "$(awk -v all="$whole" -v start="$start" 'BEGIN { print all - start }')" <"$work/answers"
}
library() {
  /usr/bin/python3 "$work/python.py" "$1" "${empty[0]}" >/dev/null 2>&1 || { printf '%-42s  not installed\n' "python3 $1"; return 0; }
  local whole start
  whole=$(cpu timeout 60 /usr/bin/python3 "$work/python.py" "$1" "${files[@]}")
  start=$(cpu /usr/bin/python3 "$work/python.py" "$1" "${empty[@]}")
  timeout 60 /usr/bin/python3 "$work/python.py" "$1" "${files[@]}" >"$work/answers" 2>/dev/null || true
  table "python3 $1" "$(awk -v all="$whole" -v start="$start" 'BEGIN { print all - start }')" <"$work/answers"
}
echo "$((bytes / 1000000)) MB in ${#files[@]} pages, a process a page but for python3:"
plain_text() { extract-text --base=http://e.example/d/p --json "$@" | jq -r '.text // ""'; }
for part in main visible; do
  each_answer plain_text --what="$part" >"$work/answers"
  table "extract-text --what=$part" "$(best extract-text --base=http://e.example/d/p --what="$part" "${files[@]}")" <"$work/answers"
done
library readability
library trafilatura
library html2text
peer lynx -dump -nolist -force_html -assume_charset=utf-8 -display_charset=utf-8
peer w3m -dump -T text/html -I utf-8 -O utf-8
peer html2text -utf8
peer pandoc --sandbox -f html -t plain
