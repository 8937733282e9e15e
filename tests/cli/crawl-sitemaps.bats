#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# scripts/crawl --sitemaps; the log of a small site is the witness.

load crawled

@test "--sitemaps reads those of robots.txt and /sitemap.xml; without it the end of the run names them" {
  crawled
  lacks /named.html && lacks /mapped.html && lacks /sitemap.xml
  grep -qF "robots.txt names sitemaps that --sitemaps would read (1): $home/named.xml" messages
  crawled --sitemaps
  has /named.html && has /mapped.html && has /a.html && lacks /picture.png
  run ! grep 'would read' messages
}

@test "bug: what a robots.txt names that an earlier run had read was never read, though the run said that --sitemaps would" {
  "$crawl" --state=s --delay=0 --allow-private "$home/" >records 2>messages
  grep -qF "sitemaps that --sitemaps would read (1): $home/named.xml" messages
  : >"$log"
  "$crawl" --state=s --delay=0 --allow-private --sitemaps "$home/" >records 2>messages
  [[ $(cut -f3 "$log" | sort | tr '\n' ' ') == '/mapped.html /named.html /named.xml /sitemap.xml ' ]]
  run -0 politeness-sched --state=s/frontier --show="$home/named.xml"
  [[ $output == *"$home/robots.txt"* ]]
}

@test "bug: a page in the place of a /sitemap.xml that nobody named was told as no sitemap" {
  local site=$BATS_FILE_TMPDIR/site
  mv "$site/sitemap.xml" kept.xml
  echo '<html><p>No such page.</p></html>' >"$site/sitemap.xml"
  crawled --sitemaps
  has /sitemap.xml && has /named.html
  run ! grep 'but is not one' messages
  cp "$site/named.xml" named.xml
  cp "$site/sitemap.xml" "$site/named.xml"
  crawled --sitemaps
  grep -F "but is not one: no page is listed there: \"$home/named.xml\"" messages
  mv named.xml "$site/named.xml"
  mv kept.xml "$site/sitemap.xml"
}

@test "bug: sitemaps over --max-size, or of other types than --types, led to nothing, and nothing said so" {
  {
    echo "<urlset><url><loc>$home/named.html</loc></url>"
    head -c 11000000 /dev/zero | tr '\0' '\n'
    echo '</urlset>'
  } >"$BATS_FILE_TMPDIR/site/named.xml"
  local option
  for option in --max-size=1M --types=text/html --store=kept; do
    crawled --sitemaps "$option"
    has /named.html
    [[ $(outcome /named.xml) == ok ]]
  done
  # The limit still holds for pages.
  crawled --sitemaps --max-size=1K
  [[ $(outcome /named.xml) == ok && $(outcome /big.html) == too-large ]]
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$BATS_FILE_TMPDIR/site/named.xml"
}

@test "bug: --include, --scope and --max-depth refused sitemaps, and so lost the pages that they list" {
  local option site=$BATS_FILE_TMPDIR/site
  echo "<sitemapindex><sitemap><loc>http://127.0.0.2:$port/nested.xml</loc></sitemap></sitemapindex>" >"$site/named.xml"
  echo "<urlset><url><loc>$home/named.html</loc></url><url><loc>http://127.0.0.2:$port/other.html</loc></url></urlset>" >"$site/nested.xml"
  for option in --include=html --scope=origin --max-depth=1 --filter:allow-domain=127.0.0.1; do
    crawled --sitemaps "$option"
    has /named.html && has /mapped.html && lacks /other.html
  done
  crawled --sitemaps --max-depth=1
  lacks /deep.html
  crawled --sitemaps --exclude=nested
  lacks /nested.xml && lacks /named.html
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$site/named.xml"
}

@test "bug: sitemaps spent the budget of a policy, and their pages were refused" {
  local site=$BATS_FILE_TMPDIR/site i
  { echo '<sitemapindex>' && for i in 1 2 3; do echo "<sitemap><loc>$home/map$i.xml</loc></sitemap>"; done && echo '</sitemapindex>'; } >"$site/named.xml"
  for i in 1 2 3; do echo "<urlset><url><loc>$home/named.html?$i</loc></url></urlset>" >"$site/map$i.xml"; done
  crawled --sitemaps --include=named --filter:rule='budget host 3'
  has '/named.html?1' && has '/named.html?2' && has '/named.html?3'
  crawled --sitemaps --include=named --filter:rule='budget host 2'
  [[ $(cut -f3 "$log" | grep -c named.html) == 2 ]]
  rm "$site"/map?.xml
  echo "<urlset><url><loc>$home/named.html</loc></url></urlset>" >"$site/named.xml"
}

@test "bug: each host that a robots.txt named for a sitemap was asked, and those that its own named, without end" {
  local site=$BATS_FILE_TMPDIR/site host
  cp "$site/robots.txt" kept
  # All hosts serve the same files. robots.txt names /named.xml of 127.0.0.1, and one sitemap on
  # each of thirty others.
  for host in {1..30}; do echo "Sitemap: http://127.0.1.$host:$port/index.xml" >>"$site/robots.txt"; done
  echo "<sitemapindex><sitemap><loc>beside.xml</loc></sitemap><sitemap><loc>http://127.0.2.1:$port/far.xml</loc></sitemap></sitemapindex>" >"$site/index.xml"
  echo "<urlset><url><loc>$home/mapped.html?beside</loc></url></urlset>" >"$site/beside.xml"
  crawled --sitemaps --rejected=rejected
  [[ $(cut -f2 "$log" | sort -u | grep -c '^127[.]0[.]1[.]') == 20 ]]
  has '/mapped.html?beside' && has /named.html && lacks /far.xml
  [[ $(grep -c '^[^[:space:]]*index.xml.*outcome=blocked-by-policy' rejected) == 10 ]] || { cat rejected; false; }
  grep -q 'far.xml.*why=a sitemap elsewhere: named by no site in scope, or beside those of 20 other hosts' rejected
  # A seed that has moved, and a directory that is crawled alone.
  crawled --sitemaps "http://127.0.0.3:$port/to/$home/"
  has '/mapped.html?beside'
  crawled --sitemaps --scope=under "$home/dir/"
  has /beside.xml
  mv kept "$site/robots.txt"
  rm "$site"/{index,beside}.xml
}
