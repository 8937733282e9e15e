#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# spinneret-cookbook(7): the commands of each recipe are taken from the page and run over data that is meant to break
# them. Each line that the page shows as output must be among the output; the whole output is compared with the text
# here. All recipes share one site on loopback, in the place of example.org, and the page's own crawl of it.

load helper
load examples
load ../loop/site

page=$SPINNERET_ROOT/man/spinneret-cookbook.7

# doc NAME HEAD LINK...: writes a page of the site.
doc() {
  local name=$1 head=$2 link
  shift 2
  { printf '<!doctype html><html lang=en><title>%s</title>%s\n' "$name" "$head"; for link; do printf '<p><a href="%s">to %s</a>\n' "$link" "$link"; done; } >"docs/$name"
}

make_site() {
  local site=http://127.0.0.1:$PORT entry
  local long='It is drunk at every hour of the day, from small cups or large ones, with sugar, milk, salt or nothing in it, and nobody is in a hurry.'
  mkdir -p docs/private docs/news docs/attic
  doc index.html '<meta name=description content="All of tea, &quot;green&quot; too">' tea.html salt.html 'poll?outcome=won' 'a b.html' \
    missing old news/ private/x.html shop.html paper "http://127.0.0.2:$PORT/?q=1&amp;outcome=ok"
  doc 'a b.html' '<meta name=robots content=noindex>' tea.html '#no'
  doc poll '' tea.html
  doc news/index.html '' ../tea.html
  doc orphan.html '' tea.html
  doc attic/index.html '' ../tea.html
  cat >docs/tea.html <<END
<!doctype html><html lang=en><title>Tea, "green"</title><meta name=author content="Ann O'Hara"><meta property=article:published_time content=2026-11-20>
<main><h1>Tea, "green"</h1><p>Here stands what is said of green tea. $long</p><p>The second paragraph has a tab	and a backslash \\n too. $long</p></main>
END
  sed 's/second/other/' docs/tea.html >docs/salt.html
  cat >docs/shop.html <<'END'
<!doctype html><title>Shop</title><script type=application/ld+json>[{"@context":"https://schema.org","@type":"Product","name":"Tea, \"green\"","offers":{"price":"3.20"}},
{"@type":"Product","name":"Salt\\N","offers":{"price":0.9}}]</script><ul><li class=product><h2><a href="tea.html">Tea, "green"</a></h2><b class=price>3.20</b><li class=product><h2>Salt\N</h2><b class=price>0.90</b></ul>
END
  printf '%%PDF-1.4\n' >docs/paper
  printf 'User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: %s/sitemap.xml\n' "$site" >docs/robots.txt
  {
    echo '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    for entry in 2026-11-01/ 2026-11-22/orphan.html 2026-11-22/gone 2026-10-01/te%61.html 2026-11-23/poll%3Foutcome=ok; do
      echo "<url><loc>$site/${entry#*/}</loc><lastmod>${entry%%/*}</lastmod></url>"
    done
    # A folder to which no page links, without a date of its last change.
    echo "<url><loc>$site/attic/</loc></url>"
    echo '</urlset>'
  } >docs/sitemap.xml
  printf '<rss version="2.0"><channel><title>News</title><link>%s/</link><item><title>One, "first"</title><link>%s/news/1?outcome=ok</link></item>
<item><title>Two	lines</title><link>%s/news/2</link></item></channel></rss>\n' "$site" "$site" "$site" >docs/feed.xml
}

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # The tools as the page calls them, except that they may visit this machine.
  mkdir -p bin docs
  for tool in fetch robots-check; do printf '#!/bin/sh\nexec %q --allow-private "$@"\n' "$SPINNERET_BIN/$tool" >bin/$tool; done
  printf '#!/bin/sh\nexec %q --allow-private "$@"\n' "$SPINNERET_ROOT/scripts/crawl" >bin/crawl
  sed -i 's/--allow-private/& --delay=1ms/' bin/crawl
  chmod +x bin/*
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR start_site "$PWD/docs" 'charset utf-8; types { application/rss+xml xml; text/html html; text/plain txt; }
    location = /old { return 301 /tea.html; } location = /gone { return 410; }
    location = /paper { default_type application/pdf; } location = /poll { default_type text/html; }'
  export PORT SITE_PID
  make_site
  PATH=$PWD/bin:$PATH
  cook 'A crawl to work on'
}
teardown_file() { stop_site; }
teardown() { end_jobs; }

setup() {
  cd "$BATS_FILE_TMPDIR"
  PATH=$PWD/bin:$PATH
}

# cook TITLE [PORT]: runs the recipe with the site in the place of example.org. Its output goes to ./out, where the
# site's address is example.org again, and its status to ./status.
cook() {
  local port=${2-$PORT} block line
  block=$(examples "$page" Ss "$1" | sed "s|https://example.org|http://127.0.0.1:$port|g")
  sed -nE 's/^(\$ |(    ))/\2/p' <<<"$block" >recipe.sh
  [[ -s recipe.sh ]] || { echo "the page has no recipe: $1"; return 1; }
  export SPINNERET_AGENT=examplebot SPINNERET_CONTACT=me@example.org
  { bash -u -o pipefail recipe.sh 2>messages </dev/null 3>&- && echo 0 >status || echo $? >status; } |
    sed "s|http://127.0.0.1:$port|https://example.org|g; s|http://127.0.0.2:$port|http://other.example|g" >out
  if grep -E 'command not found|: (unknown|usage)|exclude each other' messages; then return 1; fi
  [[ $port == "$PORT" ]] || return 0
  # The output that the page shows is among the real one.
  grep -vE '^(@block|\$ |    )' <<<"$block" | sed "s|http://127.0.0.1:$port|https://example.org|g" | while IFS= read -r line; do
    grep -qxF -e "$line" out || { echo "the page says: $line"; echo "it prints:"; cat out messages; exit 1; }
  done
}
# Compare ./out with stdin line by line; prints_sorted sorts both, for recipes that promise no order.
prints() { diff - out || { cat messages; return 1; }; }
prints_sorted() { sort -o out out; diff <(sort) out || { cat messages; return 1; }; }

@test "every recipe of the page is tested here, and there are more than forty" {
  sed -n 's/^\.Ss //p' "$page" | sort >titles
  sed -nE "s/^ +cook (['\"])(.*)\1( .dead.)?\$/\2/p; s/^ +[a-z]+=\\$\(block spinneret-cookbook.7 '([^']*)'.*/\1/p" "$SPINNERET_ROOT/tests/cli/cookbook.bats" |
    grep -v '^\$' | sort -u >tested
  diff titles tested
  (($(wc -l <titles) > 41))
}

