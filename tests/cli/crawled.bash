# SPDX-License-Identifier: Apache-2.0
# For tests of what scripts/crawl does: a small site whose log is the witness, and functions that crawl it.

load helper
load servers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  mkdir site
  start_python witness-server port log site
  port=$(cat port)
  cat >site/index.html <<EOF
<a href=a.html>to a</a> <a href="b.html?utm_source=x">b</a> <a href=same1.html>1</a> <a href=same2.html>2</a>
<a href=nofollow.html rel=nofollow>n</a> <a href=noindex.html rel="noindex next">n</a> <img src=picture.png>
<a href=big.html>big</a> <a href=paper.pdf>paper</a> <a href="http://127.0.0.2:$port/other.html">other</a>
<img src="http://127.0.0.2:$port/far.png">
EOF
  echo '<a href=deep.html>deep</a> <a href="b.html">b</a>' >site/a.html
  echo '<a href=below-same.html>x</a>' | tee site/same1.html >site/same2.html
  head -c 100000 /dev/zero | tr '\0' x >site/big.html
  for name in b deep after-cookie below-same other mapped named; do echo "$name" >"site/$name.html"; done
  echo png | tee site/picture.png >site/far.png
  echo paper >site/paper.pdf
  printf 'User-agent: *\nSitemap: http://127.0.0.1:%s/named.xml\n' "$port" >site/robots.txt
  echo "<urlset><url><loc>http://127.0.0.1:$port/named.html</loc></url></urlset>" >site/named.xml
  echo "<urlset><url><loc>http://127.0.0.1:$port/mapped.html</loc></url></urlset>" >site/sitemap.xml
}
teardown_file() { stop_servers; }

setup() {
  crawl=$SPINNERET_ROOT/scripts/crawl
  log=$BATS_FILE_TMPDIR/log
  port=$(cat "$BATS_FILE_TMPDIR/port")
  home=http://127.0.0.1:$port
  : >"$log"
}

# crawled OPTION... [URL]: crawls the home page, or the given URL, from a new state. Records are in `records`, messages
# in `messages`, and in $asked the paths that the site was asked for (without robots.txt), each once.
crawled() {
  local seeds=("$home/") status=0
  : >"$log"
  [[ ${*: -1} != http://* && ${*: -1} != ./* ]] || seeds=()
  "$crawl" --state="$(mktemp -d s.XXXX)/s" --delay=0 --allow-private "$@" "${seeds[@]}" >records 2>messages 3>&- || status=$?
  asked=" $(cut -f3 "$log" | grep -vx /robots.txt | sort -u | tr '\n' ' ')"
  return "$status"
}
# outcome PATH: prints the outcome in that page's record.
outcome() { sed -nE "s|^http://[^/]*$1\t.*\toutcome=||p" records; }
has() { [[ $asked == *" $1 "* ]] || { echo "$1 was not asked for:$asked"; return 1; }; }
lacks() { [[ $asked != *" $1 "* ]] || { echo "$1 was asked for:$asked"; return 1; }; }
