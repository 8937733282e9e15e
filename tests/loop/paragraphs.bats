#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The texts of a crawl without what its pages have in common: dedupe --paragraphs, with each of its rules, after crawl
# --text-to.

load ../cli/helper
load site

setup() {
  local docs=$BATS_TEST_TMPDIR/docs page
  mkdir -p "$docs"
  chmod 755 "$BATS_TEST_TMPDIR" "$docs"
  for page in {1..8}; do
    cat >"$docs/$page.html" <<END
<!DOCTYPE html><title>Page $page</title><main><h1>About the number</h1>
<p>Of subject $(tr 1-8 a-h <<<"$page") these words alone tell, and no other page of this site has them in such an order, $(tr 1-8 a-h <<<"$page") for short.</p>
<p>We use cookies to make this site work. You can read in our notice what they are. Nobody else gets any of them.</p>
<p>Go on: <a href="$((page % 8 + 1)).html">next</a></p></main>
END
  done
  start_site "$docs"
}
crawl() {
  "$SPINNERET_ROOT/scripts/crawl" --allow-private --delay=1ms --text:what=visible "$@" "http://127.0.0.1:$PORT/1.html" >records 2>progress 3>&- ||
    { cat progress; return 1; }
}

@test "what each page of a crawl has is in its texts once, by paragraphs, sentences and runs of words" {
  crawl --state=state --text-to=texts
  [[ $(wc -l <texts) == 8 && $(grep -c 'use cookies' texts) == 8 ]]
  local rule
  for rule in '' '--sentences=3' '--drop-share=0.8 --shingle=5'; do
    # shellcheck disable=SC2086
    dedupe --paragraphs=8 $rule texts >once
    [[ $(grep -c 'use cookies' once) == 1 && $(grep -c 'these words alone' once) == 8 ]] || { echo "$rule"; cat once; false; }
    # The other fields of the pages remain.
    diff <(records --fields=url,title,outcome texts) <(records --fields=url,title,outcome once)
  done
}

@test "texts go to dedupe while the crawl runs, and what was seen is remembered for the next" {
  mkfifo texts
  dedupe --paragraphs=8 --store=seen texts >once 3>&- &
  local reader=$!
  # The pipe is held open, so that the reader waits until the crawl is over.
  exec 9>texts
  crawl --state=state --text-to=texts
  exec 9>&-
  wait $reader
  [[ $(wc -l <once) == 8 && $(grep -c 'use cookies' once) == 1 ]] || { cat once; false; }
  crawl --state=another --text-to=again
  run -0 dedupe --paragraphs=8 --store=seen --drop again
  lacks() { ! grep -q "$1" <<<"$output"; }
  lacks cookies
  lacks 'these words alone'
}