@test "a list in one form, without repeats" {
  printf 'HTTP://Example.org:80/a/../b\nhttp://example.org/b#x\nnot a url\nhttp://example.org/poll?outcome=ok\n\n' >urls
  cook 'A list in one form, without repeats'
  prints <<<$'http://example.org/b\nhttp://example.org/poll?outcome=ok'
  grep -q 'urls:3: a relative URL' messages
}

@test "host names instead of URLs" {
  printf 'example.org\nmünchen.example/a b\r\nhttp://has.one/\n' >names
  cook 'Host names instead of URLs'
  prints <<<$'https://example.org/\nhttps://xn--mnchen-3ya.example/a%20b\nhttp://has.one/'
}

@test "what is wrong in a list" {
  printf 'http://h/?error=none\nnot	a	url\nhttp://[::1\n' >urls
  cook 'What is wrong in a list'
  prints <<<$'a relative URL without a base at byte 0\tnot\nIPv6 address has no closing bracket at byte 7\thttp://[::1'
}

list_csv() { printf 'name,url\r\n"a ""quoted"", name",HTTPS://WWW.BBC.co.uk/x\r\n"line\nend",none\r\n,"http://h/a,b"\r\n' >list.csv; }

@test "the URLs of a CSV file" {
  list_csv
  cook 'The URLs of a CSV file'
  printf 'name,url\r\n"a ""quoted"", name",https://www.bbc.co.uk/x\r\n"line\nend",none\r\n,"http://h/a,b"\r\n' | diff - clean.csv
  grep -q 'list.csv:3: .*"none"' messages
}

