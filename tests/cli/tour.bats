#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The README's tour runs as it is: each block is taken from the text and run in a folder of its own, with a site on
# loopback in the place of example.org and without the second between two requests.

load helper
load ../loop/site

setup() {
  # crawl and fetch as in the text, except that they may visit this machine.
  mkdir -p bin docs
  printf '#!/bin/sh\nexec %q --allow-private "$@"\n' "$SPINNERET_BIN/fetch" >bin/fetch
  printf '#!/bin/sh\nexec %q --allow-private --delay=1ms "$@"\n' "$SPINNERET_ROOT/scripts/crawl" >bin/crawl
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
}

# tour_block TITLE: prints the first block of shell after the paragraph that begins with **TITLE.
tour_block() {
  awk -v title="**$1" '
    index($0, title) == 1 { here = 1 }
    here && /^```$/ { exit }
    here && block { print }
    here && /^```sh$/ { block = 1 }' "$SPINNERET_ROOT/README.md"
}

# run_tour TITLE: runs the block; its output goes to ./out. The last command may have any status, as grep does.
run_tour() {
  tour_block "$1" | sed "s|https://example.org|http://127.0.0.1:${PORT-1}|g" >tour.sh
  [[ -s tour.sh ]] || { echo "README.md has no block for: $1"; return 1; }
  export SPINNERET_AGENT=examplebot SPINNERET_CONTACT=me@example.org
  bash -u tour.sh >out 2>messages </dev/null 3>&- || true
  if grep -E 'command not found|: (unknown|usage)' messages; then return 1; fi
  # The output that the text shows is there, or in the file to which the last command writes.
  local line target
  target=$(sed -nE '$s/.* > ([a-z.]*)$/\1/p' tour.sh)
  tour_output "$1" | while IFS= read -r line; do
    sed "s|http://127.0.0.1:${PORT-1}|https://example.org|g" "${target:-out}" | grep -xF -e "$line" >/dev/null ||
      { echo "README.md shows: $line"; cat "${target:-out}" messages; exit 1; }
  done
}

