#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# extract-text: CPU seconds of one process over real pages, for all that is visible, the main content and Markdown, beside
# what Debian has for the same (each a process a page, without its start), and F1 by page type (score.py of the data).
#
#   tests/bench/text.sh [PAGES]      (400 of ../shared/data/text)
#   tests/bench/text.sh --score      of all pages; the model has seen them: text_train.py prints that of pages held out
set -euo pipefail
# shellcheck source=tests/bench/measure.bash
. "$(dirname "${BASH_SOURCE[0]}")/measure.bash"
need "$data/text/wcxb-dev.tar.xz"
mkdir "$work/pages"
tar -xJf "$data/text/wcxb-dev.tar.xz" -C "$work/pages"

if [[ ${1-} == --score ]]; then
  python3 - "$data/text/wcxb-dev.jsonl.gz" <<'END' >"$work/urls"
import gzip, json, sys
for line in gzip.open(sys.argv[1], 'rt'):
    page = json.loads(line)
    print(page['file'], page.get('url') or 'http://h/')
END
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

# Of those that take one page at a time, 40 pages, less what 40 starts with an empty one cost.
files=("${files[@]:0:40}")
bytes=$(cat -- "${files[@]}" | wc -c)
: >"$work/empty.html"
each_page() { for file in "${files[@]}"; do "$@" "$file" || true; done; }
each_start() { for file in "${files[@]}"; do "$@" "$work/empty.html" || true; done; }
peer() {
  command -v "$1" >/dev/null || { printf '%-42s  not installed\n' "$1"; return 0; }
  row "$1" "$(awk -v all="$(cpu each_page "$@")" -v start="$(cpu each_start "$@")" 'BEGIN { print all - start }')"
}
peer lynx -dump -nolist -force_html
peer w3m -dump -T text/html
peer html2text
peer html2markdown