@test "host and domain as new columns" {
  list_csv
  sed -i 's/\r$//' list.csv
  cook 'Host and domain as new columns'
  printf 'name,url,host,domain\n"a ""quoted"", name",https://www.bbc.co.uk/x,www.bbc.co.uk,bbc.co.uk\n"line\nend",none,,\n,"http://h/a,b",h,h\n' | prints
}

@test "URLs within JSON Lines" {
  printf '{"page": {"links": ["HTTP://Example.org/%%7e"]}, "n": 1.50}\n{"page": {"links": []}, "url": "HTTP://A/"}\n{"page": {"links": ["http:\\/\\/h\\/\\u0022,"]}}\n' >events.jsonl
  cook 'URLs within JSON Lines'
  printf '%s\n' '{"page": {"links": ["http://example.org/~"]}, "n": 1.50}' '{"page": {"links": []}, "url": "HTTP://A/"}' '{"page": {"links": ["http://h/%22,"]}}' | prints
}

@test "two columns of URLs" {
  printf 'old\tnew\tnote\nHTTP://Example.org/a\thttps://example.org/a b\t"as it is"\nx\thttp://H/\t\n' >moves.tsv
  cook 'Two columns of URLs'
  printf 'old\tnew\tnote\nhttp://example.org/a\thttps://example.org/a%%20b\t"as it is"\nx\thttp://h/\t\n' | prints
}

@test "without tracking parameters" {
  printf 'https://example.org/tea?utm_source=a&id=1&outcome=ok\nhttps://example.org/tea?id=1&fbclid=x&outcome=ok\nhttps://example.org/?myutm_source=1\n' >tracked
  cook 'Without tracking parameters'
  prints <<<$'https://example.org/tea?id=1&outcome=ok\nhttps://example.org/?myutm_source=1'
}

mixed() { printf 'https://www.example.org/?picture=a.jpg\nhttp://a.example.co.uk/x.jpg\nhttp://b.example.co.uk/?u=example.org\n' >mixed; }

@test "how many URLs of each domain" {
  mixed
  cook 'How many URLs of each domain'
  prints <<<$'2 example.co.uk\n1 example.org'
}

@test "one parameter of the query" {
  printf 'http://h/?q=green+tea%%2C%%20%%22hot%%22+%%26+strong&p=1\nhttp://h/?xq=no\nhttp://h/?q=a%%0Ab\n' >searches
  cook 'One parameter of the query'
  printf 'green tea, "hot" & strong\n\na\\nb\n' | prints
}

@test "the same list on another host" {
  printf 'https://example.org/p?next=https://example.org/\nhttps://example.org:8443/\n' >live
  cook 'The same list on another host'
  prints <<<$'http://staging.example.org/p?next=https://example.org/\nhttp://staging.example.org:8443/'
}

@test "names that people can read" {
  printf 'http://xn--mnchen-3ya.example/a\nhttp://xn--a/\n' >mixed
  cook 'Names that people can read'
  prints <<<$'münchen.example/a\nxn--a/'
}

@test "some domains, and no images" {
  mixed
  cook 'Some domains, and no images'
  prints <<<'https://www.example.org/?picture=a.jpg'
}

@test "what came with today's list" {
  rm -f known
  printf 'http://h/a\nhttp://h/b\n' >today
  cook "What came with today's list"
  diff today new
  printf 'http://h/b\nhttp://h/c?outcome=ok\nhttp://h/c?outcome=ok\n' >today
  cook "What came with today's list"
  diff new - <<<'http://h/c?outcome=ok'
}

@test "what one list has and another lacks" {
  rm -f old.store
  printf 'HTTP://Example.org/a\nhttp://example.org/b\n' >old
  printf 'http://example.org/b#x\nhttp://example.org/only here\n' >new.list
  cook 'What one list has and another lacks'
  prints <<<'http://example.org/only%20here'
}

@test "a table of URLs as records, and back" {
  list_csv
  cook 'A table of URLs as records, and back'
  printf 'name,url\n"a ""quoted"", name",https://www.bbc.co.uk/x\n' | prints
}

@test "may this page be crawled, and which line says so" {
  cook 'May this page be crawled, and which line says so'
  prints <<<$'disallow\tDisallow: /private/\t2'
}

@test "which crawlers for AI are kept out" {
  cook 'Which crawlers for AI are kept out'
  prints <<<$'GPTBot\tdisallow:6\nCCBot\tdisallow:6'
}

