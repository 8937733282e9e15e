#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --order through the whole loop: what goes first on a site whose pages name one page again and again. The server's log
# is the judge.

load ../cli/helper
load site

crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --state=s --allow-private --delay=0 --in-flight=1 --quiet "$@" 3>&-
}

# The first page links to the others, hub.html last; odd ones link to hub.html, and hub.html links to deep.html.
make_site() {
  local page
  mkdir -p docs
  chmod 755 . docs
  { printf '<a href=%s.html>.</a>\n' {1..9}; echo '<a href=hub.html>.</a>'; } >docs/index.html
  for page in {1..9}; do
    { ((page % 2 == 0)) || echo '<a href=hub.html>.</a><a href=hub.html#again>.</a>'; echo '<a href=1.html>.</a>'; } >"docs/$page.html"
  done
  echo '<a href=deep.html>.</a>' >docs/hub.html
  echo end >docs/deep.html
  start_site "$PWD/docs"
}
order_of_pages() { asked | grep -v robots.txt | sed 's/\.html$//; s|^/||' | tr '\n' ' '; }

@test "--order: each finds the page that most link to at its own time, and none loses one" {
  make_site
  local order expected
  while read -r order expected; do
    : >"$LOG"
    rm -rf s
    crawl --order="$order" "http://127.0.0.1:$PORT/" >records
    [[ $(order_of_pages) == " $expected " ]] || { echo "by $order:$(order_of_pages)"; false; }
  done <<'END'
priority  1 2 3 4 5 6 7 8 9 hub deep
breadth  1 2 3 4 5 6 7 8 9 hub deep
inlinks  1 hub 2 3 4 5 6 7 8 9 deep
opic  1 hub 2 3 4 5 6 7 8 9 deep
END
}

@test "--order=inlinks: counts outlive runs, are shown, exported and taken in again, and the next run turns to another order" {
  make_site
  crawl --order=inlinks --max-pages=2 "http://127.0.0.1:$PORT/" >records
  run -0 crawl --list
  grep -qP '/hub.html\t.*state=waiting.*inlinks=2,' <<<"$output"
  run -0 crawl --show="http://127.0.0.1:$PORT/hub.html"
  grep -q '^pages that link to it: 2$' <<<"$output"
  politeness-sched --state s/frontier --export | sort >exported
  politeness-sched --state t --import exported
  politeness-sched --state t --export | sort >again
  diff <(grep -o $'^[^\t]*\|\tinlinks=.*' exported) <(grep -o $'^[^\t]*\|\tinlinks=.*' again)
  : >"$LOG"
  crawl --order=inlinks --max-pages=1 >records
  [[ $(order_of_pages) == "hub " ]]
  crawl --order=breadth >records
  [[ $(order_of_pages) == "hub 2 3 4 5 6 7 8 9 deep " ]]
  run -0 politeness-sched --state s/frontier --verify
  [[ $output == "12 URLs, 0 problems" ]]
}

@test "--order=priority: a link that comes later with a greater priority raises what waits, and dedupe lets it pass" {
  make_site
  # Any filter may lead the crawl: this one prefers links of page 3.
  mkdir tools
  ln -s "$SPINNERET_BIN"/* tools
  rm tools/url-filter
  cat >tools/url-filter <<END
#!/bin/sh
"$SPINNERET_BIN/url-filter" "\$@" | sed -u '/via=[^	]*\/3.html/s/^[^	]*hub.html/&	priority=9/'
END
  chmod +x tools/url-filter
  local SPINNERET_BIN=$PWD/tools
  local order expected
  while read -r order expected; do
    : >"$LOG"
    rm -rf s
    crawl "$order" "http://127.0.0.1:$PORT/" >records
    [[ $(order_of_pages) == " $expected " ]] || { echo "$order:$(order_of_pages)"; false; }
  done <<'END'
--order=priority 1 2 3 hub 4 5 6 7 8 9 deep
--order=breadth 1 2 3 4 5 6 7 8 9 hub deep
END
}

@test "--order that counts links is refused for a crawl in partitions" {
  run -2 politeness-sched --state p --order=opic --cluster=redis://127.0.0.1:1/x --partition=0/2 -- cat
  [[ $output == *"--order=opic counts links of one scheduler"* ]]
  run -2 politeness-sched --state p --order=best http://a.test/ -- cat
}