# tour_output TITLE: prints the output that the text shows after that block.
tour_output() {
  awk -v title="**$1" '
    index($0, title) == 1 { here = 1; next }
    here && (/^\*\*/ || /^## /) { exit }
    shown && /^```$/ { exit }
    shown { print }
    here && /^```text$/ { shown = 1 }' "$SPINNERET_ROOT/README.md"
}

# prints LINE...: compares out with these lines, in which {} stands for the site.
prints() {
  diff <(printf '%s\n' "${@//'{}'/http://127.0.0.1:$PORT}") out || { cat messages; return 1; }
}

# page NAME LINK...: writes a page of the site.
page() {
  local name=$1 link
  shift
  { echo "<!doctype html><title>$name</title>"; for link; do echo "<a href=\"$link\">$link</a>"; done; } >"docs/$name"
}

sitemap() {
  local path
  echo '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
  for path; do echo "<url><loc>http://127.0.0.1:$PORT$path</loc></url>"; done
  echo '</urlset>'
}

@test "the tour has twelve pipelines, and each is tested here" {
  awk '/^## Tour/ { here = 1; next } /^## / { here = 0 } here && /^\*\*/ { sub(/^\*\*/, ""); sub(/\*\*.*/, ""); sub(/\.$/, ""); print }' \
    "$SPINNERET_ROOT/README.md" | sort >titles
  (($(wc -l <titles) == 12))
  sed -nE "s/^  run_tour ['\"](.*)['\"]\$/\1/p" "$SPINNERET_ROOT/tests/cli/tour.bats" | sort -u >tested
  diff titles tested
}

# The picture shows the output of a real crawl. PICTURE=1 makes it anew.
draw() {
  awk '
    function text(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
    { line[NR] = $0 }
    END {
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 %d\" font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"14\">\n", NR * 20 + 32
      print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1b2120\"/>"
      for (i = 1; i <= NR; i++) {
        colour = line[i] ~ /^(\$|   )/ ? "#e6ebe8" : line[i] ~ /^ok/ ? "#3fb899" : line[i] ~ /^(moved|redirect)/ ? "#6aa5e3" : \
          line[i] ~ /^not-found/ ? "#ea6b76" : line[i] ~ /^(blocked|noindex)/ ? "#eba94f" : "#98a39e"
        printf "<text x=\"16\" y=\"%d\" fill=\"%s\" xml:space=\"preserve\">%s</text>\n", i * 20 + 12, colour, text(line[i])
      }
      print "</svg>"
    }'
}

@test "the picture is what a crawl prints" {
  local picture=$SPINNERET_ROOT/tests/data/crawl.svg
  start_site "$PWD/docs" 'location = /latest { return 301 /tea.html; }'
  page index.html tea.html latest missing.html private/notes.html 'a b.html' https://other.example/
  page tea.html index.html
  page 'a b.html' tea.html
  sed -i 's|<title>|<meta name=robots content=noindex>&|' 'docs/a b.html'
  printf 'User-agent: *\nDisallow: /private/\n' >docs/robots.txt
  {
    echo "\$ crawl --agent=examplebot --contact=me@example.org https://example.org/ |"
    echo "    records --fields=outcome,status,url"
    crawl --agent=examplebot --contact=me@example.org "http://127.0.0.1:$PORT/" 2>messages | records --fields=outcome,status,url |
      awk -F'\t' '{ printf "%-18s %3s  %s\n", $1, $2, $3 }'
    cat messages
  } | sed "s|http://127.0.0.1:$PORT|https://example.org|g" | draw >crawl.svg
  if [[ -n ${PICTURE-} ]]; then cp crawl.svg "$picture"; fi
  # Figures differ from run to run.
  masked() { sed -E 's/[0-9.]+ (KiB|B|ms|s)\b/N/g; s|\([0-9.]+/s\)|(N/s)|' "$1"; }
  diff <(masked "$picture") <(masked crawl.svg)
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture"
}

@test "normalise a column of a CSV file" {
  printf 'name,url,note\n"a, ""A""",HTTP://Example.org:80/x/../b,"one, two"\nb,no url,n\nc,"HTTP://H/a,b",\n' >list.csv
  run_tour 'Normalise a column of a CSV'
  diff - clean.csv <<'CSV'
name,url,note
"a, ""A""",http://example.org/b,"one, two"
b,no url,n
c,"http://h/a,b",
CSV
  grep -q 'url-normalize: list.csv:3: .*"no url"' messages
}

@test "audit robots.txt before a release" {
  start_site "$PWD/docs"
  printf 'User-agent: *\nDisallow: /old/\n' >docs/robots.txt
  sitemap / /old/a /new/b >docs/sitemap.xml
  printf 'User-agent: *\nDisalow: /x\nDisallow: /new/\n' >robots.txt
  run_tour 'Audit robots.txt before a release'
  prints 'robots.txt:2: error: did you mean "disallow"? Most crawlers skip this line: "Disalow" [misspelt-key]' \
    $'{}/old/a\trobots=allow\trobots-old=disallow' $'{}/new/b\trobots=disallow\trobots-old=allow'
}

@test "dead links of a site" {
  start_site "$PWD/docs" 'location = /gone { return 410; }'
  page index.html a.html missing
  page a.html gone index.html 'b.html?outcome=not-found' '#no'
  printf '<a href=a.html>the outcome=gone text</a>\n <img src=no.png><a href="missing"><a href=a.html#x><b id=x>' >docs/b.html
  run_tour 'Dead links of a site'
  sort -o out out
  prints $'dead\t{}/gone\t{}/a.html\t2\t1' $'dead\t{}/missing\t{}/\t3\t1' \
    $'dead\t{}/missing\t{}/b.html?outcome=not-found\t2\t18' $'dead\t{}/missing\t{}/index.html\t3\t1' $'dead\t{}/no.png\t{}/b.html?outcome=not-found\t2\t2' \
    $'dead-fragment\t{}/a.html#no\t{}/a.html\t5\t1' $'dead-fragment\t{}/a.html#x\t{}/b.html?outcome=not-found\t2\t36'
}

@test "the sitemap against the site" {
  start_site "$PWD/docs"
  page index.html a.html unlisted.html
  page a.html index.html
  page unlisted.html
  page orphan.html
  cp docs/orphan.html 'docs/outcome=ok'
  sitemap / /a.html /orphan.html '/outcome=ok' >docs/sitemap.xml
  run_tour 'Compare the sitemap with the site'
  # A URL that contains outcome=ok is still a link.
  prints $'\t{}/index.html' '{}/orphan.html' '{}/outcome=ok' $'\t{}/unlisted.html'
}

@test "what has changed since yesterday" {
  start_site "$PWD/docs"
  page a.html
  page b.html
  printf 'http://127.0.0.1:%s/%s\n' "$PORT" a.html "$PORT" b.html "$PORT" never-there "$PORT" 'digest=' >urls
  run_tour 'What has changed since yesterday'
  sort -o out out
  prints '{}/a.html' '{}/b.html'
  page b.html new
  page c.html
  echo "http://127.0.0.1:$PORT/c.html" >>urls
  run_tour 'What has changed since yesterday'
  sort -o out out
  prints '{}/b.html' '{}/c.html'
}

@test "all PDFs of a site" {
  start_site "$PWD/docs" 'location /paper { default_type application/pdf; }'
  page index.html a.pdf paper a.html 'a.html?type=application/pdf'
  echo '<a href=a.html title=type>	type=application/pdf	</a>' >docs/a.html
  echo %PDF-1.4 | tee docs/a.pdf >docs/paper
  run_tour 'All PDFs of a site'
  sort -o out out
  prints '{}/a.pdf' '{}/paper'
}

@test "ten million URLs without repeats, in bounded memory" {
  local lines=${TOUR_URLS:-10000000}
  awk -v n="$lines" 'BEGIN { for (i = 0; i < n; i++) printf "https://host-%d.example/page/%d\n", i % 1000, i % int(n * 0.7) }' >urls
  printf '#!/bin/sh\nexec /usr/bin/time -f %%M -o %q %q "$@"\n' "$PWD/kilobytes" "$SPINNERET_BIN/dedupe" >bin/dedupe
  chmod +x bin/dedupe
  run_tour 'Ten million URLs without repeats'
  (($(wc -l <once) == $(awk -v n="$lines" 'BEGIN { print int(n * 0.7) }'))) || { wc -l once; false; }
  (($(<kilobytes) < 80 << 10)) || { cat kilobytes; false; }
  # The order is kept: the first of equal lines stays.
  cmp <(head -n 1000 urls) <(head -n 1000 once)
}

@test "near-duplicate pages" {
  start_site "$PWD/docs"
  seq 1 400 | tr 0-9 a-j >text
  { echo '<p>'; cat text; } >docs/a.html
  { echo '<p>seen five times'; cat text; } >docs/b.html
  { echo '<p>'; seq 1000 1400 | tr 0-9 a-j; } >docs/c.html
  printf 'http://127.0.0.1:%s/%s\n' "$PORT" a.html "$PORT" b.html "$PORT" c.html >urls
  run_tour 'Near-duplicate pages'
  (($(wc -l <out) == 1))
  grep -qE $'^0\\.[0-9]+\thttp.*/[ab].html\thttp.*/[ab].html$' out || { cat out messages; false; }
}

@test "capture a site as WARC" {
  start_site "$PWD/docs"
  page index.html a.html
  echo '<img src=p.png><img src="q.png?outcome=ok">' >docs/a.html
  tour_block 'Capture a site as WARC' | grep -q 'extract-links.*< pages'
  run_tour 'Capture a site as WARC'
  prints '{}/p.png' '{}/q.png?outcome=ok'
  zcat site.warc.gz | grep -a '^WARC-Target-URI' | grep -q a.html
}

@test "over all cores, and over machines" {
  command -v parallel >/dev/null || skip "no GNU parallel"
  start_site "$PWD/docs" "if (\$http_user_agent !~ \"^examplebot.*me@example.org\") { return 403; }"
  page index.html
  # A shell takes the place of ssh, and every machine is this one.
  cat >bin/ssh <<'SSH'
#!/bin/sh
echo "$1" >>"$TOUR_LOG"
while [ "$1" != -- ]; do shift; done
shift
# sshd sets SHELL, for which parallel asks, and hands on nothing of ours.
exec env -i HOME="$HOME" PATH="$PATH" TOUR_LOG="$TOUR_LOG" SHELL=/bin/sh sh -c "$*"
SSH
  chmod +x bin/ssh
  export TOUR_LOG=$PWD/machines PARALLEL_SSH=$PWD/bin/ssh PARALLEL_HOME=$PWD HOME=$PWD
  local host
  for host in 127.0.0.3 127.0.0.1 127.0.0.2 127.0.0.1; do printf 'HTTP://%s:%s/./\n' "$host" "$PORT"; done >urls
  run_tour 'Use all cores, and several machines'
  sed "s|\$|:$PORT/|; s|^|http://|" <<<$'127.0.0.3\n127.0.0.1\n127.0.0.2\n127.0.0.1' | diff - normal
  (($(grep -c 'outcome=ok$' results) == 4)) || { cat results messages; false; }
  # The pages of a host come from one machine, one after the other.
  [[ $(cut -f1 results | uniq | wc -l) == 3 ]]
  grep -q one machines
  grep -q two machines
}

@test "a price list as CSV" {
  start_site "$PWD/docs"
  echo '<ul><li class=product><h2><a href=tea>Tea, green</a></h2> <p class=price>3.20<li class="product new"><h2>Salt</h2><b class=price>0.90</b></ul>' >docs/shop.html
  run_tour 'A price list as CSV'
  sed -i "s/:$PORT//" prices.csv
  diff - prices.csv <<'CSV'
name,price,link
"Tea, green",3.20,http://127.0.0.1/tea
Salt,0.90,
CSV
}

@test "an index of a site" {
  command -v sqlite3 >/dev/null || skip "no sqlite3"
  long='and it is drunk at every hour of the day, from small cups or large ones, with sugar, milk, salt or nothing in it'
  for name in index other; do
    printf '<title>%s</title><nav><ul><li><a href=/>Home</a><li><a href=/other.html>Other</a></ul></nav><main><h1>%s</h1>' "$name" "$name"
    [[ $name == other ]] || printf '<p>Here stands what is said of green tea, %s.</p>' "$long"
    printf '<p>The "second" paragraph of this page is long, too, %s.</p></main>' "$long"
  done >docs/both
  sed 's|</main>.*|</main>|' docs/both >docs/index.html
  sed 's|.*<title>other|<title>other|' docs/both >docs/other.html
  start_site "$PWD/docs"
  run_tour 'A search index of a site'
  prints '{}/|...said of [green] [tea], and it...'
  (($(wc -l <texts) == 2))
}