@test "what a robots.txt says, for people" {
  cook 'What a robots.txt says, for people'
  grep -q '2 of [0-9]* may not have the home page: GPTBot, CCBot' out
}

new_robots() { printf 'User-agent: *\nDisalow: /x\nDisallow: /private/\nDisallow: /news/\n' >robots.txt; }

@test "mistakes, before it is published" {
  new_robots
  cook 'Mistakes, before it is published'
  (($(wc -l <out) == 2))
}

@test "which pages a new robots.txt takes away" {
  new_robots
  cook 'Which pages a new robots.txt takes away'
  prints <<<$'https://example.org/news/\trobots=disallow\trobots-old=allow'
}

candidates() { printf "http://127.0.0.1:$PORT/%s\n" private/x.html 'tea.html?from=/private/' '%70rivate/y?outcome=ok' >candidates; }

@test "a list without what may not be crawled" {
  candidates
  cook 'A list without what may not be crawled'
  prints <<<'https://example.org/tea.html?from=/private/'
}

@test "the sitemaps of a site" {
  cook 'The sitemaps of a site'
  prints <<<'https://example.org/sitemap.xml'
}

@test "the status of each URL, as a table" {
  candidates
  cook 'The status of each URL, as a table'
  prints <<'END'
url,status,type,outcome
https://example.org/private/x.html,404,text/html,not-found
https://example.org/tea.html?from=/private/,200,text/html,ok
https://example.org/%70rivate/y?outcome=ok,404,text/html,not-found
END
}

moves_csv() { printf 'old,new,note\n%s/old,%s/tea.html,"a, b"\n%s/gone,%s/,\n' "http://127.0.0.1:$PORT"{,,,} >moves.csv; }

@test "a status column for a CSV file" {
  moves_csv
  cook 'A status column for a CSV file'
  sort -o out out
  prints <<'END'
https://example.org/gone,https://example.org/,,410,
https://example.org/old,https://example.org/tea.html,"a, b",301,https://example.org/tea.html
old,new,note,status,location
END
}

@test "redirects that lead elsewhere than planned" {
  moves_csv
  cook 'Redirects that lead elsewhere than planned'
  prints <<<$'https://example.org/gone\thttps://example.org/\t'
}

@test "dead links of a site" {
  rm -rf check
  cook 'Dead links of a site'
  prints <<'END'
verdict,url,via,line
dead,https://example.org/missing,https://example.org/,6
dead-fragment,https://example.org/a%20b.html#no,https://example.org/a%20b.html,3
END
}

@test "dead links of a folder, before it is published" {
  mkdir -p public
  echo '<a href="gone.html?outcome=ok">x</a><a href="#no">y</a><img src="a b.png"><a href=index.html>ok' >public/index.html
  cook 'Dead links of a folder, before it is published'
  grep -q 'public/index.html:1:1 .*dead .*gone.html?outcome=ok' out || { cat out messages; false; }
  grep -q 'public/index.html:1:.*a%20b.png' out
  [[ $(<status) == 1 ]]
}

@test "pages of the sitemap that are no good" {
  cook 'Pages of the sitemap that are no good'
  prints_sorted <<<$'gone\thttps://example.org/gone\nnot-found\thttps://example.org/poll%3Foutcome=ok'
}

@test "what a sitemap says has changed since a day" {
  cook 'What a sitemap says has changed since a day'
  prints <<<$'2026-11-22\thttps://example.org/orphan.html\n2026-11-22\thttps://example.org/gone\n2026-11-23\thttps://example.org/poll%3Foutcome=ok'
}

@test "pages that no page links to" {
  cook 'Pages that no page links to'
  prints <<<$'https://example.org/attic/\nhttps://example.org/gone\nhttps://example.org/orphan.html\nhttps://example.org/poll%3Foutcome=ok'
}

@test "pages without a description" {
  cook 'Pages without a description'
  prints_sorted <<<$'https://example.org/tea.html\nhttps://example.org/salt.html\nhttps://example.org/poll?outcome=won\nhttps://example.org/news/\nhttps://example.org/shop.html'
}

@test "titles that more than one page has" {
  cook 'Titles that more than one page has'
  prints <<<$'2\tTea, "green"'
}

@test "pages that ask not to be indexed, and how" {
  cook 'Pages that ask not to be indexed, and how'
  prints <<<$'https://example.org/a%20b.html\tmeta robots: noindex'
}

@test "the largest pages, and the slowest" {
  cook 'The largest pages, and the slowest'
  (($(grep -cE $'^[0-9]+\thttps://example.org/' out) == 10))
  head -n 5 out | sort -rnc
}

@test "who links to a page, with which words" {
  cook 'Who links to a page, with which words'
  prints_sorted <<'END'
https://example.org/	to tea.html
https://example.org/a%20b.html	to tea.html
https://example.org/news/	to ../tea.html
https://example.org/old	
https://example.org/poll?outcome=won	to tea.html
https://example.org/shop.html	Tea, "green"
END
}

@test "to which domains a site links" {
  cook 'To which domains a site links'
  prints <<<$'     16 127.0.0.1\n      1 127.0.0.2'
}

@test "parts of secure pages that come by http" {
  printf '%s\ttype=text/html\tstatus=200\tbody=<link rel=stylesheet href=http://cdn.example/a.css><img src=b.png><a href=http://a.example/>\toutcome=ok\n' \
    'https://example.org/?outcome=ok' http://example.org/ >secure
  cook 'Parts of secure pages that come by http'
  prints <<<$'http://cdn.example/a.css\thttps://example.org/?outcome=ok'
}

@test "what a crawl has left out, and by which rule" {
  cook 'What a crawl has left out, and by which rule'
  prints <<<$'scope host\tcount=1'
}

@test "why a page is not there" {
  cook 'Why a page is not there'
  grep -qx 'via: https://example.org/' out
}

@test "a search index of SQLite" {
  command -v sqlite3 >/dev/null || skip "no sqlite3"
  rm -f site.db
  cook 'A search index of SQLite'
  prints <<<'https://example.org/salt.html|...The [other] [paragraph]...'
}

@test "a bulk load for OpenSearch or Elasticsearch" {
  cook 'A bulk load for OpenSearch or Elasticsearch'
  # Actions and documents alternate, one a line, and the text is that of the page.
  python3 - <<'PY'
import json
lines = open("bulk").read().split("\n")
assert lines.pop() == "" and len(lines) == 16, lines
for action, document in zip(lines[::2], lines[1::2]):
    assert json.loads(action)["index"]["_id"] == json.loads(document)["url"]
text = [d for d in map(json.loads, lines[1::2]) if d["url"].endswith("/tea.html")][0]
assert text["title"] == 'Tea, "green"' and "a backslash \\n too" in text["text"] and "\n" in text["text"], text
PY
}

@test "documents for Solr" {
  cook 'Documents for Solr'
  (($(jq -rc .id documents | wc -l) == 8))
  jq -re 'select(.id | endswith("/salt.html")) | .title' documents | grep -qx 'Tea, "green"'
}

@test "a table of PostgreSQL" {
  # A stand-in for psql and its server: it reads the file as PostgreSQL's documentation of COPY's text format says.
  cat >bin/psql <<'PY'
#!/usr/bin/python3
import re, sys
assert sys.argv[1] == "-c" and re.fullmatch(r"\\copy page \(url, title, published, text\) from 'rows' with \(null ''\)", sys.argv[2]), sys.argv
escapes = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
for line in open("rows").read().splitlines():
    cells = line.split("\t")
    assert len(cells) == 4, cells
    print([None if c == "" else re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), c) for c in cells])
PY
  chmod +x bin/psql
  cook 'A table of PostgreSQL'
  rm bin/psql
  [[ $(<status) == 0 ]] || { cat messages; false; }
  grep -F "['https://example.org/tea.html', 'Tea, \"green\"', '2026-11-20', 'Tea, \"green\"\\nHere" out | grep -qF 'a backslash \\n too'
  grep -qF "['https://example.org/paper', None, None, None]" out
}

@test "articles with author and day" {
  cook 'Articles with author and day'
  prints <<'END'
published,author,title,url
2026-11-20,Ann O'Hara,"Tea, ""green""",https://example.org/tea.html
2026-11-20,Ann O'Hara,"Tea, ""green""",https://example.org/salt.html
END
}

@test "products, as pages say themselves" {
  cook 'Products, as pages say themselves'
  prints <<'END'
name,offers.price,url
"Tea, ""green""",3.20,https://example.org/shop.html
Salt\N,0.9,https://example.org/shop.html
END
}

@test "a price list by selectors" {
  cook 'A price list by selectors'
  prints <<<$'name,price\n"Tea, ""green""",3.20\nSalt\\N,0.90'
}

@test "a page as Markdown" {
  cook 'A page as Markdown'
  grep -q '^The second paragraph has a tab and a backslash' out
}

@test "texts without paragraphs that others have" {
  cook 'Texts without paragraphs that others have'
  grep -c 'Here stands what is said' once >out
  prints <<<1
  grep -q 'The other paragraph' once
}

@test "pages that are nearly the same" {
  cook 'Pages that are nearly the same'
  prints <<<$'https://example.org/salt.html\thttps://example.org/tea.html'
}

@test "what a feed has that is new" {
  rm -f entries
  cook 'What a feed has that is new'
  (($(wc -l <out) == 3))
  sed -i 's|/news/2<|/news/3?text=x<|' docs/feed.xml
  bash recipe.sh 2>/dev/null | cut -f1 >out
  diff - out <<<"http://127.0.0.1:$PORT/news/3?text=x"
}

@test "pages that have changed since the last time" {
  rm -f digests
  printf "http://127.0.0.1:$PORT/%s\n" tea.html orphan.html 'never?digest=' >watched
  cook 'Pages that have changed since the last time'
  prints_sorted <<<$'https://example.org/tea.html\nhttps://example.org/orphan.html'
  cook 'Pages that have changed since the last time'
  prints </dev/null
  echo more >>docs/orphan.html
  cook 'Pages that have changed since the last time'
  prints <<<'https://example.org/orphan.html'
  # The page is as it was at first, and its digest is known.
  sed -i '$d' docs/orphan.html
  cook 'Pages that have changed since the last time'
  prints </dev/null
}

@test "what has changed between two crawls" {
  rm -rf next kept
  cp -r docs kept
  echo '<p>new' >>docs/salt.html
  rm docs/poll
  mv docs/paper docs/paper.pdf
  sed -i 's/"paper"/"paper.pdf"/' docs/index.html
  cook 'What has changed between two crawls'
  rm -r docs/*
  cp -r kept/* docs
  prints_sorted <<END
changed	https://example.org/	
changed	https://example.org/salt.html	
gone	https://example.org/poll?outcome=won	
moved	https://example.org/paper	https://example.org/paper.pdf
new	https://example.org/paper.pdf	
END
}

@test "a site every night" {
  cook 'A site every night'
  [[ ! -s tonight && ! -s out ]] # what was fetched a moment ago is no 20 hours old
}

@test "a crawl as a service" {
  local words home=$PWD
  mkdir -p service
  words=$(block spinneret-cookbook.7 'A crawl as a service' | sed -n "s|^ExecStart=/usr/bin/crawl |exec $home/bin/crawl |p")
  # The shell of the service runs it, with almost no environment. Without its rules the command would never end, so a
  # dry run shows them.
  (cd service && env -i PATH=/usr/bin:/bin SPINNERET_BIN="$SPINNERET_BIN" SPINNERET_AGENT=examplebot SPINNERET_CONTACT=me@example.org \
    bash -c "$words --dry-run" 3>&-) >out
  grep -q $'^https://example.org/\t.*verdict=accept' out
}

@test "bug: the service of the page could not be enabled: it named nothing that starts it" {
  command -v systemd-analyze >/dev/null || skip "no systemd"
  local unit=$BATS_TEST_TMPDIR/examplebot.service
  # systemd-analyze looks for the program, so /bin/true takes its place.
  block spinneret-cookbook.7 'A crawl as a service' | sed 's|^ExecStart=/usr/bin/crawl |ExecStart=/bin/true |' >"$unit"
  grep -qx 'ExecStart=/bin/true --quiet .*' "$unit"
  grep -A 1 -x '\[Install\]' "$unit" | grep -qx 'WantedBy=.*[.]target'
  # systemd-analyze reports an unknown key, but ends with status 0.
  run -0 systemd-analyze verify "$unit"
  [[ -z $output ]] || { echo "$output"; false; }
}

@test "a copy of a crawl, for a backup or another machine" {
  rm -rf backup
  cook 'A copy of a crawl, for a backup or another machine'
  crawl --list | LC_ALL=C sort >all
  [[ -s all ]]
  crawl --state=backup --list | LC_ALL=C sort | diff all -
  politeness-sched --state=crawl-state/frontier --checkpoint=crawl-state/checkpoint
  rm -r backup/frontier && cp -a crawl-state/checkpoint backup/frontier
  crawl --state=backup --list | LC_ALL=C sort | diff all -
}

@test "a site as WARC, and read without the network" {
  rm -rf capture site.warc.gz
  cook 'A site as WARC, and read without the network'
  prints_sorted <<<$'https://example.org/tea.html\tAnn O\'Hara\nhttps://example.org/salt.html\tAnn O\'Hara'
}

@test "a capture for replay tools" {
  rm -f one.*
  printf "http://127.0.0.1:$PORT/%s\n" tea.html 'poll?outcome=ok' >watched
  cook 'A capture for replay tools'
  python3 -m zipfile -l one.wacz | grep -q 'archive/one.warc.gz'
}

@test "a page out of the store" {
  cook 'A page out of the store'
  prints <<<%PDF-1.4
}

@test "keys of an index of captures" {
  cook 'Keys of an index of captures'
  grep -qx "1,0,0,127:$PORT)/poll?outcome=won" out || { cat out messages; false; }
}

@test "more URLs than memory holds" {
  seq -f 'https://example.org/?outcome=%.0f' 1 30000 | awk '{ print; print }' >urls
  cook 'More URLs than memory holds'
  (($(wc -l <once) == 30000))
}

@test "all cores" {
  command -v parallel >/dev/null || skip "no GNU parallel"
  seq -f 'HTTPS://Example.org/%.0f' 1 3000 >urls
  cook 'All cores'
  seq -f 'https://example.org/%.0f' 1 3000 | prints
}

@test "a part of a list for each machine" {
  seq -f 'https://%.0f.example/?a b' 1 90 >mixed
  cook 'A part of a list for each machine'
  prints_sorted <mixed
}

@test "by night, at most so much an hour, from a file of options" {
  cook 'By night, at most so much an hour, from a file of options'
  (($(wc -l <out) >= 1))
}

@test "more seeds for a crawl that runs" {
  cook 'More seeds for a crawl that runs'
  crawl --quiet --delay=1ms | records --fields=url,outcome | grep -qx "http://127.0.0.1:$PORT/orphan.html"$'\tok'
}

@test "how a crawl stands, host by host" {
  cook 'How a crawl stands, host by host'
  grep -qE $'^[0-9]+\t[01]\t0\thttps://example.org/$' out || { cat out messages; false; }
}

@test "where no server answers, no recipe claims that it has looked" {
  local dead title
  dead=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  for title in 'Pages of the sitemap that are no good' 'What a feed has that is new' 'The sitemaps of a site' 'A page as Markdown'; do
    cook "$title" "$dead"
    [[ ! -s out ]] || { echo "$title"; cat out; false; }
  done
  cook 'May this page be crawled, and which line says so' "$dead"
  prints <<<$'disallow\t\t'
  printf "http://127.0.0.1:$dead/%s\n" a 'b?outcome=ok' >candidates
  cook 'The status of each URL, as a table' "$dead"
  prints <<<$'url,status,type,outcome\nhttps://example.org/a,,,connect-failed\nhttps://example.org/b?outcome=ok,,,connect-failed'
  # A page that could not be fetched is not remembered as seen.
  rm -f digests
  cp candidates watched
  cook 'Pages that have changed since the last time' "$dead"
  prints </dev/null
}

@test "a cell that a spreadsheet takes for a formula stays what the page said" {
  printf 'http://h/\ttitle==cmd|calc!A1\nhttp://i/\ttitle=@SUM(1,2)\n' >texts
  run -0 records --csv --fields=url,title texts
  [[ $output == $'url,title\nhttp://h/,=cmd|calc!A1\nhttp://i/,"@SUM(1,2)"' ]]
  records --csv --fields=url,title texts | records --from=csv --field=url | diff texts -
}
